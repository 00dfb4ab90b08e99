"""The flag of numbers: which numbers of a statement occur nowhere, and cannot be computed.

Computed is the result of an equation of the statement, and what two numbers give that are there.
"""

from __future__ import annotations

import ast
import operator
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate, combinations
from math import isclose

from .context_numbers import BEFORE, CLOSE, MOST_EVIDENCE, NONE, SMALL, Numbers, Own, find_absent
from .numbers import EXACT, Number, is_year
from .strings import lazy_pattern

MOST_ABSENT = 20
EQUALS, MOST_LISTED = ("=", "≈"), 6
"""Signs of equality, and numbers that one is the sum of."""
MOST_ADDED = 20
"""Numbers of statement and evidence that are added and subtracted."""
MOST_SIGNS = 800
"""Characters of an expression."""
LEAST_EXACT = 0.02
"""The last digit of a ratio, as a share of it: with a larger one, a wrong number would be met by
chance."""

_SIGNS = str.maketrans(
    {"[": "(", "]": ")", "·": " * ", "×": " * ", "*": " * ", "÷": "/", "–": "-", "−": "-"}
    | {"^": "**", "\n": " "}
)
"""The signs of an expression, as Python has them."""
_NO_SIGN = lazy_pattern(r"[^()*/+\s-]")
_COMPUTE: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_DIGIT, _DIGITS = lazy_pattern(r"\d"), lazy_pattern(r"[\d¼-¾⅐-⅞]+")


def absent_numbers(
    statement: str, context: Numbers, question: Numbers = NONE, evidence: str = ""
) -> tuple[str, ...]:
    """The numbers of ``statement``, as it writes them, that occur nowhere in the context.

    A number is there with its unit if only the unit is nowhere. Left out is what the question has,
    and what two numbers give that are there: the sum and the difference of those of the statement
    and the evidence; where the statement has one of them, also their mean, product, ratio and
    change ("up from 16.4 to 23.6 billion, by 43.6 %").
    """
    own = Own(statement, context.language)
    if not (absent := find_absent(own, context, question)):
        return ()
    if any(sign in statement for sign in EQUALS):
        question = with_computed([statement], context, question)
        absent = find_absent(own, context, question)
    places = {one.number.start for one in absent}
    there = [n for n in own.numbers if n.plain and n.start not in places]
    if len(there) + len(_DIGITS.findall(evidence[:MOST_EVIDENCE])) > 1:  # two to compute with
        near = [n for n in context.of_evidence(evidence).numbers if n.digits and n.plain]
        results = _results(there, near)
        absent = [one for one in absent if not _is_among(one.number, results)]
    said = (statement[one.first : one.last] for one in absent)
    return tuple(dict.fromkeys(said))[:MOST_ABSENT]


def names_new_price(statement: str, context: Numbers, question: Numbers) -> bool:
    """Whether a statement has an amount of money that occurs nowhere."""
    absent = find_absent(Own(statement, context.language), context, question)
    return any(kind.isupper() for one in absent for kind in one.number.kinds())


# ---------------------------------------------------------------- what two numbers give


Result = tuple[str, float, bool]
"""A kind, a value, and whether it is a ratio, which may be rounded."""


def _is_among(number: Number, results: Sequence[Result]) -> bool:
    """Whether a number is one of these results."""
    rounded = number.step if number.step < LEAST_EXACT else 0
    asked = number.asks + [("any", value) for value in number.loose]
    if number.kinds() & EXACT:  # a date is not computed
        asked = [(kind, value) for kind, value in asked if kind == "time"]
    return any(
        kind == of and isclose(value, result, rel_tol=rounded if is_ratio else CLOSE)
        for kind, value in asked
        for of, result, is_ratio in results
    )


