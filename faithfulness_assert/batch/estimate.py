"""What a run will use: asks, tokens and cost, before anything is sent.

The plans of the cases run with a judge that replies without a network (``rehearsal``), and the
grader counts their tokens. Of a large data set, a random sample of cases is planned.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from .. import options as table
from ..grading import Grader
from ..judges import make_judge, option_names
from ..judges.remote.settings import check_number
from ..judges.token_counter import model_of, ranks_folder
from ..records.judge import judge_info
from .rehearsal import Rehearsal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..records.judge import Judge
    from ..records.usage import Usage
    from .rows import Row

SAMPLE = 2000
SEED = 20261122
CERTAIN = 1.96
"""Standard errors within which 95 of 100 estimates lie."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will use if the judge answers every ask at once, and in a usual length.

    Args:
        cases: in the data set.
        planned: how many of them were planned; the others count as these do on average.
        unreadable: rows of the data set that cannot be read. They cost nothing.
        asks, prompt, completion: requests and tokens of all cases.
        cost: in the currency of the given prices; None without prices.
        margin: 95 of 100 such samples are wrong about all tokens by at most this share; 0 if every
            case was planned.
        exact: whether tokens were counted as a model does; otherwise they are estimated from the
            length of the texts.
    """

    cases: int
    planned: int
    unreadable: int
    asks: int
    prompt: int
    completion: int
    cost: float | None
    margin: float
    exact: bool

    def to_json(self) -> dict[str, Any]:
        """The estimate as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __str__(self) -> str:
        rows = {
            "asks": f"{self.asks:,}",
            "prompt tokens": f"{self.prompt:,}",
            "completion tokens": f"{self.completion:,}",
            "cost": "unknown without prices" if self.cost is None else f"{self.cost:,.4f}",
        }
        width = max(map(len, rows.values()))
        lines = [f"{name:18} {value:>{width}}" for name, value in rows.items()]
        return "\n".join([self._heading(), *lines, *self._notes()])

    def _heading(self) -> str:
        heading = f"{self.cases:,} {'case' if self.cases == 1 else 'cases'}"
        if self.planned + self.unreadable < self.cases:
            sample = f"a random sample of {self.planned:,} was planned"
            heading += f"; {sample}, tokens ± {self.margin:.1%}"
        return heading

    def _notes(self) -> list[str]:
        notes = ["Retries, asks about missing verdicts, and a model's thinking come on top."]
        if self.unreadable:
            rows = "1 row" if self.unreadable == 1 else f"{self.unreadable:,} rows"
            notes.append(f"{rows} cannot be read and cost nothing.")
        if not self.exact:
            notes.append("The tokens are estimated from the length of the texts.")
        return notes


def estimate_run(
    rows: Iterable[Row],
    *,
    judge: str | Judge = "embedded",
    policy: Any = "default",
    threshold: float | None = None,
    sample: int = SAMPLE,
    over_batch_api: bool = False,
    **options: Any,
) -> Estimate:
    """What grading these rows will use. Nothing is sent, and no key is needed.

    Replies that a store (option ``cache``) already has are not taken into account.

    Args:
        rows: those of a data set. They are read once, to the end.
        judge, policy, threshold, options: as for ``Grader``.
        sample: the most cases that are planned, from 1. If there are more, they are drawn at
            random, always the same ones.
        over_batch_api: whether each ask and its reply have a token that names the ask.

    Raises:
        ConfigError: as for ``Grader``, or ``sample`` is not a whole number from 1.
    """
    check_number("sample", sample, 1, 10**9, whole=True)
    grader = _grader(judge, policy, threshold, options, echoed=over_batch_api)
    cases, unreadable, drawn = _draw(rows, sample)
    spent = [grader.grade(**row.fields) for row in drawn]
    usages = [result.tokens_used for result in spent]
    costs = [result.cost for result in spent if result.cost is not None]
    times = (cases - unreadable) / len(drawn) if drawn else 0.0
    return Estimate(
        cases=cases,
        planned=len(drawn),
        unreadable=unreadable,
        asks=round(times * sum(usage.num_requests for usage in usages)),
        prompt=round(times * sum(usage.prompt for usage in usages)),
        completion=round(times * sum(usage.completion for usage in usages)),
        cost=None if "prices" not in options else times * math.fsum(costs),
        margin=_margin(usages, cases - unreadable),
        exact=_is_exact(grader.judge_name),
    )


def _grader(
    judge: str | Judge, policy: Any, threshold: Any, options: Mapping[str, Any], *, echoed: bool
) -> Grader:
    """A grader whose judge is a rehearsal; a judge that costs nothing takes part itself."""
    table.check_names(options)
    own = table.taken_by("judge", options)
    others = {name: value for name, value in options.items() if name not in {*own, "cache"}}
    known = option_names(judge)
    if "api_key" in known:
        own["api_key"] = "none"
    if "timeout" not in known and "timeout" in own:
        others["timeout"] = own.pop("timeout")
    made = make_judge(judge, own)
    info = judge_info(made)
    is_free = isinstance(judge, str) and not info.remote
    return Grader(made if is_free else Rehearsal(info, echoed=echoed), policy, threshold, **others)


def _draw(rows: Iterable[Row], most: int) -> tuple[int, int, list[Row]]:
    """How many rows there are, how many of them are unreadable, and a sample of the others.

    Each readable row has the same chance: reservoir sampling, in the order of the data set.
    """
    chance = random.Random(SEED)  # noqa: S311 - not used for security
    number = unreadable = 0
    drawn: list[Row] = []
    for number, row in enumerate(rows, 1):
        if row.problem:
            unreadable += 1
        elif len(drawn) < most:
            drawn.append(row)
        elif (place := chance.randrange(number - unreadable)) < most:
            drawn[place] = row
    return number, unreadable, drawn


def _margin(usages: list[Usage], cases: int) -> float:
    totals = [float(usage.total) for usage in usages]
    if len(totals) >= cases or len(totals) < 2 or not any(totals):
        return 0.0
    left_out = math.sqrt(1 - len(totals) / cases)
    return CERTAIN * stdev(totals) / math.sqrt(len(totals)) * left_out / fmean(totals)


def _is_exact(judge_name: str) -> bool:
    from ..asking.tokens import exact_counter

    return exact_counter(model_of(judge_name), ranks_folder()) is not None
