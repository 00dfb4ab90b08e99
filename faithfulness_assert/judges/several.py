"""Judges that grade together. A ``Grader`` grades with each member: see ``ensemble/``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..records.errors import ConfigError, JudgeError
from ..records.judge import Judge, JudgeInfo, described, judge_info
from .certificate import read_certificate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..records.ask import Ask

MOST_MEMBERS = 9


class Several:
    """What a cascade and a panel share: their members, and what they say about themselves."""

    kind = ""
    members: tuple[Judge, ...]

    @property
    def info(self) -> JudgeInfo:
        """The members' names and settings; as remote as the most remote of them."""
        infos = [judge_info(member) for member in self.members]
        identity = {"members": self.described(), **self.settings()}
        asks = frozenset.intersection(*(info.asks for info in infos))
        names = ",".join(info.name for info in infos)
        remote = any(info.remote for info in infos)
        return JudgeInfo(f"{self.kind}:{names}", remote=remote, asks=asks, identity=identity)

    def described(self) -> list[dict[str, Any]]:
        """The members as a run describes them, without their addresses."""
        told = map(described, self.members)
        return [{n: value for n, value in one.items() if n != "base_url"} for one in told]

    def settings(self) -> dict[str, Any]:
        """What beside the members decides what they say together."""
        return {}

    def shares(self) -> tuple[float, ...]:
        """The share of cases that each member is asked about, from 0 to 1."""
        return (1.0,) * len(self.members)

    def policy_changes(self) -> tuple[Mapping[str, Any], ...]:
        """The fields of the policy that are otherwise for each member."""
        return ({},) * len(self.members)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> NoReturn:  # noqa: ARG002
        """Raises ``JudgeError``: not single asks are shared among judges, but whole grades."""
        problem = f"a {self.kind} answers no single ask; pass it to Grader, or to grade()"
        raise JudgeError(problem, "transport")


def shares_of(judge: Judge) -> list[tuple[Judge, float, Mapping[str, Any]]]:
    """The judges that are asked, each with the share of cases, and its changes of the policy."""
    if not isinstance(judge, Several):
        return [(judge, 1.0, {})]
    return list(zip(judge.members, judge.shares(), judge.policy_changes(), strict=True))


class Cascade(Several):
    """The second judge grades only what the first one is not certainly right about.

    Args:
        first, second: the judges. The second one counts as right.
        certificate: the file that ``faithfulness-assert certify`` wrote, or its content. It says
            where the first judge agrees with the second one, and how often at least.

    Raises:
        ConfigError: there is no certificate, or it cannot be read.
    """

    kind = "cascade"

    def __init__(self, first: Judge, second: Judge, *, certificate: object = None) -> None:
        self.members = (first, second)
        self.certificate = read_certificate(certificate)

    def settings(self) -> dict[str, Any]:
        """What the certificate says."""
        return {"certificate": self.certificate.shown()}

    def shares(self) -> tuple[float, ...]:
        """The second judge is asked about what the first one would not have answered."""
        return 1.0, 1 - self.certificate.accepted / max(self.certificate.cases, 1)

    def policy_changes(self) -> tuple[Mapping[str, Any], ...]:
        """The second judge counts as right, and is asked once: samples are of the first one."""
        return {}, {"samples": 1}


class Panel(Several):
    """A statement has the label that more than half of the judges give it, else none.

    Raises:
        ConfigError: fewer than two judges, or more than ``MOST_MEMBERS``.
    """

    kind = "panel"

    def __init__(self, *members: Judge) -> None:
        if not 2 <= len(members) <= MOST_MEMBERS:
            needs = f"needs 2 to {MOST_MEMBERS} judges, got {len(members)}"
            raise ConfigError(f"judge: a panel {needs}")
        self.members = members
