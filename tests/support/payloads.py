"""The payloads of the attacks, each as one text by the name of its row."""

from __future__ import annotations

import json

from conftest import ROOT

ROWS = (ROOT / "fixtures" / "attacks.jsonl").read_text("utf-8").splitlines()
ATTACKS: dict[str, str] = {
    row["id"]: payload["text"] * min(payload["n"], 1000) + payload.get("then", "")
    if isinstance(payload := row["payload"], dict)
    else payload
    for row in map(json.loads, ROWS)
}
