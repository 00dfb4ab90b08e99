"""Claims stand for their sentence only if they say all that it says for certain, and nothing else."""

import json
import re

import pytest
from fakes import ScriptedJudge, TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st
from own_policy import with_own_policy
from rows import rows
from strategies import examples

from faithfulness_assert import Ask, Reply, grade

DATA = rows("carried_claims")
CERTAIN = {sentence: (set(words), denies) for sentence, (words, denies) in DATA["certain"].items()}
REMARKS, REWORDED = DATA["remarks"], DATA["reworded"]
SENTENCES = tuple(CERTAIN)
UNNAMED = SENTENCES[-2:]  # in which a judge may find no claim


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def denies(text: str) -> bool:
    return not words(text).isdisjoint({"not", "never", "no", "nothing", "cannot"})


@examples(200)
@given(
    answer=st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4, unique=True),
    lists=st.lists(
        st.lists(st.sampled_from((*SENTENCES, *REMARKS, *REWORDED)), max_size=3), max_size=5
    ),
    options=st.sampled_from([{}, {"verify": "per_claim"}]),
)
def test_no_sentence_is_lost_and_what_stands_for_one_says_all_that_it_says(answer, lists, options):
    class Listing(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            listed = list(zip(ask.ids, lists, strict=False))
            if ask.kind == "claims":
                said = [{"id": n, "claims": claims} for n, claims in listed]
                return Reply(json.dumps({"sentences": said}))
            return super().ask(ask)

    text = " ".join(answer)
    options = with_own_policy({"policy": "ragas", "controls": "off", **options})
    result = grade(text, text, judge=Listing(), **options)
    spans = {text.index(sentence): sentence for sentence in answer}
    judged = {start: [v for v in result.verdicts if v.span[0] == start] for start in spans}
    aside = {skipped.start for skipped in result.skipped}
    for start, sentence in spans.items():
        certain, negative = CERTAIN[sentence]
        said = [verdict.statement for verdict in judged[start]]
        if not said:
            assert start in aside
            assert sentence in UNNAMED
            assert result.status == "no_statements"
        elif said != [sentence]:
            assert certain <= words(" ".join(said))
            assert denies(" ".join(said)) is negative
            assert set(said).isdisjoint(REMARKS)
            assert set(said).isdisjoint(SENTENCES) or sentence in said


def stands(claims: list[str], sentence: str, question: str = "", context: str = "") -> bool:
    """Whether claims stand for the one sentence of an answer."""
    judge = ScriptedJudge([json.dumps({"sentences": [{"claims": claims}]})])
    options = with_own_policy({"policy": "ragas", "reasks": 0, "controls": "off"})
    result = grade(sentence, context or sentence, question=question, judge=judge, **options)
    alone = [warning for warning in result.warnings if "graded as they stand" in warning]
    return result.verdicts != () and not alone


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_claim_without_a_number_a_name_or_a_condition_says_less(sentence):
    assert stands([sentence], sentence)
    for word in CERTAIN[sentence][0]:
        less = re.sub(rf"\b{word}\b", "many", sentence, flags=re.IGNORECASE)
        assert not stands([less], sentence)


@pytest.mark.parametrize("row", DATA["stand"], ids=lambda row: row["sentence"])
def test_claims_may_split_a_sentence_and_say_who_it_is_about(row):
    claims, sentence = row["claims"], row["sentence"]
    assert stands(claims, sentence, row.get("question", ""))
    assert not stands([], sentence)
    if len(claims) > 1:
        assert not any(stands([claim], sentence, row.get("question", "")) for claim in claims)


@pytest.mark.parametrize("row", DATA["changed"], ids=lambda row: row[1])
def test_a_claim_in_place_of_what_a_sentence_says_never_stands_for_it(row):
    """What it has instead is in the context, so that a judge would find it supported."""
    sentence, *claims = row
    assert stands([sentence], sentence)
    assert not stands(claims, sentence, context=" ".join(claims))


def test_more_claims_than_sentences_can_make_are_no_list():
    words = "The old mill beside the river made flour, oil, paper, rope, felt, glass, tiles, bread, beer, cloth, soap and wax.".split()
    answer = " ".join(words)
    claims = [" ".join(words[n:] + words[:n]) for n in range(21)]
    for number, fits in ((20, True), (21, False)):
        said = {"sentences": [{"id": 1, "claims": claims[:number]}]}
        judge = ScriptedJudge([json.dumps(said)])
        options = {"policy": "ragas", "reasks": 0, "controls": "off"}
        result = grade(answer, "It did.", judge=judge, **with_own_policy(options))
        assert len(result.verdicts) == (number if fits else 1)
