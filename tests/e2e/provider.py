"""A promptfoo provider that returns the test's vars: ``answer`` (text or object), with ``retrieved`` as its metadata.

``times`` repeats the answer, for huge answers.
"""

from typing import Any


def call_api(prompt: str, options: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    """Returns what a RAG pipeline returns: its answer, and the passages that it retrieved."""
    given = context["vars"]
    answer = given["answer"] if "times" not in given else given["answer"] * int(given["times"])
    return {"output": answer, "metadata": {"retrieved": given.get("retrieved")}}
