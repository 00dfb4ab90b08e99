"""A run as batches: what all cases ask is sent together, and what they ask next in further ones.

A plan cannot be stored. The plan of a case that has no result, and waits for no batch, is replayed
from what came back for it. That gives its result, or asks for a further batch.

Each batch is sent once, also if a process was killed while it sent one. What is about to be sent is
noted before. If the note has no batch, the batch may be at the provider all the same: it is looked
for, and is adopted only if it shows that it is ours. Neither the clocks of both sides nor a listing
that lags behind leads to a second batch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, NamedTuple, cast

from ...files import append_file, private_folder, to_disk
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
    SAID,
    BatchAPI,
    Form,
    Look,
    is_refused,
    read_line,
    service_errors,
)
from .asks import CaseAnswers

MAX_LINE = 16 << 20
"""Bytes of a line of an output. What is longer is no line that we know."""
LOOK_AGAIN = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each look for a batch that may have been sent: a listing may lag behind."""
WAITS = """EXISTS (SELECT 1 FROM asks JOIN batches USING (batch)
WHERE asks.row = rows.row AND NOT answered)"""
"""Whether a row waits for a batch."""


class Standing(NamedTuple):
    """Where a run stands.

    Args:
        finished: all cases have results.
        notes: what happened, in lines for the user.
    """

    finished: bool
    notes: tuple[str, ...]


