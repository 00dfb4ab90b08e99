"""What a sheet of labels says about how its rows were drawn, and about the judge.

Each row has all of it in one cell, which ends in its own checksum. So rows may be sorted, and a
sheet may be saved by any spreadsheet, and an edited design is noticed. It is not written in words:
whoever labels a row must not see what the judge says of it.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict, dataclass, fields
from functools import cache
from hashlib import blake2b
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from ..records.errors import ConfigError
from .judged import LABEL_OF, Judged

FORMAT = 1
CHECK = 8
LONGEST = 2_000_000
MOST = 10**12
Kind = Literal["answers", "statements"]
Count = Annotated[int, Field(strict=True, ge=0, le=MOST)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]


class Stratum(NamedTuple):
    """How many answers were drawn, of how many, and how many statements those have in the run."""

    drawn: Count
    answers: Count
    statements: Count


@dataclass(frozen=True, slots=True)
class Design:
    """How a sheet was drawn.

    Args:
        kind: whether ``answers`` or ``statements`` are labelled.
        run: a fingerprint of what the run said when the sheet was drawn.
        settings: a fingerprint of what shapes its results.
        judge, policy, threshold, inverse: with which the run was graded.
        seed: of the draw.
        others, flagged: the strata: answers that pass by the judge's verdict, and the rest.
        left_out: cases in neither stratum: they could not be graded, or have no statements.
    """

    kind: Kind
    run: str
    settings: str
    judge: str
    policy: str
    threshold: Share
    inverse: bool
    seed: Count
    others: Stratum
    flagged: Stratum
    left_out: Count

    @property
    def strata(self) -> tuple[Stratum, Stratum]:
        """Both, so that whether an answer is flagged is the place of its stratum."""
        return self.others, self.flagged

    @property
    def drawn(self) -> int:
        """How many answers were drawn."""
        return self.others.drawn + self.flagged.drawn


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a sheet.

    Args:
        place: of its answer among those drawn, from 1.
        statement: the place of its statement, from 1; 0 in a sheet of whole answers.
        answer: what the judge says of it.
        said: a fingerprint of the texts of its statements; see ``said_by``.
    """

    place: int
    statement: int
    answer: Judged
    said: str


@dataclass(frozen=True, slots=True)
class _Cell(Design):
    """What a cell says. ``fails``: whether the answer is flagged."""

    format: Count
    place: Count
    statement: Count
    id: str
    input: str
    score: Share | None
    forced: bool
    fails: bool
    labels: str
    said: str


@cache
def _cells() -> TypeAdapter[_Cell]:
    return TypeAdapter(_Cell)


def said_by(answer: Judged) -> str:
    """A fingerprint of the statements of an answer."""
    told = "\0".join(answer.statements).encode("utf-8", "replace")
    return blake2b(told, digest_size=CHECK).hexdigest()


def sealed(design: Design, place: Place) -> str:
    """The cell of a row."""
    answer = place.answer
    told = {
        "format": FORMAT,
        **asdict(design),
        "place": place.place,
        "statement": place.statement,
        "id": answer.id,
        "input": answer.input,
        "score": answer.score,
        "forced": answer.forced,
        "fails": answer.flagged,
        "labels": answer.labels,
        "said": place.said,
    }
    text = json.dumps(told, separators=(",", ":")).encode()
    return urlsafe_b64encode(text + blake2b(text, digest_size=CHECK).digest()).decode()


def unsealed(cell: str) -> tuple[Design, Place]:
    """What a cell says. The statements of the answer have no texts.

    Raises:
        ConfigError: it was changed, or is of a newer version.
    """
    try:
        if len(cell) > LONGEST:
            raise ValueError
        data = urlsafe_b64decode(cell.strip().encode("ascii"))
        text, check = data[:-CHECK], data[-CHECK:]
        if blake2b(text, digest_size=CHECK).digest() != check:
            raise ValueError
        told = json.loads(text)
        if told["format"] > FORMAT:
            raise ConfigError("was made by a newer version of faithfulness-assert; use that one")
        return _parts_of(_cells().validate_python(told))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError("was changed; take it from the sheet as it was written") from None


def _parts_of(cell: _Cell) -> tuple[Design, Place]:
    design = Design(**{field.name: getattr(cell, field.name) for field in fields(Design)})
    labels = cell.labels
    if any(stratum.drawn > stratum.answers for stratum in design.strata):
        raise ValueError
    if not set(labels) <= LABEL_OF.keys() or cell.statement > len(labels):
        raise ValueError
    answer = Judged(cell.id, cell.input, cell.fails, cell.score, cell.forced, labels, ())
    return design, Place(cell.place, cell.statement, answer, cell.said)


def count_of(value: object) -> int:
    """A count in a file. Raises ``ValueError`` if it is none."""
    if type(value) is not int or not 0 <= value <= MOST:
        raise ValueError
    return value
