"""The example of the screenshot: one test for each outcome of an answer, with all statements shown."""

from typing import Any

from loopback import Answer, Request, completion

from .judge import reply

USAGE = {"prompt_tokens": 412, "completion_tokens": 68, "total_tokens": 480}
UNFAITHFUL = "A made-up price and a pond"
ANSWERS = {
    "A faithful answer": "The museum opens at ten. It is shut on Mondays. A ticket costs 9 euros. Children under six go free.",
    UNFAITHFUL: "The museum opens at ten. A ticket costs 35 euros. Children under six go free. The garden has a pond.",
    "An answer that declines": "I'm sorry, but I can't answer that question.",
    "The judge refuses": "The museum opens at ten.",
}
CONTEXT = (
    "The museum opens at ten. It is shut on Mondays.\n\n"
    "A ticket costs 9 euros. Children under six go free. The garden behind the house may be visited without a ticket."
)


def judge(request: Request) -> Answer:
    """Truthful; the model named ``refusing`` refuses."""
    if request.body["model"] == "refusing":
        return completion(None, refusal="I can't help with that.", usage=USAGE)
    return completion(reply(request), usage=USAGE)


def config(url: str) -> dict[str, Any]:
    """The four tests."""

    def one(name: str, answer: str) -> dict[str, Any]:
        model = "refusing" if name == "The judge refuses" else "gpt-4o-mini"
        options = {"judge": f"openai:{model}", "baseUrl": url, "components": "all"}
        ours = {"type": "python", "value": "file://faithfulness.py", "config": options}
        return {"description": name, "providerOutput": answer, "assert": [ours]}

    return {
        "description": "Are the answers faithful to their context?",
        "prompts": ["Answer from the context alone: {{query}}"],
        "providers": [{"id": "echo", "label": "the model under test"}],
        "defaultTest": {"vars": {"query": "What should a visitor know?", "context": CONTEXT}},
        "tests": [one(*pair) for pair in ANSWERS.items()],
    }
