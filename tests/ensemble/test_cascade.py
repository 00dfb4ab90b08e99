"""The second judge of a cascade is not asked where a certificate says that the first is enough."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from math import comb, fsum
from pathlib import Path
from typing import Any

import pytest
from cascade_certificates import JUDGES, certified, true_agreement
from command import run as command
from fakes import TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, good_reply
from report_pages import read_page
from true_server import answered, said, text_of

from faithfulness_assert import Ask, ConfigError, Grader, JudgeError, Reply, grade
from faithfulness_assert.batch import run
from faithfulness_assert.batch.cascade_rules import at_most, least_agreement, needed
from faithfulness_assert.batch.certifying import AGREE, certify
from faithfulness_assert.batch.data_sets import open_data_set
from faithfulness_assert.batch.estimate import estimate_run
from faithfulness_assert.judges.certificate import FORMAT, MAX_FILE_BYTES, Rule, certainty
from faithfulness_assert.judges.embedded import EmbeddedJudge
from faithfulness_assert.judges.several import Cascade, Panel
from faithfulness_assert.records.judge import Limits

KEY = "sk-0123456789abcdef"
CASES = 420
WORDS = "red blue wide deep cold warm old new".split()


def data(path: Path) -> str:
    """Answers of one sentence, a third of which the context does not have.

    The embedded judge, which compares words, agrees with a model about those that stand there.
    """
    cases = []
    for n in range(CASES):
        true = f"In case {n} Keller sold a {WORDS[n % 8]} cart to Brandt."
        false = f"Bakers in Arlen sold {n} loaves yesterday."
        other = f"In case {n} Brandt sold a {WORDS[n % 8]} cart to Keller."  # it grants that too
        cases.append({"id": f"q{n}", "answer": (true, false, other)[n % 3], "context": [true]})
    path.write_text(json.dumps(cases))
    return str(path)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The data, a run of the embedded judge over it, and one of a model."""
    folder = tmp_path_factory.mktemp("cascade")
    file = data(folder / "answers.json")
    run(file, folder / "a", judge="embedded", progress=False)
    with Loopback(answered) as server:
        options: Any = {"base_url": server.url, "api_key": KEY}
        run(file, folder / "b", judge="openai:m", progress=False, **options)
    return folder, file


