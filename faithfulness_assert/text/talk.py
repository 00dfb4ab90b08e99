"""Whether a sentence claims nothing: it is talk between the writer and the reader.

A judge may set aside what claims nothing, but it may also try to set aside what it should judge. So
each word of the sentence must be a word of talk, that is of asking, answering and helping, or stand
where talk names its topic: "a question about the fee", "thanks for the letter". In doubt it claims.

There is no grammar here, but closed classes of words, in ``words/talk.txt``. A sentence is cut into
parts at its punctuation, and each part must be talk: so "Of course, dogs are welcome." is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from .citations import any_of, is_reference
from .headings import has_verb, is_short_answer
from .languages import find_language
from .phrases import plain
from .strings import DENSE, alternatives, function_words, is_blank, lazy_pattern, word_lists

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
_URL = lazy_pattern(r"https?://\S{1,2000}$")
_PART = lazy_pattern(
    r"[,;:!?¡¿…()\[\]\"،，。、；：！？।–—]+|\.(?=\s|$)|\s-+\s|\s(?=(?:but|however|although|because|aber"
    r"|jedoch|weil|mais|pero|aunque|porque|però|perché|mas|porém|но|однако|хотя|nhưng)\s)"
)
_RUN = lazy_pattern(
    rf"[{DENSE}]+|(?:(?![{DENSE}])[\w\u064b-\u065f\u0900-\u0d7f])+"
)  # with vowel signs
_DENSE = lazy_pattern(f"[{DENSE}]")
VERB_LAST = lazy_pattern("[\uac00-\ud7a3\u3040-\u30ff]")
"""Korean and Japanese, which have the verb at the end."""
_HANGUL = "\uac00"
_ENUMERATOR = lazy_pattern(
    r"^(?:\d{1,3}(?:\.\d{1,3}){0,5}[.)]?|[^\W\d_][.)]|[一二三四五六七八九十]{1,3}、)\s*"
)
_AMOUNT = lazy_pattern(
    r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{3}|\d[.,]\d|\d\s?[%‰°€$£¥₩₫₽]|[€$£¥]\s?\d"
)
_YEAR = lazy_pattern(r"(?:19|20)\d\d")
_DATE = lazy_pattern(r"(?:19|20)\d\d|\d{1,2}")
# Chinese as it is written in Taiwan, for words of talk, and Arabic without its vowel signs.
_SIMPLE = str.maketrans(
    "關檔問題資訊無沒對說請謝個這會來們後時為點還給幫內與據實詢閱讀覽總結論詳細節選項標準認識體驗應該將從進樣發現見變難過種類學習經歷處線頁圖書館務員專業協導",
    "关档问题资讯无没对说请谢个这会来们后时为点还给帮内与据实询阅读览总结论详细节选项标准认识体验应该将从进样发现见变难过种类学习经历处线页图书馆务员专业协导",
    "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652",
)
_LAW = lazy_pattern(
    r"「[^「」]{1,80}」(?:(?:\s?제|\s)\d{1,4}[조항호](?:의\s?\d{1,3})?|\s?\([^()]{1,40}\)){0,9}"
)
_PATTERNS = ("presuming", "negated question", "tag")


# ---------------------------------------------------------------- words and their classes


class Word(NamedTuple):
    """A word of a sentence. ``classes`` are its sections in ``words/talk.txt``; often none."""

    text: str
    classes: frozenset[str]

    def is_any(self, *names: str) -> bool:
        return not self.classes.isdisjoint(names)


class _Lexicon(NamedTuple):
    whole: dict[str, frozenset[str]]
    begun: dict[str, frozenset[str]]
    """By the beginnings of words."""
    ended: dict[str, frozenset[str]]
    """By the ends of words."""
    dense: re.Pattern[str]
    """The words of scripts without spaces, the longest first, or a single character."""
    joined: re.Pattern[str]
    """What is several words and counts as one: it has ``_`` for spaces."""


@cache
def _lexicon() -> _Lexicon:
    found: dict[str, set[str]] = {}
    for name, section in {**word_lists("talk"), "small": " ".join(function_words())}.items():
        for word in () if name in _PATTERNS else section.split():
            found.setdefault(word, set()).add(name)
    whole = {w: frozenset(names) for w, names in found.items() if "-" not in (w[0], w[-1])}
    dense = sorted((word for word in whole if _DENSE.match(word)), key=len, reverse=True)
    joined = "|".join(word.replace("_", " ") for word in whole if "_" in word)
    return _Lexicon(
        whole,
        {word[:-1]: frozenset(names) for word, names in found.items() if word[-1] == "-"},
        {word[1:]: frozenset(names) for word, names in found.items() if word[0] == "-"},
        re.compile("|".join([*map(re.escape, dense), "."]), re.DOTALL),
        re.compile(rf"(?<!\w)(?:{joined})(?!\w)"),
    )


@lru_cache(maxsize=8192)
def _word(text: str) -> Word:
    """A word with its classes. At least half of it must be a known beginning; less in Korean."""
    classes = _lexicon().whole.get(text, frozenset[str]())
    least = max(3, len(text) // 2)
    if text[0] >= _HANGUL:
        least = max(1 if len(text) < _NAME else 2, len(text) - 7)
    for size in range(least, len(text) + 1):
        classes |= _lexicon().begun.get(text[:size], frozenset())
    for end, names in _lexicon().ended.items():
        classes |= names if text.endswith(end) else frozenset()
    return Word(text, classes)


def parts_of(text: str) -> list[list[Word]]:
    """The words of the parts of a text between its punctuation."""
    text = re.sub("[–—]", ";", text.translate(_SIMPLE))
    text = re.sub("[-']", " ", plain(text))
    text = _lexicon().joined.sub(lambda found: found[0].replace(" ", "_"), text)
    return [words for part in _PART.split(text) if (words := _words(part))]


def _words(part: str) -> list[Word]:
    found: list[str] = []
    for run in _RUN.findall(part):
        found += _lexicon().dense.findall(run) if _DENSE.match(run) else (run,)
    return [_word(text) for text in found]


def has(words: Iterable[Word], *names: str) -> bool:
    """Whether any word is of one of these classes."""
    return any(word.is_any(*names) for word in words)


def text_of(words: Iterable[Word]) -> str:
    return " ".join(word.text for word in words)


def unknown(part: Sequence[Word]) -> list[int]:
    """The places of words that are none of talk, nor belong to one: "tax advice", "step 4"."""
    return [
        place
        for place, word in enumerate(part)
        if not word.classes
        and not (word.text.isdigit() and has(part[max(place - 1, 0) : place], "nouns"))
        and not (word.text.isalpha() and _describes(part[place + 1 : place + 5]))
    ]


def _describes(following: Sequence[Word]) -> bool:
    for word in following:
        if word.classes and word.text != "的":
            return word.is_any("nouns")
        if not word.classes and not _DENSE.match(word.text):
            return False
    return False


# ---------------------------------------------------------------- sentences that claim nothing


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
    if said.endswith(_COLON) and (announces(said) or _presents(said)):
        return True
    return (not is_item and _only_names(said)) or _only_talks(said, is_asked=is_asked)


def may_be_set_aside(
    text: str, texts: Iterable[str], *, is_item: bool = False, is_asked: bool = False
) -> bool:
    """Whether a statement claims nothing, or nothing that is not judged with others.

    What a lead-in claims is judged with each statement of ``texts`` under it, which repeats it.
    """
    if text.endswith(_COLON) and any(f"{text} " in said for said in texts):
        return True
    return claims_nothing(text, is_item=is_item, is_asked=is_asked)


def asks(said: str) -> bool:
    """Whether a text ends with a question mark."""
    return said.rstrip(_BEHIND_QUESTION).endswith(_QUESTION)


def _names_source(said: str) -> bool:
    """Whether a line names where something comes from: ``Source: guide.pdf, p. 3``."""
    if said[0] == "「" and _LAW.fullmatch(said):
        return True
    label = _source_label().match(said)
    if not label or said.endswith("。"):
        return False
    rest = re.sub(r"[^\w\s]|\d", " ", said[label.end() :]).strip()
    return len(_words(rest)) <= 2 * _NAME if _DENSE.search(rest) else not has_verb(rest)


@cache
def _source_label() -> re.Pattern[str]:
    words = f"{any_of('sources')}|{any_of('source lines')}"
    return re.compile(rf"\W{{0,9}}(?:{words})\W{{0,9}}[:：]", re.IGNORECASE)


def _only_names(said: str) -> bool:
    """Whether a line has no verb, and neither the end of a sentence nor a number nor a value."""
    said = _ENUMERATOR.sub("", said)
    if any(char.isdigit() for char in said) or re.search(r"[:：=]\s*\w|[.。।|;]$", said):
        return False
    parts = parts_of(said)
    most = _NAME if said.endswith(("!", "！")) else 2 * _NAME
    if said[:1].islower() or not 0 < sum(map(len, parts)) <= most or is_short_answer(said):
        return False
    return not any(part[0].text == "no" or has_verb(text_of(part)) for part in parts)


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
        has(part[: 1 + (part[0].text in _AND)], "asks", "condition")
        or len(part) < 3
        or not has_verb(text_of(part))
        or is_talk(part, is_offered=True)
        or (part is parts[-1] and VERB_LAST.search(said))
        for part in parts
    )


def _presents(said: str) -> bool:
    """Whether a text that ends in a colon begins with "here is", whatever it says of that."""
    parts = parts_of(said)
    return any(part[0].text in _HERE for part in parts[:2]) and not _AMOUNT.search(said)


def announces(said: str) -> bool:
    """Whether a text that ends in a colon only names or announces what follows."""
    *before, last = parts_of(said) or [[]]
    if _AMOUNT.search(said):
        return False
    opening = ("small", "function", "asks", "pointing")
    if any(has_verb(text_of(part)) and not has(part[:1], *opening) for part in before):
        return False
    first = before[0] if before else last
    if has((*first[:1], *last[:1], *last[-4:]), "pointing") and not has(last, "that"):
        return True
    while last and last[-1].is_any("small", "function", "copula", "includes"):
        last = last[:-1]
    return not has_verb(text_of(last))


def awaits(said: str) -> bool:
    """Whether a text that ends in a colon says nothing whole without what follows."""
    *_, last = parts_of(said) or [[]]
    return not last or last[-1].is_any("small", "function", "copula", "includes")


# ---------------------------------------------------------------- talk

_OF_WRITER_AND_READER = ("courtesy", "writer", "writers", "reader", "about")
_OF_TALK = ("greeting", "courtesy", "praise", "verbs", "about", "rating", "nouns")
_OF_NAMES = (*_OF_WRITER_AND_READER, "greeting", "praise", "nouns", "small", "function")
_AT_END = ("verbs", "courtesy", "praise", "greeting")
_KOREAN_PAST = lazy_pattern("[았었했였됐](?:습니)?다$|(?:세요|십시오)$")
_WHAT = frozenset(
    "what how why whether where when who was wie warum ob wo wann wer comment pourquoi où "
    "quand qué cómo dónde cuándo qué_es cosa come perché dove quando o_que_é como onde "
    "что_такое как почему где когда кто 如何 什么 怎么".split()
)
_AND = frozenset(
    "and so but or now then und also oder et ou alors y o entonces e allora então и а vậy".split()
)
_ARTICLES = frozenset(
    "the a an this your der die das den ihr ihrem ihrer la le les el los las il lo gli o os as su "
    "seu".split()
)
_THAT = frozenset(
    "that this das dies es c ça eso esto questo quello isso isto это 这 那 đó".split()
)
_OTHERS = frozenset(
    "he she they there er il elle ils elles él ella ellos он она они họ 他 她 他们".split()
)
_TO = frozenset(("a", "to", "à", "alla"))
_THANKS = frozenset(("thanks", "gracias", "grazie", "merci"))  # "thanks to the dam"
_WITH = frozenset(("with", "mit", "avec", "con", "com", "с"))
_HERE = frozenset("here below hier voici voilà aquí ecco вот dưới_đây 以下 下面 以下に".split())
_HAVE = ("have a", "have an")
_GLAD = frozenset(("happy", "glad", "gern", "gerne"))


def _only_talks(said: str, *, is_asked: bool) -> bool:
    """Whether each part of a sentence is talk, or a name beside a greeting."""
    parts = parts_of(said)
    every = [word for part in parts for word in part]
    if not parts or any(map(_is_silence, parts)):
        return False
    if not any(map(unknown, parts)) and (
        not has(every, *_OF_TALK) or (is_asked and has(every, "agreement"))
    ):
        is_more = has(every, "copula") or is_short_answer(said)
        says_little = has(every, "agreement") or not is_more
        return says_little and not is_asked and not has(every, "not")
    if not has(every, "greeting", "praise", "rating", *_OF_WRITER_AND_READER) and not any(
        has((*part[:3], part[-1]), "verbs") or text_of(part[:2]) in _HAVE for part in parts
    ):
        return False
    is_offered = any(
        _offers(part) or (not unknown(part) and has(part, "verbs", "offers")) for part in parts
    )
    language = find_language(said)
    is_greeting, is_rating = has(every, "greeting", "courtesy", "praise"), has(every, "rating")
    names = {
        name.casefold()
        for name in re.findall(r"(?<!^)(?<![!?]\s)(?<![^\W\d_]{3}[.]\s)\b\w+", said)
        if name[0].isupper()
    }
    return all(
        is_talk(part, is_offered=is_offered, language=language)
        or (place > 0 and _asks_indirectly(part))
        or (is_rating and all(word.classes or word.text.isdigit() for word in part))
        or (
            is_greeting
            and len(part) <= _NAME
            and not has(part, "copula", "not")
            and (
                all(word.text in names or word.is_any(*_OF_NAMES) for word in part)
                or (part[-1].is_any("titles") and len(part) < 5)
            )
        )
        for place, part in enumerate(parts)
    )


def _asks_indirectly(part: Sequence[Word]) -> bool:
    """Whether a part behind one of talk names its topic as a question: "…, как это работает"."""
    has_number = any(char.isdigit() for word in part for char in word.text)
    return part[0].text in _WHAT and not has_number


def _is_silence(part: Sequence[Word]) -> bool:
    """Whether a part says what a source does not say, which can be checked."""
    return (
        has(part, "not")
        and has(part, "sources")
        and has(part, "says", "states", "infers")
        and not has(part, "about", "reader", "rating")
    )


def is_talk(part: Sequence[Word], *, is_offered: bool, language: str = "") -> bool:
    """Whether all words of a part are of talk, or others stand where talk names its topic.

    Args:
        part: of a sentence.
        is_offered: another part of the sentence offers something, under a condition.
        language: of the sentence; found where it is not given.
    """
    others = unknown(part)
    is_denied = part[0].is_any("reader") and has(part[1:4], "not") and not has(part, "courtesy")
    if is_denied or part[0].text in _OTHERS:  # "You cannot", "He does"
        return False
    if is_offered and part[0].is_any("condition") and not has(part, "courtesy"):
        return not any(char.isdigit() for word in part for char in word.text)
    if others:
        return _names_topic(part, others, language)
    is_own = has(part, "writer", "reader") or part[0].text in _THAT
    is_own = is_own or (has(part, "praise") and has(part, "nouns"))  # "È un'ottima domanda!"
    is_own = is_own or (has(part, *_OF_WRITER_AND_READER) and not has(part, "agreement"))
    return not has(part, "copula") or (is_own and (has(part, "courtesy") or not _reports(part)))


def _names_topic(part: Sequence[Word], others: Sequence[int], language: str) -> bool:
    """Whether other words, at these places, stand where talk names its topic."""
    head, tail = list(part[: others[0]]), part[others[0] :]
    numbers = [part[at].text for at in others if any(char.isdigit() for char in part[at].text)]
    may_be = _DATE if has(head, "courtesy") else _YEAR
    if len(others) > _TOPIC or not all(map(may_be.fullmatch, numbers)):
        return False
    if has(part[:3], "hopes"):
        return has(part, "reader") and not numbers
    if _reports(part):
        return False
    meant = ("verbs", "nouns", "courtesy", "praise", "that", "condition")
    said = [
        word
        for before, word in pairwise((*head[-1:], *tail) if head else (tail[0], *tail))
        if not (word.is_any(*meant) or before.is_any("offers") or word.is_any("offers"))
    ]
    is_offer = bool(head) and bool(_DENSE.match(part[0].text)) and _offers(head) and not numbers
    if not is_offer and has_verb(text_of(said), language or find_language(text_of(part))):
        return False
    if VERB_LAST.search(text_of(part)):
        is_past = _KOREAN_PAST.search(part[-1].text) is not None  # or what the reader should do
        is_known = all(word.classes for word in part[-2:]) or len(part[-1].text) > 4
        return is_known and not is_past and not numbers and part[-1].is_any(*_AT_END)
    if text_of(part[:2]) in _HAVE:  # "Have a safe trip!"
        return not numbers
    while head and head[-1].text in _ARTICLES:
        head.pop()
    return bool(head) and _opens_topic(head, is_dense=bool(_DENSE.search(text_of(part))))


def _opens_topic(head: Sequence[Word], *, is_dense: bool) -> bool:
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
    if is_courtesy and not (last.text in _TO and before and before[0].text in _THANKS):
        return not is_dense or has(head, "reader", "writer")
    if last.is_any("topical") and (has(before, "nouns") or last.text == "about"):
        return has(head[:-2], "verbs", "condition", *_OF_WRITER_AND_READER)
    wants = (word.is_any("condition") for word in head[1:])
    if any(wants) and has(head, "reader") and has(head[:3], "verbs"):  # "Ask if you want …"
        return True
    if has(head[-2:], "consults") or (last.text in _WITH and has(head, "checks")):
        return True
    return _offers(head)


def _offers(part: Sequence[Word]) -> bool:
    """Whether the writer says what it would do, or asks the reader for something."""
    return part[0].text in _GLAD or (has(part[:5], "writer") and has(part[:6], "offers", "verbs"))


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
