"""Refusals, answers that only sound like refusals, and sentences that only decline."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faithfulness_assert.reading import read
from faithfulness_assert.reading.refusal import is_judge_refusal, is_refusal
from faithfulness_assert.records.errors import UnreadableReply
from faithfulness_assert.text import phrases
from faithfulness_assert.text.declines import accompanies_decline, declines

from .reply_rows import FIXTURES, graded, rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = rows("refusals")
SENTENCES = json.loads((FIXTURES / "declines.json").read_text("utf-8"))
ALONE = (
    "Sorry.",
    "I'm sorry.",
    "Unfortunately.",
)  # regret alone declines nothing, and says nothing either

# Own phrases. Each language declines to help, to answer or to judge.
REFUSALS = """
I won't evaluate this content.
I must refuse this task.
I'm choosing not to engage with this.
Sorry, I can't.
It would be inappropriate for me to judge these statements.
That is beyond what I can help with.
Your request was flagged by our moderation system.
This prompt violates our usage policy.
Because of my safety guidelines, I cannot rate these statements.
A verdict cannot be given for this content.
Evaluation declined.
**Sorry**, I'm *not* able to help.
"I can't help with that."
Judge: I am unable to assist.
{"verdicts": [], "error": "I can't assist with that request."}
{"refused": true, "message": "I can't help with that."}
{"message": "I can't help with that.", "refused": true}
{"verdict": "I'm sorry, but I can't help with that."}
<think>The user wants verdicts.</think>I'm sorry, but I can't help with that.
Es tut mir leid, aber ich kann diese Aussagen nicht bewerten.
Diese Anfrage muss ich leider ablehnen.
Je refuse d'évaluer ce contenu.
Je suis désolé, mais je ne peux pas évaluer ces affirmations.
Lo siento, no puedo ayudar con esa solicitud.
Como modelo de linguagem, não sou capaz de avaliar este conteúdo.
Non sono in grado di valutare queste affermazioni.
Ik kan deze inhoud niet beoordelen.
Tyvärr kan jag inte hjälpa till med det.
Jeg kan desværre ikke hjælpe dig med denne anmodning.
Valitettavasti en voi auttaa tässä asiassa.
К сожалению, я не могу оценить этот контент.
Вибачте, але я не можу допомогти з цим запитом.
Nie jestem w stanie ocenić tych stwierdzeń.
Omlouvám se, ale s tím vám nemohu pomoci.
Îmi pare rău, dar nu pot ajuta cu această solicitare.
Sajnálom, de ebben nem tudok segíteni.
Λυπάμαι, αλλά δεν μπορώ να βοηθήσω με αυτό.
Bu içeriği değerlendiremiyorum.
Tôi không thể đưa ra phán quyết.
Maaf, saya tidak bisa menilai konten ini.
我无法评估此内容。
抱歉，我無法協助這項請求。
この内容を評価することはできません。
이 콘텐츠는 평가할 수 없습니다.
ฉันไม่สามารถประเมินเนื้อหานี้ได้
لا يمكنني تقييم هذا المحتوى.
متأسفم، نمی‌توانم در این مورد کمک کنم.
מצטער, אני לא יכול לעזור בבקשה הזו.
मैं इस सामग्री का मूल्यांकन नहीं कर सकती।
দুঃখিত, আমি এই অনুরোধে সাহায্য করতে পারছি না।
Sorry - can't help with that.
We are unable to process your request at this time.
これらの主張を評価することはできません。
이 진술을 평가할 수 없습니다.
I'm Claude, made by Anthropic, and I don't help with this kind of thing.
Let's talk about something else.
"""
# A third party that declines, a rule, quoted speech, a condition, an idiom, silence of the context.
ANSWERS = """
The witness declined to answer.
Customers who cannot log in should contact support.
If we cannot assist with your request, you will receive a refund.
We cannot provide refunds after 30 days.
The bot says "I'm sorry, I can't help with that" when the filter triggers.
When asked, the CEO said: "I cannot answer that question."
The author writes: I cannot answer this question without first telling a story.
Comments that violate the content policy are removed.
The API request is rejected when the token has expired.
The request cannot be processed without a signature.
No response will be sent if the form is incomplete.
It is not safe to mix bleach and ammonia.
I can't stress enough how important backups are.
I was unable to find a direct flight, but there is one with a stop in Oslo.
I cannot find the answer in the context.
{"statements": ["The bank refuses to give loans.", "I cannot help you."]}
Wir können die Ware nicht zurücknehmen.
Ich konnte die Antwort im Kontext nicht finden.
Le contexte ne mentionne pas le prix.
No puedo encontrar la respuesta en el contexto.
O gerente não pode responder.
Директор не может ответить на этот вопрос.
Müdür soruyu yanıtlayamaz.
经理无法回答这个问题。
我无法在提供的上下文中找到该说法。
この製品は返品できません。
제품은 반품할 수 없습니다.
Giám đốc không thể trả lời câu hỏi.
สินค้านี้ไม่สามารถคืนได้
المدير لا يمكنه الإجابة على السؤال.
I'm unable to verify statement 2 since the context lacks the date; statement 1 is fine.
The request was rejected because of the firm's credit policy.
I could not help laughing.
"""
VERDICTS = """
{"verdicts":[{"id":1,"verdict":"no","reason":"Sorry, I can't help with that."}]}
{"id": 1, "evidence": [], "label": "not_enough_info", "reason": "I am not able to answer"}
{"supported": false, "reason": "I cannot answer"}
{"verdicts": [true, false], "note": "I cannot answer more."}
I cannot verify statement 1 from the context. Verdict: No.
1. Sorry, I cannot evaluate statement 1 without the date, so: No.
Statement 1 - No. I can't answer this from the context.
The statement is not supported. I cannot verify the date.
Ich kann diese Aussage anhand des Kontexts nicht bewerten. Urteil: Nein.
No puedo verificar esta afirmación con el contexto. Veredicto: No.
我无法评估该陈述。判定：否。
저는 평가할 수 없습니다. 판정: 아니오
لا يمكنني تقييم هذا. الحكم: لا.
"""


def lines(table: str) -> list[str]:
    return table.strip().split("\n")


def quality(rows: list[dict[str, Any]]) -> tuple[float, float, float]:
    """Precision, recall and F1 over rows with a certain label."""
    pairs = [(is_refusal(row["text"]), row["is_refusal"]) for row in rows]
    hits, said, true = (sum(map(f, pairs)) for f in (all, lambda p: p[0], lambda p: p[1]))
    return hits / said, hits / true, 2 * hits / (said + true)


def half(row: dict[str, Any]) -> int:
    """0 for the answers that the patterns were written with, 1 for those kept to check them."""
    return hashlib.sha256(row["id"].encode()).digest()[0] & 1


@pytest.fixture(scope="module")
def corpus(shared: Path) -> list[dict[str, Any]]:
    refusals = rows(shared / "corpora" / "refusals.jsonl")
    return [row for row in refusals if row["is_refusal"] != "partial"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_each_row_is_classified_correctly(row: dict[str, Any]) -> None:
    assert is_refusal(row["text"]) is row["is_refusal"]


JUDGES = [row for row in ROWS if "is_judge_refusal" in row]


@pytest.mark.parametrize("row", JUDGES, ids=lambda row: row["id"])
def test_what_only_a_judge_says_is_a_refusal_of_a_judge(row: dict[str, Any]) -> None:
    assert is_judge_refusal(row["text"]) is row["is_judge_refusal"]


@pytest.mark.parametrize(
    "row", [row for row in JUDGES if row["is_judge_refusal"]], ids=lambda row: row["id"]
)
def test_a_reply_that_is_one_is_an_error_of_that_kind(row: dict[str, Any]) -> None:
    with pytest.raises(UnreadableReply) as caught:
        read(row["text"])
    assert (caught.value.kind, caught.value.retryable) == ("refusal", False)
    assert graded(row["text"], 2).status == "judge_refused"


def test_the_wording_of_a_judge_is_rare_among_answers_that_are_no_refusals(
    corpus: list[dict[str, Any]],
) -> None:
    answers = [row["text"] for row in corpus if row["is_refusal"] is False]
    mistaken = [text for text in answers if is_judge_refusal(text) and not is_refusal(text)]
    assert len(mistaken) <= 0.01 * len(answers)


@pytest.mark.parametrize("text", lines(REFUSALS))
def test_a_refusal_is_detected_in_any_language_and_format(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", lines(ANSWERS))
def test_words_of_refusal_alone_are_not_a_refusal(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize("text", lines(VERDICTS))
def test_a_text_with_a_verdict_is_not_a_refusal(text: str) -> None:
    assert not is_refusal(text)


def test_the_tables_mean_the_same_when_they_are_compiled_again() -> None:
    for remembered in (phrases.pairs, phrases.compiled, phrases.rules):
        remembered.cache_clear()
    assert all(map(is_refusal, lines(REFUSALS)))
    assert not any(map(is_refusal, lines(ANSWERS) + lines(VERDICTS)))
    assert all(map(declines, SENTENCES["declines"]))
    assert all(map(accompanies_decline, SENTENCES["accompanies"]))


@pytest.mark.parametrize(
    ("text", "heard"),
    [("A. B! C? {}", True), ("1. A.\n2. B.\n3. {}", True), ("A. B. C. D. {}", False)],
)
def test_a_refusal_comes_within_four_sentences(text: str, heard: bool) -> None:
    assert is_refusal(text.format("I can't help with that request.")) is heard


def test_a_refusal_comes_within_1500_characters() -> None:
    said = "I can't help with that request."
    assert is_refusal("x" * (1500 - len(said) - 2) + ". " + said)
    assert not is_refusal("x" * 1500 + ". " + said)
    assert is_refusal("\n" * 1500 + said)


@pytest.mark.parametrize(
    "dress",
    [
        "</think>{}",
        "a</think>b</think>{}",
        "Judge: {}",
        "Final answer : {}",
        "Hm\n \n{}",
        "```json\n{}```",
        "<p>{}</p>",
        "<P>{}</P>",
        "(2) {}",
        '"{}"',
    ],
)
def test_a_refusal_is_detected_in_any_wrapper(dress: str) -> None:
    assert is_refusal(dress.format("I can't help with that request."))


def test_a_speakers_name_may_stand_before_a_refusal_without_a_subject() -> None:
    assert is_refusal("Judge: Unable to help with that.")
    assert not is_refusal("The clerk: Unable to help with that.")


@pytest.mark.parametrize(
    "dress",
    [
        'He said "{}"',
        '[ "{}" ]',
        '{{"verdicts": ["{}"]}}',
        '{{"a": [ 1], "b": "{}"}}',
        "{}</think>Sure.",
    ],
)
def test_a_refusal_that_is_quoted_listed_or_thought_does_not_count(dress: str) -> None:
    assert not is_refusal(dress.format("I can't help with that request."))


def test_a_quotation_ends_within_400_characters() -> None:
    said = "I cannot help with that request. "
    assert not is_refusal(f'He said: "{said}{"x" * (400 - len(said))}"')
    assert is_refusal(f'He said: "{said}{"x" * (401 - len(said))}"')


@pytest.mark.parametrize(
    ("regret", "seen"),
    [
        ("Sorry, but unfortunately, I'm sorry, ", True),
        ("Sorry, sorry, sorry, sorry, ", True),
        ("Sorry, sorry, sorry, sorry, sorry, ", False),
        ("Maturity: ", False),
        ("Sorrynot ", False),
        ("Ma", False),
        ("Butx", False),
        ("抱歉", True),
    ],
)
def test_up_to_four_words_of_regret_may_come_first(regret: str, seen: bool) -> None:
    assert declines(regret + "I don't know.") is seen


def test_a_sentence_that_only_declines_has_at_most_300_characters() -> None:
    for length, seen in ((300, True), (301, False)):
        assert declines("I don't know.".ljust(length)) is seen
        assert accompanies_decline("Unfortunately.".ljust(length)) is seen


@pytest.mark.parametrize("sentence", ["", " ", "...", " ,;: ", "。"])
def test_a_sentence_of_punctuation_accompanies_nothing(sentence: str) -> None:
    assert not accompanies_decline(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        '"I don\'t know."',
        "I do\"n't know",
        "I don't know 😀",
        "I don't know ...",
        "— I don't know —",
    ],
)
def test_quotes_emoji_and_marks_around_a_sentence_change_nothing(sentence: str) -> None:
    assert declines(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I don't know?",
        "我不知道？",
        "I don't know 1.",
        "I am unable to provide a 2nd answer to that question.",
    ],
)
def test_a_question_or_a_number_does_not_decline(sentence: str) -> None:
    assert not declines(sentence)


@pytest.mark.parametrize(
    "sentence", ["Sorry?", "¿Puedo ayudarle?", "Thanks a lot! 😀", 'Sorry "sorry"']
)
def test_an_accompanying_sentence_may_be_a_question(sentence: str) -> None:
    assert accompanies_decline(sentence)


def test_refusals_and_lookalikes_are_told_apart(corpus: list[dict[str, Any]]) -> None:
    """F1 is at least .93 on short texts: judges' replies, many languages, answers like refusals."""
    assert quality([row for row in corpus if row["kind"] != "answer"])[2] >= 0.93


