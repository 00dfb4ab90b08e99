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
from .strings import function_words, is_blank, lazy_pattern, word_lists

_NEAR = 80
"""Characters. Only what is near a doubtful boundary decides, so long sentences stay cheap."""
_SHORT = 12
"""Characters. A sentence that short may be only an item's label."""

_ENUMERATOR = lazy_pattern(r"\W{0,3}(?:\d{1,9}(?:\.\d{1,3}){0,3}|[^\W\d_]|[ivx]{1,5})[.)]{1,2}")
_DASH = lazy_pattern(r"(?:--|[–—])\s")
_LONE_MARK = lazy_pattern(r"(?:^|\s)[!?]+$")
_ITEM_NUMBER = lazy_pattern(r"(?<!\d)\d{1,2}\.$")
_ADDRESS = lazy_pattern(r"://|www\.|@")
# German writes ordinals and days with a stop, behind a small word: "im 20. Jahrhundert".
_ORDINAL = lazy_pattern(r"\b(?:im|vom|zu[mr]|beim) \d{1,3}\.$", re.IGNORECASE)
_ORDINAL_IN_GERMAN = lazy_pattern(
    r"\b(?:a[mb]|bis|seit|und|d(?:er|ie|as|e[mns])|jede[mnrs]?|(?:sein|ihr)e?[mnrs]?) \d{1,3}\.$",
    re.IGNORECASE,
)

_LAST_WORD = lazy_pattern(r"(?:^|[^\w.])([^\W\d_](?:[^\W\d_]|\.(?=[^\W\d_]))*|[Nn][°º])\.$")
_CONTINUES = lazy_pattern(
    r"[(\[\"'“+]?(?:\d|[a-zà-öø-ÿ])|[-–]\w|[B-HJ-Z](?=[\s.,;:)]|$)"  # vit. D, Mon.-Fri.
)
_CITED = lazy_pattern(r"\bal\.\s?(?:\[[^\[\]]{1,60}\]|\([^()]{1,60}\))$")
_CLOSING_MARKS = lazy_pattern(r"(?<=\S)[)\]}»”’\"'~]{1,5}(?=\s|$)")
# Where a boundary is missing: behind a note or an acronym, and before the number of an item in a
# line. It begins with a sign, which is searched for fast.
_STARTER = (
    "I|It|He|She|They|We|You|This|That|These|Those|There|The|But|However|His|Her|Its|Their|Our|My|"
    "When|If|What|How|Who|Why|Where"
)
_MISSED = lazy_pattern(
    r"""\.(?: (?P<note>(?:(?<=[)\]”"]\.)|(?<=[a-z]{4}\.))\d{1,3}(?:[,–-]\d{1,3}){0,9}\s+(?=[A-Z]))
      | (?P<acronym>(?<=\.[A-Za-z]\.)(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=(?:"""
    + _STARTER
    + r""")\s))
      | [ ](?<=\d[.][ ])(?=[^\W\d_])(?:(?<=[:;!?][ ]\d[.][ ])|(?<=[:;!?][ ]\d\d[.][ ])
          |(?<=[a-z]{4}[.][ ]\d[.][ ])|(?<=[a-z]{4}[.][ ]\d\d[.][ ])) )""",
    re.VERBOSE,
)
_ITEM_START = lazy_pattern(r"\W{0,3}(\d{1,2})[.)]\s")
_ITEM_END = lazy_pattern(r"\s(\W?(\d{1,2})[.)]\s?)$")
_CJK_STOPS = "。！？｡។៕།"
_CJK = lazy_pattern(f"(?P<open>[「『（(【《“])|(?P<close>[」』）)】》”])|(?P<stop>[{_CJK_STOPS}]+)")


def corrected(view: str, cuts: Iterable[int], language: str) -> Iterator[int]:
    """The boundaries of ``view``, in order, made from those that sentencex found."""
    if not view.isascii() and any(stop in view for stop in _CJK_STOPS):
        cuts = {*cuts, *_cjk_cuts(view)}
    end = len(view)
    found = {cut if cut == end or view[cut].isalpha() else _behind_marks(view, cut) for cut in cuts}
    for missed in _MISSED.finditer(view):
        found.add(missed.end() if missed.lastgroup else view.rindex(" ", 0, missed.start()) + 1)
    start, shortened = 0, _shortened(language)
    for cut, next_cut in pairwise([*sorted(found - {0}), end]):
        # As most sentences end: a word of three letters or more, a full stop, a capital.
        is_plain = view[cut - 2 : cut] == ". " and view[cut : cut + 1].isupper()
        if is_plain and cut - start > _SHORT and view[cut - 5 : cut - 2].isalpha():
            word = view[cut - _SHORT : cut - 2].rpartition(" ")[2].lstrip("([\"'“").lower()
            is_end = ("." not in word and word not in shortened) or not _ends_with_abbreviation(
                view[cut - _SHORT : cut - 1], view[cut : cut + _NEAR], language
            )
        else:
            if view[cut - 2 : cut - 1] in ".)":
                cut = _before_item(view, start, cut)
            is_end = start < cut < end and _is_boundary(view, start, cut, next_cut, language)
        if is_end:
            yield cut
            start = cut


def _behind_marks(view: str, cut: int) -> int:
    """The cut behind the closing marks and citations of the sentence: ``known.[4] Next``."""
    marks = _CLOSING_MARKS.match(view, cut)
    return end_of_marks(view, marks.end() if marks else cut)


def _before_item(view: str, start: int, cut: int) -> int:
    """``cut``, or where the next item of a list begins: sentencex cuts behind its number."""
    end = _ITEM_END.search(view, max(start, cut - 8), cut)
    item = _ITEM_START.match(view, start) if end else None
    return end.start(1) if end and item and int(end[2]) == int(item[1]) + 1 else cut


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
    left = view[max(start, cut - _NEAR) : cut].rstrip()
    right = view[cut : min(next_cut, cut + _NEAR)].lstrip()
    if is_blank(left) or is_blank(right):
        return False
    if cut - start < _SHORT and _ENUMERATOR.fullmatch(left):
        return False
    if right[:1].islower() and _CITED.search(left):
        return False
    is_ordinal = _ORDINAL.search(left) or (language == "de" and _ORDINAL_IN_GERMAN.search(left))
    if is_ordinal and right.split(maxsplit=1)[0].casefold() not in function_words():
        return False
    no_space = view[cut - 1] != " "
    if left.endswith(("!", "?")):
        return not (no_space and _LONE_MARK.search(left)) and not _DASH.match(right)
    around = left.rsplit(" ", 1)[-1] + right.split(" ", 1)[0]
    if no_space and (_ITEM_NUMBER.search(left) or _ADDRESS.search(around)):
        return False
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
