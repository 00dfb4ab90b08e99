"""Texts for property tests: what a stranger might send, and what a model writes."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st


def part(number: int) -> int:
    """So many, where the profile has 100 examples; in a profile of fewer, as many fewer."""
    return max(number * settings.default.max_examples // 100, 1)


def examples(number: int, **more: Any) -> settings:
    """So many examples, where the profile has 100."""
    return settings(max_examples=part(number), **more)


ODD_CHARACTERS = "\x00\t\r\n\x0b\x0c\x1c\x85\xa0\u00ad\u200b\u200d\u200e\u2028\u202e\u2066\u3000\ud800\udfff\ufeff\U000e0041"
"""White space of every kind, characters that are not seen, and lone surrogates."""

texts = st.text(st.characters() | st.sampled_from(ODD_CHARACTERS), max_size=200)
"""Any text at all."""


def _words(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from(text.split(" "))


_WORDS = _words(
    "The fee is 5%. It rose in 2020! Dr. Smith said “yes”. approx. 3 e.g. U.S. [1] [c1] [^2] (a) 1. 2) a_b x*y café 你好。 「はい。」 . . ."
)
_MARKS = _words(
    "** * _ __ ~~ ` `` ``` ~~~ [ ] ]( ) ![ <b> </b> <p> <li> <br> <think> </think> <!-- --> <sup> <unknown> | \\ \\* $ # ## > - + * • 1. "
    "10. --- === [a]: [^1]: https://x.y {} print(x) \u200b \u00a0"
)
_MARKED = [f"{mark} " for mark in "# ## - * 1. 10. > • ``` ~~~md".split()]
_STARTS = st.sampled_from(
    ["", "\t", *_MARKED, "  - ", "> - ", "    ", "| a | b |", "|---|---|", "- [x] "]
)
_GAPS = st.sampled_from([" ", " ", " ", "", "\n", "\n\n", "\r\n", "\u2028"])

_lines = st.builds(
    lambda start, pieces: start + "".join(piece + gap for piece, gap in pieces),
    _STARTS,
    st.lists(st.tuples(_WORDS | _MARKS, _GAPS), max_size=8),
)
markdown = st.lists(_lines, max_size=10).map("\n".join)
"""Answers that hold every kind of markdown, whole and broken."""

answers = texts | markdown
