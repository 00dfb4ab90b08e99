"""The promptfoo ``python`` assertion. Every assertion runs it in a new process, so imports matter.

It returns a result for everything, also for its own failures. It raises in one case only: an
undefined result under ``not-python``, where promptfoo would turn the failure into a pass.

A ``javascript`` assertion (``faithfulness.cjs``) is graded here, too. Its context has one key more:
``assertionType`` is ``javascript``. promptfoo gives an assertion its test, but does not say which
of the test's assertions it is. So all with its type and its config are candidates.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from ..cases.case import is_file_name, passages_of
from ..cases.paths import leaves, new_beside, search, value_at
from ..cases.systems import NAMES_INSIDE, SYSTEMS, names
from ..cases.written_lists import read_list
from ..conversations.events import EVIDENCE_ROLES, joined
from ..conversations.plain_data import opened
from ..drive.asks import log
from ..files import append_file
from ..grading import Grader, log_defect
from ..options import GRADER_NAMES, NAMED_BY_JUDGE
from ..plan.weighing import internal_error, invalid_input
from ..policy.load import policies
from ..policy.scoring import NOT_GRADED, TO_ACCEPT
from ..records.checks import as_mapping, as_share, mappings_in
from ..records.errors import ConfigError, FaithfulnessError, InputError, suggest
from ..records.result import GradingResult
from ..records.views import SETUP, check_components
from ..settings import JUDGE_VARIABLE, SETTING, judge_setting, may_be_secret
from ..text.strings import clip, names_of

PATHS = {name: f"{name}_from" for name in ("context", "question", "answer", "messages")}
KEY_IN_CONFIG = (
    SETUP + "promptfoo copies {} of config into its results, which others may read: leave it out, "
    "and set the key in the environment, as OPENAI_API_KEY or ANTHROPIC_API_KEY"
)
CONTEXT_FOUND = SETUP + "the context is {}, which may be something else: set config.contextFrom"
FROM_ANSWER = (
    "answer: the context is in {}, too, so it contains the answer; set config.answerFrom to the "
    "answer alone, for example to {}, or config.contextFrom to the documents alone"
)
PART_OF_OUTPUT = SETUP + "the answer is output.{}, and {} in the output is not judged"
ONLY_NAMES = "only names files, whose text promptfoo does not read in a list"
NO_TRANSFORM = (
    "context: promptfoo runs contextTransform for its own assertions only. Set config.contextFrom, "
    "a JMESPath such as {}, instead"
)
RAW_OUTPUT = "providerResponse.providerTransformedOutput"
"""What a test's ``transform`` changed."""
PATH_AS = {
    True: f"{RAW_OUTPUT}.docs[].text",
    False: "output.docs[].text, and config.answerFrom, such as output.answer",
}
"""Where a context may be, by whether there is a ``transform``, which leaves only the answer."""
STEP = re.compile(r'^(?:[\w-]+|"[^"]*")|\.?(?:[\w-]+|"[^"]*")|\[[^\]]*\]|.', re.DOTALL)
"""A step of a path, such as `.a` or `[0]`."""
TO_ACCEPT_NEGATED = TO_ACCEPT.replace('"pass"', "0") + " A not- assertion passes what fails."
LOG_VARIABLE = "FAITHFULNESS_ASSERT_LOG"
OWN_KEYS = ("judge", "policy", "threshold", "components", *PATHS.values())


class NotPythonError(FaithfulnessError):
    """Raised for an undefined result under ``not-python`` or ``not-javascript``.

    promptfoo would invert it to a pass.
    """


