"""Where a model is: a folder, or a snapshot of the Hugging Face hub, of one commit.

The hub is asked only for the model that the user named, and not at all if ``HF_HUB_OFFLINE`` is
set. Of a hub's files only those are fetched that are data: no code, and no pickles.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ...files import open_file, read_text
from ...records.errors import ConfigError, pip_install

MAX_JSON_BYTES = 64 << 20
SECONDS = 10.0
"""In which the hub must say whether it has a model."""
SAMPLE_BYTES = 1 << 16
"""Bytes at both ends of a file of weights by which it is told from others."""
_DATA = ("*.json", "*.txt", "*.model")
_ONNX = ("*.onnx", "*.onnx_data", "onnx/*.onnx", "onnx/*.onnx_data")
SAFE = ".safetensors"
_SAFE = (f"*{SAFE}",)
_OF_A_MODEL = tuple(p.rpartition("*")[2] for p in (*_DATA, *_ONNX, *_SAFE))
_REPOSITORY = re.compile(r"[\w.-]{1,96}(?:/[\w.-]{1,96})?")
INSTALL = pip_install(extra="local")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of a model.

    Args:
        name: as the user named it.
        folder: where they are.
        commit: of the hub's repository; "" for a folder.
        pinned: whether the user named the commit, or a folder.
    """

    name: str
    folder: Path
    commit: str = ""
    pinned: bool = True

    def json(self, file: str) -> Mapping[str, Any]:
        """The JSON object in a file; {} if there is no such file.

        Raises:
            ConfigError: it cannot be read.
        """
        why = "it is not an object of JSON; fetch it again"
        try:
            data = json.loads(read_text(self.folder / file, most=MAX_JSON_BYTES))
            if isinstance(data, dict):
                return data
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            why = getattr(error, "strerror", None) or why
        raise ConfigError(f"judge: {self.folder / file} cannot be read: {why}")

    def find(self, *names: str) -> Path | None:
        """The first of these files that exists, in the folder or in its subfolder ``onnx``."""
        paths = (self.folder / place / name for place in ("", "onnx") for name in names)
        return next((path for path in paths if path.is_file()), None)

    def has_weights(self, ending: str) -> bool:
        """Whether there is a file with this ending."""
        return any(path.name.endswith(ending) for path in self.folder.iterdir())

    def fingerprint(self) -> str:
        """What tells these files from others: a hash of their names, their sizes, and their ends.

        Raises:
            ConfigError: one of them cannot be read.
        """
        hashed = hashlib.sha256()
        paths = [p for folder in (self.folder, self.folder / "onnx") for p in folder.glob("*.*")]
        try:
            for path in sorted(p for p in paths if p.name.endswith(_OF_A_MODEL) and p.is_file()):
                size = path.stat().st_size
                with open_file(path) as file:
                    head = file.read(SAMPLE_BYTES)
                    file.seek(max(size - SAMPLE_BYTES, 0))
                    tail = file.read(SAMPLE_BYTES)
                place = str(path.relative_to(self.folder))
                hashed.update(f"{place}\0{size}\0".encode() + head + tail)
        except OSError as error:
            raise ConfigError(f"judge: {error.filename} cannot be read: {error.strerror}") from None
        return hashed.hexdigest()[:16]


def find_model(name: str, revision: str | None, *, onnx: bool) -> ModelFiles:
    """The files of a model, which are fetched from the hub if they are not on this machine.

    Args:
        name: a folder, or a repository of the hub.
        revision: a commit, tag or branch of the repository; None for its main branch. A folder has
            none.
        onnx: fetch the weights for ONNX Runtime, and not those for PyTorch, of which they take the
            place if there are none.

    Raises:
        ConfigError: there is no such model, or it cannot be fetched.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return ModelFiles(name, folder.resolve())
    if not _REPOSITORY.fullmatch(name) or name.startswith(".") or revision == "":
        raise ConfigError(
            f"judge: there is no folder {name!r:.200}; name one that save_pretrained wrote, or a "
            "model of the hub, such as ORGANISATION/NAME"
        )
    path = Path(_fetched(name, revision, (*_DATA, *(_ONNX if onnx else _SAFE))))
    if not onnx and not ModelFiles(name, path).has_weights(SAFE):
        path = Path(_fetched(name, revision, (*_DATA, *_ONNX)))
    commit = path.name if re.fullmatch("[0-9a-f]{40}", path.name) else ""
    pinned = bool(commit) and revision == commit
    return ModelFiles(name, path, commit, pinned)


def _fetched(name: str, revision: str | None, patterns: tuple[str, ...]) -> str:
    """The folder of a snapshot. What is on this machine already is not fetched again."""
    try:
        from huggingface_hub import HfApi, constants, errors, snapshot_download
    except ImportError:
        raise ConfigError(
            f"judge: there is no folder {name!r}, and without the package huggingface-hub nothing "
            f"can be fetched. Run: {INSTALL}"
        ) from None
    fetch = partial(snapshot_download, name, revision=revision, allow_patterns=list(patterns))
    try:
        try:  # the other call has no limit
            HfApi().model_info(name, revision=revision, timeout=SECONDS)
        except errors.RevisionNotFoundError:
            raise
        except Exception as error:  # noqa: BLE001 - of requests, of the hub, of the disk
            try:  # what was fetched before, if the hub says nothing in time
                return str(fetch(local_files_only=True))
            except errors.LocalEntryNotFoundError:
                raise error from None
        return str(fetch())
    except Exception as error:  # noqa: BLE001 - whose texts are not shown
        at, named = (f" at {revision}", f" --revision {revision}") if revision else ("", "")
        why = "HF_HUB_OFFLINE is set" if constants.HF_HUB_OFFLINE else type(error).__name__
        raise ConfigError(
            f"judge: the model {name}{at} is neither a folder nor on this machine, and could not "
            f"be fetched from the hub ({why}): check its name; one that is private, or asks for "
            f"consent on its page, needs HF_TOKEN. Where there is network, run: hf download {name}"
            f"{named}; then copy the folder and name it, or set HF_HOME to the cache"
        ) from None
