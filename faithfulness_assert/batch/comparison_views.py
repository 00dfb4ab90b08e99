"""A comparison for people: as text for a terminal, and as Markdown for a pull request.

Ids, statements and names come from data sets and models. In Markdown each stands as code whose
signs are all written as numbers, so that it can be no markup, link, mention or picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from ..records.result_list import controls_in_words
from ..statistics import FALSE_ALARMS, SURE, p_value
from ..text.strings import clip, counted, visible
from .comparison import LEVEL, Change, Comparison, Outcome, Quoted, Recheck

MOST_CHARACTERS = 50_000
"""Of Markdown: GitHub takes comments of up to 65,536."""
MOST_FLIPS = 5
TEXT = 160
"""Characters of a statement that are shown."""
MAX_NAME = 30
KIND_WORDS = {"new": "new and failed", "status": "another status", "score": "another score"}
ROWS = {
    "cases": "cases",
    "passed": "passed",
    "failed": "failed",
    "not_graded": "could not be graded",
    "defined": "with a score",
}
"""Counts of a ``Summary``, and their words."""
BLAMED = {
    ("the judge", True): "the judge grades lower than it did then",
    ("the judge", False): "the judge grades higher than it did then",
    ("the system", True): "the answers of the second run are worse",
    ("the system", False): "the answers of the second run are better",
}


def as_text(comparison: Comparison) -> str:
    """The comparison in plain text. Texts in it are not yet escaped for a terminal."""
    comparison = copy(comparison)
    comparison.quoted = lambda text: clip(text, TEXT)
    names = [clip(name, MAX_NAME) for name in comparison.names]
    width = max(14, *map(len, names))
    lines = [verdict_of(comparison), ""]
    for name, a, b in [("", *names), *rows_of(comparison)]:
        lines.append(f"{name:24} {a:>{width}} {b:>{width}}")
    lines += ["", *_facts(comparison)]
    for change in comparison.shown:
        lines += _change_lines(change, comparison.quoted, "  ", "    ")
    return "\n".join([*lines, *_rest(comparison, len(comparison.shown))])


def as_markdown(comparison: Comparison) -> str:
    """The comparison as GitHub's Markdown, short enough for a comment."""
    comparison = copy(comparison)
    comparison.quoted = code
    lines = [f"### Faithfulness: {verdict_of(comparison)}", ""]
    lines += [f"| | {' | '.join(comparison.shown_names)} |", "|---|---|---|"]
    lines += [f"| {name} | {a} | {b} |" for name, a, b in rows_of(comparison)]
    lines += ["", *(f"- {fact}" for fact in _facts(comparison)), ""]
    size, shown = sum(map(len, lines)), 0
    for change in comparison.shown:
        entry = list(_change_lines(change, code, "- ", "  - "))
        size += sum(map(len, entry)) + len(entry)
        if size > MOST_CHARACTERS:
            break
        lines += entry
        shown += 1
    return "\n".join([*lines, "", *_rest(comparison, shown)]).rstrip() + "\n"


def code(text: str) -> str:
    """A text as inline code of Markdown that shows it as it is, whatever it contains."""
    shown = visible(clip(text, TEXT))
    signs = (c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in shown)
    return f"<code>{''.join(signs)}</code>"


def verdict_of(comparison: Comparison) -> str:
    """Whether the second run is worse than the first, or why nobody can tell; and whether one of
    their judges failed its controls.
    """
    runs, said = zip(comparison.shown_names, comparison.summaries, strict=True), "; in {} {}".format
    failed = (said(n, controls_in_words(r.controls, "its")) for n, r in runs if r.is_unreliable)
    return _verdict(comparison) + "".join(failed)


def _verdict(comparison: Comparison) -> str:
    before, after = comparison.shown_names
    if problems := comparison.problems():
        return f"{after} is not comparable with {before}: {problems[0]}"
    changed = _changed(comparison)
    if comparison.worse:
        most = f": {changed} (--max-regressed {comparison.max_regressed})"
        most = most if comparison.has_more_regressed else ""
        return f"{after} is worse than {before}{most}"
    counts = comparison.kinds
    if not (counts["regressed"] or comparison.pairs.change < 0 or comparison.ungraded):
        return f"{after} is not worse than {before}"
    if comparison.recheck is not None and comparison.recheck.judge.is_worse:
        return f"{after} is not shown to be worse than {before}: {BLAMED['the judge', True]}"
    if comparison.pairs.change > 0:
        return f"{after} is not worse than {before} on average: {changed}"
    return f"{after} against {before}: {changed}; a loss of this size may be chance"


