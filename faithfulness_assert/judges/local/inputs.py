"""What a checker reads of an ask: each statement with each chunk of the context, as tokens.

A chunk is whole sentences, as many as the family's authors take, or as the model reads beside the
statement. Only a sentence that is too long by itself is cut. No text can hide a special token.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...records.checks import is_number
from ...records.errors import ConfigError
from ...records.judge import Numbered, Payload
from .families import Family
from .model_files import INSTALL, ModelFiles

MOST = 10**6
"""A tokenizer that names more tokens than this knows no limit."""


class Input(NamedTuple):
    """One input of a model.

    Args:
        ids: its tokens.
        types: to which text each belongs, as models with two texts want to know.
        places: where the second text's tokens are: its number, and its characters in the text.
    """

    ids: list[int]
    types: list[int]
    places: tuple[tuple[int, int, int], ...] = ()


def padded(batch: Sequence[Input], pad: int) -> dict[str, list[list[int]]]:
    """What a model takes of these inputs, as long as the longest one, by the names."""
    width = max(len(one.ids) for one in batch)
    blank = [[0] * (width - len(one.ids)) for one in batch]
    pairs = list(zip(batch, blank, strict=True))
    return {
        "input_ids": [[*one.ids, *[pad] * len(rest)] for one, rest in pairs],
        "attention_mask": [[1] * len(one.ids) + rest for one, rest in pairs],
        "token_type_ids": [[*one.types, *rest] for one, rest in pairs],
    }


class Tokens:
    """A model's tokenizer, of ``tokenizer.json``.

    Attributes:
        end: the token that ends a text; "" if there is none.
        most: the most tokens of an input, as the tokenizer says; None if it does not.

    Raises:
        ConfigError: there is none, it cannot be read, or its package is missing.
    """

    def __init__(self, files: ModelFiles, config: Mapping[str, Any]) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError:
            problem = "judge: local needs a package, tokenizers. Run: "
            raise ConfigError(f"{problem}{INSTALL}") from None
        path = files.find("tokenizer.json")
        if path is None:
            raise ConfigError(
                f"judge: {files.folder} has no tokenizer.json beside the model; save it with "
                "transformers: AutoTokenizer.from_pretrained(…).save_pretrained(…)"
            )
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception:  # noqa: BLE001 - the package raises nothing more specific
            raise ConfigError(f"judge: {path} cannot be read: it is no tokenizer") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        added = self._tokenizer.get_added_tokens_decoder().values()
        self._special = sorted({t.content for t in added if t.special}, key=len, reverse=True)
        settings = {**files.json("special_tokens_map.json"), **files.json("tokenizer_config.json")}
        most = settings.get("model_max_length")
        self.most = int(most) if is_number(most) and 0 < most < MOST else None
        takes = settings.get("model_input_names")
        # A RoBERTa has one type of token.
        is_typed = config.get("type_vocab_size") not in (0, 1)
        self._is_typed = is_typed and (takes is None or "token_type_ids" in takes)
        ends = [settings.get(name) for name in ("eos_token", "sep_token")]
        texts = [end.get("content") if isinstance(end, dict) else end for end in ends]
        self.end = next((text for text in texts if isinstance(text, str) and text), "")

    def alone(self, text: str) -> list[int]:
        """The tokens of a text alone."""
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def plain(self, text: str) -> str:
        """The text of somebody else, in which what would be a special token is broken up."""
        for token in self._special:
            text = text.replace(token, f"{token[0]} {token[1:]}") if token in text else text
        return text

    def encode(self, text: str, second: str | None = None) -> Input:
        """One text, or two, with the tokens that the model wants around them."""
        encoding = self._tokenizer.encode(text, second)
        places: list[tuple[int, int, int]] = []
        if second is not None:
            of = enumerate(zip(encoding.sequence_ids, encoding.offsets, strict=True))
            places = [(n, *span) for n, (part, span) in of if part == 1 and span[0] < span[1]]
        types = encoding.type_ids if self._is_typed else [0] * len(encoding.ids)
        return Input(encoding.ids, types, tuple(places))


LEAST_ROOM = 16
"""Tokens of the context that must fit beside a statement, or nothing can be said of it."""


class Chunk(NamedTuple):
    """A part of the context with a statement: the numbers of its sentences, and the input."""

    numbers: tuple[int, ...]
    input: Input


class Reader:
    """Makes the inputs of a checker.

    Args:
        family: how it reads.
        tokens: its tokenizer.
        most: the most tokens of an input.
    """

    def __init__(self, family: Family, tokens: Tokens, most: int) -> None:
        self._family, self._tokens, self._most = family, tokens, most

    def chunks(self, payload: Payload) -> list[list[Chunk]]:
        """The chunks of each statement; none for one that is too long."""
        plain = self._tokens.plain
        question = plain(payload.question)
        sentences = tuple((number, plain(text).strip()) for number, text in payload.sentences)
        sizes = [(len(text.split()), len(self._tokens.alone(text))) for _, text in sentences]
        chunks = []
        for _, text in payload.items:
            statement = plain(text)
            room = self._most - len(self._input("", statement, question).ids)
            groups = self._groups(sentences, sizes, room) if room >= LEAST_ROOM else ()
            chunks.append(
                [c for group in groups for c in self._fitting(group, statement, question)]
            )
        return chunks

    def _input(self, document: str, statement: str, question: str) -> Input:
        """The input from these texts, of which none is read as a form itself."""
        family = self._family
        forms = (family.asked if question and family.asked else family.first), family.second or ""
        given = {"document": document, "statement": statement, "question": question}
        first, second = (form.format(**given, end=self._tokens.end) for form in forms)
        return self._tokens.encode(first, second if family.second else None)

    def _groups(
        self, sentences: Numbered, sizes: Sequence[tuple[int, int]], room: int
    ) -> list[Numbered]:
        """The sentences in groups, each filled until the next sentence does not fit."""
        most, in_words = self._family.chunk, self._family.counts_words
        groups: list[list[tuple[int, str]]] = []
        words = tokens = 0
        for sentence, size in zip(sentences, sizes, strict=True):
            words, tokens = words + size[0], tokens + size[1]
            full = most is not None and (words if in_words else tokens) > most
            if not groups or full or tokens > room:
                groups.append([])
                words, tokens = size
            groups[-1].append(sentence)
        return [tuple(group) for group in groups]

    def _fitting(self, group: Numbered, statement: str, question: str) -> Iterator[Chunk]:
        """A group as one chunk, or in halves until each fits: joined texts may have more tokens."""
        document = " ".join(text for _, text in group)
        made = self._input(document, statement, question)
        if len(made.ids) <= self._most:
            yield Chunk(tuple(dict.fromkeys(number for number, _ in group)), made)
            return
        middle = len(group) // 2
        if not middle:
            number, text = group[0]
            cut = text.rfind(" ", len(text) // 4, len(text) // 2) + 1 or len(text) // 2
            group, middle = ((number, text[:cut]), (number, text[cut:])), 1
        yield from self._fitting(group[:middle], statement, question)
        yield from self._fitting(group[middle:], statement, question)
