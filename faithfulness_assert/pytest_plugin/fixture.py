"""The fixture ``faithfulness``: grades, and keeps what the session wants to know of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pytest

from ..batch.rows import Line, Row, brief, digest
from ..grading import Grader
from ..options import hide_key, split_options
from ..records.errors import ConfigError, MissingKeyError
from ..records.model import GraderError
from ..settings import choose
from .assertions import NotGraded, check_passed, read_case
from .session import Session
from .session_results import CHECKS, PROPERTY
from .tapes import has_tape, recording, replaying, tape_folder
from .trials import Marked, Trials, read_markers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..cases.case import Case
    from ..records.result import GradingResult


class Call(NamedTuple):
    """One call of the fixture: a case, and how it is graded.

    Args:
        case: the fields of the case.
        options: the options of its grader, without those of tapes.
        trials: the results so far.
        folder: of the judge's tapes; None if its replies are never stored.
        tape: ``recorded``, ``replayed``, or "" where no tape is used.
    """

    case: dict[str, Any]
    options: dict[str, Any]
    trials: Trials
    folder: Path | None
    tape: str


class Faithfulness:
    """What the fixture ``faithfulness`` is. Call it with an answer and its context."""

    def __init__(self, session: Session, item: pytest.Item, marked: Marked) -> None:
        self._session, self._item, self._marked = session, item, marked
        self._calls = 0
        kept = [pair for pair in item.user_properties if pair[0] != PROPERTY]
        item.user_properties[:] = kept  # without those of an earlier run of the same test

    def __repr__(self) -> str:
        return "<fixture faithfulness>"

    def __call__(self, answer: Any = None, context: Any = None, **options: Any) -> GradingResult:
        """Grades, and fails the test if the answer is not faithful.

        Args:
            answer, context, options: those of ``faithfulness_assert.grade``.

        Returns:
            The result. Of several trials, the last one that passed, with the tokens of all.

        Raises:
            AssertionError: the answer does not pass.
            NotGraded: a grader error, unless ``--faithfulness-errors`` says skip or xfail.
            ConfigError: a judge, policy, threshold or option that cannot be used.
        """
        __tracebackhide__ = True
        hide_key(options)
        call = self._begin(answer, context, options)
        while call.trials.open and not self._session.used_up():
            self._add(call, self._grader(call).grade(**call.case))
        return self._end(call)

    async def acheck(
        self, answer: Any = None, context: Any = None, **options: Any
    ) -> GradingResult:
        """The same as a call, on the running event loop."""
        __tracebackhide__ = True
        hide_key(options)
        call = self._begin(answer, context, options)
        while call.trials.open and not self._session.used_up():
            self._add(call, await self._grader(call).agrade(**call.case))
        return self._end(call)

    def _begin(self, answer: Any, context: Any, given: Mapping[str, Any]) -> Call:
        __tracebackhide__ = True
        options = {**self._session.options, **self._marked.options, **given}
        case, others = split_options(options)
        if answer is not None:
            case["answer"] = answer
        if context is not None:
            case["context"] = context
        case |= {"question": others.pop("question", None) or None}
        cached = others.get("cache") is not None
        if self._marked.trials > 1 and cached:
            raise ConfigError("trials: with `cache`, each trial would get the same reply")
        judge, policy = others.pop("judge", None), others.pop("policy", None)
        chosen = choose(judge, policy, others.pop("threshold", None), others)
        others = {**chosen.options, "judge": chosen.judge, "policy": chosen.policy}
        others["threshold"] = chosen.threshold
        trials = Trials(self._marked.trials, self._marked.min_pass)
        shaping = others if cached else {**others, "cache": None}
        tape, folder = "", tape_folder(self._session.settings.tape, shaping)
        if folder is not None:
            replayed = "replayed" if has_tape(folder) else ""
            tape = "recorded" if self._session.settings.record else replayed
        if tape or trials.trials > 1:  # the cache of the project is for other grades
            others = shaping
        return Call(case, others, trials, folder, tape)

    def _grader(self, call: Call) -> Grader:
        """The grader of the next trial."""
        __tracebackhide__ = True
        if call.folder and call.tape:
            choose = recording if call.tape == "recorded" else replaying
            trial = len(call.trials.results) + 1
            return self._session.grader(choose(call.folder, call.options, trial))
        try:
            return self._session.grader(call.options)
        except MissingKeyError as error:
            if call.folder is None:
                raise
            said = f"{error}. Nothing is recorded in {call.folder}, so the judge would be asked"
            raise ConfigError(said) from None

    def _add(self, call: Call, result: GradingResult) -> None:
        if call.tape:
            result = replace(result, metadata={**result.metadata, "tape": call.tape})
        call.trials.add(result)
        if self._session.limit:
            self._session.limit.add(result.tokens_used.total)

    def _end(self, call: Call) -> GradingResult:
        __tracebackhide__ = True
        if call.trials.open:
            call.trials.add(self._unasked(call))
        result, note = call.trials.result(), call.trials.note()
        case = read_case(call.case, call.options)
        self._keep(result, case, note)
        try:
            check_passed(result, case, note and f"\n  {note}")
        except NotGraded as error:
            self._not_graded(error)
        return result

    def _unasked(self, call: Call) -> GradingResult:
        """The result of a trial for which no tokens are left."""
        problem = self._session.used_up()
        result = Grader("embedded", "default").invalid(problem, call.case.get("id"))
        error = GraderError("rate_limit", problem)
        return replace(result, status="judge_failed", judge="none", error=error)

    def _not_graded(self, error: NotGraded) -> NoReturn:
        """Ends a test whose answer was not graded."""
        __tracebackhide__ = True
        reason = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
        if self._session.settings.errors == "skip":
            pytest.skip(reason)
        if self._session.settings.errors == "xfail":
            pytest.xfail(reason)
        raise error

    def _keep(self, result: GradingResult, case: Case | None, note: str) -> None:
        """Adds the result to the properties of the test, with the texts if there is a report."""
        self._calls += 1
        name = self._item.nodeid if self._calls == 1 else f"{self._item.nodeid} #{self._calls}"
        number, texts = next(self._session.numbers), _texts(case)
        columns = {**texts, "trials": note} if note else texts
        line = Line(name, number, digest(Row(number, name, texts)), columns, result)
        line = line if self._session.settings.report else brief(line)
        self._item.user_properties.append((PROPERTY, line.to_json()))


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
        marked = read_markers(item.iter_markers("faithfulness"))
        item.stash[CHECKS] = Faithfulness(stash[_SESSION], item, marked)
    checks: Faithfulness = item.stash[CHECKS]
    return checks


_SESSION = pytest.StashKey[Session]()


def _texts(case: Case | None) -> dict[str, Any]:
    """The texts of a case as plain JSON; none if it could not be read."""
    if case is None:
        return {}
    passages = [{"id": passage.id, "text": passage.text} for passage in case.context]
    return {"answer": case.answer, "context": passages, "question": case.question}