def _changed(comparison: Comparison) -> str:
    counts = comparison.kinds
    new = f"{counts['new']:,} new and failed, " if counts["new"] else ""
    lost = f"{comparison.ungraded:,} lost, " if comparison.ungraded else ""
    return f"{counts['regressed']:,} regressed, {lost}{new}{counts['improved']:,} improved"


def rows_of(comparison: Comparison) -> list[tuple[str, ...]]:
    """What each run found, as ``batch`` says it."""
    runs = comparison.summaries
    counts = ((words, *(f"{getattr(run, name):,}" for run in runs)) for name, words in ROWS.items())
    means = ("-" if run.mean is None else f"{run.mean:.3f}" for run in runs)
    only = (f"{only:,}" for only in comparison.only)
    return [*counts, ("mean score", *means), ("cases only here", *only)]


def _facts(comparison: Comparison) -> Iterator[str]:
    kinds, tests, quoted = comparison.kinds, comparison.tests, comparison.quoted
    for name, summary in zip(comparison.shown_names, comparison.summaries, strict=True):
        yield from (f"{name}: {quoted(line)}" for line in summary.error_lines())
    yield from comparison.problems()[1:]
    yield (
        f"{_changed(comparison)}, {kinds['status']:,} with another status, "
        f"{kinds['score']:,} with another score"
    )
    if comparison.comparable:
        cases = counted(comparison.pairs.cases, "case")
        yield (
            f"of {cases} graded in both: {p_value(tests.passes)} for passes (McNemar), "
            f"{p_value(tests.scores)} for scores (sign flips); worse: one of them is at most "
            f"{FALSE_ALARMS / 2:g}"
        )
        if not comparison.worse and comparison.max_regressed is None:
            loss = comparison.pairs.sure_loss()
            fall = f"only a fall of the mean score by {loss:.2f} or more" if loss else "no loss"
            yield f"with {cases}, {fall} is found reliably (in {SURE:.0%} of comparisons)"
        if comparison.recheck:
            yield from _recheck_lines(comparison.recheck, unexplained=comparison.worse)
    yield from comparison.notes()


def _recheck_lines(recheck: Recheck, *, unexplained: bool) -> Iterator[str]:
    """What asking today's judge again has shown: what it changed, and what the system changed.

    ``unexplained``: the second run is worse, even where neither cause was found.
    """
    parts = {"the judge": recheck.judge, "the system": recheck.system}
    count = counted(recheck.judge.cases, "case")
    cases = f"{count} of the first run, asked again of today's judge"
    lost = f" ({recheck.not_graded:,} more could not be graded)" if recheck.not_graded else ""
    causes = [(name, shift.is_worse) for name, shift in parts.items() if shift.is_found]
    nothing = "no change was found, neither of the judge nor of the system"
    blame = " and ".join(BLAMED[cause] for cause in causes) or nothing
    yield f"{cases}{lost}: {blame}"
    for name, shift in parts.items():
        before, after = shift.means
        yield (
            f"{name}: mean score {before:.3f} -> {after:.3f}, {p_value(shift.chance)} for no "
            f"change (a cause is named at {LEVEL:g} or less)"
        )
    if unexplained and not causes:
        yield "Whether the judge or the system did it, so few cases cannot tell"


def _change_lines(change: Change, quoted: Quoted, first: str, other: str) -> Iterator[str]:
    what = KIND_WORDS.get(change.kind, change.kind)
    outcomes = (_outcome(each) for each in (change.before, change.after) if each.status)
    yield f"{first}{what}: {quoted(change.case_id)}: {' -> '.join(outcomes)}"
    for flip in change.flips[:MOST_FLIPS]:
        old, new = (
            (label or "unresolved").replace("_", " ") for label in (flip.before, flip.after)
        )
        why = f" ({quoted(flip.why)})" if flip.why else ""
        yield f"{other}{'new' if flip.is_new else old} -> {new}: {quoted(flip.statement)}{why}"
    if len(change.flips) > MOST_FLIPS:
        yield f"{other}and {len(change.flips) - MOST_FLIPS} more statements"


def _outcome(outcome: Outcome) -> str:
    ends = "passes" if outcome.passed else "fails"
    words = ends if outcome.status == "graded" else outcome.status
    return words if outcome.score is None else f"{words} with {outcome.score:.3g}"


def _rest(comparison: Comparison, shown: int) -> list[str]:
    left = sum(comparison.kinds.values()) - shown
    return [f"and {left:,} more changed cases"] if left else []
