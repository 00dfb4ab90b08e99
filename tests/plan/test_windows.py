"""What fits into one ask, and that no ask exceeds what its judge can take."""

from __future__ import annotations

from itertools import chain, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faithfulness_assert.asking.windows import (
    OVERLAP,
    Budget,
    chunk,
    cut_to_fit,
    line_tokens,
    window,
)
from faithfulness_assert.records.errors import InputError
from faithfulness_assert.records.judge import Limits
from faithfulness_assert.records.model import Evidence

LINE = 3  # tokens of a line's number and its end
SIZES = st.lists(st.integers(1, 20), min_size=1, max_size=12)


def words(count: int) -> str:
    """A text of so many tokens."""
    return " ".join(["abc"] * count)


def sentences(*texts: str) -> tuple[Evidence, ...]:
    made, start = [], 100
    for number, text in enumerate(texts, 1):
        made.append(Evidence(number, "p", start, start + len(text), text))
        start += len(text) + 1
    return tuple(made)


@given(SIZES, st.integers(6, 150))
def test_windows_are_filled_share_two_sentences_and_show_everything(
    sizes: list[int], room: int
) -> None:
    context = sentences(*map(words, sizes))
    windows = window(context, Budget(Limits(), room))
    lines = [size + LINE for size in sizes]
    used = [sum(lines[n - 1] for n in shown) for shown in windows]
    assert (windows[0].start, windows[-1].stop) == (1, len(sizes) + 1)
    assert all(n <= room * 2 // 3 or len(s) == 1 for n, s in zip(used, windows, strict=True))
    for (one, other), tokens in zip(pairwise(windows), used, strict=False):
        assert tokens + lines[one.stop - 1] > room * 2 // 3
        assert other.start == max(one.stop - OVERLAP, one.start + 1)
    assert window(context, Budget(Limits())) == (range(1, len(sizes) + 1),)


@example([7, 7, 7], 60, None, 0)
@given(SIZES, st.integers(60, 300), st.sampled_from([None, 1, 2, 3]), st.sampled_from([0, 4]))
def test_groups_of_statements_are_filled_and_one_that_is_too_long_is_named(
    sizes: list[int], room: int, most: int | None, reply: int
) -> None:
    items = tuple((number, words(size)) for number, size in enumerate(sizes, 1))
    budget = Budget(Limits(statements=most), room, reply)
    tokens = {number: size + LINE + reply for number, size in enumerate(sizes, 1)}
    if too_long := [n for n in tokens if tokens[n] > room // 3]:
        first = f"statement {too_long[0]} has about {tokens[too_long[0]]} tokens"
        with pytest.raises(InputError, match=first):
            chunk(items, budget)
        return
    groups = chunk(items, budget)
    assert tuple(chain.from_iterable(groups)) == items
    used = [sum(tokens[number] for number, _ in group) for group in groups]
    assert max(used) <= room // 3
    assert max(map(len, groups)) <= (most or len(items))
    for (one, other), filled in zip(pairwise(groups), used, strict=False):
        assert len(one) == most or filled + tokens[other[0][0]] > room // 3
    assert chunk((), budget) == ()
    assert len(chunk(items, Budget(Limits(statements=most)))) == -(-len(items) // (most or 99))


@given(
    st.lists(st.text("xy é", min_size=1, max_size=90), min_size=1, max_size=4), st.integers(4, 60)
)
def test_a_sentence_that_is_too_long_is_cut_and_nothing_is_lost(
    texts: list[str], most: int
) -> None:
    whole = sentences(*texts)
    parts = cut_to_fit(whole, most)
    assert [part.sentence for part in parts] == list(range(1, len(parts) + 1))
    assert all(line_tokens(part.text) <= most for part in parts)
    assert "".join(part.text for part in parts) == "".join(texts)
    for part in parts:
        (inside,) = (s for s in whole if s.start <= part.start and part.end <= s.end)
        assert inside.text[part.start - inside.start : part.end - inside.start] == part.text
        assert part.text == inside.text or line_tokens(inside.text) > most
