"""Contexts that are too long for one ask: what a statement is shown, and what windows say together.

Where to show everything takes many asks, a statement is shown the parts that share most words with
it. The likeliest parts are shown first. Only statements that stay unsupported are shown more of
them, down to ``PARTS`` parts. Statements whose parts lie together share an ask.

What is not shown cannot contradict: a contradiction in an unlikely part is missed. So everything is
shown where it takes few asks, and under policies that give credit to what nothing supports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from ..asking.windows import chunk, cut_to_fit, line_tokens, overlapping, packed
from ..reading.reconcile import MISSING, Finding
from ..records.model import FINE_LABELS, Label
from .state import (
    Draft,
    Job,
    Likely,
    State,
    context_lines,
    distinct_statements,
    fit,
    number_jobs,
    numbered_texts,
)

PARTS = 10
"""As much of the context as so many parts is shown with an unsupported statement. Lines that two
parts have in common count once. It is less only if no more parts share a word with it."""
FIRST_PARTS = 4
"""As much is shown with every statement."""
PART_TOKENS = 200
"""Tokens of a part: some sentences, so that each is understood."""
PIECES = 5
"""A text without sentence ends is cut into lines of which a part has at least so many. A sentence
is cut if it takes more than half of a part."""
FEW_ASKS = 100
"""Everything is shown if that takes no more asks than these."""
CONTROLS_TOKENS = 100
"""Tokens that two controls take at most."""


def begin(state: State) -> State:
    """The first windows, where to show everything takes many asks, and more than likely parts."""
    policy, budget, room = state.policy, state.budget, state.budget.room
    # A statement that nothing supports may help the case: then it must be shown everything.
    helps = policy.inverse or policy.weights.get("not_enough_info", 0.0) > 0
    if state.end or len(state.windows) < 2 or room is None or helps:
        return state
    statements, most = distinct_statements(state), budget.limits.statements
    groups = len(chunk(numbered_texts(statements), budget))
    if policy.verify == "per_claim":
        groups, most = len(statements), 1
    everything = len(state.windows) * groups
    part_tokens = _part_tokens(state)
    tokens = sum(budget.statement_tokens(s.text) for s in statements)
    tokens += len(statements) * PARTS * part_tokens
    likeliest = max(tokens / room, len(statements) / most if most else 0)
    if everything <= FEW_ASKS or everything <= likeliest:
        return state
    from ..asking.ranking import Ranking  # few contexts are so long

    context = cut_to_fit(state.context, part_tokens // 2, part_tokens // PIECES)
    sizes = [line_tokens(sentence.text) for sentence in context]
    parts = overlapping(sizes, part_tokens)
    ranking = Ranking((sentence.text for sentence in context), parts)
    ranked: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    before = ""
    for statement in statements:
        best = ranking.best(statement.text, before, 2 * PARTS) or (0,)
        best = best[: _until(best, parts, sizes, PARTS * part_tokens)]
        first = _until(best, parts, sizes, FIRST_PARTS * part_tokens)
        ranked[statement.id] = best[:first], best[first:]
        before = statement.text
    likely = Likely(parts, tuple(sizes), ranked, everything)
    wanted = {number: first for number, (first, _) in ranked.items()}
    return _with_windows(state._replace(context=context, windows=()), likely, wanted)


def refit(state: State) -> State:
    """The state cut anew, to other limits."""
    return begin(fit(state._replace(likely=None)))


def go_on(state: State) -> State:
    """More windows, for what is not yet supported. What was asked before is not asked again."""
    likely, state = state.likely, state._replace(closed=state.closed.union(state.findings))
    if likely is None:
        return state
    rest = {
        number: rest
        for number, (_, rest) in likely.ranked.items()
        if finding_of(state, number).label not in FINE_LABELS
    }
    return _with_windows(state, likely, rest)


def _part_tokens(state: State) -> int:
    return min(PART_TOKENS, (state.budget.context_room or 0) // 4)


def _until(best: Sequence[int], parts: Sequence[range], sizes: Sequence[int], tokens: int) -> int:
    """How many of the best parts have so many tokens together, as many as fit, at least one."""
    lines: set[int] = set()
    used = 0
    for place, part in enumerate(best):
        used += sum(sizes[line - 1] for line in parts[part] if line not in lines)
        if used > tokens and place:
            return place
        lines.update(parts[part])
    return len(best)


def _with_windows(state: State, likely: Likely, parts: Mapping[int, Sequence[int]]) -> State:
    """The state with windows that show each of these statements these parts.

    Statements follow each other in the order of their likeliest parts, so that those whose parts
    lie together come together.
    """
    policy, budget, room = state.policy, state.budget, state.budget.room
    if policy.verify == "per_claim":
        budget = budget._replace(limits=replace(budget.limits, statements=1))
    if room is not None and policy.controls in ("report", "enforce"):
        budget = budget._replace(room=room - CONTROLS_TOKENS - 2 * budget.reply_tokens)
    fitting = (state.budget.context_room or 0) // _part_tokens(state)  # parts that fit one ask
    batches = [
        (number, ranked[start : start + fitting])
        for number, ranked in parts.items()
        for start in range(0, len(ranked), fitting)
    ]
    batches.sort(key=lambda batch: (batch[1][0], batch[0]))
    wanted = ((n, set(chain.from_iterable(likely.parts[p] for p in ps))) for n, ps in batches)
    texts = {s.id: s.text for s in state.statements}
    windows = tuple(packed(wanted, texts, lambda line: likely.sizes[line - 1], budget))
    readers = (*likely.readers, *(frozenset(numbers) for numbers, _ in windows))
    lines = (*state.windows, *(lines for _, lines in windows))
    return state._replace(windows=lines, likely=likely._replace(readers=readers))


# ---------------------------------------------------------------- what was shown


def shown_shares(state: State, likely: Likely) -> dict[int, float]:
    """For each statement the share of the context, by characters, that its verdict rests on.

    What a failed ask showed does not count.
    """
    sizes = [len(sentence.text) for sentence in state.context]
    seen: dict[int, set[int]] = {number: set() for number in likely.ranked}
    for (window, number), finding in state.findings.items():
        if finding.label and window is not None:
            seen[number].update(state.windows[window])
    return {number: sum(sizes[n - 1] for n in lines) / sum(sizes) for number, lines in seen.items()}


# ---------------------------------------------------------------- what windows say together

# The finding of one window beats those of others in this order. A window that is silent about a
# statement takes nothing away from one that is not.
STRENGTH: tuple[Label, ...] = (
    "supported",
    "partially_supported",
    "contradicted",
    "not_enough_info",
    "not_a_claim",
)


def by_window(state: State, number: int) -> list[Finding]:
    """The findings of all windows for one statement."""
    cells = ((window, number) for window in range(len(state.windows)))
    return [state.findings[cell] for cell in cells if cell in state.findings]


def finding_of(state: State, number: int) -> Finding:
    """The finding for a statement: that of the widened ask, else that of all windows together."""
    return state.findings.get((None, number)) or merge(by_window(state, number))


def sides(findings: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings that contradict a statement, and those that neither do so nor leave it open."""
    against = [f for f in findings if f.label == "contradicted"]
    others = [f for f in findings if f.label not in ("contradicted", "not_enough_info", None)]
    return against, others


