"""Which judge a test asks: the named one, one whose replies are stored, or only what is stored.

Each judge has a folder of its own below the folder of tapes, named by what names it in tests. So a
replay finds it without a key, without an address, and without the judge's package. The second and
later trials have folders of their own in it: otherwise they would repeat the first one's replies.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from ..judges.tape import TapeJudge
from ..options import taken_by
from ..records.errors import ConfigError, JudgeError
from ..records.judge import judge_info

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..records.ask import Ask, Reply

UNSHAPING = frozenset({"base_url", "api_key", "timeout", "max_retries"})
"""Options of a judge that do not shape its replies."""
HOW = "Run pytest with --faithfulness-record to record what is missing."


def tape_folder(tapes: Path | None, options: Mapping[str, Any]) -> Path | None:
    """The folder of the judge that these options name; None if its replies are never stored.

    That is so without a folder of tapes, for judges that need no network, and for those that are
    stored by the test itself (``cache``).
    """
    judge = options.get("judge", "embedded")
    if tapes is None or options.get("cache") is not None:
        return None
    if not isinstance(judge, str):
        info = judge_info(judge)
        return tapes / _slug(info.name, info.identity) if info.identity else None
    if judge == "embedded" or judge.startswith("tape:"):
        return None
    shaping = {k: v for k, v in taken_by("judge", options).items() if k not in UNSHAPING}
    return tapes / _slug(judge, shaping)


def has_tape(folder: Path) -> bool:
    """Whether replies of this judge are stored."""
    return any(folder.glob("*/tape.json"))


def recording(folder: Path, options: Mapping[str, Any], trial: int) -> dict[str, Any]:
    """The options with which replies are stored."""
    return {**options, "cache": str(_of_trial(folder, trial))}


def replaying(folder: Path, options: Mapping[str, Any], trial: int) -> dict[str, Any]:
    """The options with which only stored replies are used.

    Raises:
        ConfigError: the tape cannot be read, or there is more than one.
    """
    __tracebackhide__ = True
    of_trial = _of_trial(folder, trial)
    try:
        judge = _Replay(of_trial) if has_tape(of_trial) else _NoTape(_Replay(folder), of_trial)
    except ConfigError as error:
        raise ConfigError(f"{error}. Delete what is out of date. {HOW}") from None
    judges_own = taken_by("judge", options)
    return {**{k: v for k, v in options.items() if k not in judges_own}, "judge": judge}


class _Replay(TapeJudge):
    fix = HOW


class _NoTape:
    """Answers no ask: the tape of a trial that was never recorded. ``tape``: that of the first."""

    def __init__(self, tape: TapeJudge, folder: Path) -> None:
        self.info = tape.info
        self._folder = folder

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:  # noqa: ARG002
        raise JudgeError(f"there is no tape {self._folder}", "transport", fix=HOW)


def _of_trial(folder: Path, trial: int) -> Path:
    return folder if trial == 1 else folder / f"trial-{trial}"


def _slug(name: str, shaping: Mapping[str, Any]) -> str:
    """A name of a folder: readable, and different for judges that are different."""
    plain = re.sub(r"[^A-Za-z0-9.]+", "-", name)[:60].strip("-.")
    told = json.dumps([name, shaping], sort_keys=True, default=str)
    if plain and not shaping and plain == name.replace(":", "-"):
        return plain
    return f"{plain or 'judge'}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"
