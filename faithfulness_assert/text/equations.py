"""What a text computes: "(18,000 + 2,000) × 45 %" is 9,000.

An expression is numbers with signs between them, and nothing else. It is not evaluated as code. One
that cannot be computed has no value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise

from .numbers import Number

MOST_SIGNS = 200
"""Numbers and signs of one expression."""
_SIGNS = {"(": "(", "[": "(", ")": ")", "]": ")", "+": "+", "^": "^"}
_SIGNS |= dict.fromkeys("*×·", "*") | dict.fromkeys("/÷", "/") | dict.fromkeys("-−–", "-")
_RANKS = {"(": 0, ")": 1, "+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
_COMPUTE: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
}


def results(text: str, numbers: Sequence[Number], known: Collection[int]) -> Iterator[float]:
    """The values of the expressions of a text, without their sign. Takes linear time.

    Args:
        numbers: those of the text.
        known: where those start that may be computed with.
    """
    run: list[float | str] = []
    tokens = [one for place in (0, -1) for one in (*_tokens(text, numbers, known, place), "")]
    for token in tokens:
        if token != "":
            run.append(token)
        elif 2 < len(run) < MOST_SIGNS:
            yield from map(abs, _computed(run))
        run = run if token != "" else []


def _tokens(
    text: str, numbers: Sequence[Number], known: Collection[int], place: int
) -> Iterator[float | str]:
    """The numbers and the signs between them, and "" for all else.

    Args:
        place: which of the values of a number: 1.200 may have two.
    """
    last = 0
    for number in numbers:
        if number.is_part:
            continue
        gap = text[last : number.first].replace(" x ", " × ")
        yield from (_SIGNS.get(sign, "") for sign in gap if not sign.isspace())
        is_known = number.start in known and number.plain
        yield dict(number.meanings).get("share", number.plain[place]) if is_known else ""
        last = max(last, number.last)
    yield from (_SIGNS.get(sign, "") for sign in text[last:] if not sign.isspace())


def _computed(tokens: Sequence[float | str]) -> list[float]:
    """What each sign of an expression gives, or nothing if it is none."""
    values, signs, found = list[float](), list[str](), list[float]()
    if any(isinstance(a, float) and isinstance(b, float) for a, b in pairwise(tokens)):
        return []
    try:
        for before, one in pairwise(("", "(", *tokens, ")")):
            if isinstance(one, float):
                values.append(one)
                continue
            if one == "-" and before == "(":  # (-546) / 35,663
                values.append(0.0)
            while one != "(" and _RANKS[signs[-1]] >= _RANKS[one]:
                right, left = values.pop(), values.pop()
                found.append(float(_COMPUTE[signs.pop()](left, right)))
                values.append(found[-1])
            if one == ")":
                signs.pop()
            else:
                signs.append(one)
    except (IndexError, ArithmeticError, TypeError):  # TypeError: a complex number
        return []
    return found if len(values) == 1 and not signs else []
