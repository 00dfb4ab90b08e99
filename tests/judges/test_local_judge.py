"""The local judge gives the verdicts of its model, or says what is wrong with the model.

The models are made by hand in the ONNX format (``tiny_models.py``); those of PyTorch are in tests/local_models.
"""

import asyncio
import json
import math
import random
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from command import here as command
from fakes import ScriptedJudge, verdicts_json
from hypothesis import given
from hypothesis import strategies as st
from processes import eventually
from rows import rows
from tiny_models import NLI, PLAIN, marking, tiny_model

from faithfulness_assert import ConfigError, Grader, JudgeError, Reply, grade, policies
from faithfulness_assert.asking.prompt import make_ask
from faithfulness_assert.judges import make_judge
from faithfulness_assert.judges.local.batching import Batcher
from faithfulness_assert.judges.local.inputs import Input
from faithfulness_assert.records.judge import Payload

YES, NO, OPEN = [0.0, 9.0, 0.0], [9.0, 0.0, 0.0], [0.0, 0.0, 3.0]
WORDS = {"indeed": YES, "never": NO, "perhaps": OPEN}


def ask_of(statements: list[str], sentences: list[str], question: str = "", **changes):
    policy = policies["default"]
    items = tuple(enumerate(statements, 1))
    return make_ask("verdicts", policy, Payload(items, tuple(enumerate(sentences, 1)), question))


def rows_of(judge, statements: list[str], sentences: list[str], question: str = "") -> list[dict]:
    return json.loads(judge.ask(ask_of(statements, sentences, question)).text)["verdicts"]


def labels_of(judge, statements: list[str], sentences: list[str], question: str = "") -> list[str]:
    return [row["label"] for row in rows_of(judge, statements, sentences, question)]


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("labels", "order", "options"),
    [
        (NLI, (0, 1, 2), {}),
        (("CONTRADICTION", "Entailment", "NEUTRAL"), (0, 1, 2), {}),
        (("refuted", "supported", "not enough info"), (0, 1, 2), {}),
        (("Refutes", "SUPPORTS", "NOT_ENOUGH_INFO"), (0, 1, 2), {}),
        (("entailment", "neutral", "contradiction"), (1, 2, 0), {}),
        (
            ("LABEL_0", "LABEL_1", "LABEL_2"),
            (0, 2, 1),
            {"label_order": "contradicted, not_enough_info, supported"},
        ),
    ],
)
def test_labels_are_those_that_the_config_or_an_option_names_in_any_case_and_order(
    tmp_path, labels, order, options
):
    words = {word: [outputs[n] for n in order] for word, outputs in WORDS.items()}
    judge = make_judge(tiny_model(tmp_path, words, labels=labels), options)
    context = ["The tower is tall."]
    assert labels_of(judge, ["It is, indeed.", "It never is.", "Perhaps."], context) == [
        "supported",
        "contradicted",
        "not_enough_info",
    ]


T5, HHEM = "T5ForConditionalGeneration", "HHEMv2ForTokenClassification"
TWO: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    **{
        f"labels {yes}": ({"labels": (yes, no)}, {})
        for yes, no in (
            *(("supported", "not"), ("entailment", "not_entailment")),
            *(("consistent", "hallucinated"), ("Yes", "No")),
        )
    },
    "m": ({"labels": ("LABEL_0",)}, {"label_order": ["supported"]}),
    "MiniCheck-T5": ({"kind": T5, "writes": "1,0"}, {}),
    "t5_true_nli": ({"kind": T5, "writes": "1,0"}, {}),
    "own": ({"kind": T5, "writes": "yes,no"}, {"family": "true", "label_order": ["yes", "no"]}),
    "own2": ({"kind": T5, "writes": "yes,no"}, {"family": "minicheck", "label_order": "yes, no"}),
    "hhem": ({"kind": HHEM, "model_type": "HHEMv2"}, {}),
}
"""Models with two outcomes, by name: how they are made, and the options of the judge. One of T5 is asked what it writes first, an
HHEM for its first token; a single output is the log-odds of support."""


