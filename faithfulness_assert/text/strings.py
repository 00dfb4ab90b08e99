"""Small helpers for text from outside: clean it, compare it, cut it, make it safe to show.

Every room may use this file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Generic, TypeVar, cast

from ..files import open_text

T = TypeVar("T")

MAX_SHOWN = 200
"""Characters of a text in a message or a report."""
MAX_VALUES = 2_000_000
"""Values in a JSON text of others that is read as a whole."""

DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Scripts that put no spaces between words, as the inside of a set of characters in a pattern."""
FIRST_DENSE = "\u3040"
"""The first letter of those of East Asia."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_TAG = re.compile("[\U000e0020-\U000e007e]")
_VISIBLE = re.compile(r"[^\W_]")
_SIGN = re.compile("[€£¥\u2190-\u22ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")
_WORDS = re.compile(r"\w+")
_IN_WORDS = bytes(n if _WORDS.match(chr(n)) and n < 128 else 32 for n in range(256)).lower()
# Zero-width and bidirectional characters hide and reorder text. Joiners are kept where a script or
# an emoji needs them.
_HIDDEN = r"\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_JOINERS = r"\u034f\u200c\u200d\ufe00-\ufe0f"
_UNSEEN = re.compile(rf"(?<![^\x00-\u05ff])[{_JOINERS}{_HIDDEN}]+|[{_HIDDEN}]+")
_MAY_BE_UNSEEN = re.compile(f"[{_JOINERS}{_HIDDEN}]")  # searched much faster
_SHOWN = "\n\u200c\u200d"
# Lines that a CI's log would run as commands: ::error:: on GitHub, ##vso[...] on Azure.
_LOG_COMMAND = re.compile(r"^(?P<before>[^\S\n]*):(?=:)|#(?=#\w*\[)", re.MULTILINE)


def clean_text(text: str) -> str:
    """``text`` with each lone surrogate replaced by U+FFFD, so that it can be encoded.

    Every other character keeps its position.
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def without_tags(text: str) -> str:
    """``text`` with Unicode tag characters replaced by their ASCII twins.

    Tag characters are invisible to people, but models read them.
    """
    if text.isascii() or text.isprintable():  # which a tag character is not
        return text
    return _TAG.sub(lambda tag: chr(ord(tag[0]) & 0x7F), text)


def is_blank(text: str) -> bool:
    """Whether ``text`` contains no letter and no digit."""
    return not text[:1].isalnum() and _VISIBLE.search(text) is None  # most begin with one


def has_sign(text: str) -> bool:
    """Whether ``text`` has a tick, star, arrow, emoji or sign of money, which may say something."""
    return _SIGN.search(text) is not None


def names_of(items: Iterable[object], limit: int = 12) -> str:
    """Names for a message: the first ``limit``, sorted, each cut to 40 characters."""
    names = sorted(clean_text(str(item))[:40] for item in items)
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return (", ".join(names[:limit]) or "none") + more


def key_words(key: str) -> list[str]:
    """The words of a key, such as ``retrievedContexts``: in small letters, in the singular."""
    words = [word.lower() for word in _KEY_WORD.findall(key[:200])]
    words = [f"{w[:-3]}y" if len(w) > 4 and w.endswith("ies") else w for w in words]
    return [w[:-1] if len(w) > 3 and w[-1] == "s" and w[-2] != "s" else w for w in words]


def parse_json(text: str, **ways: Any) -> Any:
    """What a JSON text of others says. A list takes 60 bytes, and only three to write.

    Raises:
        ValueError: it is not JSON, or has more than ``MAX_VALUES`` values.
    """
    check_values(text)
    return json.loads(text, **ways)


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, as ``object_pairs_hook``. Raises ``ValueError`` if a key occurs twice."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value


def check_values(text: str) -> None:
    """Raises ``ValueError`` if a JSON text may have more than ``MAX_VALUES`` values."""
    if len(text) > MAX_VALUES and sum(map(text.count, "[{,")) > MAX_VALUES:
        raise ValueError(f"more than {MAX_VALUES:,} values")


def one_line(text: str) -> str:
    """``text`` as a reader sees it, on one line: without invisible characters, single spaces."""
    if not text.isascii() and _MAY_BE_UNSEEN.search(text):
        text = _UNSEEN.sub("", text)
    if text.isprintable() and "  " not in text:  # most texts, in half the time
        return text.strip()
    return " ".join(text.split())


