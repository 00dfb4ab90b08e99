"""What the reader makes of realistic replies and remarks: what it credits, and what that costs.

    python benchmarks/reading_replies.py [--show] [FOLDER ...]

Reads ``realistic_replies.jsonl`` and ``remarks.json`` in ``fixtures`` and, if they are beside the
checkout, in the shared corpora (or in the folders that are named). Prints for each folder

- how many clear replies are read at once, and after one re-ask to a judge that then replies with
  JSON alone; how many labels of any reply are more than a careful human grants;
- how many remarks that deny a statement are heard, in each of several places, and how many harmless
  ones make a statement open; the same for reasons of an entry.

- where the shared corpora have reasons that real judges wrote, how many of those that agree with
  "supported" cost a re-ask, and how many denials are heard, on the half that no word was chosen on.

Each other figure is given with the statements' texts, as in a grade, and without, as in
``read_verdicts``. ``--show`` lists what is credited wrongly, and what is asked again needlessly.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from faithfulness_assert.reading.gate import denies
from faithfulness_assert.reading.reader import read
from faithfulness_assert.reading.reconcile import settle
from faithfulness_assert.records.errors import UnreadableReply

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "fixtures", ROOT.parent / "shared" / "corpora")
SHOP = ("The shop is open daily.", "Adults pay 14 euros.", "Dogs are welcome inside.")
EARN = {"supported": 2, "not_a_claim": 2, "partially_supported": 1}
GOOD = json.dumps(
    {"verdicts": [{"id": n, "evidence": [n], "label": "supported"} for n in (1, 2, 3)]}
)

PLACES: dict[str, Callable[[str], str]] = {
    "after": lambda remark: f"{GOOD}\n\n{remark}",
    "before": lambda remark: f"{remark}\n\n{GOOD}",
    "in a key": lambda remark: f'{GOOD[:-1]}, "note": {json.dumps(remark)}}}',
    "in its entry": lambda remark: GOOD.replace(
        '"id": 2,', f'"id": 2, "note": {json.dumps(remark)},'
    ),
}


def labels_of(reply: str, texts: Sequence[str]) -> list[str | None]:
    """The labels of a reply's statements; None where one is open."""
    statements = dict(enumerate(texts, 1))
    try:
        findings = settle(read(reply, single=len(texts) == 1), statements).findings
    except UnreadableReply:
        return [None] * len(texts)
    return [findings[number].label for number in statements]


def allowed(expected: Any) -> list[str | None]:
    """The labels that a row of a fixture allows for one statement."""
    return expected if isinstance(expected, list) else [expected]


def is_inflated(label: str | None, expected: Any) -> bool:
    """Whether a label earns more than a careful human grants."""
    return EARN.get(label or "", 0) > max(EARN.get(e or "", 0) for e in allowed(expected))


def is_read(label: str | None, expected: Any) -> bool:
    """Whether a label is what a careful human reads."""
    return label in allowed(expected)


class Report:
    """Lines of figures, with what is behind them."""

    def __init__(self, show: bool) -> None:
        self.show = show

    def line(self, what: str, found: Sequence[Any], total: int) -> None:
        """One figure: how many of how many."""
        print(f"  {what}: {len(found)} of {total}")
        for item in found if self.show else ():
            print(f"      {item}")


def replies(path: Path, known: bool, report: Report) -> None:
    """The figures of whole replies."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    clear = [row for row in rows if "-c-" in row["id"]]
    late, inflated, unmended = [], [], []
    for row in rows:
        texts = row.get("statements") or (SHOP if row["n_statements"] == 3 else SHOP[::2])
        texts = (
            (list(texts) + [""] * 9)[: row["n_statements"]] if known else [""] * row["n_statements"]
        )
        labels = labels_of(row["raw"], texts)
        pairs = list(zip(labels, row["expect"], strict=True))
        if any(is_inflated(label, expected) for label, expected in pairs):
            inflated.append((row["id"], row["note"], labels, row["expect"]))
        if row in clear and not all(is_read(label, expected) for label, expected in pairs):
            late.append((row["id"], row["note"], labels))
            if any(label and not is_read(label, expected) for label, expected in pairs):
                unmended.append((row["id"], row["note"], labels))
    report.line("replies with an inflated label", inflated, len(rows))
    report.line("clear replies that are not read at once", late, len(clear))
    report.line("clear replies that a re-ask does not mend", unmended, len(clear))


def remarks(path: Path, known: bool, report: Report) -> None:
    """The figures of remarks around a reply, and of reasons in it."""
    data = json.loads(path.read_text("utf-8"))
    texts = SHOP if known else ("", "", "")
    for place, placed in PLACES.items():
        denying, harmless = data["remarks_denying_2"], data["remarks_harmless"]
        credited = [r for r in denying if labels_of(placed(r), texts)[1]]
        report.line(f"denials {place} that are credited", credited, len(denying))
        opened = [r for r in harmless if not all(labels_of(placed(r), texts))]
        report.line(f"harmless remarks {place} that cost a re-ask", opened, len(harmless))
    denying = data["reasons_denying"]
    credited = [r for r in denying if _with_reason(r, "The shop is open daily." if known else "")]
    report.line("reasons that deny and are credited", credited, len(denying))
    for name in ("reasons_of_negative_statements", "reasons_harmless", "reasons_partial"):
        opened = list(_opened(data.get(name, []), name, known))
        report.line(f"{name} that cost a re-ask", opened, len(data.get(name, [])))


def _opened(rows: Sequence[Any], name: str, known: bool) -> Iterator[Any]:
    label = "partially_supported" if name.endswith("partial") else "supported"
    for row in rows:
        statement, reason = (
            (row["statement"], row["reason"]) if isinstance(row, dict) else (row, row)
        )
        if not _with_reason(reason, statement if known else "", label):
            yield row


def _with_reason(reason: str, statement: str, label: str = "supported") -> str | None:
    entry = {"id": 1, "evidence": [1], "reason": reason, "label": label}
    return labels_of(json.dumps({"verdicts": [entry]}), [statement])[0]


def real_reasons(path: Path) -> None:
    """The figures of reasons that real judges wrote in English."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    agreeing, denying = [], []
    for row in rows:
        known = row["statement"] + row["reason"]
        english = sum(c.isascii() for c in row["reason"]) > 0.95 * len(row["reason"])
        held_out = hashlib.md5(known.encode(), usedforsecurity=False).digest()[0] % 2
        if not (english and held_out and 0 < len(row["statement"]) < 1200):
            continue
        denied = denies(row["reason"], row["statement"])
        if row["kind"] == "harmless" and row["label"] == "supported":
            agreeing.append(denied)
        elif row["sub"] in ("explicit", "partial") or (
            row["kind"] == "harmless" and len(row["reason"]) < 500
        ):
            denying.append(denied)
    print(f"real reasons that agree and cost a re-ask: {sum(agreeing)} of {len(agreeing)}")
    print(f"real denials that are heard: {sum(denying)} of {len(denying)}")


def main() -> None:
    """Prints the figures of each folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=FOLDERS)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    report = Report(options.show)
    for folder in options.folders:
        if (path := folder / "real" / "reasons.jsonl").is_file():
            real_reasons(path)
        for known in (True, False):
            print(f"{folder.name}, {'with' if known else 'without'} the statements")
            for name, measure in (("realistic_replies.jsonl", replies), ("remarks.json", remarks)):
                path = next(
                    (
                        p
                        for p in (folder / name, folder / name.replace("realistic_", ""))
                        if p.is_file()
                    ),
                    None,
                )
                if path:
                    measure(path, known, report)


if __name__ == "__main__":
    main()
