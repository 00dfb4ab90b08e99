"""Work grows with the size of a text as the text does: no pattern has many readings, and no entrance takes more than its share."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

import pytest
from ambiguity import exponential, fragments
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from patterns import collected
from sinks import Sink, grading, reading, replies, shown
from strategies import part

from faithfulness_assert import ConfigError, UnreadableReply


def test_no_pattern_can_read_a_text_in_exponentially_many_ways():
    patterns = collected()
    assert len(patterns) > 100
    assert [(p.where, why) for p in patterns if (why := exponential(p.text, p.flags))] == []


@pytest.mark.parametrize(
    ("text", "is_ambiguous"),
    [
        (r"(?:a+)+x", True),
        (r"(?:a*)*x", True),
        (r"(?:a|ab|b)*x", True),
        (r"(?:\s*,\s*)*x", True),
        (r"(?:\w{1,12}|\d{1,9})*x", True),
        (r"(?:a|(?=b)\w)*x", True),
        (r"x(?=(?:a+)+b)", True),
        (r"(?i:(?:A|ab|B)*)x", True),
        (r"(?:\[\w+\]|\[doc-\d\])*x", False),
        (r"(?:\[[\w-]+\]|\[doc-\d\])*x", True),
        (r"(a|b)(?:\1x|bx)*y", True),
        (r"(?:a+b)*x", False),
        (r'"(?:[^"\\]|\\.)*"', False),
        (r"(?:ab|a){1,3}x", False),
        (r"\d{1,3}(?:,\d{3}){0,30}", False),
    ],
)
def test_the_rule_of_patterns_sees_ambiguous_repeats_and_no_others(text, is_ambiguous):
    assert bool(exponential(text)) is is_ambiguous


# ---------------------------------------------------------------- entrances

SIZE = 12_000
FAST = 0.15
"""Seconds of CPU: with quadratic work, a text of this size takes more."""
MOST = 2.6
"""Twice a text may take so many times as long."""
LIMIT = 20
"""Seconds of CPU for one text."""
KNOWN = ("[1-20]", "。[doc-1][1] ", "\n", "[doc-1]", "Fee 1. 5 mg/kg/", "² ", "a.")
"""Texts that were slow somewhere."""
Shape = Callable[[int], str]
"""A text of a size in characters."""


@pytest.fixture(scope="module")
def entrances(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sink]:
    return {**grading(), **replies(), **reading(tmp_path_factory.mktemp("growth"))}


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """Texts that repeat what our patterns mention: alone, in pairs, nested, in sentences and in lines."""
    one, two, end = (draw(st.sampled_from(mentioned())) for _ in range(3))
    unit = one + two
    ways: list[Shape] = [
        lambda size: one * (size // len(one)) + end,
        lambda size: unit * (size // len(unit)) + end,
        lambda size: one * (size // len(one) // 2) + end + two * (size // len(two) // 2),
        lambda size: "".join(f"The {unit} costs {n} euros. " for n in range(size // (len(unit) + 22))),
        lambda size: f"{unit} {end}\n" * (size // (len(unit + end) + 2)),
    ]  # fmt: skip
    return draw(st.sampled_from(ways))


@cache
def mentioned() -> list[str]:
    return sorted({text for found in collected() for text in fragments(found.text, found.flags)})


def known(unit: str) -> Shape:
    return lambda size: f"好。{unit * (size // len(unit))}x"


@contextmanager
def ended() -> Iterator[None]:
    """What takes longer than ``LIMIT`` fails, also inside of a pattern."""

    def end(*_: object) -> None:
        raise AssertionError(f"no end within {LIMIT} s of CPU")

    if not hasattr(signal, "SIGVTALRM"):  # Windows
        yield
        return
    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(sink: Sink, text: str) -> float:
    """The CPU time of a sink."""
    began = time.process_time()
    with ended(), suppress(ConfigError, UnreadableReply):  # what is refused
        sink(text)
    return time.process_time() - began


def check(name: str, sink: Sink, shape: Shape) -> None:
    """Fails if twice a text takes more than ``MOST`` times as long, twice. What is fast is fast enough."""
    whole = seconds(sink, shape(SIZE))
    if whole < FAST or whole <= MOST * seconds(sink, shape(SIZE // 2)):
        return

    def least(size: int) -> float:
        return min(seconds(sink, shape(size)) for _ in range(3))

    half, whole = least(SIZE // 2), least(SIZE)
    if whole > max(FAST, MOST * half):
        double = least(SIZE * 2)
        took = f"{half:.3f} s, {whole:.3f} s, {double:.3f} s"
        assert double <= MOST * whole, f"{name}: {took}: {ascii(shape(200))[:120]}"


@settings(max_examples=part(40), phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(data=st.data(), shape=shapes())
def test_twice_a_text_takes_about_twice_the_time_at_each_entrance(entrances, data, shape):
    name = data.draw(st.sampled_from(sorted(entrances)))
    check(name, entrances[name], shape)


@pytest.mark.parametrize("unit", KNOWN)
def test_so_do_texts_that_were_slow_somewhere(unit):
    for name, sink in {**grading(), **replies()}.items():
        check(name, sink, known(unit))


def test_so_does_what_is_read_and_shown(tmp_path):
    for name, sink in {**reading(tmp_path), **shown(tmp_path)}.items():
        check(name, sink, known(KNOWN[0]))
