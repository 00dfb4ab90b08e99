"""An ask for verdicts is put several times: only what more than half of the samples say counts."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import pytest
from fakes import USAGE, ScriptedJudge, TruthfulJudge, failing, verdicts_json
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from faithfulness_assert import Ask, ConfigError, GradingResult, Policy, Reply, grade
from faithfulness_assert.records.judge import JudgeInfo, Limits

STATEMENTS = ("The gate is red.", "The well is deep.", "The roof leaks.")
ANSWER, CONTEXT = " ".join(STATEMENTS), "The gate is red. The well is old."
LABELS = ("supported", "partially_supported", "not_enough_info", "contradicted", "")
SPOILT: Mapping[str, Callable[[str], Reply]] = {
    "garbled": lambda _: Reply("Well.", USAGE),
    "refused": lambda _: Reply("", USAGE, refusal="I will not"),
    "truncated": lambda text: Reply(text, USAGE, "length"),
}


class Samples:
    """Says of each statement what the sample that is asked for says of it; "" leaves it out.

    ``rounds``: what all samples say when they are asked for the first time, the second, and so on.
    A sample may also be a word of ``SPOILT``, or ``failed``.
    """

    def __init__(
        self, *rounds: Sequence[Sequence[str] | str], limits: Limits | None = None
    ) -> None:
        self.info = JudgeInfo("samples", limits=limits or Limits())
        self.rounds, self.asked = rounds, list[Ask]()
        self.times = Counter[int]()

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        time_ = min(self.times[ask.sample], len(self.rounds) - 1)
        self.times[ask.sample] += 1
        self.asked.append(ask)
        said = self.rounds[time_][ask.sample - 1]
        if said == "failed":
            raise failing("server", usage=USAGE)
        labels = LABELS[:1] * 3 if isinstance(said, str) else said
        of = dict(zip(STATEMENTS, labels, strict=True))
        text = reply_text(ask, lambda statement: of[statement])
        return SPOILT[said](text) if isinstance(said, str) else Reply(text, USAGE)


def reply_text(ask: Ask, label: Callable[[str], str]) -> str:
    numbered = ask.form.numbered
    shown = [n for n, _ in ask.payload.sentences][:1]
    rows = ((n, label(text)) for n, text in ask.payload.items)
    return json.dumps(
        {
            "verdicts": [
                {**({"id": n} if numbered else {}), "evidence": shown, "label": said}
                for n, said in rows
                if said
            ]
        }
    )


def graded(*rounds: Sequence[Sequence[str] | str], **options: Any) -> tuple[GradingResult, Samples]:
    judge = Samples(*rounds)
    return grade(ANSWER, CONTEXT, judge=judge, samples=len(rounds[0]), **options), judge


label = st.sampled_from(LABELS)
sample = st.tuples(label, label, label) | st.sampled_from([*SPOILT, "failed"])


@examples(200)
@given(st.lists(sample, min_size=2, max_size=9))
def test_a_statement_has_the_label_of_more_than_half_of_all_samples_or_none(said):
    result, judge = graded(said, reasks=0)
    assert result.tokens_used == sum((USAGE for _ in said), start=type(USAGE)())
    assert Counter(ask.sample for ask in judge.asked) == dict.fromkeys(range(1, len(said) + 1), 1)
    expected = []
    for place in range(len(STATEMENTS)):
        votes = Counter(one[place] for one in said if not isinstance(one, str))
        expected.append(next(((n, c) for n, c in votes.items() if n and 2 * c > len(said)), None))
    if result.error is None:
        assert [v.label for v in result.verdicts] == [e and e[0] for e in expected]
        shares = [e and round(e[1] / len(said), 4) for e in expected]
        assert [v.confidence for v in result.verdicts] == shares
        worth = {"supported": 1.0, "partially_supported": 0.5}
        score = sum(worth.get(e[0], 0.0) for e in expected if e) / 3
        assert result.score == pytest.approx(score)
    else:  # nothing has a majority, or what failed might have decided
        assert not any(expected) or any(isinstance(one, str) for one in said)
        assert not result.pass_


def test_what_has_no_majority_is_asked_about_again_by_all_samples():
    yes, no = ("supported",) * 3, ("supported", "not_enough_info", "supported")
    result, judge = graded([yes, no], [yes, yes])
    assert [v.label for v in result.verdicts] == ["supported"] * 3
    asked = [(ask.sample, [text for _, text in ask.payload.items]) for ask in judge.asked]
    again = [STATEMENTS[1]]
    assert sorted(asked) == sorted(
        [(1, list(STATEMENTS)), (2, list(STATEMENTS)), (1, again), (2, again)]
    )
    result, _ = graded([yes, no], [yes, no])
    assert [v.label or v.unresolved for v in result.verdicts] == ["supported", "split", "supported"]
    assert result.verdicts[1].reason == "2 samples said: 1 supported, 1 not enough info"


@pytest.mark.parametrize("on_missing", ["unsupported", "error"])
def test_samples_that_all_disagree_are_no_judge_that_cannot_write_json(on_missing):
    yes, no = ("supported",) * 3, ("contradicted", "not_enough_info", "")
    result, _ = graded([yes, no], [yes, no], on_missing=on_missing)
    assert (result.status, result.score) == ("unreadable", None)
    assert result.error.retryable
    assert result.error.message == (
        "no majority on 3 of 3 statements; of statement 1, 2 samples said: 1 supported, "
        "1 contradicted. Ask more of them, an odd number, or look at this case yourself."
    )
    assert result.reason == f"Not graded: {result.error.message}"
    assert result.verdicts[2].reason == "2 samples said: 1 supported, 1 nothing that counts"


def test_a_sample_that_failed_does_not_hinder_a_majority():
    yes = ("supported",) * 3
    for spoilt in (*SPOILT, "failed"):
        result, judge = graded([yes, spoilt, yes])
        assert (result.score, result.error) == (1.0, None), spoilt
        assert {v.confidence for v in result.verdicts} == {0.6667}
        assert len(judge.asked) == 3
        alone, _ = graded([yes, spoilt, spoilt], reasks=0)
        assert alone.error is not None, spoilt


def test_what_one_failed_sample_leaves_open_is_asked_about_again_if_others_answered():
    yes, no = ("supported",) * 3, ("supported", "not_enough_info", "supported")
    for spoilt in (*SPOILT, "failed"):
        result, judge = graded([yes, no, spoilt], [yes, yes, no])
        assert (result.score, result.error) == (1.0, None), spoilt
        assert len(judge.asked) == 6
        result, _ = graded([yes, no, spoilt], [yes, no, spoilt])
        assert not result.pass_
        assert (result.error is None) is (spoilt == "garbled"), spoilt
    result, judge = graded(["failed"] * 3, [yes] * 3)
    assert result.status == "judge_failed"
    assert len(judge.asked) == 3


def test_the_evidence_is_that_of_the_first_sample_that_agrees_and_names_some_as_most_do():
    class Terse(Samples):
        """Its first sample names no evidence."""

        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            reply = super().ask(ask)
            return Reply(reply.text.replace("[1]", "[]") if ask.sample == 1 else reply.text, USAGE)

    result = grade(ANSWER, CONTEXT, judge=Terse([("supported",) * 3] * 3), samples=3)
    assert [[e.text for e in v.evidence] for v in result.verdicts] == [["The gate is red."]] * 3


@examples(60)
@given(st.lists(st.tuples(label, st.sampled_from(["[1]", "[]", "[99]"])), min_size=2, max_size=7))
def test_what_needs_evidence_needs_it_of_more_than_half_of_the_samples(said):
    """Evidence of a single sample does not carry what the others say without any."""

    class Says(Samples):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            label, evidence = said[ask.sample - 1]
            return Reply(reply_text(ask, lambda _: label).replace("[1]", evidence), USAGE)

    judge, samples = Says(), len(said)
    result = grade(ANSWER, CONTEXT, judge=judge, samples=samples, reasks=0, strict_evidence=True)
    for v in result.verdicts:
        if v.label == "supported":
            assert sum(one == ("supported", "[1]") for one in said) * 2 > samples


def test_a_sample_that_denies_an_earlier_number_takes_back_what_the_majority_granted():
    class Denies(Samples):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            reply = super().ask(ask)
            if len(ask.ids) == 1 and ask.sample == 1:
                said = {ask.ids[0]: "not_enough_info", 1: "contradicted"}
                return Reply(verdicts_json(said), USAGE)
            return reply

    missing, no = ("supported", "supported", ""), ("supported", "supported", "not_enough_info")
    result = grade(ANSWER, CONTEXT, judge=Denies([missing] * 3, [no] * 3), samples=3)
    labels = [v.label or v.unresolved for v in result.verdicts]
    assert labels == ["duplicate", "supported", "not_enough_info"]


# ---------------------------------------------------------------- numbers, windows, controls

ROOMS = [f"Room {n} of the old house is blue." for n in range(1, 7)]
LONG = [*ROOMS, *(f"The shop in harbour {n} sells {n + 25} loaves of bread." for n in range(60))]


class Noisy(TruthfulJudge):
    """Supports what a window shows, but each sample errs about some statements, and leaves some."""

    def __init__(self, moods: Sequence[int], limits: Limits) -> None:
        super().__init__(limits=limits)
        self.moods = moods

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        if ask.kind != "verdicts":
            return super().ask(ask)
        self.asked.append(ask)
        shown = {text for _, text in ask.payload.sentences}

        def said(statement: str) -> str:
            mood = self.moods[(ask.sample * 7 + len(statement) + ask.ids[0]) % len(self.moods)]
            return LABELS[mood] if mood else LABELS[0 if statement in shown else 2]

        return Reply(reply_text(ask, said), USAGE)


@examples(80)
@given(
    policy=st.sampled_from(["default", "promptfoo", "deepeval", "axion", "ragaliq"]),
    samples=st.integers(1, 5),
    reasks=st.integers(0, 3),
    controls=st.sampled_from(["off", "report", "enforce"]),
    moods=st.lists(st.integers(0, 4), min_size=1, max_size=7),
    limits=st.builds(
        Limits,
        prompt_tokens=st.sampled_from([None, 900]),
        statements=st.sampled_from([None, 1, 2, 4]),
    ),
)
def test_every_statement_ends_once_and_every_number_is_in_one_ask_in_each_sample(
    policy, samples, reasks, controls, moods, limits
):
    judge = Noisy(moods, limits)
    options = {"policy": policy, "reasks": reasks, "controls": controls}
    result = grade(
        " ".join(ROOMS), LONG, judge=judge, question="Which?", samples=samples, **options
    )
    asked = [ask for ask in judge.asked if ask.kind != "reason"]
    numbers = sorted(chain.from_iterable(ask.ids for ask in asked))
    assert numbers == list(range(1, len(numbers) + 1))
    for ask in asked:
        assert ask.ids == tuple(n for n, _ in ask.payload.items)
        assert ask.form.numbered is (len(ask.ids) > 1)
        assert ('"id"' in json.dumps(ask.schema)) is (len(ask.ids) > 1)
    assert result.tokens_used.num_requests == len(judge.asked)
    by_sample = Counter(ask.sample for ask in judge.asked if ask.kind == "verdicts")
    assert len(set(by_sample.values())) == 1
    assert by_sample.keys() == set(range(1, samples + 1))
    assert {ask.sample for ask in judge.asked if ask.kind != "verdicts"} <= {1}
    if result.verdicts:
        assert [v.statement for v in result.verdicts] == ROOMS
        for verdict in result.verdicts:
            assert samples == 1 or verdict.label is None or (verdict.confidence or 0) > 0.5


@pytest.mark.parametrize(("failing", "failed"), [(2, 0), (1, 1)])
def test_a_control_is_passed_if_the_first_sample_passes_it(failing, failed):
    class Credulous(TruthfulJudge):
        """One of its samples supports all that it is asked about."""

        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            shown = {text for _, text in ask.payload.sentences}
            credulous = ask.sample == failing
            own = TruthfulJudge(lambda text: LABELS[0 if credulous or text in shown else 2])
            return own.ask(ask)  # samples are asked at once

    for controls in ("report", "enforce"):
        options = {"controls": controls, "samples": 3}
        result = grade(" ".join(ROOMS), LONG[:20], judge=Credulous(), **options)
        if failed and controls == "enforce":
            assert result.error.kind == "unreliable_judge"
        else:
            expected = {"asked": 2, "passed": 2 - failed, "failed": failed, "unanswered": 0}
            assert result.metadata["controls"] == expected


# ---------------------------------------------------------------- what cannot be sampled


def test_a_judge_that_always_says_the_same_is_asked_once_and_the_result_says_so():
    once = grade(ANSWER, CONTEXT, judge="embedded")
    result = grade(ANSWER, CONTEXT, judge="embedded", samples=5)
    assert [v.label for v in result.verdicts] == [v.label for v in once.verdicts]
    assert {v.confidence for v in result.verdicts} == {None}
    said = "samples: embedded gives the same reply each time, and was asked once"
    assert result.warnings == [*once.warnings, said]


def test_what_has_no_ask_for_verdicts_has_no_samples():
    with pytest.raises(ConfigError, match="samples: must be 1 with verify='rubric'"):
        grade(ANSWER, CONTEXT, judge=ScriptedJudge([""]), samples=3, policy="masis")
    for bad in (0, 10, True, "3", 1.5, None):
        with pytest.raises(ConfigError, match="samples: must be a whole number from 1 to 9"):
            Policy(samples=bad)
