"""Stored replies: the same ask gets the same reply again, at no cost.

A folder has one subfolder for each judge, named by what the user names it by: its name, and those
of its options that shape replies. So who only reads needs no key, no address and no package. There,
``judge.json`` describes the judge, and from ``controls-seed`` follow the controls and tags of asks,
so that they are the same each time. Every other file is one reply, named by the SHA-256 of all that
shaped it. The store never makes a grade fail, and never invents a reply: a file that is
unreadable, or does not match its name, is ignored. Errors, refusals, filtered, truncated and
unreadable replies are not stored.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..files import as_text, first_file, new_file, private_folder, read_text
from ..records.errors import ConfigError, JudgeError
from ..records.judge import Ask, Judge, JudgeInfo, Limits, Reply, judge_info
from ..records.usage import Usage
from .remote.endpoint import Endpoint
from .secret import SIZE, secret_of

MAX_FILE_BYTES = 16 << 20
NO_OPTIONS: Mapping[str, Any] = {}
_ABOUT, _SECRET = "judge.json", "controls-seed"
_STORED = ("text", "warnings", "confidence", "wrong")
"""The fields of a reply that are stored."""
_NOT_NAMING = (
    *("base_url", "api_key", "client", "extra_headers"),
    *("timeout", "max_retries", "max_tokens", "device"),
)
"""Options of a judge that do not name its folder: who only reads need not give them."""


class StoredJudge:
    """A judge that looks up each ask in a store before it asks ``judge``, and stores the replies.

    A stored reply has ``cached`` set and a usage of zero: nothing is paid or counted twice. The
    stored judge has ``aask`` if ``judge`` has it.

    Args:
        judge: who is asked. Its ``identity`` distinguishes its replies from those of other judges.
            None: nobody is asked, and nothing is written.
        folder: where replies are stored; created if missing. Judges and processes may share it.
        is_readable: whether a reply text answers its ask. Other replies are not stored.
        seed: what the secret of a new folder is made of; None to draw it.
        spec, options: what the user names the judge by; default: ``judge`` itself.

    Raises:
        ConfigError: the folder is no path or cannot be written, or the judge has no ``identity``.
    """

    def __init__(
        self,
        judge: Judge | None,
        folder: str | os.PathLike[str] | None,
        is_readable: Callable[[Ask, str], bool] = lambda _, text: bool(text.strip()),
        seed: int | None = None,
        spec: str | Judge | None = None,
        options: Mapping[str, Any] = NO_OPTIONS,
    ) -> None:
        named: Any = judge if spec is None else spec
        self.judge, self._is_readable = judge, is_readable
        self._folder = own = _judge_folder(folder, named, options)
        self._described = _described(own)
        if judge is None:
            by_name = JudgeInfo(named, remote=True) if isinstance(named, str) else judge_info(named)
            self._info = replace(self._described or by_name, keeps_deadline=True, any_loop=False)
            identity, address = self._info.identity or {}, options.get("base_url")
            named_first = (
                [{**identity, "base_url": Endpoint(address).public_url}] if address else []
            )
            self._identities = [*named_first, identity]
            self.secret = _read_secret(own)
            return
        self._identities = [judge_info(judge).identity or {}]
        if keep_in := getattr(judge, "keep_in", None):
            keep_in(own.parent)  # what its server needs is there for all judges of it
        try:
            own.parent.mkdir(parents=True, exist_ok=True)
            private_folder(own)  # its name can be foreseen, so it may be a link to another folder
            if not (own / _SECRET).exists():
                new = os.urandom(SIZE) if seed is None else secret_of(seed)
                first_file(own / _SECRET, f"{new.hex()}\n".encode("ascii"))
            if self._described is None:
                self._describe()
        except OSError as error:
            problem = f"{own.parent} cannot be written: {error.strerror or error}"
            raise ConfigError(f"cache: {problem}") from None
        self.secret = _read_secret(own)
        if self.secret is None:
            problem = "is damaged; remove it, and stored replies are asked for again"
            raise ConfigError(f"cache: {own / _SECRET} {problem}")
        if hasattr(judge, "aask"):
            self.aask = self._aask

    @property
    def info(self) -> JudgeInfo:
        """What the judge says about itself; if nobody is asked, what the folder says about it."""
        return self._info if self.judge is None else judge_info(self.judge)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The stored reply, else the judge's.

        Raises:
            JudgeError: the judge's own; or nobody is asked, and no stored reply fits this ask.
        """
        if stored := self.stored(ask):
            return stored
        if self.judge is None:
            problem = f"no stored reply in {self._folder} fits this ask ({ask.kind})"
            fix = f"Its file {_SECRET} is missing: commit it with the replies."
            lacks = self.secret is None and any(self._folder.glob("*"))
            raise JudgeError(problem, "not_stored", fix=fix if lacks else "")
        return self._store(ask, self.judge.ask(ask, deadline=deadline))

    async def _aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        from . import background

        if stored := await background.in_thread(self.stored, ask):
            return stored
        reply = await self.judge.aask(ask, deadline=deadline)  # type: ignore[union-attr]
        return await background.in_thread(self._store, ask, reply)

    def stored(self, ask: Ask, /) -> Reply | None:
        """The stored reply, if there is one: such an ask need not wait for the judge's server."""
        keys = (ask_key(ask, identity) for identity in self._identities)
        found = ((key, _read(self._folder / f"{key}.json")) for key in keys)
        data = next((one for key, one in found if one.get("ask") == key), {})
        if not isinstance(data.get("text"), str):
            return None
        with suppress(TypeError):
            warnings, confidence, wrong = (tuple(data.get(name) or ()) for name in _STORED[1:])
            marks = tuple(map(tuple, wrong))
            given: dict[str, Any] = {"warnings": warnings, "confidence": confidence, "wrong": marks}
            with suppress(OSError):  # the folder may be read only
                self._describe()
            return Reply(data["text"], Usage(), cached=True, **given)
        return None

    def _store(self, ask: Ask, reply: Reply) -> Reply:
        """``reply``, which is stored if it is worth it; with a warning if that fails."""
        complete = reply.finish_reason == "stop" and not reply.refusal
        if not complete or not self._is_readable(ask, reply.text):
            return reply
        key = ask_key(ask, self._identities[0])
        content = {"ask": key, **{name: getattr(reply, name) for name in _STORED}}
        try:
            self._describe()
            _write(self._folder / f"{key}.json", content)
        except OSError as error:
            warning = f"cache: the reply could not be stored: {error.strerror}"
            return replace(reply, warnings=(*reply.warnings, warning))
        return reply

    def _describe(self) -> None:
        """Keeps what a judge that replied says about itself. It may have learned its window."""
        if self.judge is not None and (info := self.info) != self._described:
            _write(self._folder / _ABOUT, {**asdict(info), "asks": sorted(info.asks)})
            self._described = info


