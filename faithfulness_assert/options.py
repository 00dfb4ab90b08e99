"""The table of all options: what each means, which values it takes, and which part takes it.

``grade()``, ``Grader``, the promptfoo hook and the command line read it. It is in ``options.txt``;
a policy's fields say this themselves (``policy/policy.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, get_args

from .cases.systems import CASE_ALIASES
from .policy.load import FIELD_NAMES, SOURCE_OPTIONS
from .policy.policy import OF_PRESETS, Policy
from .records.errors import ConfigError, suggest
from .text.sentences import FIND
from .text.strings import sections

if TYPE_CHECKING:
    from os import PathLike
    from typing import TypedDict

    from .policy import values
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
        split: values.Split
        verify: values.Verify
        truths_limit: int | None
        labels: Mapping[str, Label]
        weights: Mapping[Label, float]
        allow_not_a_claim: bool
        all_or_nothing: bool
        fail_on: Sequence[Label]
        fail_on_flags: Sequence[str]
        inverse: bool
        endings: Mapping[values.NothingToGrade, values.Ending | float]
        on_missing: values.OnMissing
        on_failed: values.OnMissing
        citations: values.Citations
        hedges: Sequence[str]
        score_caps: Sequence[values.ScoreCap | Mapping[str, Any]]
        strict_evidence: bool
        reasks: int
        samples: int
        reasons: Reasons
        explain: values.Explain
        controls: values.Controls
        guidance: str
        examples: Sequence[values.Example | Mapping[str, str]]

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


_SECTIONS = sections(__file__.removesuffix("py") + "txt")


def _rows(part: Part) -> Iterator[Option]:
    """The options of a section of ``options.txt``; those of a policy say this themselves."""
    if part == "policy":
        for field in fields(Policy):
            if field.name in FIELD_NAMES:
                description = field.metadata["takes"].description
                yield Option(field.name, field.metadata["meaning"], description, part)
        return
    for line in filter(None, _SECTIONS[part].splitlines()):
        name, meaning, values = line.split(" | ")
        yield Option(name, meaning, values, part)


_PARTS: tuple[Part, ...] = get_args(Part)
OPTIONS: Mapping[str, Option] = {option.name: option for part in _PARTS for option in _rows(part)}


def names_taken_by(*parts: Part) -> frozenset[str]:
    """The names of the options that these parts take."""
    return frozenset(name for name, option in OPTIONS.items() if option.taken_by in parts)


UNSTORED: Mapping[str, Any] = {"cache": None, "cache_only": False}
"""Options for a grade that must ask the judge itself."""
GRADER_NAMES = names_taken_by("judge", "grader", "policy")
CASE_NAMES = names_taken_by("case").union(*CASE_ALIASES.values())


def taken_by(part: Part, options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of ``options`` that this part takes."""
    taken = (name for name in options if name in OPTIONS and OPTIONS[name].taken_by == part)
    return {name: options[name] for name in taken}


def hide_key(options: GraderOptions | GradeOptions | dict[str, Any]) -> None:
    """Makes secrets hide themselves: pytest shows the locals of functions that fail."""
    if "api_key" in options or "base_url" in options or "extra_headers" in options:
        from .judges.remote import endpoint

        endpoint.hide_key(cast("dict[str, Any]", options))


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
            meaning = re.sub(r" \(\[.*?\]\(.*?\)\)", "", option.meaning)  # links are for pages
            yield f"{option.name:{width}}  {meaning}: {option.values}"


def parse_options(given: Iterable[str], where: str) -> dict[str, Any]:
    """Options written as ``NAME=VALUE``, where VALUE is JSON or text.

    Raises:
        ConfigError: one has no name or no ``=``, or is a list or an object as Python or a shell
            has it. ``where``: what the message calls it.
    """
    import json  # most users name their options in Python, or in a file

    options: dict[str, Any] = {}
    for item in given:
        name, sign, value = item.partition("=")
        if not sign or not name.strip():
            raise ConfigError(f"{where}: must be NAME=VALUE, got {item!r}")
        try:
            parsed = json.loads(f"0{value}" if value.startswith(".") else value)  # .9 is 0.9
        except (ValueError, RecursionError):
            if value[:1] + value[-1:] in ("{}", "[]"):
                advice = "not JSON, which has its names and texts in double quotes"
                raise ConfigError(f"{where} {name}: {advice}: {value:.200}") from None
            parsed = value
        options[name.strip().replace("-", "_")] = parsed
    return options


NAMED_BY_JUDGE = ("model", "provider", "grader", "llm")
"""What other systems call the model that grades."""
_BESIDE = CASE_NAMES | {"judge", "policy", "threshold", "concurrency"}


def check_names(names: Iterable[str]) -> None:
    """Raises ``ConfigError`` for the names that are not options of ``Grader``, all at once."""
    problems = list[str]()
    for name in names:
        if name in GRADER_NAMES:
            continue
        systems = " or ".join(p for p, options in SOURCE_OPTIONS.items() if name in options)
        if name in NAMED_BY_JUDGE:
            hint = "The judge's name has it: judge='openai:MODEL'."
        elif name in OF_PRESETS:
            hint = f"Only a policy sets it: policy={{'base': 'default', {name!r}: ...}}."
        elif name in _BESIDE:
            hint = "Where it can be given, it is an argument of its own, or in the data."
        elif systems:
            hint = f"With the policy {systems} it goes into policy_options."
        else:
            hint = suggest(name, GRADER_NAMES | _BESIDE)
        problems.append(f"{name}: unknown option. {hint}")
    if problems:
        raise ConfigError(" ".join(problems))


def check_language(value: object) -> str:
    """``value`` as a language code in lower case, or ``auto``."""
    code = value.lower() if isinstance(value, str) else ""
    if code != FIND and not re.fullmatch("[a-z]{2,3}([-_][a-z0-9]{1,8}){0,3}", code):
        raise ConfigError(
            f"language: must be a language code such as 'en' or 'pt-BR', got {value!r:.80}"
        )
    return code
