"""Corrects the sentence boundaries that sentencex finds.

Each rule is about text in general, not about one language's corpus. A boundary ("cut") is the
offset where the next sentence begins. All rules take time in proportion to the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from .citations import end_of_marks
from .strings import is_blank, lazy_pattern, word_lists

_NEAR = 80
"""Characters. Only what is near a doubtful boundary decides, so long sentences stay cheap."""
_SHORT = 12
"""Characters. A sentence that short may be only an item's label."""

# ---- boundaries that are wrong

_ENUMERATOR = lazy_pattern(r"\W{0,3}(?:\d{1,9}|[^\W\d_]|[ivx]{1,5})[.)]{1,2}")
_DASH = lazy_pattern(r"(?:--|[–—])\s")
_LONE_MARK = lazy_pattern(r"(?:^|\s)[!?]+$")
_DAY = lazy_pattern(r"\b(?:am|vom|bis|zum|ab|den|dem|der|seit|und|[Aa]m|Am|Vom|Ab|Seit) \d{1,2}\.$")
_ITEM_NUMBER = lazy_pattern(r"(?<!\d)\d{1,2}\.$")
_ADDRESS = lazy_pattern(r"://|www\.|@|\w/\w")

_LAST_WORD = lazy_pattern(r"(?:^|[^\w.])([^\W\d_](?:[^\W\d_]|\.(?=[^\W\d_]))*|[Nn][°º])\.$")
_CONTINUES = lazy_pattern(
    r"[(\[\"'“+]?(?:\d|[a-zà-öø-ÿ])|[-–]\w|[B-HJ-Z](?=[\s.,;:)]|$)"  # vit. D, Mon.-Fri.
)
_CITED = lazy_pattern(r"\bal\.\s?(?:\[[^\[\]]{1,60}\]|\([^()]{1,60}\))$")
_MONTH = lazy_pattern(
    r"(?:Jan|Feb|März|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-zä]{0,6}\b(?!\s(?:is|was|has|will)\b)"
)

# ---- boundaries that are missing

_CLOSING_MARKS = lazy_pattern(r"(?<=\S)[)\]}»”’\"'~]{1,5}(?=\s|$)")
# Each pattern begins with the one character that it looks for: text without it is passed quickly.
_NOTE = lazy_pattern(
    r'\.(?:(?<=[)\]”"]\.)|(?<=[a-z]{4}\.))\d{1,3}(?:[,–-]\d{1,3}){0,9}\s+(?=[A-Z])'
)
_STARTER = (
    "I|It|He|She|They|We|You|This|That|These|Those|There|The|But|However|His|Her|Its|Their|Our|My|"
    "When|If|What|How|Who|Why|Where"
)
_ACRONYM = lazy_pattern(rf"\.(?<=\.[A-Za-z]\.)(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=(?:{_STARTER})\s)")
_PARENTHESIS = lazy_pattern(r'\)(?<=[.!?]\))\s+(?=["“«])')
_CJK_STOPS = "。！？｡។៕།"
_CJK = lazy_pattern(f"(?P<open>[「『（(【《“])|(?P<close>[」』）)】》”])|(?P<stop>[{_CJK_STOPS}]+)")


def corrected(view: str, cuts: Iterable[int], language: str) -> Iterator[int]:
    """The boundaries of ``view``, in order, made from those that sentencex found."""
    candidates = {_behind_marks(view, cut) for cut in cuts} | _missed(view)
    start = 0
    for cut, next_cut in pairwise([*_cut_at_items(view, sorted(candidates)), len(view)]):
        if cut > start and _is_boundary(view, start, cut, next_cut, language):
            yield cut
            start = cut


