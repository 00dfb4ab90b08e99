"""What fits into one ask, and that no ask exceeds what its judge can take."""

from __future__ import annotations

import pytest

from faithfulness_assert.asking.windows import Budget, chunk, cut_to_fit, window
from faithfulness_assert.records.errors import InputError
from faithfulness_assert.records.judge import Limits
from faithfulness_assert.records.model import Evidence

LINE = 3  # tokens of a line's number and its end


def count_words(text: str) -> int:
    return len(text.split())


def budget(room: int | None, statements: int | None = None) -> Budget:
    return Budget(count_words, Limits(statements=statements), room)


def sentences(*texts: str) -> tuple[Evidence, ...]:
    made, start = [], 0
    for number, text in enumerate(texts, 1):
        made.append(Evidence(number, "p", start, start + len(text), text))
        start += len(text) + 1
    return tuple(made)


def lines(count: int) -> tuple[Evidence, ...]:
    """Sentences of seven tokens each, ten with their line, but far more bytes."""
    return sentences(*["extraordinarily " * 6 + "long."] * count)


# ---------------------------------------------------------------- windows over the context


def test_the_context_gets_two_thirds_of_the_room_and_the_statements_one_third() -> None:
    assert (budget(100).context_room, budget(100).statements_room) == (66, 33)
    assert (budget(None).context_room, budget(None).statements_room) == (None, None)


def test_a_context_that_uses_its_room_exactly_is_one_window() -> None:
    assert window(lines(6), budget(90)) == (range(1, 7),)
    assert window(lines(6), budget(None)) == (range(1, 7),)


def test_a_context_that_is_one_token_too_long_is_two_windows() -> None:
    assert len(window(lines(6), budget(89))) == 2


def test_a_window_is_filled_to_its_limit_and_shares_two_sentences_with_the_next() -> None:
    assert window(lines(10), budget(60)) == (
        range(1, 5),
        range(3, 7),
        range(5, 9),
        range(7, 11),
    )
    assert window(lines(10), budget(59))[0] == range(1, 4)


def test_windows_of_one_or_two_sentences_still_advance_and_show_everything() -> None:
    assert window(lines(3), budget(15)) == (range(1, 2), range(2, 3), range(3, 4))
    assert window(lines(4), budget(30)) == (range(1, 3), range(2, 4), range(3, 5))


def never(text: str) -> int:
    """What is short in bytes is not counted: the first count loads tiktoken's ranks."""
    raise AssertionError(text)


