"""What a run over a batch API keeps of each ask, and what came back for it, in its database.

The requests of the round that waits for answers are in files beside it, because somebody may have
to carry them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..store import Store
from .service import Said

MOST_ANSWERS = 8
"""To one ask, that differ. If there are more, none of them is believed."""


class Try(NamedTuple):
    """An ask that was sent, and what came back.

    Args:
        key: which ask of the plan it is.
        steps: the fallbacks with which it was sent; those without steps are left out.
        answers: status and body, or the word of a problem; all that differ, if several came.
    """

    key: str
    steps: Mapping[str, int]
    answers: list[list[Any] | str]


class Round(NamedTuple):
    """A round that was written.

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


class Asks:
    """The asks of the run in an open store."""

    def __init__(self, store: Store) -> None:
        self._db = store.db

    # ------------------------------------------------------------ rounds

    def last_round(self) -> Round | None:
        """The round that was written last."""
        found = self._db.execute("SELECT * FROM rounds ORDER BY number DESC").fetchone()
        if found is None:
            return None
        number, steps, files, answered = found
        return Round(number, json.loads(steps), json.loads(files), bool(answered))

    def save(self, current: Round) -> None:
        """Keeps a round, and how its files stand."""
        number, steps, files, answered = current
        values = number, json.dumps(steps), json.dumps(files), answered
        self._db.execute("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?)", values)

    def forget(self, which: str) -> None:
        """Forgets the asks that fulfil a condition, as if they had never been sent."""
        asks = f"FROM asks WHERE {which}"
        self._db.execute(f"DELETE FROM answers WHERE id IN (SELECT id {asks})")  # noqa: S608 - our own text
        self._db.execute(f"DELETE {asks}")

    def forget_round(self, number: int) -> None:
        """Forgets a round, whose asks are then sent again. To be called in a transaction."""
        self.forget(f"round = {number:d}")
        self._db.execute("DELETE FROM rounds WHERE number = ?", (number,))

    def add_ask(
        self, id: str, number: int, file: str, row: int, key: str, steps: Mapping[str, int]
    ) -> None:
        """Notes whose ask is in a file of a round."""
        taken = {name: count for name, count in steps.items() if count}
        values = id, number, file, row, key, json.dumps(taken)
        self._db.execute("INSERT INTO asks VALUES (?, ?, ?, ?, ?, ?)", values)

    def has_ask(self, number: int, file: str, id: str) -> bool:
        """Whether a file of a round has an ask with this id."""
        found = self._db.execute("SELECT round, file FROM asks WHERE id = ?", (id,)).fetchone()
        return bool(found == (number, file))

    def tries(self, row: int) -> list[Try]:
        """What was sent for a row, and what came back, in the order of sending."""
        tries: dict[str, Try] = {}
        found = self._db.execute(
            "SELECT id, key, steps, said FROM asks JOIN answers USING (id) WHERE row = ? "
            "GROUP BY id, said ORDER BY asks.rowid, min(answers.rowid)",
            (row,),
        )
        for id, key, steps, said in found:
            answers = tries.setdefault(id, Try(key, json.loads(steps), [])).answers
            if len(answers) <= MOST_ANSWERS:
                answers.append(json.loads(said))
        return list(tries.values())

    # ------------------------------------------------------------ answers

    def add_answer(self, number: int, said: Said) -> bool:
        """Keeps what came back for an ask. Returns whether the round has such an ask."""
        if not said.custom_id.isascii():
            return False
        insert = "INSERT INTO answers SELECT id, ? FROM asks WHERE id = ? AND round = ?"
        values = json.dumps(said.answer), said.custom_id, number
        return self._db.execute(insert, values).rowcount > 0

    def reject(self, number: int, file: str, line: int, error: Mapping[str, str]) -> None:
        """Keeps that the provider refused a line of a file, as the answer to its ask."""
        asks = "SELECT id FROM asks WHERE round = ? AND file = ? ORDER BY rowid LIMIT 1 OFFSET ?"
        for (id,) in self._db.execute(asks, (number, file, line - 1)).fetchall():
            self.add_answer(number, Said(id, [400, {"error": error}]))

    def add_missing(self, number: int, file: str, word: str) -> int:
        """Notes for the asks of a file that have no answer why that is so. Returns how many."""
        noted = self._db.execute(
            "INSERT INTO answers SELECT id, ? FROM asks WHERE round = ? AND file = ? "
            "AND id NOT IN (SELECT id FROM answers)",
            (json.dumps(word), number, file),
        )
        return noted.rowcount
