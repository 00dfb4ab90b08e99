"""The front door: ``grade``, ``agrade``, ``grade_many`` and ``Grader``. It sorts options, builds what is named, and drives plans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from .asking.prompt import make_ask
from .asking.tokens import CountTokens, estimate_tokens, exact_counter
from .drive import Clock, arun, run, run_many
from .judges import make_judge, option_names
from .plan.conclude import invalid_input
from .plan.plan import grade_plan
from .plan.state import MIN_ROOM
from .policy.load import FIELD_NAMES, find_policy
from .policy.policy import Policy, is_number
from .policy.presets import SOURCE_OPTIONS
from .reading import read, read_claims, read_ratings, read_reason
from .records.ask import Payload
from .records.case import CASE_ALIASES, Case
from .records.errors import ConfigError, InputError, UnreadableReply, suggest
from .records.judge import Limits

if TYPE_CHECKING:
    from .plan.plan import Plan
    from .records.ask import Ask
    from .records.judge import Judge
    from .records.result import GradingResult
    from .records.usage import Usage

DEADLINE = 300.0
JUDGE_OPTIONS = (
    "base_url",
    "api_key",
    "timeout",
    "max_retries",
    "temperature",
    "seed",
    "max_prompt_tokens",
    "max_statements",
)
GRADER_OPTIONS = ("cache", "deadline", "language", "policy_options", "prices")
MAX_PRICE = 1e6
# Fields of a case that grade() takes beside its own, under our names and others'.
CASE_OPTIONS = (
    "id",
    "citation_audit",
    *(alias for aliases in CASE_ALIASES.values() for alias in aliases),
)
PRICE_NAMES = ("prompt", "completion", "cached")


class Grader:
    """A judge and a policy, checked and ready: grade as many cases with it as you like, from any thread.

    Args:
        judge: ``"embedded"`` (a lexical smoke-test judge, no key), ``"openai:MODEL"``, ``"tape:DIR"``, or an object with ``ask``.
        policy: the name of a preset or a :class:`Policy`.
        threshold: the score in [0, 1] that passes; None for the policy's own.
        options: for the judge (``base_url``, ``api_key``, ``timeout`` in seconds for one ask, ``max_retries``, ``temperature``, ``seed``,
            ``max_prompt_tokens``, ``max_statements``), for the grader (``deadline`` in seconds for a whole grade, ``cache`` a folder for
            replies, ``language`` of the texts, ``prices`` for a million tokens: ``prompt``, ``completion``, ``cached``), any field of the
            policy that changes a grade, and ``policy_options`` under the names of the policy's source.

    Raises:
        ConfigError: a judge, policy, threshold or option that cannot be used; it names the option and the fix.
    """

    def __init__(
        self,
        judge: str | Judge = "embedded",
        policy: str | Policy = "default",
        threshold: float | None = None,
        **options: Any,
    ):
        options = _hidden(options)
        _known(options)
        fields = {name: value for name, value in options.items() if name in FIELD_NAMES}
        if threshold is not None:
            fields["threshold"] = threshold
        self.policy = find_policy(
            policy, fields, _mapping("policy_options", options.get("policy_options"))
        )
        self.judge = _judge(judge, self.policy, options)
        if self.policy.controls == "auto":
            self.policy = replace(
                self.policy, controls="report" if getattr(self.judge, "remote", False) else "off"
            )
        self.judge_name = str(getattr(self.judge, "name", type(self.judge).__name__))
        self._limits = _limits(self.judge, self.policy)
        # A judge that knows tries bounds each by the timeout itself; to any other it is a deadline for each ask.
        timeout = (
            None
            if "timeout" in option_names(judge)
            else _seconds("timeout", options.get("timeout"))
        )
        self._clock = Clock(_seconds("deadline", options.get("deadline", DEADLINE)), timeout)
        self._language = _language(options.get("language", "en"))
        self._prices = _prices(options.get("prices"))
        _fits(self.judge, self.judge_name, self.policy)

    def __repr__(self) -> str:
        return f"Grader(judge={self.judge_name!r}, policy={self.policy.name!r}, threshold={self.policy.passes_at!r})"

    def grade(
        self,
        answer: str | None = None,
        context: Any = None,
        *,
        question: str | None = None,
        id: str = "",
        **named: Any,
    ) -> GradingResult:
        """Grades one answer. Bad data and judge failures are results too: this raises nothing of its own.

        ``named``: ``citation_audit``, or fields under the names of other systems; see :class:`Case`.
        """
        try:
            plan = self._plan(Case(answer, context, question, id, **named))
        except InputError as problem:
            return self._invalid(str(problem), id)
        return self._complete(run(plan, self.judge, self._clock))

    async def agrade(
        self,
        answer: str | None = None,
        context: Any = None,
        *,
        question: str | None = None,
        id: str = "",
        **named: Any,
    ) -> GradingResult:
        """As :meth:`grade`, on the running event loop."""
        try:
            plan = self._plan(Case(answer, context, question, id, **named))
        except InputError as problem:
            return self._invalid(str(problem), id)
        return self._complete(await arun(plan, self.judge, self._clock))

    def grade_many(
        self, cases: Iterable[Case | Mapping[str, Any]], *, concurrency: int = 8
    ) -> Iterator[GradingResult]:
        """Results in the order of the cases, at most ``concurrency`` at once. Cases are read, and results kept, only as needed."""
        if (
            isinstance(concurrency, bool)
            or not isinstance(concurrency, int)
            or not 1 <= concurrency <= 1000
        ):
            raise ConfigError(
                f"concurrency: must be a whole number from 1 to 1000, got {concurrency!r}"
            )
        if isinstance(cases, str | Mapping) or not isinstance(cases, Iterable):
            raise ConfigError(f"cases: must be an iterable of cases, got {type(cases).__name__}")
        return run_many((partial(self._grade_case, case) for case in cases), concurrency)

    def _grade_case(self, case: Case | Mapping[str, Any]) -> GradingResult:
        if isinstance(case, Case):
            return self._complete(run(self._plan(case), self.judge, self._clock))
        if not isinstance(case, Mapping):
            return self._invalid(f"a case must be a Case or a mapping, got {type(case).__name__}")
        fields = {str(key): value for key, value in case.items()}
        return self.grade(**{"id": "", **fields})

    def _plan(self, case: Case) -> Plan:
        count = estimate_tokens if self._limits.prompt_tokens is None else _counter()
        return grade_plan(
            case, self.policy, language=self._language, count=count, limits=self._limits
        )

    def _invalid(self, problem: str, id: object = None) -> GradingResult:
        return self._complete(invalid_input(problem, self.policy, "" if id is None else str(id)))

    def _complete(self, result: GradingResult) -> GradingResult:
        """What only the front door knows: the judge's name, what it says of itself, and what was paid."""
        caveat = getattr(self.judge, "caveat", "")
        noted = {
            "metadata": {**result.metadata, "judgeNote": caveat},
            "reason": result.reason and f"{result.reason} [{caveat}]",
        }
        changes = {
            "judge": self.judge_name,
            "cost": _cost(result.tokens_used, self._prices),
            **(noted if caveat and result.verdicts else {}),
        }
        return replace(result, **changes)  # type: ignore[arg-type]


