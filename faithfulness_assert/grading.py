"""``grade``, ``agrade`` and ``grade_many``, and the ``Grader`` that each call of them makes.

A ``Grader`` checks options, makes the judge and the policy, and runs a plan for each case.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from .asking.requirements import check_judge, is_readable, policy_for
from .cases.case import Case
from .cases.systems import is_missing
from .conversations.events import check_evidence_roles
from .drive.asks import TimeLeft, log
from .drive.grades import Grade, run_many
from .judges import check_judge_options, make_judge, option_names
from .judges.secret import process_secret, secret_of
from .options import (
    DEADLINE,
    GRADER_NAMES,
    check_language,
    check_names,
    hide_key,
    split_options,
    taken_by,
)
from .plan.plan import grade_plan
from .plan.weighing import DEFECT, internal_error, invalid_input
from .policy.load import find_policy
from .records.checks import check_mapping, check_number, check_prices
from .records.errors import ConfigError, InputError
from .records.judge import Ask, Judge, JudgeInfo, Limits, Outcome, judge_info
from .records.result import GradingResult
from .settings import SETTING, AnyPolicy, choose
from .text.sentences import FIND

if TYPE_CHECKING:
    from asyncio import Semaphore

    from typing_extensions import Unpack

    from .drive.gate import Gate
    from .options import CaseOptions, GradeOptions, GraderOptions
    from .records.result_list import Results

MAX_CONCURRENCY, MAX_SECONDS = 1000, 86_400
BRIEF = 20_000  # characters of a case whose grade takes an event loop a few milliseconds


class Grader:
    """A judge and a policy, checked and ready. It grades any number of cases, from any thread.

    Args:
        judge: ``"embedded"`` (compares words, for smoke tests; needs no key), ``"openai:MODEL"``,
            ``"anthropic:MODEL"``, or an object with a method ``ask``. None: that of the settings
            (``FAITHFULNESS_ASSERT_JUDGE``, else ``[tool.faithfulness_assert]`` of the project's
            pyproject.toml), else ``"embedded"``.
        policy: the name of a preset, the path of a policy file, a mapping of fields, or a
            ``Policy``. None: that of the settings, else ``"default"``.
        threshold: the score in [0, 1] that passes. None: that of the settings if ``policy`` is
            None too, else the policy's own.
        options: any option of ``faithfulness_assert.options.OPTIONS`` for the judge, the grader or
            the policy. ``faithfulness-assert grade --help`` lists them.

    Raises:
        ConfigError: a judge, policy, threshold or option that cannot be used. The message names the
            option and the fix.
    """

    def __init__(
        self,
        /,
        judge: str | Judge = SETTING,
        policy: AnyPolicy | None = None,
        threshold: float | None = None,
        **options: Unpack[GraderOptions],
    ) -> None:
        hide_key(options)
        check_names(options)
        chosen = choose(judge, policy, threshold, options)
        judge, policy, threshold = chosen.judge, chosen.policy, chosen.threshold
        options = cast("GraderOptions", chosen.options)
        # Behind a function, since a traceback would show them: an address may have a password.
        self._arguments: Callable[[], tuple[Any, ...]] = lambda: (
            (judge, policy, threshold, chosen.options)
        )
        is_named = any(map(options.get, ("base_url", "client")))
        self.has_address = is_named or not isinstance(judge, str)
        changes = taken_by("policy", options)
        if threshold is not None:
            changes["threshold"] = threshold
        source_options = check_mapping("policy_options", options.get("policy_options"))
        with chosen.naming_sources_in_errors():
            wanted = find_policy(policy, changes, source_options)
            judge_options = option_names(judge)
        own = taken_by("judge", options)
        # A judge that retries applies the timeout to each try. For others it limits the whole ask.
        timeout = None if "timeout" in judge_options else own.pop("timeout", None)
        seed = own.get("seed")
        check_number("seed", seed, -(2**63), 2**63 - 1, whole=True, optional=True)
        if "seed" not in judge_options:
            own.pop("seed", None)
        cache, only = options.get("cache"), options.get("cache_only", False)
        if not isinstance(only, bool):
            raise ConfigError(f"cache_only: must be true or false, got {only!r:.80}")
        if only and cache is None:
            raise ConfigError("cache_only: needs cache, the folder of stored replies")
        with chosen.naming_sources_in_errors():
            if only:
                check_judge_options(judge, own)
            made = None if only else make_judge(judge, own)
            if made is None or cache is not None:
                from .judges.stored_replies import StoredJudge

                readable = partial(is_readable, wanted)
                self.judge: Judge = StoredJudge(made, cache, readable, seed, judge, own)
            else:
                self.judge = made
        self._seconds = options.get("deadline", DEADLINE), timeout
        for name, seconds in zip(("deadline", "timeout"), self._seconds, strict=True):
            check_number(name, seconds, 0.001, MAX_SECONDS, optional=True)
        self._language = check_language(options.get("language", FIND))
        self.evidence_roles = check_evidence_roles(options.get("evidence_roles"))
        self.shaping = {"language": self._language, "evidence_roles": list(self.evidence_roles)}
        # Stored replies are found by the text of their ask.
        stored = getattr(self.judge, "secret", None)
        self._own_secret = stored if seed is None else secret_of(seed)
        of_key = getattr(made, "key_secret", None)
        self._secret = self._own_secret or of_key or process_secret()
        self._info = judge_info(self.judge)
        self.gate: Gate | None = None
        if self._info.remote and self._info.any_loop:
            from .drive.gate import Gate  # it needs asyncio

            self.gate = Gate(self.judge)
        self.judge_name = self._info.name
        self.policy, self._advice = policy_for(self._info, wanted)
        check_judge(self._info, self.policy)
        self.prices = check_prices(options.get("prices"))

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled grader is made anew, as in a process that a pool has spawned."""
        judge, policy, threshold, options = self._arguments()
        secrets = {"_secret": self._secret, "_own_secret": self._own_secret}
        return partial(Grader, judge, policy, threshold, **options), (), secrets

    def keep_secret(self, secret: bytes) -> Grader:
        """This grader, whose asks follow from the secret of its run, unless it has one already."""
        self._secret = self._own_secret or secret
        return self

    def ask_as(self, other: Grader) -> Grader:
        """This grader, whose asks are those of the other one, word for word."""
        self._secret = other._secret
        return self

    def __repr__(self) -> str:
        if not hasattr(self, "policy"):  # a traceback shows the one that could not be made
            return "Grader(...)"
        names = f"judge={self.judge_name!r}, policy={self.policy.name!r}"
        return f"Grader({names}, threshold={self.policy.passes_at!r})"

    def grade(
        self,
        /,
        answer: str | None = None,
        context: Any = None,
        *,
        question: str | None = None,
        id: str = "",
        **named: Unpack[CaseOptions],
    ) -> GradingResult:
        """Grades one answer. Bad data and failures of the judge are results too, not exceptions.

        ``named``: ``citation_audit``, or fields as other systems call them; see ``Case``.
        """
        case = self._case(answer, context, question, id, named)
        if not isinstance(case, Case):
            return case
        return self._grade_of(case).run()

    async def agrade(
        self,
        /,
        answer: str | None = None,
        context: Any = None,
        *,
        question: str | None = None,
        id: str = "",
        **named: Unpack[CaseOptions],
    ) -> GradingResult:
        """The same as ``grade``, on the running event loop. If cancelled, so are its asks."""
        return await self.agrade_case(self._case(answer, context, question, id, named))

    def grade_many(self, cases: Iterable[Any], *, concurrency: int = 8) -> Iterator[GradingResult]:
        """Results in the order of the cases, with at most ``concurrency`` asks at once.

        ``cases``: see the function ``grade_many``. They are read as needed. If the caller stops
        iterating, or interrupts it, asks under way are cancelled.
        """
        from .cases.sources import Given

        check_number("concurrency", concurrency, 1, MAX_CONCURRENCY, whole=True)
        given = cases if isinstance(cases, Given) else Given(cases)
        if given.notes:
            warnings.warn(said := f"cases: {'; '.join(given.notes)}", stacklevel=3)
            log.warning("%s", said)
        return run_many((partial(self.agrade_case, case) for case in given), concurrency)

    def replay(
        self, case: Case | Mapping[str, Any], outcome_of: Callable[[Ask], Outcome | None]
    ) -> GradingResult | None:
        """The result of a case whose asks were sent otherwise; None if some have no outcome yet.

        ``outcome_of``: see ``Grade.replay``. The limits are those of a judge that was never
        asked, so that each replay asks the same.
        """
        read = self._read(case)
        if not isinstance(read, Case):
            return read
        return self._grade_of(read, self._info.limits).replay(outcome_of)

    async def agrade_case(
        self, case: object, slots: Semaphore | None = None, gate: Gate | None = None
    ) -> GradingResult:
        """The same as ``agrade`` for a case, or a record of one.

        ``slots``, ``gate``: which a batch shares; None: of this grade, of this grader.
        """
        read = case if isinstance(case, GradingResult) else self._read(case)
        if not isinstance(read, Case):
            return read
        brief = len(read.answer) + sum(len(passage.text) for passage in read.context) <= BRIEF
        return await self._grade_of(read).arun(slots, gate, brief=brief)

    def _case(
        self, answer: Any, context: Any, question: Any, id: str, named: Any
    ) -> Case | GradingResult:
        """The case with these fields; if they are no case, the result that says so.

        Raises:
            ConfigError: a name is that of an option.
        """
        for name in named:
            if name in GRADER_NAMES or name in ("judge", "policy", "threshold"):
                raise ConfigError(f"{name}: give it to Grader; it holds for all its cases")
        try:
            return Case(answer, context, question, id, evidence_roles=self.evidence_roles, **named)
        except InputError as error:
            return self.invalid(str(error), id)

    def _read(self, case: object) -> Case | GradingResult:
        """The case that a record describes; if it describes none, the result that says so."""
        if isinstance(case, Case):
            return case
        id = case.get("id") if isinstance(case, Mapping) else getattr(case, "case_id", None)
        try:
            return Case.of(case, self.evidence_roles)
        except InputError as error:
            return self.invalid(str(error), id)
        except Exception as error:  # noqa: BLE001 - it costs one case, and not a run of a million
            return self._complete(internal_error(error, self.policy, _id_of(id)))

    def _grade_of(self, case: Case, limits: Limits | None = None) -> Grade:
        """The grade of a case. One that is replayed has ``limits`` of its own, and no deadline."""
        left = TimeLeft() if limits else TimeLeft(*self._seconds)
        info = getattr(self.judge, "info", self._info)  # a judge may learn its limits
        limits = limits or (info if isinstance(info, JudgeInfo) else self._info).limits
        language, overdue = self._language, left.overdue
        plan = grade_plan(case, self.policy, language, limits, self._secret, overdue)
        return Grade(plan, self.judge, self._info, left, self._complete, self.gate)

    def invalid(self, problem: str, id: object = None) -> GradingResult:
        """The result of a case that cannot be read: ``invalid_input``, with the problem."""
        return self._complete(invalid_input(problem, self.policy, _id_of(id)))

    def _complete(self, result: GradingResult, **fields: Any) -> GradingResult:
        """Adds these fields, the judge's name and caveat, and the cost."""
        if DEFECT in result.metadata:
            log_defect(result)
        fields["judge"] = self.judge_name
        if self.prices is not None:
            fields["cost"] = result.tokens_used.cost(self.prices)
        caveat = self._info.caveat
        if result.verdicts and (caveat or self._advice):
            fields["metadata"] = metadata = dict(result.metadata)
            if caveat:
                fields["reason"] = result.reason and f"{result.reason} [{caveat}]"
                metadata["judgeNote"] = caveat
            if self._advice:
                metadata["warnings"] = [*result.warnings, *self._advice]
        return replace(result, **fields)


