"""Models in the format of transformers, computed by PyTorch on the CPU or a GPU.

No code of a model's repository is ever run. HHEM, which comes with such code, is a T5 that labels
tokens: its weights are loaded into that.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...records.errors import ConfigError, pip_install
from ...text.strings import clip
from .batching import OutOfMemory
from .families import Head
from .inputs import Input, Tokens, padded
from .model_files import INSTALL, SAFE, ModelFiles

_CLASSES = {
    "labels": "AutoModelForSequenceClassification",
    "tokens": "AutoModelForTokenClassification",
    "first_token": "AutoModelForTokenClassification",
    "words": "AutoModelForSeq2SeqLM",
}
MOST = 10**6
"""A tokenizer that names more tokens than this knows no limit."""


def is_installed() -> bool:
    """Whether there is PyTorch, and transformers."""
    return all(importlib.util.find_spec(name) for name in ("torch", "transformers"))


def load_tokenizer(files: ModelFiles) -> Tokens:
    """The tokenizer of a model, as transformers makes it of its files.

    Raises:
        ConfigError: it cannot be made.
    """
    import transformers

    with _loader_errors(files):
        made = transformers.AutoTokenizer.from_pretrained(
            str(files.folder), local_files_only=True, trust_remote_code=False
        )
    if not any((files.folder / name).is_file() for name in made.vocab_files_names.values()):
        raise ConfigError(  # transformers would make one that knows no word
            f"judge: {files.name} has no tokenizer, such as tokenizer.json; fetch it again, or "
            "save it beside the model with save_pretrained"
        )
    fast = getattr(made, "backend_tokenizer", None)
    if fast is None:
        raise ConfigError(f"judge: the tokenizer of {files.name} has no fast form, tokenizer.json")
    limit = getattr(made, "model_max_length", MOST)
    end = made.eos_token or made.sep_token or ""
    typed = "token_type_ids" in made.model_input_names
    return Tokens(fast, str(end), int(limit) if 0 < limit < MOST else None, typed=typed)


class TransformersEngine:
    """A model that PyTorch computes.

    Args:
        files: the model's.
        shape: for a head ``first_token``, the files of the T5 whose shape the model has.
        head: where its verdict is.
        device: as PyTorch names it, or ``auto``: a GPU if there is one.
        typed: see ``Tokens``.
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
        *,
        typed: bool,
        answers: Sequence[int] | None,
    ) -> None:
        import torch
        import transformers

        self._torch, self._answers = torch, answers
        self._device = _device(torch, device)
        if not files.has_weights(SAFE):
            pickled = files.has_weights(".bin")
            problem = "in safetensors: pickles can run code" if pickled else "at all"
            raise ConfigError(
                f"judge: {files.name} has no weights {problem}; fetch it anew, or convert it where "
                "you trust it: save_pretrained writes model.safetensors"
            )
        if shape is not None:
            model = _on_shape(transformers, files, shape)
        else:
            kind = getattr(transformers, _CLASSES[head])
            dtype = torch.float32 if self._device == "cpu" else "auto"
            model = _loaded(kind, files, dtype=dtype, use_safetensors=True)
            for weight in (*model.parameters(), *model.buffers()):
                weight.data = weight.data.clone()  # the file is mapped into memory, and may change
        with _loader_errors(files):
            self._model = model.to(self._device).eval()
        taken = inspect.signature(self._model.forward).parameters
        self._typed = typed and "token_type_ids" in taken
        self._pad = model.config.pad_token_id
        self._start = getattr(model.config, "decoder_start_token_id", None) or 0

    @property
    def count(self) -> int | None:
        """How many outputs the model has."""
        return None if self._answers is not None else int(self._model.config.num_labels)

    def outputs(self, batch: Sequence[Input]) -> list[Any]:
        """See ``Engine``."""
        if self._pad is None and len(batch) > 1:  # no inputs of several lengths in one batch
            return [output for one in batch for output in self.outputs([one])]
        torch = self._torch
        given = {
            name: torch.tensor(rows, device=self._device)
            for name, rows in padded(batch, self._pad or 0).items()
            if self._typed or name != "token_type_ids"
        }
        if self._answers is not None:
            first = torch.full((len(batch), 1), self._start, device=self._device)
            given["decoder_input_ids"] = first
        try:
            with torch.inference_mode():
                logits = self._model(**given).logits
                if self._answers is not None:
                    logits = logits[:, 0, list(self._answers)]
                values: list[Any] = logits.double().cpu().tolist()
                return values
        except (RuntimeError, MemoryError) as error:
            if not _is_out_of_memory(error):
                raise
        if self._device.startswith("cuda"):
            torch.cuda.empty_cache()
        raise OutOfMemory


