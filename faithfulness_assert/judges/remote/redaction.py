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
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from unicodedata import normalize
from urllib.parse import quote, quote_plus, unquote

from ...records.ask import Reply
from ...records.errors import JudgeError
from ...text.strings import without_tags

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...records.ask import Outcome

Error = TypeVar("Error", bound=JudgeError)

MAX_SHOWN = 300  # characters of a server's text that a message quotes
MAX_SEARCHED = 20_000  # characters that are searched for credentials: more than is ever shown
MIN_IN_MESSAGES = 6  # characters; shorter secrets are placeholders such as "none"
MIN_IN_REPLIES = 8
MIN_LETTERS = 16  # of a secret that is found in replies whatever stands between its letters
_PIECE = 12  # letters of a secret that are found where the rest of it is missing
_LEVELS = 6  # of JSON strings in JSON strings: one more than we decode ourselves
_REDACTED = "[redacted]"

_CREDENTIALS = re.compile(
    r"""
    \b sk- [\w*.+/=\-…]{4,}
    | (?<=://) [^\s/@]{1,300} @
    | (?P<before>
        \b bearer \s{1,9}
        | \b basic \s{1,9} (?= [\w+/=\-]{12})
        | (?: api[_\- ]?key (?:\ provided)? | passw(?:or)?d | secret
            | (?:access|auth)[_\-]?token | authorization )
          ["']? \s{0,9} [:=] \s{0,9} ["']? (?! bearer\b | basic\b)
      ) [^\s"',;&}]+
    """,
    re.I | re.X,
)
_ESCAPE = re.compile(
    r"(?:\\u[0-9a-f]{4})+|\\u\{0*([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|\\([\s\S])", re.I
)
_CODE = re.compile(r"\\[ux]", re.I)  # most texts have none, and need no pattern
_ENTITY = re.compile(r"&(?:amp;)*#(?:x0*([0-9a-f]{1,6})|0*([0-9]{1,7}));?", re.I)


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
        return f"Secrets({_REDACTED})"

    def learn(self, words: Iterable[str], most: int) -> None:
        """Adds secrets that turned up later. Of these, the last ``most`` are remembered."""
        known = {*self._words, *self._learned}
        if new := tuple(Secret(word) for word in words if word and word not in known):
            self._learned = (*self._learned, *new)[-most:]
            self._find()

    def _find(self) -> None:
        words = (*self._words, *self._learned)
        loose = [word for word in words if len(_letters(word)) >= MIN_LETTERS]
        rest = [word for word in words if word not in loose and not _is_word(word)]
        self._in_replies = _Finder(loose, [word for word in rest if len(word) >= MIN_IN_REPLIES])
        loose = [word for word in words if len(_letters(word)) >= MIN_IN_MESSAGES]
        rest = [word for word in words if word not in loose and len(word) >= MIN_IN_MESSAGES]
        self._in_messages = _Finder(loose, [*rest, *self._marked])

    def out_of(self, text: str) -> str:
        """``text`` of a reply without the secrets."""
        return self._in_replies.out_of(text)

    def out_of_message(self, text: str) -> str:
        """``text`` of a message without the secrets, also those that might be words."""
        return self._in_messages.out_of(text)

    def out_of_json(self, text: str, data: Any) -> Any:
        """``data``, the JSON in ``text``, without the secrets; None if it is nested too deeply."""
        if not self._in_replies.is_in(text):
            return data
        try:
            return self._cleaned(data)
        except RecursionError:
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
        letters = [_letters(word) for word in self._loose]
        pieces = [
            word[at : at + _PIECE]
            for word in letters
            if len(word) >= 2 * _PIECE
            for at in range(0, len(word) - _PIECE + 1, _PIECE)
        ]
        encoded = [_letters(form) for word in known for form in _encodings(word)]
        long = {form for form in encoded if len(form) >= MIN_IN_REPLIES}
        self._forms = tuple(Secret(form) for form in {*letters, *pieces, *long})
        self._shown = tuple(Secret(_shown(word)) for word in self._exact)

    def out_of(self, text: str) -> str:
        if not self.is_in(text):
            return text
        text = self._open.sub(_REDACTED, text)
        if self.is_in(text):  # a key of which a part is masked
            text = _without_credentials(text[:MAX_SEARCHED]) + text[MAX_SEARCHED:]
        return _REDACTED if self.is_in(text) else text

    def is_in(self, text: str) -> bool:
        """Whether ``text`` contains a secret, in whichever form."""
        if not self._forms and not self._shown:
            return False
        return any(map(self._is_read_in, _readings(text)))

    def _is_read_in(self, text: str) -> bool:
        if any(map(_letters(text).__contains__, self._forms)):
            return True
        return bool(self._shown) and any(map(_shown(text).__contains__, self._shown))

    @cached_property
    def _open(self) -> re.Pattern[str]:
        """The secrets as servers write them, the longest first."""
        found = [_loosely(form) for word in self._loose for form in _written(word)]
        found += [re.escape(form) for word in self._exact for form in _written(word)]
        return re.compile("|".join(sorted(found, key=len, reverse=True)), re.I)


