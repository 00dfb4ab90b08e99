"""The promptfoo ``python`` assertion. A fresh process for each assertion runs it: what it imports is its speed.

It returns a result for everything, its own failures included, and raises in one case only: an undefined result under ``not-python``, where
promptfoo would turn our failure into a pass.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from ..grading import GRADER_OPTIONS, JUDGE_OPTIONS, Grader
from ..plan.conclude import invalid_input
from ..policy.load import FIELD_NAMES
from ..policy.presets import policies
from ..records.errors import ConfigError, FaithfulnessError, InputError, suggest
from ..records.result import Components
from ..text.strings import clip, names_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..records.result import GradingResult

JUDGE_VARIABLE = "FAITHFULNESS_ASSERT_JUDGE"

# Where each text is looked for when the config does not say: these names, first in vars, then in providerResponse.metadata.
NAMES: Mapping[str, tuple[str, ...]] = {
    "context": (
        "context",
        "contexts",
        "retrieved_contexts",
        "retrieval_context",
        "retrieved_content",
        "documents",
        "passages",
        "sources",
    ),
    "question": ("query", "question", "user_input", "input", "prompt"),
    "answer": ("answer", "output", "response", "text", "content"),
}
PATHS = {"context": "context_from", "question": "question_from", "answer": "answer_from"}
OWN_KEYS = ("judge", "policy", "threshold", "components", *PATHS.values())


class NotPythonError(FaithfulnessError):
    """Raised so that promptfoo, which inverts the result of ``not-python``, does not pass what could not be graded."""


@dataclass(frozen=True, slots=True)
class Found:
    """The texts of an assertion; None where there is none."""

    answer: Any
    context: Any
    question: Any


def get_assert(output: Any, context: Any) -> dict[str, Any]:
    """Grades ``output`` as promptfoo's ``python`` assertions want it.

    Args:
        output: the tested model's output, a string or JSON data.
        context: promptfoo's: ``vars``, ``test``, ``providerResponse``, and the assertion's ``config``. Keys of the config are read in
            camelCase and snake_case: ``judge`` (must be named), ``policy``, ``threshold``, ``components`` (``problems``, ``all``,
            ``none``), ``contextFrom``, ``questionFrom``, ``answerFrom`` (JMESPath over ``output, prompt, vars, test, provider,
            providerResponse, metadata``), and any option of ``Grader``.

    Returns:
        promptfoo's GradingResult: ``pass, score, reason, namedScores, tokensUsed, metadata, componentResults``.

    Raises:
        NotPythonError: the result is undefined (a grader error, nothing to check), and the assertion is ``not-python``.
    """
    return grade(output, context, Grader)


def grade(output: Any, context: Any, make_grader: Callable[..., Grader]) -> dict[str, Any]:
    """As :func:`get_assert`, with a grader from ``make_grader``, which takes what ``Grader`` takes."""
    given: Mapping[str, Any] = context if isinstance(context, Mapping) else {}
    try:
        result = _graded(output, given, make_grader)
    except FaithfulnessError as error:
        result = _not_graded(str(error))
    except Exception as error:  # noqa: BLE001 - promptfoo would show the whole traceback, with whatever secrets it holds
        result = _not_graded(f"internal error {type(error).__name__}; please report it")
    if not result["metadata"]["defined"] and _negated(given):
        raise NotPythonError(result["reason"]) from None
    return result


def _graded(
    output: Any, given: Mapping[str, Any], make_grader: Callable[..., Grader]
) -> dict[str, Any]:
    config = read_config(given)
    components = config.pop("components", "problems")
    if components not in get_args(Components):
        raise ConfigError(
            f"config.components: must be one of {', '.join(get_args(Components))}, got {components!r}"
        )
    paths = {name: config.pop(key, None) for name, key in PATHS.items()}
    judge = config.pop("judge", None) or os.environ.get(JUDGE_VARIABLE)
    if not judge:
        raise ConfigError(
            "judge: none is named. Set config.judge to 'openai:MODEL', or to 'embedded' for the lexical smoke-test judge that needs no key "
            f"(or set {JUDGE_VARIABLE})"
        )
    threshold = config.pop("threshold", None)
    grader = make_grader(
        judge,
        config.pop("policy", "default"),
        _threshold(given) if threshold is None else threshold,
        **config,
    )
    found = find_texts(output, given, paths)
    if found.context is None:
        result: GradingResult = invalid_input(_no_context(given), grader.policy)
    else:
        result = grader.grade(found.answer, found.context, question=found.question)
    return result.to_promptfoo(components)


def _not_graded(problem: str) -> dict[str, Any]:
    return invalid_input(problem, policies["default"]).to_promptfoo("none")


# ---------------------------------------------------------------- config


def read_config(given: Mapping[str, Any]) -> dict[str, Any]:
    """The assertion's config with snake_case keys.

    Raises:
        ConfigError: it is no mapping, or has a key that nothing takes.
    """
    config = given.get("config") or {}
    if not isinstance(config, Mapping):
        raise ConfigError(f"config: must be a mapping, got {type(config).__name__}")
    known = {*OWN_KEYS, *JUDGE_OPTIONS, *GRADER_OPTIONS, *FIELD_NAMES}
    keys = {str(key): snake(str(key)) for key in config}
    for key, name in keys.items():
        if name not in known:
            raise ConfigError(f"config.{key[:60]}: there is no such key. {suggest(name, known)}")
    return _in_snake_case(config)


def _in_snake_case(config: Mapping[Any, Any]) -> dict[str, Any]:
    """The config with its keys in snake_case, also inside a policy and its source's options; what these map stays as it is."""
    named = {snake(str(key)): value for key, value in config.items()}
    inner = {
        name: _in_snake_case(named[name])
        for name in ("policy", "policy_options")
        if isinstance(named.get(name), Mapping)
    }
    return {**named, **inner}