@pytest.mark.parametrize("name", TWO)
def test_a_model_with_two_outcomes_never_contradicts(tmp_path, name):
    made, options = TWO[name]
    odds = {"m": ([6.0], [-6.0]), "hhem": ([0.0, 6.0], [6.0, 0.0])}
    words = dict(zip(("indeed", "never"), odds.get(name, ([6.0, 0.0], [0.0, 6.0])), strict=True))
    judge = make_judge(tiny_model(tmp_path / name, words, **{"labels": None, **made}), options)
    assert judge.info.never_contradicts
    assert (judge.info.identity["family"] == "hhem") == (name == "hhem")
    reply = judge.ask(ask_of(["Tall, indeed.", "Never."], ["The tower."]))
    labels = [row["label"] for row in json.loads(reply.text)["verdicts"]]
    assert labels == ["supported", "not_enough_info"]
    chance = round(1 / (1 + math.exp(-6)), 4)
    assert reply.confidence == (chance, chance)


# ---------------------------------------------------------------- batches


def test_a_verdict_does_not_depend_on_what_else_is_asked(tmp_path):
    rng = random.Random(5)
    names = [f"w{n}" for n in range(40)]
    words = {w: [rng.gauss(0, 1) for _ in NLI] for w in names}
    judge = make_judge(tiny_model(tmp_path, words), {})
    judge._model.batcher.size = 7

    def text(words: int) -> str:
        return f"{' '.join(rng.choice(names) for _ in range(words))}."

    asks = [
        ask_of(
            [text(rng.randint(1, 12)) for _ in range(rng.randint(2, 6))],
            [text(rng.randint(1, 30)) for _ in range(rng.randint(1, 9))],
        )
        for _ in range(30)
    ]
    alone = [judge.ask(ask) for ask in asks]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(judge.ask, asks)) == alone

    async def together() -> list[Reply]:
        return await asyncio.gather(*map(judge.aask, asks))

    assert asyncio.run(together()) == alone
    for ask, reply in zip(asks, alone, strict=True):
        texts, sentences = [t for _, t in ask.payload.items], [t for _, t in ask.payload.sentences]
        one_by_one = [labels_of(judge, [one], sentences)[0] for one in texts]
        assert one_by_one == [row["label"] for row in json.loads(reply.text)["verdicts"]]
    assert len({row["label"] for reply in alone for row in json.loads(reply.text)["verdicts"]}) == 3


def test_what_waits_while_the_model_computes_is_computed_in_one_batch(tmp_path):
    judge = make_judge(tiny_model(tmp_path, WORDS), {})
    engine, sizes = judge._model.batcher.engine, []

    class Slow:
        def outputs(self, batch):
            sizes.append(len(batch))
            assert len(sizes) > 1 or eventually(lambda: len(judge._model.batcher._waiting) == 8)
            return engine.outputs(batch)

    judge._model.batcher.engine = Slow()
    asks = [ask_of(["Indeed.", "Never."], ["The tower."])] * 5

    async def together() -> list[Reply]:
        first = asyncio.create_task(judge.aask(asks[0]))
        while not sizes:
            await asyncio.sleep(0.005)
        return await asyncio.gather(first, *map(judge.aask, asks[1:]))

    replies = asyncio.run(together())
    assert len({reply.text for reply in replies}) == 1
    assert sizes == [2, 8]
    judge._model.batcher.engine = engine


class Engine:
    """Gives the first token of each input, after ``before`` was called with the batch."""

    def __init__(self, before: Callable[[list[Input]], object]) -> None:
        self.before = before

    def outputs(self, batch: list[Input]) -> list[list[float]]:
        self.before(batch)
        return [[float(one.ids[0])] for one in batch]


def test_a_batch_that_does_not_fit_into_memory_is_halved_and_nothing_is_lost(tmp_path):
    room, sizes = 3, []

    def fits(batch):
        sizes.append(len(batch))
        if len(batch) > room:
            raise MemoryError

    inputs = [Input([n, *[0] * (n % 5)], []) for n in range(23)]
    batcher = Batcher(Engine(fits), 16)
    assert [one.result(60) for one in batcher.submit(inputs)] == [[float(n)] for n in range(23)]
    assert sizes[:4] == [16, 8, 4, 2]
    room = 0
    with pytest.raises(JudgeError, match="out of memory with a single input") as raised:
        batcher.submit(inputs)[0].result(60)
    assert "device='cpu'" in raised.value.fix


def test_what_nobody_waits_for_any_more_holds_up_nobody():
    """A case whose time is up, in the middle of a context that takes hours."""
    entered, goes_on, done = Event(), Event(), []

    def waits(batch):
        done.extend(one.ids[0] for one in batch)
        entered.set()
        assert goes_on.wait(60)

    batcher = Batcher(Engine(waits), 2)
    long = batcher.submit([Input([1], [])] * 100)
    assert entered.wait(60)
    (short,) = batcher.submit([Input([2], [])])
    assert all(one.cancel() for one in long)
    goes_on.set()
    assert short.result(60) == [2.0]
    assert done == [1, 1, 2]


