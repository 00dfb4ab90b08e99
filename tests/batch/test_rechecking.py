"""``compare --recheck`` tells a judge that changed from a system that did, over HTTP."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import Done, here
from loopback import Answer, Loopback, Request, good_reply, refusal_to
from true_server import answered, said, text_of

from faithfulness_assert.batch import run
from faithfulness_assert.batch.comparison import Shift
from faithfulness_assert.statistics import Pair

CASES = 40
KEY = "sk-0123456789abcdef"
JUDGE = ("--judge", "openai:m")
Serve = Callable[[Request], Answer]


def data(path: Path, wrong: int) -> str:
    """A data set in which so many of the answers are wrong."""
    cases = [
        {
            "id": f"q{n}",
            "answer": f"House {n} has {n + 200 if n < wrong else n + 100} rooms.",
            "context": [f"House {n} has {n + 100} rooms. It is red."],
        }
        for n in range(CASES)
    ]
    path.write_text(json.dumps(cases))
    return str(path)


def stricter(request: Request) -> Answer:
    """A judge that rejects what it granted before: all about a house with an odd number."""
    text = text_of(request)
    reply = said(text)
    for verdict in reply["verdicts"]:
        if re.search(r"House \d*[13579] ", text):
            verdict.update(label="not_enough_info", evidence=[])
    return good_reply(request, json.dumps(reply))


def graded(directory: Path, file: str, judge: Serve, **options: Any) -> str:
    """The directory of a run over this data set."""
    with Loopback(judge) as server:
        given = {"judge": "openai:m", "base_url": server.url, "api_key": KEY, **options}
        run(file, directory, progress=False, **given)
    return str(directory)


def compared(judge: Serve, *arguments: str) -> Done:
    """What the command ``compare`` says while this judge answers."""
    with Loopback(judge) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.setenv("OPENAI_API_KEY", KEY)
        return here("compare", *arguments)


def test_a_judge_that_changed_is_named_and_no_answer_is_called_worse(tmp_path):
    """Nor does the store answer that the first run filled."""
    file = data(tmp_path / "answers.json", 0)
    a = graded(tmp_path / "a", file, answered, cache=tmp_path / "store")
    b = graded(tmp_path / "b", file, stricter)
    without = compared(stricter, a, b)
    assert without.returncode == 1
    told = compared(stricter, a, b, "--recheck", *JUDGE)
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.startswith("b is not shown to be worse than a: the judge grades lower")
    assert "the judge grades lower than it did then" in told.stdout
    assert "second run are worse" not in told.stdout
    assert "40 of 40 cases are asked again: about 40 asks" in told.stderr
    assert KEY not in told.stdout + told.stderr


def test_a_system_that_changed_is_named_and_the_judge_is_not(tmp_path):
    file, other = data(tmp_path / "old.json", 0), data(tmp_path / "new.json", 20)
    a, b = graded(tmp_path / "a", file, answered), graded(tmp_path / "b", other, answered)
    told = compared(answered, a, b, "--recheck", "30", *JUDGE, "--markdown")
    assert told.returncode == 1, told.stdout + told.stderr
    found = "30 cases of the first run, asked again of today's judge: the answers of the second run"
    assert f"- {found} are worse" in told.stdout
    assert "judge grades" not in told.stdout
    assert "30 of 40 cases are asked again" in told.stderr


def test_rows_without_ids_are_the_same_rows_also_after_an_inserted_one(tmp_path):
    rows = json.loads(Path(data(tmp_path / "all.json", 20)).read_text())
    rows = [{"answer": row["answer"], "context": row["context"]} for row in rows]
    for name, chosen in (("a", rows[1:]), ("b", rows)):
        (tmp_path / f"{name}.json").write_text(json.dumps(chosen))
        graded(tmp_path / name, str(tmp_path / f"{name}.json"), answered)
    told = compared(
        answered,
        str(tmp_path / "a"),
        str(tmp_path / "b"),
        "--max-regressed",
        "0",
        "--recheck",
        *JUDGE,
    )
    assert "no change was found" in told.stdout
    assert "the system: mean score 0.513 -> 0.513" in told.stdout
    assert "p = 1 for no change" in told.stdout


@pytest.mark.parametrize("judge", [answered, stricter])
def test_a_loss_whose_cause_so_few_cases_do_not_show_stays_a_loss(judge, tmp_path):
    file, other = data(tmp_path / "old.json", 0), data(tmp_path / "new.json", 20)
    new = file if judge is stricter else other
    a, b = graded(tmp_path / "a", file, answered), graded(tmp_path / "b", new, judge)
    told = compared(judge, a, b, "--recheck", "3", *JUDGE)
    assert told.returncode == 1, told.stdout + told.stderr
    assert told.stdout.startswith("b is worse than a")
    assert "no change was found, neither of the judge nor of the system" in told.stdout
    assert "Whether the judge or the system did it, so few cases cannot tell" in told.stdout


def grants_all(request: Request) -> Answer:
    """A judge that grants all that it is asked about, its controls too."""
    reply = said(text_of(request))
    for verdict in reply["verdicts"]:
        verdict.update(label="supported", evidence=[1], reason="")
    return good_reply(request, json.dumps(reply))


def test_a_judge_that_fails_its_controls_blames_nobody(tmp_path):
    more = " The roof of the house has red tiles. Its garden was planted by two brothers."
    cases = json.loads(Path(data(tmp_path / "answers.json", 10)).read_text())
    cases = [{**case, "context": [case["context"][0] + more]} for case in cases]
    (tmp_path / "answers.json").write_text(json.dumps(cases))
    file = str(tmp_path / "answers.json")
    a, b = graded(tmp_path / "a", file, answered), graded(tmp_path / "b", file, answered)
    told = compared(grants_all, a, b, "--recheck", *JUDGE)
    assert told.returncode == 2, told.stdout
    assert "--recheck: today the judge failed 40 of 80 controls: do not trust" in told.stderr


def test_what_cannot_be_asked_again_is_an_error_that_names_the_fix(tmp_path):
    file = data(tmp_path / "answers.json", 0)
    a, b = graded(tmp_path / "a", file, answered), graded(tmp_path / "b", file, answered)
    c = graded(tmp_path / "c", file, answered, threshold=0.5)
    given = ("--recheck",)
    for arguments, problem in (
        ((a, b, *given, "--judge", "openai:n"), 'judge.name: was "openai:m", is "openai:n"'),
        ((a, c, *given, *JUDGE), "the runs have other policies"),
        ((a, file, *given, *JUDGE), "not results of a run"),
        ((a, b, *given, *JUDGE, "-o", "split=claims"), "cases are asked again as the second run"),
    ):
        told = compared(answered, *arguments)
        assert told.returncode == 2
        assert problem in " ".join(told.stderr.split())
    told = compared(lambda _: refusal_to(401, "no such key"), a, b, *given, *JUDGE)
    assert told.returncode == 2
    assert "only 0 of 40 cases could be graded today" in told.stderr


@pytest.mark.parametrize(("judge", "system"), [(0.06, 0.0), (0.0, 0.06), (0.0, 0.0)])
def test_a_shift_is_blamed_on_what_shifted(judge, system):
    """Of 300 cases with six statements each, of which so many get lost."""
    chance = random.Random(11)

    def case() -> list[float]:
        """The scores of a case: as A had it, as today's judge sees it, and as B has it."""
        sure = [chance.choice([0.9, 0.9, 0.9, 1.0, 0.5]) for _ in range(6)]
        kept = (1.0, 1 - judge, (1 - judge) * (1 - system))
        return [sum(chance.random() < one * share for one in sure) / 6 for share in kept]

    def named() -> tuple[bool, ...]:
        cases = [case() for _ in range(300)]
        pairs = ([Pair(c[n] >= 0.8, c[n + 1] >= 0.8, *c[n : n + 2]) for c in cases] for n in (0, 1))
        return tuple(Shift(each).is_found for each in pairs)

    found = [named() for _ in range(10)]
    for side, shift in enumerate((judge, system)):
        times = sum(one[side] for one in found)
        assert times >= 9 if shift else times <= 2


def test_runs_that_lack_grades_are_not_rechecked_and_it_says_why(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    for directory, context in ((a, "It is red."), (b, 3)):
        case = {"id": "1", "answer": "It is red.", "context": context}
        run([case], directory, progress=False)
    told = here("compare", str(a), str(b), "--recheck", "5", *JUDGE)
    assert told.returncode == 3
    assert "note: nothing was asked again: " in told.stderr
