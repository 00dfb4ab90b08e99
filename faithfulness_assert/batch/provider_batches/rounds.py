"""A run in rounds: the plans of all cases advance in lock-step, with one set of files a round.

A plan cannot be stored. In each round the plan of a case that has no result is replayed from what
came back in all rounds before. That gives its result, or the asks for the next round.

Each file of requests is sent once, also if a process was killed while it sent one. What is about to
be sent is noted before. If the note has no batch, the batch may be at the provider all the same: it
is looked for, and is adopted only if it shows that it is of this file. Neither the clocks of both
sides nor a listing that lags behind leads to a second batch.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, NamedTuple, cast

from ...files import append_file, open_file, private_folder, to_disk
from ...grading import Grader
from ...judges.remote.needs import merge_steps
from ...judges.remote.remote_judge import RemoteJudge
from ...records.errors import ConfigError, JudgeError
from ..rows import line_of
from ..store import Store
from .apis import (
    MISSING,
    NOT_FOUND,
    NOT_RUN,
    BatchAPI,
    Form,
    Look,
    is_refused,
    read_line,
    service_errors,
)
from .asks import CaseAnswers, tries_of

MAX_LINE = 16 << 20
"""Bytes of a line of an output. What is longer is no line that we know."""
LOOK_AGAIN = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each look for a batch that may have been sent: a listing may lag behind."""


class Standing(NamedTuple):
    """Where a run stands.

    Args:
        finished: all cases have results.
        notes: what happened, in lines for the user.
        files: files that somebody has to take to a server, and whose answers to import.
    """

    finished: bool
    notes: tuple[str, ...]
    files: tuple[Path, ...] = ()


class Round(NamedTuple):
    """A round that was written, as the table has it.

    Args:
        number: from 1.
        steps: the fallbacks with which it was sent.
        files: how each file of requests stands: name, lines, batch and so on.
        answered: whether all that will come back for it is known.
    """

    number: int
    steps: Mapping[str, int]
    files: Sequence[dict[str, Any]]
    answered: bool = False


