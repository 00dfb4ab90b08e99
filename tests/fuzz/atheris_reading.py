"""A coverage-guided fuzz target: from a reply to a score.

    python tests/fuzz/atheris_reading.py [FINDINGS] [libFuzzer options, such as -max_total_time=1800]

It starts from recorded replies, stops at the first failed check (see ``reading_checks.py``) and writes the reply to FINDINGS. The
corpus that it learns is kept there too, for the next run. Without FINDINGS nothing is kept. Needs ``atheris``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

import atheris
from conftest import ROOT

import faithfulness_assert.text.statements  # noqa: F401 - first, so that it is not traced: it never sees a reply

sys.path.insert(0, str(ROOT))  # the tests' own modules, as pytest has them
with atheris.instrument_imports(include=["faithfulness_assert"]):
    from fuzz.reading_checks import check, seeds
    from fuzz.replies import PIECES

WORDS = [piece for piece in PIECES if piece.isascii() and piece.isprintable()]


def run(data: bytes) -> None:
    check(data.decode("utf-8", "surrogateescape"))


def main() -> None:
    kept = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    options = [argument for argument in sys.argv[1:] if argument.startswith("-")]
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(kept[0] if kept else scratch)
        corpus, known = home / "corpus", home / "words"
        corpus.mkdir(parents=True, exist_ok=True)
        known.write_text("\n".join(json.dumps(word) for word in WORDS), encoding="utf-8")
        for text in seeds():
            data = text.encode("utf-8", "surrogateescape")
            (corpus / sha256(data).hexdigest()).write_bytes(data)
        limits = ["-max_len=4096", "-timeout=20", f"-dict={known}", f"-artifact_prefix={home}/"]
        atheris.Setup([sys.argv[0], *limits, *options, str(corpus)], run)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
