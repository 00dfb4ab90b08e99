"""Does each public function and each sink take time in proportion to its text?

``growth_sinks.py`` has what takes a text of others. ``shapes`` repeats texts that the package's own patterns mention, alone, in pairs,
and one inside another. ``slow`` tries them in a process with a hard limit of CPU time: where a text of ``SIZE`` characters is
fast, it is fast enough; elsewhere half of it must take at least 1/2.6 of the time.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "support")]

from ambiguity import Automaton, sre  # noqa: E402
from growth_sinks import Sink, sinks  # noqa: E402
from patterns import Found  # noqa: E402

from faithfulness_assert.records.errors import FaithfulnessError  # noqa: E402

KNOWN = ("[1-20]", "。[doc-1][1] ", "\n", "[doc-1]", "Fee 1. ", "² ", "a.")
"""Texts that were slow somewhere. They are tried first, at each sink."""
SIZE = 12_000
FAST = 0.15
"""Seconds of CPU: with quadratic work, a text of this size takes more."""
MOST = 2.6
LIMIT = 20
"""Seconds of CPU for one text."""


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


# ---------------------------------------------------------------- measuring


def seconds(sink: Sink, text: str) -> float:
    """The CPU time of a sink. More than ``LIMIT`` ends the process."""
    began = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(began) + LIMIT, resource.RLIM_INFINITY))
    with suppress(FaithfulnessError):  # what is refused
        sink(text)
    return time.process_time() - began


def is_slow(sink: Sink, shape: Callable[[int], str], size: int) -> str:
    """How long it took, if twice a text takes more than ``MOST`` times as long, twice; else ""."""
    if seconds(sink, shape(size)) < FAST:
        return ""

    def least(size: int, tries: int = 3) -> float:
        return min(seconds(sink, shape(size)) for _ in range(tries))

    half, whole = least(size // 2), least(size)
    if whole <= max(FAST, MOST * half):
        return ""
    double = least(size * 2, 2)
    return f"{half:.3f} s, {whole:.3f} s, {double:.3f} s" if double > MOST * whole else ""


def slow(seed: int, budget: float, *only: str, size: int = SIZE) -> list[str]:
    """What is not linear, of the shapes that a budget of CPU seconds allows to try."""
    command = [sys.executable, "-W", "ignore", __file__, str(seed), str(budget), str(size), *only]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "TZ": "UTC"}
    )
    lines = done.stdout.splitlines()
    found = [line.removeprefix("slow ") for line in lines if line.startswith("slow ")]
    if done.returncode < 0:
        found.append(f"{lines[-1] if lines else ''}: no end within {LIMIT} s")
    assert done.returncode <= 0, f"{lines[-1:]}\n{done.stderr[-3000:]}"
    return found


def unreached() -> tuple[list[str], list[str]]:
    """See ``growth_reach.missed``, in a process of its own."""
    script = Path(__file__).with_name("growth_reach.py")
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "support")])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert not done.returncode, done.stderr[-3000:]
    missed, refusing = json.loads(done.stdout.splitlines()[-1])
    return missed, refusing


def main(seed: int, budget: float, size: int, *only: str) -> None:
    """Tries each shape at one sink after the other."""
    from patterns import collected

    chance = random.Random(seed)
    parts = sorted({part for found in collected() for part in fragments(found)})
    wanted = {name: sink for name, sink in sinks().items() if not only or name in only}
    names = sorted(wanted)
    quick = [*names]
    known = [lambda size, unit=unit: f"好。{unit * (size // len(unit))}x" for unit in KNOWN]
    for sink in wanted.values():
        seconds(sink, known[0](100))  # what is loaded on first use is not measured
    ends, tried = time.process_time() + budget, 0
    for number, shape in enumerate(chain(known, shapes(parts, chance))):
        if time.process_time() > ends:
            break
        chosen = quick if number < len(known) else chance.sample(names, min(len(names), 8))
        for name in [*chosen]:
            sample = ascii(shape(200))[:120]
            print(f"{name}: {sample}", flush=True)
            began = time.process_time()
            if took := is_slow(wanted[name], shape, size):
                print(f"slow {name}: {took}: {sample}", flush=True)
            if time.process_time() - began > FAST / 2 and name in quick:
                quick.remove(name)  # with many rows, or a server: one known text has to do
            tried += 1
    print(f"tried {tried} of {len(parts)} fragments", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
