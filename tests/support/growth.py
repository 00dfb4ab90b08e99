"""Does each public function and each sink take time in proportion to its text?

``SINKS`` has what takes a text of others. ``shapes`` repeats texts that the package's own patterns mention, alone, in pairs,
and one inside another. ``slow`` tries them in a process with a hard limit of CPU time: where a text of ``SIZE`` characters is
fast, it is fast enough; elsewhere half of it must take at least 1/2.6 of the time.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    root = Path(__file__).parents[2]
    sys.path[:0] = [str(root), str(root / "tests"), str(root / "tests" / "support")]

from ambiguity import Automaton, sre
from patterns import Found

from faithfulness_assert import JudgeError

KNOWN = ("[1-20]", "。[doc-1][1] ", "\n", "[doc-1]", "Fee 1. ", "² ", "a.")
"""Texts that were slow somewhere. They are tried at each sink."""
SIZE = 12_000
FAST = 0.15
"""Seconds of CPU: with quadratic work, a text of this size takes more."""
MOST = 2.6
LIMIT = 20
"""Seconds of CPU for one text."""

Sink = Callable[[str], object]


# ---------------------------------------------------------------- shapes


def fragments(found: Found) -> set[str]:
    """Short texts that parts of a pattern take: each of its characters, and what stands beside each other."""
    tree = sre.parse(found.text, found.flags)
    machine = Automaton(tree, found.flags | tree.state.flags)
    own = [
        min(signs, key=lambda s: (not s.isprintable(), s)) if signs else ""
        for signs in machine.takes
    ]
    texts = set(own)
    for state, sign in enumerate(own):
        text, at, seen = sign, state, {state}
        while (after := next((s for s in machine.follow[at] if s not in seen), None)) is not None:
            text += own[after]
            at = after
            seen.add(at)
            if len(text) in (2, 3, 6, 12):
                texts.add(text)
            if len(text) >= 12:
                break
    return texts - {""}


def shapes(parts: list[str], chance: random.Random) -> Iterator[Callable[[int], str]]:
    """Endless texts, each as a function of its size."""
    while True:
        one, two, end = (chance.choice(parts) for _ in range(3))
        unit, way = one + two, chance.randrange(5)
        if way == 0:
            yield lambda size, one=one, end=end: one * (size // len(one)) + end
        elif way == 1:
            yield lambda size, unit=unit, end=end: unit * (size // len(unit)) + end
        elif way == 2:  # nested
            yield (
                lambda size, one=one, two=two, end=end: (
                    one * (size // len(one) // 2) + end + two * (size // len(two) // 2)
                )
            )
        elif way == 3:  # in sentences, each another
            yield lambda size, unit=unit: "".join(
                f"The {unit} costs {n} euros. " for n in range(size // (len(unit) + 22))
            )
        else:  # in lines
            yield (
                lambda size, unit=unit, end=end: f"{unit} {end}\n" * (size // (len(unit + end) + 2))
            )


# ---------------------------------------------------------------- sinks


CONTEXT = "The tower is 330 metres tall. It was built in 1889. The ticket costs 12 euros."
ANSWER = "The tower is tall [1]. It was built in 1889. It costs 12 euros."


@cache
def sinks() -> dict[str, Sink]:
    """What takes a text of others, by name."""
    from fakes import ScriptedJudge, TruthfulJudge

    import faithfulness_assert as fa
    from faithfulness_assert.batch.outputs.files import write_results
    from faithfulness_assert.batch.outputs.github import github_annotations
    from faithfulness_assert.batch.rows import Line
    from faithfulness_assert.judges.remote.redaction import Secrets, safe_text
    from faithfulness_assert.policy.files import read_data
    from faithfulness_assert.promptfoo.hook import grade as assertion
    from faithfulness_assert.report import write_report

    folder = Path(tempfile.mkdtemp(prefix="growth-"))
    usual = fa.grade(ANSWER, CONTEXT)
    yes = TruthfulJudge(lambda _: "not_enough_info")

    def said(text: str) -> fa.GradingResult:
        """A result that says the text wherever a result says something."""
        data = usual.model_dump()
        data["reason"], data["case_id"] = text, text
        for verdict in data["verdicts"]:
            verdict["statement"], verdict["reason"] = text, text
            for evidence in verdict["evidence"]:
                evidence["text"], evidence["passage"] = text, text
        return fa.GradingResult.model_validate(data)

    def line(text: str) -> Line:
        return Line(text, 1, "", {"column": text}, said(text))

    def file(name: str, text: str) -> str:
        path = folder / name
        path.write_text(text, encoding="utf-8", errors="replace")
        return str(path)

    def outputs(suffix: str) -> Sink:
        return lambda text: write_results([line(text)], folder / f"out{suffix}")

    def config(suffix: str, before: str = "") -> Sink:
        return lambda text: read_data(file(f"p{suffix}", before + text), "policy")

    def reply(policy: str, **options: Any) -> Sink:
        def judged(text: str) -> object:
            judge = ScriptedJudge([text, text, text, text])
            return fa.grade(ANSWER, CONTEXT, "Why?", judge=judge, policy=policy, **options)

        return judged

    def tool(text: str) -> object:
        messages = [
            {"role": "user", "content": text},
            {"role": "tool", "content": text},
            {"role": "assistant", "content": text},
        ]
        return fa.Case(messages=messages)

    return {
        "split_statements": fa.split_statements,
        "audit_citations": lambda text: fa.audit_citations(text, ["1", "doc-1", "a_1"]),
        "audit_citations of ids": lambda text: fa.audit_citations(ANSWER, text.split()[:5000]),
        "is_refusal": fa.is_refusal,
        "read_verdicts": lambda text: fa.read_verdicts(text, 3),
        "a conversation": tool,
        "an answer": lambda text: fa.grade(text, CONTEXT),
        "a context": lambda text: fa.grade(ANSWER, text),
        "both": lambda text: fa.grade(text, text),
        "passages": lambda text: fa.grade(ANSWER, text.split() or [text]),
        "an answer, any judge": lambda text: fa.grade(text, CONTEXT, judge=yes),
        "a context, any judge": lambda text: fa.grade(ANSWER, text, judge=yes),
        "a context in windows": lambda text: fa.grade(
            ANSWER, text, judge=yes, max_prompt_tokens=2000
        ),
        "a question": lambda text: fa.grade(ANSWER, CONTEXT, text, judge=yes),
        "a reply": reply("default"),
        "a reply with reasons": reply("default", reasons=True),
        "a reply of claims": reply("ragas"),
        "a reply of ratings": reply("masis"),
        "an assertion": lambda text: assertion(
            text, {"vars": {"context": text}, "config": {"judge": "embedded"}}
        ),
        "pretty": lambda text: said(text).pretty(),
        "to_promptfoo": lambda text: said(text).to_promptfoo("all"),
        "a notebook": lambda text: said(text)._repr_html_(),
        "JSON": lambda text: Line.of_json(line(text).to_json()),
        "a report": lambda text: write_report(
            file("r.jsonl", f"{line(text).to_json()}\n"), folder / "r.html"
        ),
        "JUnit": outputs(".xml"),
        "CSV": outputs(".csv"),
        "annotations": lambda text: list(github_annotations([line(text)])),
        "a server's text": lambda text: safe_text(text, Secrets(["sk-SECRET12345678"])),
        "TOML": config(".toml"),
        "a value of TOML": config(".toml", "x = "),
        "YAML": config(".yaml"),
        "JSON of a policy": config(".json"),
    }


# ---------------------------------------------------------------- measuring


def seconds(sink: Sink, text: str) -> float:
    """The CPU time of a sink. More than ``LIMIT`` ends the process."""
    began = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(began) + LIMIT, resource.RLIM_INFINITY))
    with suppress(ValueError, TypeError, JudgeError):  # what is refused
        sink(text)
    return time.process_time() - began


def is_slow(sink: Sink, shape: Callable[[int], str]) -> str:
    """How long it took, if twice a text takes more than ``MOST`` times as long; else ""."""
    if (taken := seconds(sink, shape(SIZE))) < FAST:
        return ""
    whole = min(taken, *(seconds(sink, shape(SIZE)) for _ in range(2)))
    half = min(seconds(sink, shape(SIZE // 2)) for _ in range(3))
    return f"{half:.3f} s, {whole:.3f} s" if whole > max(FAST, MOST * half) else ""


def slow(seed: int, budget: float, *only: str) -> list[str]:
    """What is not linear, of the shapes that a budget of CPU seconds allows to try."""
    command = [sys.executable, "-W", "ignore", __file__, str(seed), str(budget), *only]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "TZ": "UTC"}
    )
    lines = done.stdout.splitlines()
    found = [line.removeprefix("slow ") for line in lines if line.startswith("slow ")]
    if done.returncode < 0:
        found.append(f"{lines[-1] if lines else ''}: no end within {LIMIT} s")
    assert done.returncode <= 0, done.stderr[-3000:]
    return found


def main(seed: int, budget: float, *only: str) -> None:
    """Tries each shape at one sink after the other."""
    from patterns import collected

    chance = random.Random(seed)
    parts = sorted({part for found in collected() for part in fragments(found)})
    wanted = {name: sink for name, sink in sinks().items() if not only or name in only}
    names = sorted(wanted)
    endless = shapes(parts, chance)
    ends, tried = time.process_time() + budget, 0
    known = (lambda size, unit=unit: f"好。{unit * (size // len(unit))}x" for unit in KNOWN)
    for shape in chain(known, endless):
        if time.process_time() > ends:
            break
        all_of_them = tried < len(KNOWN) * len(names)
        for name in names if all_of_them else chance.sample(names, min(len(names), 8)):
            sample = ascii(shape(200))[:120]
            print(f"{name}: {sample}", flush=True)
            if took := is_slow(wanted[name], shape):
                print(f"slow {name}: {took}: {sample}", flush=True)
            tried += 1
    print(f"tried {tried} of {len(parts)} fragments", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:])