class Rounds:
    """The rounds of a run.

    Args:
        store: the run, open to be written.
        run_id: makes the ids of its asks unlike those of other runs.
        grader: judge and policy.
        form: of the files: that of the API of its judge.
        api: takes the files; None if somebody else carries them.
    """

    def __init__(
        self,
        store: Store,
        run_id: str,
        grader: Grader,
        form: Form,
        api: BatchAPI | None,
    ) -> None:
        self._store, self._db, self._run_id = store, store.db, run_id
        self._grader, self._form, self._api = grader, form, api
        self._judge = cast("RemoteJudge", grader.judge)
        self._secrets = self._judge.secrets
        self._notes: list[str] = []

    def advance(self) -> Standing:
        """Goes on as far as possible: fetches what is done, sends what comes next."""
        while (current := self._waiting()) is not None:
            folder, files = self._folder(current.number), current.files
            if self._api is None:
                self._note(current, f"{len(files)} files wait for their answers")
                carried = tuple(folder / file["name"] for file in files)
                return Standing(False, tuple(self._notes), carried)
            for file in files:
                if not file.get("batch"):
                    self._send(current, file, self._api)
            for file in files:
                if file.get("batch") and not file.get("here"):
                    self._look(current, file, self._api)
            if not all(file.get("here") for file in files):
                return Standing(False, tuple(self._notes))
            self._answered(current)
            if any(file.get("left_out") for file in files):
                self._notes.append("Nothing more was sent. Go on with the run to send the rest.")
                return Standing(False, tuple(self._notes))
        return Standing(True, tuple(self._notes))

    def take(self, outputs: Sequence[str | Path]) -> None:
        """Ends the round that waits with output files that somebody brought."""
        current, path = self._waiting(), self._store.path
        if current is None:
            raise ConfigError(f"{path}: the run is finished; no answers are missing")
        with ExitStack() as stack:
            files = [stack.enter_context(open_file(output)) for output in outputs]
            self._answered(current, files)

    def _waiting(self) -> Round | None:
        """The round that waits for answers; None if all cases have results.

        Without its folder it is sent again: somebody has removed that, because its batch is gone.
        """
        while cells := self._db.execute("SELECT * FROM rounds ORDER BY number DESC").fetchone():
            number, steps, files, answered = cells
            last = Round(number, json.loads(steps), json.loads(files), bool(answered))
            if answered:
                return self._next(last)
            if self._folder(number).exists():
                return last
            with self._store.transaction():
                forget(self._store, f"round = {number:d}")
                self._db.execute("DELETE FROM rounds WHERE number = ?", (number,))
        return self._next(None)

    def _folder(self, number: int) -> Path:
        """Where the files of a round are until it is answered."""
        return self._store.path / "rounds" / f"{number:03}"

    def _note(self, current: Round, text: str) -> None:
        self._notes.append(self._secrets.out_of(f"round {current.number}: {text}"))

    def _save(self, current: Round) -> None:
        """Keeps a round, and how its files stand."""
        number, steps, files, answered = current
        values = number, json.dumps(steps), json.dumps(files), answered
        self._db.execute("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?)", values)

    # ------------------------------------------------------------ at the provider

    def _send(self, current: Round, file: dict[str, Any], api: BatchAPI) -> None:
        """Makes sure that a file is sent, unless it is not known yet whether it was."""
        name = f"{self._run_id}/{current.number}/{file['name']}"
        with service_errors(self._secrets):
            batch, undecided = self._sent(current, file, name, api)
            if undecided:
                self._note(
                    current,
                    f"{file['name']} may have been sent when the run was stopped: one of "
                    f"{', '.join(undecided[:5])} may be its batch. That shows when they have "
                    "ended; until then it is not sent again",
                )
                return
            if not batch:
                path = self._folder(current.number) / file["name"]
                prepared = api.prepared(str(path), name)
                file["sending"] = True
                self._save(current)
                try:
                    batch = api.create(prepared)
                except Exception as error:
                    if is_refused(error):
                        del file["sending"]
                        self._save(current)
                    raise
            if self._secrets.out_of(batch) != batch:
                raise ValueError("the id of the batch has the key in it")
        file["batch"] = batch
        self._save(current)

    def _sent(
        self, current: Round, file: dict[str, Any], name: str, api: BatchAPI
    ) -> tuple[str, Sequence[str]]:
        """The batch of a file that may have been sent, looked for until it would be listed."""
        others = [other["batch"] for other in current.files if other.get("batch")]

        def has(id: str) -> bool:
            query = "SELECT round, file FROM asks WHERE id = ?"
            return bool(self._db.execute(query, (id,)).fetchone() == (current.number, file["name"]))

        for pause in LOOK_AGAIN if "sending" in file else ():
            time.sleep(pause)
            batch, undecided = api.find(name, file["lines"], others, has)
            if batch or undecided:
                return batch, undecided
        return "", ()

    def _look(self, current: Round, file: dict[str, Any], api: BatchAPI) -> None:
        """Asks how the batch of a file stands, and keeps what came of it when it has ended."""
        try:
            with service_errors(self._secrets):
                look = api.look(file["batch"])
            self._note(current, f"{file['lines']:,} asks, {file['batch']}: {look.status}")
            if look.ended:
                self._fetch(current, file, look, api)
        except JudgeError as error:
            if error.http_status == NOT_FOUND:
                folder = self._folder(current.number)
                gone = f"If the provider has deleted the batch, remove {folder}"
                error.fix = f"Check base_url and the key. {gone}: its asks are then sent again."
            raise

    def _fetch(self, current: Round, file: dict[str, Any], look: Look, api: BatchAPI) -> None:
        """Keeps what came of a file.

        If it was refused, only the asks of the lines that it was refused for have an answer.
        """
        for line, *said, param in look.rejected[:5]:
            why = ": ".join(filter(None, (f"line {line}" if line else "", *said)))
            why += f" ({param})" if param else ""
            self._note(current, f"the provider refused the file: {why}")
        file.update(here=True, left_out=look.cancelled or bool(look.rejected))
        with TemporaryFile(dir=self._folder(current.number)) as output:
            if not look.rejected:
                with service_errors(self._secrets):
                    output.writelines(api.fetch(look))
            output.seek(0)
            with self._store.transaction():
                self._read(current, [output])
                for rejected in filter(lambda rejected: rejected.line, look.rejected):
                    error = {name: value for name, value in rejected._asdict().items() if value}
                    self._db.execute(
                        "INSERT INTO answers SELECT id, ? FROM asks WHERE round = ? "
                        "AND file = ? ORDER BY rowid LIMIT 1 OFFSET ?",
                        (
                            json.dumps([400, {"error": error}]),
                            *(current.number, file["name"], rejected.line - 1),
                        ),
                    )
                self._save(current)

    # ------------------------------------------------------------ here

    def _read(self, current: Round, outputs: Sequence[IO[bytes]]) -> int:
        """Keeps the answers in these outputs. Returns how many there are."""
        answers = unknown = 0
        lines = (iter(partial(output.readline, MAX_LINE), b"") for output in outputs)
        for line in chain.from_iterable(lines):
            entry = read_line(line, self._secrets)
            if entry and entry.id.isascii():
                values = json.dumps(entry.answer), entry.id, current.number
                insert = "INSERT INTO answers SELECT id, ? FROM asks WHERE id = ? AND round = ?"
                if self._db.execute(insert, values).rowcount > 0:
                    answers += 1
                    continue
            unknown += bool(line.strip())
        if unknown:
            self._note(current, f"{unknown:,} lines that answer no ask of this round")
        return answers

    def _answered(self, current: Round, brought: Sequence[IO[bytes]] = ()) -> None:
        """Notes what has no answer, and that no more will come. ``brought``: by somebody."""
        missing = 0
        with self._store.transaction():
            if brought and not self._read(current, brought):
                problem = f"no line of these files answers an ask of round {current.number}"
                path = self._store.path
                raise ConfigError(f"{path}: {problem}. Import the answers to its own files")
            for file in current.files:
                word = NOT_RUN if file.get("left_out") else MISSING
                missing += self._db.execute(
                    "INSERT INTO answers SELECT id, ? FROM asks WHERE round = ? AND file = ? "
                    "AND id NOT IN (SELECT id FROM answers)",
                    (json.dumps(word), current.number, file["name"]),
                ).rowcount
            self._save(current._replace(answered=True))
        if missing:
            self._note(current, f"{missing:,} asks without an answer")
        shutil.rmtree(self._folder(current.number), ignore_errors=True)

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
                answers = CaseAnswers(self._judge, tries_of(store, row.number))
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
                    taken = json.dumps({name: count for name, count in steps.items() if count})
                    values = id, number, file, row.number, key, taken
                    self._db.execute("INSERT INTO asks VALUES (?, ?, ?, ?, ?, ?)", values)
                    asks += 1
            requests.finish()
            if not asks:
                return None
            current = Round(number, steps, requests.files)
            self._save(current)
        return current


