"""The results of many cases together: as a list, as columns of a table, as a frame; and what their
controls say of the judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from operator import attrgetter
from typing import Any

from ..statistics import at_least
from ..text.strings import counted
from .checks import is_whole
from .errors import ConfigError, pip_install
from .judge import CONTROL_TAKES
from .result import GradingResult

LIBRARIES = ("pandas", "polars")
LABELS = ("supported", "partially_supported", "not_enough_info", "contradicted", "unresolved")


def _count_of(label: str) -> Callable[[GradingResult], int]:
    return lambda result: result.counts.get(label, 0)


_VALUES: Mapping[str, tuple[type, Callable[[GradingResult], Any]]] = {
    "status": (str, attrgetter("status")),
    "pass": (bool, attrgetter("pass_")),
    "score": (float, attrgetter("score")),
    "defined": (bool, attrgetter("defined")),
    "threshold": (float, attrgetter("threshold")),
    "reason": (str, attrgetter("short_reason")),
    "error": (str, lambda result: result.error and f"{result.error.kind}: {result.error.message}"),
    "warnings": (str, lambda result: "\n".join(result.warnings)),
    "coverage": (float, attrgetter("coverage")),
    **{label: (int, _count_of(label)) for label in LABELS},
    "prompt_tokens": (int, attrgetter("tokens_used.prompt")),
    "completion_tokens": (int, attrgetter("tokens_used.completion")),
    "requests": (int, attrgetter("tokens_used.num_requests")),
    "cost": (float, attrgetter("cost")),
    "latency_ms": (float, attrgetter("latency_ms")),
    "judge": (str, attrgetter("judge")),
    "policy": (str, attrgetter("policy")),
}
COLUMNS: Mapping[str, type] = {name: kind for name, (kind, _) in _VALUES.items()}
"""The columns, with their types. ``error`` is the kind and the message; each warning is a line."""


def values_of(result: GradingResult) -> dict[str, Any]:
    """The value of each column for a result; None where it has none."""
    return {name: value_of(result) for name, (_, value_of) in _VALUES.items()}


def badness(result: GradingResult) -> float:
    """How bad a result is, from 0: every list of the worst ones has this order.

    Failed ones come before those that were not graded, and these before passed ones.
    """
    group = ("FAIL", "ERROR", "PASS").index(result.outcome)
    lost = 0.0 if result.score is None else 1 - result.score
    bad = 2 * result.counts.get("contradicted", 0) + result.counts.get("not_enough_info", 0)
    return round(4 * (2 - group) + 2 * lost + min(bad, 999) / 1000, 4)


# ---------------------------------------------------------------- controls

FAIR = 0.05
"""The share of controls in which a judge may be wrong that can still be used."""
BY_CHANCE = 0.01
"""How often such a judge is taken for one that cannot."""
UNRELIABLE = 0.1
"""From this share of failed controls a judge is called unreliable, if there are enough of them."""
MOST_LOST = 3
"""Cases that could not be graded, from which on a share of them is warned of."""
ENOUGH = 30
"""Controls. What fewer of them show may be chance."""


def controls_in(metadata: object) -> Counter[str]:
    """How many controls were asked and failed, as the metadata of a result says."""
    given = metadata.get("controls") if isinstance(metadata, Mapping) else None
    counts = given.items() if isinstance(given, Mapping) else ()
    return Counter({name: count for name, count in counts if is_whole(count)})


def is_unreliable(controls: Mapping[str, int]) -> bool:
    """Whether a judge failed more of its controls than a fair one does by chance.

    ``controls``: how many were ``asked``, ``failed`` and ``unanswered``.
    """
    asked, wrong = controls["asked"], controls["failed"] + controls["unanswered"]
    return 0 < wrong >= UNRELIABLE * asked and at_least(wrong, asked, FAIR) <= BY_CHANCE


def controls_in_words(controls: Mapping[str, int], scores: str = "these") -> str:
    """How a judge did on its controls, and a warning if its ``scores`` mean little."""
    failed, unanswered = controls["failed"], controls["unanswered"]
    sentence = f"the judge failed {failed:,} of {controls['asked']:,} controls"
    sentence += f" and gave no valid verdict on {unanswered:,}" if unanswered else ""
    if is_unreliable(controls):
        return f"{sentence}: do not trust {scores} scores; use another judge"
    few = (failed or unanswered) and controls["asked"] < ENOUGH
    return f"{sentence}, too few to say more" if few else sentence


def distrust(results: Iterable[GradingResult]) -> str:
    """Why scores of these results mean little; "" if their controls do not say so."""
    controls = sum((controls_in(result.metadata) for result in results), Counter[str]())
    return controls_in_words(controls) if is_unreliable(controls) else ""


def ungraded_in_words(results: Sequence[GradingResult]) -> str:
    """How many of these could not be graded, and why the first; "" if they are few."""
    lost = [result for result in results if result.error]
    if len(lost) < max(MOST_LOST, UNRELIABLE * len(results)):
        return ""
    which = f"{len(lost):,} of {counted(len(results), 'case')} could not be graded"
    return f"{which}, so means are of the others. The first: {lost[0].short_reason}"


def untested_in_words(untested: int, cases: int) -> str:
    """For how many cases a judge could not be tested, and why."""
    which = f"{untested:,} of {counted(cases, 'case')}"
    what = "no control (a statement with a known verdict that tests the judge)"
    return f"{what} could be made for {which}: it takes {CONTROL_TAKES}"


class Results(list[GradingResult]):
    """The results of ``grade_many``, in the order of the cases: a list, and what the cases had.

    Each result keeps the columns of its case when the list is sorted.

    Args:
        results: one for each case.
        rows: the columns of each case, as they were given; none if they are not known.
        labels: of each row in the index of its pandas frame; none if it had no such index.
    """

    def __init__(
        self,
        results: Iterable[GradingResult] = (),
        rows: Iterable[Mapping[str, Any]] = (),
        labels: Iterable[Any] = (),
    ) -> None:
        super().__init__(results)
        self._pairs = list(zip(self, rows, strict=False))
        self._labels = list(zip(self, labels, strict=False))

    @property
    def rows(self) -> list[Mapping[str, Any]]:
        """The columns of the case of each result; empty where they are not known."""
        row_of = {id(result): row for result, row in self._pairs}
        return [row_of.get(id(result), {}) for result in self]

    @property
    def labels(self) -> list[Any]:
        """The label of the row of each result; none unless all are known."""
        label_of = {id(result): label for result, label in self._labels}
        labels = [label_of[id(result)] for result in self if id(result) in label_of]
        return labels if len(labels) == len(self) else []

    def to_frame(self, library: str = "pandas") -> Any:
        """The results as a frame; see ``faithfulness_assert.to_frame``."""
        return to_frame(self, library)


def to_frame(results: Iterable[Any], library: str = "pandas") -> Any:
    """The results as a frame: a row for each, with the columns of its case.

    Beside the case's columns it has ``status``, ``pass``, ``score`` (in [0, 1]; missing where it
    is not defined), ``threshold``, ``reason``, ``warnings`` (one a line), ``statements`` (a list
    of mappings with ``text``, ``label``, ``reason`` and ``evidence``) and the other columns that a
    CSV file of results has. A column of the case with one of these names is called ``input.NAME``.
    A frame of pandas has the index of the frame that was graded, so that its columns may be added
    to that.

    Args:
        results: what ``grade_many`` returned, any iterable of ``GradingResult``, or the lines of a
            run (``RunOutcome.lines()``).
        library: ``"pandas"`` or ``"polars"``; the frame is of this library.

    Raises:
        ConfigError: the library is unknown or not installed, or these are no results.
    """
    if library not in LIBRARIES:
        raise ConfigError(f"library: must be pandas or polars, got {library!r}")
    try:
        frames = import_module(library)
    except ImportError:
        raise ConfigError(f"to_frame needs {library}. Run: {pip_install(library)}") from None
    given = list(results) if isinstance(results, Iterable) else [results]
    graded: list[GradingResult] = [getattr(item, "result", item) for item in given]
    for item, result in zip(given, graded, strict=True):
        if not isinstance(result, GradingResult):
            got = type(item).__name__
            raise ConfigError(f"results: must be what grade_many returned, got {got}")
    rows, labels = [getattr(item, "columns", {}) for item in given], []
    if isinstance(results, Results):
        rows, labels = results.rows, results.labels
    own = {"case_id": str, **COLUMNS}
    carried = dict.fromkeys(name for row in rows for name in row)
    table: dict[str, list[Any]] = {}
    for name in carried:
        new = name  # the columns of the cases have names that no other column has
        while new in own or new == "statements" or (new != name and new in carried):
            new = f"input.{new}"
        table[new] = [row.get(name) for row in rows]
    values = [{"case_id": result.case_id, **values_of(result)} for result in graded]
    table |= {name: [row[name] for row in values] for name in own}
    table["statements"] = [
        [
            {
                "text": verdict.statement,
                "label": verdict.label,
                "reason": verdict.reason,
                "evidence": [evidence.text for evidence in verdict.evidence],
            }
            for verdict in result.verdicts
        ]
        for result in graded
    ]
    if library == "polars":
        return frames.DataFrame({n: _series(frames, n, v, own) for n, v in table.items()})
    # Numbers have NaN where there is none. Texts, lists and columns of the case stay as they are.
    numbers = {name: kind for name, kind in own.items() if kind is not str}
    frame = frames.DataFrame(table).astype(numbers)
    return frame.set_axis(frames.Index(labels)) if labels else frame


def _series(polars: Any, name: str, values: list[Any], own: Mapping[str, type]) -> Any:
    """A column of polars. Values of a case that it has no type for stay objects of Python."""
    if name in own:
        return polars.Series(name, values, dtype=own[name])
    try:
        return polars.Series(name, values, strict=False)
    except (TypeError, ValueError, polars.exceptions.PolarsError):
        return polars.Series(name, values, dtype=polars.Object)
