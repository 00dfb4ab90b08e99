"""Wording that declines: a reply that refuses its task as a whole, or a sentence of an answer that only says "I can't tell".

The rule: **who** speaks (the first person, the assistant, the task in the passive), **that** they do not, and **what** they do not
do (help, answer, judge) stand in one sentence near the beginning. A third party's refusal, quoted speech, a condition ("if I cannot
help") and praise ("I can't recommend it enough") have at most two of the three.

The words are tables, in ``refusal_words.py``. They meet text in its plain form (lower case, one line, straight quotes, no markdown, no
English short forms), and the text that is looked at is bounded.
"""

from __future__ import annotations

import re
from functools import cache

from .refusal_words import AFTER, BEFORE, BESIDE, DECLINES, ENGLISH, OTHERS, PARTS, REGRET, VERDICT

_HEAD = 1_500  # characters of a reply that are looked at, and of these the first few sentences: a refusal comes at once
_SENTENCES = 4
_LONGEST = 300  # characters of a sentence that only declines
_ENDS = " ,.!:;。！，、،।"

# ---------------------------------------------------------------- one plain form for all dress

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
    """``text`` in its plain form: what the tables are written for."""
    text = _straight(text).translate(_BARE)
    for short, full in _SHORT_FORMS.items():
        text = text.replace(short, full)
    return " ".join(text.split())


def _unquoted(text: str) -> str:
    """``text`` without what it quotes, unless it is one quotation and nothing else.

    Of a JSON object, the values; what stands in a JSON list are entries, which do not speak for the whole.
    """
    if re.match(r'\{|\[ ?["{]', text):
        return (
            ""
            if re.search(r"\[ ?[^\] ]", text)
            else re.sub(r"""["']\w{1,30}["'] ?:|\"""", ". ", text)
        )
    outside = re.sub(r'"[^"]{0,400}"', " ", text)
    return outside if re.search(r"[^\W\d_]", outside) else text.replace('"', "")


def _sentences(text: str) -> list[str]:
    """The first few sentences of ``text`` in their plain form: no thoughts, no tags, no speaker's name, no list numbers."""
    head = re.sub(r"\A[\s*_#>]+", "", text.rpartition("</think>")[2])[:_HEAD]
    head = _plain(re.sub(r"</?[a-zA-Z][\w-]{0,20}>|\n\s{0,4}\n|```(json)?", ". ", head)).strip(" .")
    head = re.sub(
        r"^[^\w\"{[]{0,8}(assistant|ai|response|answer|final answer|model|bot|output|reply|judge|verdict) ?: ?",
        "",
        head,
    )
    parts = re.split(r"[.!?。！？।]+(?=\W|$)", _unquoted(head))
    return [bare for part in parts if (bare := re.sub(r"^[\W\d]+", "", part).rstrip())][:_SENTENCES]


def _lines(table: str) -> list[str]:
    return [
        line for line in table.replace("\n  ", "").split("\n") if line and not line.startswith("# ")
    ]


@cache
def _pairs(table: str) -> tuple[tuple[str, str], ...]:
    """A table of "word: rule" lines."""
    return tuple((word, rule) for word, _, rule in (line.partition(": ") for line in _lines(table)))


def _filled(rule: str) -> str:
    """``rule`` with its parts and gaps written out."""
    return re.sub(r"<(\w+)>", lambda part: _filled(dict(_pairs(PARTS))[part[1]]), rule).replace(
        "~", r"[^.!?。！？।]{0,60}?"
    )


@cache
def _compiled(rule: str) -> re.Pattern[str]:
    return re.compile(_filled(rule))


@cache
def _rules(table: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(_compiled, _lines(table)))


def _refuses(sentence: str) -> bool:
    """Whether one plain sentence refuses; in English, where most is seen, also who says so and what comes after is looked at."""
    for rule in _rules(ENGLISH):
        found = rule.search(sentence)
        if found and not (
            re.search(BEFORE, sentence[: found.start()])
            or re.search(AFTER, sentence[found.end() :])
        ):
            return True
    return any(rule.search(sentence) for rule in _rules(OTHERS))


def is_refusal(text: str) -> bool:
    """Whether ``text`` as a whole declines what it was asked, in any of some thirty languages.

    A text that holds verdicts ("Verdict: No.", ``{"id": 1, "verdict": "no"}``) is none, whatever else it says.

    Raises:
        TypeError: ``text`` is no string.
    """
    if not isinstance(text, str):
        raise TypeError(f"is_refusal: text must be a string, got {type(text).__name__}")
    return any(map(_refuses, _sentences(text))) and not re.search(VERDICT, _straight(text).strip())


@cache
def _regrets() -> tuple[str, ...]:
    return tuple(re.split(r" / |\n", REGRET.strip()))


def _after_regret(plain: str) -> str:
    """What follows up to four words of regret. Scripts without spaces need no mark after such a word."""
    for _ in range(4):
        if not plain.startswith(_regrets()):
            break
        word = next(
            (
                w
                for w in _regrets()
                if plain.startswith(w) and (w[-1] > "\u2e80" or not plain[len(w) :][:1].isalnum())
            ),
            "",
        )
        plain = plain[len(word) :].lstrip(_ENDS)
    return plain


def _bare(statement: str) -> str:
    """What a sentence says after its words of regret, without the marks and pictures at its ends."""
    return _after_regret(_PICTURES.sub("", _plain(statement).replace('"', "")).strip(_ENDS))


def declines(statement: str) -> bool:
    """Whether one sentence of an answer only declines ("I don't know.", "Sorry, I can't answer that."), and so has nothing to check.

    Cautious: a claim about the context's silence, any thing, name or number, and every further clause make it False.
    """
    if len(statement) > _LONGEST or any(c.isdigit() or c in "?？؟" for c in statement):
        return False
    plain = _bare(statement)
    return any(
        word in plain and _compiled(rule).fullmatch(plain) for word, rule in _pairs(DECLINES)
    )


def accompanies_decline(statement: str) -> bool:
    """Whether one sentence says nothing of its own beside one that declines: regret, an offer, a question back, thanks.

    The vocabulary is closed, in several languages: a digit, a name or a claim makes it False. So does a sentence that declines.
    """
    if (
        len(statement) > _LONGEST
        or any(c.isdigit() for c in statement)
        or not _plain(statement).strip(_ENDS)
    ):
        return False
    plain = _bare(statement).strip(_ENDS + "?？؟¿")
    return not plain or any(_compiled(rule).fullmatch(plain) for _, rule in _pairs(BESIDE))