def grade(output: Any, context: Any, make_grader: Callable[..., Grader] = Grader) -> dict[str, Any]:
    """Grades ``output`` for an assertion of promptfoo.

    Args:
        output: the tested model's output, a string or JSON data.
        context: promptfoo's: ``vars``, ``test``, ``providerResponse``, and the assertion's
            ``config``. Keys of the config are in camelCase or snake_case: ``judge`` (required),
            ``policy``, ``threshold``, ``components`` (``problems``, ``all``, ``none``),
            ``contextFrom``, ``questionFrom``, ``answerFrom``, ``messagesFrom`` (JMESPath over
            ``output, prompt, vars, test, provider, providerResponse, metadata``), and any option of
            ``Grader``.
        make_grader: takes what ``Grader`` takes, as one that keeps the graders of an eval.

    Returns:
        promptfoo's GradingResult: ``pass, score, reason, namedScores, tokensUsed, metadata,
        componentResults``.

    Raises:
        NotPythonError: the result is undefined (a grader error, or nothing to check), and the
            assertion is ``not-python``.
    """
    given = as_mapping(context)
    if path := os.environ.get(LOG_VARIABLE, "").strip():
        log.addHandler(_log_file(path))
    try:
        result = _graded(output, given, make_grader)
    except FaithfulnessError as error:
        result = invalid_input(str(error), policies["default"]).to_promptfoo("none")
    except Exception as error:  # noqa: BLE001 - promptfoo would show its traceback, with any secrets
        result = defect_of_ours(error).to_promptfoo("none")
    # If one assertion is negated and another with the same config is not, both fail.
    is_negated = any(assertion["type"].startswith("not-") for assertion in _candidates(given))
    if is_negated and not result["metadata"]["defined"]:
        said = result["reason"].replace(TO_ACCEPT, TO_ACCEPT_NEGATED)
        raise NotPythonError(f"{NOT_GRADED}: {said.removeprefix(f'{NOT_GRADED}: ')}") from None
    return result


def _graded(
    output: Any, given: Mapping[str, Any], make_grader: Callable[..., Grader]
) -> dict[str, Any]:
    config = read_config(given)
    secrets = ["apiKey"] if config.get("api_key") else []
    secrets += filter(may_be_secret, map(str, as_mapping(config.get("extra_headers"))))
    components = config.pop("components", "problems")
    check_components("config.components", components)
    paths = {name: config.pop(key, None) for name, key in PATHS.items()}
    grader = _grader(config, given, make_grader)
    transforms = any("contextTransform" in assertion for assertion in _candidates(given))
    if transforms and paths["context"] is None:
        raise InputError(NO_TRANSFORM.format(PATH_AS[_is_transformed(output, given)]))
    texts, source, note = find_texts(output, given, paths)
    if texts["context"] is None and texts["messages"] is None:
        result = invalid_input(_no_context(output, given), grader.policy)
    else:
        result = grader.grade(**texts)
    view = result.to_promptfoo(components)
    notes = [KEY_IN_CONFIG.format(clip(name)) for name in secrets]
    notes += [note] if note else []
    if source:
        view["metadata"]["contextFrom"] = source
        is_ours = source.rpartition(".")[2] in names("context")
        notes += [] if is_ours else [CONTEXT_FOUND.format(source)]
    if notes:
        view["metadata"]["warnings"] = [*result.warnings, *notes]
    return view


def defect_of_ours(error: BaseException) -> GradingResult:
    """The result for an error of ours outside of the grade of a case. The log has it, too."""
    result = internal_error(error, policies["default"])
    log_defect(result)
    return result


class _LogFile(logging.Handler):
    """The file in which a user wants the log: a hook has no place where one would look for it."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        try:
            with append_file(self._path) as file:
                file.write(f"{self.format(record)}\n".encode("utf-8", "backslashreplace"))
        except OSError:
            self.handleError(record)


_log_file = cache(_LogFile)


def _grader(
    config: dict[str, Any], given: Mapping[str, Any], make_grader: Callable[..., Grader]
) -> Grader:
    judge = config.pop("judge", SETTING)
    if judge == SETTING and judge_setting() is None:
        raise ConfigError(
            "judge: missing. Set config.judge to 'openai:MODEL', or to 'embedded' for the "
            f"smoke-test judge that compares words and needs no key (or set {JUDGE_VARIABLE}, or "
            "judge in [tool.faithfulness_assert] of the project's pyproject.toml, which was looked "
            f"for in {os.getcwd()} and above)"
        )
    threshold = threshold_of(as_share(config.pop("threshold", None)), given)
    return make_grader(judge, config.pop("policy", None), threshold, **config)


# ---------------------------------------------------------------- config


def read_config(given: Mapping[str, Any]) -> dict[str, Any]:
    """The assertion's config with snake_case keys.

    Raises:
        ConfigError: it is not a mapping, or has unknown keys.
    """
    config = given.get("config") or {}
    if not isinstance(config, Mapping):
        raise ConfigError(f"config: must be a mapping, got {type(config).__name__}")
    known, problems = GRADER_NAMES.union(OWN_KEYS), list[str]()
    for key in map(str, config):
        if (name := snake(key)) not in known:
            near = suggest(name, known)
            if "Did you mean" not in near:
                near = f"Known: {', '.join(OWN_KEYS)}, and the options of grade()."
            if name in NAMED_BY_JUDGE:
                near = "The judge's name has it: judge: openai:MODEL."
            if name.startswith("api_base"):  # as promptfoo's own providers call it
                near = "Did you mean 'baseUrl'?"
            near = re.sub("_(.)", lambda match: match[1].upper(), near)
            problems.append(f"config.{key[:60]}: unknown key. {near}")
    if problems:
        raise ConfigError(" ".join(problems))
    return _in_snake_case(config)


def _in_snake_case(config: Mapping[Any, Any]) -> dict[str, Any]:
    """The config with snake_case keys, also in ``policy`` and other mappings of our names."""
    renamed = {snake(str(key)): value for key, value in config.items()}
    for name in ("policy", "policy_options", "endings"):
        if isinstance(renamed.get(name), Mapping):
            renamed[name] = _in_snake_case(renamed[name])
    return renamed


def snake(name: str) -> str:
    """``contextFrom`` as ``context_from``."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