@pytest.mark.parametrize(
    ("error", "said"), [(MemoryError, "out of memory with a single input"), (SystemExit, "failed")]
)
def test_an_input_that_fails_costs_no_other_input(error, said):
    def breaks(batch):
        if any(one.ids[0] == 0 for one in batch):
            raise error

    numbers = (9, 10, 1, 2, 0, 1, 3, 4)
    outputs = Batcher(Engine(breaks), 8).submit([Input([n], []) for n in numbers])
    for number, output in zip(numbers, outputs, strict=True):
        if number:
            assert output.result(60) == [float(number)]
    with pytest.raises(JudgeError, match=said):
        outputs[4].result(60)


# ---------------------------------------------------------------- long texts


def sentences_of(count: int, words: int, extra: dict[int, str]) -> list[str]:
    return [
        f"{extra.get(n, 'The')} {'tower ' * (words - 1)}.".replace(" .", ".") for n in range(count)
    ]


def test_a_long_context_is_read_in_chunks_of_whole_sentences_and_the_best_one_counts(tmp_path):
    judge = make_judge(tiny_model(tmp_path, {**WORDS, "adults": OPEN}), {})
    context = sentences_of(40, 10, {17: "Indeed", 30: "Never"})
    [row] = rows_of(judge, ["Adults pay."], context)
    assert row["label"] == "supported"
    assert 1 <= len(row["evidence"]) <= 8
    assert all(13 <= number <= 22 for number in row["evidence"])
    assert labels_of(judge, ["Adults pay."], sentences_of(40, 10, {30: "Never"})) == [
        "contradicted"
    ]
    assert labels_of(judge, ["Adults pay."], sentences_of(40, 10, {})) == ["not_enough_info"]


@pytest.mark.parametrize("seed", range(20))
def test_no_input_is_longer_than_the_model_reads_and_no_word_of_the_context_is_lost(tmp_path, seed):
    rng = random.Random(seed)
    most = rng.choice([48, 64, 100])
    judge = make_judge(tiny_model(tmp_path, WORDS, most=most), {})
    context = [
        " ".join(f"x{n}y{k}" for k in range(rng.choice([1, 5, 30, 200])))
        for n in range(rng.randint(1, 30))
    ]
    statement = "tower " * rng.randint(1, 20)
    ask = ask_of([statement], context)
    [chunks] = judge._reader.chunks(ask.payload)
    assert all(len(chunk.input.ids) <= most for chunk in chunks)
    numbers = [number for chunk in chunks for number in chunk.numbers]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, len(context) + 1))
    words = sum(len(text.split()) for text in context)
    read = sum(len(chunk.input.ids) - 3 - len(statement.split()) for chunk in chunks)
    assert read == words
    whole = [number for number in set(numbers) if numbers.count(number) == 1]
    assert {n for n, text in enumerate(context, 1) if len(text.split()) <= 20} <= set(whole)


@pytest.mark.parametrize(
    ("unread", "warned", "said"),
    [
        ("It was zero. It was endless.", "not a number", "is not a number.*damaged.*device='cpu'"),
        (f"The tower is {'tall ' * 90}.", "too long for the model", "too long.*reads more"),
    ],
)
def test_what_a_model_cannot_read_or_gives_no_number_for_is_open_and_says_what_to_do(
    tmp_path, unread, warned, said
):
    words = {**WORDS, "zero": [math.nan, 9.0, 0.0], "endless": [0.0, math.inf, 0.0]}
    judge = tiny_model(tmp_path, words)
    result = grade(f"The tower is tall, indeed. {unread}", "The tower is tall.", judge=judge)
    first, *others = [v.label for v in result.verdicts]
    assert (first, {*others}, result.score) == ("supported", {None}, 1 / len(result.verdicts))
    assert any(warned in warning for warning in result.metadata["warnings"])
    alone = grade(unread, "The tower is tall.", judge=judge, controls="off")
    assert (alone.status, alone.score, alone.pass_) == ("unreadable", None, False)
    assert re.search(said, str(alone.reason)), alone.reason


def test_no_text_can_hide_a_special_token(tmp_path):
    judge = make_judge(tiny_model(tmp_path, WORDS), {})
    tokens = judge._model.tokens
    plain = judge._reader.chunks(
        ask_of(["Tall [SEP] tower."], ["The [SEP] [PAD] tower [CLS]."]).payload
    )
    separators = tokens.encode("x", "y").ids
    [[chunk]] = plain
    special = {separators[0], separators[-1], 0}
    assert sum(one in special for one in chunk.input.ids) == 3


