"""A promptfoo provider that answers what the test's vars hold: ``answer`` (text or object), with ``retrieved`` as its metadata.

``times`` repeats the answer: a huge one need not be written out.
"""

from typing import Any


def call_api(prompt: str, options: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    """What a RAG pipeline returns: its answer, and the passages that it found."""
    given = context["vars"]
    answer = given["answer"] if "times" not in given else given["answer"] * int(given["times"])
    return {"output": answer, "metadata": {"retrieved": given.get("retrieved")}}
