"""Models in the format of transformers, computed by PyTorch on the CPU or a GPU.

No code of a model's repository is ever run. HHEM, which comes with such code, is a T5 that labels
tokens, under the name t5: its weights are loaded into that.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ...records.errors import ConfigError, pip_install
from ...text.strings import clip
from .batching import is_out_of_memory
from .families import Head
from .inputs import Input, padded
from .model_files import INSTALL, SAFE, ModelFiles

_CLASSES = {
    "labels": "AutoModelForSequenceClassification",
    "tokens": "AutoModelForTokenClassification",
    "first_token": "AutoModelForTokenClassification",
    "words": "AutoModelForSeq2SeqLM",
}


def is_installed() -> bool:
    """Whether there is PyTorch, and transformers."""
    return all(importlib.util.find_spec(name) for name in ("torch", "transformers"))


class TransformersEngine:
    """A model that PyTorch computes.

    Args:
        files: the model's.
        shape: for a head ``first_token``, the files of the T5 whose shape the model has.
        head: where its verdict is.
        device: as PyTorch names it, or ``auto``: a GPU if there is one.
        answers: see ``OnnxEngine``.

    Raises:
        ConfigError: the model cannot be loaded.
    """

    def __init__(
        self,
        files: ModelFiles,
        shape: ModelFiles | None,
        head: Head,
        device: str,
        answers: Sequence[int] | None,
    ) -> None:
        import torch
        import transformers

        self._torch, self._answers = torch, answers
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        else:
            try:
                torch.zeros(1, device=device)
            except Exception:  # noqa: BLE001 - PyTorch has no class of errors for a wrong device
                problem = f"PyTorch has no {device!r:.40} here; leave device out"
                raise ConfigError(f"device: {problem}") from None
        self._device = device
        if not files.has_weights(SAFE):
            pickled = files.has_weights(".bin")
            problem = "in safetensors: pickles can run code" if pickled else "at all"
            raise ConfigError(
                f"judge: {files.name} has no weights {problem}; fetch it anew, or convert it where "
                "you trust it: save_pretrained writes model.safetensors"
            )
        kind: Any = getattr(transformers, _CLASSES[head])
        dtype = torch.float32 if self._device == "cpu" else "auto"
        source = {"pretrained_model_name_or_path": str(files.folder), "dtype": dtype}
        if shape is not None:
            kind = transformers.T5ForTokenClassification
            source = _on_shape(kind, files, shape)
        model = _loaded(kind, files, source)
        for weight in (*model.parameters(), *model.buffers()):
            weight.data = weight.data.clone()  # the file is mapped into memory, and may change
        with _loader_errors(files):
            self._model = model.to(self._device).eval()
        self._taken = inspect.signature(self._model.forward).parameters
        self._pad = model.config.pad_token_id
        self._start = getattr(model.config, "decoder_start_token_id", None) or 0
        self.count = None if answers else int(model.config.num_labels)

    def outputs(self, batch: Sequence[Input]) -> list[Any]:
        """See ``Engine``."""
        if self._pad is None and len(batch) > 1:  # no inputs of several lengths in one batch
            return [output for one in batch for output in self.outputs([one])]
        torch = self._torch
        given = {
            name: torch.tensor(rows, device=self._device)
            for name, rows in padded(batch, self._pad or 0).items()
            if name in self._taken
        }
        if self._answers is not None:
            first = torch.full((len(batch), 1), self._start, device=self._device)
            given["decoder_input_ids"] = first
        with torch.inference_mode():
            logits = self._model(**given).logits
            if self._answers is not None:
                logits = logits[:, 0, list(self._answers)]
            values: list[Any] = logits.double().cpu().tolist()
            return values


def _on_shape(kind: Any, files: ModelFiles, shape: ModelFiles) -> dict[str, Any]:
    """A T5 that labels tokens, of weights that wrap one under the name t5, as what to load."""
    with _loader_errors(files):
        from safetensors.torch import load_file

        state = load_file(str(files.folder / "model.safetensors"))
        own = {name.removeprefix("t5."): weight for name, weight in state.items()}
        config = kind.config_class.from_pretrained(str(shape.folder), num_labels=2)
    return {"pretrained_model_name_or_path": None, "config": config, "state_dict": own}


def _loaded(kind: Any, files: ModelFiles, source: Mapping[str, Any]) -> Any:
    """The model. transformers makes up weights that are missing, and only warns: here it fails."""
    with _loader_errors(files):
        model, report = kind.from_pretrained(
            **source,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
        )
    if absent := [*report.get("missing_keys", ()), *report.get("mismatched_keys", ())]:
        raise ConfigError(
            f"judge: the weights of {files.name} lack {clip(str(absent[0]), 60)} of {kind.__name__}"
            ": it was not trained to check statements, or its family is another one"
        )
    return model


@contextmanager
def _loader_errors(files: ModelFiles) -> Iterator[None]:
    """Whatever a loader raises becomes a ``ConfigError`` that says what to do.

    No progress bar of transformers is shown, as it would be by a test runner or promptfoo.
    """
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    except Exception as error:  # noqa: BLE001 - loaders raise what they like
        text = str(error)
        if isinstance(error, ImportError):
            problem = "needs a package that is not installed. "
            problem += f"Run: {INSTALL}, and {pip_install('torch')}"
        elif is_out_of_memory(error):
            problem = "does not fit into memory; pass device=cpu, or name a smaller model"
        elif "trust_remote_code" in text or "custom code" in text:
            problem = (
                "needs code from its repository, which is never run here; export it to ONNX, or "
                "name another model"
            )
        else:
            problem = (
                f"in {files.folder} cannot be loaded ({type(error).__name__}): its files may be "
                "damaged, cut off, or of a kind that this version of transformers does not know; "
                "fetch them again, or update transformers"
            )
        raise ConfigError(f"judge: {files.name} {problem}") from None
    finally:
        if shown:
            logging.enable_progress_bar()
