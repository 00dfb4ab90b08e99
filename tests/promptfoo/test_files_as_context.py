"""A context that is the address of a file was never read: nothing is graded against it, wherever it comes from."""

import json

import pytest
from command import here as run

from faithfulness_assert import grade

ANSWER = "An adult ticket costs 12 euros."


@pytest.mark.parametrize("command", ["grade", "batch"])
def test_results_of_promptfoo_that_keep_an_address_are_not_graded(command, tmp_path):
    more = ("--run", str(tmp_path / "run"), "--quiet") if command == "batch" else ()
    kept = {"vars": {"context": "file://context.txt"}, "response": {"output": ANSWER}}
    results = [{**kept, "promptIdx": 0, "testIdx": number} for number in range(2)]
    file = tmp_path / "results.json"
    file.write_text(json.dumps({"results": {"version": 3, "results": results}}), "utf-8")
    done = run(command, str(file), "--judge", "embedded", *more)
    assert done.returncode == 3
    assert "0 passed, 0 failed, 2 not graded" in done.stdout
    said = " ".join(done.stdout.split())
    assert "'file://context.txt': no text, but what a program leaves where" in said
    assert "write it into `vars`" in said


ADDRESSES = [
    "file://context.txt",
    " FILE:///a/b.md\n",
    "file://my notes.txt",
    "file://context.js:load",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_no_passage(address):
    for context in (address, [address, address], [{"text": address, "id": "a"}]):
        result = grade("It is old.", context)
        assert result.status == "invalid_input"
        assert f"context: a passage is only '{address.strip()}'" in result.reason


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_among_texts_does_not_keep_them_from_being_graded(address):
    """Whoever can plant a passage could otherwise stop every grade."""
    assert grade("It is old.", ["It is old.", address]).score == 1.0
    assert grade(address.strip(), ["It is old.", "It is red."]).score != 1.0


@pytest.mark.parametrize(
    "text",
    [
        "file:// is a scheme. It names files.",
        "file:///etc/hosts lists names.\nIt is old.",
        "See file://context.txt",
        "https://example.org/context.txt",
    ],
)
def test_a_text_about_files_is_graded(text):
    assert grade("It is old.", text).status == "graded"


def test_what_a_tool_returned_is_evidence_also_if_it_is_an_address():
    messages = [
        {"role": "user", "content": "Where is it?"},
        {"role": "tool", "tool_call_id": "1", "content": "file:///srv/report.pdf"},
        {"role": "assistant", "content": "It is at file:///srv/report.pdf"},
    ]
    assert grade(messages=messages).status == "graded"
