"""A quote is found in exactly the sentences that it touches."""

import json

import pytest
from fakes import ScriptedJudge

from faithfulness_assert import GradingResult, grade

TEXTS = ("The shop is open.", "It sells bread.", "It is cheap.")


def quoting(quote: str, evidence: list[object]) -> GradingResult:
    said = {"id": 1, "evidence": evidence, "quote": quote, "label": "supported"}
    judge = ScriptedJudge([json.dumps({"verdicts": [said]})])
    return grade(TEXTS[0], " ".join(TEXTS), judge=judge, controls="off")


@pytest.mark.parametrize(
    ("quote", "numbers", "evidence"),
    [
        *(("The shop is open.", [1], []), ("It sells bread.", [2], []), ("It is cheap.", [3], [])),
        *(("t", [1], []), ("open. I", [1, 2], []), ("open.", [1], []), ("it sells", [2], [])),
        *(("bread. it is", [2, 3], []), ("open. It sells bread. It", [1, 2, 3], [])),
        *(('"It sells  bread."', [2], []), ("It sells wine.", [], []), ("", [], [])),
        *(('""', [], []), ("The shop", [3, 1], ["It is cheap."])),
        ("It is far.", [2, 3], [2, "It is cheap."]),
    ],
)
def test_a_quote_names_the_sentences_that_it_touches_and_no_neighbour(quote, numbers, evidence):
    """A text in place of evidence is a quote, too, and each must be in the context."""
    [verdict] = quoting(quote, evidence).verdicts
    assert [one.sentence for one in verdict.evidence] == numbers
    lost = "far" in quote or "wine" in quote
    assert ("no_such_quote" in verdict.flags) == lost
