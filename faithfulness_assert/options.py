"""The table of all options: what each means, which values it takes, and which part takes it.

``grade()``, ``Grader``, the promptfoo hook and the command line read it. A policy's fields say this
themselves (``policy/policy.py``). Plain data: the hook loads it in every assertion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from .cases.systems import CASE_ALIASES
from .conversations.events import MESSAGE_ROLES
from .policy.load import FIELD_NAMES, SOURCE_OPTIONS
from .policy.policy import OF_PRESETS, Policy
from .records.errors import ConfigError, suggest

if TYPE_CHECKING:
    from os import PathLike
    from typing import TypedDict

    from .policy.values import (
        Citations,
        Controls,
        Ending,
        Example,
        Explain,
        NothingToGrade,
        OnMissing,
        ScoreCap,
        Split,
        Verify,
    )
    from .records.judge import Reasons
    from .records.model import CitationAudit, Label

    class GraderOptions(TypedDict, total=False):
        """The options of ``Grader`` for editors and type checkers (a test compares the table)."""

        base_url: str | None
        api_key: str | None
        timeout: float | None
        max_retries: int
        temperature: float | Literal["auto"] | None
        seed: int | None
        max_prompt_tokens: int | None
        max_statements: int
        max_tokens: int | None
        reasoning_effort: str | None
        extra_body: Mapping[str, Any] | None
        extra_headers: Mapping[str, str] | None
        client: Any
        claims_judge: Any
        family: str | None
        label_order: Sequence[str] | str | None
        support_at: float
        device: str
        cache: str | PathLike[str] | None
        cache_only: bool
        deadline: float | None
        language: str
        policy_options: Mapping[str, Any] | None
        prices: Mapping[str, Any] | None
        evidence_roles: Sequence[str] | None
        split: Split
        verify: Verify
        truths_limit: int | None
        labels: Mapping[str, Label]
        weights: Mapping[Label, float]
        allow_not_a_claim: bool
        all_or_nothing: bool
        fail_on: Sequence[Label]
        fail_on_flags: Sequence[str]
        inverse: bool
        endings: Mapping[NothingToGrade, Ending | float]
        on_missing: OnMissing
        on_failed: OnMissing
        citations: Citations
        hedges: Sequence[str]
        score_caps: Sequence[ScoreCap | Mapping[str, Any]]
        strict_evidence: bool
        reasks: int
        samples: int
        reasons: Reasons
        explain: Explain
        controls: Controls
        guidance: str
        examples: Sequence[Example | Mapping[str, str]]

    class CaseOptions(TypedDict, total=False):
        """Fields of a case that have no parameter of their own, also as other systems call them."""

        citation_audit: CitationAudit | Mapping[str, Any] | None
        messages: Any
        actual_output: Any
        response: Any
        final_answer: Any
        retrieval_context: Any
        retrieved_contexts: Any
        retrieved_content: Any
        contexts: Any
        evidence: Any
        user_input: Any
        query: Any
        input: Any
        user_query: Any
        last_citation_audit: Any
        turns: Any

    class GradeOptions(GraderOptions, CaseOptions, total=False):
        """The options of ``grade()``."""

        id: str


Part = Literal["judge", "grader", "policy", "case"]

DEADLINE = 300.0


class Option(NamedTuple):
    """One option."""

    name: str  # the keyword of grade(), and the key in a promptfoo config or a policy file
    meaning: str  # in one line
    values: str  # in words
    taken_by: Part


_JUDGE = (
    ("base_url", "address of the judge's API", "http or https address"),
    ("api_key", "key for the judge's API", "text; default: the environment's"),
    ("timeout", "seconds for one try of an ask", "up to 86,400; default 60, more for thinking"),
    ("max_retries", "tries after the first one, if it may succeed later", "0 to 100"),
    (
        "temperature",
        "randomness of replies ([samples](scores.md#how-sure-is-the-judge))",
        "from 0; null: the server's own; default auto: 0, and 1 for samples after the first",
    ),
    ("seed", "repeat a grade ([seed](judges.md#seed))", "whole number"),
    ("max_prompt_tokens", "longest prompt of one ask", "tokens; default: by model"),
    ("max_statements", "most statements in one ask", "whole number from 1"),
    ("max_tokens", "most tokens of a reply, thinking included", "default: what it needs"),
    ("reasoning_effort", "how much the judge thinks", "none, low, medium, high or the like"),
    ("extra_body", "merged into each request", "mapping; not messages or model"),
    ("extra_headers", "further headers of each request", "mapping of names to texts"),
    (
        "client",
        "client that asks for the judge ([clients](judges.md#clients))",
        "Python only: openai.OpenAI or the like",
    ),
    (
        "claims_judge",
        "judge that writes claims, truths and reasons for this one",
        "as judge; its key and address: the environment's",
    ),
    (
        "family",
        "how a checker is asked ([families](local-judges.md#families))",
        "a family; behind a server json or document_claim; default: by config and name, or json",
    ),
    (
        "label_order",
        "label of each output of a local model, or the words that it writes",
        "list of labels, or two words for supported and not; default: by its config",
    ),
    ("support_at", "what a local model's probability must exceed", "0 to 1; default 0.5"),
    ("device", "where a local model computes", "cpu, cuda, mps; default: a GPU, else cpu"),
)
_PRICES = "mapping of prompt, completion, cached to numbers"
_ROLES = f"list of {', '.join(MESSAGE_ROLES)}; default tool"
_GRADER = (
    ("cache", "store replies here and reuse them", "folder"),
    ("cache_only", "read only stored replies: needs no key and no network", "true or false"),
    ("deadline", "seconds for a whole grade", "over 0, up to 86,400; default 300"),
    ("language", "language of the texts", "code such as en or pt; default en"),
    ("policy_options", "options as its source names them", "mapping"),
    ("prices", "price per million tokens", _PRICES),
    ("evidence_roles", "whose messages are evidence", _ROLES),
)
_CASE = (
    ("id", "your name for the case", "text"),
    ("citation_audit", "earlier audit of the answer's citations", "record or mapping"),
    ("messages", "conversation with the answer, in place of texts", "list of messages"),
)
_ROWS = (
    *(Option(*row, "judge") for row in _JUDGE),
    *(Option(*row, "grader") for row in _GRADER),
    *(
        Option(f.name, f.metadata["meaning"], f.metadata["takes"].said, "policy")
        for f in fields(Policy)
        if f.name in FIELD_NAMES
    ),
    *(Option(*row, "case") for row in _CASE),
)
OPTIONS: Mapping[str, Option] = {option.name: option for option in _ROWS}


def names_taken_by(*parts: Part) -> frozenset[str]:
    """The names of the options that these parts take."""
    return frozenset(name for name, option in OPTIONS.items() if option.taken_by in parts)


UNSTORED: Mapping[str, Any] = {"cache": None, "cache_only": False}
"""Options for a grade that must ask the judge itself."""
GRADER_NAMES = names_taken_by("judge", "grader", "policy")
CASE_NAMES = names_taken_by("case").union(*CASE_ALIASES.values())


def taken_by(part: Part, options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of ``options`` that this part takes."""
    names = names_taken_by(part)
    return {name: value for name, value in options.items() if name in names}


