"""Probes of the user's own contexts: sentences of them, altered by rules, and word for word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ..batch.data_sets import DataSet, open_data_set
from ..batch.run_directory import RunDirectory
from ..cases.case import Case
from ..records.errors import ConfigError, InputError
from ..text.evidence import number_sentences
from ..text.statements import split_statements
from .rules import ALTERED, RULE_KINDS, altered, is_plain
from .scenes import PER_ASK, Probe

MOST_CASES = 5000
"""Cases of a data set that are looked at, the first ones."""
MOST_CHARS = 20_000
"""Characters of a context. In a longer one, other sentences may say what an altered one says."""


class Own(NamedTuple):
    """The probes of the user's contexts, and what is to be said of them."""

    probes: list[Probe]
    notes: list[str]


def own_probes(source: Any, per_kind: int, draw: int) -> Own:
    """Up to so many statements of each kind, each of a kind of another context.

    Args:
        source: a data set as for ``open_data_set``, or the directory of a run.

    Raises:
        ConfigError: it cannot be read, or it has no context of which a rule could make a statement.
    """
    chance = Random(f"contexts {draw}")  # noqa: S311 - not used for security
    left, probes = Counter(dict.fromkeys(RULE_KINDS, per_kind)), list[Probe]()
    contexts = list(_contexts(source))
    if not contexts:
        short = f"of at most {MOST_CHARS:,} characters"
        raise ConfigError(f"contexts: no case has a context {short}; give other cases")
    chance.shuffle(contexts)
    for name, context in contexts:
        made = _statements(context, [kind for kind in left if left[kind] > 0], chance)
        if any(kind != "verbatim" for kind, _ in made):
            probes.append(Probe(name, context, tuple(made[:PER_ASK])))
            left.subtract(kind for kind, _ in made)
        if not any(left[kind] > 0 for kind in ALTERED):
            break
    if not probes:
        problem = "no rule could alter a sentence of them beyond doubt"
        raise ConfigError(f"contexts: {problem}; rules need plain English sentences")
    return Own(probes, list(_notes(left, per_kind, len(contexts))))


def _notes(left: Counter[str], per_kind: int, contexts: int) -> Iterator[str]:
    yield f"Your own contexts: {contexts:,} different ones were looked at"
    none = [kind for kind in RULE_KINDS if left[kind] == per_kind]
    if none:
        yield f"Your own contexts have no sentence for: {', '.join(none)}"


def _contexts(source: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each different context of the first cases, with the name of its case."""
    seen: set[tuple[str, ...]] = set()
    for row in islice(_data_set(source).rows(), MOST_CASES):
        context = _context_of(row.fields)
        if context and context not in seen and sum(map(len, context)) <= MOST_CHARS:
            seen.add(context)
            yield f"contexts {row.case_id}", context


def _context_of(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """The passages of a row, with or without an answer; () if it has none that can be read."""
    cases = (_case(given) for given in (fields, {**fields, "answer": "-"}))
    case = next(filter(None, cases), None)
    return tuple(passage.text for passage in case.context) if case else ()


def _case(fields: Mapping[str, Any]) -> Case | None:
    try:
        return Case(**fields)
    except InputError:
        return None


def _data_set(source: Any) -> DataSet:
    """A data set, or that of a run if it is still what was graded.

    A run may come from somebody else. What it names is used only if its content is that of the run.
    """
    if not isinstance(source, str | PathLike) or not Path(fspath(source)).is_dir():
        return open_data_set(source)
    about = RunDirectory(Path(fspath(source))).about()
    if about is None:
        raise ConfigError(f"contexts: {source}: no run is in this folder")
    graded = about.get("input") or {}
    data_set = open_data_set(str(graded.get("name")))
    if data_set.fingerprint() != graded.get("fingerprint"):
        problem = f"{graded.get('name')} has changed since the run"
        raise ConfigError(f"contexts: {problem}; give the data set itself")
    return data_set


def _statements(
    context: tuple[str, ...], kinds: list[str], chance: Random
) -> list[tuple[str, str]]:
    """A statement of each of these kinds, where the context has a sentence for it."""
    sentences = [sentence.text for sentence in number_sentences(Case("-", context))]
    chance.shuffle(sentences)
    whole, used, made = "\n".join(context), set[str](), list[tuple[str, str]]()
    for kind in kinds:
        for sentence in sentences:
            plain = (sentence not in used or kind == "verbatim") and is_one(sentence)
            text = _made(kind, sentence, whole, chance) if plain else None
            if text is not None:
                used.add(sentence)
                made.append((kind, text))
                break
    chance.shuffle(made)
    return made


def _made(kind: str, sentence: str, whole: str, chance: Random) -> str | None:
    if kind == "verbatim":
        return sentence if is_plain(sentence) else None
    return altered(kind, sentence, whole, chance)


def is_one(sentence: str) -> bool:
    """Whether an answer with this sentence is asked about as it stands."""
    return is_plain(sentence) and split_statements(sentence) == [sentence]
