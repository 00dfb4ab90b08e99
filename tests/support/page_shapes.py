"""Cases that could take a browser long: texts that repeat one piece in every field, and very many of everything."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

PIECES = (
    *("a", "a ", "\n", " ", ". ", "1. ", "(", "<b>", "\u00a0", "|"),
    *("م", "م ", "א1", "ก", "क्", "中", "🇦", "👩\u200d"),
    *("\u0301", "\u034f", "\u202e", "\u200b", "a\u2060", "\ud800"),
)
"""What texts repeat: words, signs, scripts that join, break or turn their letters, and invisible characters."""


class Shown(NamedTuple):
    """A case of a report: its result, and what was graded, if the report has it."""

    result: dict[str, Any]
    case: dict[str, Any] | None = None


Shape = Callable[[int], Shown]
"""A case of a size in characters."""


def repeated(piece: str) -> Shape:
    """Cases with a text in every field that can have one."""

    def of(size: int) -> Shown:
        text = piece * (size // len(piece))
        evidence = {"sentence": 1, "passage": text, "start": 0, "end": 4, "text": text}
        said = {"statement": text, "reason": text, "label": "contradicted"}
        verdicts = [
            {**said, "evidence": [evidence], "span": [0, len(text)]},
            {**said, "label": "not_enough_info", "flags": [text]},
        ]
        metadata = {name: [text] for name in ("warnings", "suggestions", "k")}
        return Shown(
            result(
                *verdicts,
                **dict.fromkeys(("reason", "policy", "judge"), text),
                error={"kind": "server", "message": text},
                columns={text: text},
                skipped=[{"start": 0, "end": 1, "reason": text}],
                citations={"invalid_citations": [text], "uncited_sentences": [text]},
                named_scores={text: 0.1},
                metadata={**metadata, "calculation": text, "rawRatings": {text: 0.1}},
            ),
            {"answer": text, "question": text, "context": [{"id": text, "text": text}]},
        )

    return of


def result(*verdicts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A result that fails."""
    some = verdicts or ({"statement": "x", "label": "contradicted"},)
    return {"score": 0.1, "status": "graded", "verdicts": with_ids(some), **fields}


def with_ids(verdicts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Verdicts with a number each."""
    return [{"id": number, **verdict} for number, verdict in enumerate(verdicts, 1)]


def nested(size: int) -> Shown:
    """Many statements over one answer, each inside of another one."""
    answer = "word " * (size // 10)
    verdicts = [
        {"statement": "", "label": "contradicted", "span": [n, len(answer) - n]}
        for n in range(min(size // 40, len(answer) // 2))
    ]
    return Shown(result(*verdicts), {"answer": answer, "context": ["x"]})


def words(size: int) -> list[str]:
    """Different words."""
    return [f"w{n:x}q" for n in range(size // 7)]


def made_up(size: int) -> Shown:
    """A statement of very many words, over very many sentences that each have one of them."""
    answer = " ".join(words(size))
    verdict = {"statement": answer, "label": "not_enough_info", "span": [0, len(answer)]}
    context = ". ".join(word.capitalize() for word in words(size))
    return Shown(result(verdict), {"answer": answer, "context": [context]})


def many(item: Any, size: int) -> list[Any]:
    """Very many of one thing."""
    return [item] * (size // 8)


def numbered(size: int) -> dict[str, float]:
    """Very many names."""
    return {f"k{n}": 0.1 for n in range(size // 12)}


NO_PLACE = {"statement": "q", "label": "contradicted"}
MANY: dict[str, Shape] = {
    "words of a made-up statement": made_up,
    "nested statements": nested,
    "statements without places": lambda size: Shown(result(*many(NO_PLACE, size))),
    "passages": lambda size: Shown(result(), {"answer": "a", "context": many("x", size)}),
    "columns": lambda size: Shown(result(columns=numbered(size))),
    "warnings": lambda size: Shown(result(metadata={"warnings": many("w", size)})),
}
"""Very many of one thing."""
SHAPES = {**{ascii(piece): repeated(piece) for piece in PIECES}, **MANY}
