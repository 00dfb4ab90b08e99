"""A model, ready to be asked. What a process has loaded once is used again by its next judges.

Models in the ONNX format are computed by ONNX Runtime: no PyTorch, no transformers.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ...records.errors import ConfigError, pip_install
from ...records.model import Label
from . import transformers_engine
from .batching import Batcher
from .families import Family, family_of, label_order
from .inputs import Input, Tokens, padded
from .model_files import INSTALL, SAFE, ModelFiles, find_model

KEPT = 2
"""Models that a process keeps."""
FROM_PADDING = ("roberta", "xlm-roberta", "camembert", "longformer", "mpnet", "deberta-roberta")
"""Kinds of model that number positions from behind the number of the padding token."""
WRITTEN = ("1", "0")
"""What models write that write a verdict: for supported, and for not supported."""


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


def load(
    name: str,
    revision: str | None,
    family: str | None,
    given: tuple[str, ...] | None,
    device: str,
    most: int | None,
) -> Model:
    """The model of these options of ``LocalJudge``. ``given``: the words of ``label_order``.

    Raises:
        ConfigError: there is no such model, it cannot be loaded, or an option does not fit it.
    """
    with _loading:
        files = find_model(name, revision, onnx=not transformers_engine.is_installed())
        return _loaded(files, files.fingerprint(), family, given, device, most)


@lru_cache(KEPT)
def _loaded(files: ModelFiles, fingerprint: str, *options: Any) -> Model:
    """The model, computed by PyTorch if it loads there, else by ONNX Runtime."""
    has_torch = transformers_engine.is_installed()
    has_onnx = files.find(*ENCODERS, _HALVES[0]) is not None
    if not (has_torch or has_onnx):
        raise ConfigError(
            f"judge: {files.name} has no model.onnx, so it needs PyTorch and transformers. Run: "
            f"{INSTALL}, and {pip_install('torch')}; or export it to ONNX (docs/local-judges.md)"
        )
    if has_torch and (files.has_weights(SAFE) or not has_onnx):
        try:
            return _made(files, fingerprint, *options, onnx=False)
        except ConfigError:
            if not has_onnx:
                raise
    return _made(files, fingerprint, *options, onnx=True)


def _made(
    files: ModelFiles,
    fingerprint: str,
    named: str | None,
    given: tuple[str, ...] | None,
    device: str,
    most: int | None,
    *,
    onnx: bool,
) -> Model:
    config = files.json("config.json")
    if not config:
        raise ConfigError(
            f"judge: {files.folder} has no config.json, so it is no folder of a model; name the "
            "folder that was saved with save_pretrained, or a model of the hub"
        )
    family = family_of(named, config, f"{files.name} {files.folder.name}")
    shape = None
    if family.head == "first_token" and config.get("model_type") == "HHEMv2" and not onnx:
        # Its config and its tokenizer are those of the T5 on which it was built.
        name, _, revision = str(config.get("foundation") or "google/flan-t5-base").partition("@")
        shape = find_model(name, revision or None, onnx=True)
    tokens = Tokens(shape or files, config)
    answers = _answers(given or WRITTEN, tokens) if family.head == "words" else None
    engine: OnnxEngine | transformers_engine.TransformersEngine
    if onnx:
        pad, start = (_number(config, name) for name in ("pad_token_id", "decoder_start_token_id"))
        engine = OnnxEngine(files, device, pad, start, answers)
    else:
        engine = transformers_engine.TransformersEngine(files, shape, family.head, device, answers)
    order: tuple[Label, ...] = ("supported", "not_enough_info")
    if family.head != "words":
        order = label_order(given, config, engine.count, family.published)
    runtime, most = "onnxruntime" if onnx else "transformers", most or _most(config, tokens, family)
    return Model(files, family, tokens, order, most, Batcher(engine), runtime, fingerprint)


def _answers(words: Sequence[str], tokens: Tokens) -> tuple[int, int]:
    """The first token of the words for supported and for not."""
    first = [token for word in words for token in tokens.alone(word)[:1]]
    if len(words) != 2 or len(set(first)) != 2:
        problem = "the model writes words: name two, for supported and not, such as yes,no, that"
        raise ConfigError(f"label_order: {problem} begin with tokens of its own that differ")
    return first[0], first[1]


def _most(config: Mapping[str, Any], tokens: Tokens, family: Family) -> int:
    """The most tokens of an input: what the family's authors take, if the model can read that."""
    positions = _number(config, "max_position_embeddings")
    if config.get("model_type") in FROM_PADDING:
        positions -= _number(config, "pad_token_id") + 1
    relative = config.get("position_biased_input") is False  # as in DeBERTa: no limit
    own = family.most if family.most > 512 else tokens.most
    limits = [limit for limit in (own, 0 if relative else positions) if limit and limit > 0]
    return min(limits, default=family.most)


