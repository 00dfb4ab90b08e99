"""Samples of a judge that goes wrong anew each time earn nothing that most of them do not earn alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from fuzz.oracle import LAWS, Grade
from fuzz.oracle_systems import System, system_of
from fuzz.random_scenarios import scenario_of
from fuzz.scenario import Scenario
from fuzz.simulated_judge import SimulatedJudge
from hypothesis import Phase, given
from hypothesis import strategies as st
from own_policy import with_own_policy
from strategies import examples

from faithfulness_assert import Ask, Reply, grade

GRADES_PER_EXAMPLE = 10
OF_THE_WHOLE = ("complete", "formula", "once", "conserved", "foreign", "evident")
"""Laws that do not ask which reply a label comes from."""


class SampledJudge:
    """Each sample is answered by a judge with faults of its own."""

    name = "sampled"
    keeps_deadline = True

    def __init__(self, scenarios: list[Scenario]) -> None:
        self.judges = [SimulatedJudge(scenario) for scenario in scenarios]
        self.limits, self.remote = scenarios[0].limits, scenarios[0].remote

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        return self.judges[ask.sample - 1].ask(ask)


def sampled(scenario: Scenario, rng: random.Random) -> list[Scenario]:
    """The scenario with the faults of each sample. The first ones are often the same."""
    others = (scenario_of(rng) for _ in range(rng.choice((1, 2, 2, 3, 4))))
    return [
        scenario,
        *(replace(scenario, verdict_faults=s.verdict_faults, seed=s.seed) for s in others),
    ]


def grades(scenarios: list[Scenario], system: System) -> list[Grade]:
    """The grade, once with the replies of each sample."""
    first, judge = scenarios[0], SampledJudge(scenarios)
    result = grade(
        first.answer,
        first.context,
        judge=judge,
        **with_own_policy({"policy": first.policy, **first.options, "samples": len(scenarios)}),
    )
    prepared = [turn for turn in judge.judges[0].turns if turn.ask.kind != "verdicts"]
    turns = ([t for t in one.turns if t.ask.kind == "verdicts"] for one in judge.judges)
    return [Grade(first, system, (*prepared, *own), result) for own in turns]


def violations(held: list[Grade]) -> Iterator[str]:
    for name in OF_THE_WHOLE:
        yield from (f"{name}: {problem}" for problem in LAWS[name](held[0]))
    for one in held:
        yield from (f"left_open: {problem}" for problem in LAWS["left_open"](one))
    # A problem of credit begins with the label and the number of its verdict.
    told = (" ".join(p.split()[:3]) for one in held for p in LAWS["credit"](one))
    for verdict, without in Counter(told).items():
        if (len(held) - without) * 2 <= len(held):
            yield f"credit: {verdict}, which {without} of {len(held)} samples do not earn"


@examples(20, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 2**48))
def test_no_statement_earns_what_most_samples_do_not_earn_it(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(GRADES_PER_EXAMPLE):
        scenario = scenario_of(rng)
        system = system_of(scenario)
        # What windows make of each other's votes is not what each sample makes of its own.
        windowed = scenario.limits.prompt_tokens is not None
        if windowed or system.verify == "rubric":
            continue
        scenarios = sampled(scenario, rng)
        held = grades(scenarios, system)
        problems = [*violations(held), *held[0].result.warnings] if any(violations(held)) else []
        faults = [one.verdict_faults for one in scenarios]
        labels = [(v.id, v.statement, v.label) for v in held[0].result.verdicts]
        assert not problems, (problems, faults, labels, scenario)
