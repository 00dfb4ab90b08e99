"""Which language a text is in, and where the sentences of plain text begin and end.

A script tells the language, or else small words. sentencex finds the boundaries (some 300
languages), and ``boundaries`` corrects them. Every step keeps positions, so a sentence is a pair of
offsets into the given text. Every step takes time in proportion to the text: sentencex scans to the
end of its input for each open quote, so it only ever gets a window of ``MAX_SENTENCE``.

The sentences of a context are numbered, so that the references and quotes of verdicts can be
resolved to them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, chain, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import name

from ..records.model import Evidence
from .boundaries import corrected
from .strings import clean_text, is_blank, lazy_pattern, one_line, word_lists

if TYPE_CHECKING:
    from ..cases.case import Case

FIND = "auto"
"""Stands for the language that a text seems to be in."""
ENOUGH = 600
"""Characters of a text that tell its language."""

# What Unicode calls the letters of a script that only one language here has.
_SCRIPTS = dict(
    zip(
        "HIRAGANA KATAKANA CJK HANGUL CYRILLIC ARABIC THAI DEVANAGARI BENGALI TAMIL HEBREW GREEK "
        "ARMENIAN GEORGIAN MYANMAR KHMER TIBETAN".split(),
        "ja ja zh ko ru ar th hi bn ta he el hy ka my km bo".split(),
        strict=True,
    )
)
_FIRST_SCRIPT = "\u0370"
"""Before it stand the letters of Latin."""
_WORD = lazy_pattern(r"[^\W\d_]{2,}|[àèéêóyíоиюя]")

Span = tuple[int, int]

MAX_SENTENCE = 2_000
"""Characters. A longer run without a boundary is cut, at white space if there is any."""
WRAPPED = 60
"""Characters. A line that would be this long with the next word may have been wrapped."""

_INVISIBLE = lazy_pattern("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_SPACE = lazy_pattern(r"[^\S ]|[\x00-\x1f]")
_BREAKS = lazy_pattern(r"[\n\r\x0b\x0c\x85\u2028\u2029]\s*")
_ITEM = lazy_pattern(r"[-*+•◦▪‣●○]\s|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5}|[IVX]{2,5})[.)]\)?\s")
LABEL = lazy_pattern(r"[^\W\d_][^\n:：.!?]{0,40}(?:[:：](?!\S*[/\d])|(?<=[\u3040-\uffff])[:：])")
INNER_STOP = lazy_pattern(r"\w\w[.!?][\"')»”]? [^\W\d_a-z]")
_EARLY_STOP = lazy_pattern(r"(?:\S+ ){0,2}\S*\w\w[.!?][\"')»”]? [^\W\d_a-z]")
_MAY_END = lazy_pattern(r"[.!?)](?:(?<!\))[^\w.!?]*\w|(?<=\w\))\s)")
_STOP = lazy_pattern(r"[.!?][\"')»”’]?\s|[。！？](?=[^\W_])")
_MARKS = r"[\"“”„«»‹›「」『』《》<>(){}']"
_MARK = lazy_pattern(_MARKS)
_PAIRED = lazy_pattern(rf"{_MARKS}(?:(?<!\w')|(?!\w))")
MOST_INSIDE = 3
"""Sentences that quotes or brackets hold together as one."""
_FALLBACK = lazy_pattern(r"[.!?]+[\"')\]]*\s+")


@cache
def _small_words() -> dict[str, tuple[str, ...]]:
    """The languages of each small word."""
    found: dict[str, list[str]] = {}
    for code, words in word_lists("languages").items():
        for word in words.split():
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items()}


def language_of(text: str, given: str) -> str:
    """The code of a language that is given, or else found in the text."""
    return find_language(text) if given == FIND else given


@lru_cache(maxsize=64)
def find_language(text: str) -> str:
    """The ISO 639-1 code of a text's language; English where nothing tells another one.

    A name in another script does not tell it: most of the letters do.
    """
    text = text[:ENOUGH]
    if not text.isascii():
        letters = [char for char in text if char.isalpha()]
        named = (name(char, "").partition(" ")[0] for char in letters if char >= _FIRST_SCRIPT)
        scripts = Counter(map(_SCRIPTS.get, named))
        if 3 * scripts["ja"] > len(letters):  # Japanese has Chinese signs, too
            return "ja"
        for code, count in scripts.items():
            if code and 2 * count > len(letters):
                return code
    words = set(_WORD.findall(text.lower()))
    counts = Counter(code for word in words for code in _small_words().get(word, ()))
    best = max(counts, key=lambda code: (counts[code], code == "en", code), default="en")
    return best if counts[best] > max(counts["en"], 1) else "en"


# ---------------------------------------------------------------- sentences


def sentence_spans(text: str, language: str = FIND) -> list[Span]:
    """The sentences of plain text as ``(start, end)`` character offsets.

    The spans are in order, do not overlap, and neither begin nor end with white space. Outside them
    there is only white space. ``language`` is an ISO 639 code (``en``, ``pt-BR``), or ``auto``: the
    text tells it. An unknown code is read as English.
    """
    code = _code(language_of(text, language))
    is_usual = text.isprintable()  # nothing is invisible, and no white space but spaces
    starts: list[int] = []  # of sentences
    for start, end in pairwise([0, *_line_ends(text, is_usual), len(text)]):
        part = text[start:end]
        if len(part) <= MAX_SENTENCE and part.isascii() and not _MAY_END.search(part):
            starts.append(start)  # most lines need no more
            continue
        view, places = _view(part, is_usual or part.isprintable())
        cuts = [0, *corrected(view, _raw_cuts(view, code), code)] if view else []
        if len(view) > MAX_SENTENCE:
            whole = pairwise([*cuts, len(view)])
            cuts = [at for span in whole for at in range(*span, MAX_SENTENCE)]
        starts += [start + places[at] for at in cuts]
    # Each ends where the next begins, so invisible characters between two belong to the first.
    starts[:1] = [0]
    spans = []  # each as ``trimmed`` makes it, without its call for each sentence of a context
    for start, end in pairwise([*starts, len(text)]):
        if said := text[start:end].rstrip():
            spans.append((start + len(said) - len(said.lstrip()), start + len(said)))
    return spans


@cache
def _code(language: str) -> str:
    code = re.split(r"[-_]", language.strip().lower(), maxsplit=1)[0]
    return code if re.fullmatch("[a-z]{2,3}", code) else "en"


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without the white space at its ends."""
    piece = text[start:end].rstrip()
    return start + len(piece) - len(piece.lstrip()), start + len(piece)


