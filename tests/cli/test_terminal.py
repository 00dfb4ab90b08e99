"""What people see in a terminal: made-up statements marked in the answer, beside the nearest sentence of the context."""

import io
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from command import here as command
from fakes import ScriptedJudge
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from strategies import examples, texts

from faithfulness_assert import Case, GradingResult, Judge, JudgeError, grade
from faithfulness_assert.cli import terminal
from faithfulness_assert.records.judge import PROMPT_CUT

CONTEXT = ["The museum opens at nine.", "Adults pay 14 euros.", "The café is in the garden."]
ANSWER = "The museum opens at nine. Adults pay 24 euros. The shop on the roof sells maps."


def run(*arguments: str, stdin: str = "", **environment: str) -> str:
    """What the command prints, without a word on standard error; nobody has set width or colours."""
    bare = dict.fromkeys(("COLUMNS", "FORCE_COLOR", "NO_COLOR"))
    done = command(*arguments, stdin=stdin, **{**bare, **environment})
    assert done.stderr == ""
    return done.stdout


def shown(
    *pairs: tuple[GradingResult, Case | None], width: int = 80, color: bool = False
) -> tuple[str, int]:
    """What ``show`` prints on a terminal of this width, and the exit code."""
    file = io.StringIO()
    console = Console(
        file=file, width=width, highlight=False, markup=False, emoji=False,
        force_terminal=color, color_system="standard" if color else None,
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal, "_console", lambda: console)
        code = terminal.show(pairs, as_json=False)
    return file.getvalue(), code


def graded(
    answer: str, context: Any = CONTEXT, judge: str | Judge = "embedded", **options: Any
) -> tuple[GradingResult, Case]:
    case = Case(answer, context, id=options.pop("id", "a"))
    return grade(answer, context, id=case.id, judge=judge, **options), case


def test_a_failing_case_shows_its_answer_with_marks_and_what_the_context_says():
    text, code = shown(graded(ANSWER, id="a visit"))
    assert code == 1
    assert text == (
        "FAIL   0.33  a visit\n"
        "  1 of 3 statements supported (2 not enough info): score 0.33 < threshold 0.8.\n"
        "\n"
        "  The museum opens at nine. [?2 Adults pay 24 euros.] [?3 The shop on the roof\n"
        "  sells maps.]\n"
        "\n"
        "  ?2 not enough info: Adults pay 24 euros.\n"
        "     not in the context: “24”\n"
        "     nearest, passage 2: Adults pay 14 euros.\n"
        "\n"
        "  ?3 not enough info: The shop on the roof sells maps.\n"
        "     no sentence of the context shares a word with it\n"
        "\n"
        "1 case: 0 passed, 1 failed, 0 not graded; mean score 0.33 (1 with a score)\n"
        "embedded smoke-test judge: compares words only; name an LLM judge for real\n"
        "grading\n"
        "judge embedded, policy default, threshold 0.80\n"
    )


def test_the_judges_evidence_and_reason_are_shown_in_place_of_the_nearest_sentence():
    verdict = {"id": 1, "evidence": [2], "reason": "It is 14.", "label": "contradicted"}
    judge = ScriptedJudge([json.dumps({"verdicts": [verdict]})])
    text, _ = shown(graded("Adults pay 24 euros.", judge=judge, reasons="all"))
    assert "  [x1 Adults pay 24 euros.]\n" in text
    assert (
        "  x1 contradicted: Adults pay 24 euros.\n"
        "     not in the evidence: “24”; the context says “14 euros”\n"
        "     evidence, passage 2: Adults pay 14 euros.\n"
        "     judge: It is 14.\n" in text
    )
    assert "nearest" not in text


def test_a_passing_case_is_one_line_also_with_a_long_name():
    passing = graded(CONTEXT[0], id="long " * 50)
    for width in (20, 40, 80, 200):
        text, code = shown(passing, passing, width=width)
        first, second, blank, *_ = text.splitlines()
        assert code == 0
        assert first.startswith("PASS   1.00")
        assert (first, blank) == (second, "")
        assert cell_len(first) <= width
    assert "1 of 1 statements supported" in shown(graded(CONTEXT[0], id="a"))[0]


