"""Which output of a model means which label: as its config names them, or as the user says.

A model whose outputs are called LABEL_0 and LABEL_1 is never guessed at: the wrong order would turn
every verdict round.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...records.errors import ConfigError, suggest
from ...text.strings import clip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...records.model import Label

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
    given: object, config: Mapping[str, Any], outputs: int | None, published: tuple[Label, ...]
) -> tuple[Label, ...]:
    """The label of each output of a model.

    Args:
        given: the option ``label_order``; None if it was not given.
        config: the model's, which may name its outputs (``id2label``).
        outputs: how many the model has, if that is known.
        published: the order in which models of this family are published; () if there is none.

    Raises:
        ConfigError: nothing says which output is which, or the option does not fit the model.
    """
    names = _names(config)
    if given is not None:
        order = _given(given)
        count = outputs or len(names) or len(order)
        if len(order) != count:
            raise ConfigError(
                f"label_order: the model has {count} outputs, got {len(order)}: name each, in order"
            )
        return order
    known = tuple(_LABELS.get(_plain(name)) for name in names)
    order = tuple(label for label in known if label)
    if names and len(order) == len(names) <= 3 and _is_usable(order):
        return order
    if published and len(published) == (outputs or len(names) or len(published)):
        return published
    shown = ", ".join(clip(name, 30) for name in names[:6])
    which = f"its {len(names)} outputs" if len(names) > 1 else "its output"
    said = f"calls {which} {shown}" if names else "does not name its outputs"
    raise ConfigError(
        f"label_order: the model's config {said}, so nobody knows what each means; say it in their "
        f"order, such as label_order={_example(outputs or len(names) or 2)} (see the model's card)"
    )


def _example(outputs: int) -> str:
    """An order of so many outputs."""
    few = {1: "supported", 2: "not_enough_info,supported"}
    between = ",".join(["not_enough_info"] * min(outputs - 2, 4))
    return few.get(outputs) or f"supported,{between},contradicted"


def _names(config: Mapping[str, Any]) -> list[str]:
    """The names of the outputs, in order; [] if the config has none, or not one for each."""
    named = config.get("id2label")
    if not isinstance(named, dict):
        return []
    try:
        numbered = {int(number): str(name) for number, name in named.items()}
    except ValueError:
        return []
    whole = sorted(numbered) == list(range(len(numbered)))
    return [numbered[number] for number in sorted(numbered)] if whole else []


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.strip()).strip("_").casefold()


def _given(value: object) -> tuple[Label, ...]:
    words = value.split(",") if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise ConfigError("label_order: must be a list of labels, such as supported,contradicted")
    order = []
    for word in words:
        if (label := _LABELS.get(_plain(word))) is None:
            raise ConfigError(f"label_order: unknown label {word!r:.40}. {suggest(word, _WORDS)}")
        order.append(label)
    if not _is_usable(tuple(order)):
        raise ConfigError(
            "label_order: must have 'supported', and another label beside it unless the model has "
            f"a single output; got {', '.join(order) or 'none'}"
        )
    return tuple(order)


def _is_usable(order: tuple[Label, ...]) -> bool:
    """Whether one output speaks for a statement, and another one against it, if there are more."""
    return "supported" in order and (len(order) == 1 or len(set(order)) > 1)
