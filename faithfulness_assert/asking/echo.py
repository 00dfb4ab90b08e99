"""An ask that names itself: the reply must repeat a token.

A service that answers many asks at once may return an answer under the id of another ask. A reply
that repeats the token of its ask cannot be the reply to another one, because no other ask contains
the token. Everything else in the prompt stays as it is online: the token is one line at its end.
"""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from .schema import with_echo

if TYPE_CHECKING:
    from ..records.ask import Ask

LETTERS = "bcdfghjkmnpqrstvwxz"
"""Without vowels and digits, so that no token is a word or a number that a reader looks for."""
LENGTH = 10
ECHO_TOKENS = 24
"""Reply tokens for the token and its key."""

_ENTRY = re.compile(r'(\s*,\s*)?"ask"\s*:\s*"(\w+)"(\s*,\s*)?')


def token_of(*parts: object) -> str:
    """The token for these parts: the same for the same parts, else another one."""
    number = int.from_bytes(blake2b(repr(parts).encode(), digest_size=16).digest(), "big")
    letters = []
    for _ in range(LENGTH):
        number, place = divmod(number, len(LETTERS))
        letters.append(LETTERS[place])
    return "".join(letters)


def echoing(ask: Ask, token: str) -> Ask:
    """The ask, whose reply must repeat ``token`` under the key ``ask``."""
    *before, last = ask.messages
    line = f'The JSON begins with "ask":"{token}".'
    return replace(
        ask,
        messages=(*before, {**last, "content": f"{last['content']}\n\n{line}"}),
        max_tokens=ask.max_tokens + ECHO_TOKENS,
        schema=with_echo(ask.schema),
        echo=token,
    )


def without_echo(text: str, token: str) -> str:
    """The reply as it would be without the token."""
    for entry in _ENTRY.finditer(text):
        if entry[2] == token:
            comma = "," if entry[1] and entry[3] else ""
            return f"{text[: entry.start()]}{comma}{text[entry.end() :]}"
    return text
