"""A fingerprint of all that judges are told: results under other prompts are not alike."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from ..files import open_file


def prompts_fingerprint() -> str:
    """The SHA-256 of all prompts, in hex."""
    found = sha256()
    prompts = (Path(__file__).parent / "prompts").iterdir()
    for path in sorted(prompts, key=lambda path: path.name):
        with open_file(path) as file:
            found.update(path.name.encode() + b"\0" + file.read() + b"\0")
    return found.hexdigest()