@pytest.mark.parametrize("part", [0, 1])
def test_answers_are_called_refusals_only_if_they_are(
    corpus: list[dict[str, Any]], part: int
) -> None:
    """Answers with human labels: precision at least .95, recall at least .80, on both halves."""
    precision, recall, _ = quality(
        [row for row in corpus if row["kind"] == "answer" and half(row) == part]
    )
    assert precision >= 0.95
    assert recall >= 0.80


@pytest.mark.parametrize("sentence", SENTENCES["declines"])
def test_a_sentence_that_only_declines_has_nothing_to_check(sentence: str) -> None:
    assert declines(sentence)


@pytest.mark.parametrize("sentence", SENTENCES["says_something"])
def test_a_sentence_that_says_something_is_graded(sentence: str) -> None:
    assert not declines(sentence)


@pytest.mark.parametrize("sentence", SENTENCES["accompanies"])
def test_regret_and_offers_may_accompany_a_decline(sentence: str) -> None:
    assert accompanies_decline(sentence)
    assert not declines(sentence)


@pytest.mark.parametrize(
    "sentence", sorted({*SENTENCES["says_something"], *SENTENCES["accompanies_not"]} - set(ALONE))
)
def test_a_sentence_that_says_something_does_not_just_accompany(sentence: str) -> None:
    assert not accompanies_decline(sentence)


