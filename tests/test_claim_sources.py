"""Which sentence a claim comes from, and which claims must not stand for a sentence."""

from __future__ import annotations

import pytest

from faithfulness_assert.plan.claim_sources import by_words, claim_key, without_strays

SHOP, DOGS, ROOF = "The shop is open daily.", "Dogs are welcome inside.", "The roof is green."
THREE = ((1, SHOP), (2, DOGS), (3, ROOF))


# ---------------------------------------------------------------- keys


@pytest.mark.parametrize(
    "same",
    [
        "the shop is open daily!",
        "**The shop** is open daily.",
        "The shop, is open daily.",
        "“The shop is open daily”",
        "Ｔhe shop is open\ndaily",
        "The shop is (open) daily…",
        "The shop is open daily. -- ."[:23],
    ],
)
def test_claims_that_differ_in_case_markup_and_punctuation_have_one_key(same: str) -> None:
    assert claim_key(same) == claim_key(SHOP) == "the shop is open daily"


@pytest.mark.parametrize(
    ("one", "other"),
    [("It costs 3.5 euros.", "It costs 35 euros."), ("It is -5.", "It is 5."), ("a b", "ab")],
)
def test_marks_inside_or_before_a_number_make_another_key(one: str, other: str) -> None:
    assert claim_key(one) != claim_key(other)


def test_a_claim_of_marks_alone_has_an_empty_key() -> None:
    assert claim_key(" ... \n“”") == ""


# ---------------------------------------------------------------- claims without numbers


def test_a_claim_goes_to_the_sentence_with_which_it_shares_the_most_words() -> None:
    claims = ["The green roof.", "Dogs can come inside.", "The shop opens daily."]
    assert by_words(claims, THREE) == {
        3: ("The green roof.",),
        2: ("Dogs can come inside.",),
        1: ("The shop opens daily.",),
    }


def test_more_shared_words_win_over_an_earlier_sentence() -> None:
    sentences = ((4, "The shop sells bread."), (7, "The shop sells cheap fresh bread."))
    assert by_words(["Fresh bread is sold in the shop."], sentences) == {
        7: ("Fresh bread is sold in the shop.",)
    }


def test_of_sentences_that_share_as_much_the_first_gets_the_claim() -> None:
    sentences = ((4, "The shop sells bread."), (7, "The shop sells milk."))
    assert by_words(["The shop sells."], sentences) == {4: ("The shop sells.",)}


@pytest.mark.parametrize("one", "bread milk fish salt rice beans corn tea".split())
@pytest.mark.parametrize("other", "cakes rolls pears plums".split())
def test_the_order_of_a_claims_words_does_not_matter_for_that(one: str, other: str) -> None:
    sentences = ((4, f"It sells {one}."), (7, f"It makes {other}."))
    for claim in (f"{one.title()}, {other}.", f"{other.title()}, {one}."):
        assert by_words([claim], sentences) == {4: (claim,)}


def test_a_sentence_that_is_in_the_answer_twice_gets_its_claim_each_time() -> None:
    assert by_words([SHOP, SHOP], ((1, SHOP), (2, DOGS), (3, SHOP))) == {1: (SHOP,), 3: (SHOP,)}


def test_a_claim_that_shares_no_word_is_left_out() -> None:
    assert by_words(["Nothing else matters.", DOGS], THREE) == {2: (DOGS,)}
    assert by_words([], THREE) == {}


def test_a_word_of_very_many_sentences_does_not_tell_them_apart() -> None:
    def sentences(count: int) -> tuple[tuple[int, str], ...]:
        return tuple((n, f"The shop sells item{n}.") for n in range(1, count + 1))

    assert by_words(["The shop."], sentences(64)) == {1: ("The shop.",)}
    assert by_words(["The shop."], sentences(65)) == {}
    assert by_words(["The shop has item60."], sentences(65)) == {60: ("The shop has item60.",)}


# ---------------------------------------------------------------- strays


