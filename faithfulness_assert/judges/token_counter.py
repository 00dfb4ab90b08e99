"""Counts tokens as a judge's model does."""

from __future__ import annotations

import os
from functools import cache

from ..asking.tokens import CountTokens, estimate_tokens, exact_counter


def token_counter(judge_name: str) -> CountTokens:
    """A counter for the model in a judge's name, which is ``PROVIDER:MODEL``, or a model alone.

    It loads tiktoken when it first counts. Without ranks on this machine, it estimates.
    """
    model = model_of(judge_name)

    def count(text: str) -> int:
        return _counter(model, ranks_folder())(text)

    return count


def model_of(judge_name: str) -> str:
    """The model in a judge's name."""
    return judge_name.partition(":")[2] or judge_name


def ranks_folder() -> str:
    """The folder in which tiktoken keeps the ranks that it has downloaded; "" for none."""
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if name in os.environ:
            return os.environ[name]
    import tempfile

    try:
        return os.path.join(tempfile.gettempdir(), "data-gym-cache")
    except OSError:
        return ""


@cache
def _counter(model: str, folder: str) -> CountTokens:
    return exact_counter(model, folder) or estimate_tokens
