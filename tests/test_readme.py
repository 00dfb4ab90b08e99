"""The README's commands work when they are pasted one after another into one shell.

What takes minutes has stand-ins: creating an environment, pip, tox and npx.
"""

import os
import subprocess
import sys

import pytest
from conftest import ROOT
from test_docs import README, blocks, openai_server  # noqa: F401

PYTHON3 = f"""#!/bin/sh
[ "$1 $2" = "-m venv" ] || exec {sys.executable} "$@"
mkdir -p "$3/bin" && cd "$3/bin"
printf '#!/bin/sh\\n' | tee pip tox > python
printf '#!/bin/sh\\nexec {sys.executable} -m faithfulness_assert "$@"\\n' > faithfulness-assert
chmod +x pip tox python faithfulness-assert
"""
NPX = """#!/bin/sh
echo "ran npx $*"
[ "$2" = view ] || { test -f promptfooconfig.yaml && . ./.env && test -x "$PROMPTFOO_PYTHON"; }
"""


@pytest.mark.usefixtures("openai_server")
def test_the_commands_can_be_pasted_in_order(tmp_path, monkeypatch):
    (programs := tmp_path / "programs").mkdir()
    for name, text in (("python3", PYTHON3), ("npx", NPX)):
        (programs / name).write_text(text, encoding="utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (clone := tmp_path / "clone").mkdir()
    pasted = "set -ex\n" + "".join(block.text for block in blocks(README, "console"))
    done = subprocess.run(
        ["bash"], input=pasted, cwd=clone, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ran npx promptfoo@latest") == 2
    assert (clone / "june-results.csv").read_text(encoding="utf-8").count("graded") == 1
