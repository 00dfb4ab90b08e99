"""Whether a sentence claims nothing: it is talk between the writer and the reader.

A judge may set aside what claims nothing, but it may also try to set aside what it should judge.
A fact says something of a third thing, that is neither the writer, the reader, the answer nor its
source. So a sentence claims nothing in four forms: it only names (a citation, a label, a heading);
it asks; it announces what follows; or each of its parts makes a move of talk (greeting, thanks,
wish, offer, request, rating, …), behind which at most a topic is named: "a question about the fee".
What may be such a move is a closed list. In doubt a sentence claims something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise, takewhile

from .citations import any_of, is_reference
from .headings import has_verb, is_short_answer, without_step
from .languages import find_language
from .phrases import plain
from .strings import alternatives, is_blank, lazy_pattern, word_lists
from .talk_words import (
    VERB_LAST,
    Word,
    has,
    has_number,
    is_dense,
    parts_of,
    text_of,
    unknown,
    words_of_part,
)

LONGEST = 400
"""Characters. A longer sentence says something."""
_TOPIC = 8
"""Words of the longest topic."""
_NAME = 8
"""Words of the longest greeting with a name, a title and a place."""

_QUESTION = ("?", "？", "؟")
_BEHIND_QUESTION = " .…"
"""What careless writers put behind the mark."""
_COLON = (":", "：")
_BEHIND_STEP = (*".):、–—-",)
"""What stands behind the number of a heading, so that the heading is no part of it."""
_URL = lazy_pattern(r"https?://\S{1,2000}$")
_VALUE = lazy_pattern(r"\d|[:：=]\s*\w|[.。।|;]$")
_AMOUNT = lazy_pattern(
    r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{3}|\d[.,]\d|\d\s?[%‰°€$£¥₩₫₽]|[€$£¥]\s?\d"
)
_LABELLED = lazy_pattern(r"[:：]\s*\w")
_YEAR = lazy_pattern(r"(?:19|20)\d\d")
_DATE = lazy_pattern(r"(?:19|20)\d\d|\d{1,2}")
_FILES = lazy_pattern(
    r"(?:\[\w{1,4}\] ?)?[^:：\n]{1,30}[:：]\W{0,9}(?:https?://\S{1,300}|[\w./\\-]{1,100}\.(?:pdf|docx?|md|txt|html?"
    r"|csv|xlsx?|json|pptx?))(?:\W.{0,200})?"
)
"""A label and the name of a file, or an address."""
_LAW = lazy_pattern(
    r"「[^「」]{1,80}」(?:(?:\s?제|\s)\d{1,4}[조항호](?:의\s?\d{1,3})?|\s?\([^()]{1,40}\)){0,9}"
)


def claims_nothing(sentence: str, *, is_item: bool = False, is_asked: bool = False) -> bool:
    """Whether a sentence claims nothing. In doubt it does claim something.

    Args:
        sentence: a statement of an answer.
        is_item: it is an item of a list or a row of a table, where a name alone says something.
        is_asked: there is a question, to which "Yes, it is." says something.
    """
    said = " ".join(sentence.split()).strip("*_>#~| ")
    if len(sentence) > LONGEST or is_blank(said):
        return False
    if is_reference(said) or _names_source(said):
        return True
    said = _URL.sub("", said).strip("\"'“”„«» ")
    if asks(said):
        return _only_asks(said)
    if said.endswith(_COLON) and announces(said):
        return True
    is_value = is_item or _LABELLED.search(said) is not None
    return (not is_item and _only_names(said)) or _only_talks(said, is_value, is_asked=is_asked)


def may_be_set_aside(
    text: str, texts: Iterable[str], *, is_item: bool = False, is_asked: bool = False
) -> bool:
    """Whether a statement claims nothing, or nothing that is not judged with others.

    What a lead-in claims is judged with each statement of ``texts`` under it, which repeats it.
    """
    if text.endswith(_COLON) and any(f"{text} " in said for said in texts):
        return True
    return claims_nothing(text, is_item=is_item, is_asked=is_asked)


# ---------------------------------------------------------------- it names, asks or announces


def _names_source(said: str) -> bool:
    """Whether a line names where something comes from: ``Source: guide.pdf, p. 3``."""
    if said[0] == "「" and _LAW.fullmatch(said):
        return True
    label = _source_label().match(said) or _FILES.fullmatch(said)
    if not label or said.endswith("。"):
        return False
    if label.re is not _source_label():
        return not has_verb(re.sub(r"\W|\d", " ", _URL.sub("", said)))
    rest = re.sub(r"[^\w\s]|\d", " ", said[label.end() :]).strip()
    words = words_of_part(rest)
    return len(words) <= 2 * _NAME if is_dense(words) else not has_verb(rest)


@cache
def _source_label() -> re.Pattern[str]:
    words = f"{any_of('sources')}|{any_of('source lines')}"
    return re.compile(rf"\W{{0,9}}(?:{words})\W{{0,9}}[:：]", re.IGNORECASE)


def _only_names(said: str) -> bool:
    """Whether a line has no verb, and neither the end of a sentence nor a number nor a value."""
    topic = without_step(said)
    if said[: len(said) - len(topic)].rstrip()[-1:] in _BEHIND_STEP:
        said = topic
    if _VALUE.search(said) or said[:1].islower() or is_short_answer(said):
        return False
    parts = parts_of(said)
    most = _NAME if said.endswith(("!", "！")) else 2 * _NAME
    return 0 < sum(map(len, parts)) <= most and not any(
        part[0].text == "no" or has(part[1:], "only") or has_verb(text_of(part)) for part in parts
    )


def asks(said: str) -> bool:
    """Whether a text ends with a question mark."""
    return said.rstrip(_BEHIND_QUESTION).endswith(_QUESTION)


@cache
def _pattern(section: str, form: str) -> re.Pattern[str]:
    return re.compile(form.format(alternatives(word_lists("talk")[section])))


def _only_asks(said: str) -> bool:
    """Whether a sentence with a question mark states nothing, neither in it nor beside it."""
    asked = plain(said).rstrip("?？؟ .…")
    if (
        _pattern("presuming", "{}").search(asked)
        or _pattern("negated question", r"\W{{0,9}}(?:{})").match(asked)
        or _pattern("tag", "(?:{})$").search(asked)
    ):
        return False
    parts = parts_of(said)
    return len(parts) < 2 or all(
        has(part[: 1 + has(part[:1], "and")], "asks", "condition")
        or not has_verb(text_of(part))
        or is_talk(part, is_offered=True)
        or (part is parts[-1] and VERB_LAST.search(said))
        for part in parts
    )


def announces(said: str, *, is_over: bool = False) -> bool:
    """Whether a text that ends in a colon only names or announces what follows.

    ``is_over``: a list or a value stands under it, so that it may also lack its end.
    """
    *before, last = parts_of(said) or ((),)
    kept = list(last)
    while kept and kept[-1].is_any("small", "function", "copula", "includes"):
        kept.pop()
    is_open = len(kept) < max(len(last), 1)
    opening = ("small", "function", "asks", "pointing")
    says_more = any(has_verb(text_of(part)) and not has(part[:1], *opening) for part in before)
    if is_open and (is_over or (has(last[-1:], "copula", "includes") and not says_more)):
        return True
    if says_more or _AMOUNT.search(said) or _has_clause(last):
        return False
    first = before[0] if before else last
    points = [*first[:2], *last[:2], *last[-4:]]
    if has(first[:1], "about") and not has(first[1:2], "copula"):
        points = [*last[1:][-4:]]  # "This drug cures cancer:"
    return has(points, "pointing") or not has_verb(text_of(kept))


def _has_clause(part: Sequence[Word]) -> bool:
    """Whether a part has a sentence about a third thing inside: "a drug that cures cancer"."""
    return any(
        word.is_any("that")
        and not following.is_any("reader", "writer", "asks")
        and (not before.classes or has_verb(text_of([following, *part[place + 3 :]])))
        for place, (before, word, following) in enumerate(
            zip(part, part[1:], part[2:], strict=False)
        )
    )


# ---------------------------------------------------------------- it talks

_OF_WRITER_AND_READER = ("courtesy", "writer", "writers", "reader", "about")
_OF_TALK = ("greeting", "courtesy", "praise", "verbs", "about", "rating", "nouns")
_OF_SOURCES = ("sources", "knows", "says", "states", "infers")
_OF_NAMES = (*_OF_WRITER_AND_READER, "greeting", "praise", "nouns", "small", "function")
_HAVE = ("have a", "have an")
_KOREAN_PAST = lazy_pattern("[았었했였됐](?:습니)?다$|(?:세요|십시오)$")


def _only_talks(said: str, is_value: bool, *, is_asked: bool) -> bool:
    """Whether each part of a sentence is talk, or a name beside a greeting.

    ``is_value``: its end stands in a list or behind a label, as a value does.
    """
    parts = parts_of(said)
    every = [word for part in parts for word in part]
    if not parts or any(map(_is_silence, parts)):
        return False
    said_last = ("level", "verbs", "praise", *_OF_WRITER_AND_READER)
    if is_value and not has(every, "rating") and not has(parts[-1], *said_last):
        return False  # "Issues: poor service"
    if not any(map(unknown, parts)) and (
        not has(every, *_OF_TALK, *_OF_SOURCES) or (is_asked and has(every, "agreement"))
    ):
        is_more = has(every, "copula") or is_short_answer(said)
        says_little = has(every, "agreement") or not is_more
        return says_little and not is_asked and not has(every, "not")
    if not has(every, "greeting", "praise", "rating", *_OF_WRITER_AND_READER) and not any(
        has((*part[:3], part[-1]), "verbs", "looks", "sounds")
        or text_of(part[:2]) in _HAVE
        or _disclaims(part)
        for part in parts
    ):
        return False
    is_offered = any(
        _offers(part) or (not unknown(part) and has(part, "verbs", "offers")) or _serves(part)
        for part in parts
    )
    language = find_language(said)
    # "Ask about my skills, projects, or plans."
    is_listed = len(parts) > 2 and has(parts[-1][:1], "and") and has(parts[0], "verbs")
    is_rating = has(every, "rating")
    names: set[str] = set()
    if has(every, "greeting", "courtesy", "praise"):
        capitals = re.findall(r"(?<!^)(?<![!?]\s)(?<![^\W\d_]{3}[.]\s)\b\w+", said)
        names = {name.casefold() for name in capitals if name[0].isupper()} | {""}
    return all(
        is_talk(part, is_offered=is_offered, language=language)
        or (place > 0 and has(part[:1], "what") and not has_number(part))
        or (is_listed and place > 0 and not has_number(part) and not has_verb(text_of(part)))
        or (is_rating and all(word.classes or word.text.isdigit() for word in part))
        or (bool(names) and _names_person(part, names))
        for place, part in enumerate(parts)
    )


def _names_person(part: Sequence[Word], names: set[str]) -> bool:
    """Whether a part beside a greeting is a name, with a title or a place."""
    if len(part) > _NAME or has(part, "copula", "not"):
        return False
    is_name = all(word.text in names or word.is_any(*_OF_NAMES) for word in part)
    return is_name or (part[-1].is_any("titles") and len(part) < 5)


def _is_silence(part: Sequence[Word]) -> bool:
    """Whether a part says what a source does not say, which can be checked."""
    return (
        has(part, "not")
        and has(part, "sources")
        and has(part, "says", "states", "infers")
        and not has(part, "about", "reader", "rating")
    )


def is_talk(part: Sequence[Word], *, is_offered: bool, language: str = "") -> bool:
    """Whether a part makes a move of talk, and states nothing of its own.

    Args:
        part: of a sentence.
        is_offered: another part of the sentence offers something, under a condition.
        language: of the sentence; found where it is not given.
    """
    others = unknown(part)
    # "I am a bot of the library."
    presents = has(part[:1], "writer", "as") and has(part, "bots") and not has(part, "and", "that")
    if _disclaims(part) or _refers_on(part) or (presents and not has_number(part)):
        return True
    if part[0].is_any("others", "persons") or _tells_reader(part, others):
        return False
    if is_offered and part[0].is_any("condition") and not has(part, "courtesy"):
        return not has_number(part)
    if others:
        moves = (is_offered and _serves(part)) or _moves(part, others[0])
        return moves and not _states(part, others, language)
    subject = list(takewhile(lambda word: not word.is_any("modals"), part))
    finds = len(subject) == 1 and has(part, "praise")  # "It would be cool to see."
    if (
        0 < len(subject) < len(part)
        and not finds
        and not has(
            subject, "condition", "greeting", "praise", "verbs", "pointing", *_OF_WRITER_AND_READER
        )
    ):
        return False  # "A doctor must help."
    if not has(part[1:], "copula") or (has(part, "praise") and has(part, "nouns")):
        return True  # "È un'ottima domanda!"
    is_own = has(part, "writer", "reader") or part[0].is_any("this")
    is_own = is_own or (has(part, *_OF_WRITER_AND_READER) and not has(part, "agreement"))
    return is_own and (has(part, "courtesy") or not _reports(part))


def _disclaims(part: Sequence[Word]) -> bool:
    """Whether a part says of the answer what it rests on, or that it is no advice."""
    if has_number(part):
        return False
    opens = next((at + 1 for at, word in enumerate(part[:9]) if word.is_any("that")), 0)
    if opens and unknown(part[:opens]):
        return False
    said = part[opens:]  # behind "please note that"
    if has(said[:2], "about", "your", "this") and has(said[:5], "selves"):
        return not has(said, "persons", "past", "that", "reports")
    is_of_answer = has(said[:4], "about", "info", "sources") and has(said, "disclaimers")
    return is_of_answer and has(said, "not", "only", "general")


def _refers_on(part: Sequence[Word]) -> bool:
    """Whether a part says who knows more: "With questions you should turn to an accountant"."""
    if has_number(part) or has(part, "not", "copula", "that") or not has(part, "inquiries", "info"):
        is_asked = has(part[:1], "please") and has(part[1:3], "turns")
        return is_asked and not has_number(part) and not has(part, "that")
    is_topic = any(  # "Your contact information leaked."
        word.is_any("turns", "consults") and following.is_any("inquiries", "info")
        for word, following in pairwise(part)
    )
    turns = has(part, "turns", "consults") and has(part, "reader", "please")
    return not is_topic and (turns or (has(part[:1], "purposes") and not has_verb(text_of(part))))


def _tells_reader(part: Sequence[Word], others: Sequence[int]) -> bool:
    """Whether a part says what the reader can, must or may not do, or what is of them: a fact."""
    if not part[0].is_any("reader") or has(part[:4], "courtesy", "praise"):
        return False
    if part[0].is_any("your") and not has(part, "writer", "rating", "courtesy", "praise"):
        return has(part[2:4], "modals", "copula", "verbs")
    if has(part[1:4], "not"):
        return True
    is_told = has(part[1:2], "offers", "asks", "condition") and not has(part[1:2], "copula")
    head = part[: others[0]] if others else part
    return is_told and bool(others) and not has(head, "writer", "writers") and not _consults(head)


def _moves(part: Sequence[Word], first: int) -> bool:
    """Whether a part opens as talk does. Its first word that is none of talk is at ``first``."""
    head = list(part[:first])
    if has(part[:3], "hopes"):
        return has(part, "reader")
    if VERB_LAST.search(text_of(part)):
        return part[-1].is_any("verbs", "courtesy", "praise", "greeting")
    if text_of(part[:2]) in _HAVE:  # "Have a safe trip!"
        return True
    if part[0].is_any("this") and has(part[1:2], "sounds"):  # "That sounds tiring."
        return len(part) < 6
    looks = has(head[:3], "looks") and not has(head, "writer")
    if looks and has(part, "pointing", "about"):  # "See the grid below."
        return True
    if has(head, "consults") and not any(not word.classes for word in part[first + 1 :]):
        return True  # "Always consult an electrician."
    while head and head[-1].is_any("articles"):
        head.pop()
    return bool(head) and _wants_topic(head, is_spaced=not is_dense(part))


def _wants_topic(head: Sequence[Word], *, is_spaced: bool) -> bool:
    """Whether words of talk, without an article behind them, want a topic after them."""
    before, last = head[-2:-1], head[-1]
    if last.is_any("copula") and not (has(head, "courtesy", "praise") and has(before, "reader")):
        return False  # but "sorry that you are ill"
    if has(head, "copula") and not has(head, "greeting", *_OF_WRITER_AND_READER):
        return False
    if text_of((*before, last)) == "merci de":
        return False  # what to do: "Merci de payer"
    is_courtesy = has(head[:2], "courtesy") or (
        has(head, "courtesy") and has(head, "writer", "writers", "reader")
    )
    is_courtesy = is_courtesy or (has(head, "praise") and head[0].is_any("asks"))  # "What a …"
    if is_courtesy and not (last.is_any("to") and has(before, "thanks")):  # "thanks to the dam"
        return is_spaced or has(head, "reader", "writer") or "您" in head[0].text
    if last.is_any("topical") and (has(before, "nouns") or last.text == "about"):
        return has(head[:-2], "verbs", "condition", *_OF_WRITER_AND_READER)
    if has(head[1:], "condition") and has(head, "reader") and has(head[:3], "verbs"):
        return True  # "Ask if you want …"
    return _consults(head) or _offers(head)


def _consults(head: Sequence[Word]) -> bool:
    """Whether words tell the reader whom to ask: "please consult", "talk with"."""
    return has(head[-2:], "consults") or (head[-1].is_any("with") and has(head, "checks"))


def _offers(part: Sequence[Word]) -> bool:
    """Whether the writer says what it would do, or asks the reader for something."""
    return part[0].is_any("glad") or (has(part[:5], "writer") and has(part[:6], "offers", "verbs"))


def _serves(part: Sequence[Word]) -> bool:
    """Whether the writer, who is not named, does something for the reader: "te preparo …"."""
    return part[0].is_any("reader") and not part[0].is_any("your") and has(part[1:2], "verbs")


def _states(part: Sequence[Word], others: Sequence[int], language: str) -> bool:
    """Whether what a part says behind its opening is a sentence, an amount, or too long."""
    asked = next((at for at in range(2, len(part)) if part[at].is_any("what", "which")), len(part))
    if has(part[:asked], "writer", "looks") and not has(part[:asked], "courtesy"):
        part = part[:asked]  # what is only asked: "Let me check what the lease says."
        others = [at for at in others if at < asked] or [asked]
    head, tail = list(part[: others[0]]), part[others[0] :]
    numbers = [at for at in others if has_number(part[at : at + 1])]
    may_be = _DATE if has(part[:3], "courtesy") else _YEAR
    is_offer = bool(head) and _offers(head)
    if len(others) > (2 * _TOPIC if is_offer else _TOPIC) or any(
        not may_be.fullmatch(part[at].text) and not (is_offer and at - 1 in others)
        for at in numbers
    ):  # but "the settings of the Vela 200"
        return True
    if _reports(part[2:] if part[0].is_any("looks") else part):
        return True
    if has(part[:3], "hopes"):
        return False
    if VERB_LAST.search(text_of(part)):
        is_past = _KOREAN_PAST.search(part[-1].text) is not None  # or what the reader should do
        is_known = all(word.classes for word in part[-2:]) or len(part[-1].text) > 3
        return is_past or bool(numbers) or not is_known
    if is_offer and (is_dense(part[:1]) or (has(head[:3], "offers") and has(head, "verbs"))):
        return False
    meant = ("verbs", "nouns", "courtesy", "praise", "that", "condition", "offers")
    said = [
        word
        for before, word in pairwise((*head[-1:], *tail) if head else (*tail[:1], *tail))
        if not (word.is_any(*meant) or before.is_any("offers"))
    ]
    return has_verb(text_of(said), language or find_language(text_of(part)))


def _reports(part: Sequence[Word]) -> bool:
    """Whether a part has a sentence of its own: "I can tell you that …", not "tell me if …"."""
    return any(
        place > 0
        and word.is_any("that", "reports")
        and not part[place - 1].is_any("condition")
        and not has(part[place + 1 : place + 2], "reader", "writer")
        and (word.text != "that" or has_verb(text_of(part[place + 1 :])))
        for place, word in enumerate(part)
    )
