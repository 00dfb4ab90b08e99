"""The ask of a checker that was trained on one question alone: a document, a claim, Yes or No.

Instructions and form are those of Bespoke-MiniCheck (``minicheck/utils.py`` of its authors). They
have no fences, so each text stands on one line: no text can begin a line with "Claim:".
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ..files import read_text
from ..text.strings import one_line

if TYPE_CHECKING:
    from ..records.ask import Ask

_FOLDER = __file__.removesuffix("document_claim.py") + "prompts/"

REPLY_TOKENS = 16
"""Tokens for one word, and for the marks with which some models end."""


def document_claim(ask: Ask) -> Ask:
    """An ask for the verdict on one statement in this form. The question is not shown.

    Raises:
        ValueError: it is about several statements.
    """
    [(_, statement)] = ask.payload.statements
    document = " ".join(one_line(text) for _, text in ask.payload.sentences)
    content = f"Document: {document}\nClaim: {one_line(statement)}"
    return replace(
        ask,
        messages=(
            {"role": "system", "content": _instructions()},
            {"role": "user", "content": content},
        ),
        max_tokens=REPLY_TOKENS,
    )


@cache
def _instructions() -> str:
    return read_text(f"{_FOLDER}document_claim.md").strip()
