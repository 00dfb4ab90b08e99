"""What a piece of an answer stands under: a heading, the lead-in of its list, the headers of a row.

A heading is shown before each piece under it, or nobody could check of which room "It costs 9
euros." says so. One that only names a topic is skipped; in doubt it is a statement as well.

A line that ends in a colon, and a short item over other items, only announce what follows ("The
plan covers:"). Such a line is skipped, and the pieces under it are shown behind it: nobody could
check "dental care" alone. So what a lead-in claims is judged with each piece. One that states
something by itself is a statement as well, and so is a question, or a short sentence, that stands
over what may be no sentence: "What is excluded?" and "Glass".

"Safe for children" may be a topic, or a claim. So nothing is skipped that no judge is shown: a
heading or lead-in that stands before no statement is one itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from .citations import heads_sources
from .learned import CLAIM, asks, is_topic, scores
from .sentences import LABEL
from .strings import lazy_pattern
from .talk import COLON, ENDS, STOPS, claims_nothing, is_remark, may_answer, offers

MAX_PREFIX = 240
"""Characters of all lead-ins of a piece. A longer line says more than what the list is about."""
LOWEST = 1_000
"""The level of a bold line as a heading, below that of any line with hashes."""
MAX_VALUE = 80
"""Characters of a value: what stands below a label, and is no sentence."""
MOST_WORDS, MAX_FRAGMENT = 4, 40
"""Words and characters of what may be no sentence, and say nothing alone."""
MAX_MARK = 3
"""Characters of what marks an answer: "A: "."""
_PICTURE = lazy_pattern("[\u2600-\u26ff\U0001f300-\U0001faff]\ufe0f?")
TITLES = ("heading", "bold", "rule")
_PLAIN = ("text", "bold")
_TABLE = ("row", "table header")
_LISTED = ("item", "row")


class Piece(NamedTuple):
    """A statement or a skipped piece of an answer, with its span."""

    start: int
    end: int
    text: str
    skipped: str = ""  # the reason if it is not a statement
    kind: str = "text"  # of its block
    column: int = 0  # grows with that of its block, see there
    block: int = 0  # where that begins in the text
    shown: str = ""  # the text with the headers or keys that it stands under, if it has any
    heading: str = ""  # of its part of the answer, with a mark at its end
    lead_in: str = ""  # of its list
    list_number: int = 0  # its place, if its list counts


def under_lead_ins(pieces: Sequence[Piece], text: str) -> list[Piece]:
    """The pieces of a text, each shown with what it stands under."""
    found: list[Piece] = []
    over: list[tuple[int, int, int]] = []  # each lead-in: its column, its paragraph, its place
    heads: list[tuple[int, int]] = []  # the level and place of each heading of this part
    shown: set[int] = set()  # the places of headings and lead-ins that are judged with a statement
    before = ""  # which group of pieces ends here
    for place, (piece, following) in enumerate(zip_longest(pieces, pieces[1:])):
        group = "" if piece.kind in _PLAIN else "table" if piece.kind in _TABLE else "list"
        over = [lead_in for lead_in in over if _is_under(piece, *lead_in[:2])]
        over = [one for one in over if before in ("", group) or -1 < one[0] < piece.column]
        before = group
        if over and not piece.list_number:
            piece = piece._replace(list_number=found[over[-1][-1]].list_number)
        level = -1 if piece.kind == "text" else _level(piece)
        if level >= 0 or (piece.kind == "rule" and heads and heads[-1][1] != place - 1):
            heads = [(n, at) for n, at in heads if n < level or found[at].block == piece.block]
        elif asks(piece.text):  # what follows answers it, and no longer the heading
            heads = [(n, at) for n, at in heads if not asks(found[at].text)]
            over = [one for one in over if not asks(found[one[-1]].text)]
        lead_ins = [found[at].text for *_, at in over]
        leads = None
        if following and not piece.skipped:
            is_line = "\n" in text[piece.end : following.start]
            is_line = is_line or not found or found[-1].block != piece.block
            leads = _leads(piece, following, lead_ins, is_line=is_line)
            may_only_lead = leads or piece.text.endswith(COLON)
            if may_only_lead and _only_leads(piece, following, is_over=bool(leads)):
                piece = piece._replace(skipped="lead-in")
        if (heads or over) and not piece.skipped:
            is_answer = bool(heads) and heads[-1][1] == place - 1 and asks(found[-1].text)
            is_judged = is_answer or _is_judged(piece, is_value=bool(over))
            shown.update((at for *_, at in (*heads, *over)) if is_judged else ())
            if is_judged or piece.kind in _LISTED or not is_remark(piece.text):
                heading = " ".join(with_colon(found[at].text) for _, at in heads)
                lead_in = " ".join(map(with_colon, lead_ins))
                piece = piece._replace(lead_in=lead_in, heading=heading)
        if leads:
            if over and over[-1][:2] == leads and over[-1][2] != place - 1:
                over.pop()  # "Basic:" and its lines, and then "Premium:"
            over.append((*leads, place))
        elif level >= 0 and (piece.skipped == "heading" or not _is_sentence(piece)):
            heads.append((level, place))
        found.append(piece)
    shown |= _over_rows(found) if "|" in text else set()
    found = [
        _alone(piece) if piece.skipped and at not in shown else piece
        for at, piece in enumerate(found)
    ]
    has_labels = ":" in text or _PICTURE.search(text) is not None
    return _told_apart(found) if has_labels else found


def _level(piece: Piece) -> int:
    """The level of a heading, which is lower for a larger one; -1 of what is none."""
    return {"heading": piece.column, "bold": LOWEST}.get(piece.kind, -1)


def as_value(title: Piece, following: Piece | None) -> Piece:
    """A title; with nothing below it, it is a value: "Side effects:" over "**Headache**"."""
    is_over = following is not None and not -1 < _level(following) <= _level(title)
    names_part = heads_sources(title.text) or claims_nothing(title.text, is_item=True)
    return title if is_over or names_part else title._replace(kind="text", skipped="")


def _over_rows(pieces: Sequence[Piece]) -> set[int]:
    """The places of the headers of tables that are judged with a row."""
    found, header = set[int](), -1
    for place, piece in enumerate(pieces):
        if piece.skipped == "table header":
            header = place if piece.text else header
        elif piece.kind == "row" and _is_judged(piece, is_value=False):
            found.add(header)
    return found


def _alone(piece: Piece) -> Piece:
    """A piece that stands before no statement: a title that may claim something is one itself."""
    if piece.skipped == "table header":
        only_names = all(is_topic(cell) for cell in piece.text.split(" | ") if len(cell) > 1)
    elif piece.skipped in ("heading", "lead-in") and not heads_sources(piece.text):
        only_names = claims_nothing(piece.text.rstrip(" :："))
    else:
        return piece
    return piece if only_names else piece._replace(skipped="")


def _told_apart(pieces: list[Piece]) -> list[Piece]:
    """The pieces, and lines with a label shown with the name that stands above them.

    That is the first line of their paragraph, if it is no sentence: "Pro plan", "Price: 5". Where
    labels come again, it is the last line without such a label, or else the first with one, as
    "Plan: Basic": "Basic", "Price: 5", "Premium", "Price: 7". A picture is a label as well.
    """
    matches = (LABEL.match(piece.text) or _PICTURE.match(piece.text) for piece in pieces)
    labels = [found[0] if found else "" for found in matches]
    keys = [(piece.heading, label) for piece, label in zip(pieces, labels, strict=True)]
    counts = Counter(key for key in keys if key[1])
    again = {piece.block for piece, key in zip(pieces, keys, strict=True) if counts[key] > 1}
    name, own = None, ""
    for at, (piece, label) in enumerate(zip(pieces, labels, strict=True)):
        is_named = own == "" and (label != "" or piece.block not in again)
        is_kept = is_named or _PICTURE.match(label) or counts[keys[at]] > 1
        if name is None or name.block != piece.block or not is_kept or own == label != "":
            name, own = piece, label
        elif own != label and _is_name(name) and not (piece.lead_in or piece.skipped):
            pieces[at] = piece._replace(lead_in=with_colon(name.text))
    return pieces


def _is_name(piece: Piece) -> bool:
    """Whether a line may name what the lines below it are about."""
    says_more = piece.text.endswith((*STOPS, ",")) or claims_nothing(piece.text, is_item=True)
    return len(piece.text) <= MAX_VALUE and (asks(piece.text) or not says_more)


def _is_judged(piece: Piece, *, is_value: bool) -> bool:
    """Whether a heading or lead-in is judged with a statement: not with what may be set aside."""
    if is_value and not (piece.kind == "text" and piece.text.endswith(ENDS)):
        return True
    return not claims_nothing(piece.text, is_item=piece.kind in _LISTED)


def _leads(
    piece: Piece, following: Piece, lead_ins: Sequence[str], *, is_line: bool
) -> tuple[int, int] | None:
    """The column and paragraph below which a lead-in is shown; None if the piece is none."""
    if not _announces_more(piece, following, is_line=is_line):
        return None
    column = piece.column if piece.kind == "item" else -1
    is_over_text = _is_label(piece) and not claims_nothing(following.text)
    paragraph = following.block if is_over_text or asks(piece.text) else -1
    is_short = len(" ".join([*lead_ins, piece.text])) <= MAX_PREFIX
    return (column, paragraph) if is_short and _is_under(following, column, paragraph) else None


def _only_leads(piece: Piece, following: Piece, *, is_over: bool) -> bool:
    """Whether a piece says nothing but what follows. ``is_over``: that is shown under it."""
    if is_over and not piece.text.endswith(STOPS):
        return scores(piece.text).talk > CLAIM or claims_nothing(piece.text)
    is_line = piece.kind == "text" and following.block != piece.block
    is_open = is_line and piece.text.endswith(COLON) and len(piece.text) <= MAX_PREFIX
    return is_open and claims_nothing(piece.text.rstrip(" :："))


def _announces_more(piece: Piece, following: Piece, *, is_line: bool) -> bool:
    """Whether a piece ends in a colon, is a question before its answer, or a short line or item
    over items or a table.

    ``is_line``: a line begins with it or ends behind it.
    """
    if piece.text.endswith(COLON):
        return True
    column = piece.column if piece.kind == "item" else -1
    is_over = following.kind in ("item", *_TABLE) and _is_under(following, column)
    if piece.text.endswith(STOPS):  # "What is excluded?", "The following is excluded."
        few = following.text.count(" ") < MOST_WORDS and len(following.text) <= MAX_FRAGMENT
        is_value = is_over and not following.text.endswith(ENDS) and len(piece.text) <= MAX_VALUE
        if few and is_value:
            return True
        has_answer = asks(piece.text) and not (asks(following.text) or offers(piece.text))
        if not has_answer or not (few or is_line):
            return False
        label = LABEL.match(following.text)
        is_named = label and len(label[0]) > MAX_MARK and not LABEL.match(piece.text)
        return may_answer(following.text) and not is_named
    is_short = len(piece.text) <= MAX_VALUE and not piece.text.endswith(",")
    return is_over and is_short and (piece.kind == "item" or _is_label(piece))


def _is_sentence(piece: Piece) -> bool:
    """Whether a title states something by itself, which what stands below it need not say again."""
    return piece.skipped != "" or (piece.text.endswith(STOPS) and not asks(piece.text))


def _is_label(piece: Piece) -> bool:
    """Whether a line says more than "Here it is:". A name alone does."""
    return piece.kind == "text" and not claims_nothing(piece.text.rstrip(":："), is_item=True)


def with_colon(heading: str) -> str:
    """A heading or lead-in as it is shown before a statement."""
    return heading if not heading or heading.endswith(ENDS) else f"{heading}:"


def _is_under(piece: Piece, column: int, paragraph: int = -1) -> bool:
    """Whether a piece stands under a lead-in: in its list or paragraph, or as a table or value."""
    if piece.kind == "item":
        return piece.column > column
    if piece.kind == "text" and piece.block == paragraph:
        return True
    is_value = len(piece.text) <= MAX_VALUE and not piece.text.endswith(ENDS)
    is_value = is_value and piece.kind in _PLAIN and not piece.skipped
    return is_value or (piece.kind in _TABLE and (column < 0 or piece.column > column))


def with_headers(headers: Sequence[str], cells: Iterable[str]) -> str:
    """A row of a table with the name of each column: ``Plan: Pro | Users: 5``."""
    named = zip([*headers, *[""] * 100], cells, strict=False)
    shown = (f"{name}: {cell}" if name and name != cell else cell for name, cell in named if cell)
    return " | ".join(shown)