def merge(findings: Sequence[Finding]) -> Finding:
    """One finding from those of all windows: the strongest.

    A missing one counts only where no window supports the statement.
    """
    if len(findings) < 2:
        return findings[0] if findings else MISSING
    if split := next((f for f in findings if f.unresolved == "split"), None):
        return split
    contradicts_itself = any(f.unresolved in ("duplicate", "invalid") for f in findings)
    if contradicts_itself or all(sides(findings)):
        return Finding(unresolved="duplicate")
    unresolved = next((finding for finding in findings if finding.label is None), None)
    best = next((f for label in STRENGTH for f in findings if f.label == label), MISSING)
    if best.label != "supported" and unresolved is not None:
        return unresolved
    if best.label == "not_enough_info":  # what is nearest in each window is no evidence together
        return best
    evidence = (number for f in findings if f.label == best.label for number in f.evidence)
    return best._replace(evidence=tuple(dict.fromkeys(evidence)))


def widen_jobs(state: State) -> tuple[Job, ...]:
    """Asks about the statements on which windows disagree, with the evidence of both."""
    if len(state.windows) < 2:
        return ()
    texts, room = dict(numbered_texts(distinct_statements(state))), state.budget.context_room
    both = ((number, sides(by_window(state, number))) for number in texts)
    # The sentences that windows name which disagree, if each side names some.
    named = ((n, [{e for f in side for e in f.evidence} for side in two]) for n, two in both)
    wanted = ((number, set().union(*each)) for number, each in named if all(each))

    def size(line: int) -> int:
        return line_tokens(state.context[line - 1].text)

    drafts = []
    for numbers, lines in packed(wanted, texts, size, state.budget._replace(room=room)):
        if room is None or sum(map(size, lines)) <= room:  # else the statement stays unresolved
            group = tuple((number, texts[number]) for number in sorted(numbers))
            drafts.append(Draft("verdicts", group, context_lines(state, lines), None))
    return number_jobs(state, drafts)
