"""An answer is split into statements, and nothing of it vanishes."""

import json
import re

import pytest
from conftest import ROOT
from hypothesis import example, given
from hypothesis import strategies as st
from rows import rows
from strategies import answers, examples, markdown, texts

from faithfulness_assert import split_statements
from faithfulness_assert.text import sentences
from faithfulness_assert.text.sentences import find_language, sentence_spans
from faithfulness_assert.text.statements import Split, split
from faithfulness_assert.text.strings import is_blank

SHARED = ROOT.parent / "shared"
ROWS = rows("statements")
VISIBLE = re.compile(r"[^\W_]")


def exact(rows: list[dict]) -> list[bool]:
    """For each row, whether the statements are the golden ones, up to white space."""
    return [
        _flat(split_statements(row["text"], row["lang"])) == _flat(row["sentences"]) for row in rows
    ]


def _flat(sentences: list[str]) -> list[str]:
    return [flat for sentence in sentences if (flat := " ".join(sentence.split()))]


def reasons(text: str) -> list[str]:
    return [skipped.reason for skipped in split(text).skipped]


# ---------------------------------------------------------------- corpora


def test_markdown_answers_give_their_golden_statements():
    golden = rows("splits_llm_markdown")
    right = sum(exact(golden))
    print(f"markdown answers: {right} of {len(golden)} exact")
    assert right >= 21
    for row in golden:
        assert not set(row["must_not_be_statements"]) & set(
            split_statements(row["text"], row["lang"])
        )


def test_most_golden_sentences_in_29_languages_are_found():
    corpus = SHARED / "corpora" / "splits.json"
    if not corpus.exists():
        pytest.skip(f"{corpus.name} is not here: its rows are not ours to copy")
    rows = [row for row in json.loads(corpus.read_text("utf-8")) if not row.get("conflict")]
    right = sum(exact(rows))
    print(f"sentences: {right} of {len(rows)} exact ({right / len(rows):.1%})")
    assert right >= 646


# ---------------------------------------------------------------- nothing vanishes


def check(text: str, found: Split) -> None:
    spans = [(part.start, part.end) for part in (*found.statements, *found.skipped)]
    covered = bytearray(len(text))
    for start, end in spans:
        assert 0 <= start < end <= len(text)
        assert not any(covered[start:end]), "spans overlap"
        covered[start:end] = b"\1" * (end - start)
    lost = [char for at, char in enumerate(text) if not covered[at] and VISIBLE.match(char)]
    assert not lost, f"in no span: {lost}"
    count = len(found.statements)
    assert all(own == sorted(own) for own in (spans[:count], spans[count:]))
    assert [statement.id for statement in found.statements] == [*range(1, count + 1)]
    for statement in found.statements:
        assert not is_blank(statement.text)
        assert statement.text == " ".join(statement.text.split())
    assert all(skipped.reason for skipped in found.skipped)


@given(answers)
@example("A\xa0. B")
@example("\ud800. A")
@example("> " * 30 + "The fee is 5%.")
@example("- " * 30 + "The fee is 5%.")
@example("```\nThe fee is 5%.")
@example("1. <b>\n\n2. </b>x")
@example("0.\n0")
@examples(200)
def test_every_letter_and_digit_is_in_one_span(text):
    check(text, split(text))


@given(texts)
def test_spans_of_sentences_leave_only_white_space_out(text):
    end = 0
    for start, stop in sentence_spans(text):
        assert end <= start < stop
        assert not text[end:start].strip()
        assert text[start:stop] == text[start:stop].strip()
        end = stop
    assert not text[end:].strip()


@given(markdown)
def test_statements_of_markdown_contain_only_what_the_answer_says(text):
    for statement in split(text).statements:
        said = [char for char in statement.text if not char.isspace() and char not in "|^~_()"]
        source = iter(text[statement.start : statement.end])
        assert all(char in source for char in said), "not in the source, or not in this order"


def test_a_text_without_any_boundary_is_cut_into_pieces_of_limited_size():
    for text in ("a" * 100_000, "word " * 20_000, "No. 5 " * 10_000):
        spans = sentence_spans(text)
        assert max(end - start for start, end in spans) <= sentences.MAX_SENTENCE
        assert sum(len(text[start:end].replace(" ", "")) for start, end in spans) == len(
            text.replace(" ", "")
        )


