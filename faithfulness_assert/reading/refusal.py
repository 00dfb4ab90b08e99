"""Detect a reply that refuses its task, and a sentence of an answer that only says "I can't tell".

The rule: one sentence near the beginning names **who** speaks (the first person, the assistant, the
task in the passive), **that** they do not do it, and **what** they do not do (help, answer, judge).
A third party's refusal, quoted speech, a condition ("if I cannot help") and praise ("I can't
recommend it enough") have at most two of the three.

The words are tables, in ``refusal_words.py``. They match text in its plain form (lower case, one
line, straight quotes, no markdown, no English short forms). The length of that text is limited.
"""

from __future__ import annotations

import re
from functools import cache

from .decline_words import BESIDE, DECLINES, REGRET
from .judge_words import JUDGE, SPLITTER
from .refusal_words import AFTER, BEFORE, ENGLISH, OTHERS, PARTS, VERDICT

_HEAD_CHARS = 1_500  # a refusal comes early: only the first sentences of these are searched
_HEAD_SENTENCES = 4
_LONGEST_DECLINE = 300  # characters
_ENDS = " ,.!:;。！，、،।"

# ---------------------------------------------------------------- the plain form of a text

_STRAIGHT = str.maketrans(
    dict.fromkeys("’‘′ʼ`´＇", "'")
    | dict.fromkeys("“”„«»「」『』＂", '"')
    | dict.fromkeys("*\u0307\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", None)
)
_BARE = str.maketrans(
    {"–": " ", "—": " ", "…": ".", "_": None, "#": None, ">": None, "~": None, "|": None}
)
_SHORT_FORMS = {
    "won't": "will not",
    "can't": "cannot",
    "n't": " not",
    "'m ": " am ",
    "'ve ": " have ",
    "'ll ": " will ",
    "'d ": " would ",
    "'re ": " are ",
    "it's ": "it is ",
    "that's ": "that is ",
}
_PICTURES = re.compile(r"[\s\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+$")


def _straight(text: str) -> str:
    """``text`` in lower case, with straight quotes, without bold marks and invisible characters."""
    return text.lower().translate(_STRAIGHT)


def _plain(text: str) -> str:
    """``text`` in its plain form, which the tables are written for."""
    text = _straight(text).translate(_BARE)
    for short, full in _SHORT_FORMS.items():
        text = text.replace(short, full)
    return " ".join(text.split())


def _unquoted(text: str) -> str:
    """``text`` without its quotations, unless it is nothing but one quotation.

    Of a JSON object, the values. JSON with a list in it has entries, which do not speak for the
    whole reply.
    """
    if re.match(r'\{|\[ ?["{]', text):
        has_entries = re.search(r"\[ ?[^\] ]", text)
        return "" if has_entries else re.sub(r"""["']\w{1,30}["'] ?:|\"""", ". ", text)
    outside = re.sub(r'"[^"]{0,400}"', " ", text)
    return outside if re.search(r"[^\W\d_]", outside) else text.replace('"', "")


_SPEAKER = re.compile(
    r"^[^\w\"{[]{0,8}(assistant|ai|response|answer|final answer|model|bot|output|reply|judge"
    r"|verdict) ?: ?"
)


def _sentences(text: str) -> list[str]:
    """The first sentences in plain form, without thinking, tags, speaker and numbers."""
    head = re.sub(r"\A[\s*_#>]+", "", text.rpartition("</think>")[2])[:_HEAD_CHARS]
    head = re.sub(r"</?[a-zA-Z][\w-]{0,20}>|\n\s{0,4}\n|```(json)?", ". ", head)
    head = _SPEAKER.sub("", _plain(head).strip(" ."))
    parts = re.split(r"[.!?。！？।]+(?=\W|$)", _unquoted(head))
    bare = [re.sub(r"^[\W\d]+", "", part).rstrip() for part in parts]
    return [part for part in bare if part][:_HEAD_SENTENCES]


# ---------------------------------------------------------------- the tables


def _lines(table: str) -> list[str]:
    lines = table.replace("\n  ", "").split("\n")
    return [line for line in lines if line and not line.startswith("# ")]


@cache
def _pairs(table: str) -> tuple[tuple[str, str], ...]:
    """A table of "word: rule" lines."""
    return tuple((word, rule) for word, _, rule in (line.partition(": ") for line in _lines(table)))


