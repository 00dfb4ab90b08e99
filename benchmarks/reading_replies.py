"""What the reader makes of replies of judges: what it credits, and what that costs.

    python benchmarks/reading_replies.py [--show] [--rules] [FOLDER ...]

Reads ``fixtures`` and the shared corpora beside the checkout, or the folders that are named. Prints

- of realistic replies, how many earn more than a careful human grants, and how many clear ones are
  read at once; of remarks, in each of four places, how many that deny a statement are credited, and
  how many harmless ones make one open; the same for reasons. With the statements' texts, as in a
  grade, and without, as in ``read_verdicts``;
- of replies of a very small model without a grammar, how much of what is right is asked again;
- of reasons that real judges wrote, how many that agree with "supported" cost a re-ask, and how
  many denials are heard, on the half that no word was chosen on; of sets of verdicts of a capable
  LLM, how many are asked again. ``--rules``: the same without each rule of the gate.

``--show`` lists what is credited wrongly, and what is asked again needlessly.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from faithfulness_assert.reading import gate
from faithfulness_assert.reading.reconcile import read, settle
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
RULES = {  # of the gate for reasons: the pattern or the list of words without which it is counted
    "negations": "negations",
    "words of denial and hedges": "denials",
    "signs": "_SIGN",
    "a leading No": "_LEADING_NO",
    "not what agrees, as no contradiction": "_AGREEING",
    "not what is quoted": "_QUOTATION",
    "not the statement's own words": "_is_own",
}


def labels_of(reply: str, texts: Sequence[str], ids: Iterable[int] = ()) -> list[str | None]:
    """The labels of a reply's statements; None where one is open."""
    statements = dict(zip(ids or range(1, len(texts) + 1), texts, strict=True))
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


def rows_of(path: Path) -> list[Any]:
    """The rows of a file; none if it is not there."""
    text = path.read_text("utf-8") if path.is_file() else ""
    return [json.loads(line) for line in text.splitlines()]


class Report:
    """Lines of figures, with what is behind them."""

    def __init__(self, show: bool) -> None:
        self.show = show

    def line(self, what: str, found: Sequence[Any], total: int) -> None:
        """One figure: how many of how many."""
        print(f"  {what}: {len(found)} of {total}")
        for item in found if self.show else ():
            print(f"      {item}")


def replies(rows: Sequence[Any], known: bool, report: Report) -> None:
    """The figures of whole replies."""
    clear = [row for row in rows if "-c-" in row["id"]]
    late, inflated = [], []
    for row in rows:
        count = row["n_statements"]
        texts = row.get("statements") or (SHOP if count == 3 else SHOP[::2])
        labels = labels_of(row["raw"], ([*texts, *[""] * 9] if known else [""] * 9)[:count])
        pairs = list(zip(labels, row["expect"], strict=True))
        told = (row["id"], row["note"], labels)
        inflated += [told] if any(is_inflated(*pair) for pair in pairs) else []
        late += [told] if row in clear and not all(is_read(*pair) for pair in pairs) else []
    report.line("replies with an inflated label", inflated, len(rows))
    report.line("clear replies that are not read at once", late, len(clear))


def remarks(data: Any, known: bool, report: Report) -> None:
    """The figures of remarks around a reply, and of reasons in it."""
    texts = SHOP if known else ("", "", "")
    for place, placed in PLACES.items():
        denying, harmless = data["remarks_denying_2"], data["remarks_harmless"]
        credited = [r for r in denying if labels_of(placed(r), texts)[1]]
        report.line(f"denials {place} that are credited", credited, len(denying))
        opened = [r for r in harmless if not all(labels_of(placed(r), texts))]
        report.line(f"harmless remarks {place} that cost a re-ask", opened, len(harmless))
    denying = data["reasons_denying"]
    credited = [r for r in denying if _with_reason(r, SHOP[0] if known else "")]
    report.line("reasons that deny and are credited", credited, len(denying))
    for name in ("reasons_of_negative_statements", "reasons_harmless", "reasons_partial"):
        opened = list(_opened(data.get(name, []), name, known))
        report.line(f"{name} that cost a re-ask", opened, len(data.get(name, [])))


def _opened(rows: Sequence[Any], name: str, known: bool) -> Iterator[Any]:
    label = "partially_supported" if name.endswith("partial") else "supported"
    for row in rows:
        said = row if isinstance(row, dict) else {"statement": row, "reason": row}
        if not _with_reason(said["reason"], said["statement"] if known else "", label):
            yield row