def _written(secret: str) -> Iterator[str]:
    yield from (secret, quote(secret, safe=""), quote(secret), quote_plus(secret))
    yield json.dumps(secret)[1:-1]
    yield from (form for form in _encodings(secret) if len(_letters(form)) >= MIN_IN_REPLIES)


def _encodings(secret: str) -> Iterator[str]:
    """The secret in hex and in base64, wherever it stands in what was encoded."""
    data = secret.encode("utf-8", "surrogatepass")
    yield data.hex()
    for before in range(3):
        end = (before + len(data)) * 8 // 6
        yield b64encode(bytes(before) + data).decode()[-(-before * 8 // 6) : end]


def _loosely(form: str) -> str:
    """Finds ``form`` also with line breaks, spaces, quotes or invisible characters inside it."""
    letters = [c for c in form if c.isalnum()]
    return r"[\W_]*".join(letters) if len(letters) >= MIN_IN_MESSAGES else re.escape(form)


def _is_word(secret: str) -> bool:
    """Whether a secret might as well be a word or a number of a text."""
    cased = secret[1:].islower() or secret.isupper() or not secret.isascii()
    return secret.isdecimal() or (secret.isalpha() and cased)


# ---------------------------------------------------------------- how a text may be read


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
            kept = "".join(c for c in seen if c.isascii() and c.isalnum())
        else:
            seen = seen.translate(_FILLERS)
            kept = "".join(c for c in seen if c.isprintable() and (c.isascii() or c.isalnum()))
        if len(self) < 100_000:
            self[code] = kept
        return kept


_LETTERS, _SHOWN = _Seen(only_letters=True), _Seen(only_letters=False)


_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())


def _letters(text: str) -> str:
    """The letters and digits of ``text``."""
    if text.isascii():  # the same, and much faster
        return text.encode().lower().translate(None, _NO_LETTERS).decode()
    return text.translate(_LETTERS)


def _shown(text: str) -> str:
    """``text`` without what a reader does not see."""
    return text.lower() if text.isascii() and text.isprintable() else text.translate(_SHOWN)


def _readings(text: str) -> Iterator[str]:
    """``text`` as it stands, and as it reads once it was decoded, also several times."""
    for _ in range(_LEVELS):
        yield text
        other = _decoded(text)
        if other is not text:
            yield other
            if (again := _decoded(other)) is not other:
                yield again
        if "\\" not in text:
            return
        text = _unescaped(text)


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
    if found[3]:
        return " " if found[3] in "bfnrt" else found[3]
    if code := found[1] or found[2]:
        return _char(code, None)
    units = bytes.fromhex(found[0].lower().replace("\\u", ""))
    return units.decode("utf-16-be", "replace")


def _char(hex_code: str | None, code: str | None) -> str:
    number = int(hex_code, 16) if hex_code else int(code or 0)
    return chr(number) if number <= 0x10FFFF else ""


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
    return _CREDENTIALS.sub(lambda match: f"{match['before'] or ''}{_REDACTED}", text)
