"""A run in rounds: the plans of all cases advance in lock-step, with one set of files a round.

A plan cannot be stored. In each round the plan of a case that has no result is replayed from what
came back in all rounds before. That gives its result, or the asks for the next round.

Each file of requests is sent once, also if a process was killed while it sent one. What is about to
be sent is noted before. If the note has no batch, the batch may be at the provider all the same: it
is looked for, and is adopted only if it shows that it is of this file. Neither the clocks of both
sides nor a listing that lags behind leads to a second batch.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, cast

from ...files import open_file
from ...grading import Grader
from ...judges.remote.needs import merge_steps
from ...judges.remote.remote_judge import RemoteJudge
from ...records.errors import ConfigError, JudgeError
from ..rows import line_of
from ..store import Store
from .asks import Asks, CaseAnswers, Round
from .service import (
    MISSING,
    NOT_FOUND,
    NOT_RUN,
    Found,
    Look,
    RequestFiles,
    Service,
    is_refused,
    read_line,
    service_errors,
)

MAX_LINE = 16 << 20
"""Bytes of a line of an output. What is longer is no line that we know."""
LOOK_AGAIN = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each look for a batch that may have been sent: a listing may lag behind."""


class Standing(NamedTuple):
    """Where a run stands.

    Args:
        finished: all cases have results.
        said: what happened, in lines for the user.
        files: files that somebody has to take to a server, and whose answers to import.
    """

    finished: bool
    said: tuple[str, ...]
    files: tuple[Path, ...] = ()


