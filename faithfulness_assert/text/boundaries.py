"""Corrects the sentence boundaries that sentencex finds.

Each rule is about text in general, not about one language's corpus. A boundary ("cut") is the
offset where the next sentence begins. All rules take time in proportion to the text.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from .abbreviations import ends_with_abbreviation
from .inline_lists import cut_at_items
from .patterns import lazy_pattern
from .strings import is_blank

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NEAR = 80
"""Characters. Only what is near a doubtful boundary decides, so long sentences stay cheap."""
_SHORT = 12
"""Characters. A sentence that short may be only an item's label."""

# ---- boundaries that are wrong

_ENUMERATOR = lazy_pattern(r"\W{0,3}(?:\d{1,9}|[A-Za-z]|[ivx]{1,5})[.)]{1,2}")
_DASH = lazy_pattern(r"(?:--|[–—])\s")
_LONE_MARK = lazy_pattern(r"(?:^|\s)[!?]+$")
_ITEM_NUMBER = lazy_pattern(r"(?<!\d)\d{1,2}\.$")
_ADDRESS = lazy_pattern(r"://|www\.|@|\w/\w")

# ---- boundaries that are missing

_CITED = "|".join(
    (
        r"\[\^?\w{1,12}(?:\s?[,;–-]\s?\^?\w{1,12})*\]",
        r"[¹²³⁰⁴-⁹]+|\^\d{1,3}|\^\[\d{1,3}\]",
        r"\[(?=[^\[\]\s]{0,100}\d)[\w.:#@-]{1,100}\]",  # [doc_1_chunk_0]
        r"[\[(](?i:sources?|docs?|documents?|refs?|passages?|chunks?|cite)\b[^\[\]()\n]{1,100}[\])]",
        r"\([A-Za-z]\w{0,30}[_-]\d{1,6}\)",  # (doc-3)
        r"【[\dA-Za-z][\w.:†#-]{0,60}】",
    )
)
_CLOSING_MARKS = r"(?:(?<=\S)[)\]}»”’\"'~]{1,5}(?=\s|$))?"
_TAIL = lazy_pattern(rf"{_CLOSING_MARKS}(?:\s?(?:{_CITED})){{0,20}}(?:(?=\s|$)|(?<=】))")
# Each pattern begins with the one character that it looks for: text without it is passed quickly.
_NOTE = re.compile(r'\.(?:(?<=[)\]”"]\.)|(?<=[a-z]{4}\.))\d{1,3}(?:[,–-]\d{1,3}){0,9}\s+(?=[A-Z])')
_STARTER = (
    "I|It|He|She|They|We|You|This|That|These|Those|There|The|But|However|His|Her|Its|Their|Our|My|"
    "When|If|What|How|Who|Why|Where"
)
_ACRONYM = re.compile(rf"\.(?<=\.[A-Za-z]\.)(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=(?:{_STARTER})\s)")
_PARENTHESIS = re.compile(r'\)(?<=[.!?]\))\s+(?=["“«])')
_CJK_STOPS = "。！？｡"
_CJK = lazy_pattern(f"(?P<open>[「『（(【《“])|(?P<close>[」』）)】》”])|(?P<stop>[{_CJK_STOPS}]+)")


def corrected(view: str, cuts: Iterable[int], language: str) -> Iterator[int]:
    """The boundaries of ``view``, in order, made from those that sentencex found."""
    candidates = {_behind_marks(view, cut) for cut in cuts} | _missed(view)
    start = 0
    for cut, next_cut in pairwise([*cut_at_items(view, sorted(candidates)), len(view)]):
        if cut > start and _is_boundary(view, start, cut, next_cut, language):
            yield cut
            start = cut


def _behind_marks(view: str, cut: int) -> int:
    """The cut behind the closing marks and citations of the sentence: ``known.[4] Next``."""
    if view[cut : cut + 1].isalpha():
        return cut
    tail = _TAIL.match(view, cut)
    return tail.end() if tail else cut


def _missed(view: str) -> set[int]:
    patterns = (_NOTE, _ACRONYM, _PARENTHESIS)
    cuts = {match.end() for pattern in patterns for match in pattern.finditer(view)}
    if not any(stop in view for stop in _CJK_STOPS):
        return cuts
    return cuts | {_behind_marks(view, cut) for cut in _cjk_cuts(view)}


def _cjk_cuts(view: str) -> set[int]:
    """Behind each Chinese or Japanese full stop outside brackets and quotes.

    Where the brackets of a text do not match, behind all of them.
    """
    depth = 0
    stops = []
    for match in _CJK.finditer(view):
        depth += (match.lastgroup == "open") - (match.lastgroup == "close")
        if match.lastgroup == "stop":
            stops.append((match.end(), depth))
    return {end for end, inside in stops if not inside or depth}


def _is_boundary(view: str, start: int, cut: int, next_cut: int, language: str) -> bool:
    """Whether a sentence that began at ``start`` ends at ``cut``."""
    if _ends_plainly(view, start, cut):
        return True
    left = view[max(start, cut - _NEAR) : cut].rstrip()
    right = view[cut : min(next_cut, cut + _NEAR)].lstrip()
    if is_blank(left) or is_blank(right):
        return False
    if cut - start < _SHORT and _ENUMERATOR.fullmatch(left):
        return False
    no_space = view[cut - 1] != " "
    if left.endswith(("!", "?")):
        return not (no_space and _LONE_MARK.search(left)) and not _DASH.match(right)
    if no_space and (_ITEM_NUMBER.search(left) or _is_inside_address(left, right)):
        return False
    return not ends_with_abbreviation(left, right, language)


def _ends_plainly(view: str, start: int, cut: int) -> bool:
    """As most sentences end: a word too long to be an abbreviation, a full stop, a capital."""
    word, stop, capital = view[cut - 7 : cut - 2], view[cut - 2 : cut], view[cut : cut + 1]
    return cut - start > _SHORT and stop == ". " and word.isalpha() and capital.isupper()


def _is_inside_address(left: str, right: str) -> bool:
    return _ADDRESS.search(left.rsplit(" ", 1)[-1] + right.split(" ", 1)[0]) is not None