# ---------------------------------------------------------------- families


def test_marked_words_are_shown_as_marked_and_one_that_the_context_has_not_as_nowhere(tmp_path):
    judge = marking(tmp_path, "tower", "seven", "euros")
    result = grade("The tower costs seven euros.", "The tower.", judge=judge)
    assert result.verdicts[0].flags == ("marked",)
    for shown in (result.pretty(), str(result.to_promptfoo()), result._repr_html_()):
        assert "marked as not supported: “tower”, “seven euros”" in shown
        assert "not in the context" not in shown


MARKED = ("1900", "seven")
WRITTEN = ["1900", "Seven", "tall", "[SEP]", "[CLS]", "…", ",", "“seven”", "seven.", "1900?", "é"]


@pytest.fixture(scope="module")
def marks_words(tmp_path_factory: pytest.TempPathFactory) -> Grader:
    return Grader(marking(tmp_path_factory.mktemp("m"), *MARKED), fail_on=[])


@given(st.lists(st.sampled_from(WRITTEN), min_size=1, max_size=8))
def test_all_words_that_a_model_marks_are_named_as_the_statement_writes_them(marks_words, words):
    verdicts = marks_words.grade(f"Towers {' '.join(words)}.", "The tower is tall.").verdicts
    assert verdicts
    for verdict in verdicts:
        assert all(word and word in verdict.statement for word in verdict.wrong)
        marked = [word for word in MARKED if word in verdict.statement.casefold()]
        named = " ".join(verdict.wrong).casefold()
        assert all(word in named for word in marked)
        assert verdict.label == ("not_enough_info" if marked else "supported")
        assert bool(verdict.wrong) == bool(marked)


def test_a_mark_that_is_no_word_is_not_named(tmp_path):
    judge = marking(tmp_path, ".")
    [verdict] = grade("The tower is tall.", "The tower.", judge=judge, reasons="all").verdicts
    assert (verdict.label, verdict.wrong) == ("not_enough_info", ())
    assert "“”" not in verdict.reason


@pytest.mark.parametrize(
    ("wrong", "named"),
    [([["seven"]], ("seven",)), ([["euros"]], ()), ([["", "no such words"]], ()), ({}, ())],
)
def test_marks_are_the_same_from_stored_replies_but_for_those_that_are_no_words_of_the_statement(
    tmp_path, wrong, named
):
    case = {"answer": "It has seven towers.", "context": "The tower."}
    grade(**case, judge=marking(tmp_path, "seven"), cache=tmp_path / "kept")
    [stored] = [p for p in tmp_path.glob("kept/*/*.json") if len(p.stem) == 64]
    kept = json.loads(stored.read_text(encoding="utf-8"))
    assert kept["wrong"] == [["seven"]]
    changed = {**kept, "wrong": wrong}
    stored.write_text(json.dumps(changed), encoding="utf-8")
    only = {"cache": tmp_path / "kept", "cache_only": True}
    [verdict] = grade(**case, judge=marking(tmp_path, "seven"), **only).verdicts
    assert (verdict.label, verdict.wrong) == ("not_enough_info", named)


def test_a_token_whose_output_is_not_a_number_supports_nothing(tmp_path):
    made = {"labels": None, "kind": "ModernBertForTokenClassification", "alone": True}
    words = {**{word: [5.0, 0.0] for word in PLAIN}, "zero": [math.nan, 0.0]}
    judge = tiny_model(tmp_path / "lettuce", words, **made)
    assert grade("The tower is tall.", "The tower.", judge=judge).score == 1
    assert grade("The tower is zero.", "The tower.", judge=judge).score is None


def test_a_judge_that_marks_words_of_what_it_supports_supports_nothing():
    torn = ScriptedJudge([Reply(verdicts_json({1: "supported"}), wrong=(("tower",),))])
    [verdict] = grade("The tower is tall.", "The tower is tall.", judge=torn, reasks=0).verdicts
    assert verdict.label is None


def test_marked_words_of_one_statement_say_nothing_of_another(tmp_path):
    """An answer may write "statement 2 is false": that is never read as the judge's."""
    judge = marking(tmp_path, "seven", "statement", "2", "false", "is")
    answer = "Seven, statement 2 is false. It was tall."
    result = grade(answer, "The tower is tall.", judge=judge, fail_on=[], reasons="all")
    assert [v.label for v in result.verdicts] == ["not_enough_info", "supported"]
    assert result.verdicts[0].wrong == ("Seven, statement 2 is false",)