def snake(name: str) -> str:
    """``contextFrom`` as ``context_from``."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _assertions(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The assertions of this test that may be ours: python ones with our config. promptfoo does not say which one is running."""
    test = given.get("test")
    listed = test.get("assert") if isinstance(test, Mapping) else None
    flat: list[Mapping[str, Any]] = []
    for item in listed if isinstance(listed, Sequence) else ():
        if isinstance(item, Mapping):
            nested = item.get("assert")
            flat += (
                [i for i in nested if isinstance(i, Mapping)]
                if isinstance(nested, list)
                else [item]
            )
    own = given.get("config") or {}
    return [
        item
        for item in flat
        if item.get("type") in ("python", "not-python") and (item.get("config") or {}) == own
    ]


def _negated(given: Mapping[str, Any]) -> bool:
    # Where a python and a not-python assertion cannot be told apart, raising fails both, and neither passes by mistake.
    return any(item.get("type") == "not-python" for item in _assertions(given))


def _threshold(given: Mapping[str, Any]) -> Any:
    """The threshold written on the assertion itself, where it is beyond doubt."""
    found = [item["threshold"] for item in _assertions(given) if item.get("threshold") is not None]
    if any(not isinstance(value, int | float) for value in found):
        raise ConfigError(
            f"threshold: the assertion's must be a number from 0 to 1, got {clip(repr(found[0]), 60)}"
        )
    return found[0] if len(set(found)) == 1 else None


# ---------------------------------------------------------------- texts


def find_texts(output: Any, given: Mapping[str, Any], paths: Mapping[str, Any]) -> Found:
    """Answer, context and question: from the config's paths, else under the usual names.

    Raises:
        ConfigError: a path is no JMESPath.
        InputError: a path finds nothing.
    """
    document = {
        name: given.get(name)
        for name in ("prompt", "vars", "test", "provider", "providerResponse", "metadata", "config")
    }
    document["output"] = output
    question = _find("question", document, paths)
    if paths.get("question") is None and not isinstance(question, str):
        question = None  # it was only guessed: a chat history or an object under a usual name is no question
    return Found(_answer(output, document, paths), _find("context", document, paths), question)


def _find(name: str, document: Mapping[str, Any], paths: Mapping[str, Any]) -> Any:
    if paths.get(name) is not None:
        return _search(name, document, paths[name])
    response = document["providerResponse"]
    metadata = response.get("metadata") if isinstance(response, Mapping) else None
    places = [
        values
        for values in (document["vars"], metadata, document["metadata"])
        if isinstance(values, Mapping)
    ]
    return next(
        (values[key] for values in places for key in NAMES[name] if values.get(key) is not None),
        None,
    )


def _answer(output: Any, document: Mapping[str, Any], paths: Mapping[str, Any]) -> Any:
    if paths.get("answer") is not None:
        return _search("answer", document, paths["answer"])
    if isinstance(output, str):
        return output
    if not isinstance(output, Mapping):
        raise InputError(
            f"answer: the output is no text but {type(output).__name__}; set config.answerFrom, for example to output[0]"
        )
    found = next((output[key] for key in NAMES["answer"] if isinstance(output.get(key), str)), None)
    if found is None:
        raise InputError(
            f"answer: the output has the keys {_names(output)}; set config.answerFrom, for example to output.KEY"
        )
    return found


def _search(name: str, document: Mapping[str, Any], path: Any) -> Any:
    import jmespath  # only where a config has a path

    key = f"{name}From"
    try:
        found = jmespath.search(path, document)
    except (jmespath.exceptions.JMESPathError, TypeError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"config.{key}: {path!r} is no JMESPath: {str(error).splitlines()[0]}"
        ) from None
    if found is None:
        raise InputError(
            f"{name}: config.{key} {path!r} finds nothing; vars has the keys {_names(document['vars'])}"
        )
    return found


def _no_context(given: Mapping[str, Any]) -> str:
    return (
        "context: none was found. Set vars.context, or config.contextFrom to where the context is. "
        f"Looked in vars, providerResponse.metadata and metadata for {', '.join(NAMES['context'])}; "
        f"vars has the keys {_names(given.get('vars'))}"
    )


def _names(values: Any) -> str:
    return names_of(values if isinstance(values, Mapping) else ())
