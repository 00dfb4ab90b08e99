"""Where each preset differs from the system that it is named after, and why."""

from __future__ import annotations


def _listed(text: str) -> tuple[str, ...]:
    """The items of a list whose marks are ``-``, each on one line."""
    return tuple(" ".join(item.split()) for item in text.split("\n    - ")[1:])


def _lost(system: str) -> str:
    return (
        "If the judge gives no claim for a sentence with a number or a name, the sentence itself "
        f"is graded; {system} loses it."
    )


PROMPTFOO = (
    *_listed("""
    - If no threshold is given, .5 passes, as in promptfoo 0.123; promptfoo 0.121 then lets every
      score pass.
    - Numbered and comma-separated verdict lists are read; promptfoo rejects or merges them.
    - 'not sure' is not a verdict; promptfoo reads it as a no.
    - More verdicts than statements are a grader error; promptfoo counts them against the
      statements.
    - A "yes" that the judge's own words beside it speak against is asked for again; promptfoo
      counts it.
    - An answer that only declines is 'abstained' and an empty context 'no_context'; promptfoo asks
      its judge about both.
    """),
    _lost("promptfoo"),
)

PROMPTFOO_PLAN = _listed("""
    - A missing verdict counts as unsupported; the plan divides by the verdicts that came.
    - If a reply has more unnumbered verdicts than statements, none of them is read (.5, fails);
      the plan ignores the surplus.
    - '1' and true are read as supported; the plan scores them 0.
    - A "no" beside words of refusal counts; the plan takes the reply for a refusal. A "yes" that
      the judge's own words speak against is asked for again; the plan counts it.
    - The result shows the .5, but it is not defined: promptfoo gets 0, and means leave it out.
    """)

RAGAS = (
    *_listed("""
    - ragas has no threshold; .5 is ours.
    - Only 1 and 0 (and their words) are verdicts; ragas counts every number but 0 as faithful.
    - Statements without a verdict count as unsupported; ragas drops them from the denominator.
    - A question may be left out; ragas' collections raise. A blank user_input is 'invalid_input'.
    - Where ragas returns NaN or raises, the result is an undefined grader error that says why.
    """),
    _lost("ragas"),
)

DEEPEVAL = (
    *_listed("""
    - A verdict that cannot be read is asked for again, then counts as unsupported; deepeval drops
      it, and scores 1 if none is left.
    - An unknown verdict is never 'idk'.
    - A question may be left out; deepeval raises without an input. A blank input is
      'invalid_input'; deepeval only refuses None.
    - An answer that only declines is 'abstained' and fails; deepeval gives 1.
    - An empty context is 'no_context' and fails.
    - If the judge lists no truths for a passage, it sees the passage itself; deepeval would find
      nothing to contradict.
    - truths_extraction_limit starts at 1; deepeval takes 0, asks for no truths and finds nothing to
      contradict.
    """),
    _lost("deepeval"),
)

AXION = (
    *_listed("""
    - A claim without a valid verdict is asked about alone, as in axion. Then it counts as one
      without evidence, for 0 at most.
    - A question may be left out; axion raises. A blank query is 'invalid_input'.
    - An answer that only declines is 'abstained' and fails; axion gives 1.
    - An empty context is 'no_context' and fails.
    """),
    _lost("axion"),
)

RAGALIQ = (
    *_listed("""
    - A claim without a valid verdict is asked about once more before the case becomes a grader
      error.
    - An answer that only declines is 'abstained' and fails; RagaliQ scores what claims its judge
      finds in it.
    - An empty context is 'no_context' and fails, with no call.
    """),
    _lost("RagaliQ"),
)

HALLUCINATION = (
    *_listed("""
    - .8 is the evaluator's own threshold; RagaliQ's runner gives each evaluator its
      default_threshold, .7 if none is named.
    """),
    *RAGALIQ,
)

MASIS = _listed("""
    - MASIS has no threshold; .5 is ours.
    - A rating that is out of range after ratings above 1 were divided by 100 becomes 0 or 1, with
      a warning; MASIS takes it as it is.
    - A rating that is missing or not a number is asked for once more, then the case is a grader
      error.
    - An answer that only declines is 'abstained' and an empty context 'no_context', and neither is
      rated; MASIS rates both.
    - [c1, c2], [1-3], [^1], [Source 1], (doc-3) and 【1】 are citations too, and [sic], links and
      code are not; in MASIS square brackets are always one citation, and nothing else is.
    - Sentences are split by language; MASIS splits at every full stop.
    """)