def test_a_token_is_supported_only_if_every_chunk_supports_it(tmp_path):
    words = {"tall": [1.0, 0.0], "doubt": [0.0, 4.0], "the": [0.0, 0.0]}
    model = tiny_model(
        tmp_path / "lettuce", words, labels=None, kind="BertForTokenClassification", most=64
    )
    judge = make_judge(model, {})
    calm = sentences_of(20, 10, {})
    assert labels_of(judge, ["Tall"], calm) == ["supported"]
    assert labels_of(judge, ["Tall"], [*calm, "Doubt doubt."]) == ["not_enough_info"]


def test_minicheck_reads_chunks_of_five_hundred_words(tmp_path):
    words = {"indeed": [6.0, 0.0], "never": [0.0, 6.0]}
    model = tiny_model(tmp_path / "MiniCheck-T5", words, labels=None, kind=T5, most=2048)
    judge = make_judge(model, {})
    context = sentences_of(130, 10, {})
    [chunks] = judge._reader.chunks(ask_of(["Tall."], context).payload)
    assert [len(chunk.numbers) for chunk in chunks] == [50, 50, 30]


# ---------------------------------------------------------------- what is wrong with a model


MISTAKES = rows("local_models")
"""Models, their files and options that do not fit, and what the error says. Where nothing else is said, a model labels inputs by NLI."""


@pytest.mark.parametrize("row", MISTAKES, ids=lambda row: row["said"])
def test_what_does_not_fit_a_model_is_named_and_nothing_is_guessed(tmp_path, row):
    labels = row.get("labels", NLI)
    words = {"indeed": [1.0] * (len(labels) if labels else 2)}
    kind = f"{row.get('kind', 'BertForSequenceClassification')}"
    model = tiny_model(tmp_path, words, labels=labels and tuple(labels), kind=kind)
    for name, text in row.get("files", {}).items():
        (tmp_path / name).write_text(text) if text is not None else (tmp_path / name).unlink()
    with pytest.raises(ConfigError) as raised:
        make_judge(model, row["options"])
    assert row["said"] in str(raised.value)


@pytest.mark.parametrize("name", ["./nowhere", "/no/such/folder", "a/b/c", "a b", __file__])
def test_what_is_no_folder_is_told(name):
    said = "there is no folder.*name one that save_pretrained wrote, or a model of the hub"
    with pytest.raises(ConfigError, match=said):
        make_judge(f"local:{name}", {})


# ---------------------------------------------------------------- in a grade


def test_the_evidence_and_the_confidence_are_in_the_result(tmp_path):
    model = tiny_model(tmp_path / "m", WORDS)
    result = grade(
        "The tower is tall, indeed.",
        "The tower is tall. Adults pay.",
        judge=model,
        strict_evidence=True,
        reasons="all",
    )
    [verdict] = result.verdicts
    assert verdict.label == "supported"
    assert [e.text for e in verdict.evidence] == ["The tower is tall.", "Adults pay."]
    assert verdict.confidence > 0.99
    assert result.tokens_used.total == 0
    kept = {"judge": model, "cache": tmp_path / "kept"}
    for _ in range(2):
        stored = grade("The tower is tall, indeed.", "The tower is tall.", **kept)
        assert stored.verdicts[0].confidence == pytest.approx(verdict.confidence, abs=0.01)
    played = grade("The tower is tall, indeed.", "The tower is tall.", **kept, cache_only=True)
    assert played.verdicts[0].confidence == stored.verdicts[0].confidence


