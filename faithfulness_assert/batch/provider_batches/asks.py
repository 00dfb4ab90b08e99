"""What a run over a batch API keeps of each ask, and what came back for it; and what that gives.

It is in the database of the run. The requests of the round that waits for answers are in files
beside it, because somebody may have to carry them.

An ask has an outcome as soon as a reply names it (see ``asking.schema``), or fails for good.
Otherwise it is asked again in the next round, at most ``TRIES`` times in all. A reply that does not
name its ask is never read, under whichever id it came. A failure cannot name its ask, but it cannot
raise a score either.

Of several replies under one id that differ none is picked, and the ask is sent again. What came for
one ask is paid for.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard

from ...judges.http import Answer
from ...judges.remote.needs import Steps, merge_steps
from ...judges.remote.remote_judge import RemoteJudge
from ...judges.stored_replies import ask_key
from ...records.errors import JudgeError
from ...records.judge import Ask, Outcome, Reply
from ...records.usage import Usage
from ..store import Store
from .service import EXPIRED, MISSING, NOT_RUN, Said

TRIES = 3
"""How often an ask is sent in all, if it gets no answer that can be used."""
NEVER_READ = ("content_filter", "error", "length")
"""How a reply ends that is never read for verdicts."""
_PROBLEMS = {
    EXPIRED: "the batch expired before this ask had an answer",
    MISSING: "the batch ended without an answer to this ask",
}
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


# ---------------------------------------------------------------- the outcomes of a case


class CaseAnswers:
    """What is known about the asks of one case. To be called with each ask of its plan, in order.

    After a replay, ``open`` has the asks without an outcome, with their keys, and ``steps`` the
    fallbacks that the server wants.

    Args:
        judge: reads answers.
        tries: what was sent for the case, in the order of the rounds.
    """

    def __init__(self, judge: RemoteJudge, tries: Iterable[Try]) -> None:
        self._judge = judge
        self._tries: dict[str, list[Try]] = defaultdict(list)
        for sent in tries:
            self._tries[sent.key].append(sent)
        self._seen: Counter[str] = Counter()
        self.open: list[tuple[str, Ask]] = []
        self.steps = judge.needs.first

    def __call__(self, ask: Ask) -> Outcome | None:
        """The outcome of an ask; None if it has none yet. The same ask may occur more than once."""
        content = ask_key(ask, {})[:24]
        self._seen[content] += 1
        key = f"{content}.{self._seen[content]}"
        outcome = self._outcome(ask, self._tries[key])
        if outcome is None:
            self.open.append((key, ask))
        return outcome

    def _outcome(self, ask: Ask, tries: Sequence[Try]) -> Outcome | None:
        spent, counted = Usage(), 0
        for sent in tries:
            steps = {**self._judge.needs.first, **sent.steps}
            all_heard = [self._heard(ask, said, steps) for said in sent.answers]
            spent = sum((heard.spent for heard in all_heard), spent)
            heard = _together(all_heard)
            counted += heard.outcome is not None
            if heard.outcome is not None and (heard.final or counted >= TRIES):
                return self._last(heard.outcome, spent, steps)
        return None

    def _heard(self, ask: Ask, said: list[Any] | str, steps: Steps) -> Heard:
        """What one answer says."""
        if isinstance(said, str):
            return Heard(_no_answer(said))
        status, body = said
        answer = Answer(status, {}, json.dumps(body).encode())
        outcome = self._judge.read(answer)
        if _is_unnamed(outcome, ask):
            return Heard(_unnamed(outcome))
        outcome, wanted = self._judge.checked(ask, outcome, steps)
        self.steps = merge_steps(self.steps, wanted or steps)
        if wanted not in (None, steps):
            return Heard(None, cut_off=outcome if isinstance(outcome, Reply) else None)
        if _is_unnamed(outcome, ask):
            return Heard(_unnamed(outcome))
        return Heard(outcome, final=isinstance(outcome, Reply) or not outcome.retryable)

    def _last(self, outcome: Outcome, spent: Usage, steps: Steps) -> Outcome:
        """The outcome after which the ask is not sent again, with the cost of all answers."""
        if isinstance(outcome, Reply):
            usage = outcome.usage and spent
            reply = replace(outcome, usage=usage, requests=spent.num_requests)
            return self._judge.warned(reply, steps)
        outcome.usage = spent if spent.num_requests else None
        return outcome


class Heard(NamedTuple):
    """What an answer says about its ask: nothing that counts as a try, or an outcome.

    ``final``: the ask is not sent again. ``cut_off``: a reply of a judge that needs more room to
    think.
    """

    outcome: Outcome | None
    final: bool = False
    cut_off: Reply | None = None

    @property
    def spent(self) -> Usage:
        """What the answer cost. One that only names a parameter costs nothing."""
        paid = self.outcome or self.cut_off
        return (paid.usage or Usage(num_requests=1)) if paid else Usage()


def _is_unnamed(outcome: Outcome, ask: Ask) -> TypeGuard[Reply]:
    """Whether a whole reply does not name its ask."""
    if not isinstance(outcome, Reply) or outcome.finish_reason == "length":
        return False
    return ask.echo not in outcome.text


def _together(heard: Sequence[Heard]) -> Heard:
    """What all that came for one ask says. A failure says nothing against a reply."""
    replies = [said.outcome for said in heard if said.final and isinstance(said.outcome, Reply)]
    if not replies:
        return max(heard, key=lambda said: (said.final, said.outcome is not None))
    told = {(reply.text, reply.finish_reason, reply.refusal) for reply in replies}
    if len(told) == 1 and len(heard) <= MOST_ANSWERS:
        return Heard(replies[0], final=True)
    problem = "several answers came for one ask that do not say the same"
    return Heard(JudgeError(problem, "unreadable", retryable=True))


def _no_answer(word: str) -> JudgeError | None:
    """The error of an ask without an answer; None if nobody tried to answer it."""
    if word == NOT_RUN:
        return None
    message = _PROBLEMS.get(word, _PROBLEMS[MISSING])
    fix = "Give the command that began the run again: it asks once more."
    return JudgeError(message, "timeout", retryable=True, usage=Usage(), fix=fix)


def _unnamed(reply: Reply) -> Outcome:
    """What a reply is worth that does not name its ask.

    A refusal, and a reply that was cut off, often cannot name it. If nothing better comes, such a
    reply is passed on without its text, so that nobody reads it.
    """
    if reply.refusal or reply.finish_reason in NEVER_READ:
        return replace(reply, text="")
    return JudgeError(
        "the reply does not repeat the key of its ask, so it may belong to another one",
        "unreadable",
        retryable=True,
        usage=reply.usage,
    )