def _filled(rule: str) -> str:
    """``rule`` with its parts and gaps written out."""
    rule = re.sub(r"<(\w+)>", lambda part: _filled(dict(_pairs(PARTS))[part[1]]), rule)
    return rule.replace("~", r"[^.!?。！？।]{0,60}?")


@cache
def _compiled(rule: str) -> re.Pattern[str]:
    return re.compile(_filled(rule))


@cache
def _rules(table: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(_compiled, _lines(table)))


# ---------------------------------------------------------------- a text that refuses


def _refuses(sentence: str) -> bool:
    """Whether one plain sentence refuses. In English, its context must not say otherwise."""
    english = (rule.search(sentence) for rule in _rules(ENGLISH))
    return any(match and not _excused(sentence, match) for match in english) or any(
        rule.search(sentence) for rule in _rules(OTHERS)
    )


def _excused(sentence: str, match: re.Match[str]) -> bool:
    """Whether the words around a match make it a condition, someone else's words, or help."""
    before, after = sentence[: match.start()], sentence[match.end() :]
    return bool(re.search(BEFORE, before) or re.search(AFTER, after))


def is_refusal(text: str) -> bool:
    """Whether ``text`` as a whole declines its task, in any of about thirty languages.

    A text with verdicts ("Verdict: No.", ``{"id": 1, "verdict": "no"}``) is not a refusal.

    Raises:
        TypeError: ``text`` is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"is_refusal: text must be a string, got {type(text).__name__}")
    return any(map(_refuses, _sentences(text))) and not _has_verdict(text)


def is_judge_refusal(text: str) -> bool:
    """Whether a judge's reply declines its task: a refusal, or what only a judge says.

    "Cannot determine.", "No verdicts." and "Please provide the statements." are refusals of a
    judge, but not of an assistant that answers a question.
    """
    return is_refusal(text) or (_says(JUDGE, text) and not _has_verdict(text))


def refuses_to_split(text: str) -> bool:
    """Whether a judge that is asked for claims declines: "I cannot break this down."."""
    return is_judge_refusal(text) or _says(SPLITTER, text)


def _says(table: str, text: str) -> bool:
    """Whether one of the first sentences matches a rule, and its context does not excuse it."""
    matches = ((s, rule.search(s)) for s in _sentences(text) for rule in _rules(table))
    return any(match and not _excused(sentence, match) for sentence, match in matches)


def _has_verdict(text: str) -> bool:
    return re.search(VERDICT, _straight(text).strip()) is not None


# ---------------------------------------------------------------- a sentence that only declines


@cache
def _regrets() -> tuple[str, ...]:
    return tuple(re.split(r" / |\n", REGRET.strip()))


def _after_regret(plain: str) -> str:
    """What follows up to four words of regret."""
    for _ in range(4):
        if not plain.startswith(_regrets()):
            break
        word = next((word for word in _regrets() if _begins_with(plain, word)), "")
        plain = plain[len(word) :].lstrip(_ENDS)
    return plain


def _begins_with(plain: str, word: str) -> bool:
    """Whether the word ends there. Scripts without spaces need no mark after a word."""
    if not plain.startswith(word):
        return False
    return word[-1] > "\u2e80" or not plain[len(word) :][:1].isalnum()


def _bare(statement: str) -> str:
    """A sentence after its words of regret, without the marks and pictures at its ends."""
    return _after_regret(_PICTURES.sub("", _plain(statement).replace('"', "")).strip(_ENDS))


def declines(statement: str) -> bool:
    """Whether one sentence of an answer only declines ("I don't know."), so has nothing to check.

    Cautious: a claim that the context is silent, any thing, name or number, and every further
    clause make it False.
    """
    has_more = any(c.isdigit() or c in "?？؟" for c in statement)
    if len(statement) > _LONGEST_DECLINE or has_more:
        return False
    plain = _bare(statement)
    return any(
        word in plain and _compiled(rule).fullmatch(plain) for word, rule in _pairs(DECLINES)
    )


def accompanies_decline(statement: str) -> bool:
    """Whether a sentence adds nothing beside one that declines: regret, an offer, thanks.

    The vocabulary is closed, in several languages: a digit, a name or a claim makes it False. A
    sentence that declines by itself is also False.
    """
    if len(statement) > _LONGEST_DECLINE or any(c.isdigit() for c in statement):
        return False
    if not _plain(statement).strip(_ENDS):
        return False
    plain = _bare(statement).strip(_ENDS + "?？؟¿")
    return not plain or any(_compiled(rule).fullmatch(plain) for _, rule in _pairs(BESIDE))