def log_defect(result: GradingResult) -> None:
    """Logs where an error of ours was raised that ended a case."""
    log.error("internal error, at %s", " > ".join(result.metadata[DEFECT]))


def _id_of(id: object) -> str:
    return "" if is_missing(id) else str(id)


# ---------------------------------------------------------------- the public functions


def grade(
    answer: str | None = None,
    context: Any = None,
    *,
    question: str = "",
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    **options: Unpack[GradeOptions],
) -> GradingResult:
    """Grades whether ``answer`` is faithful to ``context``.

    Args:
        answer: the LLM's answer.
        context: the texts that the answer may use: a string, or a list of strings, passages or
            mappings with ``text`` and ``id``.
        question: what was asked. It resolves references and is never evidence.
        judge, policy, threshold, options: see ``Grader``, and for fields of the case, also as
            other systems name them, ``Case``. ``messages`` is a conversation with the answer,
            in place of answer, context and question, or beside them. ``judge=None`` is an error, as
            it may be a variable that was meant to name one.

    Returns:
        A complete ``GradingResult``, whatever the answer, the context and the judge contain.

    Raises:
        ConfigError: a judge, policy, threshold or option that cannot be used.
    """
    case, others = split_options(options)
    grader = Grader(judge, policy, threshold, **others)
    return grader.grade(answer, context, question=question or None, **case)