def _results(there: list[Number], near: list[Number]) -> list[Result]:
    """What two numbers of a statement and its evidence give."""
    found = list[Result]()
    known = [(n, dict(n.meanings)) for n in (*there, *near)[:MOST_ADDED]]
    for (one, mine), (other, its) in combinations(known, 2):
        a, b = one.plain[0], other.plain[0]
        values = [(k, v, its[k]) for k, v in mine.items() if k in its and k not in EXACT]
        # 75 mg and 30 minutes give nothing, nor do 75 mg and 2 tablets.
        are_apart = not values and (one.is_clear or other.is_clear) and one.after != other.after
        values += [(kind, a, b) for kind in ("", "any") if not are_apart]
        found += [(k, v, False) for k, x, y in values for v in (x + y, abs(x - y))]
        if 1 < a < SMALL and one.after and not one.is_clear and 0 < other.first - one.last < BEFORE:
            found += [(kind, a * value, False) for kind, value in its.items()]  # 2 x 500 mg
        if one in there and ("share" in mine or "share" in its):
            share = mine.get("share", a) * its.get("share", b)
            found += (("", share, False), ("any", share, False))
        is_one_kind = (one.is_clear and mine.keys()) == (other.is_clear and its.keys())
        if is_one_kind and a != b and (mine or its or one in there):
            found += [(kind, (x + y) / 2, False) for kind, x, y in values]
            ratios = (b and a / b, a and b / a)
            for ratio in (*ratios, *(abs(ratio - 1) for ratio in ratios)):
                found += (("share", ratio, True), ("any", ratio, True), ("any", 100 * ratio, True))
    return found


# ---------------------------------------------------------------- what statements compute


def with_computed(statements: Iterable[str], context: Numbers, question: Numbers) -> Numbers:
    """The numbers of a question, and what statements compute from known ones.

    That is the result of an equation, and the sum or difference of what is listed before it. A
    result is known to what follows from it.
    """
    results, listed = set[float](), deque[float](maxlen=MOST_LISTED)
    for text in filter(_DIGIT.search, statements):
        own = Own(text, context.language)
        absent = {one.number.start for one in find_absent(own, context, question)}
        if any(sign in own.text for sign in EQUALS):
            _compute(own, absent, results)
        for number in own.numbers:
            value = number.plain[0] if number.plain else 0.0
            if is_year(value) or number.kinds() & EXACT:
                continue
            if number.start in absent:
                if value not in results and value not in _sums(listed):
                    continue
                results.add(value)
            listed.append(value)
    return Numbers(question.text, *(f"{value:.9f}" for value in results)) if results else question


def _sums(listed: Sequence[float]) -> set[float]:
    """What numbers side by side add up to, and the sums and differences of two."""
    values = [*listed]
    found = [v for a, b in combinations(values, 2) for v in (a + b, abs(a - b))]
    for first in range(len(values)):
        found += [*accumulate(values[first:])][1:]
    return {float(f"{value:.9g}") for value in found}


def _compute(own: Own, absent: Collection[int], results: set[float]) -> None:
    """Adds what expressions of a statement give, and their parts: "(18,000 + 2,000) × 45 %".

    An expression is numbers with signs between them, and nothing else.

    Args:
        absent: where those numbers start that are nowhere. Only a result is computed with.
    """
    text, numbers = own.text, [number for number in own.read if not number.is_part]
    for place in (0, -1):  # 1.200 may have two values
        expression, end = "", 0
        for number in (*numbers, None):
            gap = text[end : number.first if number else len(text)].replace(" x ", "×")
            more, *others = _NO_SIGN.sub("=", gap.translate(_SIGNS)).split("=")
            expression += more
            if others or number is None:
                results.update(float(f"{abs(value):.12g}") for value in _computed(expression))
                expression = others[-1] if others else ""
            if number:
                value = number.plain[place] if number.plain else -1.0
                is_known = number.start not in absent or value in results
                expression += str(dict(number.meanings).get("share", value) if is_known else "?")
                end = max(end, number.last)


def _computed(expression: str) -> list[float]:
    """What each sign of an expression gives, or nothing if it is none. It is parsed and not run."""
    found = list[float]()

    def value_of(node: ast.expr) -> float:
        if isinstance(node, ast.BinOp):
            one, other = value_of(node.left), value_of(node.right)
            found.append(float(_COMPUTE[type(node.op)](one, other)))
            return found[-1]
        if isinstance(node, ast.UnaryOp):  # (-546) / 35,663
            return -value_of(node.operand)
        return float(ast.literal_eval(node))

    if 2 < len(expression) < MOST_SIGNS:
        try:
            value_of(ast.parse(expression.strip(), mode="eval").body)
        except (SyntaxError, ValueError, LookupError, ArithmeticError, TypeError):
            return []
    return found
