"""The entries of a JSON reply, whatever its wrapper and the names of its keys.

The rule: an object that names a label is an entry; everything that holds entries is a wrapper, and a wrapper's own words are
ignored, unless they deny what the entries say. Under and beside a key that denies ("unsupported", "errors") nothing is supported.
Entries of all values of a reply are kept, in order: which of two that disagree is meant is never decided here.
Keys arrive reduced to lower-case letters and digits (see ``json_text.loads``).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..text.strings import clean_text
from .json_values import Found, find_values
from .labels import parse_label
from .raw_verdict import RawVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..records.model import Label

    Labels = Mapping[str, Label] | None


def _keys(words: str) -> tuple[str, ...]:
    return tuple(words.split())


# Under these a scalar is the entry's label: words first; then questions, which want a yes or a no;
# then what is a label only where none of the others is there.
_WORD_KEYS = frozenset(
    _keys("label verdict finallabel finalverdict judgement judgment classification")
)
_QUESTION_KEYS = frozenset(
    _keys(
        """supported issupported faithful isfaithful attributed isattributed attributable isattributable entailed isentailed
        grounded isgrounded"""
    )
)
_WEAK_KEYS = frozenset(_keys("status answer result decision conclusion prediction assessment"))
_LABEL_KEYS = _WORD_KEYS | _QUESTION_KEYS | _WEAK_KEYS

_ID_KEYS = _keys(
    "id statementid claimid sentenceid statementnumber claimnumber statementindex claimindex number num no index idx"
)
_STATEMENT_KEYS = _keys("statement claim text sentence fact")
_NAMES = frozenset(_ID_KEYS + _STATEMENT_KEYS)
_REASON_KEYS = _keys("reason explanation rationale justification reasoning analysis")
_QUOTE_KEYS = _keys("quote quotes evidencetext supportingtext")
# Pure evidence, and what may as well be a wrapper of entries.
_PROOF_KEYS = _keys("evidence evidences evidenceids citation citations")
_EVIDENCE_KEYS = _PROOF_KEYS + _keys(
    "source sources sentences sentenceids supportingsentences reference references"
)
_MATERIAL_KEYS = _EVIDENCE_KEYS + _QUOTE_KEYS
# What stands under these is the judge's material and never a verdict.
_CLOSED_KEYS = frozenset(
    _REASON_KEYS
    + _QUOTE_KEYS
    + _PROOF_KEYS
    + _keys("context contexts passages")
    + _keys(
        "draft drafts example examples input inputs thinking thought thoughts reflection scratchpad"
    )
)
_MUSING = re.compile(
    "think|thought|draft|example|scratch|reflection|reasoning"
)  # as a part of a key: "chain_of_thought"
# A list or map of plain words under these holds texts, numbers or choices.
_TEXT_KEYS = (
    _CLOSED_KEYS
    | frozenset(_EVIDENCE_KEYS + _STATEMENT_KEYS + _ID_KEYS)
    | frozenset(
        _keys(
            "statements claims facts truths ids reasons score scores question questions enum options choices allowed required examples"
        )
    )
)
# A list or map of bare words ("yes", true) holds verdicts under these only, one of 1 and 0 under the first of them.
_NUMBERS_KEYS = frozenset(
    _keys(
        "verdict verdicts finalverdicts label labels judgement judgements judgment judgments answers results"
    )
)
_PLAIN_KEYS = (
    _NUMBERS_KEYS
    | _LABEL_KEYS
    | frozenset(
        _keys(
            "finallabels classifications decisions conclusions predictions assessments items entries output outputs response data json"
        )
    )
)
# Keys that deny: what stands under them is not supported, and an entry that has one with a value is not either.
_DENIES = re.compile(
    r"contradict|unsupport|not\w{0,12}(?:support|entail|ground|faith|verif|attrib)|hallucin|error|refut|fabricat|missing|false|unverif|unfaith"
    r"|unground|unattrib|conflict|incorrect|inaccura|inconsist|disput|disprov|invent|extrinsic|violat|wrong|rejected|invalid"
)
_FAILED = re.compile(r"error(?:s|message|text|code|detail|details|type)?|exception|failure")
_LATER_LABEL = re.compile(
    r"(?:final|overall|corrected|revised|actual|true|real|updated|new)\w{0,20}"
)
_OTHER_LABEL = re.compile(
    r"\w{0,20}(?:label|verdict|judge?ment|classification|decision)\d|\w{1,20}(?:label|verdict|judge?ment|classification|decision)"
    r"|(?:is)?(?:correct|accurate|true|valid|consistent)"
)
_PACKED_KEYS = frozenset(_keys("arguments parameters output result data json verdicts"))
NEGATIVE: frozenset[Label | None] = frozenset({"not_enough_info", "contradicted"})
# The key of what stands in prose: a bare list there is a footnote, [1], or a choice, ["yes", "no"].
_PROSE = "(prose)"

_ID = re.compile(
    r"(?:(?:statement|claim|sentence|verdict|no|s|c|v|#)(?:[\s_.#]{0,3}|-))?(\d{1,9})[.):]?",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"[\[(]?\s*[Ss]?\d{1,9}(?:\s?[,;]\s?[Ss]?\d{1,9})*\s*[\])]?")
_LABEL_KEY = re.compile(
    r"""["'](?:""" + "|".join(sorted(_WORD_KEYS | _QUESTION_KEYS)) + r""")\\?["']\s*:""",
    re.IGNORECASE,
)


