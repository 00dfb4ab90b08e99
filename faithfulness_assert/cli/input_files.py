"""Reads JSON from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..records.errors import ConfigError


def read_json(file: str) -> Any:
    """The JSON value in a file.

    Raises:
        ConfigError: the file cannot be read, or is invalid JSON.
    """
    try:
        return json.loads(Path(file).read_text("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: cannot be read: it is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file}: invalid JSON: {error}") from None
