"""Whether a sentence claims nothing, or only declines, by its form.

A judge may set aside what claims nothing, but it may also try to set aside what it should judge. So
a sentence must have one of a few forms: it asks, it ends in a colon, it is a citation or a label of
sources, it greets or thanks, it offers, or it speaks about the answer itself. In doubt it claims.

There is no grammar here. A sentence is cut into parts at its punctuation, and each part must have
its own mark of the form: so "Of course, dogs are welcome." is no courtesy, and "If you like, I can
check; the fee is 5 euros." no offer. The marks are words in ten languages, in ``words/forms.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from .citations import is_reference
from .headings import has_verb
from .headings import is_short_answer as _is_bare_answer
from .phrases import plain
from .strings import DENSE, function_words, is_blank, lazy_pattern, word_lists

LONGEST = 400
"""Characters. A longer sentence says something."""
_FEW = 2
"""Words of a part that says nothing by itself."""
_NAME = 6
"""Words of the longest name, with title and place."""

_PART = lazy_pattern(r"[,;:!?¡¿…()\[\]\"،，。、；：！？।–—]+|\.(?=\s|$)|\s-+\s")
_QUESTION = ("?", "？", "؟")
_BEHIND_QUESTION = " .…"
"""What careless writers put behind the mark."""
_COLON = (":", "：")
_ENUMERATOR = lazy_pattern(
    r"^(?:\d{1,3}(?:\.\d{1,3}){0,5}[.)]?|[^\W\d_][.)]|[一二三四五六七八九十]{1,3}、)\s*"
)
_AMOUNT = lazy_pattern(
    r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{3}|\d[.,]\d|\d\s?[%‰°€$£¥₩₫₽]|[€$£¥]\s?\d"
)
_DASH = lazy_pattern("[–—]")
_CONTRAST = lazy_pattern(
    r"\s(but|however|although|though|aber|jedoch|mais|pero|aunque|però|porém|mas|но|однако|хотя|nhưng)\s"
)
_TELLS = lazy_pattern(r"(?<! i)(?<! we)(?: (?:is|was|are|were) (?:the|an|\w+ed) | has )")
"""What is said of others than writer and reader: "Wish Upon was released in May"."""
_DENSE = lazy_pattern(f"[{DENSE}]")
_WORD = lazy_pattern(rf"[{DENSE}]{{1,2}}|[^\W_{DENSE}]+")


class _Marks(NamedTuple):
    """Words to look for in a part, which has a space at both ends and between its words."""

    words: tuple[str, ...]  # longest first
    opening: tuple[str, ...]  # the same, as a part begins with them
    by_start: dict[str, list[str]]  # those that begin a word, by its first two letters
    inside: tuple[str, ...]  # those that may stand inside of a word
    ascii_inside: tuple[str, ...]

    def within(self, part: str) -> bool:
        starts = self.by_start
        return any(
            mark in part for word in part.split() for mark in starts.get(word[:2], ())
        ) or any(mark in part for mark in (self.ascii_inside if part.isascii() else self.inside))

    def begin(self, part: str) -> bool:
        return part.startswith(self.opening)

    def without(self, part: str) -> str:
        """What follows the mark with which a part begins; the part itself if there is none."""
        if not self.begin(part):
            return part
        begun = next(mark for mark in self.opening if part.startswith(mark))
        rest = part[len(begun) :]
        if not begun.endswith(" ") and not _DENSE.search(begun):
            rest = rest.partition(" ")[2]  # the end of a word of which only the stem is listed
        return f" {rest.strip()} "


@cache
def _marks(*sections: str) -> _Marks:
    """The words of sections. ``x-`` begins a word, ``-x`` may stand inside one."""
    listed = " / ".join(word_lists("forms")[name].strip().replace("\n", " / ") for name in sections)
    words = sorted({*map(_mark, listed.split(" / "))}, key=len, reverse=True)
    by_start: dict[str, list[str]] = {}
    inside = []
    for word in words:
        if word[0] == " " and len(word) > 2:
            by_start.setdefault(word[1:3].strip(), []).append(word)
        else:
            inside.append(word)
    opening = tuple(f" {word.lstrip()}" for word in words)
    ascii_inside = tuple(filter(str.isascii, inside))
    return _Marks(tuple(words), opening, by_start, tuple(inside), ascii_inside)


def _mark(word: str) -> str:
    if word.startswith("-") or _DENSE.search(word):
        return word.strip("-")
    return f" {word.removesuffix('-')}{'' if word.endswith('-') else ' '}"


def _has(section: str, parts: Iterable[str]) -> bool:
    return any(_marks(section).within(part) for part in parts)


def _parts(text: str) -> list[str]:
    """The parts of a text between punctuation, in plain form."""
    text = re.sub(r"(?<=\w)'(?=\w)", "' ", plain(_DASH.sub(";", text))).replace("-", " ")
    text = text.replace("let' s ", "let us ").replace("here' s ", "here is ")
    text = _CONTRAST.sub(r"; \1 ", text)
    parts = (" ".join(part.split()) for part in _PART.split(text))
    return [f" {part} " for part in parts if not is_blank(part)]


def _size(text: str) -> int:
    """How many words a text has; two characters are a word in scripts without spaces."""
    return len(_WORD.findall(text))


# ---------------------------------------------------------------- sentences that claim nothing


def claims_nothing(sentence: str, *, is_item: bool = False, is_asked: bool = False) -> bool:
    """Whether a sentence has a form that claims nothing. In doubt it does claim something.

    Args:
        sentence: a statement of an answer.
        is_item: it is an item of a list or a row of a table, where a name alone says something.
        is_asked: there is a question, to which "Yes, it is." says something.
    """
    said = " ".join(sentence.split()).strip("*_>#~| ")
    if len(sentence) > LONGEST or is_blank(said):
        return False
    if is_reference(said) or _is_source_line(said):
        return True
    said = said.strip("\"'“”„«»")
    parts = _parts(said)
    if not parts or _has("stating", parts):
        return False
    if said.rstrip(_BEHIND_QUESTION).endswith(_QUESTION):
        return _asks(said, parts)
    if said.endswith(_COLON) and announces(said):
        return True
    if (not is_item and _only_names(said, parts)) or (not is_asked and _only_agrees(parts)):
        return True
    return _greets(said, parts) or _rates(said, parts) or _speaks_to_reader(said, parts)


def _only_agrees(parts: list[str]) -> bool:
    """Whether a sentence has no word that tells what it is about: "Yes, I think that is right."."""
    known = function_words()
    words = " ".join(parts).replace("'", " ").split()
    own = _marks("agreement").words
    return not _has("not", parts) and all(w in known or f" {w} " in own for w in words)


def _only_names(said: str, parts: list[str]) -> bool:
    """Whether a line has no verb, and neither the end of a sentence nor a number nor a value."""
    said = _ENUMERATOR.sub("", said)
    if any(char.isdigit() for char in said) or re.search(r"[:：=]\s*\w|[.。।|;]$", said):
        return False
    if said[:1].islower():
        return False
    most = _NAME if said.endswith(("!", "！")) else 2 * _NAME
    if not parts or sum(map(_size, parts)) > most:
        return False
    return not _is_bare_answer(said) and not any(has_verb(part.strip()) for part in parts)


def _asks(said: str, parts: list[str]) -> bool:
    """Whether a sentence with a question mark states nothing.

    Questions that presume ("Who would have guessed that …?") do, and what has a tag ("…, right?"),
    and what stands beside the question ("The fee is 5 euros, shall I book?").
    """
    whole = f" {' '.join(part.strip() for part in parts)} "
    if _marks("presuming").within(whole) or _marks("negated question").begin(whole):
        return False
    if said.rstrip("".join((*_QUESTION, _BEHIND_QUESTION))).casefold().endswith(_ends("tag")):
        return False
    if len(parts) < 2:
        return True
    asking = _marks("asking")
    others = (part for part in parts if not asking.begin(part) and not _is_marked(part))
    return not any(_size(part) > _FEW and has_verb(part.strip()) for part in others)


def announces(said: str) -> bool:
    """Whether a text that ends in a colon only names or announces what follows."""
    parts = _parts(said)
    if _AMOUNT.search(said) or _has("stating", parts):
        return False
    if not parts:
        return True
    *before, last = parts
    opening = _marks("before a lead-in")
    if any(has_verb(part.strip()) and not opening.begin(part) for part in before):
        return False
    words, tail = last.split(), _marks("tail").words
    if _marks("pointing").within(f" {' '.join(words[-4:])} ") or _marks("pointing").begin(last):
        return True
    words = _PART.split(said.rstrip(":： "))[-1].split()  # in German, a capital shows a noun
    while words and f" {words[-1].casefold()} " in tail:
        words.pop()
    return not has_verb(" ".join(words))


def awaits(said: str) -> bool:
    """Whether a text that ends in a colon says nothing whole without what follows."""
    words = said.rstrip(":： ").casefold().split()
    return not words or f" {words[-1]} " in _marks("tail").words


def _is_source_line(said: str) -> bool:
    """Whether a line names where something comes from: ``Source: guide.pdf, p. 3``."""
    label, colon, rest = said.replace("：", ":").partition(":")
    named = _marks("source label", "citation").words
    whole = "; ".join(_parts(label)).strip()
    known = whole in named or f" {whole} " in named or all(f" {w} " in named for w in whole.split())
    if not (colon and whole and known) or rest.endswith("。"):
        return False
    if is_reference(rest):
        return True
    if _DENSE.search(rest):  # a name may hold a character that is also a verb
        return _size(rest) <= 2 * _NAME
    return not has_verb(re.sub(r"[^\w\s]|\d", " ", rest).strip())


def _rates(said: str, parts: list[str]) -> bool:
    """Whether a sentence rates the answer itself: "Confidence: 85 %"."""
    whole, rated = " ".join(parts), _marks("self rating")
    if not rated.within(whole):
        return False
    if not (re.search(r"\d", said) or _has("level", parts) or _has("me", parts)):
        return False
    rest = whole.replace(" ", "  ")
    for mark in _marks("self rating", "rating filler", "me", "answer", "level").words:
        rest = rest.replace(mark.replace(" ", "  "), "  ")
    return _size(re.sub(r"\S*\d\S*", " ", rest)) <= 1


def _is_marked(part: str) -> bool:
    """Whether a part is about what the reader wants or the writer offers, or is a courtesy."""
    return any(_marks(name).within(part) for name in ("condition", "offer", "courtesy"))


# ---- courtesies


def _greets(said: str, parts: list[str]) -> bool:
    """Whether a sentence greets, thanks, wishes or reacts, and says nothing beside that."""
    kinds = [_kind(part, said) for part in parts]
    return None not in kinds and "courtesy" in kinds


def _kind(part: str, said: str) -> str | None:
    """Whether a part is a courtesy, or names someone; None if it is neither."""
    if _size(part) > 20 or _TELLS.search(part):
        return None
    if _marks("courtesy").within(part) or _marks("courtesy verbs").begin(_own(part)):
        return "courtesy"
    if part.rstrip().endswith(_ends("courtesy ending")):
        return "courtesy"
    rest = _marks("greeting").without(part)
    if rest != part and (is_blank(rest) or _names(rest, said)):
        return "courtesy"
    rest = _marks("wish").without(part)
    if rest != part and not has_verb(rest.strip()):
        return "courtesy"
    if _names(part, said):
        return "courtesy" if _marks("team").within(part) else "name"
    return "name" if _marks("that you").begin(part) else None


def _own(part: str) -> str:
    """A part without the writer and adverbs before its verb: " i really hope it helps "."""
    words = part.strip("请請您你 ").split()
    before = _marks("before a verb").words
    while words and f" {words[0]} " in before:
        words = words[1:]
    return f" {' '.join(words)} "


def _names(part: str, said: str) -> bool:
    """Whether a part is only a name, a title or a word for people."""
    people = _marks("people")
    if part.strip()[-1] >= "\u2e80":
        title = part.rstrip().endswith(tuple(m for m in people.words if m[0] >= "\u2e80"))
        return title and _size(part) <= _NAME and not has_verb(part.strip())
    capitals = {word.casefold() for word in re.findall(r"\w+", said) if word[0].isupper()}
    words = part.split()
    return len(words) <= _NAME and all(
        w in capitals or people.within(f" {w} ") or w.strip("'") in capitals for w in words
    )


# ---- words to the reader, and about the answer

_OPENING = ("opening offer", "reader does", "expert advice", "writer", "pronoun", "thinking")
_INSIDE = ("condition", "offer", "courtesy", "disclaimer", "answer", "expert")
_TO_THE_READER = (
    {"opening offer"},
    {"condition", "offer"},
    {"reader does", "answer"},
    {"expert advice", "expert"},
    {"writer"},
    {"disclaimer", "answer"},
    {"disclaimer", "pronoun"},
    {"thinking"},
    {"mind"},
)
"""The marks that a sentence to the reader has: each set is one form."""
_ONLY_BESIDE = {"answer", "expert", "pronoun"}
"""Marks that are no form of a part by themselves."""


def _speaks_to_reader(said: str, parts: list[str]) -> bool:
    """Whether a sentence offers, guides, advises, disclaims, or tells what its writer does.

    Each part has a mark of that, is a courtesy, asks, or is too short to state anything.
    """
    if ":" in said or "：" in said:
        return False
    signs = [_signs(part) for part in parts]
    if _opens("mind", parts[0]) and not _has("telling", parts):
        signs[0].add("mind")
    if not any(form.issubset(set().union(*signs)) for form in _TO_THE_READER):
        return False
    beside = _marks("asking", "before you")
    return all(
        own - _ONLY_BESIDE or _kind(part, said) or beside.begin(part) or _is_short(part)
        for part, own in zip(parts, signs, strict=True)
    )


def _signs(part: str) -> set[str]:
    """The marks of sentences to the reader that a part has."""
    opening = {name for name in _OPENING if _opens(name, part)}
    return opening | {name for name in _INSIDE if _marks(name).within(part)}


def _opens(section: str, part: str) -> bool:
    """Whether a part begins with a mark, also after words that come before a verb.

    A language that has its verb at the end, or no spaces, has it anywhere.
    """
    marks = _marks(section)
    if marks.begin(part) or marks.begin(_own(part)):
        return True
    return any(mark in part for mark in marks.words if mark[0] >= "\u2e80")


def _is_short(part: str) -> bool:
    return _size(part) <= _FEW and not _DENSE.search(part) and not has_verb(part.strip())


@cache
def _ends(section: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in _marks(section).words)


# ---------------------------------------------------------------- sentences that decline


def declines(sentence: str) -> bool:
    """Whether a sentence only says that it has no answer, or that its source is silent.

    Each of its parts says so, or only names what was asked, or is a courtesy.
    """
    said = " ".join(sentence.split())
    if len(sentence) > LONGEST or said.rstrip(_BEHIND_QUESTION).endswith(_QUESTION):
        return False
    raw = _parts(said.replace('"', ""))
    if not any(map(_marks("not", "decline alone").within, raw)):
        return False  # as most sentences
    raw = [part for part in raw if _without_regret(part)]
    parts = list(map(_without_regret, raw))
    searched = _has("looking", parts)
    silent = [_is_silent(part, searched) for part in parts]
    return any(silent) and all(
        silent[place]
        or _names_topic(raw[place], part, after=any(silent[:place]))
        or _names(part, said)
        for place, part in enumerate(parts)
    )


def _names_topic(raw: str, part: str, *, after: bool) -> bool:
    """Whether a part only names what was asked, or is a courtesy.

    ``after``: a part before it says that there is no answer.
    """
    if _is_marked(part) and not any(char.isdigit() for char in part):
        return True
    if _marks("contrast").begin(raw):
        return False
    if _marks("depending").begin(part) or _marks("looking").within(part) or _size(part) <= 1:
        return True
    return after and _size(part) <= _NAME and not has_verb(part.strip())


def _without_regret(part: str) -> str:
    """A part without words of regret at its beginning; "" if nothing else is there."""
    regret = _marks("regret")
    while regret.begin(part) and not is_blank(part):
        part = regret.without(part)
    return "" if is_blank(part) else part


def _is_silent(part: str, searched: bool) -> bool:
    """Whether a part says that an answer is missing, or is not given.

    ``searched``: another part says that the writer looked for it.
    """
    if _marks("stating").within(part) and not _marks("because it is silent").within(part):
        return False
    if _marks("decline alone").within(part):
        return True
    denial, source, speaks = _first("not", part), _first("source", part), _marks("me").within(part)
    says = _marks("saying").within(part)
    if denial < 0 or not (source >= 0 or says or speaks):
        return False
    if _is_bare(part):
        return True
    if not says or not (source >= 0 or searched or speaks):
        return False
    if _DENSE.search(part) or part.strip()[-1] >= "\uac00":
        return True
    # It is the writer or its source that does not say it, not a witness.
    most = _FEW + 1 if searched or speaks else 0 if source > denial else _FEW
    return _unknown(part[:denial]) <= most


def _unknown(part: str) -> int:
    """How many words name neither the writer, nor its source, nor what these do."""
    names = ("me", "source", "saying", "bare")
    return sum(not _marks(*names).within(f" {word} ") for word in part.split())


def _first(section: str, part: str) -> int:
    """Where the first mark of a section is; -1 if there is none."""
    marks = _marks(section)
    if not marks.within(part):
        return -1
    return min((at for mark in marks.words if (at := part.find(mark)) >= 0), default=-1)


def _is_bare(part: str) -> bool:
    """Whether a part has no more words than it takes to say that there is nothing."""
    bare = _marks("bare").words
    for mark in bare:
        part = part.replace(mark, " ") if _DENSE.search(mark) else part
    return all(f" {word} " in bare for word in part.split())


def accompanies(sentence: str) -> bool:
    """Whether a sentence adds nothing beside one that declines: regret, an offer, advice."""
    said = " ".join(sentence.split())
    if len(sentence) > LONGEST or is_blank(said):
        return False
    if claims_nothing(sentence):
        return True
    parts = [rest for part in _parts(said) if (rest := _without_regret(part))]
    if any(char.isdigit() for char in said) or _has("stating", parts):
        return not parts
    advised = [_opens("advice", part) for part in parts]
    return not parts or (
        any(advised) and all(a or _is_marked(p) for p, a in zip(parts, advised, strict=True))
    )
