"""The reader of citations: where a text names its sources. It knows no ids of passages.

Splitting asks it what stands behind a full stop, and which pieces are nothing but a citation; the
flag of numbers and the embedded judge, which parts of a statement are no facts; and the audit,
which brackets to look into. Brackets cite if they hold numbers, ids, files, pages, or an author and
a year: ``[1-3]``, ``[^1]``, ``[My file 2.pdf, p. 3]``, ``【4†source】``, ``[Data: Rows (3)]``.
Parentheses need a word for sources, a file, an address, or an author and a year. Other forms are
``^1^``, ``##5$$``, ``<cite>``, superscripts behind a word, addresses, and ``Source: …``.
``[sic]``, ``[1969]``, ``[1,234]`` and ``(2020)`` cite nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Literal, NamedTuple

from .learned import is_topic, scores
from .number_words import valued
from .strings import is_blank, lazy_pattern, word_lists, word_set

Style = Literal["brackets", "parentheses", "sign"]
MOST_MARKS = 20
"""Citations in a row behind a sentence."""
LONGEST_TITLE = 160
"""Characters of a line that names a source and claims nothing."""
LONGEST_LABEL = 40
"""Characters of a line that heads a list of sources."""
NO_CLAIM = -100
"""The score from which on what is written as a source claims nothing beside it."""

_MARK = lazy_pattern(
    r"[\[［](?P<brackets>[^\[\]［］\n]{1,200})[\]］](?:\(#(?P<target>[^()\s]{1,200})\)|(?!\())"
    r"|【(?P<lenses>[^【】\n]{1,200})】|(?<![\]］])[(（](?P<parentheses>"
    r"[^()（）\[\]［］\n]{1,200}(?:[(（][^()（）\n]{1,20}[)）])?)[)）]|\{(?P<braces>[^{}\n]{1,200})\}"
    r"|(?P<sign>##\d{1,4}\$\$|<cite\b[^<>\n]{0,100}>[^<>\n]{0,200}</cite>"
    r"|(?<=[^\W\d_][^\W\d_.,;:!?)\"”’。])\^\d{1,3}\^?(?!\w)|(?<=[.,;:!?)\"”’。])\^\d{1,3}\^?(?!\w)"
    r"|(?<=[^\W\d_]{3})[¹²³⁰⁴-⁹]{1,3}|(?<=[.,;:!?)\"”’。])[¹²³⁰⁴-⁹]{1,3})"
)
_MAY_CITE = lazy_pattern(r"[\[(（【{^<#¹²³⁰⁴-⁹［]")
_ASCII = str.maketrans("：，、；", ":,,;")
_DENSE_ENDS = "】］）"
"""Behind these the next sentence may begin without a space."""
MARKS = " \t^@#*"
"""What may stand around an id."""

_NOTE = r"\^[\w-]{1,20}\^?"
_ID = r"(?:\d{1,3}|[A-Za-z]{1,10}[-_]?\d{1,6})"
_ITEM = rf"(?:{_NOTE}|{_ID}(?:\s?-\s?{_ID}){{0,20}})"
_LISTED = lazy_pattern(
    rf"(?!\d{{1,3}},\d{{3}}$){_ITEM}(?:\s?(?:[–—,;]\s?{_ITEM}|-\s?{_NOTE})){{0,20}}"
    r"|(?=\S*\d)(?=\S*[^\W\d_])(?=\S*[_#:@=-])[\w.:#@=/-]{1,100}"
)
_AT_STOP = lazy_pattern(r"\^?\w{1,12}(?:\s?[,;–-]\s?\^?\w{1,12})*|(?=\S*\d)[\w.:#@=-]{1,100}")
_FILE = r"\.(?:pdf|docx?|md|txt|html?|csv|xlsx?|json|pptx?|epub|xml)\b"
_FILE_NAME = lazy_pattern(rf"[\w.-]{{1,100}}{_FILE}")
_ADDRESS = lazy_pattern(r"\S{0,80}(?:://|www\.|@)\S{0,200}|\b(?:doi:\s?)?10\.\d{4,9}/\S{1,100}")
_OF_ADDRESSES = ("://", "www.", "@", "10.")
_LINES_OF_FILE = lazy_pattern(r"\b\w[\w/-]{1,80}\.[A-Za-z]{1,5}:\d{1,6}(?:[-–]\d{1,6})?\b")
"""``app.py:109-162``."""
_YEAR = r"[12]\d{3}[a-z]?(?:[:,]\s?(?:pp?\.?\s?)?\d{1,4}(?:[-–]\d{1,4})?)?"
_AUTHORS = lazy_pattern(
    rf"(?P<first>[A-Z][^\W\d_]*)(?:[^()\d\n]{{0,80}}(?:,|et al\.?,?|&)|[^()\d\s]{{0,30}})? {_YEAR}"
    rf"(?:\s?;\s?[A-Z][^()\d\n]{{0,80}} {_YEAR}){{0,9}}"
)
_LIST_MARKER = lazy_pattern(r"\s*[(]?[0-9]{1,3}(?:[.][0-9]{1,3}){0,3}[.)](?=\s|$)")
_ENTRY = lazy_pattern(
    rf"\W*[A-Z][\w'’-]{{1,30}},? (?:[A-Z]\.|et al|&|and )[^\n]{{0,120}}?\(?{_YEAR}\)?[.,:]"
)
"""How the line of a bibliography begins: with authors and a year."""
_WORD = lazy_pattern(r"[^\W\d_]+")
_ENCLOSED = lazy_pattern(r"[\[(（【](?P<in>.{1,200})[\])）】]\W?")
_TOKEN = lazy_pattern(r"《[^《》]{1,60}》|「[^「」]{1,60}」|§+|\d[\w./:-]*|[^\W\d_]+")
_NUMERAL = lazy_pattern("[IVXLC]+|[^\\W\\d_\u3040-\uffff]")
_NAME_BEHIND_PLACE = lazy_pattern("P[PNn]*W")
_SOURCE_NAME = lazy_pattern(r"\b[A-Z][^\W\d_]{3,}|\b[12]\d{3}\b")


Trust = Literal["", "perhaps", "surely"]
_SURELY = "sources", "only with a colon"
_PERHAPS = "may be sources", "data"
"""The words before a colon that name a source, or that may."""


class Mark(NamedTuple):
    """Something that may cite: where it is, what it holds, and the target of a link in the text."""

    start: int
    end: int
    content: str
    style: Style
    target: str = ""

    @classmethod
    def of(cls, found: re.Match[str]) -> Mark:
        listed = found["brackets"] or found["lenses"]
        style: Style = "brackets" if listed else "sign" if found["sign"] else "parentheses"
        content = listed or found["parentheses"] or found["braces"] or found["sign"]
        return cls(*found.span(), content.translate(_ASCII), style, found["target"] or "")


def groups(text: str) -> Iterator[Mark]:
    """All brackets, parentheses and signs of a text that may cite, in order."""
    return map(Mark.of, _MARK.finditer(text)) if _MAY_CITE.search(text) else iter(())


def cites(mark: Mark) -> bool:
    """Whether a mark is a citation by its looks alone."""
    if mark.style == "sign" or mark.target:
        return True
    text = mark.content.strip(MARKS)
    authors = _AUTHORS.fullmatch(text)
    if authors and authors["first"].casefold() not in valued("months"):
        return True
    if _named().search(text) or _ADDRESS.search(text):
        return True
    return mark.style == "brackets" and _LISTED.fullmatch(mark.content.strip()) is not None


@cache
def _named() -> re.Pattern[str]:
    """What names a source inside of brackets: a file, a dagger, a page, or a word for sources."""
    source = rf"(?:{any_of('sources', 'may be sources')})(?:\s?[:#=_.-]\s?\S|\s\d|\d|\s[A-Z]\b)"
    measure = rf"(?:{any_of('measures')})\s?[=:]\s?0?\.\d{{1,6}}$"
    measure += r"|(?:relevan|pertinen|rilevan)[a-z]{1,3}\s?[=:]\s?\d{1,3}\s?%$"
    return re.compile(
        rf"{_FILE}|†|^pp?\.\s?\d|^(?:(?:{any_of('see')})\s)?(?:{source}|{measure}"
        rf"|(?:{any_of('only with a colon', 'data')})\s?:)",
        re.IGNORECASE,
    )


def _is_place(text: str) -> bool:
    """Whether brackets only name places in a source: (see Annex C), (GDPR, Art. 17).

    All words are names or words for places, with a number or letter behind one of these. A name
    stands before them, or behind "of". So "Section 3 Repealed" and "2 pages" are none.
    """
    found = _ENCLOSED.fullmatch(text)
    for part in re.split("[;；]", found["in"]) if found else ():
        part = re.sub(rf"^\s?(?:{any_of('see')})(?!\w)", "", part, flags=re.IGNORECASE)
        kinds = "".join(map(_kind_of, _TOKEN.findall(part)))
        if "PN" not in kinds or "x" in kinds or _NAME_BEHIND_PLACE.search(kinds):
            return False
    return found is not None


def _kind_of(word: str) -> str:
    """Whether a word is one for a place, a number or letter, usual in titles, or a name."""
    if word.casefold() in word_set("citations", "places") or word[0] in "§「":
        return "P"
    if word[0].isdigit() or _NUMERAL.fullmatch(word):
        return "N"
    if word in word_set("citations", "titles"):
        return "U"
    return "n" if word[0] == "《" or word.isupper() else "W" if word[0].isupper() else "x"


def end_of_marks(text: str, place: int) -> int:
    """Where the citations end that stand behind a sentence which ends at ``place``."""
    end = place
    for _ in range(MOST_MARKS):
        start = place + (text[place : place + 1] == " ")
        if not (found := _MARK.match(text, start)):
            break
        mark, place = Mark.of(found), found.end()
        is_listed = mark.style == "brackets" and _AT_STOP.fullmatch(mark.content)
        if not is_listed and not cites(mark):
            break
        if not text[place : place + 1].strip() or text[place - 1] in _DENSE_ENDS:
            end = place
    return end


def without_marks(text: str) -> str:
    """A text without its citations; a full stop behind one then follows the word."""
    parts, done = [], 0
    for mark in filter(cites, groups(text)):
        parts.append(text[done : mark.start].removesuffix(" "))
        done = mark.end
        if text[done : done + 1] and text[done] in ".,;:!?。！？":
            done += 1
        parts.append(f"{text[mark.end : done]} ")
    return "".join([*parts, text[done:]]) if parts else text


def without_references(text: str) -> str:
    """A text with spaces for its list marker, citations and addresses, each in its place."""
    spans = [(m.start, m.end) for m in groups(text) if cites(m) or text[m.start] == "【"]
    if any(map(text.__contains__, _OF_ADDRESSES)):  # found much faster
        spans += [found.span() for found in _ADDRESS.finditer(text)]
    if ":" in text:
        spans += [found.span() for found in _LINES_OF_FILE.finditer(text)]
    if marker := _LIST_MARKER.match(text):
        spans.append(marker.span())
    return blanked(text, spans) if spans else text


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text with spaces for these spans, each in its place."""
    parts, done = [], 0
    for start, end in sorted(spans):
        if end > done:
            begin = max(start, done)
            parts += [text[done:begin], " " * (end - begin)]
            done = end
    return "".join([*parts, text[done:]])


