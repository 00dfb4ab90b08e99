"""A store of replies: what was asked once is answered the same again, at no cost.

A folder holds one subfolder for each judge: ``tape.json`` says which judge it was, each other file is one reply, named by the SHA-256
of all that shaped it. The rule: the store never fails a grade and never makes one up. What cannot be read, or is not what its name
says, is not there; what says nothing of the case (an error, a refusal, a filtered or cut reply) is not kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..records.ask import Reply
from ..records.errors import ConfigError, JudgeError
from ..records.judge import Limits
from ..records.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..records.ask import Ask
    from ..records.judge import Judge

MAX_FILE_BYTES = 16 << 20
_TAPE = "tape.json"


class StoredJudge:
    """A judge that looks an ask up in a store before it asks ``judge``, and keeps what it says.

    A kept reply comes back with ``cached`` set and a usage of zero, so that nothing is paid or counted twice.

    Args:
        judge: who is asked. Its ``identity`` tells its replies from those of others.
        folder: where replies are kept; made where it is missing. Judges and processes may share it.
        worth_keeping: whether a reply answers its ask; one that does not is asked for again next time.

    Raises:
        ConfigError: the folder cannot be written, or the judge has no ``identity``.
    """

    def __init__(
        self,
        judge: Judge,
        folder: str | os.PathLike[str],
        worth_keeping: Callable[[Ask, str], bool] = lambda _ask, text: bool(text.strip()),
    ) -> None:
        identity = getattr(judge, "identity", None)
        if not identity:
            raise ConfigError(
                "cache: this judge has no 'identity' (a mapping of what shapes its replies), so they cannot be kept apart"
            )
        self._judge = judge
        self._worth_keeping = worth_keeping
        self.name: str = getattr(judge, "name", type(judge).__name__)
        self.limits: Limits = getattr(judge, "limits", Limits())
        self.never_contradicts: bool = getattr(judge, "never_contradicts", False)
        self.identity: Mapping[str, Any] = identity
        self.caveat: str = getattr(judge, "caveat", "")
        self.keeps_deadline: bool = getattr(judge, "keeps_deadline", False)
        self.remote: bool = getattr(judge, "remote", False)
        self._folder = self._open(_path("cache", folder))

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The kept reply, else the judge's.

        Raises:
            JudgeError: the judge's own.
        """
        key = ask_key(ask, self.identity)
        if (kept := _load(self._folder, key)) is not None:
            return kept
        reply = self._judge.ask(ask, deadline=deadline)
        if (
            reply.finish_reason != "stop"
            or reply.refusal
            or not self._worth_keeping(ask, reply.text)
        ):
            return reply
        try:
            _write(
                self._folder / f"{key}.json",
                {"ask": key, "text": reply.text, "warnings": reply.warnings},
            )
        except OSError as error:
            return replace(
                reply,
                warnings=(*reply.warnings, f"cache: the reply could not be kept: {error.strerror}"),
            )
        return reply

    def _open(self, folder: Path) -> Path:
        """The judge's own subfolder, with its tape.json."""
        try:
            digest = _digest(self.identity)
        except (TypeError, ValueError):
            raise ConfigError("cache: the judge's 'identity' must be plain JSON") from None
        own = folder / f"{re.sub(r'[^A-Za-z0-9.]+', '-', self.name)[:60]}-{digest[:12]}"
        about = {
            "name": self.name,
            "identity": self.identity,
            "limits": asdict(self.limits),
            "never_contradicts": self.never_contradicts,
            "caveat": self.caveat,
            "remote": self.remote,
        }
        try:
            own.mkdir(parents=True, exist_ok=True)
            if _read(own / _TAPE) != about:
                _write(own / _TAPE, about)
        except OSError as error:
            raise ConfigError(f"cache: {folder} cannot be written: {error.strerror}") from None
        return own


class TapeJudge:
    """A judge that only plays back: no network, no key, no cost.

    Args:
        folder: what a :class:`StoredJudge` wrote to, for one judge; or the subfolder of one of several.

    Raises:
        ConfigError: there is no tape, or more than one.
    """

    keeps_deadline = True

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder, about = _find_tape(_path("tape", folder))
        self.name: str = str(about["name"])
        self.identity: Mapping[str, Any] = about["identity"]
        self.limits = _limits(about.get("limits"))
        self.never_contradicts = about.get("never_contradicts") is True
        self.caveat = str(about.get("caveat", ""))
        self.remote = about.get("remote") is True

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:  # noqa: ARG002 - a look into a folder needs none
        """The recorded reply.

        Raises:
            JudgeError: the tape has no such ask.
        """
        kept = _load(self._folder, ask_key(ask, self.identity))
        if kept is None:
            raise JudgeError(
                f"the tape {self._folder} has no reply to this ask ({ask.kind}); record it again with cache",
                "transport",
            )
        return kept


def ask_key(ask: Ask, identity: Mapping[str, Any]) -> str:
    """The SHA-256, in hex, of all that shapes the reply to ``ask``."""
    messages = [dict(m) for m in ask.messages]
    return _digest([messages, asdict(ask.form), ask.schema, ask.max_tokens, identity])


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _path(option: str, folder: object) -> Path:
    text = os.fspath(folder) if isinstance(folder, str | os.PathLike) else None
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise ConfigError(f"{option}: must be the path of a folder, got {folder!r}")
    return Path(text)


def _find_tape(folder: Path) -> tuple[Path, dict[str, Any]]:
    """The one tape in ``folder``, and what its tape.json says."""
    found = []
    for path in (folder / _TAPE, *sorted(folder.glob(f"*/{_TAPE}"))):
        about = _read(path)
        if (
            about is not None
            and isinstance(about.get("identity"), dict)
            and isinstance(about.get("name"), str)
        ):
            found.append((path.parent, about))
    if len(found) != 1:
        names = ", ".join(path.name for path, _ in found)
        raise ConfigError(
            f"tape: {folder} holds {f'the tapes {names}; name one' if names else 'no tape.json that can be read'}"
        )
    return found[0]


def _limits(data: object) -> Limits:
    known = data if isinstance(data, dict) else {}
    return Limits(
        *(
            v if isinstance(v := known.get(name), int) and v > 0 else None
            for name in ("prompt_tokens", "statements")
        )
    )


def _load(folder: Path, key: str) -> Reply | None:
    data = _read(folder / f"{key}.json")
    if data is None or data.get("ask") != key or not isinstance(data.get("text"), str):
        return None
    warnings = data.get("warnings")
    told = tuple(w for w in warnings if isinstance(w, str)) if isinstance(warnings, list) else ()
    return Reply(data["text"], Usage(), cached=True, warnings=told)


def _read(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file; None for whatever else is there, or is not."""
    try:
        if not path.is_file():  # a pipe would block
            return None
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        data = json.loads(content) if len(content) <= MAX_FILE_BYTES else None
    except (OSError, ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _write(path: Path, data: Mapping[str, Any]) -> None:
    """Writes a whole file or none: other processes may read and write the same one."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(data, file)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