def _loaded(kind: Any, files: ModelFiles, **settings: Any) -> Any:
    """The model. transformers makes up weights that are missing, and only warns: here it fails."""
    with _loader_errors(files):
        model, report = kind.from_pretrained(
            str(files.folder),
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
            **settings,
        )
    if absent := [*report.get("missing_keys", ()), *report.get("mismatched_keys", ())]:
        raise ConfigError(
            f"judge: the weights of {files.name} lack {clip(str(absent[0]), 60)} of {kind.__name__}"
            ": it was not trained to check statements, or its family is another one"
        )
    return model


def _device(torch: Any, wanted: str) -> str:
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=wanted)
    except Exception:  # noqa: BLE001 - PyTorch's errors for a wrong device have no common class
        raise ConfigError(f"device: PyTorch has no {wanted!r:.40} here; leave device out") from None
    return wanted


def _on_shape(transformers: Any, files: ModelFiles, shape: ModelFiles) -> Any:
    """A T5 that labels tokens, with the weights of a model that wraps one under the name t5."""
    from safetensors.torch import load_file

    path = files.find("model.safetensors")
    if path is None:
        raise ConfigError(f"judge: {files.name} has no model.safetensors")
    if (kind := shape.config().get("model_type")) != "t5":
        raise ConfigError(f"family: must name the T5 of {files.name}, got a {kind!r:.40}")
    with _loader_errors(files):
        state = load_file(str(path))
        config = transformers.T5Config.from_pretrained(str(shape.folder), num_labels=2)
        model = transformers.T5ForTokenClassification(config)
        own = {name.removeprefix("t5."): weight for name, weight in state.items()}
        missing, unexpected = model.load_state_dict(own, strict=False)
    if unexpected or any(not name.endswith("embed_tokens.weight") for name in missing):
        raise ConfigError(
            f"judge: the weights of {files.name} do not fit {shape.name}; name the model on which "
            "it was built, as family=hhem:NAME"
        )
    model.tie_weights()
    return model


def _is_out_of_memory(error: Exception) -> bool:
    """Whether memory ran out: PyTorch has an error for it on GPUs, and only words elsewhere."""
    text = str(error).lower()
    words = ("out of memory", "not enough memory", "alloc")
    return isinstance(error, MemoryError) or any(word in text for word in words)


@contextmanager
def _loader_errors(files: ModelFiles) -> Iterator[None]:
    """Whatever a loader raises becomes a ``ConfigError`` that says what to do."""
    try:
        with _quiet():
            yield
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001 - loaders raise what they like
        name = type(error).__name__
        if isinstance(error, ImportError):
            raise ConfigError(
                f"judge: {files.name} needs a package that is not installed. Run: {INSTALL}, and "
                f"{pip_install('torch', 'sentencepiece')}"
            ) from None
        if _is_out_of_memory(error):
            raise ConfigError(
                f"judge: {files.name} does not fit into memory; pass device=cpu, or name a smaller "
                "model"
            ) from None
        text = str(error)
        if "trust_remote_code" in text or "custom code" in text:
            raise ConfigError(
                f"judge: {files.name} needs code from its repository, which is never run here; "
                "export it to ONNX, or name another model"
            ) from None
        raise ConfigError(
            f"judge: {files.name} in {files.folder} cannot be loaded ({name}): its files may be "
            "damaged, cut off, or of a kind that this version of transformers does not know; fetch "
            "them again, or update transformers"
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars of transformers, which a test runner or promptfoo would show."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
