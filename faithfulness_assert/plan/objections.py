"""What a reply says about statements that its ask is not about.

It earns nothing. But if it speaks against what an earlier reply said, it takes that back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..reading.reconcile import INVALID, MISSING, Finding
from ..text.shared_words import words_that_count
from ..text.strings import text_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..policy.policy import Policy
    from ..reading import RawVerdict
    from ..records.model import Label
    from .state import Cell, Job, State

Rank = tuple[bool, float]
"""How much a label helps a case: whether it fails it, then its weight."""


def with_objections(state: State, job: Job, entries: Sequence[RawVerdict]) -> State:
    """The state without the findings that these entries speak against.

    Such a finding becomes unresolved. A contradiction speaks against the findings of all windows;
    any other label only against those of the same window.
    """
    said = list(_on_others(state, job, entries))
    if not said:
        return state
    lowest = _lowest(state.policy, said)
    contradicted = _lowest(state.policy, [one for one in said if one[1] == "contradicted"])

    def after(cell: Cell, finding: Finding) -> Finding:
        same_window = job.window in (None, cell[0])
        objection = (lowest if same_window else contradicted).get(cell[1])
        rank = _rank(state.policy, finding.label)
        denied = objection is not None and rank is not None and objection < rank
        return Finding(unresolved="duplicate") if denied else finding

    known = state.verdicts
    windows = {cell: after(cell, finding) for cell, finding in known.by_window.items()}
    widened = {n: after((job.window or 0, n), finding) for n, finding in known.widened.items()}
    return state._replace(verdicts=known._replace(by_window=windows, widened=widened))


def without_others(state: State, job: Job, entries: Sequence[RawVerdict]) -> Sequence[RawVerdict]:
    """The entries; without a label that grants what is of a statement that is not in this ask.

    A judge may answer a question that it was asked before. The text need not be the same: it is of
    the statement with which it shares the most words.
    """
    if not any(entry.statement for entry in entries):
        return entries
    asked = [words_that_count(text) for _, text in job.ask.payload.items]
    own = {text_key(text) for _, text in job.ask.payload.items}
    texts = [s.text for s in state.verdicts.statements if text_key(s.text) not in own]
    others = [words_that_count(text) for text in texts]

    lowest = min(filter(None, (_rank(state.policy, label) for label in state.policy.judged)))

    def is_of_another(entry: RawVerdict) -> bool:
        harmless = _rank(state.policy, entry.label) == lowest
        if harmless or not entry.statement or text_key(entry.statement) in own:
            return False
        words = words_that_count(entry.statement)
        shared = max(len(words & known) for known in asked)
        return any(len(words & known) > shared for known in others)

    return [e._replace(label=None) if is_of_another(e) else e for e in entries]


def _on_others(
    state: State, job: Job, entries: Sequence[RawVerdict]
) -> Iterator[tuple[int, Label | None]]:
    """The statements that the entries name, but that were not asked about, with the labels.

    A statement is named by its number, or by its text, whatever the number.
    """
    asked = set(job.ask.ids)
    yield from ((e.id, e.label) for e in entries if e.id is not None and e.id not in asked)
    echoed = [(text_key(entry.statement), entry.label) for entry in entries if entry.statement]
    texts = {text_key(text) for _, text in job.ask.payload.items} if echoed else set()
    if foreign := [(key, label) for key, label in echoed if key not in texts]:
        numbers: dict[str, list[int]] = {}
        for statement in state.verdicts.statements:
            numbers.setdefault(text_key(statement.text), []).append(statement.id)
        yield from ((n, label) for key, label in foreign for n in numbers.get(key, ()))


def _lowest(policy: Policy, said: Sequence[tuple[int, Label | None]]) -> dict[int, Rank]:
    """The lowest rank that each statement got."""
    lowest: dict[int, Rank] = {}
    for number, label in said:
        if (rank := _rank(policy, label)) is not None:
            lowest[number] = min(rank, lowest.get(number, rank))
    return lowest


def _rank(policy: Policy, label: Label | None) -> Rank | None:
    """The rank of a label; None if it has no weight. Under ``inverse``, a low weight helps."""
    if label is None or label not in policy.weights:
        return None
    weight = policy.weights[label]
    return (True, -weight) if policy.inverse else (label not in policy.fail_on, weight)


def unless_objected(
    entries: Sequence[RawVerdict], findings: dict[int, Finding]
) -> dict[int, Finding]:
    """The findings of a window. A "contradicted" of nobody objects to all that it leaves open.

    Another window could otherwise support the statement that it is about.
    """
    said = sum(entry.label == "contradicted" for entry in entries)
    placed = sum(f.label == "contradicted" or f.disputed for f in findings.values())
    if said <= placed:
        return findings
    return {n: INVALID if f == MISSING else f for n, f in findings.items()}
