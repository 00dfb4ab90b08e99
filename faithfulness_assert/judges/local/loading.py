"""A model, ready to be asked. What a process has loaded once is used again by its next judges."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...records.errors import ConfigError, pip_install
from ...records.model import Label
from . import transformers_engine
from .batching import Batcher
from .families import Family, family_of, label_order
from .inputs import Tokens, read_tokenizer
from .model_files import INSTALL, SAFE, ModelFiles, find_model
from .onnx_engine import OnnxEngine, is_onnx

KEPT = 2
"""Models that a process keeps."""
FROM_PADDING = ("roberta", "xlm-roberta", "camembert", "longformer", "mpnet", "deberta-roberta")
"""Kinds of model that number positions from behind the number of the padding token."""
WRITTEN = ("1", "0")
"""What models write that write a verdict: for supported, and for not supported."""


class Settings(NamedTuple):
    """What a user says of a model; see ``LocalJudge``."""

    name: str
    revision: str | None
    family: str | None
    label_order: Any
    device: str
    most: int | None
    foundation: str | None


class Model(NamedTuple):
    """A model that is ready.

    Args:
        files: where it came from.
        family: how it is asked.
        tokens: its tokenizer.
        order: the label of each output.
        most: the most tokens of an input.
        batcher: what computes.
        runtime: ``onnxruntime`` or ``transformers``.
        fingerprint: what tells its files from others.
    """

    files: ModelFiles
    family: Family
    tokens: Tokens
    order: tuple[Label, ...]
    most: int
    batcher: Batcher
    runtime: str
    fingerprint: str


_loading = threading.Lock()
_kept: dict[tuple[Any, ...], Model] = {}


def load(settings: Settings) -> Model:
    """The model of these settings.

    Raises:
        ConfigError: there is no such model, it cannot be loaded, or a setting does not fit it.
    """
    with _loading:
        onnx = not transformers_engine.is_installed()
        files = find_model(settings.name, settings.revision, onnx=onnx)
        fingerprint = files.fingerprint()
        key = (*map(repr, settings), str(files.folder), fingerprint)
        model = _kept.pop(key, None)
        if model is None:
            model = _loaded(settings, files, fingerprint)
        _kept[key] = model  # as the last one
        if len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
        return model


def _loaded(settings: Settings, files: ModelFiles, fingerprint: str) -> Model:
    """The model, computed by PyTorch if it loads there, else by ONNX Runtime."""
    has_torch, has_onnx = transformers_engine.is_installed(), is_onnx(files)
    if not has_onnx or (has_torch and files.has_weights(SAFE)):
        try:
            return _made(settings, files, fingerprint, onnx=False)
        except ConfigError:
            if not has_onnx:
                raise
    return _made(settings, files, fingerprint, onnx=True)


def _made(settings: Settings, files: ModelFiles, fingerprint: str, *, onnx: bool) -> Model:
    config = files.config()
    family = family_of(settings.family, config, f"{settings.name} {files.folder.name}")
    writes, shape = family.head == "words", None
    order: tuple[Label, ...] = ("supported", "not_enough_info")
    if not writes:  # before the weights are loaded, which takes long
        order = label_order(settings.label_order, config, None, family.published)
    if not (onnx or transformers_engine.is_installed()):
        raise ConfigError(
            f"judge: {files.name} has no model.onnx, so it needs PyTorch and transformers. Run: "
            f"{INSTALL}, and {pip_install('torch')}; or export it to ONNX (docs/local-judges.md)"
        )
    if family.head == "first_token" and config.get("model_type") == "HHEMv2" and not onnx:
        shape = _shape_of(settings, config)
    tokens = read_tokenizer(files) if onnx else transformers_engine.load_tokenizer(shape or files)
    answers = _answers(settings.label_order, tokens) if writes else None
    engine: OnnxEngine | transformers_engine.TransformersEngine
    if onnx:
        pad, start = (_number(config, name) for name in ("pad_token_id", "decoder_start_token_id"))
        engine = OnnxEngine(files, settings.device, pad, start, answers)
    else:
        engine = transformers_engine.TransformersEngine(
            files,
            shape,
            family.head,
            settings.device,
            typed=tokens.typed and not writes,
            answers=answers,
        )
    if engine.count is not None:
        order = label_order(settings.label_order, config, engine.count, family.published)
    runtime = "onnxruntime" if onnx else "transformers"
    most = settings.most or _most(config, tokens, family)
    batcher = Batcher(engine)
    return Model(files, family, tokens, order, most, batcher, runtime, fingerprint)


def _shape_of(settings: Settings, config: Mapping[str, Any]) -> ModelFiles:
    """The files of the T5 on which an HHEM was built: its config and its tokenizer."""
    named = settings.foundation or config.get("foundation") or "google/flan-t5-base"
    name, _, revision = str(named).partition("@")
    return find_model(name, revision or None, onnx=True)


def _answers(given: object, tokens: Tokens) -> tuple[int, int]:
    words = given.split(",") if isinstance(given, str) else given
    words = WRITTEN if words is None else words
    texts = isinstance(words, list | tuple) and all(isinstance(w, str) and w for w in words)
    if not texts or len(words) != 2:  # type: ignore[arg-type]
        problem = "the model writes words: name two, for supported and not, such as yes,no"
        raise ConfigError(f"label_order: {problem}")
    yes, no = (tokens.first(word.strip()) for word in words)  # type: ignore[attr-defined]
    if yes == no:
        raise ConfigError(f"label_order: {', '.join(words)} begin with the same token")  # type: ignore[arg-type]
    return yes, no


def _most(config: Mapping[str, Any], tokens: Tokens, family: Family) -> int:
    """The most tokens of an input: what the family's authors take, if the model can read that."""
    positions = _number(config, "max_position_embeddings")
    if config.get("model_type") in FROM_PADDING:
        positions -= _number(config, "pad_token_id") + 1
    relative = config.get("position_biased_input") is False  # as in DeBERTa: no limit
    known = [limit for limit in (tokens.most, 0 if relative else positions) if limit and limit > 0]
    if family.most > 512:
        known = [] if relative or not positions else [positions]
        return min([family.most, *known])
    return min(known, default=family.most)


def _number(config: Mapping[str, Any], name: str) -> int:
    value = config.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
