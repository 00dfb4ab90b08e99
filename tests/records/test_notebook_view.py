"""A result in a notebook: escaped HTML without scripts, told apart without colour."""

import json
import re
from html import unescape

from fakes import ScriptedJudge
from hypothesis import example, given
from hypothesis import strategies as st
from sinks import result_saying
from strategies import texts

from faithfulness_assert import GradingResult, grade

SHELL = re.compile(
    r'<div class="tex2jax_ignore mathjax_ignore"><pre style="white-space:pre-wrap">(.*)</pre></div>',
    re.DOTALL,
)


def text_in(result: GradingResult) -> str:
    """What a browser shows: all of it is the text of two elements without attributes of others."""
    found = SHELL.fullmatch(result._repr_html_())
    assert not re.search("[<>\"']", found[1])
    return unescape(found[1])


def test_a_result_is_what_a_terminal_shows_below_its_name():
    result = grade("It is old. It is <red>.", "It is old.", id="a tower")
    assert text_in(result) == f"a tower\n{result.pretty()}"


def test_what_the_judge_sets_aside_though_it_claims_something_is_called_so():
    told = "set aside by the judge, but it claims something"
    for labels in (["not_a_claim"], ["not_a_claim", "supported"]):
        said = [{"id": n, "evidence": [1], "label": label} for n, label in enumerate(labels, 1)]
        judge = ScriptedJudge([json.dumps({"verdicts": said}), json.dumps({"verdicts": said[:1]})])
        answer = "Adults pay 14 euros. It is old."[: 20 if len(labels) == 1 else None]
        result = grade(answer, "Adults pay 12 euros. It is old.", judge=judge, controls="off")
        assert told in str(result.reason)
    assert f"[unverified: {told}" in text_in(result)


PAYLOADS = [
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</td></table></div><h1>PASS"),
    *("<!-- -->&lt;b&gt;<![CDATA[x]]><?php ?>", "$\\href{javascript:alert(1)}{x}$"),
]


@given(texts | st.sampled_from(PAYLOADS))
@example("a\u202eb\x1b[31m\x00c")
def test_any_text_is_shown_as_text_in_whole_html(text):
    shown = text_in(result_saying(text))
    kept = str.maketrans("", "", "\xa0\u200c\u200d")
    assert all(line.translate(kept).isprintable() for line in shown.split("\n"))
