"""How a text may be read: as it stands, and as whoever decodes it reads it.

So secrets are found whatever escapes a server writes them in, see ``redaction.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import decimal, normalize
from urllib.parse import unquote

from ...text.strings import without_tags

_LEVELS = 6  # of JSON strings in JSON strings: one more than we decode ourselves

_ESCAPE = re.compile(
    r"""
    (?-i:\\U) [0-9a-f]{2} (?P<long> [0-9a-f]{6})
    | (?P<units> (?: \\u [0-9a-f]{4})+ )
    | (?: \\[ux]\{ | \bU\+ | \b0x ) 0* (?P<code> [0-9a-f]{1,6}) \}?
    | \\x (?P<byte> [0-9a-f]{2})
    | %u (?P<unit> [0-9a-f]{4})
    | \\ (?P<octal> [0-3]?[0-7]{2})
    | \\ (?P<itself> [\s\S])
    """,
    re.I | re.X,
)
_CODE = re.compile(r"\\[ux0-7]|%u|\bU\+|\b0x", re.I)  # most texts have none, and need no pattern
_ESCAPED = ("\\", "%u", "%U", "U+", "u+", "0x", "0X")
_ENTITY = re.compile(r"&(?:amp;)*#(?:x0*([0-9a-f]{1,6})|0*([0-9]{1,7}));?", re.I)

_FILLERS = dict.fromkeys((0x115F, 0x1160))  # letters without a form


class _Seen(dict[int, str]):
    """For ``str.translate``: each character as a reader sees it, in lower case; most without form.

    Args:
        only_letters: leaves out all but ASCII letters and digits.
    """

    def __init__(self, *, only_letters: bool) -> None:
        super().__init__()
        self._only_letters = only_letters

    def __missing__(self, code: int) -> str:
        # Character by character: to normalize a text as a whole may take quadratic time.
        seen = normalize("NFKD", chr(code)).lower()
        if self._only_letters:
            seen = "".join(str(decimal(c, c)) for c in seen)  # also digits of other scripts
            kept = "".join(c for c in seen if c.isascii() and c.isalnum())
        else:
            seen = seen.translate(_FILLERS)
            kept = "".join(c for c in seen if c.isprintable() and (c.isascii() or c.isalnum()))
        if len(self) < 100_000:
            self[code] = kept
        return kept


_LETTERS, _SHOWN = _Seen(only_letters=True), _Seen(only_letters=False)


_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())


def letters(text: str) -> str:
    """The letters and digits of ``text``."""
    if text.isascii():  # the same, and much faster
        return text.encode().lower().translate(None, _NO_LETTERS).decode()
    return text.translate(_LETTERS)


def shown(text: str) -> str:
    """``text`` without what a reader does not see."""
    return text.lower() if text.isascii() and text.isprintable() else text.translate(_SHOWN)


def readings(text: str) -> Iterator[str]:
    """``text`` as it stands, and as it reads once it was decoded, also several times."""
    for _ in range(_LEVELS):
        yield text
        if (other := _decoded(text)) != text:
            yield from _decoded_again(other)
        if not any(map(text.__contains__, _ESCAPED)):
            return
        text = _unescaped(text)


def _decoded_again(text: str) -> Iterator[str]:
    """``text``, and as it reads once all kinds of escapes were decoded, also several times."""
    for _ in range(_LEVELS):
        yield text
        if (again := _unescaped(_decoded(text))) == text:
            return
        text = again


def _decoded(text: str) -> str:
    """``text`` without URL escapes, HTML escapes and tag characters; itself if it has none."""
    if "%" in text:
        text = unquote(text)
    if "&" in text:
        text = _ENTITY.sub(lambda found: _char(found[1], found[2]), text)
    return without_tags(text)


def _unescaped(text: str) -> str:
    """``text`` without one level of the escapes of JSON, Python and JavaScript."""
    if _CODE.search(text):
        return _ESCAPE.sub(_character, text)
    text = text.replace("\\\\", "\0")
    for letter in "bfnrt":
        text = text.replace(f"\\{letter}", " ")
    return text.replace("\\", "").replace("\0", "\\")


def _character(found: re.Match[str]) -> str:
    kind, digits = found.lastgroup, found[found.lastgroup or 0]
    if kind == "itself":
        return " " if digits in "bfnrt" else digits
    if kind == "units":
        return bytes.fromhex(digits.lower().replace("\\u", "")).decode("utf-16-be", "replace")
    return chr(int(digits, 8)) if kind == "octal" else _char(digits, None)


def _char(hex_code: str | None, code: str | None) -> str:
    number = int(hex_code, 16) if hex_code else int(code or 0)
    return chr(number) if number <= 0x10FFFF else ""
