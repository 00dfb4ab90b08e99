"""What nobody can foresee: fences around foreign text, which no text can imitate, and keys of asks.

All follow from a secret, which lives with what is replayed: replies are found again by the text of
their ask.

A cache that answers by likeness, a server that mixes replies up and a batch API may return the
reply to another ask. So each reply repeats a short key of its own ask, which stands in one line at
the end of the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from operator import ne
from unicodedata import category, normalize

from ..reading.rows import KEY_CHARS, KEY_LETTERS
from ..text.strings import lazy_pattern

NAMES = (
    *("context", "question", "statement", "statements", "answer", "passages", "citation-audit"),
    "score",
)
"""What the tags of asks are called."""
SHORT, LONG = 4, 8
"""Characters of a mark; long where a text has the short one, since they cost more tokens."""
LONGEST = 64
"""Characters of what can still be read as a tag."""

_OPENS = "<\u02c2\u1438\u2039\u227a\u22d6\u2329\u276c\u276e\u27e8\u3008\ufe64\uff1c"
_ENDS = ">\u02c3\u1433\u203a\u227b\u22d7\u232a\u276d\u276f\u27e9\u3009\ufe65\uff1e"
_BETWEEN = lazy_pattern(f"[{_OPENS}]([^{_OPENS}{_ENDS}]*)[{_ENDS}]")
# A letter of an alphabet may look like one of ours.
_LETTERS = "\u00c0-\u058f\u13a0-\u13ff"
_SPELLED = "|".join(
    "".join(f"[{char}{_LETTERS}]" if char.isalpha() else "[^\\W_]?\\W?" for char in name)
    for name in sorted(NAMES, key=len, reverse=True)
)
_TAG = lazy_pattern(rf"\W*(?:{_SPELLED})(?:\W+[0-9a-z{_LETTERS}]*)?\W*")
_QUOTE = r'\\{0,3}"'
_KEYS = lazy_pattern(
    rf"{_QUOTE}ask{_QUOTE}\s{{0,9}}:\s{{0,9}}{_QUOTE}([{KEY_LETTERS}]{{{KEY_CHARS}}}){_QUOTE}"
)


def keyed(secret: bytes, *texts: str) -> bytes:
    """The keyed BLAKE2b of these texts. Other texts, or texts cut otherwise, have another one."""
    whole = "".join([f"{len(text)}:{text}" for text in texts])
    return blake2b(whole.encode("utf-8", "surrogatepass"), key=secret, digest_size=32).digest()


def fenced(blocks: Iterable[tuple[str, str]], secret: bytes = b"") -> str:
    """These named blocks, each between tags that no block contains, or anything that reads so.

    A tag follows from its block and the secret, so that asks about the same context begin with the
    same text, which providers cache. All blocks are read once, whatever they contain.
    """
    shown = [(name, disarmed(block)) for name, block in blocks]
    whole = "\n".join([block for _, block in shown]).casefold()
    fences = []
    for name, block in shown:
        key = keyed(secret, name, block)
        mark = key.hex()[:SHORT]
        while f"-{mark}" in whole:
            key = keyed(key)
            mark = key.hex()[:LONG]
        fences.append(f"<{name}-{mark}>\n{block}\n</{name}-{mark}>")
    return "\n\n".join(fences)


def disarmed(text: str) -> str:
    """``text``, in which nothing reads as a tag of an ask: its brackets are written as entities."""
    if text.isascii() and "<" not in text:
        return text
    return _BETWEEN.sub(_disarmed, text)


def _disarmed(tag: re.Match[str]) -> str:
    read = tag[1]
    if not read.isascii():  # as a reader takes it in: usual forms of letters, nothing invisible
        read = normalize("NFKC", read)
        read = "".join(c for c in read if category(c)[0] not in "CM")
    read = "".join(read.split()).casefold()
    if len(read) > LONGEST or _TAG.fullmatch(read) is None:
        return tag[0]
    return f"&lt;{tag[1]}&gt;"


def key_of(secret: bytes, *texts: str) -> str:
    """The key of an ask with these texts: the same for the same texts and secret."""
    number = int.from_bytes(keyed(secret, "ask", *texts)[:8], "big")
    letters = (number // len(KEY_LETTERS) ** place % len(KEY_LETTERS) for place in range(KEY_CHARS))
    return "".join(KEY_LETTERS[letter] for letter in letters)


def names_another(key: str, text: str) -> bool:
    """Whether a reply repeats the key of another ask.

    One other letter is a slip of the judge, and "xxxx" stands for any key.
    """
    found = _KEYS.findall(text) if key and '"ask' in text else ()  # found much faster
    return any(sum(map(ne, key, other)) > 1 for other in found if len(set(other)) > 1)