def is_reference(text: str, *, listed: Trust = "", may_link: bool = False) -> bool:
    """Whether a piece of a text only names sources: "[a.pdf, p. 3]", "Source: Annual Report 2019".

    It claims nothing beside them, nor in their names. Behind words that name much else, as in
    "Basis: Glass breakage", a title is one only beside a file, a page, an address or a bracket.

    Args:
        listed: how sure it is that it stands in a list of sources, where authors, year and title
            will do.
        may_link: whether words as weak as "Basis:", "Link:" or "See also:" may say so, which a
            judge decides.
    """
    has_colon = ":" in text or "：" in text  # found much faster
    link = _before_colon("source lines").match(text) if has_colon and may_link else None
    sure = _before_colon(*_SURELY).match(text) if has_colon else None
    label = sure or (_before_colon(*_PERHAPS).match(text) if has_colon else None) or link
    if len(text) > 2 * LONGEST_TITLE or not (
        label or listed or _MAY_CITE.search(text) or "/" in text
    ):
        return False
    if (listed and _ENTRY.match(text)) or _is_place(text):
        return True
    said = text[label.end() :] if label else text
    rest = _FILE_NAME.sub(" ", _ADDRESS.sub(" ", without_marks(said)))
    has_form = rest != said or text.startswith(("[", "【")) or _place().search(rest) is not None
    rest = _LIST_MARKER.sub("", rest)
    if is_blank(rest) and link:
        return True
    is_sure = sure or listed == "surely" or has_form or may_link
    is_title = _is_title(rest) or bool(link and is_topic(rest.strip()))
    if not (is_sure if is_blank(rest) else is_sure and (label or listed) and is_title):
        return False
    return scores(text).talk > NO_CLAIM