def grade(
    answer: str | None = None,
    context: Any = None,
    *,
    question: str = "",
    judge: str | Judge = "embedded",
    policy: str | Policy = "default",
    threshold: float | None = None,
    **options: Any,
) -> GradingResult:
    """Whether ``answer`` is faithful to ``context``.

    Args:
        answer: the LLM's answer.
        context: what it may rest on: a string, or a list of strings, passages or mappings with ``text`` and ``id``.
        question: what was asked; it resolves references and is never evidence.
        judge, policy, threshold, options: see :class:`Grader`. The case's fields are taken under the names of other systems too
            (``actual_output``, ``retrieval_context``, ``retrieved_contexts``, ``response``, ``user_input``, ``query`` ...), and a
            ``citation_audit`` that was made before.

    Returns:
        A complete :class:`GradingResult`, whatever the answer, the context and the judge hold.

    Raises:
        ConfigError: a judge, policy, threshold or option that cannot be used.
    """
    fields, options = _apart(options)
    return Grader(judge, policy, threshold, **options).grade(
        answer, context, question=question or None, **fields
    )


async def agrade(
    answer: str | None = None,
    context: Any = None,
    *,
    question: str = "",
    judge: str | Judge = "embedded",
    policy: str | Policy = "default",
    threshold: float | None = None,
    **options: Any,
) -> GradingResult:
    """As :func:`grade`, on the running event loop."""
    fields, options = _apart(options)
    return await Grader(judge, policy, threshold, **options).agrade(
        answer, context, question=question or None, **fields
    )


def grade_many(
    cases: Iterable[Case | Mapping[str, Any]],
    *,
    judge: str | Judge = "embedded",
    policy: str | Policy = "default",
    threshold: float | None = None,
    concurrency: int = 8,
    **options: Any,
) -> list[GradingResult]:
    """Grades many cases at once; the results stand in the order of the cases. ``Grader.grade_many`` does it without holding them all.

    Args:
        cases: :class:`Case` records, or mappings with ``answer``, ``context`` and perhaps ``question``, ``id`` and ``citation_audit``, also
            under the names of other systems.
        concurrency: how many are graded at once, 1 to 1000.
    """
    options = _hidden(options)
    return list(
        Grader(judge, policy, threshold, **options).grade_many(cases, concurrency=concurrency)
    )


# ---------------------------------------------------------------- options


