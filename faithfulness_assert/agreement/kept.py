"""What the labels of people say about a run, kept beside it as counts: ``labels.json``.

It has no texts. Who reads it may not have written it: the counts are checked, the shares are
computed again, and a run that has changed since is told apart by its fingerprint.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..files import new_file, open_file
from ..records.errors import ConfigError
from ..text.strings import clip
from .design import count_of
from .judged import fingerprint, open_run
from .rates import MIN_LABELS, Rate, rate_of
from .rates import Stratum as Share
from .statement_rates import Answers, unfaithful_statement_rate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from .measuring import Agreement

FORMAT = 1
NAME = "labels.json"
MOST_BYTES = 10_000_000


class Kept(NamedTuple):
    """What labels say about a run: how many there are, and the shares with their intervals."""

    labels: int
    share: Rate
    statements: Rate | None

    def line(self) -> str:
        """What one may quote."""
        told = f"{shown(self.share)} of answers are unfaithful, by {self.labels:,} labels"
        return f"{told}; of statements {shown(self.statements)}" if self.statements else told


def shown(rate: Rate) -> str:
    """A share for people: ``3.1 % (1.8 to 4.5)``."""
    return f"{100 * rate.value:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def keep(found: Agreement, run: str | PathLike[str]) -> Path:
    """Keeps what labels say beside the run from whose answers the sheet was drawn.

    Raises:
        ConfigError: the folder cannot be written.
    """
    path = Path(run) / NAME
    if not path.parent.is_dir():
        raise ConfigError(f"{run}: is not the directory of a run")
    strata = zip(found.unfaithful, found.labels, found.sizes, strict=True)
    told: dict[str, Any] = {
        "format": FORMAT,
        "run": found.run,
        "answers": [list(counts) for counts in strata],
        "statements": None,
    }
    if found.counted:
        parts = found.counted
        told["statements"] = [[p.answers, p.statements, list(map(list, p.labelled))] for p in parts]
    try:
        with new_file(path, private=True) as file:
            file.write(json.dumps(told).encode() + b"\n")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from None
    return path


def kept(run: str | PathLike[str]) -> tuple[Kept | None, str]:
    """What labels say about the run in a directory, or None; and why they are not used, or "".

    A run without labels, and a file of results, has neither.
    """
    path = Path(run) / NAME
    try:
        with open_file(path, follow=False) as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        return None, "" if missing else f"{NAME} cannot be read: {error.strerror or error}"
    try:
        if len(text) > MOST_BYTES:
            raise ValueError
        told = json.loads(text)
        found, of = _kept(told), told["run"]
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError, ConfigError):
        again = "write it again with `agreement`, or delete it"
        return None, f"{NAME} is damaged, or of another version: {again}"
    try:
        same = fingerprint(open_run(run).answers()) == of
    except ConfigError as error:
        return None, f"{NAME} is not used: {clip(str(error))}"
    if not same:
        return None, f"{NAME} is of other results than these: draw a new sheet with `label`"
    return found, ""


def line_of(run: str | PathLike[str]) -> str:
    """A line for people on what labels say about a run, or why they are not used; "" if none."""
    found, why = kept(run)
    return found.line() if found else why


def _kept(told: Mapping[str, Any]) -> Kept:
    if told["format"] != FORMAT:
        raise ValueError
    (x0, n0, size0), (x1, n1, size1) = (map(count_of, counts) for counts in told["answers"])
    total = size0 + size1
    fits = x0 <= n0 <= size0 and x1 <= n1 <= size1 and (n0 or not size0) and (n1 or not size1)
    if not fits or n0 + n1 < MIN_LABELS:
        raise ValueError
    share = rate_of(Share(size1 / total, x1, n1), Share(size0 / total, x0, n0), answers=total)
    statements = None
    if told["statements"] is not None:
        others, flagged = map(_answers, told["statements"])
        statements = unfaithful_statement_rate(flagged, others)
    return Kept(n0 + n1, share, statements)


def _answers(told: Any) -> Answers:
    answers, statements, labelled = told
    pairs = [(count_of(wrong), count_of(size)) for wrong, size in labelled]
    if any(wrong > size for wrong, size in pairs) or sum(size for _, size in pairs) > statements:
        raise ValueError
    return Answers(count_of(answers), count_of(statements), pairs)
