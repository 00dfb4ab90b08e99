"""Who answers: an LLM behind an API, the embedded judge, stored replies. They are made by name."""

from .by_name import (
    JUDGES,
    environment_prefixes,
    find_stored,
    judge_forms,
    make_judge,
    option_names,
)

__all__ = [
    "JUDGES",
    "environment_prefixes",
    "find_stored",
    "judge_forms",
    "make_judge",
    "option_names",
]