def hide_key(options: GraderOptions | GradeOptions | dict[str, Any]) -> None:
    """Makes key and headers hide themselves: pytest shows the locals of functions that fail."""
    if "api_key" in options or "extra_headers" in options:
        from .judges.remote import settings

        settings.hide_key(cast("dict[str, Any]", options))


def split_options(options: GradeOptions | dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of the case, and all others. The key hides itself."""
    hide_key(options)
    case = {name: value for name, value in options.items() if name in CASE_NAMES}
    return case, {name: value for name, value in options.items() if name not in case}


def option_lines() -> Iterator[str]:
    """The options of ``Grader`` and ``--option``, one line each: name, meaning and values."""
    width = max(map(len, GRADER_NAMES))
    for option in OPTIONS.values():
        if option.name in GRADER_NAMES:
            yield f"{option.name:{width}}  {option.meaning}: {option.values}"


def parse_options(given: Iterable[str], where: str) -> dict[str, Any]:
    """Options written as ``NAME=VALUE``, where VALUE is JSON or text.

    Raises:
        ConfigError: one has no ``=``. ``where``: what the message calls it.
    """
    import json  # most users name their options in Python, or in a file

    options: dict[str, Any] = {}
    for item in given:
        name, sign, value = item.partition("=")
        if not sign:
            raise ConfigError(f"{where}: must be NAME=VALUE, got {item!r}")
        try:
            parsed = json.loads(f"0{value}" if value.startswith(".") else value)  # .9 is 0.9
        except (ValueError, RecursionError):
            parsed = value
        options[name.strip().replace("-", "_")] = parsed
    return options


def check_names(names: Iterable[str]) -> None:
    """Raises ``ConfigError`` for the first name that is not an option of ``Grader``."""
    for name in names:
        if name not in GRADER_NAMES:
            systems = " or ".join(p for p, options in SOURCE_OPTIONS.items() if name in options)
            hint = systems and f"With the policy {systems} it goes into policy_options."
            if name in OF_PRESETS:
                hint = f"Only a policy sets it: policy={{'base': 'default', {name!r}: ...}}."
            raise ConfigError(f"{name}: unknown option. {hint or suggest(name, GRADER_NAMES)}")


def check_language(value: object) -> str:
    """``value`` as a language code in lower case."""
    code = value.lower() if isinstance(value, str) else ""
    if not re.fullmatch("[a-z]{2,3}([-_][a-z0-9]{1,8}){0,3}", code):
        raise ConfigError(
            f"language: must be a language code such as 'en' or 'pt-BR', got {value!r:.80}"
        )
    return code