# ---------------------------------------------------------------- texts


def find_texts(
    output: Any, given: Mapping[str, Any], paths: Mapping[str, Any]
) -> tuple[dict[str, Any], str, str]:
    """Answer, context, question and messages: at the paths of the config, else under the usual
    names. None for what was not found. Also where a context was found that the config does not
    name, and a note on what is not judged.

    Raises:
        ConfigError: a path is not valid JMESPath.
        InputError: there is nothing at a path, or neither the output nor messages have an answer.
    """
    keys = ("prompt", "vars", "test", "provider", "providerResponse", "metadata", "config")
    document = {"output": output, **{key: given.get(key) for key in keys}}
    question, _ = _find("question", document, paths)
    if paths.get("question") is None and not isinstance(question, str):
        question = None  # a chat history or an object under a usual name is not a question
    context, source = _find("context", document, paths)
    if isinstance(context, str):  # a cell of a CSV file of tests may hold a list
        context = read_list(context)
    messages, _ = _find("messages", document, paths)
    if paths.get("messages") is None and not _has_roles(messages):
        messages = None
    try:
        answer, note = _answer(document, paths, context, question)
    except InputError as error:
        if paths.get("messages") is None or paths.get("answer") is not None:
            raise
        from ..conversations.conversation import read_conversation  # few assertions have messages

        chat = read_conversation(messages, EVIDENCE_ROLES, has_answer=True)
        if not chat.is_answered:  # what an assistant said before is not the answer
            problem = "and the messages do not end with an assistant message"
            raise InputError(f"{error}; {problem}") from None
        answer, note = None, ""
    texts = {"answer": answer, "context": context, "question": question, "messages": messages}
    return texts, source, note


def _has_roles(value: Any) -> bool:
    """Whether a value under a usual name is a conversation, or a JSON text of one."""
    if isinstance(value, str):
        return value.lstrip().startswith(("[", "{")) and '"role"' in value
    return bool(value) and isinstance(value, list) and all("role" in as_mapping(v) for v in value)


def _find(name: str, document: Mapping[str, Any], paths: Mapping[str, Any]) -> tuple[Any, str]:
    """The text at the path of the config, else where the table of systems has promptfoo's.

    In the latter case with its path: the first with a value, or else with an empty one.
    """
    if paths.get(name) is not None:
        return _at_path(name, document, paths[name]), ""
    usual = (
        path.replace("response.", "providerResponse.", 1) for path in SYSTEMS["promptfoo"][name]
    )
    found: tuple[Any, str] = (None, "")
    for path in usual:
        if _is_text(value := value_at(document, path)):
            found = found if found[1] else (value, path)
            if value not in ("", []) and not str(value).isspace():
                return value, path
    return found


def _is_text(value: Any) -> bool:
    """Whether there is something, and no list that only names files, as ``sources`` may."""
    texts = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
    return value is not None and not (texts and all(map(is_file_name, value)))