class RequestFiles(ExitStack):
    """Writes requests into files, each with what a batch may have at most.

    Args:
        folder: of the files. What is in it is removed: it belongs to no round yet.
        form: of the requests.
    """

    def __init__(self, folder: Path, form: Form) -> None:
        super().__init__()
        self._folder, self._form = folder, form
        self._file: BinaryIO | None = None
        self.files: list[dict[str, Any]] = []
        shutil.rmtree(folder, ignore_errors=True)

    def add(self, id: str, body: Mapping[str, Any]) -> str:
        """Adds the request with this id. Returns the name of its file."""
        data = self._form.request(id, body)
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        line = text.encode("utf-8", "backslashreplace") + b"\n"  # as JSON escapes a lone surrogate
        if (
            self._file is None
            or self.files[-1]["lines"] >= self._form.max_lines
            or self._file.tell() + len(line) > self._form.max_bytes
        ):
            self.finish()
            private_folder(self._folder)
            name = f"requests-{len(self.files) + 1:03}.jsonl"
            self._file = self.enter_context(append_file(self._folder / name))
            self.files.append({"name": name, "lines": 0})
        self._file.write(line)
        self.files[-1]["lines"] += 1
        return str(self.files[-1]["name"])

    def finish(self) -> None:
        """Makes sure that what was written survives a crash of the machine."""
        if self._file is not None:
            to_disk(self._file)
            self._file.close()


def forget(store: Store, which: str) -> None:
    """Forgets asks that fulfil a condition, as if they had never been sent."""
    asks = f"FROM asks WHERE {which}"
    store.db.execute(f"DELETE FROM answers WHERE id IN (SELECT id {asks})")  # noqa: S608 - our own text
    store.db.execute(f"DELETE {asks}")