def _behind_marks(view: str, cut: int) -> int:
    """The cut behind the closing marks and citations of the sentence: ``known.[4] Next``."""
    if view[cut : cut + 1].isalpha():
        return cut
    marks = _CLOSING_MARKS.match(view, cut)
    return end_of_marks(view, marks.end() if marks else cut)


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
    if right[:1].islower() and _CITED.search(left):
        return False
    if _DAY.search(left) and _MONTH.match(right):
        return False
    no_space = view[cut - 1] != " "
    if left.endswith(("!", "?")):
        return not (no_space and _LONE_MARK.search(left)) and not _DASH.match(right)
    around = left.rsplit(" ", 1)[-1] + right.split(" ", 1)[0]
    if no_space and (_ITEM_NUMBER.search(left) or _ADDRESS.search(around)):
        return False
    return not _ends_with_abbreviation(left, right, language)


def _ends_plainly(view: str, start: int, cut: int) -> bool:
    """As most sentences end: a word too long to be an abbreviation, a full stop, a capital."""
    word, stop, capital = view[cut - 7 : cut - 2], view[cut - 2 : cut], view[cut : cut + 1]
    return cut - start > _SHORT and stop == ". " and word.isalpha() and capital.isupper()


# ---------------------------------------------------------------- abbreviations and titles


@cache
def _words(section: str) -> frozenset[str]:
    return frozenset(word_lists("abbreviations").get(section, "").split())


def _ends_with_abbreviation(text: str, following: str, language: str) -> bool:
    """Whether ``text`` ends with an abbreviation, and the sentence continues in ``following``."""
    match = _LAST_WORD.search(text.rpartition(" ")[2]) if text.endswith(".") else None
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
    return is_short and _CONTINUES.match(following) is not None


# ---------------------------------------------------------------- numbered lists inside a line


_ITEM_LABEL = lazy_pattern(r"(?<!\S)[(⁃•]?\s?(\d{1,3}|[a-z])(?:\.\)|[.)）])\s")
# The end of a label, which is found faster than a label: most texts have none.
_LABEL_END = lazy_pattern(r"[.)）](?<=[\da-z].)(?<![^\s(⁃•\d][\da-z].)\)?\s")
_BEFORE_LIST = (".", ":", "!", "?", ";", "。", "：", "！", "？", '"', ")")
_COLONS = (":", "：")
_SHORT_ITEM = 3
"""Words. Items that short need the text before the list to mean something."""


class _Item(NamedTuple):
    start: int  # where its label begins
    body: int  # where its text begins


def _cut_at_items(view: str, cuts: list[int]) -> list[int]:
    """The sentence boundaries ``cuts``, with those of inline lists moved before the item labels.

    A list of short items after a colon stays in one piece with the text before it.
    """
    kept = set(cuts)
    for items in _lists(view):
        next_cut = bisect_right(cuts, items[-1].body)
        end = cuts[next_cut] if next_cut < len(cuts) else len(view)
        starts = [item.start for item in items]
        texts = (
            view[item.body : stop] for item, stop in zip(items, [*starts[1:], end], strict=True)
        )
        are_short = all(len(text.split()) <= _SHORT_ITEM for text in texts)
        if are_short and _ends_before(view, starts[0]).endswith(_COLONS):
            kept.difference_update(cuts[bisect_left(cuts, starts[0]) : bisect_left(cuts, end)])
        else:
            for item in items:  # no boundary between a label and its text
                kept.difference_update(range(item.body - 2, item.body + 1))
            kept.update(starts)
    return sorted(kept - {0})


def _lists(view: str) -> list[list[_Item]]:
    """The items of each list: at least two, whose labels count up from 1 or a."""
    lists: list[list[_Item]] = []
    next_label = ""
    if not _LABEL_END.search(view):
        return []
    for match in _ITEM_LABEL.finditer(view):
        label, item = match[1], _Item(*match.span())
        if label == next_label:
            lists[-1].append(item)
        elif item.start == 0 or (
            label in ("1", "a") and _ends_before(view, item.start).endswith(_BEFORE_LIST)
        ):
            lists.append([item])
        else:
            continue
        next_label = str(int(label) + 1) if label.isdecimal() else chr(ord(label) + 1)
    return [items for items in lists if len(items) > 1]


def _ends_before(view: str, place: int) -> str:
    """The last characters before ``place``, without white space."""
    return view[max(place - 3, 0) : place].rstrip()
