"""Every regular expression of the package, found by itself, and what a pattern can be asked for.

``collected()`` imports all modules in a fresh interpreter and notes what is compiled there and in ``USES``. A place in the
source that no use reaches is an error, so a new pattern is always among them.
"""

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = Path(__file__).parents[2] / "faithfulness_assert"


class Found(NamedTuple):
    """A pattern of the package, and where it is compiled."""

    text: str
    flags: int
    where: str


@cache
def collected() -> tuple[Found, ...]:
    """All patterns of the package. Fails where a place compiles one that no use reaches."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__], capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr[-3000:]
    return tuple(Found(*row) for row in json.loads(done.stdout))


# ---------------------------------------------------------------- collecting, in a fresh interpreter


def uses() -> None:
    """Reaches the patterns that are put together when they are first used."""
    from faithfulness_assert import audit_citations, grade, is_refusal, split_statements
    from faithfulness_assert.judges import anthropic, openai
    from faithfulness_assert.judges.remote.answers import ServerError
    from faithfulness_assert.judges.remote.needs import Needs
    from faithfulness_assert.judges.remote.redaction import Secrets, redact
    from faithfulness_assert.reading import refusal
    from faithfulness_assert.records.judge import Ask, Limits, Payload, ReplyForm
    from faithfulness_assert.text import phrases, talk

    for section in refusal._WORDS:
        phrases.rules(refusal._WORDS[section])
    talk.claims_nothing("[doc_1] I'd like to know more. Source: a.md")
    talk.claims_nothing("Isn't it so?")
    talk.claims_nothing("(see Annex C)")
    is_refusal("I cannot answer that. Verdict: no.")
    ids = ["doc_1_chunk_0", "a1b2c3d4e5", "4711", "ab12", "123e4567-e89b-12d3-a456-426614174000"]
    audit_citations("It may be so [1]. The fee may be 5.", ids)
    split_statements("Documents: Handbook, p. 3")
    split_statements("- *It* is <b>so</b> [1].\n\n    code")
    grade("The tower is tall [1]. Das ist gut。", "The tower is tall²。 It is 3.")
    error = ServerError("")
    error.status = 400
    ask = Ask((), ReplyForm("verdicts"), (), 9, Payload(()))
    for table in (openai.FALLBACKS, anthropic.FALLBACKS):
        needs = Needs(table, Limits(), {})
        needs.after(ask, error, needs.first, lambda _, steps: steps, 100)
    redact(Secrets(["sk-SECRET1234"]).out_of("the key is sk-SECRET1234\u200b"))


def _compiled() -> Iterator[Found]:
    noted: dict[tuple[str, int], str] = {}
    real = re._compile

    def note(pattern: Any, flags: int) -> Any:
        frame = sys._getframe(2)
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(PACKAGE) and isinstance(pattern, str):
            where = f"{file.relative_to(PACKAGE).as_posix()}:{frame.f_lineno}"
            reached.add(where)
            noted.setdefault((pattern, int(flags)), where)
        return real(pattern, flags)

    reached: set[str] = set()
    re._compile = note
    strings = importlib.import_module("faithfulness_assert.text.strings")

    class Noted(strings._Pattern):
        """A lazy pattern, which is compiled at once."""

        def __init__(self, text: str, flags: int) -> None:
            super().__init__(text, flags)
            frame = sys._getframe(2)
            file = Path(frame.f_code.co_filename).relative_to(PACKAGE)
            reached.add(where := f"{file.as_posix()}:{frame.f_lineno}")
            noted.setdefault((text, flags), where)

    strings._Pattern = Noted
    for module in pkgutil.walk_packages([str(PACKAGE)], "faithfulness_assert."):
        if not module.name.endswith("__main__") and ".templates" not in module.name:
            with suppress(ImportError):  # an adapter whose system is not installed
                importlib.import_module(module.name)
    uses()
    missed: list[str] = []
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).as_posix()
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and _takes_pattern(call):
                lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
                if any(f"{name}:{line}" in reached for line in lines):
                    continue
                given = call.args[0]
                if isinstance(given, ast.Constant):
                    text = given.value if isinstance(given.value, str) else given.value.decode()
                    noted.setdefault((text, 0), f"{name}:{call.lineno}")
                else:
                    missed.append(f"{name}:{call.lineno}")
    assert not missed, f"no use in tests/support/patterns.py reaches {missed}"
    return (Found(text, flags, where) for (text, flags), where in noted.items())


def _takes_pattern(call: ast.Call) -> bool:
    """Whether this is a call such as ``re.sub(...)``, whose first argument is a pattern."""
    called = call.func
    if isinstance(called, ast.Name):
        return called.id == "lazy_pattern"
    of = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value
    return bool(of) and of.id == "re" and called.attr not in ("escape", "error")


if __name__ == "__main__":
    sys.path.insert(0, str(PACKAGE.parent))
    print(json.dumps(list(_compiled())))
