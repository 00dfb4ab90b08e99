"""What all tests of a process share: settings, graders, and the count of tokens spent."""

from __future__ import annotations

import hashlib
import json
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files import append_file, open_file
from ..options import parse_options
from .assertions import make_grader
from .plugin_settings import read_settings
from .session_results import NAME, SPENT_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from ..grading import Grader


class Session:
    """The settings, the options of ``grade()`` that they name, and the graders that were made."""

    def __init__(self, config: pytest.Config) -> None:
        self.settings = read_settings(config)
        named = {name: getattr(self.settings, name) for name in ("judge", "policy", "threshold")}
        given = {name: value for name, value in named.items() if value is not None}
        self.options = {**parse_options(self.settings.options, "faithfulness_options"), **given}
        self.numbers = count(1)
        self._graders: dict[str, Grader] = {}
        self.limit: TokenLimit | None = None
        if self.settings.max_tokens is not None:
            if hasattr(config, "workerinput"):  # a worker of pytest-xdist was told the file
                spent_file = config.workerinput[SPENT_FILE]
            else:
                spent_file = config.pluginmanager.getplugin(NAME).spent_file
            self.limit = TokenLimit(self.settings.max_tokens, Path(spent_file))

    def grader(self, options: dict[str, Any]) -> Grader:
        """The grader with these options: the same one again, if it was made before."""
        __tracebackhide__ = True
        place = _digest(options)
        if not place:
            return make_grader(**options)
        if place not in self._graders:
            self._graders[place] = make_grader(**options)
        return self._graders[place]

    def used_up(self) -> str:
        """Why nothing is graded any more; "" if that is not so."""
        if self.limit is None or (spent := self.limit.spent()) < self.limit.most:
            return ""
        said = f"this session has spent {spent:,} tokens, and its limit is {self.limit.most:,}"
        return f"{said} (--faithfulness-max-tokens)"


def _digest(options: Mapping[str, Any]) -> str:
    """A fingerprint that does not show keys; "" with a judge or a policy that is an object."""
    try:
        text = json.dumps(options, sort_keys=True)
    except (TypeError, ValueError):
        return ""
    return hashlib.sha256(text.encode()).hexdigest()


class TokenLimit:
    """Counts tokens in a file that all workers of a session share.

    Each process appends a line for each grade. It is one write, so that lines do not mix.

    Args:
        most: after how many tokens nothing is graded any more.
        file: the shared file.
    """

    def __init__(self, most: int, file: Path) -> None:
        self.most = most
        self._file = file

    def spent(self) -> int:
        """The tokens of all grades that have ended."""
        try:
            with open_file(self._file, follow=False) as file:
                lines = file.read().split()
        except FileNotFoundError:
            return 0
        return sum(int(line) for line in lines if line.isdigit())

    def add(self, tokens: int) -> None:
        """Counts the tokens of a grade."""
        if tokens:
            self._file.parent.mkdir(parents=True, exist_ok=True)  # a worker on another machine
            with append_file(self._file, buffered=False) as file:
                file.write(b"%d\n" % tokens)
