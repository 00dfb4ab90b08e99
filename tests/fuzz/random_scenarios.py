"""Scenarios at random, and how a grade of one is shown."""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fuzz.judge_faults import ANY_FAULTS, CLAIM_FAULTS, REPEATS, TRUTH_FAULTS, VERDICT_FAULTS
from fuzz.oracle import run
from fuzz.oracle_systems import LABELS, SOURCE_OPTIONS, SYSTEMS, system_of
from fuzz.scenario import ASIDES, FORMS, Scenario, Sentence, fact

from faithfulness_assert.records.judge import Limits

PROMPT_TOKENS = (1000, 1200, 1500)


def scenario_of(rng: random.Random) -> Scenario:
    """A scenario at random."""
    policy = rng.choice(sorted(SYSTEMS))
    count = rng.choice((1, 2, 2, 3, 3, 4, 6))
    sentences = [_sentence(rng, 2 * i) for i in range(count)]
    if rng.random() < 0.15:
        sentences.append(rng.choice(sentences))
    limits = _limits(rng)
    drawn = Scenario(
        policy,
        tuple(sentences),
        _options(rng, policy),
        limits,
        remote=rng.random() < 0.3,
        fillers=rng.choice((60, 90) if limits.prompt_tokens else (0, 4, 4)),
        bullets=rng.random() < 0.2,
        lump=rng.choice((0, 0, 0, 600, 3000)) if limits.prompt_tokens else 0,
        claim_faults=_faults(rng, CLAIM_FAULTS, 0.45),
        truth_faults=_faults(rng, TRUTH_FAULTS, 0.15),
        verdict_faults=_faults(rng, VERDICT_FAULTS, 0.8),
        seed=rng.randrange(1000),
    )
    return _asked_only(drawn) if rng.random() < 0.9 else without_faults(drawn)


def _asked_only(scenario: Scenario) -> Scenario:
    """The scenario without faults of stages that it does not have."""
    system = system_of(scenario)
    return replace(
        scenario,
        claim_faults=scenario.claim_faults if system.split == "claims" else (),
        truth_faults=scenario.truth_faults if system.verify == "truths" else (),
    )


def without_faults(scenario: Scenario) -> Scenario:
    """The same grade by a judge that makes no mistake."""
    none: tuple[str, ...] = ()
    return replace(scenario, claim_faults=none, truth_faults=none, verdict_faults=none)


def _sentence(rng: random.Random, noun: int) -> Sentence:
    if rng.random() < 0.12:
        return Sentence(rng.choice(ASIDES))
    labels = rng.choices((*LABELS, "torn", "torn_part"), (10, 4, 6, 6, 1, 1), k=2)
    return fact(rng.choice(sorted(FORMS)), noun, labels)


def _faults(rng: random.Random, own: Mapping[str, Any], share: float) -> tuple[str, ...]:
    names = [*own, *own, *ANY_FAULTS, *REPEATS, *REPEATS]
    if rng.random() > share:
        return ()
    first, second, third = (rng.choice(names) for _ in range(3))
    again = (first, "repeat", "repeat"), (first, first, first), ("clean", first, second)
    return rng.choice(((first,), (first,), (first, second), (first, second, third), *again))


def _limits(rng: random.Random) -> Limits:
    if rng.random() < 0.7:
        return Limits()
    if rng.random() < 0.4:
        return Limits(statements=rng.choice((1, 2)))
    return Limits(prompt_tokens=rng.choice(PROMPT_TOKENS))


CHOICES: tuple[tuple[float, str, tuple[Any, ...]], ...] = (
    (0.3, "reasks", (0, 1, 2)),
    (0.15, "dedupe", (True, False)),
    (0.1, "inverse", (True,)),
    (0.15, "reask_singly", (True,)),
    (0.2, "controls", ("off", "report", "enforce")),
    (0.2, "positional_prefix", (True, False)),
    (0.15, "on_missing", ("unsupported", "error")),
    (0.15, "threshold", (0.0, 0.3, 0.5, 1.0)),
    (0.1, "fail_on", (("contradicted",), ())),
    (0.05, "all_or_nothing", (True,)),
    (0.1, "strict_evidence", (True,)),
    (0.1, "allow_not_a_claim", (True, False)),
    (0.2, "reasons", ("none", "problems", "all")),
)


def _options(rng: random.Random, policy: str) -> dict[str, Any]:
    options = {name: rng.choice(v) for share, name, v in CHOICES if rng.random() < share}
    own = [name for of, name in SOURCE_OPTIONS if of == policy]
    if own and rng.random() < 0.3:
        options["policy_options"] = {rng.choice(own): True}
        options.pop("threshold", None)
    if rng.random() < 0.1:
        options["split"] = rng.choice(("sentences", "claims"))
        options["verify"] = rng.choice(("batch", "per_claim", "truths"))
    return options


def reproduction(scenario: Scenario) -> str:
    """A few lines that show the grade of a scenario: what is asked, what is replied, the result."""
    lines = [repr(scenario), f"  answer {scenario.answer!r}"]
    try:
        held = run(scenario)
    except Exception as error:  # noqa: BLE001 - it is shown
        return "\n".join([*lines, f"  raises {type(error).__name__}: {error}"])
    for turn in held.turns:
        shown = "".join(f" {number}={text!r}" for number, text in turn.ask.payload.items)
        said = turn.content
        how = "crash" if said.crash else "refused" if said.refused else said.error or said.finish
        how = "" if said.usable else f" ({how})"
        lines.append(f"  {turn.ask.kind} {turn.fault}:{shown}\n    -> {turn.text!r}{how}")
    result = held.result
    labels = [f"{v.id}={v.label or v.unresolved}" for v in result.verdicts]
    lines.append(f"  {result.status} score {result.score:.3f} pass {result.pass_} {labels}")
    return "\n".join(lines)
