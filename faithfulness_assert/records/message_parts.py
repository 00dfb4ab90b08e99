"""One message as texts, with who said each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from ..text.strings import clean_text, clip, is_blank
from .case_fields import CASE_ALIASES
from .echoes import passed_to, without_echoes
from .errors import InputError
from .tool_outputs import ASSISTANT, CALLS, KEPT_OUT, TEXTS, as_plain, output_texts, part_text

ROLES = {
    **dict.fromkeys(ASSISTANT, "assistant"),
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
_RESULTS = ("_result", "_output", "_response")
_BY_THE_SERVER = ("_tool_result", "server_tool_call_response")  # results in an assistant's message
_CALLS_WITH_RESULTS = {
    "file_search_call": "results",
    "mcp_call": "output",
    "code_interpreter_call": "outputs",
}
_ASSISTANTS_TEXTS = ("output_text", "refusal")
_DOCUMENTS = ("document", "search_result")
_PAYLOADS = ("content", "output", "response", "result", "server_tool_call_response")
_IDS = ("tool_use_id", "call_id", "tool_call_id", "id")
_RETRIEVED = "retrieval_context"  # of a turn of DeepEval
_CONTEXT_KEYS = {"context", "documents", *CASE_ALIASES["context"]} - {_RETRIEVED}


class Call(NamedTuple):
    """A call of a tool: the name of the tool, and what the assistant passed to it."""

    tool: str
    passed: str


Who = Literal["assistant", "user", "system", "tool", "call", "note"]
Text = tuple[Who, str, str]
"""Who said it, how a passage with it is named, and the text itself."""


def role_of(message: Any) -> str | None:
    """The role of a message; None if it has none that is a text."""
    if not isinstance(message, Mapping):
        return None
    role = message.get("role")
    kind = message.get("type")
    if role is None and isinstance(kind, str):  # LangChain's messages; items of the Responses API
        if kind in ROLES or kind == "message":
            return kind
        if kind.endswith(_RESULTS):
            return "tool"
        return "assistant" if kind.endswith(CALLS) or kind in KEPT_OUT else None
    return role.strip().lower() if isinstance(role, str) else None


class MessageReader:
    """Reads one message. ``calls``: the calls of tools so far, by id."""

    def __init__(
        self, place: str, role: str, message: Mapping[str, Any], calls: dict[str, Call]
    ) -> None:
        self.place, self.role, self.message, self.calls = place, role, message, calls

    def texts(self) -> Iterator[Text]:
        """The texts of the message, with who said them and how a passage is named."""
        name, content = self._content()
        if self.role == "tool" and not _has_results(content):
            yield from self._result(self.message, content, name)
        else:
            parts = content if isinstance(content, list | tuple) else [content]
            for number, part in enumerate(parts):
                single = parts is not content
                yield from self._part(part, name if single else f"{name}[{number}]")
        yield from self._calls()
        yield from self._beside()

    def _content(self) -> tuple[str, Any]:
        """The content of the message, and its place."""
        for key in ("content", "parts"):
            content = as_plain(self.message.get(key))
            if content is not None:
                if isinstance(content, str | list | tuple | Mapping):
                    return f"{self.place}.{key}", content
                kind = type(content).__name__
                problem = f"must be a string or a list of parts, got {kind}"
                if self.role != "tool":
                    raise InputError(f"{self.place}.{key}: {problem}")
                return f"{self.place}.{key}", content
        if self.message.get("role") is None and self.message.get("type") not in ROLES:
            return self.place, self.message  # an item of the Responses API is a part by itself
        if self.role == "assistant":
            refusal = self.message.get("refusal")
            return f"{self.place}.refusal", refusal if isinstance(refusal, str) else []
        if self.role == "tool":
            return f"{self.place}.content", None
        raise InputError(f"{self.place}.content: missing")

    def _part(self, part: Any, place: str) -> Iterator[Text]:
        part = as_plain(part)
        if isinstance(part, str):
            yield self._said(part)
            return
        if not isinstance(part, Mapping):
            raise InputError(f"{place}: must be a mapping or a text, got {type(part).__name__}")
        kind = str(part.get("type") or ("text" if "text" in part else "without a type"))
        if kind in KEPT_OUT:
            return
        if kind in _ASSISTANTS_TEXTS and self.role in ("user", "system"):
            yield "note", "", f"{place} is not used: a part of type {kind!r} is an assistant's"
        elif kind in TEXTS:
            text = part_text(part)
            if text is None:
                raise InputError(f"{place}.text: must be a string")
            yield self._said(text)
        elif kind in _DOCUMENTS and self.role != "assistant":
            yield from self._output("document", [part], place)
        elif kind.endswith(CALLS):
            yield self._call(part)
            if kind in _CALLS_WITH_RESULTS and part.get(_CALLS_WITH_RESULTS[kind]) is not None:
                yield from self._result(part, part[_CALLS_WITH_RESULTS[kind]], place)
        elif kind.endswith(_RESULTS) and kind not in _DOCUMENTS and self._trusts(kind):
            payload = next((part[key] for key in _PAYLOADS if part.get(key) is not None), None)
            yield from self._result(part, payload, place)
        else:
            yield "note", "", f"{place} is not used: a part of type {clip(kind, 40)!r}"

    def _trusts(self, kind: str) -> bool:
        """Whether a result may stand here: in an assistant's message, only one of the server."""
        return self.role != "assistant" or kind.endswith(_BY_THE_SERVER)

    def _said(self, text: str) -> Text:
        who: Who = self.role  # type: ignore[assignment]
        return who, self.role, text

    def _call(self, call: Mapping[str, Any]) -> Text:
        """A call of a tool. It is kept for the result."""
        inner = next((call[k] for k in ("function", "custom") if call.get(k) is not None), call)
        inner = inner if isinstance(inner := as_plain(inner), Mapping) else {}
        name = inner.get("name")
        id = next((call[key] for key in ("call_id", "id") if call.get(key) is not None), None)
        if id is not None:
            kind = str(call.get("type", "")).removesuffix("_call")
            tool = name if isinstance(name, str) else kind
            self.calls[str(id)] = Call(tool, passed_to({**call, **inner}))
        return "call", "", ""

    def _calls(self) -> Iterator[Text]:
        """The calls that OpenAI's messages have beside their content."""
        if self.role != "assistant":
            return
        for key in ("tool_calls", "function_call"):
            calls = as_plain(self.message.get(key))
            calls = [calls] if isinstance(calls, Mapping) else [] if calls is None else calls
            if not isinstance(calls, list | tuple):
                kind = type(calls).__name__
                raise InputError(f"{self.place}.{key}: must be a list of calls, got {kind}")
            for number, call in enumerate(map(as_plain, calls)):
                if not isinstance(call, Mapping):
                    kind = type(call).__name__
                    problem = f"must be a mapping, got {kind}"
                    raise InputError(f"{self.place}.{key}[{number}]: {problem}")
                yield self._call(call)

    def _result(self, part: Mapping[str, Any], payload: Any, place: str) -> Iterator[Text]:
        """The texts of a tool's result."""
        id = next((str(part[key]) for key in _IDS if part.get(key) is not None), "")
        call = self.calls.get(id) or Call("", passed_to(part))
        name = part.get("name") or call.tool
        if id not in self.calls and (id or not name):
            named = f" {clip(id, 40)!r}" if id else ""
            yield "note", "", f"{place}: a tool result without its call{named}"
        tool = clip(clean_text(str(name or "")), 60)
        for who, what, text in self._output(f"tool {tool}".strip(), payload, place):
            new = without_echoes(text, call.passed) if who == "tool" else text
            if is_blank(new) and not is_blank(text):
                yield "note", "", f"{place} only repeats what was passed to the tool: no evidence"
            else:
                yield who, what, new

    def _output(self, what: str, payload: Any, place: str) -> Iterator[Text]:
        for title, text in output_texts(payload, place):
            if text is None:
                yield "note", "", title
            else:
                yield "tool", f"{what}, {clip(title, 60)}" if title else what, text

    def _beside(self) -> Iterator[Text]:
        """What stands beside the content: retrieved documents, and notes about the rest."""
        if self.message.get(_RETRIEVED):
            yield from self._output(_RETRIEVED, self.message[_RETRIEVED], self.place)
        for key in ("audio", "tools_called", *sorted(_CONTEXT_KEYS)):
            if self.message.get(key):
                yield "note", "", f"{self.place}.{key} is not used"


def _has_results(content: Any) -> bool:
    """Whether a tool's message consists of results, as OpenTelemetry's does."""
    items = content if isinstance(content, list | tuple) else [content]
    kinds = (item.get("type") for item in map(as_plain, items) if isinstance(item, Mapping))
    return any(
        isinstance(kind, str) and kind.endswith(_RESULTS) and kind not in _DOCUMENTS
        for kind in kinds
    )