def counted(count: int, what: str) -> str:
    """How many there are of something: "1 case", "3,000 cases"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def clip(text: str, limit: int = MAX_SHOWN) -> str:
    """``text`` on one line and cut to ``limit`` characters."""
    line = one_line(text)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def visible(text: str) -> str:
    """``text`` with escapes for everything that is hidden or that a terminal or CI log acts on."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(
            char
            if (char.isprintable() and not "\U000e0000" <= char <= "\U000e0fff") or char in _SHOWN
            else char.encode("unicode_escape").decode("ascii")
            for char in text
        )
    return _LOG_COMMAND.sub(lambda sign: f"{sign['before'] or ''}\\x{ord(sign[0][-1]):x}", text)


def visible_line(text: str) -> str:
    """``visible``, on one line: a file's name may have line breaks."""
    return visible(text).replace("\n", "\\n")


def visible_json(text: str) -> str:
    """JSON on one line with the same meaning, in which a terminal or a CI log acts on nothing.

    Outside of its strings JSON has no character that is escaped here.
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
    return _LOG_COMMAND.sub(lambda sign: f"{sign['before'] or ''}\\u{ord(sign[0][-1]):04x}", text)


def text_key(text: str) -> str:
    """A key that is equal for texts that a judge may take for the same statement."""
    return one_line(text).casefold().rstrip(".")


def is_same(text: str, statement: str) -> bool:
    """Whether a text only repeats a statement, apart from case, markup and punctuation."""
    return statement != "" and plain_words(text) == plain_words(statement)


def plain_words(text: str) -> str:
    """The words and numbers of a text, without anything between them."""
    return " ".join(words_in(text))


def words_in(text: str) -> list[str]:
    """The words and numbers of a text, in lower case."""
    if text.isascii():  # three times as fast as a pattern
        return text.encode().translate(_IN_WORDS).decode().split()
    return _WORDS.findall(text.casefold())


# ---------------------------------------------------------------- patterns and word lists


@cache
def sections(file: str) -> Mapping[str, str]:
    """The sections of a packaged text, by name: each is what follows a line ``## NAME``.

    Lines that begin with ``# `` are comments.
    """
    # A promptfoo assertion may be a fresh process: it does without pathlib.
    with open_text(file) as lines:
        _, *found = "".join(line for line in lines if line[:2] != "# ").split("\n## ")
    return {name: text for name, _, text in (section.partition("\n") for section in found)}


def word_lists(name: str) -> Mapping[str, str]:
    """The word lists in ``words/NAME.txt``."""
    return sections(f"{__file__.removesuffix('strings.py')}words/{name}.txt")


@cache
def word_set(name: str, section: str) -> frozenset[str]:
    """The words of a section of ``words/NAME.txt``."""
    return frozenset(word_lists(name)[section].split())


@cache
def function_words() -> frozenset[str]:
    """The words of any text, which do not tell what it is about."""
    return word_set("function_words", "function words")


@cache
def negation_words() -> frozenset[str]:
    """The words that deny, in many languages."""
    return word_set("names", "negations")


@cache
def negation_signs() -> tuple[str, ...]:
    """What denies in scripts without spaces."""
    return tuple(word_lists("names")["negations in signs"].split())


def expressions(section: str) -> list[str]:
    """The expressions in a section, one a line; an indented line goes on."""
    return [line for line in section.replace("\n  ", "").split("\n") if line]


def alternatives(section: str) -> str:
    """A pattern of the expressions in a section."""
    return "|".join(expressions(section))


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``, but the pattern is compiled when one of its methods is used.

    Python needs up to 3 ms to compile one. A promptfoo assertion may be a fresh process, and most
    texts never need most patterns: those that only some texts need are made here.
    """
    return cast("re.Pattern[str]", _Pattern(text, flags))


class _Pattern:
    def __init__(self, text: str, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        # Called once for each method: the next use finds what is set here.
        value = getattr(re.compile(*self._given), name)
        setattr(self, name, value)
        return value


class found_once(Generic[T]):  # noqa: N801 - a decorator
    """As ``functools.cached_property``, but without its lock, which costs more than most finds."""

    def __init__(self, find: Callable[[Any], T]) -> None:
        self._find = find

    def __get__(self, owner: Any, _type: object = None) -> T:
        value = owner.__dict__[self._find.__name__] = self._find(owner)
        return value


FENCE = lazy_pattern(r"\s*```\w*[ \t\r]*\n(?P<body>.*?)\n[ \t]*```\s*", re.DOTALL)
"""A text that is a fence as a whole; its ``body`` is what stands in it."""
_KEY_WORD = lazy_pattern(r"[A-Z]+(?![a-zß-ÿ])|[A-Z]?[a-zß-ÿ]+|[^\W\d_A-Za-zß-ÿ]+|\d+")
