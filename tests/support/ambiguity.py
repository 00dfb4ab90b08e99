"""Whether a pattern can need more than linear time, decided from its parse tree.

A pattern becomes an automaton with a state for each character that it can take (Glushkov's). A repeat of more than
``UNROLLED`` times is a loop; lookarounds and anchors take nothing, so the automaton matches more than the pattern does, and
no ambiguity is overlooked. ``exponential``: two different paths around one state take the same text, so ``n`` repeats of it
have 2^n readings (``(?:a|\\w)*``, ``(?:\\s*,\\s*)*``, ``(?:a+)+``).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

try:
    from re import _constants as c
    from re import _parser as sre
except ImportError:  # Python 3.10
    import sre_constants as c
    import sre_parse as sre

UNROLLED = 4
"""A repeat of at most so many times is written out: it has few readings."""
USUAL = "aAzZ_09 \t\n\r.,;:-!?'\"()[]{}<>/\\*#|@=+~`^$%&éßſİKж中日。٣²\u00a0\u2028\u200b\ufe0f\U0001f600"

CATEGORIES: dict[Any, Callable[[str], bool]] = {
    c.CATEGORY_DIGIT: str.isdecimal,
    c.CATEGORY_NOT_DIGIT: lambda x: not x.isdecimal(),
    c.CATEGORY_SPACE: str.isspace,
    c.CATEGORY_NOT_SPACE: lambda x: not x.isspace(),
    c.CATEGORY_WORD: lambda x: x.isalnum() or x == "_",
    c.CATEGORY_NOT_WORD: lambda x: not (x.isalnum() or x == "_"),
}


class Part(NamedTuple):
    """An automaton's part: whether it can take nothing, where it begins and where it ends."""

    empty: bool
    first: tuple[int, ...]
    last: tuple[int, ...]


NOTHING = Part(True, (), ())


class Automaton:
    """The automaton of a parse tree."""

    def __init__(self, tree: Any, flags: int) -> None:
        self.flags = flags
        self.sets: list[tuple[Any, int]] = []  # what each state takes: an item, and its flags
        self.follow: dict[int, Counter[int]] = defaultdict(Counter)
        self.groups: dict[int, Any] = {}
        self.inner: list[Automaton] = []  # of lookarounds
        self.starts: set[int] = set()  # of loops: no way leads back but to one of them
        self.whole = self._sequence(tree)
        signs = sorted({*USUAL, *(s for item, _ in self.sets for s in _signs(item))})
        known: dict[str, frozenset[str]] = {}
        for taken in self.sets:
            if (key := str(taken)) not in known:
                known[key] = frozenset(sign for sign in signs if _fits(*taken, sign))
        self.takes = [known[str(taken)] for taken in self.sets]

    def _state(self, item: Any) -> Part:
        self.sets.append((item, self.flags))
        state = (len(self.sets) - 1,)
        return Part(False, state, state)

    def _sequence(self, items: Iterable[Any]) -> Part:
        done = NOTHING
        for item in items:
            done = self._then(done, self._part(item))
        return done

    def _then(self, one: Part, two: Part) -> Part:
        self._join(one.last, two.first)
        first = one.first + two.first if one.empty else one.first
        last = two.last + one.last if two.empty else two.last
        return Part(one.empty and two.empty, first, last)

    def _join(self, last: Iterable[int], first: Iterable[int]) -> None:
        for state in last:
            self.follow[state].update(first)

    def _part(self, item: Any) -> Part:
        op, value = item
        if op in (c.LITERAL, c.NOT_LITERAL, c.IN, c.ANY):
            return self._state(item)
        if op is c.BRANCH:
            parts = [self._sequence(way) for way in value[1]]
            return Part(
                any(part.empty for part in parts),
                tuple(state for part in parts for state in part.first),
                tuple(state for part in parts for state in part.last),
            )
        if op is c.SUBPATTERN:
            group, added, removed, body = value
            self.groups[group] = body
            around, self.flags = self.flags, (self.flags | added) & ~removed
            part = self._sequence(body)
            self.flags = around
            return part
        if op is c.GROUPREF:
            return self._sequence(self.groups[value])
        if op in (c.MAX_REPEAT, c.MIN_REPEAT):
            return self._repeat(*value)
        if op in (c.ASSERT, c.ASSERT_NOT):
            self.inner.append(Automaton(value[1], self.flags))
            return NOTHING
        assert op is c.AT, f"{op}: not known here"
        return NOTHING

    def _repeat(self, least: int, most: int, body: Any) -> Part:
        if most <= UNROLLED:
            done = NOTHING
            for count in reversed(range(most)):  # a(a(a)?)?, which has one reading
                done = self._then(self._sequence(body), done)
                done = done._replace(empty=done.empty or count >= least)
            return done
        part = self._sequence(body)
        self._join(part.last, part.first)
        self.starts.update(part.first)
        return part._replace(empty=part.empty or not least)