@pytest.fixture(scope="module")
def certificate(graded: Any) -> str:
    folder, _ = graded
    path = folder / "certificate.json"
    done = command("certify", str(folder / "a"), str(folder / "b"), "-o", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "it saves" in done.stdout
    assert "<- certified" in done.stdout
    use = f"--judge cascade:embedded,openai:m -o certificate={path}"
    assert use.replace(" ", "") in re.sub(r"\s", "", done.stdout)
    return str(path)


def test_a_certificate_and_a_run_that_it_was_used_in_have_its_curve(
    graded: Any, certificate: str, tmp_path: Path
) -> None:
    """One without a curve, as they were before, does the same."""
    content = json.loads(Path(certificate).read_text())
    names = ("limits", "accepted", "differing")
    curve = [{name: rule[name] for name in names} for rule in content["curve"]]
    assert {name: content[name] for name in names} in curve
    older = {name: value for name, value in content.items() if name != "curve"}
    rows = json.loads(Path(graded[1]).read_text())[:30]
    results = []
    for file, shown in ((certificate, content["curve"]), (older, [])):
        with Loopback(answered) as server:
            options: Any = {"base_url": server.url, "api_key": KEY, "certificate": file}
            folder = tmp_path / f"run-{len(results)}"
            run(rows, folder, judge="cascade:embedded,openai:m", progress=False, **options)
        kept = json.loads((folder / "run.json").read_text())["judge"]["certificate"]
        assert kept["curve"] == shown
        assert kept["cases"] == content["cases"]
        found = ((line.case_id, line.result) for line in lines(folder))
        results.append({id: (one.score, one.metadata["cascade"]) for id, one in found})
    assert results[0] == results[1]


@given(st.integers(0, 12), st.integers(0, 150))
def test_a_rule_holds_the_largest_promise_that_passes_the_exact_test(
    differing: int, agreeing: int
) -> None:
    cases = differing + agreeing
    least = least_agreement(Rule({}, cases, differing))

    def as_few(promise: float) -> float:
        """The chance of so few differences, as it stands in textbooks."""
        ways = (
            comb(cases, n) * (1 - promise) ** n * promise ** (cases - n)
            for n in range(differing + 1)
        )
        return fsum(ways)

    assert least == 0 or as_few(least) <= 0.05 + 1e-9
    assert as_few(least + 0.0001) > 0.05 - 1e-9


def test_only_what_the_certificate_does_not_accept_goes_to_the_second_judge(
    graded: Any, certificate: str
) -> None:
    """What fails is accepted: the embedded judge is right about it. What passes is not."""
    folder, file = graded
    with Loopback(answered) as server:
        options: Any = {"base_url": server.url, "api_key": KEY, "certificate": certificate}
        outcome = run(
            file, folder / "c", judge="cascade:embedded,openai:m", progress=False, **options
        )
        asked = len(server.requests)
    assert asked == CASES * 2 / 3
    assert f"cascade: the first judge answered {CASES // 3} of {CASES} cases alone" in outcome.text
    assert "certificate: the first judge agrees with the second in at least 95%" in outcome.text
    cascade, model = ({line.case_id: line.result for line in lines(folder / n)} for n in "cb")
    for case_id, result in cascade.items():
        assert result.pass_ == model[case_id].pass_
        assert result.judge == "cascade:embedded,openai:m"
        assert ("judgeNote" in result.metadata) is not result.metadata["cascade"]["second"]
        if result.metadata["cascade"]["second"]:
            assert result.verdicts == model[case_id].verdicts
            assert result.tokens_used.num_requests == 1
        else:
            assert result.tokens_used.num_requests == 0
    again = run(file, folder / "c", judge="cascade:embedded,openai:m", progress=False, **options)
    assert again.counts.finished == CASES


def lines(folder: Path) -> Any:
    from faithfulness_assert.batch.finished_runs import lines_of

    return lines_of(folder)()


def test_what_it_will_use_is_what_it_then_uses(graded: Any, certificate: str) -> None:
    _, file = graded
    given: Any = {"judge": "cascade:embedded,openai:m", "certificate": certificate}
    told = estimate_run(open_data_set(file).rows(), **given)
    assert told.asks == pytest.approx(CASES * 2 / 3, rel=0.15)
    assert told.cases == CASES


def test_a_certificate_of_others_is_refused_with_what_differs(
    graded: Any, certificate: str, tmp_path: Path
) -> None:
    content = json.loads(Path(certificate).read_text())
    judge = "cascade:embedded,openai:m"
    large = tmp_path / "large.json"
    large.write_text(Path(certificate).read_text() + " " * MAX_FILE_BYTES)
    for file, options, problem in (
        (None, {}, "certify RUN_OF_A RUN_OF_B -o FILE`, and pass it as certificate=FILE"),
        (certificate, {"threshold": 0.5}, "it is of another policy (threshold: was 0.8, is 0.5)"),
        (certificate, {"judge": "cascade:embedded,openai:n"}, "of another second judge (name: was"),
        (certificate, {"judge": "cascade:openai:m,embedded"}, "of another first judge (name: was"),
        (certificate, {"language": "pt"}, "of other options (language: was 'en', is 'pt'); use"),
        (
            certificate,
            {"evidence_roles": ["user"]},
            "of other options (evidence_roles: was ['tool'], is ['user']); use these as they were",
        ),
        (
            certificate,
            {"max_statements": 3},
            "of another second judge (max_statements: was 40, is 3); use these as they were",
        ),
        (
            certificate,
            {"max_prompt_tokens": 3000},
            "of another second judge (max_prompt_tokens: was 100000, is 3000); use these as",
        ),
        (
            {name: value for name, value in content.items() if name != "options"},
            {},
            "of an earlier version, which did not say with which language and evidence_roles",
        ),
        ({**content, "options": 3}, {}, "is damaged; write it again"),
        ({**content, "prompts": "0"}, {}, "it is of other prompts"),
        ({**content, "limits": {"passes": float("nan")}}, {}, "is damaged; write it again"),
        ({**content, "limits": {"maybe": 0.5}}, {}, "is damaged; write it again"),
        ({**content, "accepted": 10**9}, {}, "is damaged; write it again"),
        ({**content, "judges": 3}, {}, "is damaged; write it again"),
        ({**content, "agree": 10**400}, {}, "is damaged; write it again"),
        ({**content, "limits": [1]}, {}, "is damaged; write it again"),
        (
            {**content, "curve": [{"limits": {}, "accepted": 10**9, "differing": 0}]},
            {},
            "is damaged; write it again",
        ),
        ({**content, "curve": [3]}, {}, "is damaged; write it again"),
        ({**content, "curve": None}, {}, "is damaged; write it again"),
        ({}, {}, "is no certificate that `faithfulness-assert certify` wrote"),
        (str(tmp_path / "none.json"), {}, "cannot be read: No such file"),
        (str(Path(__file__)), {}, "is no JSON"),
        (str(large), {}, "cannot be read: it is larger than 8 MB"),
        (3, {}, "must be the path of a file, got int"),
    ):
        with pytest.raises(ConfigError) as error:
            grade("x", "x", **{"judge": judge, "api_key": KEY, "certificate": file, **options})
        assert problem in str(error.value), str(error.value)
    with pytest.raises(ConfigError, match="has no such option"):
        grade("x", "x", judge="embedded", certificate=certificate)


def test_a_certificate_is_of_the_limits_of_judges_that_are_given_as_objects_too(
    certificate: str,
) -> None:
    def with_limit(**options: Any) -> Grader:
        second = Grader("openai:m", api_key=KEY, **options).judge
        return Grader(Cascade(EmbeddedJudge(), second, certificate=certificate))

    assert with_limit(max_statements=40)
    with pytest.raises(ConfigError, match=r"second judge \(max_statements: was 40, is 7\)"):
        with_limit(max_statements=7)


@pytest.mark.parametrize(
    ("option", "value"), [("language", "pt"), ("evidence_roles", ["tool", "user"])]
)
def test_runs_that_read_their_texts_otherwise_give_no_certificate(
    graded: Any, tmp_path: Path, option: str, value: Any
) -> None:
    folder, file = graded
    options: Any = {option: value}
    run(json.loads(Path(file).read_text())[:9], tmp_path / "b", progress=False, **options)
    with pytest.raises(ConfigError, match=rf"graded with other options \({option}: was .*, is "):
        certify(folder / "a", tmp_path / "b")


def test_runs_that_show_nothing_give_no_certificate(graded: Any, tmp_path: Path) -> None:
    """A judge that says yes to everything differs too often; few cases show nothing at all."""
    folder, file = graded

    def yes(request: Request) -> Answer:
        reply = said(text_of(request))
        for verdict in reply["verdicts"]:
            verdict.update(label="supported", evidence=[1])
        return good_reply(request, json.dumps(reply))

    with Loopback(yes) as server:
        options: Any = {"base_url": server.url, "api_key": KEY, "controls": "off"}
        run(file, tmp_path / "yes", judge="openai:y", progress=False, **options)
    page = tmp_path / "curve.html"
    told = command(
        "certify",
        str(tmp_path / "yes"),
        str(folder / "b"),
        "-o",
        str(tmp_path / "c"),
        "--report",
        str(page),
    )
    assert told.returncode == 1, told.stdout + told.stderr
    printed = " ".join(told.stdout.split())
    assert "No certificate: " in printed
    assert "no more than 95.0%: take another first judge, or lower --agree" in printed
    assert not (tmp_path / "c").exists()
    shown = read_page(page)
    assert "No certificate for these judges" in shown.text
    assert any(tag == "svg" for tag, _ in shown.tags)
    assert shown.text.count("certified") == 0
    few = json.loads(Path(file).read_text())[:30]
    for name in ("one", "two"):
        run(few, tmp_path / name, judge="embedded", progress=False)
    assert certify(tmp_path / "one", tmp_path / "two").certificate is None
    with pytest.raises(ConfigError, match="must be the directory of a run"):
        certify(tmp_path / "one", tmp_path / "nothing")
    panel = Panel(EmbeddedJudge(), EmbeddedJudge())
    run(few, tmp_path / "panel", judge=panel, progress=False)
    with pytest.raises(ConfigError, match="panel:embedded,embedded graded it, and a cascade asks"):
        certify(tmp_path / "one", tmp_path / "panel")
    with pytest.raises(ConfigError, match="agree: must be a share over 0 and under 1"):
        certify(tmp_path / "one", tmp_path / "two", agree=1.0)


def test_a_case_that_a_data_set_repeats_counts_once(graded: Any, tmp_path: Path) -> None:
    """Else 30 cases, each of them ten times, would show as much as 300."""
    few = json.loads(Path(graded[1]).read_text())[:30]
    repeated = [{**case, "id": f"{case['id']}-{n}"} for case in few for n in range(10)]
    for name in ("one", "two"):
        run(repeated, tmp_path / name, judge="embedded", progress=False)
    found = certify(tmp_path / "one", tmp_path / "two")
    assert found.certificate is None
    assert found.cases < 30
    assert found.left_out == 270
    results = tmp_path / "two" / "results.jsonl"  # what tells a repeat may be damaged, or of old
    results.write_text(re.sub(r'"fields": \{.*?\}', '"fields": 3', results.read_text()))
    assert certify(tmp_path / "one", tmp_path / "two").left_out == 0


def test_certify_says_over_how_many_contexts_the_tested_cases_are(
    graded: Any, tmp_path: Path
) -> None:
    """Answers over one context are no independent trials, unless the next ones are over it too."""
    alone = certify(graded[0] / "a", graded[0] / "b")
    assert alone.contexts == alone.cases
    rows = json.loads(Path(graded[1]).read_text())[:200]
    few = [{**row, "context": [f"In hall {n % 5} it is cold."]} for n, row in enumerate(rows)]
    for name in ("one", "two"):
        run(few, tmp_path / name, judge="embedded", progress=False)
    page, output = tmp_path / "curve.html", tmp_path / "certificate.json"
    runs = [str(tmp_path / name) for name in ("one", "two")]
    said = command("certify", *runs, "-o", str(output), "--report", str(page)).stdout
    found = certify(*runs)
    assert (found.contexts, found.cases > 50) == (5, True)
    words = f"Tested on {found.cases} cases over 5 contexts"
    assert words in " ".join(said.split())
    assert f"{found.cases} cases over 5 contexts" in read_page(page).text


@pytest.mark.parametrize("each", [1, 10])
def test_answers_over_one_context_show_as_much_as_many_only_where_they_do_not_err_together(
    each: int,
) -> None:
    chance = random.Random(3)
    judge = JUDGES["always just below"]
    found = [certified(judge, 300, chance, each) for _ in range(100)]
    assert (sum(map(bool, found)) > 11) is (each == 10)


def test_59_cases_without_a_difference_are_enough_and_93_with_one() -> None:
    assert needed(0, 0.95) == 59
    assert needed(1, 0.95) == 93
    assert at_most(0, 59, 0.05) == pytest.approx(0.95**59)
    assert at_most(5, 5, 0.05) == 1.0


@pytest.mark.parametrize("name", ["always just below", "certain and wrong", "always .90"])
def test_a_certificate_promises_too_much_at_most_once_in_twenty(name: str) -> None:
    chance = random.Random(3)
    found = [certified(JUDGES[name], 300, chance) for _ in range(100)]
    wrong = [rule for rule in found if rule and true_agreement(JUDGES[name], rule) < AGREE]
    assert len(wrong) <= 11  # of 100: so many or more come with a chance of less than 1 %


class Fails:
    """A judge that cannot be reached."""

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        raise JudgeError("the server is down", "transport", retryable=True)


def test_a_first_judge_that_fails_is_not_the_last_word_and_a_second_one_is(
    certificate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faithfulness_assert.ensemble.check_fits", lambda *_: None)
    for first, second, status in (
        (Fails(), "embedded", "graded"),
        (Fails(), Fails(), "judge_failed"),
    ):
        judges = [Grader(judge).judge for judge in (first, second)]
        result = grade("It is red.", "It is red.", judge=Cascade(*judges, certificate=certificate))
        assert result.status == status
        assert result.pass_ is (status == "graded")


ACCEPTS_NONE: dict[str, Any] = {
    "format": FORMAT,
    "judges": [{}, {}],
    "policy": {},
    "prompts": "",
    "options": {},
    "agree": 0.95,
    "limits": {},
    "cases": 100,
    "accepted": 0,
    "differing": 0,
}


@pytest.mark.parametrize("policy", ["deepeval", "axion", "ragaliq", "masis"])
def test_a_certificate_that_accepts_nothing_accepts_no_answer_without_claims_or_verdicts(
    policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some policies give an answer in which the judge finds no claim 1.0, and rubrics have none."""

    class FindsNothing(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            rows = [{"id": n, "claims": []} for n in ask.ids]
            return (
                Reply(json.dumps({"sentences": rows})) if ask.kind == "claims" else super().ask(ask)
            )

    monkeypatch.setattr("faithfulness_assert.ensemble.check_fits", lambda *_: None)
    second = TruthfulJudge()
    judges = Cascade(FindsNothing(), second, certificate=ACCEPTS_NONE)
    case = ("The gate is open.", ["The gate is shut."])
    result = grade(*case, question="Is it?", judge=judges, policy=policy)
    alone = grade(*case, question="Is it?", judge=TruthfulJudge(), policy=policy)
    assert second.asked
    assert (result.score, result.verdicts) == (alone.score, alone.verdicts)
    blank = grade("", "The gate is shut.", question="Is it?", judge=judges, policy=policy)
    assert blank.metadata["cascade"]["second"] is False  # nobody needs to be asked


def test_what_is_too_long_for_the_first_judge_goes_to_the_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("faithfulness_assert.ensemble.check_fits", lambda *_: None)
    small, large = TruthfulJudge(limits=Limits(prompt_tokens=1200)), TruthfulJudge()
    judges = Cascade(small, large, certificate=ACCEPTS_NONE)
    case: Any = ("The gate is red.", "The gate is red.")
    long = "Why is it red? " * 1000
    assert grade(*case, question=long, judge=small).status == "invalid_input"
    assert grade(*case, question=long, judge=judges).score == 1.0


def test_the_least_confidence_of_a_judge_that_states_one_is_its_certainty() -> None:
    result = grade("It is red. It is wide.", "It is red. It is wide.")
    first, second = result.verdicts
    assert certainty(result) == pytest.approx(0.2)
    for confidences, sure in (((0.9, 0.6), 0.6), ((0.9, None), 0.2)):
        pairs = zip((first, second), confidences, strict=True)
        verdicts = tuple(replace(verdict, confidence=one) for verdict, one in pairs)
        assert certainty(replace(result, verdicts=verdicts)) == pytest.approx(sure)