def _with_reason(reason: str, statement: str, label: str = "supported") -> str | None:
    entry = {"id": 1, "evidence": [1], "reason": reason, "label": label}
    return labels_of(json.dumps({"verdicts": [entry]}), [statement])[0]


# ---------------------------------------------------------------- what real models wrote


def small_model(rows: Sequence[Any], report: Report) -> None:
    """How much of what a very small model says rightly is asked again."""
    readable = [row for row in rows if row.get("readable")]
    pairs = [
        (label, human, row["id"])
        for row in readable
        for label, human in zip(
            labels_of(row["reply"], row["statements"], row["ids"]), row["human"], strict=True
        )
        if human
    ]
    again = [pair for pair in pairs if pair[0] != pair[1]]
    report.line("right verdicts of a small model that are asked again", again, len(pairs))


def verdict_sets(rows: Sequence[Any], report: Report) -> None:
    """How many sets of verdicts of a capable LLM are not read at once."""
    again = []
    for row in rows:
        entries = [{"id": n, **verdict} for n, verdict in enumerate(row["verdicts"], 1)]
        said = [{k: v for k, v in entry.items() if k != "statement"} for entry in entries]
        labels = labels_of(json.dumps({"verdicts": said}), [e["statement"] for e in entries])
        again += [row["id"]] if labels != [entry["label"] for entry in entries] else []
    report.line("sets of verdicts of a capable LLM that are asked again", again, len(rows))


def groups_of(rows: Iterable[Any]) -> dict[str, list[Any]]:
    """Reasons in English that real judges wrote, of the half that no word was chosen on."""
    groups: dict[str, list[Any]] = {
        "real reasons that agree and cost a re-ask": [],
        "real reasons against a statement that are heard under supported": [],
        "real denials of a supported in words that are heard": [],
    }
    agree, against, deny = groups.values()
    for row in rows:
        known, reason = row["statement"] + row["reason"], row["reason"]
        english = sum(c.isascii() for c in reason) > 0.95 * len(reason)
        half = hashlib.md5(known.encode(), usedforsecurity=False).digest()[0] % 2
        if not (english and half and 0 < len(row["statement"]) < 1200):
            continue
        if row["kind"] == "harmless" and row["label"] == "supported":
            agree.append(row)
        elif row["kind"] == "harmless" and len(reason) < 500:
            against.append(row)
        elif row["sub"] in ("explicit", "partial"):
            deny.append(row)
    return groups


def denials(rows: Iterable[Any]) -> list[str]:
    """The reasons that the gate takes as denials."""
    return [row["reason"] for row in rows if gate.denies(row["reason"], row["statement"])]


def without(rule: str, groups: Iterable[Iterable[Any]]) -> list[int]:
    """How many denials there are in each group without a rule of the gate."""
    is_list = rule in gate._WORDS
    place: Any = gate._WORDS if is_list else vars(gate)
    nothing = (lambda *_: False) if callable(place[rule]) else re.compile("(?!)")
    own, place[rule] = place[rule], "" if is_list else nothing
    gate._in.cache_clear()
    gate._listed.cache_clear()
    found = [len(denials(rows)) for rows in groups]
    place[rule] = own
    return found


def main() -> None:
    """Prints the figures of each folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=FOLDERS)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--rules", action="store_true")
    options = parser.parse_args()
    report = Report(options.show)
    for folder in options.folders:
        print(folder.name)
        if model := rows_of(folder / "small_model_replies.jsonl"):
            small_model(model, report)
        if real := rows_of(folder / "real" / "reasons.jsonl"):
            groups = groups_of(real)
            for name, rows in groups.items():
                report.line(name, denials(rows), len(rows))
            verdict_sets(rows_of(folder / "real" / "llm_judge.jsonl"), report)
            for said, rule in RULES.items() if options.rules else ():
                print(f"  without {said}: {without(rule, groups.values())}")
        for known in (True, False):
            print(f"{folder.name}, {'with' if known else 'without'} the statements")
            if whole := rows_of(folder / "realistic_replies.jsonl"):
                replies(whole, known, report)
            if (path := folder / "remarks.json").is_file():
                remarks(json.loads(path.read_text("utf-8")), known, report)


if __name__ == "__main__":
    main()
