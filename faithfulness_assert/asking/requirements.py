"""What a policy needs: from its judge, checked before the first ask, and from each reply."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from ..policy.policy import Policy
from ..reading.reconcile import read
from ..records.errors import ConfigError, UnreadableReply
from ..records.judge import Ask, AskKind, JudgeInfo, Payload
from .fences import names_another
from .prompt import make_ask
from .windows import MIN_ROOM, estimate_tokens


def check_judge(judge: JudgeInfo, policy: Policy) -> None:
    """Raises ``ConfigError`` if the judge cannot do what the policy needs."""
    if (limit := judge.limits.prompt_tokens) is not None:
        static = estimate_tokens(make_ask("verdicts", policy, Payload(())).messages[0]["content"])
        if limit < static + MIN_ROOM:
            needed = f"{static:,} for instructions and guidance and {MIN_ROOM} for the texts"
            problem = f"{limit:,} is too small; it needs at least about {needed}"
            raise ConfigError(f"max_prompt_tokens: {problem}")
    needs: dict[AskKind, bool] = {
        "claims": policy.split == "claims",
        "truths": policy.verify == "truths",
        "ratings": policy.verify == "rubric",
        "reason": policy.explain == "judge",
    }
    missing = [kind for kind, is_needed in needs.items() if is_needed and kind not in judge.asks]
    if missing:
        raise ConfigError(
            f"policy {policy.name!r} asks the judge for {' and '.join(missing)}, "
            f"which the judge {judge.name!r} cannot give; name an LLM judge, or one beside it with "
            "claims_judge"
        )
    no_evidence_counts = policy.weights.get("not_enough_info", 0.0) >= policy.weights["supported"]
    if judge.never_contradicts and no_evidence_counts:
        raise ConfigError(
            f"policy {policy.name!r} punishes only contradictions, "
            f"and the judge {judge.name!r} never finds one; name an LLM judge or another policy"
        )


def policy_for(judge: JudgeInfo, policy: Policy) -> tuple[Policy, tuple[str, ...]]:
    """The policy by which this judge is asked, and what of it has no effect, as warnings.

    By default, only judges behind an API are tested with controls. One that always says the same
    is asked once, whatever ``samples`` says.
    """
    if policy.controls == "auto":
        policy = replace(policy, controls="report" if judge.remote else "off")
    if policy.samples == 1 or not judge.deterministic:
        return policy, ()
    fix = "; leave out temperature=0" if judge.remote else ""
    warning = f"samples: {judge.name} gives the same reply each time, and was asked once{fix}"
    return replace(policy, samples=1), (warning,)


def is_readable(policy: Policy, ask: Ask, text: str) -> bool:
    """Whether a reply can be read as an answer to its ask."""
    form = ask.form
    if names_another(ask.echo, text):
        return False
    with suppress(UnreadableReply):
        if ask.kind == "verdicts":
            rows = read(text, policy.labels, form, single=len(ask.ids) == 1).rows
            return any(row.label in form.labels for row in rows)
        from ..reading.lists_and_ratings import read_lists, read_ratings, read_reason

        if ask.kind == "ratings":
            return len(read_ratings(text, form.dimensions)[0]) == len(form.dimensions)
        if ask.kind == "reason":
            return bool(read_reason(text))
        read_lists(text, (item for _, item in ask.payload.items))
        return True
    return False