def test_prompts_that_were_cut_are_one_line_for_all_cases():
    def cut(tokens: int) -> GradingResult:
        warning = f"the server counted {tokens} prompt tokens: {PROMPT_CUT}"
        return replace(graded(CONTEXT[0])[0], metadata={"warnings": [warning]})

    text, _ = shown((cut(40), None), (cut(41), None), width=200)
    assert "2 cases whose prompt the server may have cut" in text
    assert text.count("prompt") == 1


def test_of_statements_that_nobody_judged_nothing_is_shown():
    judge = ScriptedJudge([JudgeError("Check api_key.", "auth")])
    result, case = graded("It is 9. It is 5.", judge=judge)
    text, code = shown((result, case))
    assert (code, "Check api_key." in text) == (3, True)
    for seen in (text, result.pretty()):
        assert "unverified" not in seen
        assert "It is 9" not in seen


def test_of_many_problems_and_of_a_long_answer_only_a_part_is_shown():
    rooms = " ".join(f"Room {number} has {number * 7 + 3} chairs." for number in range(3000))
    text, _ = shown(graded(rooms))
    assert text.count("not enough info:") == 10
    assert "and 2,990 more statements" in text
    assert "chairs.] […]\n" in text
    assert len(text) < 5000
    text, _ = shown(graded(f"{CONTEXT[0]} " * 2000 + "It is old."))
    assert "[…]" in text
    assert "It is old.]" in text
    assert len(text) < 1200


def test_marks_are_legible_without_colour_and_colour_adds_nothing():
    case = graded(ANSWER)
    plain, colored = shown(case)[0], shown(case, color=True)[0]
    assert "\x1b" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain


LINES = st.sampled_from(
    [
        *(
            "::error::run me",
            "##vso[task.complete]",
            "word " * 30,
            "x" * 300,
            "塔高三百三十米" * 20,
        ),
        *("\x1b[31mPASS\x1b[0m", "\u202egnp", "e\u0301" * 50, "- [x9 fake] mark", "[?1 PASS 1.00]"),
        *("[bold]b[/bold] :smile: [link=file:///a]c[/link]", "👩‍👩‍👧‍👦" * 40),
        "| a | b |\n|---|---|\n| It is | 5 |",
    ]
)
hostile = st.lists(LINES | texts, min_size=1, max_size=6).map("\n\n".join)


@examples(150)
@given(hostile, hostile, st.sampled_from([20, 40, 80, 133]))
def test_no_text_leaves_the_width_or_acts_on_a_terminal_or_a_ci_log(answer, other, width):
    case = graded(answer, [other, "It is old."], id=other[:300])
    text, _ = shown(case, width=width)
    for line in text.split("\n"):
        assert cell_len(line) <= width + 3 * line.count("\\x")  # what is escaped gets longer
        assert line == "" or line.isprintable() or {"\u200c", "\u200d"} & set(line)
        assert not line.lstrip().startswith("::")
        assert "##vso[" not in line


def test_the_demo_fits_on_a_page_and_shows_what_was_made_up_beside_the_context():
    text = run("demo")
    assert len(text.splitlines()) <= 40
    assert max(map(cell_len, text.splitlines())) <= 80
    assert "nearest, passage 2: Adults pay 14 euros." in text


@pytest.mark.parametrize(
    ("environment", "colored"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
    ids=["a pipe", "forced", "no colour"],
)
def test_there_is_no_colour_in_a_pipe_unless_it_is_wanted(environment, colored):
    text = run("demo", **environment, TERM="xterm-256color")
    assert bool(re.search(r"\x1b\[[\d;]*3\dm", text)) == colored
    assert ("\x1b" in text) == bool(environment)  # NO_COLOR leaves bold
