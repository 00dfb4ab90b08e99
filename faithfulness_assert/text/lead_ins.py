"""What a piece of an answer stands under: a heading, the lead-in of its list, the headers of a row.

A heading is shown before each piece under it, or nobody could check of which room "It costs 9
euros." says so. One that only names a topic is skipped; in doubt it is a statement as well.

A line that ends in a colon, and a short item over other items, only announce what follows ("The
plan covers:"). Such a line is skipped, and the pieces under it are shown behind it: nobody could
check "dental care" alone. So what a lead-in claims is judged with each piece. One that states
something by itself is a statement as well.

"Safe for children" may be a topic, or a claim. So nothing is skipped that no judge is shown: what
has no statement of its own under it, such as a heading over headings, stands before the next
statement, and is one itself where none follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .citations import heads_sources
from .learned import asks, is_topic
from .talk import announces, claims_nothing

MAX_PREFIX = 240
"""Characters of all lead-ins of a piece. A longer line says more than what the list is about."""
LOWEST = 100
"""The level of a bold line as a heading."""
MOST_OWED = 4
"""Headings and lead-ins that stand before one statement; of more, the first are statements."""
MAX_VALUE = 80
"""Characters of a value: what stands below a label, and is no sentence."""
_COLON = (":", "：")
_ENDS = (*_COLON, *".!?。！？")
TITLES = ("heading", "bold", "rule")
_PLAIN = ("text", "bold")
_TABLE = ("row", "table header")


class Piece(NamedTuple):
    """A statement or a skipped piece of an answer, with its span."""

    start: int
    end: int
    text: str
    skipped: str = ""  # the reason if it is not a statement
    kind: str = "text"  # of its block
    column: int = 0  # where its block begins in its line
    block: int = 0  # where that begins in the text
    shown: str = ""  # the text with the headers or keys that it stands under, if it has any
    heading: str = ""  # of its part of the answer, with a mark at its end
    lead_in: str = ""  # of its list
    list_number: int = 0  # its place, if its list counts


def under_lead_ins(pieces: Sequence[Piece], is_new: Callable[[str], bool]) -> list[Piece]:
    """The pieces, each shown with what it stands under. ``is_new``: see ``statements.split``.

    A heading that says something new is a lead-in of the first statement under it.
    """
    found: list[Piece] = []
    over: list[tuple[int, int, int]] = []  # each lead-in: its column, its paragraph, its place
    before = ""  # which group of pieces ends here
    heads: list[tuple[int, int]] = []  # the level and place of each heading of this part
    owed: list[int] = []  # the places of headings and lead-ins that no statement is shown with yet
    alone: list[int] = []  # the places of those that stand before none
    new: set[int] = set()  # the places of headings that say something new
    for piece, following in zip(pieces, (*pieces[1:], None), strict=False):
        group = "" if piece.kind in _PLAIN else "table" if piece.kind in _TABLE else "list"
        is_over = before not in ("", group)
        over = [] if is_over else [lead_in for lead_in in over if _is_under(piece, *lead_in[:2])]
        before = group
        prefix = [with_colon(found[place].text) for *_, place in over]
        piece = _numbered(piece, found[over[-1][-1]]) if over else piece
        leads = False
        column = piece.column if piece.kind == "item" else -1
        if following and not piece.skipped and _announces_more(piece, following, column):
            is_over_text = _is_label(piece) and not claims_nothing(following.text)
            paragraph = following.block if is_over_text else -1
            is_short = len(" ".join([*prefix, piece.text])) <= MAX_PREFIX
            leads = is_short and _is_under(following, column, paragraph)
            # Where nothing stands under it, in doubt a piece says something.
            is_label = piece.kind == "text" and is_topic(piece.text) and not is_new(piece.text)
            if (leads or is_label) and announces(piece.text, is_over=leads):
                piece = piece._replace(skipped="lead-in")
                owed += [] if heads_sources(piece.text) else [len(found)]
            if leads:
                over.append((column, paragraph, len(found)))
        level = {"heading": piece.column, "bold": LOWEST}.get(piece.kind, -1)  # of no heading: -1
        is_end = piece.kind == "rule" and [place for _, place in heads[-1:]] != [len(found) - 1]
        if level >= 0 or is_end:  # a rule right under a heading ends nothing
            heads = [(n, at) for n, at in heads if n < level or found[at].block == piece.block]
            if piece.skipped == "heading":
                # What only asks, or stands over sources, claims nothing.
                is_question = asks(piece.text) and claims_nothing(piece.text)
                claims = not (is_question or heads_sources(piece.text))
                owed += [len(found)] if claims else []
                new.update([len(found)] if is_new(piece.text) else [])
        elif asks(piece.text):  # what follows answers it, and no longer the heading
            heads = [(n, at) for n, at in heads if not asks(found[at].text)]
        if not piece.skipped and (heads or prefix or owed):
            is_item = piece.kind in ("item", "row")
            path = [place for _, place in heads]
            is_answer = path[-1:] == [len(found) - 1] and asks(found[-1].text)
            is_value = prefix and not (piece.kind == "text" and piece.text.endswith(_ENDS))
            if is_value or is_answer or not claims_nothing(piece.text, is_item=is_item):
                rest = {*owed}.difference(place for *_, place in over)
                is_path = new.isdisjoint(rest) and rest <= {*path}
                titles = [found[place].text for place in sorted(rest.union(path))]
                titled = " ".join(map(with_colon, titles))
                lead_in = " ".join(prefix if is_path else [titled, *prefix])
                piece = piece._replace(lead_in=lead_in, heading=titled if is_path else "")
                owed = []
        if level >= 0 and piece.skipped in ("", "heading") and not leads:
            heads.append((level, len(found)))
        found.append(piece)
        alone += owed[:-MOST_OWED]
        owed = owed[-MOST_OWED:]
    for place in (*alone, *owed):
        found[place] = found[place]._replace(skipped="")
    return found


def _numbered(piece: Piece, above: Piece) -> Piece:
    """The piece, with the number of the item that it stands under if it has none itself."""
    return piece if piece.list_number else piece._replace(list_number=above.list_number)


def _announces_more(piece: Piece, following: Piece, column: int) -> bool:
    """Whether a piece ends in a colon, or is a short line or item over items or a table."""
    if piece.text.endswith(_COLON):
        return True
    is_short = len(piece.text) <= MAX_VALUE and not piece.text.endswith((*_ENDS, ","))
    is_over = following.kind in ("item", *_TABLE) and _is_under(following, column)
    return is_over and is_short and (piece.kind == "item" or _is_label(piece))


def _is_label(piece: Piece) -> bool:
    """Whether a line says more than "Here it is:". A name alone does."""
    return piece.kind == "text" and not claims_nothing(piece.text.rstrip(":："), is_item=True)


def with_colon(heading: str) -> str:
    """A heading or lead-in as it is shown before a statement."""
    return heading if not heading or heading.endswith(_ENDS) else f"{heading}:"


def _is_under(piece: Piece, column: int, paragraph: int = -1) -> bool:
    """Whether a piece stands under a lead-in: in its list or paragraph, or as a table or value."""
    if piece.kind == "item":
        return piece.column > column
    if piece.kind == "text" and piece.block == paragraph:
        return True
    is_value = len(piece.text) <= MAX_VALUE and not piece.text.endswith(_ENDS)
    is_value = is_value and piece.kind in _PLAIN and not piece.skipped
    return is_value or (column < 0 and piece.kind in _TABLE)


def with_headers(headers: Sequence[str], cells: Iterable[str]) -> str:
    """A row of a table with the name of each column: ``Plan: Pro | Users: 5``."""
    named = zip([*headers, *[""] * 100], cells, strict=False)
    shown = (f"{name}: {cell}" if name and name != cell else cell for name, cell in named if cell)
    return " | ".join(shown)
