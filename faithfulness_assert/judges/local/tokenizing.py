"""Texts as a model reads them: by its own tokenizer, in which no text can hide a special token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...records.errors import ConfigError

if TYPE_CHECKING:
    from .model_files import ModelFiles


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


class Tokens:
    """A model's tokenizer, from ``tokenizer.json`` or as transformers made it.

    Args:
        tokenizer: a ``tokenizers.Tokenizer``.
        end: the token that ends a text; "" if there is none.
        most: the most tokens of an input, as the tokenizer says; None if it does not.
        typed: whether the model is told to which text each token belongs.
    """

    def __init__(
        self, tokenizer: Any, end: str = "", most: int | None = None, *, typed: bool = True
    ) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer, self.end, self.most, self.typed = tokenizer, end, most, typed
        added = tokenizer.get_added_tokens_decoder().values()
        self._special = sorted({t.content for t in added if t.special}, key=len, reverse=True)

    def count(self, text: str) -> int:
        """The tokens of a text alone."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def plain(self, text: str) -> str:
        """The text of somebody else, in which what would be a special token is broken up."""
        for token in self._special:
            text = text.replace(token, f"{token[0]} {token[1:]}") if token in text else text
        return text

    def first(self, word: str) -> int:
        """The first token of a word that a model writes."""
        ids = self._tokenizer.encode(word, add_special_tokens=False).ids
        if not ids:
            raise ConfigError(f"answers: the model's tokenizer has no token for {word!r:.40}")
        return int(ids[0])

    def encode(self, text: str, second: str | None = None) -> Input:
        """One text, or two, with the tokens that the model wants around them."""
        encoding = self._tokenizer.encode(text, second)
        places: list[tuple[int, int, int]] = []
        if second is not None:
            of = enumerate(zip(encoding.sequence_ids, encoding.offsets, strict=True))
            places = [(n, *span) for n, (part, span) in of if part == 1 and span[0] < span[1]]
        return Input(encoding.ids, encoding.type_ids, tuple(places))


def read_tokenizer(files: ModelFiles) -> Tokens:
    """The tokenizer in ``tokenizer.json``.

    Raises:
        ConfigError: there is none, it cannot be read, or its package is missing.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError:
        from .model_files import INSTALL

        raise ConfigError(f"judge: local needs a package, tokenizers. Run: {INSTALL}") from None
    path = files.find("tokenizer.json")
    if path is None:
        raise ConfigError(
            f"judge: {files.folder} has no tokenizer.json, which ONNX Runtime needs beside the "
            "model; save it with transformers: AutoTokenizer.from_pretrained(…).save_pretrained(…)"
        )
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception:  # noqa: BLE001 - the package raises nothing more specific
        raise ConfigError(f"judge: {path} cannot be read: it is no tokenizer") from None
    told = {**files.json("special_tokens_map.json"), **files.json("tokenizer_config.json")}
    most = told.get("model_max_length")
    known = isinstance(most, int | float) and 0 < most < 10**6
    return Tokens(tokenizer, _end(told), int(most) if known else None)  # type: ignore[arg-type]


def _end(told: dict[str, Any]) -> str:
    """The token that ends a text, by what the tokenizer's files say."""
    for name in ("eos_token", "sep_token"):
        value = told.get(name)
        content = value.get("content") if isinstance(value, dict) else value
        if isinstance(content, str) and content:
            return content
    return ""
