"""Work grows with the size of a text as the text does: no pattern has many readings, and no sink takes more than its share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ambiguity import exponential
from conftest import ROOT
from growth import slow, unreached
from growth_reach import MAY_REFUSE, NEEDS_NO_ROW
from patterns import collected
from strategies import part

from faithfulness_assert import ConfigError
from faithfulness_assert.cases.locate import search
from faithfulness_assert.policy.files import read_data


def test_no_pattern_can_read_a_text_in_exponentially_many_ways() -> None:
    patterns = collected()
    assert len(patterns) > 100
    assert [(p.where, why) for p in patterns if (why := exponential(p.text, p.flags))] == []


@pytest.mark.parametrize(
    ("text", "is_ambiguous"),
    [
        (r"(?:a+)+x", True),
        (r"(?:a*)*x", True),
        (r"(?:a|ab|b)*x", True),
        (r"(?:\s*,\s*)*x", True),
        (r"(?:\w{1,12}|\d{1,9})*x", True),
        (r"(?:a|(?=b)\w)*x", True),
        (r"x(?=(?:a+)+b)", True),
        (r"(?i:(?:A|ab|B)*)x", True),
        (r"(?:\[\w+\]|\[doc-\d\])*x", False),
        (r"(?:\[[\w-]+\]|\[doc-\d\])*x", True),
        (r"(a|b)(?:\1x|bx)*y", True),
        (r"(?:a+b)*x", False),
        (r'"(?:[^"\\]|\\.)*"', False),
        (r"(?:ab|a){1,3}x", False),
        (r"\d{1,3}(?:,\d{3}){0,30}", False),
    ],
)
def test_the_rule_of_patterns_sees_ambiguous_repeats_and_no_others(
    text: str, is_ambiguous: bool
) -> None:
    assert bool(exponential(text)) is is_ambiguous


# ---------------------------------------------------------------- sinks


def test_every_public_name_command_and_file_has_a_row_or_a_reason() -> None:
    missed, refusing = unreached()
    assert set(missed) - set(NEEDS_NO_ROW) == set(), "no row reaches them"
    assert set(NEEDS_NO_ROW) - set(missed) == set(), "a row reaches them: they need no reason"
    assert set(refusing) <= set(MAY_REFUSE), "these rows measure nothing but a refusal"


def test_twice_a_text_takes_about_twice_the_time_wherever_it_goes() -> None:
    assert slow(seed=1, budget=part(40)) == []


# ---------------------------------------------------------------- paths and files of a user

PATHS = json.loads((ROOT / "fixtures" / "costly_paths.json").read_text(encoding="utf-8"))
RECORD = {"text": "Glue.", "parts": [{"body": "It is so.", "key": "k"}]}


@pytest.mark.parametrize("row", PATHS["refused"], ids=lambda row: row["text"] + row["then"][:20])
def test_a_path_that_could_multiply_its_record_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=row["says"]):
        search(row["text"] * row["n"] + row["then"], RECORD)


@pytest.mark.parametrize(("path", "value"), PATHS["allowed"])
def test_a_usual_path_with_lists_and_functions_is_followed(path: str, value: object) -> None:
    assert search(path, RECORD) == value


@pytest.mark.parametrize("key", ["a", '""', "''", '"\\""', " a ", '"a.b"'])
@pytest.mark.parametrize("form", ["{} = 1", "[{}]", "x = {{{} = 1}}"])
def test_a_key_of_toml_with_very_many_parts_is_refused(key: str, form: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(form.format(".".join([key] * 10_000)), encoding="utf-8")
    with pytest.raises(ConfigError, match="joined by dots"):
        read_data(str(file), "policy")