# ---------------------------------------------------------------- paragraphs and lines


def _line_ends(text: str, is_usual: bool) -> Iterator[int]:
    """Where a paragraph ends, or a line that does not wrap: no sentence crosses that."""
    line = 0
    for gap in () if is_usual else _BREAKS.finditer(text):
        place, end = gap.span()
        last_line, next_line = text[max(line, place - WRAPPED) : place], text[end : end + WRAPPED]
        if gap[0].count("\n") > 1 or _ends_on_purpose(last_line, next_line):
            yield end
        line = end


def _ends_on_purpose(line: str, next_line: str) -> bool:
    """Whether a line was not wrapped: the next word had room in it, or begins something new."""
    if not line.strip() or not next_line or line.endswith("  ") or _ITEM.match(next_line):
        return True
    if LABEL.match(next_line) and next_line[0] == next_line[0].upper():
        return True
    is_open = line.rstrip()[-1] not in ".!?:;"
    if (is_open and INNER_STOP.search(line)) or _EARLY_STOP.match(next_line):
        return False  # sentences end within lines
    if is_open and next_line[0].isdigit() and line.count(" ") > 2 and not line[0].isdigit():
        return False  # "The contract costs" and "40 euros a year"
    word = next_line.split(maxsplit=1)[0]
    return len(line) + len(word) < WRAPPED and not word.lstrip("\"'([“‘«„")[:1].islower()


# ---------------------------------------------------------------- what sentencex does


def _view(text: str, is_usual: bool) -> tuple[str, list[int] | range]:
    """``text`` as sentencex can read it, and the place in ``text`` of each of its characters.

    sentencex panics on lone surrogates, and on a capital, a non-ASCII space and a full stop. An
    invisible character hides a boundary from it.
    """
    places: list[int] | range = range(len(text))
    if not is_usual:
        if not text.isascii() and _INVISIBLE.search(text):
            places = [place for place, char in enumerate(text) if not _INVISIBLE.match(char)]
            text = "".join(text[place] for place in places)
        text = _SPACE.sub(" ", clean_text(text))
    return text, places


def _raw_cuts(view: str, language: str) -> list[int]:
    """Where sentencex ends a sentence, and where a sentence that is too long is cut.

    Each window starts at a boundary. Its last sentence may continue, so it starts the next window.
    """
    start, cuts = 0, list[int]()
    while len(view) - start > MAX_SENTENCE:
        *whole, last = _segments(view[start : start + MAX_SENTENCE], language)
        for size in [*map(len, whole)] or [(last.rfind(" ") + 1) or len(last)]:
            start += size
            cuts.append(start)
    for piece in _segments(view[start:], language):
        start += len(piece)
        cuts.append(start)
    return cuts


