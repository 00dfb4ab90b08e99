"""How judges number statements in plain text, as patterns.

Every repetition is bounded, so that searching takes linear time.
"""

from __future__ import annotations

import re

# "1.", "(2)", "**3)**", "Statement 4:", "claim_5 -", "6 ->"; neither "1.5" nor a time
NUMBER = (
    r"[(\[]?(?:(?:statement|claim|sentence|s|c)[ \t_#]{0,3})?#?(\d{1,6})"
    r"(?:[ \t]?[.):\]：．、）]{1,3}[*_]{0,3}(?!\d)|[ \t]{1,2}(?:->|[-–—=→])(?=\s))[ \t*_]{0,4}"
)
AT_LINE_START = re.compile(rf"^[ \t>*_#•\-]{{0,6}}{NUMBER}", re.IGNORECASE | re.MULTILINE)
AFTER_SENTENCE = re.compile(rf"(?<=[.!;。])[\s*_]{{1,4}}{NUMBER}", re.IGNORECASE)
ANYWHERE = re.compile(rf"(?:^|(?<=[\s.,;!。，；、*]))[*_]{{0,3}}{NUMBER}", re.IGNORECASE)
# "### Statement 2", "- id: 3", "Claim 4" on a line of its own
HEADING = re.compile(
    r"^[ \t>*_#•\-]{0,6}(?:"
    r"(?:statement|claim|sentence)?[ \t_]?(?:id|number|no)[ \t*_]{0,3}[:=][ \t*_]{0,3}[\"']?"
    r"|(?:statement|claim|sentence)[ \t_#]{1,3})(\d{1,6})[\"']?[ \t*_.,]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)


def is_numbered(text: str) -> bool:
    """Whether every line of ``text`` begins with a number."""
    lines = [line for line in text.split("\n") if line.strip()]
    return text != "" and all(AT_LINE_START.match(line) for line in lines)
