"""The fixture ``faithfulness``: grades, and keeps what the session wants to know of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from ..batch.rows import Line, Row, brief, digest
from ..cases.case import Case
from ..grading import Grader
from ..options import GRADER_NAMES, UNSTORED, hide_key, parse_options, split_options
from ..records.errors import ConfigError, suggest
from ..records.judge import judge_info
from ..records.model import GraderError
from ..records.result import GradingResult
from ..settings import SETTING, in_project, judge_setting
from .assertions import NotGraded, check_passed, make_grader, read_case
from .session import CHECKS, PROPERTY, read_settings

MISTAKES = ("auth", "input", "not_stored")
"""The errors that fail a test whatever ``--faithfulness-errors`` says: only the user mends them."""
MARKER_NAMES = GRADER_NAMES | {"judge", "policy", "threshold"}


class Faithfulness:
    """What the fixture ``faithfulness`` is. Call it with an answer and its context."""

    def __init__(self, session: Session, item: pytest.Item) -> None:
        self._session, self._item = session, item
        self._marked = read_markers(item.iter_markers("faithfulness"))
        self._calls = self.unawaited = 0
        others = [pair for pair in item.user_properties if pair[0] != PROPERTY]
        item.user_properties[:] = others  # without those of an earlier run of the same test

    def __repr__(self) -> str:
        return "<fixture faithfulness>"

    def __call__(self, answer: Any = None, context: Any = None, **options: Any) -> GradingResult:
        """Grades, and fails the test if the answer is not faithful.

        Args:
            answer, context, options: those of ``faithfulness_assert.grade``.

        Raises:
            AssertionError: the answer does not pass.
            NotGraded: a grader error. ``--faithfulness-errors`` may say skip or xfail, but not for
                what the user has to mend.
            ConfigError: a judge, policy, threshold or option that cannot be used.
        """
        __tracebackhide__ = True
        hide_key(options)
        case, options = self._chosen(answer, context, options)
        result = self._unasked(case)
        if result is None:
            result = self._session.grader(options).grade(**case)
        return self._end(result, case, options)

    def acheck(
        self, answer: Any = None, context: Any = None, **options: Any
    ) -> Coroutine[Any, Any, GradingResult]:
        """The same as a call, on the running event loop. Await it: else the test fails."""
        self.unawaited += 1
        return self._acheck(answer, context, **options)

    async def _acheck(self, answer: Any, context: Any, **options: Any) -> GradingResult:
        __tracebackhide__ = True
        self.unawaited -= 1
        hide_key(options)
        case, options = self._chosen(answer, context, options)
        result = self._unasked(case)
        if result is None:
            result = await self._session.grader(options).agrade(**case)
        return self._end(result, case, options)

    def _chosen(
        self, answer: Any, context: Any, given: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The fields of the case, and the options of its grader."""
        case, options = split_options({**self._session.options, **self._marked, **given})
        if answer is not None:
            case["answer"] = answer
        if context is not None:
            case["context"] = context
        case |= {"question": options.pop("question", None) or None}
        judge = options.setdefault("judge", SETTING)
        with in_project(self._session.folder):
            judge = judge_setting() if judge == SETTING else judge
        if _can_be_stored(judge):
            options = {**self._session.store, **options}
        return case, options

    def _unasked(self, case: Mapping[str, Any]) -> GradingResult | None:
        """The result of a case for which no tokens are left; None if there are some."""
        if not (problem := self._session.used_up()):
            return None
        result = Grader("embedded", "default").invalid(problem, case.get("id"))
        error = GraderError("token_limit", problem)
        return replace(result, status="judge_failed", judge="none", error=error)

    def _end(
        self, result: GradingResult, fields: Mapping[str, Any], options: Mapping[str, Any]
    ) -> GradingResult:
        __tracebackhide__ = True
        self._session.spent += result.tokens_used.total
        case = read_case(fields, options)
        self._keep(result, case)
        try:
            check_passed(result, case)
        except NotGraded as error:
            if _is_mistake(result):
                raise
            reason = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
            if self._session.settings["errors"] == "skip":
                pytest.skip(reason)
            if self._session.settings["errors"] == "xfail":
                pytest.xfail(reason)
            raise
        return result

    def _keep(self, result: GradingResult, case: Case | None) -> None:
        """Adds the result to the properties of the test, with the texts if there is a report."""
        self._calls += 1
        name = self._item.nodeid if self._calls == 1 else f"{self._item.nodeid} #{self._calls}"
        number, texts = next(self._session.numbers), dict[str, Any]()
        if case is not None:
            passages = [
                {"id": p.id, **({"title": p.title} if p.title else {}), "text": p.text}
                for p in case.context
            ]
            texts = {"answer": case.answer, "context": passages, "question": case.question}
        line = Line(name, number, digest(Row(number, name, texts)), texts, result)
        line = line if self._session.settings["report"] else brief(line)
        self._item.user_properties.append((PROPERTY, line.to_json()))


