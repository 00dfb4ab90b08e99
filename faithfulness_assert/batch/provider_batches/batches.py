"""A run as batches: what all cases ask is sent together, and what they ask next in further ones.

A plan cannot be stored. The plan of a case that has no result, and waits for no batch, is replayed
from what came back for it. That gives its result, or asks for a further batch.

Each batch is sent once, also if a process was killed while it sent one. That it is about to be sent
is noted before. If the note has no batch, the batch may be at the provider all the same: it is
looked for, and is adopted only if it shows that it is ours. Neither the clocks of both sides nor a
listing that lags behind leads to a second batch. What was not sent is asked anew.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import chain
from tempfile import TemporaryFile
from typing import IO, NamedTuple, cast

from ...grading import Grader
from ...judges.remote.needs import Steps
from ...judges.remote.remote_judge import RemoteJudge
from ...records.errors import ConfigError, JudgeError
from ...records.judge import Ask
from ..rows import line_of
from ..store import NAME, Store
from .apis import (
    MISSING,
    NOT_FOUND,
    NOT_RUN,
    REFUSED,
    SEVERAL,
    BatchAPI,
    Look,
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
KEEP = """UPDATE asks SET said = CASE WHEN ifnull(said, :said) = :said THEN :said ELSE :several END
WHERE id = :id"""
"""Of answers that differ none is kept."""


class Standing(NamedTuple):
    """Where a run stands.

    Args:
        finished: all cases have results.
        notes: what happened, in lines for the user.
    """

    finished: bool
    notes: tuple[str, ...]


class Asked(NamedTuple):
    """An ask of a row, under its key among those of the row; ``steps``: fallbacks that it takes."""

    row: int
    key: str
    ask: Ask
    steps: Steps


class Batches:
    """The batches of a run, by their numbers, from 1, as the table ``batches`` has them.

    Its ``at`` is the provider's id: NULL before a batch is sent, "" when it may have been.

    Args:
        store: the run, open to be written.
        grader: judge and policy.
        api: takes the requests.
    """

    def __init__(self, store: Store, grader: Grader, api: BatchAPI) -> None:
        self._store, self._db, self._grader, self._api = store, store.db, grader, api
        # Names of batches must be unlike those of other runs, and tell nothing of the secret.
        self._run_id = blake2b(store.secret(), digest_size=16).hexdigest()
        self._judge = cast("RemoteJudge", grader.judge)
        self._secrets = self._judge.secrets
        self._notes: list[str] = []

    def advance(self) -> Standing:
        """Goes on as far as possible: fetches what is done, sends what comes next."""
        while True:
            self._find_sent()
            self._ask_on()
            if not (waiting := self._waiting()):
                return Standing(True, tuple(self._notes))
            looks = [self._look(number, id) for number, id in waiting.items() if id]
            if is_left_out := any(look.left_out for look in looks):
                self._notes.append("Nothing more was sent. Go on with the run to send the rest.")
            if is_left_out or not any(look.ended for look in looks):
                return Standing(False, tuple(self._notes))

    def _waiting(self) -> dict[int, str | None]:
        """The batches that wait for answers, with their ids."""
        query = "SELECT batch, at FROM batches WHERE NOT answered ORDER BY batch"
        return dict(self._db.execute(query).fetchall())

    def _lines(self, number: int) -> int:
        query = "SELECT count(*) FROM asks WHERE batch = ?"
        return int(self._db.execute(query, (number,)).fetchone()[0])

    def _name(self, number: int) -> str:
        return f"{self._run_id}/{number}"

    def _note(self, number: int, text: str) -> None:
        self._notes.append(self._secrets.out_of(f"batch {number}: {text}"))

    def _set(self, number: int, id: str | None) -> None:
        self._db.execute("UPDATE batches SET at = ? WHERE batch = ?", (id, number))

    def _ended(self, number: int) -> None:
        self._db.execute("UPDATE batches SET answered = TRUE WHERE batch = ?", (number,))

    # ------------------------------------------------------------ at the provider

    def _find_sent(self) -> None:
        """Takes up batches that may have been sent, looked for until they would be listed. What was
        not sent is asked anew.
        """
        for number, id in self._waiting().items():
            if id:
                continue
            others = [id for (id,) in self._db.execute("SELECT at FROM batches") if id]
            given = self._name(number), self._lines(number), others, partial(self._has, number)
            found: tuple[str, Sequence[str]] = "", ()
            for pause in LOOK_AGAIN if id is not None else ():
                time.sleep(pause)
                with service_errors(self._secrets):
                    found = self._api.find(*given)
                if any(found):
                    break
            sent_as, undecided = found
            if sent_as:
                self._set(number, sent_as)
            elif undecided:
                self._note(
                    number,
                    "it may have been sent when the run was stopped: one of "
                    f"{', '.join(undecided[:5])} may be its batch. That shows when they have "
                    "ended; until then it is not sent again",
                )
            else:
                self._ended(number)

    def _send(self, number: int, file: IO[bytes]) -> None:
        with service_errors(self._secrets):
            prepared = self._api.prepared(file, self._name(number))
        self._set(number, "")
        try:
            with service_errors(self._secrets):
                id = self._api.create(prepared)
        except JudgeError as error:
            if error.http_status in REFUSED:
                self._set(number, None)
            raise
        self._set(number, id)

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
                update = f"UPDATE batches SET answered = TRUE WHERE batch = {number}"  # noqa: S608 - it is shown
                command = shlex.join(["sqlite3", str(self._store.path / NAME), update])
                error.fix = (
                    "Check base_url and the key. If the provider has deleted the batch, its asks "
                    f"are sent again after: {command}"
                )
            raise
        return look

    def _fetch(self, number: int, look: Look) -> None:
        """Keeps the answers to a batch in its output. What has no answer gets the word why."""
        unknown = 0
        with TemporaryFile(dir=self._store.path) as output:
            with service_errors(self._secrets):
                output.writelines(self._api.fetch(look))
            output.seek(0)
            with self._store.transaction():
                for line in iter(partial(output.readline, MAX_LINE), b""):
                    id, answer = read_line(line, self._secrets)
                    if self._has(number, id):
                        given = {"said": answer, "several": SEVERAL}
                        texts = {name: json.dumps(value) for name, value in given.items()}
                        self._db.execute(KEEP, {"id": id, **texts})
                    else:
                        unknown += bool(line.strip())
                missing = self._db.execute(
                    "UPDATE asks SET said = ? WHERE batch = ? AND said IS NULL",
                    (json.dumps(NOT_RUN if look.left_out else MISSING), number),
                ).rowcount
                self._ended(number)
        if unknown:
            self._note(number, f"{unknown:,} lines that answer no ask that waits")
        if missing:
            self._note(number, f"{missing:,} asks without an answer")

    def _has(self, number: int, id: str) -> bool:
        """Whether a batch has an ask with this id."""
        query = "SELECT 1 FROM asks WHERE id = ? AND batch = ?"
        return id.isascii() and self._db.execute(query, (id, number)).fetchone() is not None

    # ------------------------------------------------------------ here

    def _ask_on(self) -> None:
        """Replays the cases that wait for no batch: keeps results, sends what they ask."""
        asks, left = self._asks(), list[Asked]()
        while True:
            with TemporaryFile(dir=self._store.path) as file:
                with self._store.transaction():
                    number, left = self._gather(chain(left, asks), file)
                if not file.tell():
                    return
                self._send(number, file)

    def _gather(self, asks: Iterator[Asked], file: IO[bytes]) -> tuple[int, list[Asked]]:
        """Writes requests into the file of a batch. Returns its number, and the ask that has no
        room in it.
        """
        form = self._api.form
        number = self._db.execute("SELECT ifnull(max(batch), 0) + 1 FROM batches").fetchone()[0]
        for count, asked in enumerate(asks):
            id = f"{number}-{count}-{asked.ask.echo}"  # has nothing of the data
            line = form.line(id, self._judge.request(asked.ask, asked.steps))
            if count and (count == form.max_lines or file.tell() + len(line) > form.max_bytes):
                return number, [asked]
            if not count:
                self._db.execute("INSERT INTO batches VALUES (?, NULL, FALSE)", (number,))
            taken = json.dumps({name: step for name, step in asked.steps.items() if step})
            values = id, number, asked.row, asked.key, taken
            self._db.execute("INSERT INTO asks VALUES (?, ?, ?, ?, ?, NULL)", values)
            file.write(line)
        return number, []

    def _asks(self) -> Iterator[Asked]:
        """What the cases ask. Cases that ask no more get their results."""
        store, steps = self._store, self._judge.needs.first
        for (taken,) in self._db.execute("SELECT DISTINCT steps FROM asks").fetchall():
            steps = steps | Steps(json.loads(taken))
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
            steps = steps | answers.steps
            for key, ask in answers.open:
                if not self._judge.worded(ask).echo:
                    raise ConfigError(
                        "form: over a batch API a reply must name its ask, which a bare Yes or No "
                        "does not; run it without the batch API"
                    )
                yield Asked(row.number, key, ask, steps)