def _number(config: Mapping[str, Any], name: str) -> int:
    value = config.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


# ---------------------------------------------------------------- ONNX Runtime

ENCODERS = ("model.onnx",)
_HALVES = ("encoder_model.onnx", "decoder_model.onnx")


class OnnxEngine:
    """A model in ``model.onnx``, or in ``encoder_model.onnx`` and ``decoder_model.onnx``.

    Args:
        files: the model's.
        device: ``cpu``, ``cuda``, or ``auto``.
        pad, start: the tokens that fill up an input, and begin what is written.
        answers: the tokens whose outputs are wanted of a model that writes; None for others.

    Raises:
        ConfigError: the model cannot be loaded.
    """

    def __init__(
        self, files: ModelFiles, device: str, pad: int, start: int, answers: Sequence[int] | None
    ) -> None:
        self._pad, self._start, self._answers = pad, start, answers
        wanted = ENCODERS if answers is None else _HALVES
        paths = [files.find(name) for name in wanted]
        for name, path in zip(wanted, paths, strict=True):
            if path is None:
                raise ConfigError(f"judge: {files.folder} has no {name}: export the model again")
        self._sessions = [_session(path, device) for path in paths if path]
        size = self._sessions[-1].get_outputs()[0].shape[-1]
        self.count = size if isinstance(size, int) and answers is None else None

    def outputs(self, batch: Sequence[Input]) -> list[Any]:
        """See ``Engine``."""
        import numpy as np

        rows = padded(batch, self._pad)
        feed = {name: np.array(row, dtype=np.int64) for name, row in rows.items()}
        for session in self._sessions:  # the second one decodes what the first one encodes
            taken = {one.name for one in session.get_inputs()}
            outputs = session.run(None, {n: value for n, value in feed.items() if n in taken})[0]
            feed |= {
                "encoder_hidden_states": outputs,
                "encoder_attention_mask": feed["attention_mask"],
            }
            feed["input_ids"] = np.full((len(batch), 1), self._start, dtype=np.int64)
        if self._answers is not None:
            outputs = outputs[:, 0, list(self._answers)]
        listed: list[Any] = outputs.astype(np.float64).tolist()
        return listed


def _session(path: Path, device: str) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise ConfigError(
            f"judge: local needs a package, onnxruntime, for {path.name}. Run: {INSTALL}"
        ) from None
    available = onnxruntime.get_available_providers()
    gpu = [name for name in available if name.startswith(("CUDA", "ROCM", "CoreML"))]
    if device not in ("auto", "cpu") and not gpu:
        raise ConfigError(
            f"device: this ONNX Runtime computes on the CPU only, got {device!r:.40}; install "
            "onnxruntime-gpu, or leave device out"
        )
    providers = [*(gpu if device != "cpu" else []), "CPUExecutionProvider"]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads sleep
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=providers)
    except Exception as error:  # noqa: BLE001 - the package's errors have no common class
        raise ConfigError(
            f"judge: {path} cannot be loaded by ONNX Runtime ({type(error).__name__}): it may be "
            "damaged or cut off; fetch or export it again"
        ) from None
