"""Fix JSON that is nearly valid, where a fix changes nothing but quotes, commas and colons.

Nothing is guessed: a value that is cut off is not completed. A fix that would add, drop or move a
word or a bracket is rejected.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .json_values import loads

REPAIR_CHARS = 4_000  # json_repair is quadratic: 1 second at this size, 15 at five times it

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|#[^\n]*|/\*.*?\*/', re.DOTALL)
_UNCLOSED_LIST = re.compile(
    r'(\[(?:\s{0,9}\d{1,9}\s{0,9},)*\s{0,9}\d{1,9})\s{0,9},(?=\s{0,9}"\w{1,30}"\s{0,9}:)'
)
_QUOTED_KEY = re.compile(r"""(\\{0,9}["'])[\w -]{1,40}\1\s*:""")
_WORD = re.compile(r"\w+|[^\s\w\"'`“”‘’,:;.\\]")


def close_lists(text: str) -> str:
    """``text`` with the bracket that small models leave out of ``"evidence":[1,2,"label":``.

    A list of numbers ends where a key begins.
    """
    return _UNCLOSED_LIST.sub(r"\1],", text)


def repair(broken: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of short pieces that are nearly JSON; () unless all of them can be fixed."""
    if not broken or sum(map(len, broken)) > REPAIR_CHARS:
        return ()
    values = [_repaired(piece) for piece in broken]
    return () if any(value is None for value in values) else tuple(values)


def _repaired(piece: str) -> Any:
    import json_repair  # loaded here, because only a broken reply needs it

    # Keys in several kinds of quotes: some are inside a string, where json_repair would find them.
    if len({key[1] for key in _QUOTED_KEY.finditer(piece)}) > 1:
        return None
    try:
        text = json.dumps(json_repair.loads(piece), ensure_ascii=False)
    except Exception:  # noqa: BLE001 - a third party's parser on hostile text: any error means unreadable
        return None
    without_comments = _COMMENT.sub(lambda m: m[0] if m[0].startswith('"') else " ", piece)
    same_words = _words(text) in (_words(piece), _words(without_comments))
    return loads(text) if same_words else None


def _words(text: str) -> list[str]:
    """Words and brackets: they show what was dropped, doubled, moved, completed or nested."""
    return ["null" if word == "none" else word for word in _WORD.findall(text.casefold())]
