"""Have the probes read by somebody who does not see what we say of them.

``python tools/blind_reading.py write FOLDER`` writes four sheets with all statements of all scenes,
filled and shuffled, without our labels: a line of JSON for each context. A reader writes a line for
each row: ``{"row": 1, "supported": true}``, with true, false or "arguable". With ``--kinds`` the
sheets have these kinds alone, and ``--mix`` others for each context, another draw for each.
``python tools/blind_reading.py count FOLDER ANSWERS...`` holds the answers of a reader against
ours, and shows each row on which they differ. The files of a reader may be of any of the sheets.

A statement that was drawn again, or another scene, has another row: rows are those of the fillings
of ``--seed``, as the scenes are now.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import NamedTuple

from faithfulness_assert.probe.scenes import KINDS, TRUE_KINDS, Probe, all_scenes, fill

SHEETS = 4
SEED = 1


class Row(NamedTuple):
    """A statement: its number, and what we say of it."""

    number: int
    probe: Probe
    kind: str
    text: str

    @property
    def is_true(self) -> bool:
        """Whether the context supports it, as we say."""
        return self.kind in TRUE_KINDS


def rows_of(seed: int) -> list[list[Row]]:
    """The rows of each context, in the order in which they are read."""
    chance = Random(f"blind {seed}")
    # Each scene has values of its own: a scene that changes leaves those of the others as they are.
    probes = [fill(s, KINDS, Random(f"blind {seed} {s['name']}")) for s in all_scenes()]
    chance.shuffle(probes)
    number, groups = 0, []
    for probe in probes:
        statements = list(probe.statements)
        Random(f"blind {seed} {probe.scene} rows").shuffle(statements)
        groups.append([Row(number + n, probe, *one) for n, one in enumerate(statements, 1)])
        number += len(statements)
    return groups


def some_of(rows: list[Row], kinds: list[str], mix: int) -> list[Row]:
    """The rows of a context that are of these kinds, and so many others, in their order."""
    others = sorted(row.kind for row in rows if row.kind not in kinds)
    wanted = {*kinds, *Random(f"mix {rows[0].text}").sample(others, min(mix, len(others)))}
    return [row for row in rows if row.kind in wanted]


def write(folder: Path, seed: int, kinds: list[str], mix: int) -> None:
    """Writes the sheets."""
    groups = [some_of(rows, kinds, mix) for rows in rows_of(seed)]
    for sheet in range(SHEETS):
        lines = [
            {
                "context": "\n\n".join(rows[0].probe.context),
                "statements": [{"row": row.number, "statement": row.text} for row in rows],
            }
            for rows in groups[sheet::SHEETS]
        ]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"blind_sheet_{sheet + 1}.jsonl").write_text(text, encoding="utf-8")


def count(files: list[Path], seed: int) -> int:
    """Shows where a reader and we differ. Returns how many rows that are."""
    rows = {row.number: row for group in rows_of(seed) for row in group}
    said: dict[int, object] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.strip():
                answer = json.loads(line)
                said[answer["row"]] = answer["supported"]
    unknown = sorted(set(said) - set(rows))
    if unknown:
        raise SystemExit(f"rows that no sheet has: {unknown[:5]}")
    differing = [row for n, row in rows.items() if n in said and said[n] is not row.is_true]
    for row in differing:
        print(
            f"{row.number} {row.probe.scene} {row.kind}: ours {row.is_true}, {said[row.number]!r}"
        )
        print(f"    {row.text}")
    kinds = Counter(row.kind for row in differing)
    arguable = sum(said[row.number] == "arguable" for row in differing)
    print(f"{len(said)} of {len(rows)} rows read, {len(differing)} differ ({arguable} arguable)")
    print(", ".join(f"{kind} {kinds[kind]}" for kind in KINDS if kinds[kind]))
    return len(differing)


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=("write", "count"))
    parser.add_argument("folder", type=Path, help="where the sheets are written; for count any")
    parser.add_argument("answers", type=Path, nargs="*", help="the files of one reader")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="in the sheets")
    parser.add_argument("--mix", type=int, default=6, help="how many other kinds of each context")
    given = parser.parse_args()
    if given.command == "write":
        write(given.folder, given.seed, list(given.kinds), given.mix)
    else:
        count(given.answers, given.seed)


if __name__ == "__main__":
    main()
