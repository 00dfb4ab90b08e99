"""The reader of numbers: each number of a text with its value, its kind, and where it stands.

Numbers are read with separators, scales and units, as money, dates, times and fractions, in digits
and in words. A kind is what a unit measures, a currency, "clock", "date" or "order"; its values are
in basic units. Two numbers are the same if they share a kind and a value (``offers``, ``asks``); a
number without a unit is the same as any of its value, and one with a unit as one without.

A number may have several values: "3/4" is a date or a share, "1.500" is what its language says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from operator import attrgetter
from unicodedata import digit, numeric

from .number_words import Unit, money_of, spelled_numbers, unit_names, units_of, valued, words_of
from .sentences import find_language
from .strings import FIRST_DENSE, lazy_pattern

FIRST_YEAR, LAST_YEAR = 1000, 2199
MAX_DIGITS = 25
"""A number with more digits, and a version, is compared as it is written."""
MONEY = "$€£¥₹₩₽₺₴₪¢"
MOST_DENSE = 7
"""Letters of the longest unit of scripts without spaces."""
NEAR = 12
"""Characters before a number that may belong to it."""
MINUS = ("minus ", "moins ", "menos ", "meno ")

EXACT = frozenset(("clock", "half", "date", "order"))
"""Kinds of which nothing is rounded, computed or shared."""
NOT_JOINED = frozenset(("share", *EXACT))
"""Kinds of which two side by side are two."""

Meaning = tuple[str, float]
"""A kind, and a value in its basic unit."""

_USUAL = str.maketrans("\u00a0\u2009\u202f’”º", "   '\"°")
"""Signs that are read as others: the patterns of this file know only these."""
_OTHER_DIGITS = lazy_pattern(r"[^\D\x00-\u065f]")

_GAP = r"(?: ?[ \n-]|[\n-] )?"
"""Between a number and its unit, also in the broken lines of a PDF."""
_WORD = r"([^\W\d_]{1,30})"
_SHARES, _POWERS = "[¼-¾⅐-⅞]", "⁰¹²³⁴-⁹"
# Each begins with a digit, for which a text is searched quickly. First come dates, then times,
# spans of years, groups of three, all others.
_NUMBER = lazy_pattern(
    rf"""[0-9¼-¾⅐-⅞]
    (?: (?<![\w./-].) (?: [0-9]{{3}}-[0-9]{{2}}-[0-9]{{2}} | [0-9]?-[0-9]{{1,2}}-[0-9]{{4}}
        | [0-9]?/[0-9]{{1,2}}/[0-9]{{2}} ) (?![0-9/-])
      | (?: (?<=[01])[0-9] | (?<=2)[0-4] | (?<=[0-9]) ) :[0-5][0-9] (?: :[0-5][0-9] )? (?![0-9:])
      | (?<![\w.,/:-].) (?<=[12]) [0-9]{{3}}\ ?(?:--?|–|/)\ ?[0-9]{{2}}
        (?!\w|\ [A-Z][a-z]{{2,8}}\ [0-9]|\ ?[.,/:–-]\ ?[0-9])
      | (?<![0-9.,].) (?<![0-9]\ .) (?<=[1-9]) [0-9]{{0,2}} (?: \ [0-9]{{3}} )+ (?!\ ?[0-9])
        (?:[.,][0-9]+)?
      | (?<=[0-9]) [0-9]*
        (?: [.,·/][0-9]+ | ['_][0-9]{{3}}(?![0-9]) | \ ,\ [0-9]{{3}}(?![0-9]) | \ \.\ [0-9]+ )*
        (?: [eE][+-]?[0-9]{{1,2}}(?!\w)
          | (?:\ ?[×x·]\ ?10|(?<![0-9.,]10)(?<=10))
            (?:(?:\^|\*\*)[-−]?[0-9]{{1,2}}|−[0-9]{{1,2}}|⁻?[{_POWERS}]{{1,2}})(?![0-9])
          | \ ?{_SHARES} | \ [1-9]/[2-9](?![0-9/]) )?
      | (?<![0-9])
    )""",
    re.VERBOSE,
)
_POINT_FIRST = lazy_pattern(r"(?<![\w.,)\]])\.$")
_POWER = lazy_pattern(rf"[eE]|(?: ?[×x·] ?)?10(?:\^|\*\*|(?=−|⁻?[{_POWERS}]))")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
_DATE = lazy_pattern(r"([0-9]{1,4})([-./])([0-9]{1,2})\2([0-9]{1,4})$")
_YEARS = lazy_pattern(r"([12][0-9])[0-9]{2} ?(?:--?|–|/) ?([0-9]{2})$")
_BEHIND = lazy_pattern(rf"{_GAP}(?:of an? )?([^\W\d_]{{1,30}}|[^\s\w.,;:!?()])")
_ORDINALS = ("st", "nd", "rd", "th", "er", "ère", "ème", "ª")
_DENSE_DATE = lazy_pattern(r" ?[月월] ?([0-9]{1,2})[日号號일]")
_MONTH = lazy_pattern(rf"(?:[.°]|st|nd|rd|th|er)?[ -](?:of |de )?(?!may [a-z]){_WORD}")
_CLOCK = lazy_pattern(r"([01]?[0-9]|2[0-4])[:.]([0-5][0-9])(:[0-5][0-9])?$")
_OCLOCK = lazy_pattern(
    r"""\ ?(?: (?P<half>[ap])(?:m|[.]m[.]?)(?![^\W_])
      | (?: o'clock | uhr | (?P<hours>h|heures?|uur|horas?|ч|час(?:а|ов)?|годин[аи]?|ore|godz) )
        (?=[\W_]|$|(?<=h)[0-5][0-9](?![0-9]))
        (?: [.]?\ ?(?P<minutes>[0-5][0-9])(?:\ ?(?:mn?|(?:min|мин|хв)\w{0,9}))?
          (?![\w:]|[.,][0-9]) )?
      | [时時點点시](?![间間])(?:\ ?(?P<dense>[0-5]?[0-9])[分분])? )""",
    re.IGNORECASE | re.VERBOSE,
)
_HALF = lazy_pattern(r" (?:(?:in the|de la|del?|di|du|de l'|'s) ?)?([^\W\d_]+(?:-midi)?)")
"""The half of the day in words: 5:00 in the morning, 9 Uhr abends."""
_SPOKEN = lazy_pattern(rf"(?: minutes?)? (?:{_WORD} )?([^\W\d_]{{1,30}}|[0-9]{{1,2}}(?![\w:.]))")
_MONEY_BEFORE = lazy_pattern(rf"([^\W\d_]{{0,3}}[{MONEY}]|(?<![^\W_])[^\W\d_]{{2,4}}[.]?) ?[(]?$")
_POWER_OF = r"(?:\^?[23](?!\w)|[²³])?"
_UNIT = lazy_pattern(
    rf"{_GAP}(?!N/A)(?:(?:US|U[.]S[.]) )?(?:(sq(?:uare|[.])?|cu(?:bic|[.])?) )?"
    rf"([%‰]|[{MONEY}](?! ?[0-9])|° ?[CF](?![^\W_])|[′\"](?!\w)|'(?= ?[0-9]{{1,2}}\")"
    rf"|mm\ Hg(?!\w)|p(?:er|or|our)\ (?:ci?ento?|mille)(?!\w)"
    rf"|(?:basis|p[ou]i?n[kt][^\W\d_]{{0,3}})[ -](?:de\ )?[bp][^\W\d_]{{2,15}}"
    rf"|[^\W\d_]{{1,30}}(?![A-Za-z]){_POWER_OF}(?!·))"
)
_PER = lazy_pattern(rf"(?:/| (?:per|pro|par|por|al) )([^\W\d_]{{1,30}}{_POWER_OF})")
_MINUS = lazy_pattern(rf"(?:(?<![\w.°])(?<![0-9°] )(?<!°[CF] )[-−–]|(?<!\w)(?:{'|'.join(MINUS)}))$")
"""Of a temperature; elsewhere "-5 %" and "fell by 5 %" are the same."""
_INNER = lazy_pattern(r" d'(?=\w)|(?: an?| of an?| de)?(?= \S)")
_AND_SHARE = lazy_pattern(rf" (?:and|und|et|y|e|en) (?:a |an |eine |un |una |une )?{_WORD}")
_BETWEEN = lazy_pattern(r" ?(?:,|and|und|et|y|e|en)? ?$")
_TO = lazy_pattern(r" ?(?:([×x]|by)|[-–—]|to|and|or|bis|und|à|et|a|y|e|o|ou) ?$")
_ENGLISH = lazy_pattern(r"\b(?:the|of|and|was|is|are|has|with|for|to|it)\b", re.IGNORECASE)
_CLUES = 5_000
"""Characters of a text that tell its language."""
POINT_LANGUAGES = frozenset("en zh ja ko th hi bn ta he my".split())
"""They put a point before decimals; the others, a comma."""


@dataclass(slots=True, eq=False)
class Number:
    """A number of a text. It is the reader's own until it is returned.

    Args:
        start, end: where its digits or words are.
        first, last: the same with its sign of money, scale, unit, or month.
        plain: the values that it may have without a unit.
        digits: as it is written; "" if it is spelled out.
        scale, units: what follows it, or a number that it is listed with.
        meanings: its kinds, each with a value.
        is_clear: whether it has no other meaning: a number with a unit, a date, a time.
        loose: values that it hardly has: without its scale, or as a word such as "couple".
        after: the word behind it, in lower case.
        is_part: whether it is a part of the number before it: the inches of 6 feet 2 inches.
    """

    start: int
    end: int
    first: int
    last: int
    plain: tuple[float, ...] = ()
    digits: str = ""
    scale: float = 1.0
    units: Sequence[Unit] = ()
    meanings: tuple[Meaning, ...] = ()
    is_clear: bool = False
    loose: tuple[float, ...] = ()
    after: str = ""
    is_part: bool = False

    @property
    def step(self) -> float:
        """Its last digit that is not a closing zero, as a share: 330 was rounded to 10/330."""
        significant = "".join(filter(str.isdecimal, self.digits)).strip("0")
        return 1 / int(significant) if significant and not self.kinds() & EXACT else 0.0

    @property
    def offers(self) -> list[Meaning]:
        """What a text with this number has. The kind "" is a number without one, "any" each."""
        kinds = ("any",) if self.is_clear or not self.digits else ("any", "")
        return [*self.meanings, *((kind, value) for kind in kinds for value in self.plain)]

    @property
    def asks(self) -> list[Meaning]:
        """What a text must have one of to have this number."""
        kind = "" if self.is_clear else "any"
        asked = [(kind, value) for value in self.plain]
        if not self.meanings:
            return asked + [("share", value) for value in self.plain if 0 < value < 1]
        named = [one for one in self.meanings if one[0] != "half" or not self.after]
        beside = [(f"{kind}/", v) for kind, v in named if kind[-1:] != "/"]  # 5 mg: 5 mg a day
        return [(kind.removesuffix("/"), value) for kind, value in named] + beside + asked

    def kinds(self) -> frozenset[str]:
        return frozenset([kind for kind, _ in self.meanings])

    def mean(
        self, *meanings: Meaning, plain: tuple[float, ...] = (), last: int = 0, after: str = ""
    ) -> Number:
        """It with these as its only meanings, besides a number without a unit."""
        self.meanings, self.plain, self.is_clear = meanings, plain, True
        self.last, self.after = last or self.last, after
        return self


def find_numbers(text: str, *, in_words: bool = True, language: str = "") -> list[Number]:
    """The numbers of ``text``, in digits and also in words, in order. Takes linear time.

    Args:
        language: of what stands around it, which says what 1.200 is where the text does not.
    """
    plain = text if text.isascii() else usual_signs(text)
    found = [*_in_digits(plain, language)]
    if in_words and (spelled := [*_in_words(plain)]):
        found = sorted(found + spelled, key=attrgetter("start", "end"))
    return _joined(plain, found) if len(found) > 1 else found


def is_year(value: float) -> bool:
    """Whether a number may be a year."""
    return FIRST_YEAR <= value <= LAST_YEAR and value == int(value)


def usual_signs(text: str) -> str:
    """A text with the digits of all scripts as 0 to 9, and usual spaces and quotes, in place."""
    return _OTHER_DIGITS.sub(lambda sign: str(digit(sign[0])), text.translate(_USUAL))


@cache
def _telling() -> frozenset[str]:
    """The words, in lower case, that say what the number before or behind them is."""
    more = [*_ORDINALS, *"of de us u sq square cu cubic mm".split()]
    return words_of("beside").union(valued("scales"), valued("months"), unit_names(), more)


# ---------------------------------------------------------------- in digits


def _in_digits(text: str, language: str) -> Iterator[Number]:
    for found in _NUMBER.finditer(text):
        digits, (start, end) = found[0], found.span()
        if text[start - 1 : start] == "." and _POINT_FIRST.search(text, max(start - 2, 0), start):
            digits, start = f".{digits}", start - 1
        number = Number(start, end, start, end, (), digits)
        if len(digits) > MAX_DIGITS:
            yield number.mean((f"written {digits}", 0.0))
            continue
        if digits.isdecimal():
            number.plain = (float(digits),)
        elif date := _DATE.match(digits):
            yield from _date(date, number)
            continue
        elif years := _YEARS.match(digits):  # 1998/99
            plain = (float(f"{years[1]}{years[2]}"), float(years[2]))
            yield Number(start, start + 4, start, start + 4, (float(digits[:4]),), digits[:4])
            yield Number(end - 2, end, end - 2, end, plain, years[2])
            continue
        elif ":" not in digits:
            number.plain = _values(digits, text, language)
        _tell(text, number)
        yield number


def _tell(text: str, number: Number) -> None:
    """Says what a number is, by what stands around it."""
    start, digits, values = number.start, number.digits, number.plain
    near = text[max(start - NEAR, 0) : start]
    last = number.end + (near[-1:] == "(" and text[number.end : number.end + 1] == ")")
    behind = _BEHIND.match(text, last)
    word = behind[1].casefold() if behind else ""
    before = (near.split() or [""])[-1].strip("(.")
    number.after = word if word.isalpha() else ""
    is_plain = number.after and near[-1:] in " \n(" and ":" not in digits and word < FIRST_DENSE
    if is_plain and _telling().isdisjoint((word, before.casefold())):
        return
    may_be_time = word in words_of("beside") or word >= FIRST_DENSE or ":" in digits
    if len(values) > 1 and digits.count(".") > 1:  # a version
        number.loose = values
        number.mean((f"written {digits}", 0.0))
    elif len(digits) == 2 and near[-2:] in ("'", " '", "('"):  # '24
        number.first, number.loose = start - 1, values
        number.plain = tuple(century + values[0] for century in (2000, 1900))
    elif (may_be_time and _time_of_day(text, number)) or _day_of_month(text, number, before):
        return
    elif text.startswith(_ORDINALS, number.end) and number.after in _ORDINALS:
        number.loose = values
        number.mean(("order", values[0]), last=number.end + len(number.after))
    else:
        paid: Sequence[Unit] = ()
        may_be_paid = near.rstrip(" (")[-1:] in MONEY or money_of(before)
        if may_be_paid and (sign := _MONEY_BEFORE.search(near)):
            paid = money_of(sign[1].rstrip(".")) or money_of(sign[1][-1])
            number.first = start - len(near) + sign.start() if paid else start
        number.last = last
        _measure(text, number, paid)


def _day_of_month(text: str, number: Number, before: str) -> bool:
    """Whether it is a day of the month that stands behind it or before it, which it then is."""
    months, days, last = valued("months"), number.plain, number.end
    if len(number.digits) > 2 or days[0] > 31:
        return False
    dense, behind = _DENSE_DATE.match(text, last), _MONTH.match(text, last)
    if dense:  # 3月15日
        number.mean(("date", 100 * days[0] + float(dense[1])), last=dense.end())
        return True
    if behind and (month := months.get(behind[1].casefold())):
        last = behind.end()
    elif month := text[number.start - 1] != "\n" and months.get(before.casefold()):
        number.first = text.rindex(before, 0, number.start)
    else:
        return False
    number.mean(("date", 100 * month + days[0]), plain=days, last=last)
    return True


def _values(digits: str, text: str, language: str) -> tuple[float, ...]:
    """What these digits may mean in a text."""
    if digits.isdecimal():
        return (float(digits),)
    whole, _, share = digits.rpartition(" ")
    if "/" in share and whole:  # 1 1/2
        return (_values(whole, text, language)[0] + _values(share, text, language)[0],)
    if "/" in digits:
        parts = [_values(part, text, language)[0] for part in digits.split("/")]
        return (_exact(parts[0] / (parts[1] or 1)), *parts)
    if part := numeric(digits[-1], 0) % 1:  # 2½
        whole = digits[:-1].strip(" .,")
        return (part + (_values(whole, text, language)[0] if whole else 0),)
    if power := _POWER.search(digits):
        exponent = int(digits[power.end() :].translate(_SUPERSCRIPTS))
        mantissa = _values(digits[: power.start()].rstrip(" .") or "1", text, language)
        return tuple(_exact(value * 10.0**exponent) for value in mantissa)
    digits = digits.replace("'", "").replace("_", "").replace(" ", "").replace("·", ".")
    head, *rest = digits.replace(",", ".").split(".")
    head = head or "0"
    if not rest:
        return (float(head),)
    decimal, grouped = float(f"{head}{''.join(rest[:-1])}.{rest[-1]}"), float(head + "".join(rest))
    if "." in digits and "," in digits:
        return (decimal,)
    are_groups = len(rest[-1]) == 3 and all(len(part) in (2, 3) for part in rest)
    if not are_groups or head == "0" or len(head) > 3:
        return (decimal,) if len(rest) == 1 else (float(head), *map(float, rest))
    found = _language_of(text, language)
    if len(rest) > 1 or ("," in digits and found in {*POINT_LANGUAGES, ""}):
        return (grouped,)
    # A comma groups in Mexico and in English tables too, and three decimals are rare.
    if "," in digits or not found:
        return (decimal, grouped)
    return (decimal,) if found in POINT_LANGUAGES else (grouped,)


def _language_of(text: str, language: str) -> str:
    """The language of a text, or that of what stands around it where it does not tell."""
    found = find_language(text[:_CLUES])  # it keeps what it is given for a while
    return language if found == "en" and not _ENGLISH.search(text, 0, _CLUES) else found


def _exact(value: float) -> float:
    """A value without the error of its calculation."""
    return value if value.is_integer() and value < 1e14 else float(f"{value:.14g}")


# ---------------------------------------------------------------- dates and times


def _date(date: re.Match[str], number: Number) -> Iterator[Number]:
    """A date in digits: its day and month, and its year."""
    one, sign, two, three = date.groups()
    year, at = (one, number.start) if len(one) == 4 else (three, number.end - len(three))
    pairs = [(two, three)] if year is one else [(two, one)] + [(one, two)] * (sign != ".")
    known = [(int(m), int(d)) for m, d in pairs if 0 < int(m) < 13 and 0 < int(d) < 32]
    if not known or len(one) == 3 or (len(year) < 4 and sign != "/"):
        number.loose = tuple(float(part) for part in (one, two, three))
        yield number.mean((f"written {date[0]}", 0.0))
        return
    days = tuple(float(day) for _, day in known)
    yield number.mean(*(("date", 100.0 * month + day) for month, day in known), plain=days)
    century = 0 if len(year) == 4 else 1900 if int(year) > 50 else 2000
    yield Number(at, at + len(year), at, at + len(year), (float(century + int(year)),), year)


def _time_of_day(text: str, number: Number) -> bool:
    """Whether it is a time of day, which it then is: 17:30, 5.30 pm, 17h30, 9 Uhr, half past two.

    Without its half of the day it may be in either, up to 12.
    """
    digits = number.digits
    sign, written = _OCLOCK.match(text, number.end), _CLOCK.match(digits)
    half, last = (sign["half"] or "", sign.end()) if sign else ("", number.end)
    if written and (":" in digits or sign):
        hours, minutes = float(written[1]), float(written[2])
    elif sign and (not digits or digits.isdecimal()):
        hours = float(digits or number.plain[0])
        share, last = (0.0, last) if half else _and_share(text, last)  # une heure et demie
        minutes = float(sign["minutes"] or sign["dense"] or 60 * share)
    elif spoken := None if digits else _spoken(text, number):
        hours, minutes, last = spoken
    else:
        return False
    if hours > 24:
        return False
    if not half and (text[last : last + 1] == " " or text[number.start - 1] >= FIRST_DENSE):
        behind, known = _HALF.match(text, last), valued("halves")
        beside = (text[max(number.start - 2, 0) : number.start], behind[1] if behind else "")
        half = next(("ap"[int(known[w])] for w in map(str.casefold, beside) if w in known), "")
    half = half.lower()
    time = 60 * (hours % 12 + 12 * (half == "p") if half else hours) + minutes
    meanings: list[Meaning] = [("clock", time)]
    if half or (hours <= 12 and digits[:1] != "0"):  # 09:00 is in the morning
        meanings.append(("half", time % 720))
    if sign and sign["hours"]:
        meanings.append(("time", 60 * (60 * hours + minutes)))
    may_be_range = not (sign or digits) and number.plain[0] >= 1  # eight to twelve weeks
    plain = number.plain if may_be_range else () if minutes else (hours,)
    number.mean(*meanings, plain=plain, last=last, after=half)
    return True


def _spoken(text: str, number: Number) -> tuple[float, float, int] | None:
    """A time such as "half past two" or "halb drei"."""
    if not (found := _SPOKEN.match(text, number.end)):
        return None
    is_before = text[number.start : number.end].casefold() == "halb"
    place, value = 1 if is_before and found[1] else 2, number.plain[0]
    side = -1 if is_before else valued("past").get((found[1] or "").casefold(), 0)
    word = found[place]
    hour = float(word) if word.isdecimal() else valued("spelled").get(word.casefold(), 0)
    minutes = side * (60 * value if value < 1 else value)
    return (hour, minutes, found.end(place)) if side and 0 < hour <= 12 else None


# ---------------------------------------------------------------- in words


def _in_words(text: str) -> Iterator[Number]:
    for start, end, value, sort in spelled_numbers(text):
        if text[max(start - 2, 0) : start].strip()[-1:].isdecimal():
            continue  # 1.2 million, which is read in digits
        value = _exact(value)
        number = Number(start, end, start, end, (value,))
        if sort == "clock":
            number.loose = (value // 60,)
            number.mean(("clock", value), ("half", value % 720))
        elif sort == "order":
            number.loose = (value,)
            number.mean(("order", value))
        elif sort == "loose":
            number.plain, number.loose = (), (value, value - 1) if value > 1 else (value,)
        elif not _time_of_day(text, number):
            inner = _INNER.match(text, end) if sort == "share" else None  # half a mile
            is_enclosed = text[end : end + 1] == ")" and text[start - 1 : start] == "("
            number.last = inner.end() if inner else end + is_enclosed
            _measure(text, number)
            if sort == "share" and not number.meanings:
                number.meanings = (("share", value),)
        yield number


# ---------------------------------------------------------------- with a unit


def _measure(text: str, number: Number, paid: Sequence[Unit] = ()) -> None:
    """Reads the scale behind a number, and what it measures or costs.

    Args:
        paid: the money that stands before it.
    """
    begin = number.last
    for _ in range(2):  # five lakh crore
        behind = _BEHIND.match(text, number.last)
        said = behind[1] if behind else ""
        is_dense = said >= FIRST_DENSE
        word = _known(said, valued("scales").get) if is_dense else said.casefold()
        scale, end = valued("scales").get(word), behind.start(1) + len(word) if behind else 0
        if not scale or (text[end : end + 1].isdecimal() and not is_dense):
            break
        # 3M, 3K and 3B are millions, thousands and billions; 3 m, 3m and 3 K are not.
        is_glued = said in ("M", "K", "B") and end == number.last + 1
        is_money = paid or is_glued or money_of(_units(text, end)[2])
        if not is_money and units_of(said):
            break
        number.loose, number.last, number.scale = number.loose or number.plain, end, scale
        number.plain = tuple(_exact(value * scale) for value in number.plain)
    units, last, word = (paid, number.last, "") if paid else _units(text, number.last)
    values = number.plain
    if units and values[0] < 1 and values[2:] and values[2] in (2, 4, 8, 16):  # 3/8 inch
        number.plain = values[:1]
    _in_units(text, number, units, number.plain)
    if units and not paid and values[0] == int(values[0]):
        share, last = _and_share(text, last)
        if share:  # an hour and a half
            _in_units(text, number, units, [value + share for value in values])
            number.plain = ()
    number.after = word.casefold()
    number.is_clear = bool(units) and number.after not in words_of("unclear units")
    number.last = number.end if last == begin else last


def _in_units(text: str, number: Number, units: Sequence[Unit], values: Sequence[float]) -> None:
    """Says what a number with these units means. Of a temperature its sign belongs to it."""
    if units and units[0].kind == "temperature":
        minus = _MINUS.search(text, max(number.first - NEAR, 0), number.first)
        number.first = minus.start() if minus else number.first
        values, number.is_clear = [-value for value in values] if minus else values, True
    number.units = units
    number.meanings = tuple((u.kind, _exact((v - u.zero) * u.size)) for u in units for v in values)


def _known(word: str, find: Callable[[str], object]) -> str:
    """Of letters of a script without spaces, the most that ``find`` knows."""
    return next((word[:n] for n in range(MOST_DENSE, 0, -1) if find(word[:n])), "")


def _and_share(text: str, end: int) -> tuple[float, int]:
    """The share of the unit that ends there which is added to it, and where that ends."""
    more = _AND_SHARE.match(text, end)
    share = valued("fractions").get(more[1].casefold()) if more else None
    return (1 / share, more.end()) if more and share else (0.0, end)


def _units(text: str, end: int) -> tuple[Sequence[Unit], int, str]:
    """The units that stand behind a number, where they end, and the word there.

    What stands before "per" is a unit too, of another kind: of 5 mg/ml, "mass/" beside
    "mass/volume". So it is neither 5 mg/l nor 5 mg/kg, but 5 mg.
    """
    found = _UNIT.match(text, end)
    if not found or (found[2] == "s" and found.start(2) == end):  # the 1960s
        return [], end, ""
    name, last = found[2].replace(" ", "").replace("-", ""), found.end()
    if name >= FIRST_DENSE:
        name = _known(name, units_of)
        last = found.start(2) + len(name)
    square = "" if not found[1] else "2" if found[1][0] == "s" else "3"
    units, ratios = units_of(f"{name}{square}"), list[Unit]()
    while units and (per := _PER.match(text, last)) and (under := units_of(per[1])):
        ratios += [u._replace(kind=f"{u.kind}/") for u in units]
        units = tuple(Unit(f"{u.kind}/{d.kind}", u.size / d.size) for u in units for d in under)
        last = per.end()
    return [*units, *ratios], last if units else end, name.rstrip("^23²³")


def _joined(text: str, numbers: list[Number]) -> list[Number]:
    """The numbers, and before two units side by side their sum: "6 feet 2 inches".

    The first of two may have the scale and the unit of the second: "5 to 10 mg".
    """
    joined, covered = numbers[:1], numbers[0].last
    for one, two in pairwise(numbers):
        if two.first - one.last < 6:
            if one.plain and two.plain and not (one.loose or EXACT & (one.kinds() | two.kinds())):
                _list(text, one, two)
            if (whole := _sum_of(text, one, two)) and not one.is_part:
                one.is_part, covered = True, two.last
                joined.insert(-1, whole)
        two.is_part = two.last <= covered
        covered = max(covered, two.last)
        joined.append(two)
    return joined


def _sum_of(text: str, one: Number, two: Number) -> Number | None:
    """Two numbers with units of one kind, of which the second goes on with the first."""
    small = {kind: value for kind, value in two.meanings if kind not in NOT_JOINED}
    shared = [(kind, v, small[kind]) for kind, v in one.meanings if v > small.get(kind, v)]
    are_one = shared and one.is_clear and one.after != two.after
    if not are_one or not _BETWEEN.match(text, one.last, two.start):
        return None
    whole = Number(one.start, two.last, one.first, two.last, (), one.digits + two.digits)
    return whole.mean(*((kind, _exact(large + small)) for kind, large, small in shared))


def _list(text: str, one: Number, two: Number) -> None:
    """Adds to what a number means what it is with the scale and the unit of the next one."""
    to, values = _TO.match(text, one.last, two.first), one.plain
    if not to or (to[1] and values[0] <= 10):  # 2 x 500 mg
        return
    if (scale := two.scale) > 1:
        one.plain += tuple(_exact(value * scale) for value in values)
    if not one.meanings or scale > 1:
        _in_units(text, one, one.units or two.units, one.plain[len(values) :] or values)