def _is_mistake(result: GradingResult) -> bool:
    """Whether only the user mends an error, such as no credit, or a model that is not there."""
    error = result.error
    if error is None or error.kind in MISTAKES:
        return error is not None
    answered = result.metadata.get("httpStatus") and error.kind in ("transport", "rate_limit")
    return bool(answered) and not error.retryable


def _can_be_stored(judge: object) -> bool:
    """Whether the store of the session is for this judge: not for one of a test's own, say."""
    if isinstance(judge, str):
        return judge != "embedded"
    return judge is not None and bool(judge_info(judge).identity)


def make_fixture(request: pytest.FixtureRequest) -> Faithfulness:
    """The fixture of a test. A wrong option or marker is reported without a traceback."""
    try:
        return checks_of(request.node)
    except ConfigError as error:
        problem = str(error)
    pytest.fail(f"faithfulness: {problem}", pytrace=False)


def checks_of(item: pytest.Item) -> Faithfulness:
    """What grades for a test: one for the fixture and for ``assert_faithful``.

    Raises:
        ConfigError: an option or a marker cannot be used.
    """
    stash = item.config.stash
    if _SESSION not in stash:
        stash[_SESSION] = Session(item.config)
    if item.stash.get(CHECKS, None) is None:
        item.stash[CHECKS] = Faithfulness(stash[_SESSION], item)
    checks: Faithfulness = item.stash[CHECKS]
    return checks


# ---------------------------------------------------------------- the marker


def read_markers(markers: Iterable[pytest.Mark]) -> dict[str, Any]:
    """The options that these markers name; the first one is that of the test itself.

    Raises:
        ConfigError: an unknown name.
    """
    given: dict[str, Any] = {}
    for marker in markers:
        if marker.args:
            raise ConfigError("its marker takes names only, as faithfulness(threshold=0.9)")
        given = {**marker.kwargs, **given}
    for name in given.keys() - MARKER_NAMES:
        raise ConfigError(f"its marker: {name}: unknown option. {suggest(name, MARKER_NAMES)}")
    return given


# ---------------------------------------------------------------- what all tests of a process share


class Session:
    """The settings, the options of ``grade()`` that they name, and the graders that were made."""

    def __init__(self, config: pytest.Config) -> None:
        self.settings = settings = read_settings(config)
        self.folder = str(config.inipath.parent) if config.inipath else ""
        self.options = parse_options(settings["options"], "faithfulness_options")
        named = {name: settings[name] for name in ("judge", "policy", "threshold")}
        self.options |= {name: value for name, value in named.items() if value is not None}
        self.store = {name: self.options.pop(name) for name in UNSTORED if name in self.options}
        if settings["cache"] is not None:
            self.store["cache"] = settings["cache"] or None
        if settings["cache_only"]:
            self.store["cache_only"] = True
        self.numbers = count(1)
        self._graders: dict[str, Grader] = {}
        self.spent = 0
        self._workers = getattr(config, "workerinput", {}).get("workercount", 1)

    def grader(self, options: dict[str, Any]) -> Grader:
        """The grader with these options: the same one again, if it was made before."""
        __tracebackhide__ = True
        place = _digest(options)
        with in_project(self.folder):
            if not place:
                return make_grader(**options)
            if place not in self._graders:
                self._graders[place] = make_grader(**options)
        return self._graders[place]

    def used_up(self) -> str:
        """Why this worker of pytest-xdist, or session, grades no more; "" if that is not so."""
        most = self.settings["max_tokens"]
        if most is None or self.spent < most / self._workers:
            return ""
        part = f"{most // self._workers:,} that this process may spend"
        return f"{self.spent:,} tokens were spent, of {part} (--faithfulness-max-tokens)"


def _digest(options: Mapping[str, Any]) -> str:
    """A fingerprint that does not show keys; "" with a judge or a policy that is an object."""
    try:
        text = json.dumps(options, sort_keys=True)
    except (TypeError, ValueError):
        return ""
    return hashlib.sha256(text.encode()).hexdigest()


_SESSION = pytest.StashKey[Session]()
