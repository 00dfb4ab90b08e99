"""Work grows with the size of a text as the text does: no pattern has many readings, and no sink takes more than its share."""

from __future__ import annotations

import pytest
from ambiguity import exponential
from patterns import Found, collected


@pytest.mark.parametrize("found", collected(), ids=lambda found: found.where)
def test_no_pattern_can_read_a_text_in_exponentially_many_ways(found: Found) -> None:
    assert exponential(found.text, found.flags) == ""


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