def _segments(window: str, language: str) -> list[str]:
    import sentencex

    try:
        pieces: list[str] = sentencex.segment(language, window)
    except BaseException as error:
        # A panic of Rust code is not an Exception. Every other error is raised again.
        if type(error).__name__ != "PanicException":
            raise
        pieces = []
    if window and "".join(pieces) == window:
        if _MARK.search(window):
            pieces = [part for piece in pieces for part in _apart(piece, language)]
        return pieces
    ends = [stop.end() for stop in _FALLBACK.finditer(window) if stop.end() < len(window)]
    return [window[start:end] for start, end in pairwise([0, *ends, len(window)])]


def _apart(piece: str, language: str) -> list[str]:
    """The sentences of a piece, if it is several within quotes, brackets, or what looks so.

    sentencex takes all between two marks for a part of one sentence: the inches of two pipes.
    """
    plain = _PAIRED.sub(" ", piece)
    if plain == piece or len(_STOP.findall(piece.rstrip())) < MOST_INSIDE:
        return [piece]
    ends = accumulate(map(len, _segments(plain, language)[:-1]))
    cuts = [0, *(end for end in ends if not piece[end].islower()), len(piece)]
    are_several = len(cuts) > MOST_INSIDE + 1
    return [piece[start:end] for start, end in pairwise(cuts)] if are_several else [piece]


# ---------------------------------------------------------------- the sentences of a context

MAX_EVIDENCE = 20
MAX_QUOTES = 50
"""Quotes of one verdict that are looked up. Each is searched for in the whole context."""
_QUOTES = "\"'“”‘’«»「」„ .…"


def number_sentences(case: Case, language: str = FIND) -> tuple[Evidence, ...]:
    """The sentences of all passages, numbered once per case from 1, without blank ones.

    A language that is not given is that of the answer.
    """
    language = language_of(case.answer, language)
    found = list[Evidence]()
    for passage in case.context:
        text, spans = passage.text, sentence_spans(passage.text, language)
        for start, end in _in_lines(text, spans) if "\n" in text else spans:
            if not is_blank(said := text[start:end]):
                found.append(Evidence(len(found) + 1, passage.id, start, end, said))
    return tuple(found)


SHORT_LINE = 24
"""Characters of a line in a run of very short ones: a table of a PDF has a number to a line."""
LINE = 80
"""Characters of what such lines are joined to, so that not each of them has a number."""


def _in_lines(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans, with runs of very short lines joined."""
    first, last = -1, -1
    for start, end in spans:
        is_short = end - start <= SHORT_LINE and text[end - 1] not in ".!?。！？"
        if is_short and first >= 0 and end - first <= LINE and "\n" in text[last:start]:
            last = end
            continue
        if first >= 0:
            yield first, last
        first, last = (start, end) if is_short else (-1, -1)
        if not is_short:
            yield start, end
    if first >= 0:
        yield first, last


class Quotable(NamedTuple):
    """The context on one line in lower case, made once per case, and where each sentence begins."""

    text: str
    starts: tuple[int, ...]

    @staticmethod
    def of(sentences: Sequence[Evidence]) -> Quotable:
        """The context that consists of these sentences."""
        lines = [one_line(sentence.text).casefold() for sentence in sentences]
        starts = accumulate((len(line) + 1 for line in lines[:-1]), initial=0)
        return Quotable(" ".join(lines), tuple(starts))

    def find(self, quote: str) -> tuple[int, ...]:
        """The numbers of the sentences that contain ``quote``; () if it is not in the context."""
        wanted = one_line(quote).strip(_QUOTES).casefold()
        place = self.text.find(wanted) if wanted else -1
        if place < 0:
            return ()
        first = bisect_right(self.starts, place)
        last = bisect_right(self.starts, place + len(wanted) - 1)
        return tuple(range(first, last + 1))


def resolve(
    numbers: Sequence[int], quote: str, sentences: Sequence[Evidence], quotable: Quotable | None
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """The sentences that a verdict refers to or quotes, and flags.

    The flag ``no_such_quote`` means that a quote is not in the context, or one of too many.
    """
    lines = [line for line in quote.splitlines() if not is_blank(line)] if quote else []
    quoted = [quotable.find(line) for line in lines[:MAX_QUOTES]] if quotable else []
    wanted = dict.fromkeys(chain(numbers, *quoted))
    unproven = () in quoted or len(lines) > MAX_QUOTES
    flags = ("no_such_quote",) if unproven else ()
    return tuple([sentences[number - 1] for number in islice(wanted, MAX_EVIDENCE)]), flags
