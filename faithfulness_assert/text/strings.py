"""Small helpers for text that comes from outside: clean it, compare it, cut it, make it safe to show.

This file imports nothing of the package, so every room may use it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SURROGATE = re.compile("[\ud800-\udfff]")


_TAGS = {0xE0000 + code: code for code in range(0x20, 0x7F)}


_VISIBLE = re.compile(r"[^\W_]")


def clean_text(text: str) -> str:
    """``text`` with each lone surrogate replaced by U+FFFD, so that it can be encoded. Positions stay as they are."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def without_tags(text: str) -> str:
    """``text`` with ASCII characters in place of the tag characters that stand for them: models read these, and nobody sees them."""
    return text if text.isascii() else text.translate(_TAGS)


def is_blank(text: str) -> bool:
    """Whether ``text`` has no letter and no digit: white space, zero-width characters and bare punctuation say nothing."""
    return _VISIBLE.search(text) is None


def names_of(items: Iterable[object], limit: int = 12) -> str:
    """Names for a message: the first few, sorted, each cut to 40 characters."""
    names = sorted(clean_text(str(item))[:40] for item in items)
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return (", ".join(names[:limit]) or "none") + more


# Zero-width and bidirectional characters hide and reorder text; joiners stay in the scripts and emoji that are written with them.
_UNSEEN = re.compile(
    r"(?<![^\x00-\u05ff])[\u034f\u200c\u200d\ufe00-\ufe0f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]+"
    r"|[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]+"
)


def one_line(text: str) -> str:
    """``text`` as a reader sees it, on one line: every run of white space is one space, and what shows nothing is gone."""
    return " ".join((text if text.isascii() else _UNSEEN.sub("", text)).split())


MAX_SHOWN = 200


_LOG_COMMAND = re.compile(
    r"^(?P<before>\s*):(?=:)|#(?=#\w*\[)", re.MULTILINE
)  # ::error:: of GitHub, ##vso[...] of Azure


def clip(text: str, limit: int = MAX_SHOWN) -> str:
    """``text`` on one line and cut to ``limit`` characters."""
    line = one_line(text)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def visible(text: str) -> str:
    """``text`` with everything that a terminal or a CI's log would act on, or that hides, written as an escape."""
    shown = "".join(
        c
        if c.isprintable() or c in "\n\u200c\u200d"
        else c.encode("unicode_escape").decode("ascii")
        for c in text
    )
    return _LOG_COMMAND.sub(lambda found: f"{found['before'] or ''}\\x{ord(found[0][-1]):x}", shown)


def text_key(text: str) -> str:
    """What two texts have in common that a judge may take for the same statement."""
    return one_line(text).casefold().rstrip(".")