def test_a_model_that_fails_is_a_judge_that_failed_and_the_next_ask_is_answered(tmp_path):
    model = tiny_model(tmp_path, WORDS)
    vocabulary = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary["model"]["vocab"]["odd"] = 9999  # which the model does not have
    (tmp_path / "tokenizer.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    failed = grade("The tower is odd.", "The tower.", judge=model)
    assert failed.status == "judge_failed"
    assert "the model failed" in failed.error.message
    assert grade("The tower is tall, indeed.", "The tower.", judge=model).pass_


@pytest.mark.parametrize(
    "damage",
    [{"confidence": sure} for sure in ([2.0], [-0.1], [math.nan], [True], ["0.9"], 0.9, [[0.5]])]
    + [{"wrong": wrong} for wrong in ([[3]], [3], 3)],
    ids=str,
)
def test_a_stored_reply_that_no_judge_gives_is_asked_for_again(tmp_path, damage):
    model, kept = tiny_model(tmp_path / "m", WORDS), tmp_path / "kept"
    case = {"answer": "The tower is tall, indeed.", "context": "The tower is tall."}
    assert grade(**case, judge=model, cache=kept).verdicts[0].confidence
    [stored] = [p for p in kept.glob("*/*.json") if len(p.stem) == 64]
    whole = stored.read_text(encoding="utf-8")
    stored.write_text(json.dumps({**json.loads(whole), **damage}), encoding="utf-8")
    assert grade(**case, judge=model, cache=kept, cache_only=True).status == "judge_failed"
    assert grade(**case, judge=model, cache=kept).verdicts[0].confidence
    assert json.loads(stored.read_text(encoding="utf-8")) == json.loads(whole)


def test_a_model_is_the_same_judge_wherever_its_folder_is(tmp_path, monkeypatch):
    """A run and a store go on with it on another machine, and name no path of this one."""
    homes = [tmp_path / place for place in ("here", "there")]
    for home in homes:
        tiny_model(home / "checker", WORDS)
    monkeypatch.chdir(homes[0])
    spelled = ("./checker", "checker", "checker/", str(homes[1] / "checker"))
    told = [make_judge(f"local:{name}", {}).info for name in spelled]
    assert {info.name for info in told} == {"local:checker"}
    assert all(info == told[0] for info in told)


def test_another_threshold_of_support_and_other_files_are_another_judge(tmp_path):
    model = tiny_model(tmp_path, {"indeed": [0.0, 1.0, 0.0]})
    assert labels_of(make_judge(model, {}), ["Indeed."], ["The tower."]) == ["supported"]
    strict = make_judge(model, {"support_at": 0.9})
    assert labels_of(strict, ["Indeed."], ["The tower."]) == ["not_enough_info"]
    before = strict.info.identity
    tiny_model(tmp_path, {"indeed": [0.0, 5.0, 0.0]})  # trained on, in the same folder
    after = make_judge(model, {"support_at": 0.9})
    assert labels_of(after, ["Indeed."], ["The tower."]) == ["supported"]
    assert before["files"] != after.info.identity["files"]


def test_an_ask_that_is_not_for_verdicts_needs_a_judge_that_writes_claims(tmp_path):
    model = tiny_model(tmp_path, WORDS)
    with pytest.raises(ConfigError, match="cannot give; name an LLM judge"):
        Grader(model, "ragas")
    with pytest.raises(ConfigError, match="claims_judge: 'embedded' cannot write claims"):
        Grader(model, "ragas", claims_judge="embedded")

    claims = ["The tower is tall, indeed.", "The tower was finished."]
    writer = ScriptedJudge([json.dumps({"sentences": [{"claims": claims}]})], name="Writer")
    result = Grader(model, "ragas", claims_judge=writer).grade(
        "The tower is tall and the tower was finished.", "The tower.", question="?"
    )
    assert result.score == 0.5
    assert result.judge == f"local:{tmp_path.name} with Writer"
    assert [ask.kind for ask in writer.asked] == ["claims"]
    assert result.tokens_used.num_requests == 1


def test_a_judge_without_time_says_so(tmp_path):
    judge, goes_on = make_judge(tiny_model(tmp_path, WORDS), {}), Event()
    engine = judge._model.batcher.engine
    judge._model.batcher.engine = Engine(lambda _: goes_on.wait(60))
    ask = ask_of(["Indeed."], ["The tower."])
    with pytest.raises(JudgeError, match="ran out of time"):
        judge.ask(ask, deadline=time.monotonic() + 0.05)
    with pytest.raises(JudgeError, match="ran out of time"):
        asyncio.run(judge.aask(ask, deadline=time.monotonic() + 0.05))
    goes_on.set()
    judge._model.batcher.engine = engine


def test_doctor_says_whether_a_local_judge_answers(tmp_path):
    def doctor(judge: str) -> str:
        return " ".join(command("doctor", "--judge", judge).stdout.split())

    model = tiny_model(tmp_path, {"museum": YES})
    said = doctor(model)
    assert "answers: score 1.00" in said
    means = "family pair, its outputs mean contradicted, supported, not_enough_info"
    assert f"model: {means}; it reads 64 tokens, by onnxruntime" in said
    (tmp_path / "config.json").unlink()
    assert "has no config.json" in doctor(model)
