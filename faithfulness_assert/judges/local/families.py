"""Families of checkers: how each reads a document with a statement, as it was published.

The texts of the inputs and the sizes of the chunks are those of the authors' own code; see
docs/local-judges.md for the sources.

Which output of a model means which label says its config, or the user. A model whose outputs are
called LABEL_0 and LABEL_1 is never guessed at: the wrong order would turn every verdict round.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ...records.errors import ConfigError, suggest
from ...records.model import Label
from ...text.strings import clip

Head = Literal["labels", "first_token", "tokens", "words"]
"""Where the verdict is in what a model puts out.

``labels``: one output for each label; ``first_token``: those of the first token; ``tokens``: those
of each token of the statement; ``words``: the first word that it would write.
"""


class Family(NamedTuple):
    """How checkers of a family are used.

    Args:
        name: the value of the option ``family``.
        head: where the verdict is.
        first, second: the input: one text, or two that the model's tokenizer joins. They name a
            chunk of the context (``document``), the ``statement``, and the token that ``end``s a
            text.
        asked: the first text if there is a ``question``, which it names; "" if it is never read.
        chunk: the most words (or tokens) of a chunk; None for as many as the model reads.
        counts_words: whether ``chunk`` counts words.
        most: the most tokens of an input where the config does not say.
        published: the label of each output, where the config does not say.
    """

    name: str
    head: Head
    first: str
    second: str | None = None
    asked: str = ""
    chunk: int | None = None
    counts_words: bool = False
    most: int = 512
    published: tuple[Label, ...] = ()


_NO_YES: tuple[Label, ...] = ("not_enough_info", "supported")
_CLAIM = "{document}{end}{statement}"
_HHEM = (
    "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {document}\n\n"
    "Hypothesis: {statement}"
)
_LETTUCE = "Summarize the following text:\npassage 1: {document}\noutput:"
_LETTUCE_ASKED = (
    "Briefly answer the following question:\n{question}\nBear in mind that your response "
    "should be strictly based on the following 1 passages:\npassage 1: {document}\nIn case "
    "the passages do not contain the necessary information to answer the question, please "
    'reply with: "Unable to answer based on given passages."\noutput:'
)
_FAMILIES = (
    Family("pair", "labels", "{document}", "{statement}"),
    Family("minicheck", "labels", _CLAIM, chunk=400, most=2048, published=_NO_YES),
    Family("minicheck", "words", f"predict: {_CLAIM}", chunk=500, counts_words=True, most=2048),
    Family("true", "words", "premise: {document} hypothesis: {statement}"),
    Family("hhem", "first_token", _HHEM, most=4096, published=_NO_YES),
    Family(
        *("lettucedetect", "tokens", _LETTUCE, "{statement}", _LETTUCE_ASKED),
        most=4096,
        published=_NO_YES[::-1],
    ),
)
"""One name may have two: models that write words, and others."""
NAMES = list(dict.fromkeys(family.name for family in _FAMILIES))


def family_of(given: object, config: Mapping[str, Any], name: str) -> Family:
    """The family of a model: the one that is given, else what its config and its name say.

    Args:
        given: the option ``family``; None if it was not given.
        config: the model's.
        name: of the model, or of its folder.

    Raises:
        ConfigError: there is no such family, or nothing says which one it is.
    """
    if given is not None and given not in NAMES:
        raise ConfigError(f"family: unknown family {given!r:.40}. {suggest(str(given), NAMES)}")
    architectures = config.get("architectures")
    kinds = [str(kind) for kind in architectures] if isinstance(architectures, list) else []
    kind, name = kinds[0] if kinds else "", name.casefold()
    signs = {
        "hhem": config.get("model_type") == "HHEMv2",
        "minicheck": "minicheck" in name,
        "true": "true_nli" in name,
        "lettucedetect": "lettuce" in name,
        "pair": kind.endswith("ForSequenceClassification"),
    }
    chosen = given or next((family for family, is_there in signs.items() if is_there), None)
    if chosen is None:
        raise ConfigError(
            f"family: the config of the model names {kind or 'no architecture'}, of which it does "
            f"not follow how it is asked; name one of {', '.join(NAMES)} with the option family "
            "(family=lettucedetect for one that marks the tokens that are not supported)"
        )
    writes = kind.endswith("ForConditionalGeneration")
    fitting = [f for f in _FAMILIES if f.name == chosen and (f.head == "words") is writes]
    what = "writes words" if writes else "does not write words"
    if fitting and kind.endswith("ForTokenClassification") and fitting[0].head == "labels":
        fitting, what = [], "labels tokens"
    if not fitting:
        raise ConfigError(f"family: {chosen!r} does not fit a {kind or 'model'}, which {what}")
    return fitting[0]


_WORDS: Mapping[Label, str] = {
    "supported": "supported supports support entailment entailed entails entail consistent "
    "faithful grounded attributable factual yes true",
    "partially_supported": "partially_supported partial",
    "not_enough_info": "not_enough_info neutral nei unsupported unverifiable not_supported "
    "not_entailment not_entailed inconsistent hallucinated hallucination unfaithful ungrounded "
    "not_attributable no false not",
    "contradicted": "contradicted contradiction contradicts contradict contradictory refuted "
    "refutes refute",
}
_LABELS: Mapping[str, Label] = {w: label for label, words in _WORDS.items() for w in words.split()}


def label_order(
    given: Sequence[str] | None,
    config: Mapping[str, Any],
    outputs: int | None,
    published: tuple[Label, ...],
) -> tuple[Label, ...]:
    """The label of each output of a model.

    Args:
        given: the words of the option ``label_order``; None if it was not given.
        config: the model's, which may name its outputs (``id2label``).
        outputs: how many the model has, if that is known.
        published: the order in which models of this family are published; () if there is none.

    Raises:
        ConfigError: nothing says which output is which, or the option does not fit the model.
    """
    told = config.get("id2label")
    named = told if isinstance(told, dict) else {}
    numbers = [str(number) for number in range(len(named))]
    names = [str(named[n]) for n in numbers] if all(n in named for n in numbers) else []
    words = names if given is None else given
    count = outputs or (len(names) if names or given is None else len(words))
    order = tuple(label for label in map(_LABELS.get, map(_plain, words)) if label)
    # One output speaks for a statement, and another one against it, if there are more.
    is_usable = "supported" in order and (len(order) == 1 or len(set(order)) > 1)
    is_whole = is_usable and len(order) == len(words) == (count or len(words))
    if is_whole and (given is not None or len(words) <= 3):
        return order
    if given is not None:
        unknown = next((suggest(w, _WORDS) for w in given if _plain(w) not in _LABELS), "")
        raise ConfigError(
            f"label_order: name what each of the model's {count} outputs means, in their order, "
            f"supported and another label among them; got {', '.join(given)}. {unknown}".rstrip()
        )
    if published and len(published) == (count or len(published)):
        return published
    shown = ", ".join(clip(name, 30) for name in names[:6]) or "by no name"
    raise ConfigError(
        f"label_order: the model's config calls its outputs {shown}, so nobody knows what each "
        "means; say it in their order, such as label_order=not_enough_info,supported (see the "
        "model's card)"
    )


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.strip()).strip("_").casefold()


def words_in(given: object) -> tuple[str, ...] | None:
    """The words of the option ``label_order``; None if it was not given.

    Raises:
        ConfigError: it has no words.
    """
    if given is None:
        return None
    words = given.split(",") if isinstance(given, str) else given
    if isinstance(words, list | tuple) and all(isinstance(w, str) and w.strip() for w in words):
        return tuple(word.strip() for word in words)
    raise ConfigError("label_order: must be a list of labels, such as supported,contradicted")