def ask_key(ask: Ask, identity: Mapping[str, Any]) -> str:
    """The SHA-256, in hex, of all that shapes the reply to ``ask``: no cap does, if it is whole."""
    messages = [dict(m) for m in ask.messages]
    sample = [ask.sample] if ask.sample > 1 else []
    return _digest([messages, asdict(ask.form), ask.schema, identity, *sample])


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, allow_nan=False).encode()).hexdigest()


# ---------------------------------------------------------------- folders of judges


def _judge_folder(parent: object, spec: str | Judge, options: Mapping[str, Any]) -> Path:
    """The judge's own subfolder."""
    text = os.fspath(parent) if isinstance(parent, str | os.PathLike) else None
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise ConfigError(f"cache: must be the path of a folder, got {parent!r}")
    naming = {name: value for name, value in options.items() if name not in _NOT_NAMING}
    if (writer := naming.get("claims_judge")) is not None:
        naming["claims_judge"] = _named(writer)
    named = _named(spec)
    name = named if isinstance(named, str) else judge_info(spec).name
    try:
        digest = _digest([named, naming])
    except (TypeError, ValueError):
        raise ConfigError("cache: the judge's 'identity' must be plain JSON") from None
    return Path(text, f"{re.sub(r'[^A-Za-z0-9.]+', '-', name)[:60]}-{digest[:12]}")


def _named(judge: str | Judge) -> str | Mapping[str, Any]:
    """What distinguishes a judge. A local model is the same one wherever its folder is."""
    if isinstance(judge, str):
        kind, _, model = judge.partition(":")
        model = os.path.basename(os.path.normpath(model)) if kind == "local" else model.strip()
        return f"{kind}:{model}" if model else kind
    if identity := judge_info(judge).identity:
        return identity
    raise ConfigError(
        "cache: this judge has no 'identity' (a mapping of the settings that shape its "
        "replies), so its replies cannot be stored"
    )


def _described(folder: Path) -> JudgeInfo | None:
    """The judge that a judge.json describes; None if it does not."""
    data = _read(folder / _ABOUT)
    with suppress(ConfigError, KeyError, TypeError):
        info = JudgeInfo(**{**data, "limits": Limits(**data["limits"])})
        return info if isinstance(info.identity, dict) else None
    return None


def _read_secret(folder: Path) -> bytes | None:
    """The secret that a folder keeps; None if it keeps none, or none that can be read."""
    with suppress(OSError, ValueError):
        secret = bytes.fromhex(read_text(folder / _SECRET, most=4 * SIZE))
        return secret if len(secret) == SIZE else None
    return None


def _read(path: Path) -> Mapping[str, Any]:
    """The JSON object in a file; an empty one if there is none."""
    with suppress(OSError, ValueError, RecursionError):
        data = json.loads(read_text(path, most=MAX_FILE_BYTES))
        return data if isinstance(data, dict) else {}
    return {}


def _write(path: Path, data: Mapping[str, Any]) -> None:
    """Writes a whole file or none: other processes may read and write the same one."""
    with new_file(path, private=True) as file, as_text(file) as text:
        json.dump(data, text)
