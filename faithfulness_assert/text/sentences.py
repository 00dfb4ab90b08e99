"""Where the sentences of plain text begin and end.

sentencex finds the boundaries (some 300 languages); rules here mend what it gets wrong in general, and each is a rule about text, not
about one language's corpus. Every step keeps positions, so that a sentence is a pair of offsets into the text that was given, and every
step is linear: sentencex scans to the end of its input for each open quote, so it is only ever given a window of ``MAX_SENTENCE``.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from .strings import clean_text, is_blank

if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[int, int]

MAX_SENTENCE = 2_000
"""Characters. What runs longer without a boundary is cut at white space, or hard."""

MAX_SENTENCES = 100_000
"""What a text holds beyond so many sentences is only cut into pieces of ``MAX_SENTENCE``."""
MAX_UNIT = 20_000
"""Characters. A longer run without a boundary of a paragraph is read in parts, so that memory and time go with the part."""

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_SPACE = re.compile(r"[^\S ]|[\x00-\x1f]")
_INCH = re.compile(r'(?<=\d)["”](?=[\s,.;)]|$)')


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ---- lines

_BREAKS = re.compile(r"[\n\r\x0b\x0c\x85\u2028\u2029]\s*")
_ITEM = re.compile(r"[-*+•◦▪‣●○]\s|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]\)?\s")
WRAPPED = 60
"""Characters. A line that would be this long with the next word may have been wrapped."""

# ---- boundaries that are wrong

_MAY_END = re.compile(r"[.!?][^\w.!?]*\w|\w\)\s")

_ENUMERATOR = re.compile(r"\W{0,3}(?:\d{1,9}|[A-Za-z]|[ivx]{1,5})[.)]{1,2}")
_SHORT_WORD = re.compile(r"(?:^|[^\w.])([^\W\d_](?:[^\W\d_]|\.(?=[^\W\d_]))*|[Nn][°º])\.$")
_GOES_ON = re.compile(r"[(\"'“]?(?:\d|[a-zà-öø-ÿ])")
_DASH = re.compile(r"(?:--|[–—])\s")
_LONE_MARK = re.compile(r"(?:^|\s)[!?]+$")
_ITEM_NUMBER = re.compile(r"(?<!\d)\d{1,2}\.$")
_ADDRESS = re.compile(r"://|www\.|@|\w/\w")
# Abbreviations after which a small letter or a digit goes on with the sentence, and a capital does not.
_ABBREVIATIONS = _words(
    "approx appx avg ave blvd bldg cf ch circa co col corp dept dist ed eds eq est etc ext excl ff fig figs fn hr hrs hwy inc incl jr "
    "kg km lb lbs ltd max mg min mins ml mo mos mph msg mt no nos nr op orig oz p par para pct pg pl pop pp prov pt pts qty rd ref refs "
    "resp rev sec secs sect sq sr st stat tbl tbsp tel temp tsp univ viz vol vols vs wk wks yd yds yr yrs al "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "abs art bzw ca evtl ggf inkl mind sog str usw vgl zzgl env tél pág págs núm n° nº aprox cad pag sig blz bijv dhr mevr"
)
# Titles: a name follows, so a capital goes on too. Those that are letters as well, by language.
_TITLES = _words("mme mlle mgr mevr dhr dott sra sig fa")
_TITLES_OF = {"fr": _words("m mm")}

# ---- boundaries that are missing

_CITED = r"\[\^?\w{1,12}(?:\s?[,;–-]\s?\^?\w{1,12})*\]|[¹²³⁰⁴-⁹]+|\^\d{1,3}"
_TAIL = re.compile(rf"(?:(?<=\S)[)\]}}»”’\"'~]{{1,5}}(?=\s|$))?(?:\s?(?:{_CITED})){{0,20}}(?=\s|$)")
# Each begins with the one character that it looks for: text without it is passed at the speed of a search for a character.
_NOTE = re.compile(r'\.(?:(?<=[)\]”"]\.)|(?<=[a-z]{4}\.))\d{1,3}(?:[,–-]\d{1,3}){0,9}\s+(?=[A-Z])')
_STARTER = "I|It|He|She|They|We|You|This|That|These|Those|There|The|But|However|His|Her|Its|Their|Our|My|When|If|What|How|Who|Why|Where"
_ACRONYM = re.compile(rf"\.(?<=\.[A-Za-z]\.)(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=(?:{_STARTER})\s)")
_ASIDE = re.compile(r'\)(?<=[.!?]\))\s+(?=["“«])')
_CJK_STOPS = "。！？｡"
_CJK = re.compile(f"(?P<open>[「『（(【《“])|(?P<close>[」』）)】》”])|(?P<stop>[{_CJK_STOPS}]+)")
_INLINE_ITEM = re.compile(r"(?<!\S)[(⁃•]?\s?(\d{1,3}|[a-z])(?:\.\)|[.)）])\s")
_LIST_AFTER = (".", ":", "!", "?", ";", "。", "：", "！", "？", '"', ")")
_FALLBACK = re.compile(r"[.!?]+[\"')\]]*\s+")


def sentence_spans(text: str, language: str = "en") -> list[Span]:
    """The sentences of plain text as ``(start, end)`` character offsets, in order, without overlap and without outer white space.

    Outside the spans there is only white space. ``language`` is an ISO 639 code (``en``, ``pt-BR``); an unknown one is read as English.

    Raises:
        TypeError: ``language`` is no string.
    """
    language = _known(language)
    spans: list[Span] = []
    for start, end in _parts(text):
        if len(spans) >= MAX_SENTENCES:
            spans += in_parts(text, start, len(text))
            break
        if (
            end - start <= MAX_SENTENCE
            and (unit := text[start:end]).isascii()
            and not _MAY_END.search(unit)
        ):
            spans.append((start, end))  # most lines need no more
            continue
        view, places = _view(text[start:end])
        spans += [
            (start + places[first], start + places[last - 1] + 1)
            for first, last in _sentences(view, language)
        ]
    return [span for spread in _widened(text, spans) for span in _trimmed(text, *spread)]


def _known(language: str) -> str:
    if not isinstance(language, str):
        raise TypeError(f"language: must be a string, got {type(language).__name__}")
    code = re.split(r"[-_]", language.strip().lower(), maxsplit=1)[0]
    return code if re.fullmatch("[a-z]{2,3}", code) else "en"


def _widened(text: str, spans: list[Span]) -> Iterator[Span]:
    """Spans that leave no gap: each goes on to where the next begins (invisible characters between two belong to the first)."""
    return pairwise([0, *(start for start, _ in spans[1:]), len(text)])


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    if piece.strip():
        yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _units(text: str) -> Iterator[Span]:
    """Runs of text that a sentence does not leave: paragraphs, and lines that were ended on purpose rather than wrapped."""
    start = line = 0
    for found in _BREAKS.finditer(text):
        place, end = found.span()
        if found[0].count("\n") > 1 or _ends_here(
            text[max(line, place - WRAPPED) : place], text[end : end + WRAPPED]
        ):
            yield start, end
            start = end
        line = end
    yield start, len(text)


def _parts(text: str) -> Iterator[Span]:
    """The units, and those that are too long in parts."""
    for start, end in _units(text):
        while end - start > MAX_UNIT:
            near = (start + MAX_UNIT // 2, start + MAX_UNIT)
            cut = max(text.rfind(mark, *near) + len(mark) for mark in (". ", "。"))
            if cut <= near[0]:
                cut = text.rfind(" ", *near) + 1 or near[1]
            yield start, cut
            start = cut
        yield start, end


def _ends_here(line: str, following: str) -> bool:
    """Whether a line was ended on purpose: the next word had room in it and does not look like the middle of a sentence."""
    if not line.strip() or not following or line.endswith("  ") or _ITEM.match(following):
        return True
    word = following.split(maxsplit=1)[0]
    return len(line) + len(word) < WRAPPED and not word.lstrip("\"'([“‘«„")[:1].islower()


def _view(text: str) -> tuple[str, list[int] | range]:
    """``text`` as sentencex can read it, and the place in ``text`` of each of its characters.

    It panics on a capital, a non-ASCII space and a full stop, and on lone surrogates; a zero-width character hides a boundary from it;
    an inch mark opens a quote that never ends.
    """
    places: list[int] | range = range(len(text))
    if _INVISIBLE.search(text):
        places = [place for place, char in enumerate(text) if not _INVISIBLE.match(char)]
        text = "".join(text[place] for place in places)
    return _INCH.sub("″", _SPACE.sub(" ", clean_text(text))), places


def _sentences(view: str, language: str) -> Iterator[Span]:
    cuts = _numbered(
        view, sorted({_behind(view, cut) for cut in _raw_cuts(view, language)} | _added(view))
    )
    start = 0
    for cut, after in pairwise([*cuts, len(view)]):
        if cut > start and _stands(view, start, cut, after, language):
            yield from in_parts(view, start, cut)
            start = cut
    yield from in_parts(view, start, len(view))


def in_parts(view: str, start: int, end: int) -> Iterator[Span]:
    """``view`` from ``start`` to ``end`` in pieces of at most ``MAX_SENTENCE``, cut at white space where there is some."""
    while end - start > MAX_SENTENCE:
        middle = view.rfind(" ", start, start + MAX_SENTENCE) + 1 or start + MAX_SENTENCE
        yield start, middle
        start = middle
    if start < end:
        yield start, end


def _raw_cuts(view: str, language: str) -> Iterator[int]:
    """Where sentencex ends a sentence, and where one that is too long is cut.

    Each window starts at a boundary and its last sentence, which may go on, starts the next window.
    """
    start = 0
    while len(view) - start > MAX_SENTENCE:
        *whole, last = _segments(view[start : start + MAX_SENTENCE], language)
        for piece in whole:
            start += len(piece)
            yield start
        if not whole:
            start += (last.rfind(" ") + 1) or len(last)
            yield start
    for piece in _segments(view[start:], language):
        start += len(piece)
        yield start


def _segments(window: str, language: str) -> list[str]:
    import sentencex

    try:
        pieces: list[str] = sentencex.segment(language, window)
    except BaseException as error:
        if (
            type(error).__name__ != "PanicException"
        ):  # a panic of Rust code is no Exception; all others go on
            raise
        pieces = []
    if "".join(pieces) == window and window:
        return pieces
    ends = [found.end() for found in _FALLBACK.finditer(window) if found.end() < len(window)]
    return [window[start:end] for start, end in zip([0, *ends], [*ends, len(window)], strict=True)]


def _behind(view: str, cut: int) -> int:
    """The cut, moved behind closing marks and citations that belong to the sentence before: ``known.[4] Next``."""
    found = _TAIL.match(view, cut)
    return found.end() if found else cut


def _added(view: str) -> set[int]:
    cuts = {
        found.end() for pattern in (_NOTE, _ACRONYM, _ASIDE) for found in pattern.finditer(view)
    }
    return cuts | _cjk_stops(view) if any(stop in view for stop in _CJK_STOPS) else cuts


def _cjk_stops(view: str) -> set[int]:
    """After each full stop of Chinese and Japanese text that stands outside brackets and quotes (in any place, where they do not match)."""
    depth = 0
    stops = []
    for found in _CJK.finditer(view):
        depth += (found.lastgroup == "open") - (found.lastgroup == "close")
        if found.lastgroup == "stop":
            stops.append((found.end(), depth))
    return {end for end, inside in stops if not inside or depth}


def _numbered(view: str, cuts: list[int]) -> list[int]:
    """The cuts, with those of a list inside a line (``1. One 2. Two``) set before its numbers.

    After a colon, a list whose items are a few words each says nothing without its lead: it stays whole.
    """
    kept = set(cuts)
    for run in _runs_of_items(view):
        heads, bodies = [head for head, _ in run], [body for _, body in run]
        behind = bisect_right(cuts, bodies[-1])
        ends = [*heads[1:], cuts[behind] if behind < len(cuts) else len(view)]
        led = _before(view, heads[0]).endswith((":", "："))
        if led and all(
            len(view[body:end].split()) <= 3 for body, end in zip(bodies, ends, strict=True)
        ):
            kept.difference_update(cuts[bisect_left(cuts, heads[0]) : bisect_left(cuts, ends[-1])])
        else:
            kept.difference_update(place for body in bodies for place in range(body - 2, body + 1))
            kept.update(heads)
    return sorted(kept - {0})


def _before(view: str, place: int) -> str:
    return view[max(place - 3, 0) : place].rstrip()


def _runs_of_items(view: str) -> list[list[Span]]:
    """``(start of the number, start of the text)`` of items that count on, at least two: 1, 2, 3 or a, b, c."""
    runs: list[list[Span]] = []
    following = ""
    for found in _INLINE_ITEM.finditer(view):
        label = found[1]
        if label == following:
            runs[-1].append(found.span())
        elif found.start() == 0 or (
            label in ("1", "a") and _before(view, found.start()).endswith(_LIST_AFTER)
        ):
            runs.append([found.span()])
        else:
            continue
        following = str(int(label) + 1) if label.isdecimal() else chr(ord(label) + 1)
    return [run for run in runs if len(run) > 1]


def _stands(view: str, start: int, cut: int, after: int, language: str) -> bool:
    """Whether the boundary at ``cut`` stays, given the sentence before it and what follows up to the next one."""
    if (
        cut - start > 12
        and view[cut - 2 : cut] == ". "
        and view[cut - 7 : cut - 2].isalpha()
        and view[cut : cut + 1].isupper()
    ):
        return True  # as most do: a word too long to be an abbreviation, a full stop, a capital
    # Only what is near decides, so that a long sentence is not read again for each doubtful boundary in it.
    left, right = (
        view[max(start, cut - 80) : cut].rstrip(),
        view[cut : min(after, cut + 80)].lstrip(),
    )
    if is_blank(left) or is_blank(right):
        return False
    if cut - start < 12 and _ENUMERATOR.fullmatch(left):
        return False
    if left.endswith(("!", "?")):
        return not ((view[cut - 1] != " " and _LONE_MARK.search(left)) or _DASH.match(right))
    if view[cut - 1] != " " and (
        _ITEM_NUMBER.search(left)
        or _ADDRESS.search(left.rsplit(" ", 1)[-1] + right.split(" ", 1)[0])
    ):
        return False
    word = _SHORT_WORD.search(left) if left.endswith(".") else None
    return not (word and _abbreviates(word[1], right, language))


def _abbreviates(word: str, right: str, language: str) -> bool:
    word = word.lower()
    if word in _TITLES or word in _TITLES_OF.get(language, ()):
        return True
    if "." in word and right[:1].isdigit():
        return word not in ("a.m", "p.m")
    return (word in _ABBREVIATIONS or "." in word or len(word) == 1) and _GOES_ON.match(
        right
    ) is not None
