"""Reads a report as a browser does: its blocks, its policy, and every element of the page."""

import base64
import gzip
import hashlib
import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from faithfulness_assert.batch.rows import Row, digest


@dataclass
class Page(HTMLParser):
    """A parsed report. ``texts``: what stands between the tags, without scripts and styles."""

    source: str
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    scripts: list[tuple[dict[str, str], str]] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    handle_startendtag = handle_starttag

    def handle_data(self, data: str) -> None:
        tag, attributes = self.tags[-1] if self.tags else ("", {})
        if tag == "script":
            self.scripts.append((attributes, data))
            self.tags.append(("after", {}))
        elif tag == "style":
            self.styles.append(data)
            self.tags.append(("after", {}))
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def policy(self) -> str:
        return next(a["content"] for t, a in self.tags if a.get("http-equiv"))

    @property
    def program(self) -> str:
        (script,) = [text for attributes, text in self.scripts if "type" not in attributes]
        return script

    def block(self, name: str) -> Any:
        (text,) = [text for attributes, text in self.scripts if attributes.get("id") == name]
        return json.loads(gzip.decompress(base64.b64decode(text)))

    @property
    def meta(self) -> dict[str, Any]:
        return self.block("meta")

    @property
    def rows(self) -> list[Any]:
        return [row for n in range(len(self.meta["rows"])) for row in self.block(f"rows-{n}")]

    @property
    def details(self) -> list[Any]:
        count = len(self.meta["details"])
        return [item for n in range(count) for item in self.block(f"details-{n}")]

    @property
    def passages(self) -> list[str]:
        count = len(self.meta["passages"])
        return [text for n in range(count) for text in self.block(f"passages-{n}")]


def a_line(record: dict[str, Any], case: dict[str, Any] | None = None) -> str:
    """A line of results with these fields. ``case``: its texts, which it then has as those of a test do."""
    some = {"case_id": "", "pass": False, "status": "graded", "reason": "", "policy": "default"}
    line = {**some, "threshold": 0.8, "defined": "score" in record, "score": 0.0, **record}
    fields = ("answer", "context", "question")
    if texts := {name: case[name] for name in fields if name in case} if case else {}:
        line["columns"] = {**line.get("columns", {}), **texts}
        line["input"] = digest(Row(0, "", texts))
    return f"{json.dumps(line)}\n"


def read_page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def hash_of(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
