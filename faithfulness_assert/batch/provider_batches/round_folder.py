"""A round on disk: what was asked, in which files, and what came back.

    requests-001.jsonl   what is sent, in the form of the provider; at most so many lines and bytes
    asks.jsonl           one line for each request, in its order: whose ask it is
    round.json           how each file stands at the provider
    output-001-1.jsonl   what came back for a file, as it came
    answers.jsonl        one line for each ask, in its order: what came back for it

A folder appears with all its requests, or not at all. ``answers.jsonl`` appears when all outputs
were read; requests and outputs are then removed. Asks are in the order of the rows, so that the
answers of several rounds can be merged without holding them in memory.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from ...asking.echo import token_of
from ...judges.remote.redaction import without_keys
from ...records.errors import ConfigError
from .round_writer import custom_id, to_disk, write_whole
from .service import MISSING, NOT_RUN, Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from io import BufferedReader
    from pathlib import Path

    from .service import Form

MAX_LINE = 16 << 20
"""Bytes of a line of an output. What is longer is no line that we know."""
MOST_LINES_OF_AN_ASK = 4
UNNAMED = "answers that do not name their ask, and are not used"
WITHOUT = "asks without an answer"
DOUBLED = "doubled lines"
UNKNOWN = "lines that answer no ask of this round"
_FILE_BITS = 48  # a place in an output: the number of the file, and the offset in it


class Try(NamedTuple):
    """An ask that was sent, and what came back.

    Args:
        row: the number of its row.
        round: in which it was sent.
        key: which ask of the plan it is.
        token: what the reply must repeat.
        steps: the fallbacks with which it was sent; those without steps are left out.
        answers: status and body, or the word of a problem; several if the service sent several.
    """

    row: int
    round: int
    key: str
    token: str
    steps: Mapping[str, int]
    answers: Sequence[list[Any] | str]


class Round:
    """A round that was written.

    Args:
        folder: its folder; the name is its number.
        run_id: of the run, which makes the ids of its asks unlike all others.
    """

    def __init__(self, folder: Path, run_id: str) -> None:
        self.folder, self.run_id, self.number = folder, run_id, int(folder.name)
        file = folder / "round.json"
        try:
            self.state: dict[str, Any] = json.loads(file.read_bytes())
        except (OSError, ValueError) as error:
            raise ConfigError(f"{file}: cannot be read: {error}") from None

    @property
    def files(self) -> list[dict[str, Any]]:
        """How each file stands: name, first place, lines, batch, status and so on."""
        files: list[dict[str, Any]] = self.state["files"]
        return files

    @property
    def absorbed(self) -> bool:
        """Whether all answers of the round are known."""
        return (self.folder / "answers.jsonl").exists()

    def save(self) -> None:
        """Writes the state, whole or not at all."""
        write_whole(self.folder / "round.json", json.dumps(self.state, indent=1).encode())

    def tries(self) -> Iterator[Try]:
        """What was asked and what came back, in the order of the rows."""
        with (self.folder / "answers.jsonl").open("rb") as file:
            for place, line in enumerate(file):
                data = json.loads(line)
                token = token_of(self.run_id, self.number, place)
                steps, said = data.get("steps", {}), data["said"]
                yield Try(data["row"], self.number, data["key"], token, steps, said)

    def is_answered(self, form: Form, outputs: Sequence[Path]) -> bool:
        """Whether these outputs have a line for an ask of this round."""
        for path in outputs:
            with path.open("rb") as file:
                lines = iter(lambda file=file: file.readline(MAX_LINE), b"")  # type: ignore[misc]
                if any(self._place(read_line(form, line)) is not None for line in lines):
                    return True
        return False

    def absorb(self, form: Form, secrets: Sequence[str], outputs: Sequence[Path]) -> Counter[str]:
        """Writes the answers that are in these outputs. Returns what was odd, and how often."""
        odd: Counter[str] = Counter()
        with ExitStack() as stack:
            opened = [stack.enter_context(path.open("rb")) for path in outputs]
            places = self._places(form, opened, odd)
            target = self.folder / "answers.jsonl.tmp"
            with target.open("wb") as file:
                for line in self._answers(form, secrets, opened, places, odd):
                    file.write(line)
                to_disk(file)
            target.replace(self.folder / "answers.jsonl")
        for path in (*self.folder.glob("requests-*"), *self.folder.glob("output-*")):
            path.unlink()
        return odd

    def _places(self, form: Form, outputs: Sequence[BufferedReader], odd: Counter[str]) -> _Places:
        """Where the lines for each ask are."""
        first = array("q", [-1]) * self.state["asks"]
        others: dict[int, list[int]] = {}
        for number, output in enumerate(outputs):
            offset = 0
            for line in iter(lambda file=output: file.readline(MAX_LINE), b""):  # type: ignore[misc]
                said, where = read_line(form, line), (number << _FILE_BITS) + offset
                offset += len(line)
                place = self._place(said)
                if place is None:
                    odd[UNKNOWN] += bool(line.strip())
                elif first[place] < 0:
                    first[place] = where
                else:
                    odd[DOUBLED] += 1
                    others.setdefault(place, []).append(where)
        return _Places(first, others)

    def _place(self, said: Said | None) -> int | None:
        """The place of the ask that a line is for."""
        number = said.custom_id.split("-")[1:2] if said else []
        if not said or not number or not number[0].isdecimal() or len(number[0]) > 12:
            return None
        place = int(number[0])
        ours = place < self.state["asks"] and said.custom_id == self.custom_id(place)
        return place if ours else None

    def custom_id(self, place: int) -> str:
        """The id of an ask: unique, and without anything of the data."""
        return custom_id(self.run_id, self.number, place)

    def _answers(
        self,
        form: Form,
        secrets: Sequence[str],
        outputs: Sequence[BufferedReader],
        places: _Places,
        odd: Counter[str],
    ) -> Iterator[bytes]:
        """The lines of ``answers.jsonl``."""
        refused, untouched = self._refused()
        with (self.folder / "asks.jsonl").open("rb") as asks:
            for place, ask in enumerate(asks):
                said: list[Any] = []
                for where in places[place][:MOST_LINES_OF_AN_ASK]:
                    output = outputs[where >> _FILE_BITS]
                    output.seek(where & ((1 << _FILE_BITS) - 1))
                    line = read_line(form, without_keys(output.readline(MAX_LINE), secrets))
                    if line:
                        said.append(line.problem or [line.status, line.body])
                if not said:
                    missing = NOT_RUN if any(place in part for part in untouched) else MISSING
                    said = [refused.get(place, missing)]
                text = json.dumps({**json.loads(ask), "said": said}, ensure_ascii=True)
                token = token_of(self.run_id, self.number, place)
                odd[UNNAMED] += said[0][0] == 200 and token not in text
                odd[WITHOUT] += isinstance(said[0], str)
                yield f"{text}\n".encode()

    def _refused(self) -> tuple[dict[int, list[Any]], list[range]]:
        """The asks that the provider refused unread, and the places that it may not have read."""
        refused: dict[int, list[Any]] = {}
        untouched = []
        for file in self.files:
            if file.get("rejected") or file.get("cancelled"):
                untouched.append(range(file["first"], file["first"] + file["lines"]))
            for line, code, message, param in file.get("rejected", ()):
                error = {"error": {"message": message, "code": code, "param": param}}
                if 0 < line <= file["lines"]:
                    refused[file["first"] + line - 1] = [400, error]
        return refused, untouched


class _Places:
    """Where the lines for each ask are; most have one."""

    def __init__(self, first: array[int], others: Mapping[int, Sequence[int]]) -> None:
        self._first, self._others = first, others

    def __getitem__(self, place: int) -> Sequence[int]:
        first = self._first[place]
        return () if first < 0 else (first, *self._others.get(place, ()))


def read_line(form: Form, line: bytes) -> Said | None:
    """What a line of an output says; None if it is no such line."""
    try:
        data = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return form.said(data) if isinstance(data, dict) else None
