"""Keys, passwords and tokens never leave: they are taken out of whatever a server sent.

All that a judge says, and all that is stored of it, goes through ``Secrets``. It finds a secret in
any case, with white space and invisible characters in it, and in base64, in a text as it stands and
as it reads without its JSON, URL and HTML escapes. Escapes of escapes, other encodings and parts of
a secret are not looked for, nor secrets that are words or short. Messages also lose whatever looks
like a credential, whoever it belongs to.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from ...records.errors import REDACTED, JudgeError, without_keys
from ...records.judge import Outcome, Reply
from ...text.strings import lazy_pattern

MAX_SHOWN = 300  # characters of a server's text that a message quotes
MAX_SEARCHED = 20_000  # characters that are searched for credentials: more than is ever shown
MIN_SIGNS = 8  # of a secret; shorter ones are placeholders such as "none"
LONG = 16  # characters of a word that is no accident
MOST_LEARNED = 8  # tokens that are remembered as secrets; some clients sign each request anew

_CREDENTIALS = lazy_pattern(
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
_UNSEEN = lazy_pattern("[^\\w!-~]+|[\u115f\u1160\u3164\uffa0]+")
"""Neither letters nor signs of ASCII; letters that nobody sees."""
_JSON_ESCAPE = lazy_pattern(r"\\+(?:u([0-9a-fA-F]{4})|[bfnrt]|([^\\]))")  # also in JSON in JSON


AnyOutcome = TypeVar("AnyOutcome", Reply, JudgeError, Outcome)


class Secret(str):
    """A string whose ``repr`` does not show it, nor that of a part of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'[redacted]'"

    def __getitem__(self, place: Any) -> Secret:
        return Secret(super().__getitem__(place))


class Secrets:
    """What one judge must never show or store: keys, passwords, tokens."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._given = {Secret(word) for word in words if _is_secret(word)}
        self._learned: deque[Secret] = deque(maxlen=MOST_LEARNED)
        self.learn(())

    def learn(self, words: Iterable[str]) -> None:
        """Adds secrets that turned up later. Of these, only the last ones are remembered."""
        secrets = {*self._given, *self._learned}
        self._learned.extend(Secret(w) for w in words if _is_secret(w) and w not in secrets)
        forms = {form for word in (*self._given, *self._learned) for form in _forms(word)}
        self._written = tuple(map(Secret, sorted(forms, key=len, reverse=True)))
        self._seen = tuple(Secret(_seen(form)) for form in forms)

    def out_of(self, text: str) -> str:
        """``text`` without the secrets that stand in it; if it hides one, nothing of it."""
        if not self._are_in(text):
            return text
        text = re.sub("|".join(map(re.escape, self._written)), REDACTED, text, flags=re.I)
        return REDACTED if self._are_in(text) else text

    def _are_in(self, text: str) -> bool:
        if not self._seen:
            return False
        texts = [_seen(reading) for reading in {text, _unescaped(text)}]
        return any(secret in text for text in texts for secret in self._seen)

    def out_of_outcome(self, outcome: AnyOutcome) -> AnyOutcome:
        """What a judge returns, without the secrets. All of it goes through here.

        The message of an error becomes one line. An error is changed itself.
        """
        if isinstance(outcome, JudgeError):
            for name, value in vars(outcome).items():
                if isinstance(value, str) and name not in ("kind", "message"):
                    setattr(outcome, name, self.out_of(value)[:MAX_SEARCHED])
            outcome.message = safe_text(outcome.message, self)
            outcome.args = (outcome.message,)
            return outcome
        texts = (outcome.text, outcome.finish_reason, outcome.refusal or "", *outcome.warnings)
        if not self._are_in("\n".join(texts)):
            return outcome
        text, ended, refusal, *warnings = map(self.out_of, texts)
        refused = None if outcome.refusal is None else refusal
        return replace(
            outcome, text=text, finish_reason=ended, refusal=refused, warnings=tuple(warnings)
        )


def safe_text(text: str, secrets: Secrets) -> str:
    """``text`` as messages quote it: no secrets, one printable line, about 300 characters."""
    # Secrets are removed before the text is cut: a cut could leave half of one.
    start = " ".join(secrets.out_of(text).split())[:MAX_SEARCHED]
    line = " ".join(redact(start).split())
    cut = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line[: MAX_SHOWN + 1])
    return cut if len(cut) <= MAX_SHOWN else f"{cut[:MAX_SHOWN]}..."


def redact(text: str) -> str:
    """``text`` without anything that looks like a credential."""
    return _CREDENTIALS.sub(lambda match: f"{match['before']}{REDACTED}", without_keys(text))


def _is_secret(word: str) -> bool:
    """Whether it is long enough, and no word or number that a text may have by chance."""
    cased = word[1:].islower() or word.isupper() or not word.isascii()
    by_chance = word.isdecimal() or (word.isalpha() and cased)
    return len(word) >= (LONG if by_chance else MIN_SIGNS)


def _seen(text: str) -> str:
    """``text`` without white space, signs beyond ASCII and what nobody sees, in lower case."""
    text = "".join(text.split())
    if not (text.isascii() and text.isprintable()):
        text = _UNSEEN.sub("", text)
    return text.lower()


def _unescaped(text: str) -> str:
    """``text`` without one level of the escapes of JSON, addresses and HTML."""
    if "\\" in text:
        text = _JSON_ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2] or " ", text)
    if "%" in text:
        text = unquote(text)
    if "&" in text:
        from html import unescape  # with a large table, which few texts need

        text = unescape(text)
    return text


def _forms(secret: str) -> Iterator[str]:
    """The secret, for an address, and in base64 (wherever in it, in both alphabets)."""
    yield from (secret, quote(secret, safe=""))
    data = secret.encode("utf-8", "surrogatepass")
    for before in range(3):
        end = (before + len(data)) * 8 // 6
        form = b64encode(bytes(before) + data).decode()[-(-before * 8 // 6) : end]
        yield from (form, form.replace("+", "-").replace("/", "_"))