class Batches:
    """The batches of a run, by their numbers, from 1, as the table ``batches`` has them.

    Its ``at`` is the provider's id: NULL before a batch is sent, "" when it may have been.

    Args:
        store: the run, open to be written.
        grader: judge and policy.
        api: takes the files.
    """

    def __init__(self, store: Store, grader: Grader, api: BatchAPI) -> None:
        self._store, self._db, self._grader, self._api = store, store.db, grader, api
        # Names of batches must be unlike those of other runs, and tell nothing of the secret.
        self._run_id = blake2b(store.secret(), digest_size=16).hexdigest()
        self._judge = cast("RemoteJudge", grader.judge)
        self._secrets = self._judge.secrets
        self._folder = store.path / "batches"
        self._notes: list[str] = []

    def advance(self) -> Standing:
        """Goes on as far as possible: fetches what is done, sends what comes next."""
        while True:
            self._ask_on()
            if not (waiting := self._waiting()):
                return Standing(True, tuple(self._notes))
            for number, id in waiting.items():
                if not id:
                    self._send(number, may_be_there=id is not None)
            sent = [(number, id) for number, id in self._waiting().items() if id]
            looks = [self._look(number, id) for number, id in sent]
            if is_left_out := any(look.left_out for look in looks):
                self._notes.append("Nothing more was sent. Go on with the run to send the rest.")
            if is_left_out or not any(look.ended for look in looks):
                return Standing(False, tuple(self._notes))

    def _waiting(self) -> dict[int, str | None]:
        """The batches that wait for answers, with their ids.

        One without its file is forgotten, and its asks are sent again: somebody has removed the
        file, because the batch is gone.
        """
        query = "SELECT batch, at FROM batches WHERE NOT answered ORDER BY batch"
        waiting = dict(self._db.execute(query).fetchall())
        for number in [number for number in waiting if not self._file(number).exists()]:
            del waiting[number]
            with self._store.transaction():
                forget(self._store, f"batch = {number:d}")
                self._db.execute("DELETE FROM batches WHERE batch = ?", (number,))
        return waiting

    def _file(self, number: int) -> Path:
        """Where the requests of a batch are until they are answered."""
        return self._folder / f"{number:03}.jsonl"

    def _lines(self, number: int) -> int:
        query = "SELECT count(*) FROM asks WHERE batch = ?"
        return int(self._db.execute(query, (number,)).fetchone()[0])

    def _note(self, number: int, text: str) -> None:
        self._notes.append(self._secrets.out_of(f"batch {number}: {text}"))

    def _set(self, number: int, id: str | None) -> None:
        self._db.execute("UPDATE batches SET at = ? WHERE batch = ?", (id, number))

    # ------------------------------------------------------------ at the provider

    def _send(self, number: int, *, may_be_there: bool) -> None:
        """Makes sure that a batch is sent, unless it is not known yet whether it was."""
        name = f"{self._run_id}/{number}"
        with service_errors(self._secrets):
            id, undecided = self._sent(number, name) if may_be_there else ("", ())
            if undecided:
                self._note(
                    number,
                    "it may have been sent when the run was stopped: one of "
                    f"{', '.join(undecided[:5])} may be its batch. That shows when they have "
                    "ended; until then it is not sent again",
                )
                return
            if not id:
                prepared = self._api.prepared(str(self._file(number)), name)
                self._set(number, "")
                try:
                    id = self._api.create(prepared)
                except Exception as error:
                    if is_refused(error):
                        self._set(number, None)
                    raise
            if self._secrets.out_of(id) != id:
                raise ValueError("the id of the batch has the key in it")
        self._set(number, id)

    def _sent(self, number: int, name: str) -> tuple[str, Sequence[str]]:
        """The batch that may have been sent, looked for until it would be listed."""
        others = [id for (id,) in self._db.execute("SELECT at FROM batches") if id]

        def has(id: str) -> bool:
            return self._batch_of(id) == number

        for pause in LOOK_AGAIN:
            time.sleep(pause)
            id, undecided = self._api.find(name, self._lines(number), others, has)
            if id or undecided:
                return id, undecided
        return "", ()

    def _look(self, number: int, id: str) -> Look:
        """Asks how a batch stands, and keeps what came of it when it has ended."""
        try:
            with service_errors(self._secrets):
                look = self._api.look(id)
            self._note(number, f"{self._lines(number):,} asks, {id}: {look.status}")
            if look.ended:
                self._fetch(number, look)
        except JudgeError as error:
            if error.http_status == NOT_FOUND:
                gone = f"If the provider has deleted the batch, remove {self._file(number)}"
                error.fix = f"Check base_url and the key. {gone}: its asks are then sent again."
            raise
        return look

    def _fetch(self, number: int, look: Look) -> None:
        """Keeps what came of a batch.

        If it was refused, only the asks of the lines that it was refused for have an answer.
        """
        for error in look.rejected[:5]:
            line, *words = (str(error.get(name, "")) for name in ("line", *SAID))
            why = ": ".join(filter(None, (f"line {line}" if error["line"] else "", *words)))
            self._note(number, f"the provider refused the file: {why}")
        with TemporaryFile(dir=self._folder) as output:
            if not look.rejected:
                with service_errors(self._secrets):
                    output.writelines(self._api.fetch(look))
            output.seek(0)
            with self._store.transaction():
                self._read(number, output)
                for error in filter(lambda error: error["line"] > 0, look.rejected):
                    self._db.execute(
                        "INSERT INTO answers SELECT id, ? FROM asks WHERE batch = ? "
                        "ORDER BY rowid LIMIT 1 OFFSET ?",
                        (json.dumps([400, {"error": error}]), number, error["line"] - 1),
                    )
                self._end(number, NOT_RUN if look.left_out else MISSING)

    # ------------------------------------------------------------ here

    def _read(self, number: int, output: IO[bytes]) -> None:
        """Keeps the answers to a batch in its output."""
        unknown = 0
        for line in iter(partial(output.readline, MAX_LINE), b""):
            id, answer = read_line(line, self._secrets)
            if id.isascii() and self._batch_of(id) == number:
                values = id, json.dumps(answer)
                self._db.execute("INSERT INTO answers VALUES (?, ?)", values)
            else:
                unknown += bool(line.strip())
        if unknown:
            self._notes.append(f"{unknown:,} lines that answer no ask that waits")

    def _batch_of(self, id: str) -> int:
        """The batch of an ask; 0 if there is no such ask."""
        cells = self._db.execute("SELECT batch FROM asks WHERE id = ?", (id,)).fetchone()
        return int(cells[0]) if cells else 0

    def _end(self, number: int, word: str) -> None:
        """Notes that no more will come. ``word``: why what has no answer has none."""
        missing = self._db.execute(
            "INSERT INTO answers SELECT id, ? FROM asks WHERE batch = ? "
            "AND id NOT IN (SELECT id FROM answers)",
            (json.dumps(word), number),
        ).rowcount
        self._db.execute("UPDATE batches SET answered = TRUE WHERE batch = ?", (number,))
        if missing:
            self._note(number, f"{missing:,} asks without an answer")

    def _ask_on(self) -> None:
        """Replays the cases that wait for no batch. Writes results, and batches of what they ask.

        Removes the files of batches that are answered.
        """
        store, asks, steps = self._store, 0, self._judge.needs.first
        for file in {*self._folder.glob("*.jsonl")} - {*map(self._file, self._waiting())}:
            file.unlink()
        for (taken,) in self._db.execute("SELECT DISTINCT steps FROM asks"):
            steps = merge_steps(steps, {**steps, **json.loads(taken)})
        (last,) = self._db.execute("SELECT ifnull(max(batch), 0) FROM batches").fetchone()
        with store.transaction(), RequestFiles(self._file, self._api.form, last) as requests:
            for row in store.rest(f"AND NOT {WAITS}"):
                answers = CaseAnswers(self._judge, store, row.number)
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
                    id = f"{last + 1}-{asks}-{ask.echo}"  # has nothing of the data
                    number = requests.add(id, self._judge.request(ask, steps))
                    taken = json.dumps({name: count for name, count in steps.items() if count})
                    values = id, number, row.number, key, taken
                    self._db.execute("INSERT INTO asks VALUES (?, ?, ?, ?, ?)", values)
                    asks += 1
            requests.finish()
            for new in range(last + 1, requests.number + 1):
                self._db.execute("INSERT INTO batches VALUES (?, NULL, FALSE)", (new,))


class RequestFiles(ExitStack):
    """Writes requests into files, each with what a batch may have at most.

    Args:
        path_of: where the requests of a batch are.
        form: of the requests.
        number: of the last batch; it grows.
    """

    def __init__(self, path_of: Callable[[int], Path], form: Form, number: int) -> None:
        super().__init__()
        self._path_of, self._form, self.number = path_of, form, number
        self._file: BinaryIO | None = None
        self._lines = 0

    def add(self, id: str, body: Mapping[str, Any]) -> int:
        """Adds the request with this id. Returns the number of its batch."""
        data = self._form.request(id, body)
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        line = text.encode("utf-8", "backslashreplace") + b"\n"  # as JSON escapes a lone surrogate
        if (
            self._file is None
            or self._lines >= self._form.max_lines
            or self._file.tell() + len(line) > self._form.max_bytes
        ):
            self.finish()
            self.number, self._lines = self.number + 1, 0
            path = self._path_of(self.number)
            private_folder(path.parent)
            self._file = self.enter_context(append_file(path))
        self._file.write(line)
        self._lines += 1
        return self.number

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