async def agrade(
    answer: str | None = None,
    context: Any = None,
    *,
    question: str = "",
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    **options: Unpack[GradeOptions],
) -> GradingResult:
    """The same as ``grade``, on the running event loop."""
    case, others = split_options(options)
    grader = Grader(judge, policy, threshold, **others)
    return await grader.agrade(answer, context, question=question or None, **case)


def grade_many(
    cases: Iterable[Any],
    *,
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    concurrency: int = 8,
    **options: Unpack[GraderOptions],
) -> Results:
    """Grades many cases at once. The results have the order of the cases.

    They are a list with ``to_frame()``.
    ``Grader.grade_many`` does the same without holding all results in memory. The exception of an
    interrupt has the results until then: in a notebook, ``sys.last_value.results``.

    Args:
        cases: ``Case`` records, or mappings with ``answer``, ``context`` and optionally
            ``question``, ``id`` and ``citation_audit``, also as other systems name them; or a
            table with such columns: a pandas or polars frame, a pyarrow table, a Hugging Face
            data set (one split), a ragas ``EvaluationDataset``.
        concurrency: how many asks are under way at once, 1 to 1000.
    """
    hide_key(options)
    from .cases.sources import Given, row_labels
    from .records.result_list import Results, distrust, ungraded_in_words

    grader = Grader(judge, policy, threshold, **options)
    given = Given(cases, keep=True)
    results: list[GradingResult] = []
    try:
        results.extend(grader.grade_many(given, concurrency=concurrency))
        for why in filter(None, (distrust(results), ungraded_in_words(results))):
            warnings.warn(why, stacklevel=2)
    except BaseException as error:
        error.results = Results(results, given.rows, row_labels(cases))  # type: ignore[attr-defined]
        raise
    return Results(results, given.rows, row_labels(cases))
