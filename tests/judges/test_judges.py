"""What a judge says about itself, and the table of judges."""

import re

import pytest

from faithfulness_assert import Ask, ConfigError, Reply
from faithfulness_assert.judges import JUDGES, make_judge, option_names
from faithfulness_assert.judges.embedded import EmbeddedJudge
from faithfulness_assert.records.judge import ASK_KINDS, JudgeInfo, Limits, judge_info


class MinimalJudge:
    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        return Reply("yes")


def test_a_judge_that_says_nothing_about_itself_has_defaults_and_its_class_as_name():
    info = judge_info(MinimalJudge())
    assert info == JudgeInfo("MinimalJudge", limits=Limits(), asks=ASK_KINDS, identity=None)
    assert (info.remote, info.keeps_deadline, info.never_contradicts) == (False, False, False)


def test_plain_attributes_say_what_a_judge_is():
    class NamedJudge(MinimalJudge):
        name = "x"
        limits = Limits(statements=3)
        asks = ("what this judge was asked",)  # its own affair
        remote = True

    expected = JudgeInfo("x", remote=True, limits=Limits(statements=3))
    assert judge_info(NamedJudge()) == expected


@pytest.mark.parametrize(
    ("name", "value"), [("limits", 5), ("asks", "verdicts"), ("asks", ["novels"]), ("asks", 5)]
)
def test_an_invalid_attribute_is_named(name, value):
    with pytest.raises(ConfigError, match=f"^judge: its '{name}' must be"):
        JudgeInfo("x", **{name: value})


def test_each_judge_is_one_row_that_names_an_existing_class_and_its_form():
    for kind, (_, form) in JUDGES.items():
        assert re.fullmatch(rf"{kind}(:[A-Z_]+)?", form)
        assert isinstance(option_names(form), list)  # it loads the class


def test_unknown_judges_and_options_are_errors_that_help():
    with pytest.raises(ConfigError, match="unknown judge 'opnai:m'"):
        make_judge("opnai:m", {})
    with pytest.raises(ConfigError, match="seed: the judge 'embedded' has no such option"):
        make_judge("embedded", {"seed": 1})
    with pytest.raises(ConfigError, match="with an 'ask' method; got int"):
        make_judge(5, {})
    with pytest.raises(ConfigError, match="seed: the judge is passed as an object"):
        make_judge(MinimalJudge(), {"seed": 1})
    assert isinstance(make_judge("embedded", {}), EmbeddedJudge)
    assert make_judge("openai:chat:gpt-4o", {"api_key": "x"}).info.name == "openai:gpt-4o"