@pytest.mark.parametrize("unit", ["「我。", "我们去了。", "It is so. ", "a", "Word. \u200b"])
def test_a_line_of_any_length_is_read_whole(unit):
    text = unit * (60_000 // len(unit))
    check(text, split(text))


def test_a_text_or_language_that_is_not_a_string_is_a_type_error():
    with pytest.raises(TypeError, match="split_statements: text must be a string, got NoneType"):
        split_statements(None)
    with pytest.raises(TypeError, match="language must be a string, got NoneType"):
        split_statements("It is so.", None)


def test_a_panic_of_the_splitter_falls_back_and_an_interrupt_is_raised(monkeypatch):
    import sentencex

    class PanicException(BaseException):
        pass

    def fail(error: BaseException) -> None:
        monkeypatch.setattr(sentencex, "segment", lambda *_: (_ for _ in ()).throw(error))

    fail(PanicException("byte index 2 is not a char boundary"))
    assert split_statements("The fee is 5%. It rose.") == ["The fee is 5%.", "It rose."]
    fail(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        split_statements("The fee is 5%. It rose.")


# ---------------------------------------------------------------- what a statement is


SPLITS = (
    "markup is removed and its text stays",
    "markup that changes the meaning stays readable",
    "prose does not hide as code or link definition",
    "a bold line after an open sentence is its answer",
    "a heading over nothing is a statement",
    "a header of a table is shown with its rows, and is a statement if none of them says something",
    "an answer that is only a heading is a statement",
    "a table without rows is graded by its header",
    "a text that says nothing gives no statement",
    "an entry of a list of sources is a statement only if it claims something",
    "a citation inside a sentence belongs to it, and one behind it is skipped",
)


@pytest.mark.parametrize(
    ("rule", "text", "expected"), [(rule, *row) for rule in SPLITS for row in ROWS[rule]]
)
def test_a_text_has_the_statements_of_its_row(rule, text, expected):
    assert split_statements(text) == expected, rule


@pytest.mark.parametrize(("text", "expected"), ROWS["other pieces are skipped with a reason"])
def test_other_pieces_are_skipped_with_a_reason(text, expected):
    assert reasons(text) == expected


@pytest.mark.parametrize("form", ["# {}", "{}\n===", "**{}**", "**{}:**", "> **{}**"])
@pytest.mark.parametrize("claim", ROWS["no claim hides as a heading in any language"])
def test_no_claim_hides_as_a_heading_in_any_language(claim, form):
    said = claim + ":" if form.endswith(":**") else claim
    *found, _ = split_statements(form.format(claim) + "\n\nIt is so.")
    assert [said.removeprefix("2. ")] == [text.removeprefix("2. ") for text in found]


@pytest.mark.parametrize("form", ["# {}", "## {}:", "**{}**", "**{}:**", "**{}**:"])
@pytest.mark.parametrize("name", ROWS["a heading that names a topic is not a statement"])
def test_a_heading_that_names_a_topic_is_not_a_statement(name, form):
    assert split_statements(form.format(name) + "\n\nIt is so.") == ["It is so."]


PARTS = ROWS["a claim stays a statement whatever stands before and behind it"]


@given(
    st.sampled_from(PARTS["before"]),
    st.lists(
        st.tuples(st.sampled_from(PARTS["claims"]), st.sampled_from([" ", "\n"])),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(PARTS["behind"]),
    st.sampled_from(PARTS["listed"]),
)
@examples(300)
def test_no_claim_is_skipped_with_what_stands_in_its_paragraph(before, said, behind, listed):
    text = before + "".join(claim + gap for claim, gap in said) + f"{behind}\n{listed}"
    stated = [text[statement.start : statement.end] for statement in split(text).statements]
    for claim, _ in said:
        assert any(claim in each for each in stated), text


SAID = st.sampled_from(["", "It is so.", "the roof is red", "zwei Betten", "屋顶 是 红 的"])


@given(
    st.sampled_from(["```", "~~~", "````", "> ```", "- ~~~", "1. Run\n   ```"]),
    st.sampled_from(["", " ", "sql ", " text ", "python title="]),
    st.lists(SAID, min_size=4, max_size=4),
    st.sampled_from(["x = 1", "The pool is big.", "- a", ""]),
)
@examples(200)
def test_words_on_the_line_of_a_fence_are_not_code(mark, info, said, code):
    before, opening, closing, behind = said
    fence = f"{mark}{info}{opening}\n{code}\n{mark.splitlines()[-1]}{closing}"
    answer = f"{before}\n{fence}\n{behind}"
    hidden = [answer[s.start : s.end] for s in split(answer).skipped if s.reason == "code"]
    for words in filter(None, said):
        assert not any(words in one for one in hidden)


@pytest.mark.parametrize(
    "language", ["en-US", "EN", "xx", "", "pt_BR", "no such language", "zzzz\ud800", "\x00"]
)
def test_any_language_code_is_read(language):
    assert split_statements("The fee is 5%. It rose.", language) == ["The fee is 5%.", "It rose."]


@pytest.mark.parametrize(("text", "language", "sentences"), ROWS["ordinals of German"])
def test_an_ordinal_of_german_ends_no_sentence_before_its_noun(text, language, sentences):
    assert len(split(text, language).statements) == sentences


def test_a_text_of_two_languages_has_the_same_one_in_every_process():
    """The order of a set of words differs between processes."""
    for text in ("Il si", "si il", "Il. Si?"):
        assert find_language(text) == "it"