def _apart(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What belongs to the case, and what to the grader."""
    fields = {name: value for name, value in options.items() if name in CASE_OPTIONS}
    return fields, _hidden(
        {name: value for name, value in options.items() if name not in CASE_OPTIONS}
    )


def _hidden(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with a key that no traceback shows: pytest prints the arguments of the functions that an error went through."""
    if not isinstance(options.get("api_key"), str):
        return dict(options)
    from .judges.remote.settings import Secret

    return {**options, "api_key": Secret(options["api_key"])}


def _known(options: Mapping[str, Any]) -> None:
    known = {*JUDGE_OPTIONS, *GRADER_OPTIONS, *FIELD_NAMES}
    for name in options:
        if name not in known:
            takers = " or ".join(policy for policy, own in SOURCE_OPTIONS.items() if name in own)
            hint = (
                f"With the policy {takers} it goes into policy_options."
                if takers
                else suggest(name, known)
            )
            raise ConfigError(f"{name}: there is no such option. {hint}")


def _mapping(name: str, value: object) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(
            f'{name}: must be a mapping, as JSON {{"name": value}}, got {type(value).__name__}'
        )
    return value


def _judge(spec: str | Judge, policy: Policy, options: Mapping[str, Any]) -> Judge:
    taken = option_names(spec)
    own = {
        name: options[name]
        for name in JUDGE_OPTIONS
        if name in options and (name != "timeout" or name in taken)
    }
    judge = make_judge(spec, own)
    if options.get("cache") is None:
        return judge
    from .judges.tape import StoredJudge

    return StoredJudge(judge, options["cache"], partial(_answers, policy))


def _answers(policy: Policy, ask: Ask, text: str) -> bool:
    """Whether a reply can be read as an answer to its ask."""
    try:
        if ask.kind in ("claims", "truths"):
            read_claims(text)
            return True
        if ask.kind == "ratings":
            return len(read_ratings(text, ask.form.dimensions)[0]) == len(ask.form.dimensions)
        if ask.kind == "reason":
            return bool(read_reason(text))
        return any(v.label in ask.form.labels for v in read(text, policy.labels).verdicts)
    except UnreadableReply:
        return False


def _limits(judge: Judge, policy: Policy) -> Limits:
    limits = getattr(judge, "limits", None) or Limits()
    if not isinstance(limits, Limits):
        raise ConfigError(f"judge: its 'limits' must be a Limits, got {type(limits).__name__}")
    if limits.prompt_tokens is not None:
        static = estimate_tokens(make_ask("verdicts", policy, Payload(())).messages[0]["content"])
        if limits.prompt_tokens < static + MIN_ROOM:
            least = f"{static:,} for instructions and guidance and {MIN_ROOM} for the texts"
            raise ConfigError(
                f"max_prompt_tokens: {limits.prompt_tokens:,} is too little; it takes about {least}"
            )
    return limits


def _seconds(name: str, value: object) -> float | None:
    if value is None:
        return None
    if not is_number(value) or not 0 < value <= 86_400:  # type: ignore[operator]
        raise ConfigError(
            f"{name}: must be a number of seconds over 0 and up to 86400, got {value!r}"
        )
    return float(value)  # type: ignore[arg-type]


def _language(value: object) -> str:
    if not isinstance(value, str) or not value.isascii() or not 2 <= len(value) <= 12:
        raise ConfigError(f"language: must be a language code such as 'en' or 'pt', got {value!r}")
    return value.lower()


def _prices(value: object) -> Mapping[str, float] | None:
    if value is None:
        return None
    prices = _mapping("prices", value)
    for name, price in prices.items():
        if name not in PRICE_NAMES:
            raise ConfigError(f"prices: {name!r} has no price. {suggest(str(name), PRICE_NAMES)}")
        if not is_number(price) or not 0 <= price <= MAX_PRICE:
            raise ConfigError(
                f"prices: {name} must be what a million tokens cost, from 0 to {MAX_PRICE:,.0f}, got {price!r}"
            )
    return prices


def _cost(usage: Usage, prices: Mapping[str, float] | None) -> float | None:
    if prices is None:
        return None
    prompt = prices.get("prompt", 0.0)
    fresh = max(usage.prompt - usage.cached, 0)
    return (
        fresh * prompt
        + usage.cached * prices.get("cached", prompt)
        + usage.completion * prices.get("completion", 0.0)
    ) / 1e6


def _fits(judge: Judge, name: str, policy: Policy) -> None:
    """A judge of words alone gives verdicts and nothing else, and never says ``contradicted``: not every policy can do with that."""
    if not getattr(judge, "never_contradicts", False):
        return
    wants = {
        "claims": policy.split == "claims",
        "truths": policy.verify == "truths",
        "ratings": policy.verify == "rubric",
        "a reason": policy.explain == "judge",
    }
    if wanted := [what for what, wants_it in wants.items() if wants_it]:
        raise ConfigError(
            f"policy {policy.name!r} asks the judge for {' and '.join(wanted)}, which the judge {name!r} cannot give; name an LLM judge"
        )
    if policy.weights.get("not_enough_info", 0.0) >= policy.weights["supported"]:
        raise ConfigError(
            f"policy {policy.name!r} punishes only contradictions, which the judge {name!r} cannot tell; "
            "name an LLM judge or another policy"
        )


@cache
def _counter() -> CountTokens:
    return exact_counter() or estimate_tokens
