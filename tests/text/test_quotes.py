"""A quote is found in exactly the sentences that it touches."""

import pytest

from faithfulness_assert.records.model import Evidence
from faithfulness_assert.text.sentences import Quotable, resolve

TEXTS = ("The shop is open.", "It sells bread.", "It is cheap.")
SENTENCES = tuple(Evidence(n, "p", 0, len(text), text) for n, text in enumerate(TEXTS, 1))
CONTEXT = Quotable.of(SENTENCES)


@pytest.mark.parametrize(
    ("quote", "numbers"),
    [
        ("The shop is open.", (1,)),
        ("It sells bread.", (2,)),
        ("It is cheap.", (3,)),
        ("t", (1,)),
        ("open. I", (1, 2)),
        ("open.", (1,)),
        ("it sells", (2,)),
        ("bread. it is", (2, 3)),
        ("open. It sells bread. It", (1, 2, 3)),
        ('"It sells  bread."', (2,)),
        ("It sells wine.", ()),
        ("", ()),
        ('""', ()),
    ],
)
def test_a_quote_names_the_sentences_that_it_touches_and_no_neighbour(quote, numbers):
    assert CONTEXT.find(quote) == numbers


def test_each_line_of_a_quote_must_be_in_the_context():
    assert resolve((), "It is cheap.\n\nThe shop", SENTENCES, CONTEXT) == (
        (SENTENCES[2], SENTENCES[0]),
        (),
    )
    assert resolve((2,), "It is cheap.\nIt is far.", SENTENCES, CONTEXT) == (
        (SENTENCES[1], SENTENCES[2]),
        ("no_such_quote",),
    )
