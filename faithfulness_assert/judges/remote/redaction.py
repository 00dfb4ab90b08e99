"""Keys, passwords and tokens never leave: they are taken out of whatever a server sent.

A text is read as it stands and as whoever decodes it reads it (JSON, URL and HTML escapes, wide and
invisible characters). Of that, letters and digits count, in either case. A secret that stands in
the open is replaced. A text that hides one, or a good part of one, is replaced as a whole.

What could be a word is left in replies: a short secret that is a single word or a number.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from ...records.ask import Outcome, Reply
from ...records.errors import JudgeError
from ...records.keys import REDACTED, without_keys
from .readings import letters, readings, shown

Error = TypeVar("Error", bound=JudgeError)

MAX_SHOWN = 300  # characters of a server's text that a message quotes
MAX_SEARCHED = 20_000  # characters that are searched for credentials: more than is ever shown
MIN_IN_MESSAGES = 6  # characters; shorter secrets are placeholders such as "none"
MIN_IN_REPLIES = 8
MIN_LETTERS = 16  # of a secret that is found in replies whatever stands between its letters
_PIECE = 12  # letters of a secret that are found where the rest of it is missing
_DIGESTS = ("md5", "sha1", "sha256", "sha512")
"""What gateways name a key by. Whoever guesses a key can check it."""

_CREDENTIALS = re.compile(
    r"""
    (?P<before>
        \b bearer \s{1,9}
        | (?: key | token | hash | digest | fingerprint | md5 | sha-?\d{1,3} )
          [\W_]{1,9} (?= [\da-f]{32} | [\w+/]{43}= )
        | \b basic \s{1,9} (?= [\w+/=\-]{12})
        | (?: api[_\- ]?key (?:\ provided)? | passw(?:or)?d | secret
            | (?:access|auth)[_\-]?token | authorization )
          ["']? \s{0,9} [:=] \s{0,9} ["']? (?! bearer\b | basic\b)
      ) [^\s"',;&}]+
    """,
    re.I | re.X,
)


class Secret(str):
    """A string whose ``repr`` does not show it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'[redacted]'"


class Secrets:
    """What one judge must never show or store.

    Args:
        words: keys, passwords, tokens.
        in_messages: what only messages and logs lose, however short it is.
    """

    def __init__(self, words: Iterable[str] = (), in_messages: Iterable[str] = ()) -> None:
        self._words = tuple(Secret(word) for word in words if word)
        self._marked = tuple(Secret(word) for word in in_messages)
        self._learned: tuple[Secret, ...] = ()
        self._find()

    def __repr__(self) -> str:
        return f"Secrets({REDACTED})"

    def learn(self, words: Iterable[str], most: int) -> None:
        """Adds secrets that turned up later. Of these, the last ``most`` are remembered."""
        known = {*self._words, *self._learned}
        if new := tuple(Secret(word) for word in words if word and word not in known):
            self._learned = (*self._learned, *new)[-most:]
            self._find()

    def _find(self) -> None:
        words = (*self._words, *self._learned)
        loose = [word for word in words if len(letters(word)) >= MIN_LETTERS]
        rest = [word for word in words if word not in loose and not _is_word(word)]
        self._in_replies = _Finder(loose, [word for word in rest if len(word) >= MIN_IN_REPLIES])
        loose = [word for word in words if len(letters(word)) >= MIN_IN_MESSAGES]
        rest = [word for word in words if word not in loose and len(word) >= MIN_IN_MESSAGES]
        self._in_messages = _Finder(loose, [*rest, *self._marked])

    def out_of(self, text: str) -> str:
        """``text`` of a reply without the secrets."""
        return self._in_replies.out_of(text)

    def out_of_message(self, text: str) -> str:
        """``text`` of a message without the secrets, also those that might be words."""
        return self._in_messages.out_of(text)

    def json_in(self, body: bytes) -> Any:
        """The JSON of a server without the secrets; None if it is none, or nested too deeply."""
        try:
            text = body.decode("utf-8-sig")
            data = json.loads(text)
            return self._cleaned(data) if self._in_replies.is_in(text) else data
        except (ValueError, RecursionError):
            return None

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.out_of(value)
        if isinstance(value, list):
            return [self._cleaned(item) for item in value]
        if isinstance(value, dict):
            return {self.out_of(key): self._cleaned(item) for key, item in value.items()}
        return value

    def out_of_reply(self, reply: Reply) -> Reply:
        """A reply without the secrets."""
        clean = self.out_of_message
        return replace(
            reply,
            text=self.out_of(reply.text),
            finish_reason=clean(reply.finish_reason),
            refusal=reply.refusal and clean(reply.refusal),
            warnings=tuple(map(clean, reply.warnings)),
        )

    def out_of_error(self, error: Error) -> Error:
        """An error without the secrets: itself."""
        for name, value in vars(error).items():
            if isinstance(value, str) and name != "kind":
                setattr(error, name, self.out_of_message(value))
        error.args = (error.message,)
        return error

    def out_of_outcome(self, outcome: Outcome) -> Outcome:
        """What a judge returns, without the secrets. All of it goes through here."""
        if isinstance(outcome, Reply):
            return self.out_of_reply(outcome)
        return self.out_of_error(outcome)


class _Finder:
    """Finds some secrets in any text: ``loose`` by their letters, ``exact`` as they stand."""

    def __init__(self, loose: Iterable[str], exact: Iterable[str]) -> None:
        self._loose, self._exact = tuple(loose), tuple(exact)
        known = (*self._loose, *self._exact)
        all_letters = [letters(word) for word in self._loose]
        encoded = [letters(form) for word in known for form in _encodings(word)]
        long = {form for form in encoded if len(form) >= MIN_IN_REPLIES}
        pieces = [*_pieces(all_letters, _PIECE), *_pieces(long, 2 * _PIECE)]
        self._forms = tuple(Secret(form) for form in {*all_letters, *pieces, *long})
        self._shown = tuple(Secret(shown(word)) for word in self._exact)

    def out_of(self, text: str) -> str:
        if not self.is_in(text):
            return text
        text = self._open.sub(REDACTED, text)
        if self.is_in(text):  # a key of which a part is masked
            text = _without_credentials(text[:MAX_SEARCHED]) + text[MAX_SEARCHED:]
        return REDACTED if self.is_in(text) else text

    def is_in(self, text: str) -> bool:
        """Whether ``text`` contains a secret, in whichever form."""
        if not self._forms and not self._shown:
            return False
        return any(map(self._is_read_in, readings(text)))

    def _is_read_in(self, text: str) -> bool:
        if any(map(letters(text).__contains__, self._forms)):
            return True
        return bool(self._shown) and any(map(shown(text).__contains__, self._shown))

    @cached_property
    def _open(self) -> re.Pattern[str]:
        """The secrets as servers write them, the longest first."""
        found = [_loosely(form) for word in self._loose for form in _written(word)]
        found += [re.escape(form) for word in self._exact for form in _written(word)]
        return re.compile("|".join(sorted(found, key=len, reverse=True)), re.I)


def _pieces(words: Iterable[str], step: int) -> Iterator[str]:
    """The start of each ``step`` letters of the words that have twice as many."""
    for word in words:
        if len(word) >= 2 * _PIECE:
            yield from (word[at : at + _PIECE] for at in range(0, len(word) - _PIECE + 1, step))


def _written(secret: str) -> Iterator[str]:
    yield from (secret, quote(secret, safe=""), quote(secret), quote_plus(secret))
    yield json.dumps(secret)[1:-1]
    yield from (form for form in _encodings(secret) if len(letters(form)) >= MIN_IN_REPLIES)


def _encodings(secret: str) -> Iterator[str]:
    """The secret and its usual digests in hex and in base64, the secret also inside a text."""
    import hashlib  # a fresh process without a key needs it nowhere

    data = secret.encode("utf-8", "surrogatepass")
    for digest in (hashlib.new(name, data, usedforsecurity=False).digest() for name in _DIGESTS):
        yield from (digest.hex(), b64encode(digest).decode())
    yield data.hex()
    for before in range(3):
        end = (before + len(data)) * 8 // 6
        yield b64encode(bytes(before) + data).decode()[-(-before * 8 // 6) : end]


def _loosely(form: str) -> str:
    """Finds ``form`` also with line breaks, spaces, quotes or invisible characters inside it."""
    found = [c for c in form if c.isalnum()]
    return r"[\W_]*".join(found) if len(found) >= MIN_IN_MESSAGES else re.escape(form)


def _is_word(secret: str) -> bool:
    """Whether a secret might as well be a word or a number of a text."""
    cased = secret[1:].islower() or secret.isupper() or not secret.isascii()
    return secret.isdecimal() or (secret.isalpha() and cased)


# ---------------------------------------------------------------- messages

NO_SECRETS = Secrets()


def safe_text(text: str, secrets: Secrets = NO_SECRETS) -> str:
    """``text`` as messages quote it: no secrets, one printable line, about 300 characters."""
    # Secrets are removed before the text is cut: a cut could leave half of one.
    start = " ".join(secrets.out_of_message(text).split())[:MAX_SEARCHED]
    line = " ".join(_without_credentials(start).split())
    cut = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line[: MAX_SHOWN + 1])
    return cut if len(cut) <= MAX_SHOWN else f"{cut[:MAX_SHOWN]}..."


def redact(text: str, secrets: Secrets = NO_SECRETS) -> str:
    """``text`` without the ``secrets``, and without anything that looks like a credential."""
    return _without_credentials(secrets.out_of_message(text))


def _without_credentials(text: str) -> str:
    return _CREDENTIALS.sub(lambda match: f"{match['before']}{REDACTED}", without_keys(text))
