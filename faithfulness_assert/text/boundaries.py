"""Corrects the sentence boundaries that sentencex finds.

Each rule is about text in general, not about one language's corpus. A boundary ("cut") is the
offset where the next sentence begins. All rules take time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise

from .citations import end_of_marks
from .number_words import valued
from .strings import function_words, is_blank, lazy_pattern, word_lists

_NEAR = 80
"""Characters. Only what is near a doubtful boundary decides, so long sentences stay cheap."""
_SHORT = 12
"""Characters. A sentence that short may be only an item's label."""

_ENUMERATOR = lazy_pattern(
    r"\W{0,3}(?:\d{1,9}(?:\.\d{1,3}){0,3}|[^\W\d_]|[ivx]{1,5}|[IVX]{2,5})[.)]{1,2}"
)
_ITEM_NUMBER = lazy_pattern(r"(?<!\d)\d{1,2}\.$")
# German writes ordinals and days with a stop, behind a small word: "im 20. Jahrhundert".
_ORDINAL = lazy_pattern(
    r"\b(?:im|vom|zu[mr]|beim|a[mb]|bis|seit|und|d(?:er|ie|as|e[mns])|jede[mnrs]?"
    r"|(?:sein|ihr)e?[mnrs]?) \d{1,3}\.$",
    re.IGNORECASE,
)
_LAST_WORD = lazy_pattern(r"(?:^|[^\w.])([^\W\d_](?:[^\W\d_]|\.(?=[^\W\d_]))*|[Nn][°º])\.$")
_CONTINUES = lazy_pattern(
    r"[(\[\"'“+]?(?:\d|[a-zà-öø-ÿа-яё])|[-–]\w|[B-HJ-Z](?=[\s.,;:)]|$)"  # vit. D, Mon.-Fri.
)
_CITED = lazy_pattern(r"\bal\.\s?(?:\[[^\[\]]{1,60}\]|\([^()]{1,60}\))$")
_CLOSING_MARKS = lazy_pattern(r"(?<=\S)[)\]}»”’\"'~]{1,5}(?=\s|$)")
# Where a boundary is missing: behind the stops of Khmer and Tibetan, before a sentence that begins
# with a number, and before the number of an item in a line, which stands before this space.
_MISSED_STOP = lazy_pattern("[។៕།]+")
_MISSED_NUMBER = {
    "de": lazy_pattern(r"(?<=[^\W\d_]{4})[.] (?=\d)"),
    "zh": lazy_pattern(r"[。！？](?=\d)"),
}
_MISSED_ITEM = lazy_pattern(
    r"\.[ ](?<=\d[.][ ])(?=[^\W\d_])(?:(?<=[:;!?][ ]\d[.][ ])"
    r"|(?<=[:;!?][ ]\d\d[.][ ])|(?<=[a-z]{4}[.][ ]\d[.][ ])|(?<=[a-z]{4}[.][ ]\d\d[.][ ]))"
)


def corrected(view: str, cuts: Iterable[int], language: str) -> Iterator[int]:
    """The boundaries of ``view``, in order, made from those that sentencex found."""
    end = len(view)
    found = {cut if cut == end or view[cut].isalpha() else _behind_marks(view, cut) for cut in cuts}
    found.update(view.rindex(" ", 0, m.start()) + 1 for m in _MISSED_ITEM.finditer(view))
    if before_number := _MISSED_NUMBER.get(language):
        found.update(stop.end() for stop in before_number.finditer(view))
    if not view.isascii():
        found.update(stop.end() for stop in _MISSED_STOP.finditer(view))
    start = 0
    for cut, next_cut in pairwise([*sorted(found - {0}), end]):
        if start < cut and _is_boundary(view, start, cut, next_cut, language):
            yield cut
            start = cut


def _behind_marks(view: str, cut: int) -> int:
    """The cut behind the closing marks and citations of the sentence: ``known.[4] Next``."""
    marks = _CLOSING_MARKS.match(view, cut)
    return end_of_marks(view, marks.end() if marks else cut)


def _is_boundary(view: str, start: int, cut: int, next_cut: int, language: str) -> bool:
    """Whether a sentence that began at ``start`` ends at ``cut``."""
    # As most sentences end: a word, a full stop, a letter.
    if view[cut - 2 : cut] == ". " and cut - start > _SHORT and view[cut : cut + 1].isalpha():
        word = view[cut - _SHORT : cut - 2].rpartition(" ")[2]
        if len(word) > 2 and word.isalpha() and word.lower() not in _shortened(language):
            return True
    left = view[max(start, cut - _NEAR) : cut].rstrip()
    right = view[cut : min(next_cut, cut + _NEAR)].lstrip()
    if is_blank(left) or is_blank(right) or right[0] in ":;,)":
        return False
    if cut - start < _SHORT and _ENUMERATOR.fullmatch(left):
        return False
    if left[-1] in "])":
        return not (right[0].islower() and _CITED.search(left))
    if left[-1] != ".":
        return True
    is_name = left[-2:-1].isupper() and right[:2].isupper()  # ASP.NET
    if view[cut - 1] != " " and (is_name or _ITEM_NUMBER.search(left)):
        return False
    if left[-2:-1].isdigit():
        first = right.split(maxsplit=1)[0].casefold()
        if language != "en" and first.rstrip(".,;:)") in valued("months"):
            return False  # Freitag, 21. Juli
        if _ORDINAL.search(left):
            return first in function_words()
    return not _ends_with_abbreviation(left, right, language)


# ---------------------------------------------------------------- abbreviations and titles


@cache
def _words(section: str) -> frozenset[str]:
    return frozenset(word_lists("abbreviations").get(section, "").split())


@cache
def _shortened(language: str) -> frozenset[str]:
    """The titles and abbreviations of a language, in lower case."""
    return _words("abbreviations") | _words("titles") | _words(f"titles in {language}")


def _ends_with_abbreviation(text: str, following: str, language: str) -> bool:
    """Whether ``text`` ends with an abbreviation, and the sentence continues in ``following``."""
    match = _LAST_WORD.search(text.rpartition(" ")[2])
    if match is None:
        return False
    word = match[1].lower()
    if word in _words("titles") or word in _words(f"titles in {language}"):
        return True
    if len(word) <= 3 and "\u0e01" <= word[0] <= "\u0e2e":
        return True  # Thai ends no sentence with a stop
    if "." in word and following[:1].isdigit():
        return word not in ("a.m", "p.m")
    is_short = word in _words("abbreviations") or "." in word or len(word) == 1
    is_short = is_short or word.endswith("str")  # Bahnhofstr. 9
    return is_short and _CONTINUES.match(following) is not None
