"""The keys that judges use in their JSON, as data, and what each of them means.

Keys are reduced to lower-case letters and digits (see ``json_values.key_of``).
"""

from __future__ import annotations

import re


def _keys(words: str) -> tuple[str, ...]:
    return tuple(words.split())


# ---------------------------------------------------------------- a label

# Keys whose scalar value is an entry's label: words; questions, which are answered by yes or no;
# and weak keys, which count only if none of the others is there.
WORD_KEYS = frozenset(
    _keys("label verdict finallabel finalverdict judgement judgment classification")
)
QUESTION_KEYS = frozenset(
    _keys(
        """supported issupported faithful isfaithful attributed isattributed attributable
        isattributable entailed isentailed grounded isgrounded"""
    )
)
WEAK_KEYS = frozenset(_keys("status answer result decision conclusion prediction assessment"))
LABEL_KEYS = WORD_KEYS | QUESTION_KEYS | WEAK_KEYS

# Keys that may speak against a label, but are not a label by themselves.
LATER_LABEL = re.compile(
    r"(?:final|overall|corrected|revised|actual|true|real|updated|new)\w{0,20}"
)
OTHER_LABEL = re.compile(
    r"\w{0,20}(?:label|verdict|judge?ment|classification|decision)\d"
    r"|\w{1,20}(?:label|verdict|judge?ment|classification|decision)"
    r"|(?:is)?(?:correct|accurate|true|valid|consistent)"
)
# ---------------------------------------------------------------- an entry's other parts

ID_KEYS = _keys(
    """id statementid claimid sentenceid statementnumber claimnumber statementindex claimindex
    number num no index idx"""
)
STATEMENT_KEYS = _keys("statement claim text sentence fact")
REASON_KEYS = _keys("reason explanation rationale justification reasoning analysis")
QUOTE_KEYS = _keys("quote quotes evidencetext supportingtext")
_PROOF_KEYS = _keys("evidence evidences evidenceids citation citations")
EVIDENCE_KEYS = _PROOF_KEYS + _keys(  # the latter may also contain entries
    "source sources sentences sentenceids supportingsentences reference references"
)

# ---------------------------------------------------------------- what contains entries

# Under these keys is the judge's material. It never contains verdicts.
CLOSED_KEYS = frozenset(
    REASON_KEYS
    + QUOTE_KEYS
    + _PROOF_KEYS
    + _keys("context contexts passages draft drafts example examples input inputs")
    + _keys("thinking thought thoughts reflection scratchpad")
)
# The same, as a part of a key: "chain_of_thought".
THINKING = re.compile(
    "think|thought|draft|example|scratch|reflection|reasoning"
    # and verdicts that are not the judge's own, or not those of this reply
    "|previous|earlier|former|^old|^if(?!entailed)|counterfact|student|inject|attacker"
)
# Under these keys of a wrapper there are no remarks.
SILENT_KEYS = (CLOSED_KEYS - frozenset(REASON_KEYS)) | frozenset(
    ID_KEYS + STATEMENT_KEYS + EVIDENCE_KEYS
)
# A list or object of bare words under these keys is texts, numbers or choices.
TEXT_KEYS = (
    CLOSED_KEYS
    | frozenset(EVIDENCE_KEYS + STATEMENT_KEYS + ID_KEYS)
    | frozenset(
        _keys(
            """statements claims facts truths ids reasons score scores question questions enum
            options choices allowed required examples"""
        )
    )
)
# A list or object of bare words ("yes", true) is verdicts only under these keys; one of the digits
# 1 and 0 only under the first of them.
NUMBERS_KEYS = frozenset(
    _keys(
        """verdict verdicts finalverdicts label labels judgement judgements judgment judgments
        answers results"""
    )
)
LIST_KEYS = (
    NUMBERS_KEYS
    | LABEL_KEYS
    | frozenset(
        _keys(
            """finallabels classifications decisions conclusions predictions assessments items
            entries output outputs response data json"""
        )
    )
)
# A string under these keys may be JSON, as in the arguments of a tool call.
PACKED_KEYS = frozenset(_keys("arguments parameters output result data json verdicts"))
