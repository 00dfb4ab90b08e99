"""Models in the ONNX format, computed by ONNX Runtime: no PyTorch, no transformers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...records.errors import ConfigError
from .batching import OutOfMemory
from .inputs import Input, padded
from .model_files import INSTALL, ModelFiles

ENCODERS = ("model.onnx",)
_HALVES = ("encoder_model.onnx", "decoder_model.onnx")


def is_onnx(files: ModelFiles) -> bool:
    """Whether a folder has a model in this format."""
    return files.find(*ENCODERS, _HALVES[0]) is not None


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
        self,
        files: ModelFiles,
        device: str,
        pad: int,
        start: int,
        answers: Sequence[int] | None,
    ) -> None:
        self._pad, self._start, self._answers = pad, start, answers
        wanted = ENCODERS if answers is None else _HALVES
        paths = [files.find(name) for name in wanted]
        for name, path in zip(wanted, paths, strict=True):
            if path is None:
                raise ConfigError(f"judge: {files.folder} has no {name}: export the model again")
        self._sessions = [_session(path, device) for path in paths if path]

    @property
    def count(self) -> int | None:
        """How many outputs the model has, if it says so."""
        size = self._sessions[-1].get_outputs()[0].shape[-1]
        return size if isinstance(size, int) and self._answers is None else None

    def outputs(self, batch: Sequence[Input]) -> list[Any]:
        """See ``Engine``."""
        import numpy as np

        rows = padded(batch, self._pad)
        feed = {name: np.array(row, dtype=np.int64) for name, row in rows.items()}
        found = _run(self._sessions[0], feed)
        if self._answers is not None:
            first = np.full((len(batch), 1), self._start, dtype=np.int64)
            mask = feed["attention_mask"]
            feed = {"encoder_hidden_states": found, "encoder_attention_mask": mask}
            found = _run(self._sessions[1], {**feed, "input_ids": first})[:, 0, :]
            found = found[:, list(self._answers)]
        listed: list[Any] = found.astype(np.float64).tolist()
        return listed


def _session(path: Path, device: str) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise ConfigError(
            f"judge: local needs a package, onnxruntime, for {path.name}. Run: {INSTALL}"
        ) from None
    known = onnxruntime.get_available_providers()
    gpu = [name for name in known if name.startswith(("CUDA", "ROCM", "CoreML"))]
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


def _run(session: Any, feed: dict[str, Any]) -> Any:
    """The first output for those of these values that the model takes."""
    taken = {one.name for one in session.get_inputs()}
    try:
        return session.run(None, {name: value for name, value in feed.items() if name in taken})[0]
    except Exception as error:
        if "alloc" in str(error).lower() or isinstance(error, MemoryError):
            raise OutOfMemory from None
        raise
