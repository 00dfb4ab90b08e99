"""The presets: each grading system is one value of ``Policy``, as ``presets.json`` says.

To add a system, add its fields there, where it differs from its source to ``deviations.md``, and
its scores as a file of golden rows. Options under the source's own names are in ``load.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ..files import open_text
from ..reading.rows import LABEL_WORDS
from ..records.model import Label
from ..text.strings import sections
from .policy import TAKES, Policy

# Systems and parts of systems that score as a preset does.
ALIASES: Mapping[str, str] = {
    "deepevalex": "deepeval",
    "ragas-collections": "ragas",
    "ragaliq-hallucination": "hallucination",
    "masis-critic": "masis",
    "masis-evaluator": "masis",
}

# In deepeval every way to say no is a contradiction. Only these words leave a claim open, and so
# earn full credit there; whatever else a judge calls "not supported", in any language, does not.
_DEEPEVAL_OPEN = frozenset(
    """not_enough_info not_enough_information not_enough_evidence notenoughinfo nei
    insufficient_information insufficient_info insufficient_evidence insufficient_context
    no_evidence no_support no_information no_info neutral idk i_don't_know i_dont_know unknown
    unverifiable unverified not_verifiable not_verified cannot_be_verified can't_be_verified
    cannot_verify borderline not_mentioned not_stated not_found not_present not_provided
    not_in_context not_in_the_context not_addressed not_attributable unattributable
    extrapolatory""".split()
)
_DEEPEVAL_NO = [w for w in LABEL_WORDS["not_enough_info"].split() if w not in _DEEPEVAL_OPEN]
_DEEPEVAL_LABELS: dict[str, Label] = dict.fromkeys((*_DEEPEVAL_NO, "0"), "contradicted")


def _presets() -> Iterator[Policy]:
    folder = __file__.removesuffix("presets.py")
    with open_text(f"{folder}presets.json") as file:
        data = json.load(file)
    differs = {
        name: tuple(" ".join(item.split()) for item in text.split("\n- ")[1:])
        for name, text in sections(f"{folder}deviations.md").items()
    }
    differs["ragaliq-adr006"] = differs["ragaliq"]
    differs["hallucination"] += differs["ragaliq"]
    known: dict[str, dict[str, Any]] = {"default": {}, **data["shared"]}
    for name, own in data["policies"].items():
        known[name] = {**known[own.pop("base", "default")], **own}
        fields = {field: TAKES[field].from_data(value, {}) for field, value in known[name].items()}
        labels = _DEEPEVAL_LABELS if name == "deepeval" else {}
        deviations = differs.get(name, ())
        yield Policy(**{**fields, "name": name, "labels": labels, "deviations": deviations})


policies: Mapping[str, Policy] = MappingProxyType({policy.name: policy for policy in _presets()})