@cache
def _place() -> re.Pattern[str]:
    """A page of a source, or another place in it: "p. 3"."""
    places = "|".join(word_set("citations", "places"))
    return re.compile(rf"\b(?:{places})[.:]?\s?\d", re.IGNORECASE)


def may_be_title(text: str) -> bool:
    """Whether a sentence in an entry of a bibliography can be a title. In doubt it claims."""
    text = without_marks(text)
    return _is_title(text) or (scores(text).talk > 0 and "!" not in text)


def source_names(text: str) -> list[str]:
    """The names, years and files of a citation, without addresses and words such as "Source"."""
    text = _ADDRESS.sub(" ", text)
    names = [*_FILE_NAME.findall(text), *_SOURCE_NAME.findall(_FILE_NAME.sub(" ", text))]
    places = word_set("citations", "places")
    return [name for name in names if not (name.casefold() in places or heads_sources(name))]


def heads_sources(text: str) -> Trust:
    """How sure it is that a heading, or a line such as "Sources:", is over a list of sources."""
    if len(text) > LONGEST_LABEL or text.endswith((".", "!", "?")):
        return ""
    words = text.strip(" *_#:：").casefold()
    said = f"{words}:"
    sure, perhaps = (_before_colon(*sections).match(said) for sections in (_SURELY, _PERHAPS))
    if words in word_set("citations", "headings") or (sure and sure.end() == len(said)):
        return "surely"
    return "perhaps" if perhaps and perhaps.end() == len(said) else ""


@cache
def _before_colon(*sections: str) -> re.Pattern[str]:
    words = any_of(*sections)
    return re.compile(rf"[\W_]{{0,6}}(?:{words})[*_]{{0,2}}\s?[:：][*_\s]*", re.IGNORECASE)


def any_of(*sections: str) -> str:
    """The words of these sections as alternatives of a pattern."""
    words = "\n".join(word_lists("citations")[section].strip() for section in sections)
    return words.replace("\n", "|")


def _is_title(text: str) -> bool:
    """Whether a short text is a name or a title, whose words have capitals."""
    words = _WORD.findall(text)
    small = (word for word in words if not word[0].isupper())
    usual = word_set("citations", "titles")
    is_short = len(text) <= LONGEST_TITLE and not any(mark in text for mark in "!?。")
    return is_short and all(word in usual for word in small)
