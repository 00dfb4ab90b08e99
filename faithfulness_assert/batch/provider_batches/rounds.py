"""A run in rounds: the plans of all cases advance in lock-step, with one set of files a round.

A plan cannot be stored. In each round the plan of a case that has no result is replayed from what
came back in all rounds before. That gives its result, or the asks for the next round.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ...asking.echo import echoing
from ...judges.remote.fallbacks import merge_steps
from ...records.errors import ConfigError, JudgeError
from ..rows import Line
from ..run_description import changed_input
from .case_answers import CaseAnswers, no_steps
from .round_folder import Round
from .round_writer import RoundWriter
from .stored_rows import read_rows

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ...grading import Grader
    from ...judges.remote.remote_judge import RemoteJudge
    from ...records.result import GradingResult
    from ..rows import Row
    from ..run_directory import RunDirectory
    from .round_folder import Try
    from .service import Form, Look, Service

NOT_FOUND = 404
EARLIER = 60.0
"""Seconds by which the clocks of this machine and of a provider may differ."""


class Standing(NamedTuple):
    """Where a run stands.

    Args:
        finished: all cases have results.
        said: what happened, in lines for the user.
        files: files that somebody has to take to a server, and whose answers to import.
        stopped: why nothing was sent; "" if it was.
    """

    finished: bool
    said: tuple[str, ...]
    files: tuple[Path, ...] = ()
    stopped: str = ""


class Rounds:
    """The rounds of a run in its directory. To be used while the directory is locked.

    Args:
        directory: of the run.
        run_id: makes the ids of its asks unlike those of other runs.
        grader: judge and policy; its judge is behind the API whose form of files is ``form``.
        form: of the files.
        service: takes the files; None if somebody else carries them.
        since: the round from which tries count; see ``CaseAnswers``.
        rows: how many the directory has.
    """

    def __init__(
        self,
        directory: RunDirectory,
        run_id: str,
        grader: Grader,
        form: Form,
        service: Service | None,
        since: int = 0,
        rows: int | None = None,
    ) -> None:
        self._directory, self._run_id, self._form = directory, run_id, form
        self._grader, self._service, self._since = grader, service, since
        self._count = rows
        self._judge = cast("RemoteJudge", grader.judge)
        self._folder = directory.path / "rounds"
        self._said: list[str] = []

    def advance(self) -> Standing:
        """Goes on as far as possible: fetches what is done, sends what comes next.

        Raises:
            JudgeError: the provider could not be asked. Nothing is lost.
        """
        while (current := self._open_round()) is not None:
            if self._service is None:
                self._say(current, f"{len(current.files)} files wait for their answers")
                files = tuple(current.folder / file["name"] for file in current.files)
                return Standing(False, tuple(self._said), files)
            if not self._has_ended(current, self._service):
                return Standing(False, tuple(self._said))
            outputs = sorted(current.folder.glob("output-*.jsonl"))
            self._absorb(current, outputs)
            if any(file.get("cancelled") or file.get("rejected") for file in current.files):
                self._said.append("Nothing more was sent. Go on with the run to send the rest.")
                return Standing(False, tuple(self._said))
        return Standing(True, tuple(self._said))

    def take(self, outputs: Sequence[Path]) -> Standing:
        """The same with output files that somebody brought.

        Raises:
            ConfigError: no file waits for answers, or these have none of them.
        """
        current, path = self._open_round(), self._directory.path
        if current is None:
            raise ConfigError(f"{path}: the run is finished; no answers are missing")
        if not current.is_answered(self._form, outputs):
            problem = f"no line of these files answers an ask of round {current.number}"
            raise ConfigError(f"{path}: {problem}. Import the answers to its own files")
        self._absorb(current, outputs)
        return self.advance()

    def _open_round(self) -> Round | None:
        """The round that has no answers yet; None if all cases have results."""
        rounds = self._rounds()
        if rounds and not rounds[-1].absorbed:
            return rounds[-1]
        return self._next(rounds)

    def _rounds(self) -> list[Round]:
        folders = (path for path in self._folder.iterdir() if path.name.isdecimal())
        return [Round(path, self._run_id) for path in sorted(folders)]

    def _absorb(self, current: Round, outputs: Sequence[Path]) -> None:
        odd: Counter[str] = current.absorb(self._form, self._judge.secrets, outputs)
        for what, count in sorted(odd.items()):
            if count:
                self._say(current, f"{count:,} {what}")

    def _say(self, current: Round, text: str) -> None:
        self._said.append(f"round {current.number}: {text}")

    # ------------------------------------------------------------ at the provider

    def _has_ended(self, current: Round, service: Service) -> bool:
        """Sends what was not sent, fetches what is done. Returns whether all of it is here."""
        for file in current.files:
            self._send(current, file, service)
        for file in current.files:
            if file.get("here"):
                continue
            try:
                self._look(current, file, service)
            except JudgeError as error:
                if error.http_status == NOT_FOUND:
                    gone = f"If the provider has deleted the batch, remove {current.folder}"
                    error.fix = f"Check base_url and the key. {gone}: its asks are then sent again."
                raise
        return all(file.get("here") for file in current.files)

    def _look(self, current: Round, file: dict[str, Any], service: Service) -> None:
        look = service.look(file["batch"])
        told = f" ({look.told})" if look.told else ""
        self._say(current, f"{file['lines']:,} asks, {file['batch']}: {look.status}{told}")
        if look.ended:
            self._end(current, file, look, service)

    def _send(self, current: Round, file: dict[str, Any], service: Service) -> None:
        """Sends a file once: if we were stopped while we sent it, its batch is looked for."""
        if file.get("batch"):
            return
        name, batch = f"{self._run_id}/{current.number}/{file['name']}", ""
        if file.get("sending"):
            known = [other["batch"] for other in current.files if other.get("batch")]
            since = file["sending"] - EARLIER
            batch = service.find(name, file["lines"], since, known)
        file["sending"] = time.time()
        current.save()
        file["batch"] = batch or service.send(str(current.folder / file["name"]), name)
        current.save()

    def _end(self, current: Round, file: dict[str, Any], look: Look, service: Service) -> None:
        """Fetches what came of a file. If it was refused as a whole, it is sent again later."""
        for rejection in look.rejected[:5]:
            where = f"line {rejection.line}" if rejection.line else ""
            param = f" ({rejection.param})" if rejection.param else ""
            told = ": ".join(filter(None, (where, rejection.code, rejection.message))) + param
            self._say(current, f"the provider refused the file: {told}")
        lines = [list(rejection) for rejection in look.rejected if rejection.line]
        if look.rejected and not lines:
            del file["batch"], file["sending"]
            self._said.append("The file is sent again when you go on with the run.")
            current.save()
            return
        if not look.rejected:
            self._fetch(current, file, service)
        file.update(here=True, cancelled=look.cancelled, rejected=lines)
        current.save()

    def _fetch(self, current: Round, file: dict[str, Any], service: Service) -> None:
        stem = file["name"].replace("requests", "output").removesuffix(".jsonl")
        for number, pieces in enumerate(service.fetch(file["batch"]), 1):
            part = current.folder / f"{stem}-{number}.part"
            with part.open("wb") as output:
                output.writelines(pieces)
            part.replace(part.with_suffix(".jsonl"))

    # ------------------------------------------------------------ here

    def _next(self, rounds: Sequence[Round]) -> Round | None:
        """Replays all cases without a result. Writes results, and a round of what they ask."""
        steps = no_steps(self._judge)
        if rounds:
            steps = merge_steps(steps, {**steps, **rounds[-1].state["steps"]})
        finished = self._directory.finished()
        self._directory.clean(finished)  # a line that was cut off would spoil the next one
        folder = self._folder / f"{len(rounds) + 1:03}"
        with (
            RoundWriter(folder, self._form, self._run_id) as writer,
            self._directory.appending() as append,
        ):
            for row, known, tries in self._cases(rounds):
                if graded := finished.digest(row.number):
                    if graded != int(known, 16):
                        raise changed_input(f"row {row.number} ({row.case_id}) is not what it was")
                    continue
                answers = CaseAnswers(self._judge, tries, self._since)
                result = self._replayed(row, answers)
                if result is not None:
                    append(Line(row.case_id, row.number, known, row.columns, result).to_json())
                    continue
                steps = merge_steps(steps, answers.steps)
                for key, ask in answers.open:
                    body = self._judge.request(echoing(ask, writer.token()), steps)
                    writer.add(row.number, key, steps, body)
            writer.finish(steps)
        return Round(folder, self._run_id) if writer.asks else None

    def _replayed(self, row: Row, answers: CaseAnswers) -> GradingResult | None:
        if row.problem:
            result: GradingResult | None = self._grader.invalid(row.problem)
        else:
            result = self._grader.replay(row.fields, answers)
        return None if result is None else replace(result, case_id=row.case_id)

    def _cases(self, rounds: Sequence[Round]) -> Iterator[tuple[Row, str, list[Try]]]:
        """The rows, each with its digest and with what was asked for it."""
        sent = heapq.merge(*(r.tries() for r in rounds), key=_row_of)
        groups = groupby(sent, key=_row_of)
        number, tries = next(groups, (0, iter(())))
        for row, known in read_rows(self._folder / "rows.jsonl", self._count):
            if number != row.number:
                yield row, known, []
                continue
            yield row, known, list(tries)
            number, tries = next(groups, (0, iter(())))


def _row_of(sent: Try) -> int:
    return sent.row