def _answer(
    document: Mapping[str, Any], paths: Mapping[str, Any], context: Any, question: Any
) -> tuple[Any, str]:
    """The answer, and a note on texts of the output that are not judged with it.

    It is the text, or all texts, at the path of the config. Else, of an output that is JSON, as
    text too, it is the first of the usual names; else the output. An output that has the context in
    it is never the answer as a whole: it would be faithful to a part of itself.
    """
    output, path = document["output"], paths.get("answer")
    data = opened(output)
    if path is not None:
        answer = _at_path("answer", document, path)
        root, _, key = str(path).strip().partition(".")
        there = {**data, key: None} if isinstance(data, Mapping) and key in data else output
        if root == "output" and _is_read(there if key else None, document, paths):
            raise InputError(FROM_ANSWER.format(path, "output.answer"))
        is_in_parts = isinstance(answer, list) and all(isinstance(one, str) for one in answer)
        return joined(answer) if is_in_parts else answer, ""
    passages = set[str]()
    with suppress(InputError):
        passages = {passage.text.strip() for passage in passages_of(context)}
    shows = data is not output and not passages.isdisjoint(leaves(data))
    taken = shows or _is_read(None, document, paths)
    named = data if isinstance(data, Mapping) else {}
    inside = [name for name in NAMES_INSIDE["answer"] if isinstance(named.get(name), str)]
    if inside:
        from ..cases.fields import texts_in  # few outputs are JSON

        read = [key for key in named if taken and _is_read({**named, key: None}, document, paths)]
        keys = texts_in({key: named[key] for key in named if key not in read})
        if keys[1:]:
            which = " and ".join(f"output.{key}" for key in keys)
            raise InputError(f"answer: {which} differ; set config.answerFrom to one of them")
        for name in keys:
            known = "\n".join([named[name], str(question), *passages])
            others = [key for key in new_beside(named, name, known) if key not in read]
            return named[name], PART_OF_OUTPUT.format(name, names_of(others)) if others else ""
        raise InputError(FROM_ANSWER.format(f"output.{inside[0]}", "output.answer"))
    if isinstance(data, Mapping) and (taken or not isinstance(output, str)):
        problem = f"not found as a text. The output has the keys {names_of(data)}"
        raise InputError(f"answer: {problem}; set config.answerFrom, for example to output.KEY")
    has_blocks = isinstance(data, list) and any(isinstance(one, Mapping) for one in data)
    part = "output[].text" if has_blocks else "output[]"
    if taken:
        raise InputError(FROM_ANSWER.format("output", part))
    if isinstance(output, str):
        return output, ""
    fix = "give a text in its place, by the test's transform"
    if isinstance(data, list):
        fix = f"set config.answerFrom, for example to {part}, whose texts are judged as one answer"
        if has_blocks and any("role" in one for one in data if isinstance(one, Mapping)):
            fix = "set config.messagesFrom to output, which reads the messages of a conversation"
    raise InputError(f"answer: the output is {type(data).__name__}, not text; {fix}")


def _is_read(other: Any, document: Mapping[str, Any], paths: Mapping[str, Any]) -> bool:
    """Whether the config's paths find other evidence where another value is the output."""
    output, response = document["output"], document["providerResponse"]
    if isinstance(response, Mapping):  # which has the output once more
        response = {key: other if value == output else value for key, value in response.items()}
    changed = {**document, "output": other, "providerResponse": response}
    read = [path for name in ("context", "messages") if (path := paths.get(name)) is not None]
    with suppress(ConfigError):  # a function of JMESPath that got nothing
        return any(search(path, changed) != search(path, document) for path in read)
    return True


def _at_path(name: str, document: Mapping[str, Any], path: Any) -> Any:
    key = f"config.{name}From"
    if not isinstance(path, str):
        kind = type(path).__name__
        raise ConfigError(f"{key}: must be a JMESPath, such as vars.docs[].text, got {kind}")
    try:
        value = search(path, document)
    except ConfigError as error:
        raise ConfigError(f"{key}: {str(error).rstrip(':')}") from None
    if value is None or (value == [] and _is_of_something(path, document)):
        problem = f"{name}: {key} {path!r} matches nothing; {_nearest(path, document)}"
        is_before = str(path).startswith(RAW_OUTPUT)
        if not is_before and _is_transformed(document["output"], document):
            problem += f"; before transform, {_nearest(f'{RAW_OUTPUT}.text', document)}"
        raise InputError(problem)
    return value


def _is_transformed(output: Any, given: Mapping[str, Any]) -> bool:
    """Whether a ``transform`` turned data, or a JSON text of them, into the output."""
    raw = value_at(given, RAW_OUTPUT)
    return raw != output and isinstance(opened(raw), Mapping | list)


def _is_of_something(path: str, document: Mapping[str, Any]) -> bool:
    """Whether a path without results has lost them at a field that no item of a list has."""
    found = [(part, value) for part, value in _parts(path, document) if value is not None]
    place = next((place for place, (_, value) in enumerate(found) if value == []), 0)
    if place == 0 or not isinstance(found[place - 1][1], list):
        return False
    return not found[place][0].endswith("]")


