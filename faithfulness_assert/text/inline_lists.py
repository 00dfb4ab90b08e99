"""Numbered lists inside a line: ``1. One 2. Two`` or ``a) One b) Two``."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import NamedTuple

from .patterns import lazy_pattern

_ITEM_LABEL = lazy_pattern(r"(?<!\S)[(⁃•]?\s?(\d{1,3}|[a-z])(?:\.\)|[.)）])\s")
# The end of a label, which is found faster than a label: most texts have none.
_LABEL_END = re.compile(r"[.)）](?<=[\da-z].)(?<![^\s(⁃•\d][\da-z].)\)?\s")
_BEFORE_LIST = (".", ":", "!", "?", ";", "。", "：", "！", "？", '"', ")")
_COLONS = (":", "：")
_SHORT_ITEM = 3
"""Words. Items that short need the text before the list to mean something."""


class _Item(NamedTuple):
    start: int  # where its label begins
    body: int  # where its text begins


def cut_at_items(view: str, cuts: list[int]) -> list[int]:
    """The sentence boundaries ``cuts``, with those of inline lists moved before the item labels.

    A list of short items after a colon stays in one piece with the text before it.
    """
    kept = set(cuts)
    for items in _lists(view):
        next_cut = bisect_right(cuts, items[-1].body)
        end = cuts[next_cut] if next_cut < len(cuts) else len(view)
        starts = [item.start for item in items]
        ends = [*starts[1:], end]
        if _ends_before(view, starts[0]).endswith(_COLONS) and _all_short(view, items, ends):
            kept.difference_update(cuts[bisect_left(cuts, starts[0]) : bisect_left(cuts, end)])
        else:
            for item in items:  # no boundary between a label and its text
                kept.difference_update(range(item.body - 2, item.body + 1))
            kept.update(starts)
    return sorted(kept - {0})


def _all_short(view: str, items: list[_Item], ends: list[int]) -> bool:
    return all(
        len(view[item.body : end].split()) <= _SHORT_ITEM
        for item, end in zip(items, ends, strict=True)
    )


def _lists(view: str) -> list[list[_Item]]:
    """The items of each list: at least two, whose labels count up from 1 or a."""
    lists: list[list[_Item]] = []
    next_label = ""
    if not _LABEL_END.search(view):
        return []
    for match in _ITEM_LABEL.finditer(view):
        label, item = match[1], _Item(*match.span())
        if label == next_label:
            lists[-1].append(item)
        elif item.start == 0 or (label in ("1", "a") and _may_begin_list(view, item.start)):
            lists.append([item])
        else:
            continue
        next_label = str(int(label) + 1) if label.isdecimal() else chr(ord(label) + 1)
    return [items for items in lists if len(items) > 1]


def _may_begin_list(view: str, place: int) -> bool:
    return _ends_before(view, place).endswith(_BEFORE_LIST)


def _ends_before(view: str, place: int) -> str:
    """The last characters before ``place``, without white space."""
    return view[max(place - 3, 0) : place].rstrip()
