"""The example that ``init`` writes runs unchanged; a promptfoo that is killed leaves nothing. ``rows.yaml`` has the rest."""

import json
import venv

import pytest
from command import run as command

from .promptfoo import FAILED_TESTS, init

pytestmark = pytest.mark.e2e


def test_the_template_passes_its_faithful_answer_and_fails_its_made_up_price(promptfoo, tmp_path):
    """promptfoo's exit code, the reason and the terminal say which answer failed, and why."""
    init(tmp_path)
    run = promptfoo.eval(tmp_path / "promptfooconfig.yaml")
    faithful = run.results["A faithful answer passes"]
    made_up = run.results["A made-up price fails, on purpose"]
    assert run.exit_code == FAILED_TESTS
    assert faithful["success"], faithful["gradingResult"]["reason"]
    assert faithful["score"] == 1
    assert not made_up["success"]
    assert made_up["score"] == pytest.approx(4 / 5)
    assert "An adult ticket costs 18 euros." in made_up["gradingResult"]["reason"]
    totals = run.output["results"]["prompts"][0]["metrics"]
    counted = [
        totals[f"{kind}{what}Count"] for kind in ("test", "assert") for what in ("Pass", "Fail")
    ]
    assert counted == [1, 1, 1, 1], "promptfoo counts what is not an assertion"
    said = "made up: “An adult ticket costs 18 euros.” (not enough info; not in the context: “18”)"
    assert said in run.console
    again = command("grade", str(tmp_path / "out.json"), "--threshold", "0.9", "--json")
    outcomes = {r["pass"]: r["score"] for r in map(json.loads, again.stdout.splitlines())}
    assert outcomes == {True: 1.0, False: pytest.approx(4 / 5)}


@pytest.mark.parametrize("why", ["exit code 1", "ENOENT"])
def test_an_eval_without_a_python_that_has_the_package_keeps_its_results(why, promptfoo, tmp_path):
    """promptfoo ends an eval with an error, and without its file, if a hook fails."""
    init(tmp_path)
    python = tmp_path / "bare" / "bin" / "python"
    if why != "ENOENT":
        venv.create(tmp_path / "bare", with_pip=False)
    (tmp_path / ".env").write_text(f"PROMPTFOO_PYTHON='{python}'\n", "utf-8")
    run = promptfoo.eval(tmp_path / "promptfooconfig.yaml")
    assert run.exit_code == FAILED_TESTS
    assert len(run.results) == 2
    assert (
        f"{why}. If it lacks faithfulness-assert, name another Python: PROMPTFOO_PYTHON"
        in run.console
    )