def _nearest(path: str, document: Mapping[str, Any]) -> str:
    """What stands at the longest part of a path at which there is something."""
    for part, value in reversed(_parts(path, document)[:-1]):
        if isinstance(value, Mapping):
            return f"{part} has the keys {names_of(value)}"
        if value is not None and value != []:
            return f"{part} is {clip(json.dumps(value, ensure_ascii=False, default=str), 80)}"
    roots = [key for key, value in document.items() if value is not None]
    for root in ("vars", "output", "metadata"):
        with suppress(ConfigError):  # what begins with a sign is no part of a longer path
            if search(longer := f"{root}.{path}", document) is not None:
                return f"there are {names_of(roots)}. Did you mean {longer!r}?"
    return f"there are {names_of(roots)}"


def _parts(path: str, document: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The path up to each of its steps, and what is there."""
    steps, found = STEP.findall(path), []
    for count in range(1, len(steps) + 1):
        part = "".join(steps[:count])
        with suppress(ConfigError):
            found.append((part, opened(search(part, document))))
    return found


def _no_context(output: Any, given: Mapping[str, Any]) -> str:
    """What is said without a context."""
    usual = NAMES_INSIDE["context"]
    looked_in = ("vars", "providerResponse.metadata", "metadata", "test.metadata")
    found_in = [("output", opened(output)), *((name, value_at(given, name)) for name in looked_in)]
    if _is_transformed(output, given):
        found_in.append((RAW_OUTPUT, opened(value_at(given, RAW_OUTPUT))))
    places = {place: found for place, found in found_in if found and isinstance(found, Mapping)}
    there = [f"{place} has the keys {names_of(found)}" for place, found in places.items()]
    named = [
        (f"{at}.{key}", found[key]) for at, found in places.items() for key in usual if key in found
    ]
    empty = [f"{path} is null" for path, value in named if value is None]
    empty += [
        f"{path} {ONLY_NAMES}" for path, value in named if not (value is None or _is_text(value))
    ]
    path = next((f", such as {path}" for path, value in named if _is_text(value)), "")
    chats = (f"{at}.{key}" for at in places for key, v in places[at].items() if _has_roles(v))
    path += next((f", or config.messagesFrom to {chat}" for chat in chats), "")
    return (
        f"context: not found. {'; '.join([*empty, *there]) or 'vars has no keys'}. Set "
        f"vars.context, or set config.contextFrom to its path{path}. Looked in "
        f"{', '.join(looked_in)} for {', '.join(usual)}"
    )


# ---------------------------------------------------------------- the assertion in its test


def threshold_of(own: Any, given: Mapping[str, Any]) -> Any:
    """``own``, the threshold of the config; without one, the threshold of the assertion itself.

    promptfoo applies the assertion's threshold once more to ``python``, but not to ``javascript``:
    there the higher one is used. None if there is none, or if it is not clear which.

    Raises:
        ConfigError: the assertion's threshold is not a number; or it is ``javascript``, and it is
            not clear which threshold is meant.
    """
    if _kind(given) == "python" and own is not None:
        return own
    found = (assertion.get("threshold") for assertion in _candidates(given))
    thresholds = [one for one in found if one is not None]
    if any(not isinstance(threshold, int | float) for threshold in thresholds):
        got = clip(repr(thresholds[0]), 60)
        raise ConfigError(f"threshold: the assertion's must be a number from 0 to 1, got {got}")
    thresholds = list(dict.fromkeys(thresholds))
    if _kind(given) == "javascript" and len(thresholds) > 1:
        raise ConfigError(
            "threshold: this test has javascript assertions with the same config and different "
            "thresholds, and promptfoo does not say which one runs. Set config.threshold instead"
        )
    if own is None:
        return thresholds[0] if len(thresholds) == 1 else None
    return max([own, *thresholds]) if isinstance(own, int | float) else own


def _candidates(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The test's assertions, also those in sets, that may be the one that runs."""
    types, config = (_kind(given), f"not-{_kind(given)}"), given.get("config") or {}
    found = list[Mapping[str, Any]]()
    for item in mappings_in(as_mapping(given.get("test")).get("assert")):
        found += mappings_in(item["assert"]) if isinstance(item.get("assert"), list) else [item]
    return [
        one for one in found if one.get("type") in types and (one.get("config") or {}) == config
    ]


def _kind(given: Mapping[str, Any]) -> str:
    return "javascript" if given.get("assertionType") == "javascript" else "python"