def entries(found: Found, labels: Labels = None) -> tuple[RawVerdict, ...]:
    """The verdicts that the JSON of a reply holds; () where there is none."""
    alone = not found.broken and not re.search(r"\w", "".join(found.around).replace("json", ""))
    result = [
        entry
        for value in found.values
        for entry in _walk(value, "" if alone else _PROSE, None, labels)
    ]
    if not result:
        result = [
            entry
            for value in found.values
            for packed in _packed(value)
            for entry in _walk(packed, _PROSE, None, labels)
        ]
    told = any(entry.label or entry.id is not None or entry.statement for entry in result)
    return tuple(result) if told else ()


def lost(found: Found) -> bool:
    """Whether verdicts stand in what could not be parsed: keys that carry labels, outside of all values."""
    return any(_LABEL_KEY.search(piece) for piece in (*found.around, *found.broken))


def read_id(value: object) -> int | None:
    """A statement's number: 3, "3", "S3", "statement_3". True is no number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _ID.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 40 else None
    return int(match[1]) if match else None


def _walk(value: Any, key: str, near: int | None, labels: Labels) -> list[RawVerdict]:
    """The entries in ``value``, which stands under ``key`` in an object with the id ``near``."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if isinstance(value, dict):
        return _from_object(value, key, near, labels)
    if not isinstance(value, list):
        return []
    if _plain_list(value):
        return _from_plain_list(value, key, near, labels)
    found = [_walk(item, key, near, labels) for item in value]
    if not any(found):
        return []
    # Beside entries, an item that names no label still holds its place.
    return [
        entry
        for item, entries in zip(value, found, strict=True)
        for entry in entries or [_entry(item, near, None)]
    ]


def _from_object(
    value: dict[str, Any], key: str, near: int | None, labels: Labels
) -> list[RawVerdict]:
    own = _own_id(value)
    near = near if own is None else own
    inner = [
        entry
        for name, item in value.items()
        if isinstance(item, dict | list) and name not in _CLOSED_KEYS and not _MUSING.search(name)
        for entry in _under(name, item, key, near, labels)
    ]
    if len(value) == 1 and inner:
        return inner  # a wrapper without a word of its own
    inner += _from_map(value, key, labels)
    named = own is not None or _statement(value) != ""
    if inner and named and _own_label(value, labels):
        # A verdict on this statement that holds verdicts: which of them is meant cannot be known.
        return [_entry(value, near, None)]
    if inner:
        return (
            [replace(entry, label=None) for entry in inner]
            if _overruled(value, inner, labels)
            else inner
        )
    if not _is_entry(value, named):
        return []
    label = _own_label(value, labels)
    return [_entry(value, near, None if _denied(value, label) else label)]


