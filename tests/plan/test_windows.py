"""Windows of a long context share sentences, so that what stands at a border is shown whole."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert.asking.windows import OVERLAP, Budget, window
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
