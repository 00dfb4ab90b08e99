"""The blocks of a markdown answer: paragraphs, list items, table rows, headings, code.

markdown-it finds the blocks; only its line numbers are used. Every line that is not white space is
in exactly one block. What the parser drops because it is nested too deeply becomes plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from .strings import lazy_pattern

if TYPE_CHECKING:
    from markdown_it.token import Token

Kind = Literal[
    "text", "item", "heading", "bold", "row", "code", "rule", "table header", "link definition"
]
Span = tuple[int, int]

MAX_LINES = 10_000
"""A longer text is read as plain text: the parser would take seconds."""

_LINE = lazy_pattern(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_STRUCTURE = lazy_pattern(
    r"^[ \t]*(?:[#>*+=`~_\-]|\d{1,9}[.)])|^(?: {4}| {0,3}\t)|\|", re.MULTILINE
)
_BEFORE_TEXT = lazy_pattern(r"(?:[ \t]|>(?![\d=]))*")  # >50% and >= 5 are not quotes
_NUMBER = lazy_pattern(r"(\d{1,9})([.)])[ \t]+\Z")
_COMMANDS = (
    "apt|apt-get|brew|cargo|cat|cd|cp|curl|docker|echo|git|go|import|ls|make|mkdir|mv|node|npm|npx|"
    "pip|pip3|print|python|python3|return|rm|sh|sudo|uv|wget|yarn"
)
_CODE_SIGN = lazy_pattern(
    r"[{}\\`~^|@\u2500-\u257f]|[=<>]{2}|\w ?= ?\S|</?[A-Za-z]|;[ \t]*$|\w\(|\w\[|\w_\w|::|->|"
    rf"\$[A-Za-z]|\s--?[A-Za-z]|^[ \t>]*(?:[$#]|//|(?:{_COMMANDS}) )",
    re.MULTILINE,
)
_PLAIN_INFOS = ("", "text", "txt", "plain", "plaintext", "markdown", "md")
_LINE_OF_PROSE = lazy_pattern(r"[ \t>]*[^\W\d_a-z][^\n]*[\w)\"'”’\]][.!?。！？]\s*")
_PROSE_SIGN = lazy_pattern(r"(?<!\S)[^\W\d_a-z]|[.!?:]\s*\Z")

_BULLET = lazy_pattern(r"[ \t]*(?:[•◦▪‣●○∙][ \t]+|\[\^[^\]\s]{1,50}\]:[ \t]*)")
_TASK = lazy_pattern(r"[ \t]*\[[ xX]\][ \t]+")
_BOLD_LINE = lazy_pattern(r"[ \t]*(?:\*\*[^*\n]{1,200}\*\*|__[^_\n]{1,200}__):?[ \t]*")
_LINK = lazy_pattern(
    r"[ \t]*\[[^\]\n]{1,200}\]:[ \t]*"
    r"<?(?:[a-z][a-z0-9+.-]{1,20}://|mailto:|www\.|\.{0,2}/(?=\w*[a-z])|#[a-z])[^\s<>]{0,2000}>?"
    r"[ \t]*",
    re.IGNORECASE,
)


class Block(NamedTuple):
    """Lines that belong together.

    ``start`` and ``end`` are offsets in the source; ``pieces`` are the lines without their markers.
    """

    kind: Kind
    start: int
    end: int
    pieces: tuple[Span, ...]


def blocks(text: str) -> list[Block]:
    """The blocks of ``text``, in order. Outside them there is only white space."""
    lines = [line.span() for line in islice(_LINE.finditer(text), MAX_LINES + 1)]
    if len(lines) > MAX_LINES:
        return [Block("text", 0, len(text), ((0, len(text)),))]
    parsed = _parsed(text, lines) if _STRUCTURE.search(text) else ()
    return [part for block in _completed(text, lines, parsed) for part in _divided(text, block)]


# ---------------------------------------------------------------- what the parser finds


def _parsed(text: str, lines: Sequence[Span]) -> Iterator[Block]:
    """The blocks that markdown-it finds.

    A fence around prose is removed: its own lines become code, and the rest is read again.
    """
    for _ in range(4):
        tokens = _tokens(text)
        fenced = [token for token in tokens if token.type == "fence"]
        fences = [line for token in fenced for line in _wrapping(token, text, lines)]
        parts, done = [], 0
        for start, end in (lines[line] for line in fences):
            yield Block("code", start, end, ())
            parts += [text[done:start], re.sub(r"[^\r\n]", " ", text[start:end])]
            done = end
        text = "".join([*parts, text[done:]])
        if not fences:
            break
    yield from _leaves(tokens, text, lines)


def _tokens(text: str) -> list[Token]:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable(["html_block", "reference"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser.parse(text)


def _wrapping(token: Token, text: str, lines: Sequence[Span]) -> list[int]:
    """The numbers of a fence's own lines if it would hide prose.

    That is: it is never closed, it is labelled as markdown, or it contains no sign of code.
    """
    first, end = token.map or (0, 1)
    last = text[slice(*lines[end - 1])].strip(" \t\r\n>")
    closed = end - first > 1 and last.startswith(token.markup) and not last.strip(token.markup[0])
    if not closed:
        return [first]
    info = token.info.strip().lower()
    prose = info in ("markdown", "md") or (
        info in _PLAIN_INFOS and not _CODE_SIGN.search(token.content)
    )
    return [first, end - 1] if prose else []


def _leaves(tokens: Sequence[Token], text: str, lines: Sequence[Span]) -> Iterator[Block]:
    before, table_end = "", 0
    for token in tokens:
        first, end = token.map or (0, 0)
        own = lines[first:end]
        if table_end <= first < end:
            if token.type == "table_open":
                table_end = end
                header, delimiter, *rows = own
                yield _block("table header" if rows else "row", text, [header])
                yield _block("table header", text, [delimiter])
                yield from (_block("row", text, [row]) for row in rows)
            elif token.type == "inline":
                other: Kind = "item" if token.level > 1 else "text"
                kind: Kind = "heading" if before == "heading_open" else other
                yield _leaf(kind, text, own, token.content.split("\n"))
            elif token.type == "hr":
                yield _block("rule", text, own)
            elif token.type in ("code_block", "fence"):
                is_named = token.info.strip().lower() not in _PLAIN_INFOS
                yield from _code(text, own, is_named=is_named)
        before = token.type


def _code(text: str, lines: Sequence[Span], *, is_named: bool) -> Iterator[Block]:
    """The code of a block, and the prose in it.

    Models indent and fence prose, and someone may call a claim code to hide it. So a paragraph
    without a sign of code is text, unless the block ``is_named`` as code in some language. Beside
    real code, a paragraph must look like prose to be text. Elsewhere, lines of prose are text.
    """
    has_code = is_named or _CODE_SIGN.search(text[lines[0][0] : lines[-1][1]])
    for is_filled, paragraph in groupby(lines, lambda line: bool(text[slice(*line)].strip())):
        own = list(paragraph)
        content = text[own[0][0] : own[-1][1]]
        is_text = not is_named and _PROSE_SIGN.search(content) and not _CODE_SIGN.search(content)
        if is_filled and (not has_code or is_text):
            yield _block("text", text, own)
        elif is_filled:
            for is_prose, run in groupby(own, lambda line: _is_prose(text[slice(*line)])):
                yield _block("text" if is_prose else "code", text, list(run))


def _is_prose(line: str) -> bool:
    is_sentence = len(line.split()) > 2 and _LINE_OF_PROSE.fullmatch(line)
    return bool(is_sentence) and not _CODE_SIGN.search(line)


def _leaf(kind: Kind, text: str, lines: Sequence[Span], contents: Sequence[str]) -> Block:
    """A block whose lines have the given contents. In the source, markers are before them."""
    block = _block(kind, text, lines)
    if len(contents) != len(lines):
        return block
    pairs = zip(block.pieces, contents, strict=True)
    pieces = tuple(_located(text, piece, content.strip()) for piece, content in pairs)
    return block._replace(pieces=pieces)


def _located(text: str, piece: Span, content: str) -> Span:
    start, end = piece
    place = text.rfind(content, start, end)
    if place < 0 or not content:
        return piece
    after = place + len(content)
    number = _NUMBER.search(text, start, place)
    begin = number.start() if number and _is_text(number, content) else place
    is_compared = content[0] == "=" or content[0].isdigit()
    if begin == place > start and text[place - 1] == ">" and is_compared:
        begin -= 1  # ">5" means more than 5, it is not a quote
    return begin, (after if text[after:end].strip() else end)


def _is_text(number: re.Match[str], content: str) -> bool:
    """Whether the number before an item is part of its text.

    It is if it is a year (``1789. The revolution began``) or counts on (``1) One 2) Two``).
    """
    return len(number[1]) > 3 or f" {int(number[1]) + 1}{number[2]} " in content


def _block(kind: Kind, text: str, lines: Sequence[Span]) -> Block:
    return Block(kind, lines[0][0], lines[-1][1], tuple(_line_piece(text, *line) for line in lines))


def _line_piece(text: str, start: int, end: int) -> Span:
    """A line without its quote markers, its indentation and its end."""
    end = start + len(text[start:end].rstrip("\r\n"))
    markers = _BEFORE_TEXT.match(text, start, end)
    return (markers.end() if markers else start), end


# ---------------------------------------------------------------- what the parser does not find


def _completed(text: str, lines: Sequence[Span], parsed: Iterable[Block]) -> Iterator[Block]:
    """The parsed blocks, and between them all other lines as plain paragraphs."""
    starting_at = {block.start: block for block in parsed}
    paragraph: list[Span] = []
    done = 0
    for line in lines:
        if line[0] < done:
            continue
        block = starting_at.get(line[0])
        if not block and text[slice(*line)].strip():
            paragraph.append(line)
            continue
        if paragraph:
            yield _block("text", text, paragraph)
            paragraph = []
        if block:
            yield block
            done = block.end
    if paragraph:
        yield _block("text", text, paragraph)


def _divided(text: str, block: Block) -> Iterator[Block]:
    """A block of text, cut at the lines that the parser takes for plain text.

    These are bullets such as •, bold lines used as headings, and link definitions.
    """
    if block.kind not in ("text", "item"):
        yield block
        return
    groups: list[tuple[Kind, list[Span]]] = []
    for piece in block.pieces:
        kind, start = _line_kind(text, piece, block.kind)
        if kind or not groups or groups[-1][0] not in ("text", "item"):
            groups.append((kind or block.kind, []))
        groups[-1][1].append((start, piece[1]))
    start = block.start
    for kind, pieces in groups:
        yield Block(kind, start, pieces[-1][1], tuple(pieces))
        start = pieces[-1][1]


def _line_kind(text: str, piece: Span, kind: Kind) -> tuple[Kind | None, int]:
    """The kind of block that a line starts, if any, and where its text begins."""
    if _LINK.fullmatch(text, *piece):
        return "link definition", piece[0]
    if kind == "text" and _BOLD_LINE.fullmatch(text, *piece):
        return "bold", piece[0]
    if bullet := _BULLET.match(text, *piece):
        return "item", bullet.end()
    task = _TASK.match(text, *piece) if kind == "item" else None
    return None, task.end() if task else piece[0]
