"""Numbers that are the same in another form: "30" and "thirty", "10:00" and "10 a.m.".

Other than in ``absent_numbers.py``, in doubt two numbers are not the same: nothing is rounded or
derived, "two hundred and fifty" has no 50 in it, and "2 hours" are "120 minutes", not "2 days".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .number_words import is_clear, number_parts, spelled_numbers, units, valued, words_of
from .numbers import (
    MAX_DIGITS,
    OCLOCK,
    Number,
    ascii_digits,
    find_numbers,
    hours_and_minutes,
    money_of,
    month_before,
)
from .strings import lazy_pattern

LONGEST = 20
"""Words of one number that is spelled out."""
MOST_DIGITS = 14
"""A number with more is compared as it is written."""

_WORD = lazy_pattern(r"[^\W\d_]+")
_BEHIND = lazy_pattern(r"[ \u00a0\u202f-]?(?:an? )?(%|[^\W\d_]+(?:/[^\W\d_]+|[²³]|[23](?!\w))?)")
_MANY = lazy_pattern(rf"[0-9]{{{MAX_DIGITS + 1},}}")
_ORDINAL = lazy_pattern(r"(?:st|nd|rd|th)(?![^\W_])")
_ISO = lazy_pattern(r"(?<![0-9-])[0-9]{4}-([01][0-9])-([0-3][0-9])(?![0-9-])")
_SCORE = lazy_pattern(r"([0-9])[-–]([0-9])(?![0-9])")
_DATE = lazy_pattern(r"([0-3]?[0-9])([./])([0-3]?[0-9])[./][0-9]{4}$")


class Form(NamedTuple):
    """A meaning of a number, and the part of the text that says it."""

    key: str
    start: int
    end: int


class Reading(NamedTuple):
    """A number of a text.

    Args:
        forms: its meanings, with its unit first. A text has the number if it offers one of these.
        offers: the keys that a text with this number offers.
        in_words: whether it is spelled out, so that it may also count what is not numbered.
    """

    forms: list[Form]
    offers: list[str]
    in_words: bool = False


def in_digits(text: str) -> Iterator[Reading]:
    """The numbers in digits of ``text``, those with many of them first. Takes linear time."""
    text = ascii_digits(text)
    for many in _MANY.finditer(text):
        yield _reading([], [Form(f"number {many[0]}", *many.span())], False)
    for number in find_numbers(text):
        yield from _readings(text, number)


def in_words(text: str) -> Iterator[Reading]:
    """The numbers of ``text`` that are spelled out, in order. Takes linear time."""
    known: dict[str, bool] = {}
    run: list[re.Match[str]] = []
    for token in _WORD.finditer(text):
        word = token[0].casefold()
        if word not in known:
            known[word] = number_parts(word) != ()
        if not known[word]:
            continue
        if not _goes_on(run, token):
            yield from _spelled(text, run)
            run = []
        run.append(token)
    yield from _spelled(text, run)


def _form(kind: str, value: float, start: int, end: int) -> Form:
    return Form(f"{kind} {value:.{MOST_DIGITS}g}", start, end)


def _reading(forms: list[Form], plain: list[Form], is_typed: bool, *also: str) -> Reading:
    """A number with a unit, whose ``forms`` say it, or without one.

    Without one, it is the ``plain`` number of any unit; with one, only that of a text without one.
    """
    typed = [form._replace(key=f"any {form.key}") for form in plain]
    offered = [*forms, *(typed if is_typed else plain)]
    asked = forms + plain if is_typed else forms + plain + typed
    return Reading(asked, [*(form.key for form in offered), *also])


# ---------------------------------------------------------------- in digits


def _readings(text: str, number: Number) -> Iterator[Reading]:
    start, end, values = number.start, number.end, number.values
    digits = text[start:end].replace(" ", "")
    if time := hours_and_minutes(text, number):
        yield _time(text, start, end, *time)
    elif dates := list(_dates(text, number)):
        plain = [_form("number", values[0], start, end)] if digits.isdecimal() else []
        yield _reading(dates, plain, True)
        if not plain:
            yield _reading([], [_form("number", float(digits[-4:]), end - 4, end)], False)
    elif "/" in digits:  # a fraction, a season, or 24/7
        forms = [_form("number", value, start, end) for value in values]
        written = Form(f"number {digits}", start, end)
        yield _reading([], [written, *forms[2:]], False, *(form.key for form in forms))
    elif _ORDINAL.match(text, end):
        order = [_form("order", value, start, end + 2) for value in values]
        yield _reading(order, [_form("number", value, start, start) for value in values], False)
    else:
        own = values[: len(values) // 2] if number.after in valued("scales") else values
        found = _measured(text, number, own, digits if _is_written(digits) else "")
        score = [f"clock {pair[1]}:{pair[2]}"] if (pair := _SCORE.match(text, start)) else []
        yield found._replace(offers=[*found.offers, *score])


def _is_written(digits: str) -> bool:
    """Whether digits without a unit are no value: a version such as 3.10, or too many."""
    *whole, last = digits.split(".")
    is_version = whole and len(last) != 3 and (len(whole) > 1 or last.endswith("0"))
    return bool(is_version) or len(digits) > MOST_DIGITS


def _time(text: str, start: int, end: int, hours: int, minutes: int = 0) -> Reading:
    """A time of day. 7:30 is also 7:30 p.m., but not the other way round."""
    sign = OCLOCK.match(text, end)
    half, sign_end = (sign[0].strip()[0].lower(), sign.end()) if sign else ("", end)
    hour = hours % 12 + 12 * (half == "p") if half in ("a", "p") else hours
    clock = Form(f"clock {hour}:{minutes}", start, sign_end)
    either = Form(f"clock {hours}:{minutes} or later", start, sign_end)
    forms = [clock] if half in ("a", "p") else [clock, either]
    if half == "h":  # it opens at 2h, or takes 2h
        forms.append(_form("time", 3600 * hours + 60 * minutes, start, sign_end))
    plain = [_form("number", hours, start, end)]
    said = [f"any {_form('number', part, 0, 0).key}" for part in (hours, minutes)]
    return _reading(forms, [] if minutes else plain, half != "h", either.key, *said)


def _dates(text: str, number: Number) -> Iterator[Form]:
    start, end = number.start, number.end
    if date := _DATE.match(text, start, end):
        first, sign, second = date.groups()
        yield from _date(second, first, start, end - 5)
        if sign == "/":
            yield from _date(first, second, start, end - 5)
    elif date := _ISO.match(text, max(start - 5, 0)) or _ISO.match(text, max(start - 8, 0)):
        if start > date.start():
            yield from _date(date[1], date[2], date.start(1), date.end())
    elif number.after in valued("months"):
        yield from _date(valued("months")[number.after], text[start:end], start, number.after_end)
    elif month := month_before(text, number):
        suffix, name = _ORDINAL.match(text, end), month[1].casefold()
        end_of_date = suffix.end() if suffix else end
        yield from _date(valued("months")[name], text[start:end], month.start(), end_of_date)


def _date(month: str | float, day: str, start: int, end: int) -> Iterator[Form]:
    if day.isdecimal() and int(day) <= 31 and int(month) <= 12:
        yield Form(f"date {int(month)}-{int(day)}", start, end)


# ---------------------------------------------------------------- in words


def _goes_on(run: list[re.Match[str]], token: re.Match[str]) -> bool:
    """Whether a word adds something to the number before it."""
    if not run or len(run) == LONGEST:
        return False
    word, before = token[0].casefold(), run[-1][0].casefold()
    signs = "-," if before in valued("scales") else "-"  # one thousand, one hundred
    between = token.string[run[-1].end() : token.start()].casefold().strip(signs)
    if len(between) > 12 or not words_of("joiners").issuperset(between.split()):
        return False
    value = _value(_words(run))
    return (value == 1 and _is_scale(word)) or _value(_words([*run, token])) != _value((word,))


def _words(run: list[re.Match[str]]) -> tuple[str, ...]:
    """The words from the first to the last of these."""
    return tuple(_WORD.findall(run[0].string[run[0].start() : run[-1].end()].casefold()))


@lru_cache(maxsize=1024)
def _value(words: tuple[str, ...]) -> float:
    *_, (value, _) = spelled_numbers(list(words))
    return value


def _is_scale(word: str) -> bool:
    return word in valued("hundreds") or word in valued("scales")


def _spelled(text: str, run: list[re.Match[str]]) -> Iterator[Reading]:
    if not run:
        return
    start, end, word = run[0].start(), run[-1].end(), run[-1][0].casefold()
    value, part, is_scale = _value(_words(run)), number_parts(word)[-1], _is_scale(word)
    if text[max(start - 2, 0) : start].strip()[-1:].isdecimal() or part in valued("worth"):
        return  # 1.2 million
    if is_scale and len(run) == 1 and word.endswith(("s", "ionen", "arden")):
        return  # hundreds of people
    if part in valued("ordinals") or not word.endswith(part) or (is_scale and word.endswith("th")):
        found = _reading([_form("order", value, start, end)], [], True)
    elif OCLOCK.match(text, end) and value == int(value):
        found = _time(text, start, end, int(value))
    else:
        number = Number(start, end, (value,), 0.0, *_behind(text, end))
        found = _measured(text, number, number.values)
    yield found._replace(in_words=True)


# ---------------------------------------------------------------- with a unit


def _measured(text: str, number: Number, values: tuple[float, ...], written: str = "") -> Reading:
    """What a number measures or costs."""
    start, end, money = number.start, number.end, money_of(text, number)
    after, after_end = _behind(text, end)
    forms: list[Form] = []
    if scale := valued("scales").get(after):
        scaled = tuple(value * scale for value in values)
        if money or is_clear(after):
            values, end, written = scaled, after_end, ""
            after, after_end = _behind(text, end)
        else:
            forms += [_form("number", value, start, after_end) for value in scaled]
    if unit := units().get(after):
        forms += [_form(unit.dimension, value * unit.size, start, after_end) for value in values]
    if money:
        names = sorted(money.currencies)
        forms += [_form(name, n, money.start, money.end) for name in names for n in values]
    plain = [_form("number", value, start, end) for value in values]
    if written:
        plain = [Form(f"number {written}", start, end)]
    return _reading(forms, plain, bool(money or (unit and is_clear(after))))


def _behind(text: str, end: int) -> tuple[str, int]:
    """The word behind a number, and where it ends."""
    word = _BEHIND.match(text, end)
    return (word[1].casefold(), word.end()) if word else ("", end)