class Rounds:
    """The rounds of a run.

    Args:
        store: the run, open to be written.
        run_id: makes the ids of its asks unlike those of other runs.
        grader: judge and policy.
        form: of the files: that of the API of its judge.
        service: takes the files; None if somebody else carries them.
    """

    def __init__(
        self,
        store: Store,
        run_id: str,
        grader: Grader,
        form: type[Service],
        service: Service | None,
    ) -> None:
        self._store, self._asks, self._run_id = store, Asks(store), run_id
        self._grader, self._form, self._service = grader, form, service
        self._judge = cast("RemoteJudge", grader.judge)
        self._said: list[str] = []

    def advance(self) -> Standing:
        """Goes on as far as possible: fetches what is done, sends what comes next."""
        while (current := self._waiting()) is not None:
            if self._service is None:
                self._say(current, f"{len(current.files)} files wait for their answers")
                folder = self._folder(current.number)
                files = tuple(folder / file["name"] for file in current.files)
                return Standing(False, tuple(self._said), files)
            if not self._has_ended(current, self._service):
                return Standing(False, tuple(self._said))
            with self._store.transaction():
                self._end_round(current)
            shutil.rmtree(self._folder(current.number), ignore_errors=True)
            if any(file.get("left_out") for file in current.files):
                self._said.append("Nothing more was sent. Go on with the run to send the rest.")
                return Standing(False, tuple(self._said))
        return Standing(True, tuple(self._said))

    def take(self, outputs: Sequence[str | Path]) -> None:
        """Ends the round that waits with output files that somebody brought."""
        current, path = self._waiting(), self._store.path
        if current is None:
            raise ConfigError(f"{path}: the run is finished; no answers are missing")
        with self._store.transaction(), ExitStack() as stack:
            files = [stack.enter_context(open_file(output)) for output in outputs]
            if not self._read(current, files):
                problem = f"no line of these files answers an ask of round {current.number}"
                raise ConfigError(f"{path}: {problem}. Import the answers to its own files")
            self._end_round(current)
        shutil.rmtree(self._folder(current.number), ignore_errors=True)

    def _waiting(self) -> Round | None:
        """The round that waits for answers; None if all cases have results.

        Without its folder it is sent again: somebody has removed that, because its batch is gone.
        """
        last = self._asks.last_round()
        if last and not last.answered and not self._folder(last.number).exists():
            with self._store.transaction():
                self._asks.forget_round(last.number)
            last = self._asks.last_round()
        return last if last and not last.answered else self._next(last)

    def _folder(self, number: int) -> Path:
        """Where the files of a round are until it is answered."""
        return self._store.path / "rounds" / f"{number:03}"

    def _say(self, current: Round, text: str) -> None:
        text = self._judge.secrets.out_of(text)
        self._said.append(f"round {current.number}: {text}")

    # ------------------------------------------------------------ at the provider

    def _has_ended(self, current: Round, service: Service) -> bool:
        """Sends what was not sent, fetches what is done. Returns whether all of it is here."""
        for file in current.files:
            path = self._folder(current.number) / file["name"]
            if problem := self._send(current, file, service, path):
                self._say(current, problem)
        for file in current.files:
            if file.get("batch") and not file.get("here"):
                self._look(current, file, service)
        return all(file.get("here") for file in current.files)

    def _send(self, current: Round, file: dict[str, Any], service: Service, path: Path) -> str:
        """Makes sure that a file is sent. Returns why that is not known yet; "" if it is."""
        if file.get("batch"):
            return ""

        def begin() -> None:
            file["sending"] = True
            self._asks.save(current)

        name = f"{self._run_id}/{current.number}/{file['name']}"
        with service_errors(self._judge.secrets):
            found = self._found(current, file, name, service) if "sending" in file else Found()
            if found.undecided:
                return (
                    f"{file['name']} may have been sent when the run was stopped: one of "
                    f"{', '.join(found.undecided[:5])} may be its batch. That shows when they have "
                    "ended; until then it is not sent again"
                )
            try:
                batch = found.batch or service.send(str(path), name, begin)
            except Exception as error:
                if is_refused(error) and "sending" in file:
                    del file["sending"]
                    self._asks.save(current)
                raise
            if self._judge.secrets.out_of(batch) != batch:
                raise ValueError("the id of the batch has the key in it")
        file["batch"] = batch
        self._asks.save(current)
        return ""

    def _found(self, current: Round, file: dict[str, Any], name: str, service: Service) -> Found:
        """Looks for the batch of a file that may have been sent, until it would be listed."""
        known = [other["batch"] for other in current.files if other.get("batch")]
        has = partial(self._asks.has_ask, current.number, file["name"])
        for pause in LOOK_AGAIN:
            time.sleep(pause)
            found = service.find(name, file["lines"], known, has)
            if found.batch or found.undecided:
                return found
        return Found()

    def _look(self, current: Round, file: dict[str, Any], service: Service) -> None:
        try:
            with service_errors(self._judge.secrets):
                look = service.look(file["batch"])
            told = f" ({look.told})" if look.told else ""
            self._say(current, f"{file['lines']:,} asks, {file['batch']}: {look.status}{told}")
            if look.ended:
                self._end(current, file, look, service)
        except JudgeError as error:
            if error.http_status == NOT_FOUND:
                folder = self._folder(current.number)
                gone = f"If the provider has deleted the batch, remove {folder}"
                error.fix = f"Check base_url and the key. {gone}: its asks are then sent again."
            raise

    def _end(self, current: Round, file: dict[str, Any], look: Look, service: Service) -> None:
        """Fetches what came of a file.

        If it was refused, only the asks of the lines that it was refused for have an answer.
        """
        for line, error in look.rejected[:5]:
            where, param = f"line {line}" if line else "", error["param"]
            told = ": ".join(filter(None, (where, error["code"], error["message"])))
            told += f" ({param})" if param else ""
            self._say(current, f"the provider refused the file: {told}")
        file.update(here=True, left_out=look.cancelled or bool(look.rejected))
        with TemporaryFile(dir=self._folder(current.number)) as output:
            if not look.rejected:
                output.writelines(self._fetched(file["batch"], service))
            output.seek(0)
            with self._store.transaction():
                self._read(current, [output])
                for line, error in look.rejected:
                    if line:
                        self._asks.reject(current.number, file["name"], line, error)
                self._asks.save(current)

    def _fetched(self, batch: str, service: Service) -> Iterator[bytes]:
        with service_errors(self._judge.secrets):
            yield from service.fetch(batch)

    # ------------------------------------------------------------ here

    def _read(self, current: Round, outputs: Sequence[IO[bytes]]) -> int:
        """Keeps the answers in these outputs. Returns how many there are."""
        found = unknown = 0
        for output in outputs:
            for line in iter(lambda output=output: output.readline(MAX_LINE), b""):  # type: ignore[misc]
                said = read_line(self._form, line, self._judge.secrets)
                if said and self._asks.add_answer(current.number, said):
                    found += 1
                else:
                    unknown += bool(line.strip())
        if unknown:
            self._say(current, f"{unknown:,} lines that answer no ask of this round")
        return found

    def _end_round(self, current: Round) -> None:
        """Notes what has no answer, and that no more will come."""
        missing = 0
        for file in current.files:
            word = NOT_RUN if file.get("left_out") else MISSING
            missing += self._asks.add_missing(current.number, file["name"], word)
        if missing:
            self._say(current, f"{missing:,} asks without an answer")
        self._asks.save(current._replace(answered=True))

    def _next(self, last: Round | None) -> Round | None:
        """Replays all cases without a result. Writes results, and a round of what they ask."""
        store, asks = self._store, 0
        if store.finished == store.size:
            return None
        steps, number = self._judge.needs.first, last.number + 1 if last else 1
        if last:
            steps = merge_steps(steps, {**steps, **last.steps})
        with store.transaction(), RequestFiles(self._folder(number), self._form) as requests:
            for row in store.rest():
                answers = CaseAnswers(self._judge, self._asks.tries(row.number))
                result = (
                    self._grader.invalid(row.problem)
                    if row.problem
                    else self._grader.replay(row.fields, answers)
                )
                if result is not None:
                    store.add(line_of(row, result))
                    continue
                steps = merge_steps(steps, answers.steps)
                for key, ask in answers.open:
                    if not self._judge.worded(ask).echo:
                        raise ConfigError(
                            "form: over a batch API a reply must name its ask, which a bare Yes "
                            "or No does not; run it without the batch API"
                        )
                    id = f"{number}-{asks}-{ask.echo}"  # has nothing of the data
                    file = requests.add(id, self._judge.request(ask, steps))
                    self._asks.add_ask(id, number, file, row.number, key, steps)
                    asks += 1
            requests.finish()
            if not asks:
                return None
            current = Round(number, steps, requests.files)
            self._asks.save(current)
        return current
