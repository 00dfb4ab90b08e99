"""A server that sends a key back, in every form and place, and whether a text shows it.

``FORMS`` are ways to write a key, ``LOOSE`` those in which only a long one is found. ``PLACES`` are parts of an answer.
``shows`` reads a text as it stands and as people or programs may decode it: it shares no code with what takes keys out.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote, unquote

from loopback import Answer, Loopback, Request, good_reply, refusal_to

LONG, SHORT = "sk-proj-a+b/c=0123456789abcdefXYZ", "pw-19x7-q4"
Form = Callable[[str], str]


def each(pattern: str) -> Form:
    return lambda key: "".join(pattern.format(c=c, n=ord(c)) for c in key)


def in_base64(before: str) -> Form:
    return lambda key: base64.b64encode(f"{before}{key} end".encode()).decode()


def hashed(algorithm: str, written: Callable[[bytes], str] = bytes.hex) -> Form:
    return lambda key: written(hashlib.new(algorithm, key.encode()).digest())


def as_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


DIGESTS = {
    f"{name} in {how}": hashed(name, written)
    for name in ("md5", "sha1", "sha256", "sha512")
    for how, written in (("hex", bytes.hex), ("base64", as_base64))
}
FORMS: dict[str, Form] = {
    **DIGESTS,
    "plain": str,
    "upper": str.upper,
    "JSON escapes": each("\\u{n:04x}"),
    "JSON escapes in JSON": each("\\\\u{n:04X}"),
    "Python escapes": each("\\x{n:02x}"),
    "JavaScript escapes": each("\\u{{{n:x}}}"),
    "URL": lambda key: quote(key, safe=""),
    "URL escapes": each("%{n:02x}"),
    "URL escapes twice": each("%25{n:02X}"),
    "HTML escapes": each("&#{n};"),
    "HTML escapes in hex": each("&#x{n:x};"),
    "zero-width spaces": "\u200b".join,
    "joiners": "\u2060\u200d".join,
    "soft hyphens": "\u00ad".join,
    "variation selectors": each("{c}\ufe0f"),
    "Hangul fillers": "\u3164".join,
    "combining marks": each("{c}\u0301"),
    "wide letters": lambda key: "".join(chr(ord(c) + 0xFEE0) for c in key),
    "bold letters": lambda key: "".join(
        chr(ord(c) - 97 + 0x1D41A) if "a" <= c <= "z" else c for c in key
    ),
    "tag characters": lambda key: "".join(chr(0xE0000 + ord(c)) for c in key),
    "base64": in_base64(""),
    "base64 after one": in_base64("a"),
    "base64 after two": in_base64("ab"),
    "base64 of a login": in_base64("user:"),
    "base64url": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
    "hex": lambda key: key.encode().hex(),
    "hex with colons": lambda key: key.encode().hex(":"),
    "after a percent sign": "100%{}".format,
    "after a backslash": "\\{}".format,
    "long escapes": each("\\U{n:08x}"),
    "octal escapes": each("\\{n:03o}"),
    "escapes of old scripts": each("%u{n:04x}"),
    "escapes of Perl": each("\\x{{{n:x}}}"),
    "quoted-printable": each("={n:02X}"),
    "JSON escapes in HTML escapes": lambda key: each("&#{n};")(each("\\u{n:04x}")(key)),
    "URL escapes many times": lambda key: quote(quote(quote(each("%{n:02x}")(key)))),
    "in JSON strings": lambda key: json.dumps(json.dumps(each("\\u{n:04x}")(key))),
}
LOOSE: dict[str, Form] = {
    "spaced": " ".join,
    "in lines": "\n".join,
    "in markup": lambda key: f"{key[:9]}<b>{key[9:12]}</b>**{key[12:]}**".replace("b>", "_>"),
    "most of it": lambda key: key[:-3],
    "most of it in base64": lambda key: base64.b64encode(key.encode()).decode()[:-4],
    "most of it in hex": lambda key: key.encode().hex()[:-6],
    "numbers of letters": each("0x{n:02x} "),
    "code points": each("U+{n:04X} "),
    "digits of other scripts": lambda key: key.translate({48 + n: 0x660 + n for n in range(10)}),
    "backwards escaped": lambda key: key[:9] + each("\\u{n:04x}")(key[9:]),
}


def letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).lower()
    return re.sub("[^a-z0-9]+", "", "".join(str(unicodedata.decimal(c, c)) for c in plain))


_CODE = re.compile(
    r"\\+U00([\da-f]{6})|(?:\\+[ux]\{|u\+|0x)0*([\da-f]{1,6})\}?|(?:\\+u|%u)([\da-f]{4})|\\+x([\da-f]{2})",
    re.I,
)


def unescaped(text: str) -> str:
    text = _CODE.sub(lambda m: chr(int(next(filter(None, m.groups())), 16) % 0x110000), text)
    text = re.sub(r"\\+([01][0-7]{2})", lambda m: chr(int(m[1], 8)), text)
    return "".join(chr(ord(c) & 0x7F) if 0xE0020 <= ord(c) < 0xE007F else c for c in text)


def decodings(text: str) -> Iterator[str]:
    """What ``text`` may be decoded to."""
    yield text
    ways: list[Form] = [unescaped, unquote, html.unescape]
    ways.append(lambda text: unescaped(unquote(html.unescape(text))))
    for way in ways:
        decoded = text
        for _ in range(4):
            decoded, before = way(decoded), decoded
            if decoded == before:
                break
            yield decoded
    for word in re.findall(r"[A-Za-z0-9+/=_-]{12,}", text):
        plain = word.replace("-", "+").replace("_", "/").replace("=", "")
        for skip in range(4):
            part = plain[skip:]
            yield base64.b64decode(part + "A" * (-len(part) % 4)).decode("latin-1")
    for run in re.findall(r"(?:[0-9a-fA-F]{2}[\W_]{0,2}){8,}", text):
        digits = re.sub("[^0-9a-fA-F]", "", run)
        for skip in range(2):
            part = digits[skip:]
            yield bytes.fromhex(part[: len(part) // 2 * 2]).decode("latin-1")


def shows(text: str, key: str) -> bool:
    """Whether the key or a digest of it can be read in ``text``, or most of a long one."""
    starts = [letters(form)[:24] for form in (key, *(digest(key) for digest in DIGESTS.values()))]
    read = [letters(reading) for reading in decodings(text)]
    return any(start in reading for start in starts for reading in read)


# ---------------------------------------------------------------- places of an answer

Place = Callable[[Request, str], Answer]
VERDICT = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported","reason":%s}]}'


def in_header(name: str) -> Place:
    def place(request: Request, form: str) -> Answer:
        wire = " ".join(form.split()).encode("ascii", "ignore").decode()
        return Answer(good_reply(request).body, 200, {name: wire})

    return place


def as_error(status: int, **fields: str) -> Place:
    return lambda _, form: refusal_to(
        status, **{"message": "no", **{name: f"{text}{form}" for name, text in fields.items()}}
    )


def with_field(*way: str | int) -> Place:
    def place(request: Request, form: str) -> Answer:
        body = inner = good_reply(request).body
        names = {"choices": "content", "finish_reason": "stop_reason"}
        *steps, last = way
        for step in steps:
            inner = inner[step if not isinstance(step, str) or step in inner else names[step]]
        inner[last if last in inner else names.get(str(last), last)] = form
        return Answer(body)

    return place


def ends_with(request: Request, form: str) -> Answer:
    name = "stop_reason" if request.path.endswith("messages") else "finish_reason"
    return good_reply(request, **{name: form})


def in_parts(request: Request, form: str) -> Answer:
    middle = len(form) // 2
    parts = [{"type": "text", "text": text} for text in (form[:middle], form[middle:])]
    return good_reply(request, content=parts)


ANSWERED: dict[str, Place] = {
    "reply": lambda request, form: good_reply(request, f"I say {form} to you."),
    "reason": lambda request, form: good_reply(request, VERDICT % json.dumps(f"As {form} says.")),
    "raw reason": lambda request, form: good_reply(request, VERDICT % f'"As {form} says."'),
    "fields of a verdict": lambda request, form: good_reply(request, json.dumps(fields_of(form))),
    "claim": lambda request, form: good_reply(request, json.dumps({"claims": [f"It is {form}."]})),
    "parts of a reply": in_parts,
    "end of a reply": ends_with,
    "refusal": lambda request, form: (
        good_reply(request, content=None, refusal=form)
        if "chat" in request.path
        else good_reply(request, "", stop_reason="refusal", stop_details={"explanation": form})
    ),
    "model": with_field("model"),
    "id": with_field("id"),
    "usage": with_field("usage", "prompt_tokens"),
    "field": lambda request, form: Answer({**good_reply(request).body, form: form}),
    "header": in_header("x-echo"),
    "all that a good answer has": lambda request, form: everywhere(
        good_reply(request, VERDICT % json.dumps(f"As {form} says.")), form
    ),
}
FAILED: dict[str, Place] = {
    "error": as_error(401, message="denied to "),
    "error with details": as_error(400, code="", type="", param="", message="temperature "),
    "error in a good answer": as_error(200, message="denied to "),
    "error without a message": lambda _, form: Answer({"error": {"headers": {form: [form]}}}, 403),
    "error of a field": lambda _, form: Answer({"detail": [{"loc": [form], "msg": form}]}, 422),
    "too long": as_error(413, message="context length is 10 "),
    "page": lambda _, form: Answer(f"<html>{form}", 500),
    "no JSON": lambda _, form: Answer(f"data: {form}", 200),
    "redirect": lambda request, form: Answer(
        b"", 307, in_header("location")(request, form).headers
    ),
    "content-encoding": in_header("content-encoding"),
    "content-type": in_header("content-type"),
    "all that an error has": lambda request, form: everywhere(
        refusal_to(422, f"no: {form}", code=form, type=form, param=form), form
    ),
    "name of a header": lambda request, form: Answer(
        good_reply(request).body, 200, {form if re.fullmatch("[A-Za-z0-9-]+", form) else "x": "x"}
    ),
}
PLACES = {**ANSWERED, **FAILED}


class Echo(Loopback):
    """Sends the key back: ``cases`` says for each number in "Room 17" of a prompt in which place and form.

    What names no room gets the place and form of the last case.
    """

    def __init__(self, key: str, cases: Sequence[tuple[str, str]]) -> None:
        super().__init__(self._echo)
        self._key, self._cases = key, cases

    def _echo(self, request: Request) -> Answer:
        found = re.search(r"Room (\d+)", json.dumps(request.body))
        place, form = self._cases[int(found[1]) if found else -1]
        return PLACES[place](request, {**FORMS, **LOOSE}[form](self._key))


def case(number: int) -> dict[str, str]:
    return {
        "id": f"case {number}",
        "answer": f"Room {number} opens at nine.",
        "context": f"Room {number} opens at nine.",
    }


def fields_of(form: str) -> Any:
    row = {"id": 1, "evidence": [1], "label": "supported", "quote": form, "note": {form: [form]}}
    return {"verdicts": [row, {"id": form, "evidence": [form], "label": form}], form: form}


def everywhere(answer: Answer, form: str) -> Answer:
    wire = " ".join(form.split()).encode("ascii", "ignore").decode()
    body = {**answer.body, "id": form, "model": form, "service_tier": form, form: form}
    body["usage"] = {**(body.get("usage") or {}), "details": form, form: {form: form}}
    return Answer(
        body,
        answer.status,
        {"content-type": "application/json", "x-request-id": wire, "retry-after": wire},
    )