@pytest.mark.parametrize("value", [None, 5, b"no"])
def test_is_refusal_takes_strings_only(value: Any) -> None:
    with pytest.raises(
        TypeError, match=f"is_refusal: text must be a string, got {type(value).__name__}"
    ):
        is_refusal(value)


@pytest.mark.parametrize(
    "more",
    [
        ", but Paris is large.",
        ": it lacks SSO.",
        " about Anna.",
        " by 2030.",
        " because the contract ended.",
    ],
)
@pytest.mark.parametrize(
    "sentence", ["I can't answer that", "I don't know", "Unfortunately, I cannot help with that"]
)
def test_anything_added_makes_it_a_claim(sentence: str, more: str) -> None:
    assert declines(sentence)
    assert not declines(sentence + more)


KNOWN = st.sampled_from(
    lines(REFUSALS)
    + lines(ANSWERS)
    + lines(VERDICTS)
    + SENTENCES["declines"]
    + SENTENCES["says_something"]
)
DRESSES: list[Callable[[str], str]] = [
    lambda text: f"  \n\t{text}\u00a0\n\n",
    lambda text: f"**{text}**",
    lambda text: text.replace("'", "\u2019"),
    lambda text: text.replace("'", "\u2032"),
]


@given(KNOWN | st.text(), st.sampled_from(DRESSES))
def test_white_space_bold_and_curly_quotes_change_nothing(
    text: str, dress: Callable[[str], str]
) -> None:
    assert is_refusal(dress(text)) is is_refusal(text)
    assert declines(dress(text)) is declines(text)


@given(st.text(st.characters(codec=None)))
@example("I can't help.\ud800\x00\u202e")
def test_any_text_is_classified(text: str) -> None:
    assert is_refusal(text) in {True, False}
    assert declines(text) in {True, False}
    assert accompanies_decline(text) in {True, False}


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        " ",
        "\n",
        "*",
        '"',
        "<",
        "[",
        "{",
        ": ",
        "- ",
        "i ",
        "i am ",
        "no ",
        "verdict:",
        "ich kann nicht ",
        "我无法",
    ],
)
def test_a_million_characters_are_classified_quickly(unit: str) -> None:
    """A refusal before a long tail is still detected, and the tail alone is not one."""
    tail = unit * (1_000_000 // len(unit))
    assert not is_refusal(tail)
    assert is_refusal("I can't help with that request.\n\n" + tail)
    assert not declines("I can't answer that. " + tail)