def test_a_context_that_is_short_in_bytes_is_not_counted() -> None:
    short = sentences("ab", "cd")
    exact = sum(len(s.text) + LINE for s in short)
    assert window(short, Budget(never, Limits(), exact * 3 // 2)) == (range(1, 3),)


# ---------------------------------------------------------------- sentences that no ask can hold


def test_a_sentence_that_is_too_long_is_cut_at_white_space_and_nothing_is_lost() -> None:
    text = " ".join(f"word{n}" for n in range(40))
    whole = Evidence(1, "p", 100, 100 + len(text), text)
    parts = cut_to_fit([whole], budget(30))
    assert "".join(part.text for part in parts) == text
    assert [part.sentence for part in parts] == list(range(1, len(parts) + 1))
    assert all(count_words(part.text) + LINE <= 20 for part in parts)
    assert all(part.text[-1] == " " for part in parts[:-1])
    assert [(part.start, part.end - part.start) for part in parts] == [
        (100 + text.index(part.text), len(part.text)) for part in parts
    ]


def test_a_word_that_is_too_long_is_cut_in_the_middle() -> None:
    by_bytes = Budget(lambda text: len(text.encode()), Limits(), 30)
    parts = cut_to_fit(sentences("x" * 40), by_bytes)
    assert [len(part.text) for part in parts] == [10, 10, 10, 10]


def test_a_cut_never_leaves_a_part_shorter_than_a_quarter() -> None:
    by_bytes = Budget(lambda text: len(text.encode()), Limits(), 60)
    parts = cut_to_fit(sentences("ab " + "x" * 41), by_bytes)
    assert [part.text for part in parts] == ["ab " + "x" * 19, "x" * 22]


def test_a_cut_is_at_the_last_space_of_the_second_quarter_or_in_the_middle() -> None:
    def first_part(text: str) -> str:
        budget = Budget(lambda text: len(text.encode()), Limits(), 57)  # 38 for the context
        return cut_to_fit(sentences(text), budget)[0].text

    assert first_part("x" * 10 + " " + "x" * 29) == "x" * 10 + " "
    assert first_part("x" * 12 + " x " + "x" * 25) == "x" * 12 + " x "
    assert first_part("x" * 9 + " " + "x" * 30) == "x" * 9 + " " + "x" * 10
    assert first_part("x" * 20 + " " + "x" * 19) == "x" * 20


def test_a_sentence_that_is_short_in_bytes_is_neither_counted_nor_cut() -> None:
    exact = sentences("x" * 17, "y")
    assert cut_to_fit(exact, Budget(never, Limits(), 30)) == exact
    with pytest.raises(AssertionError):
        cut_to_fit(exact, Budget(never, Limits(), 28))


def test_a_sentence_that_fits_exactly_is_not_cut() -> None:
    seventeen = sentences(" ".join(["extraordinarily"] * 17), "Short.")
    assert cut_to_fit(seventeen, budget(30)) == seventeen
    assert len(cut_to_fit(seventeen, budget(28))) == 3
    assert cut_to_fit(seventeen, budget(None)) == seventeen


def test_the_sentences_after_a_cut_one_are_numbered_anew() -> None:
    parts = cut_to_fit(sentences("word " * 30, "Short."), budget(30))
    assert [part.sentence for part in parts] == [1, 2, 3]
    assert parts[-1].text == "Short."


# ---------------------------------------------------------------- groups of statements


def items(*sizes: int) -> tuple[tuple[int, str], ...]:
    return tuple((number, "word " * size) for number, size in enumerate(sizes, 1))


def numbers(groups: tuple[tuple[tuple[int, str], ...], ...]) -> list[list[int]]:
    return [[number for number, _ in group] for group in groups]


def test_a_group_has_as_many_statements_as_the_judge_takes_and_not_one_more() -> None:
    assert numbers(chunk(items(1, 1, 1, 1, 1), budget(None, 2))) == [[1, 2], [3, 4], [5]]
    assert numbers(chunk(items(1, 1), budget(None, 2))) == [[1, 2]]
    assert chunk((), budget(None, 2)) == ()


def test_a_group_has_as_many_tokens_as_the_room_and_not_one_more() -> None:
    assert numbers(chunk(items(7, 7, 7), budget(60))) == [[1, 2], [3]]
    assert numbers(chunk(items(7, 8, 7), budget(60))) == [[1], [2], [3]]
    assert numbers(chunk(items(3, 4, 10, 3, 4), budget(39))) == [[1, 2], [3], [4, 5]]


def test_the_reply_to_each_statement_takes_room_too() -> None:
    for size, groups in ((7, [[1], [2]]), (6, [[1, 2]])):
        roomy = budget(60)._replace(reply_tokens=1)
        assert numbers(chunk(items(size, size), roomy)) == groups
    assert roomy.statement_tokens("a b c") == 3 + LINE + 1
    with pytest.raises(InputError, match="statement 1 has about 21 tokens"):
        chunk(items(17), roomy)


@pytest.mark.parametrize("reply", [0, 4])
def test_statements_that_are_short_in_bytes_are_not_counted(reply: int) -> None:
    room = 2 + 5 + 2 * (LINE + reply)
    short = ((4, "ab"), (7, "cdefg"))
    uncounted = Budget(never, Limits(), 3 * room, reply)
    assert chunk(short, uncounted) == (short,)
    assert chunk(short, uncounted._replace(limits=Limits(statements=1))) == (short[:1], short[1:])
    with pytest.raises(AssertionError):
        chunk(short, uncounted._replace(room=3 * room - 1))


def test_a_statement_that_uses_the_room_exactly_fits_and_a_longer_one_is_named() -> None:
    assert numbers(chunk(items(17), budget(60))) == [[1]]
    with pytest.raises(InputError, match="statement 2 has about 21 tokens"):
        chunk(items(1, 18), budget(60))
