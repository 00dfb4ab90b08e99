"""Each claim of the threat model, and each promise of the README and others, names a test that shows it."""

import re
import subprocess
import sys
from pathlib import Path

from loopback import Loopback, good_reply

ROOT = Path(__file__).parents[1]
MODEL = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
CLAIMS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in MODEL.splitlines()
    if line.startswith("|") and not re.match(r"\|-|\| who \|", line)
]
PROMISES = dict(  # how a promise of another page begins, and the tests that hold it
    line.split(": ", 1)
    for line in """\
a verdict is missing, unreadable: test_an_unresolved_statement_is_asked_about_once_again_alone_and_under_a_new_number test_an_unresolved_statement_never_raises_a_score
the judge says "supported", and its own: test_a_reason_that_denies_in_words_takes_the_credit_of_its_entry test_a_remark_that_denies_a_statement_in_words_takes_its_credit
the judge refuses, is cut off: test_every_fault_has_the_outcome_of_its_row
a blank answer, an empty context: test_a_policy_decides_what_becomes_of_a_case_with_nothing_to_check
the answer only declines: test_a_policy_decides_what_becomes_of_a_case_with_nothing_to_check
the *answer* contains: test_a_payload_around_the_answer_changes_no_verdict_and_is_graded_itself
the judge says yes to everything: test_a_judge_that_obeys_its_prompt_is_caught_by_its_controls test_a_judge_is_not_to_be_trusted_if_it_fails_more_controls_than_a_fair_one_by_chance
the bill: test_the_figures_of_the_readme_are_those_of_the_benchmark
**Conservation**: test_every_letter_and_digit_is_in_one_span test_no_credit_from_nowhere_and_no_sentence_lost
**Credit**: test_each_statement_has_one_finding_and_no_more_credit_than_the_rows_give test_no_credit_from_nowhere_and_no_sentence_lost
Our log, results: test_no_command_and_no_file_shows_the_key
Text from answers: test_hostile_text_is_shown_as_text_wherever_it_comes_from
`http://` to another host: test_http_to_another_machine_is_warned_of
There is no telemetry: test_nothing_is_connected_to_but_the_judge_that_was_named
Actions are pinned by digest, packages by hashes.: test_every_action_is_pinned_by_its_digest test_every_requirement_has_hashes_and_no_file_names_a_host
All tests run with these on Python 3.10.: test_the_lowest_versions_that_are_tested_are_those_that_we_allow
""".splitlines()
)


def test_each_claim_names_its_tests_and_they_exist():
    assert len(CLAIMS) >= 20
    assert {len(claim) for claim in CLAIMS} == {4}
    named = {" ".join(claim): re.findall(r"`(test_\w+)`", claim[-1]) for claim in CLAIMS}
    named |= {promise: tests.split() for promise, tests in PROMISES.items()}
    assert [claim for claim, tests in named.items() if not tests] == []
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert {test for tests in named.values() for test in tests} - there == set()


def test_each_promise_of_another_page_names_its_tests():
    readme, trust, security = (
        (ROOT / name).read_text("utf-8") for name in ("README.md", "docs/trust.md", "SECURITY.md")
    )
    table = readme.split("## What it promises")[1]
    laws = trust.split("## Two laws")[1].split("\n## ")[0]
    keys = trust.split("## Keys and foreign text")[1]
    made = re.findall(r"^\| ([^|]+?) \| \S", table, re.MULTILINE)
    made += re.findall(r"^- (.+)", laws + keys, re.MULTILINE)
    told = [next((known for known in PROMISES if one.startswith(known)), one) for one in made]
    about_releases = list(PROMISES)[-2:]
    assert [*told, *about_releases] == list(PROMISES)
    assert all(text in " ".join(security.split()) for text in about_releases)


CONNECTS = """
import sys
reached = set()
def hook(event, given):
    if event == "socket.connect" and isinstance(given[1], tuple):
        reached.add(f"{given[1][0]}:{given[1][1]}")
    if event == "socket.getaddrinfo":
        reached.add(f"{given[0]}:{given[1]}")
sys.addaudithook(hook)
from faithfulness_assert import Grader, grade
from faithfulness_assert.report import write_report
assert grade("It is red. It is 5 m.", "It is red.").status == "graded"
before = set(reached)
result = Grader("openai:gpt-4o-mini", base_url=sys.argv[1], api_key="sk-1").grade("It is red.", "It is red.")
assert result.status == "graded", result
print(sorted(before), sorted(reached))
"""


def test_nothing_is_connected_to_but_the_judge_that_was_named():
    with Loopback(good_reply) as server:
        done = subprocess.run(
            [sys.executable, "-c", CONNECTS, server.url], capture_output=True, text=True, check=True
        )
    host = server.root.removeprefix("http://")
    assert done.stdout == f"[] ['{host}']\n"