def _under(name: str, item: Any, outer: str, near: int | None, labels: Labels) -> list[RawVerdict]:
    """The entries in ``item``, which stands under ``name`` in what stands under ``outer``. A number is no key but that of its map."""
    number = read_id(name)
    home = name if number is None else "items" if _opens(outer) else outer
    found = _walk(item, home, near if number is None else number, labels)
    return (
        [replace(entry, label=None) for entry in found] if found and _DENIES.search(name) else found
    )


def _holds(item: Any) -> bool:
    """Whether the value of a key that denies says anything: neither false, nor empty, nor "none"."""
    if isinstance(item, str):
        return parse_label(item) not in NEGATIVE and item.strip(" .-").casefold() not in (
            "",
            "none",
            "n/a",
            "na",
            "null",
            "nothing",
        )
    return bool(item)


def _denied(value: dict[str, Any], label: Label | None) -> bool:
    """Whether keys beside the label deny it, or say that judging failed."""
    if any(_FAILED.fullmatch(name) and _holds(item) for name, item in value.items()):
        return True
    if label in NEGATIVE:
        return False
    denials = [item for name, item in value.items() if _DENIES.search(name) and _holds(item)]
    if label == "partially_supported":  # which may well have unsupported parts
        return any(parse_label(item) == "supported" for item in denials)
    return bool(denials)


def _overruled(value: dict[str, Any], inner: list[RawVerdict], labels: Labels) -> bool:
    """Whether a wrapper says that judging failed, or has a label of its own that is the opposite of all that it holds."""
    if any(
        _FAILED.fullmatch(name) and isinstance(item, str | bool) and _holds(item)
        for name, item in value.items()
    ):
        return True
    kinds = {entry.label in NEGATIVE for entry in inner if entry.label in (*NEGATIVE, "supported")}
    told = {
        name: item
        for name, item in _told(value, _LABEL_KEYS).items()
        if isinstance(item, str) or name not in _WEAK_KEYS
    }
    said = {parse_label(item, labels) for item in told.values()}
    no = bool(said & NEGATIVE) or any(
        _DENIES.search(name) and parse_label(item) == "supported" for name, item in value.items()
    )
    return (kinds == {False} and no) or (kinds == {True} and said == {"supported"})


def _is_entry(value: dict[str, Any], named: bool) -> bool:
    told = _told(value, _LABEL_KEYS)
    if named or not told:
        return bool(told)
    # Without a number or a text, {"supported": 1} may be a tally, {"status": true} an envelope,
    # and a word beside an empty list the sum of nothing.
    clear = any(
        name in _WORD_KEYS
        or isinstance(item, str)
        or (isinstance(item, bool) and name in _QUESTION_KEYS)
        for name, item in told.items()
    )
    wrapper = any(
        isinstance(item, dict | list) and name not in _EVIDENCE_KEYS and name not in _CLOSED_KEYS
        for name, item in value.items()
    )
    return clear and not wrapper