def _fits(item: Any, flags: int, sign: str) -> bool:
    forms = {sign}
    if flags & re.IGNORECASE:
        forms |= {sign.lower(), sign.upper(), sign.swapcase()}
    return any(_takes(item, flags, form) for form in forms if len(form) == 1)


def _takes(item: Any, flags: int, sign: str) -> bool:
    op, value = item
    if op is c.ANY:
        return sign != "\n" or bool(flags & re.DOTALL)
    if op is c.LITERAL:
        return ord(sign) == value
    if op is c.NOT_LITERAL:
        return ord(sign) != value
    if op is c.RANGE:
        return value[0] <= ord(sign) <= value[1]
    if op is c.CATEGORY:
        return CATEGORIES[value](sign)
    negated = bool(value) and value[0][0] is c.NEGATE
    return any(_takes(one, flags, sign) for one in value[negated:]) is not negated


def _signs(item: Any) -> Iterator[str]:
    """Characters at the edges of what an item takes."""
    op, value = item
    if op in (c.LITERAL, c.NOT_LITERAL):
        codes = [value]
    elif op is c.RANGE:
        codes = [value[0] - 1, value[0], value[1], value[1] + 1]
    else:
        for inner in value if op is c.IN else ():
            yield from _signs(inner)
        return
    for char in (chr(code) for code in codes if 0 <= code < 0x110000):
        yield from {char, char.lower()[:1], char.upper()[:1]}


def exponential(text: str, flags: int = 0) -> str:
    """A character in which two ways through a loop of a pattern meet; "" if there is none."""
    tree = sre.parse(text, flags)
    return _exponential(Automaton(tree, flags | tree.state.flags))


def fragments(text: str, flags: int = 0) -> set[str]:
    """Short texts that parts of a pattern take: each of its characters, and what stands beside each other."""
    tree = sre.parse(text, flags)
    machine = Automaton(tree, flags | tree.state.flags)
    own = [
        min(signs, key=lambda s: (not s.isprintable(), s)) if signs else ""
        for signs in machine.takes
    ]
    texts = set(own)
    for state, sign in enumerate(own):
        made, at, seen = sign, state, {state}
        while len(made) < 12 and (after := [s for s in machine.follow[at] if s not in seen]):
            at = after[0]
            seen.add(at)
            made += own[at]
            if len(made) in (2, 3, 6, 12):
                texts.add(made)
    return texts - {""}


def _exponential(machine: Automaton) -> str:
    for inner in machine.inner:
        if found := _exponential(inner):
            return found
    left = set(machine.starts)
    while left:
        start = left.pop()
        loop = around(start, lambda state: machine.follow[state])
        left -= loop
        after = {state: [t for t in machine.follow[state] if t in loop] for state in loop}
        for state in loop:
            if twice := [t for t in after[state] if machine.follow[state][t] > 1]:
                return _shown(machine.takes[twice[0]])

        def pairs(
            pair: tuple[int, int], after: dict[int, list[int]] = after
        ) -> list[tuple[int, int]]:
            ways = product(after[pair[0]], after[pair[1]])
            return [(p, q) for p, q in ways if machine.takes[p] & machine.takes[q]]

        # Wherever it starts, a loop can be gone around twice in step, so one start shows all of it.
        for one, two in around((start, start), pairs):
            if one != two:
                return _shown(machine.takes[one] & machine.takes[two])
    return ""


def _shown(signs: Iterable[str]) -> str:
    return ascii(min(signs))


def around(start: Any, after: Callable[[Any], Iterable[Any]]) -> set[Any]:
    """The nodes of a graph that are on a way from this one back to it, and itself."""
    before: dict[Any, list[Any]] = {start: []}
    found = [start]
    for node in found:
        for other in after(node):
            if other not in before:
                before[other] = []
                found.append(other)
            before[other].append(node)
    back, on_the_way = [start], {start}
    for node in back:
        new = [other for other in before[node] if other not in on_the_way]
        on_the_way.update(new)
        back += new
    return on_the_way