def kept(claims: dict[int, tuple[str, ...]], *sentences: str) -> dict[int, tuple[str, ...]]:
    return without_strays(claims, tuple(enumerate(sentences or (SHOP, DOGS, ROOF), 1)))


def test_a_claim_of_its_own_sentence_stays() -> None:
    claims = {1: ("The shop opens daily.",), 2: ("Dogs may come inside.",), 3: ("Green roof.",)}
    assert kept(claims) == claims


def test_a_claim_that_is_another_sentence_word_for_word_is_a_stray() -> None:
    assert kept({1: (SHOP,), 2: (SHOP, DOGS)}) == {1: (SHOP,), 2: (DOGS,)}
    assert kept({2: ("the **shop** is open daily",)}) == {2: ()}


def test_a_sentence_that_is_in_the_answer_twice_keeps_its_claim_each_time() -> None:
    claims = {1: (SHOP,), 2: (SHOP,)}
    assert kept(claims, SHOP, SHOP) == claims


def test_a_claim_of_two_sentences_stays_where_it_shares_more_words() -> None:
    claim = "The shop is open daily for dogs."
    assert kept({1: (claim,), 2: (claim,)}) == {1: (claim,), 2: ()}
    assert kept({2: (claim,), 1: (claim,)}) == {1: (claim,), 2: ()}
    assert kept({1: (claim,), 2: (claim.upper(),)}) == {1: (claim,), 2: ()}


def test_a_claim_that_shares_as_much_with_both_sentences_stays_in_both() -> None:
    claims = {1: ("The shop sells.",), 2: ("The shop sells.",)}
    assert kept(claims, "The shop sells bread.", "The shop sells milk.") == claims


def test_a_claim_that_shares_no_word_with_its_sentence_is_a_stray() -> None:
    assert kept({2: ("Nothing else is known.",)}) == {2: ()}
    assert kept({2: ("Pets may come in.",)}) == {2: ()}


def test_a_sentence_of_two_words_must_share_one_and_a_sentence_of_one_word_need_not() -> None:
    assert kept({1: ("Pets may come in.",)}, "Dogs bark.", ROOF) == {1: ()}
    assert kept({1: ("Pets may come in.",)}, "It barks.", ROOF) == {1: ("Pets may come in.",)}


def test_a_claim_of_a_sentence_of_pronouns_may_share_words_with_another_sentence() -> None:
    claim = "The roof is old."
    assert kept({1: (claim,)}, "It is.", ROOF) == {1: (claim,)}


def test_a_sentence_of_pronouns_may_have_a_claim_in_other_words() -> None:
    claims = {1: ("The cafe has closed.",), 2: ("The cafe went bankrupt.",)}
    assert kept(claims, "It did.", "It is bankrupt.") == {
        1: ("The cafe has closed.",),
        2: ("The cafe went bankrupt.",),
    }


def test_another_sentence_with_all_shared_words_and_more_owns_the_claim() -> None:
    sentences = ("The shop sells bread.", "The old shop sells cheap white bread.")
    claim = "The old shop sells cheap bread."
    assert kept({1: (claim,)}, *sentences) == {1: ()}
    assert kept({2: (claim,)}, *sentences) == {2: (claim,)}


def test_another_sentence_that_lacks_one_shared_word_does_not_own_the_claim() -> None:
    sentences = ("The shop sells bread.", "The old cafe serves cheap white bread.")
    claim = "The shop has old cheap white bread."
    assert kept({1: (claim,)}, *sentences) == {1: (claim,)}


def test_another_sentence_needs_half_of_the_words_of_a_claim_to_own_it() -> None:
    sentences = ("The shop closes.", "The shop burned.")
    long_claim = "The shop burned after lightning struck nearby trees yesterday evening."
    assert kept({1: (long_claim,)}, *sentences) == {1: (long_claim,)}
    assert kept({1: ("The shop burned yesterday evening.",)}, *sentences) == {1: ()}


def test_a_claim_without_any_word_is_no_stray() -> None:
    assert kept({1: ("...",)}) == {1: ("...",)}