def _told(value: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {
        name: item
        for name, item in value.items()
        if name in names and not isinstance(item, dict | list)
    }


def _own_label(value: dict[str, Any], labels: Labels) -> Label | None:
    """The one label that an object's keys agree on."""
    words, answers, weak = (
        {parse_label(item, labels) for item in _told(value, names).values()}
        for names in (_WORD_KEYS, _QUESTION_KEYS, _WEAK_KEYS)
    )
    said = words | (weak - {None}) | (_asides(value, labels) if words or answers or weak else set())
    # Beside a word, the answer "no" to the question whether it is supported adds nothing.
    if not (words and answers == {"not_enough_info"} and "supported" not in said):
        said |= answers
    return said.pop() if len(said) == 1 else None


def _asides(value: dict[str, Any], labels: Labels) -> set[Label | None]:
    """What keys say that are no label by themselves but may speak against one: "corrected_label", "correct"."""
    others = {
        name: parse_label(item, labels)
        for name, item in value.items()
        if name not in _LABEL_KEYS and _OTHER_LABEL.fullmatch(name)
    }
    return {
        label for name, label in others.items() if label in NEGATIVE or _LATER_LABEL.fullmatch(name)
    }


def _entry(value: Any, near: int | None, label: Label | None) -> RawVerdict:
    if not isinstance(value, dict):
        return RawVerdict(near)
    own = _own_id(value)
    statement = _statement(value)
    if own is None and not statement and any(value.get(name) is not None for name in _ID_KEYS):
        label = (
            None  # numbered in a way that we cannot read: its place in the list is no substitute
        )
    numbers, quotes = _evidence(value)
    return RawVerdict(
        near if own is None else own,
        statement,
        label,
        numbers,
        _first_string(value, _REASON_KEYS),
        quotes,
    )


def _own_id(value: dict[str, Any]) -> int | None:
    if _NAMES.isdisjoint(value):
        return None
    given = [value[name] for name in _ID_KEYS if value.get(name) is not None]
    if given:
        return read_id(given[0])
    return next(
        (
            number
            for name in _STATEMENT_KEYS
            if name in value and (number := read_id(value[name])) is not None
        ),
        None,
    )


def _statement(value: dict[str, Any]) -> str:
    return _first_string(value, _STATEMENT_KEYS)


def _first_string(value: dict[str, Any], names: tuple[str, ...]) -> str:
    return clean_text(next((value[name] for name in names if isinstance(value.get(name), str)), ""))


def _evidence(value: dict[str, Any]) -> tuple[tuple[int, ...], str]:
    numbers: list[int] = []
    quotes: list[str] = []
    for item in _scalars([value[name] for name in _MATERIAL_KEYS if name in value]):
        if isinstance(item, int) and not isinstance(item, bool):
            numbers.append(item)
        elif isinstance(item, str) and _NUMBERS.fullmatch(item.strip()):
            numbers += map(int, re.findall(r"\d+", item))
        elif isinstance(item, str) and item.strip():
            quotes.append(" ".join(item.split()))
    return tuple(numbers), clean_text("\n".join(quotes))


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _scalars(item)
    else:
        yield value


# ---------------------------------------------------------------- words without objects


def _opens(key: str) -> bool:
    """Whether bare words under ``key`` are verdicts; under one that denies they are entries without a label."""
    return key not in _TEXT_KEYS and (
        key in ("", _PROSE) or key in _PLAIN_KEYS or _DENIES.search(key) is not None
    )


def _plain_list(value: Any) -> bool:
    """A list of scalars of one type (null beside them): [true, false], ["yes", "no"], [1, 0]. [1, "no"] is a pair, not a list."""
    kinds = {type(item) for item in value if item is not None} if isinstance(value, list) else set()
    return len(kinds) == 1 and kinds <= {bool, str, int}


def _from_plain_list(
    value: list[Any], key: str, near: int | None, labels: Labels
) -> list[RawVerdict]:
    numbers = any(
        type(item) is int or (isinstance(item, str) and item.strip().isdecimal()) for item in value
    )
    if not _opens(key) or key == _PROSE or (numbers and key and key not in _NUMBERS_KEYS):
        return []
    found = [parse_label(item, labels) for item in value]
    return [RawVerdict(near, label=label) for label in found] if any(found) else []


def _from_map(value: dict[str, Any], key: str, labels: Labels) -> list[RawVerdict]:
    """{"1": "yes", "2": "no"}"""
    if not _opens(key):
        return []
    found = [
        (number, parse_label(item, labels))
        for name, item in value.items()
        if not isinstance(item, dict | list) and (number := read_id(name)) is not None
    ]
    return (
        [RawVerdict(number, label=label) for number, label in found]
        if any(label for _, label in found)
        else []
    )


def _packed(value: Any, key: str = "") -> Iterator[Any]:
    """JSON that stands inside a string, as the arguments of a tool call do."""
    if key in _CLOSED_KEYS or _MUSING.search(key) or _DENIES.search(key):
        return
    if isinstance(value, str) and key in _PACKED_KEYS and value.lstrip()[:1] in ("{", "["):
        yield from find_values(clean_text(value)).values
    elif isinstance(value, dict | list):
        for name, item in (
            value.items() if isinstance(value, dict) else [(key, item) for item in value]
        ):
            yield from _packed(item, name)
