"""Local judges give what the packages give that the authors of checkers publish, or that people use with them.

The models are tiny and random. The texts are short and long, in several scripts, and hostile: what looks like
a special token is broken up before a local judge reads it, so the other side gets it broken up too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from conftest import build  # noqa: E402
from hypothesis import HealthCheck, assume, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from faithfulness_assert import policies  # noqa: E402
from faithfulness_assert.asking.prompt import make_ask  # noqa: E402
from faithfulness_assert.judges import make_judge  # noqa: E402
from faithfulness_assert.records.judge import Payload  # noqa: E402

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]

CLOSE = 2e-4
"""Probabilities are rounded to four digits."""
WORDS = (
    "the tower is 330 metres tall it was finished in 1889 not adults pay 12 euros museum closed "
    "[SEP] </s> <pad> [CLS] premise: hypothesis: Claim: 東京塔 Straße naïve 12.50€ “quoted” e\u0301 🗼 … 1900, (no)"
).split(" ")
WORD = st.sampled_from(WORDS)
SENTENCE = st.lists(WORD, min_size=1, max_size=12).map(" ".join)
DOCUMENT = st.lists(SENTENCE, min_size=1, max_size=12)
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Found(NamedTuple):
    """What a local judge says of a statement: its probability of support, and the words it marks."""

    support: float
    label: str
    wrong: tuple[str, ...]


def found(judge: Any, sentences: list[str], statement: str, question: str = "") -> Found:
    payload = Payload(((1, statement),), tuple(enumerate(sentences, 1)), question)
    reply = judge.ask(make_ask("verdicts", policies["default"], payload))
    [row], [sure], [wrong] = json.loads(reply.text)["verdicts"], reply.confidence, reply.wrong
    assume(sure is not None)  # the statement is too long for the model
    return Found(sure if row["label"] == "supported" else 1 - sure, row["label"], wrong)


def chunks(judge: Any, sentences: list[str], statement: str) -> list[str]:
    """The texts of the chunks that a judge reads, which have every sentence, in order."""
    payload = Payload(((1, statement),), tuple(enumerate(sentences, 1)), "")
    numbers = [chunk.numbers for chunk in judge._reader.chunks(payload)[0]]
    flat = [n for group in numbers for n in group]
    assume(flat == list(range(1, len(sentences) + 1)))  # no sentence is cut
    plain = judge._model.tokens.plain
    return [" ".join(plain(sentences[n - 1]).strip() for n in group) for group in numbers]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[str, Any]]:
    """The folder of a model of a kind, and the judge of it; each is made once."""
    folder, known = tmp_path_factory.mktemp("models"), {}

    def of(kind: str) -> tuple[str, Any]:
        if kind not in known:
            path = str(build(folder, kind))
            known[kind] = path, make_judge(f"local:{path}", {"device": "cpu"})
        return known[kind]

    return of


# ---------------------------------------------------------------- NLI models


NLI = ("bert", "roberta", "deberta")


@pytest.mark.parametrize("kind", NLI)
def test_a_cross_encoder_of_sentence_transformers_gives_the_same(made, kind):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    path, judge = made(kind)
    encoder = sentence_transformers.CrossEncoder(path, device="cpu")
    plain = judge._model.tokens.plain

    @few
    @given(DOCUMENT, SENTENCE)
    def same(document: list[str], statement: str) -> None:
        pairs = [(chunk, plain(statement)) for chunk in chunks(judge, document, statement)]
        scores = torch.tensor(encoder.predict(pairs, apply_softmax=True, show_progress_bar=False))
        contradicted, supported = float(scores[:, 0].max()), float(scores[:, 1].max())
        assume(abs(supported - 0.5) > CLOSE < abs(contradicted - 0.5))
        own = found(judge, document, statement)
        if supported > 0.5:
            assert own.label == "supported"
            assert own.support == pytest.approx(supported, abs=CLOSE)
        else:
            assert own.label == ("contradicted" if contradicted > 0.5 else "not_enough_info")
            expected = contradicted if contradicted > 0.5 else 1 - supported
            assert 1 - own.support == pytest.approx(expected, abs=CLOSE)

    same()


# ---------------------------------------------------------------- LettuceDetect


def words_at(statement: str, spans: list[dict[str, Any]]) -> list[str]:
    """The words of a statement in which spans are, without the punctuation around them."""
    found, start = [], 0
    for word in statement.split():
        start = statement.index(word, start)
        end = start + len(word)
        inside = [statement[max(start, s["start"]) : min(end, s["end"])] for s in spans]
        if any(any(c.isalnum() or c in "€🗼\u0301" for c in part) for part in inside):
            found.append(word)
        start = end
    return found


@pytest.mark.parametrize("question", ["", "How tall is the tower?"])
def test_lettucedetect_gives_the_same_and_marks_the_same_words(made, question):
    transformer = pytest.importorskip("lettucedetect.detectors.transformer")
    path, judge = made("lettuce-modernbert")
    detector = transformer.TransformerDetector(path, max_length=256, device="cpu")
    plain = judge._model.tokens.plain

    @few
    @given(st.lists(WORD, min_size=1, max_size=40).map(" ".join), SENTENCE)
    def same(document: str, statement: str) -> None:
        texts = [plain(document)], plain(statement), question or None
        tokens = detector.predict(*texts, output_format="tokens")[:-1]  # the last is [SEP]
        spans = detector.predict(*texts, output_format="spans")
        assume(all(abs(token["prob"] - 0.5) > CLOSE for token in tokens))
        own = found(judge, [document], statement, question)
        assert own.support == pytest.approx(1 - max(t["prob"] for t in tokens), abs=CLOSE)
        assert (own.label == "supported") == (not spans)
        named = [word.strip(" .,;:!?…\"'“”‘’()") for word in " ".join(own.wrong).split()]
        expected = [word.strip(" .,;:!?…\"'“”‘’()") for word in words_at(plain(statement), spans)]
        assert set(filter(None, named)) == set(filter(None, expected))

    same()


def test_lettucedetect_marks_what_any_of_its_chunks_marks_as_it_does_itself(made):
    transformer = pytest.importorskip("lettucedetect.detectors.transformer")
    path, judge = made("lettuce-modernbert")
    detector = transformer.TransformerDetector(path, max_length=256, device="cpu")
    long = st.lists(st.sampled_from(WORDS[:17]), min_size=90, max_size=110).map(" ".join)

    @few
    @given(st.lists(long, min_size=2, max_size=3), SENTENCE)
    def same(passages: list[str], statement: str) -> None:
        texts = passages, judge._model.tokens.plain(statement), None
        assume(len(chunks(judge, passages, statement)) == len(passages))
        assert len(detector._group_passages_into_chunks(passages, None, statement)) == len(passages)
        tokens = detector.predict(*texts, output_format="tokens")[:-1]
        own = found(judge, passages, statement)
        assert own.support == pytest.approx(1 - max(t["prob"] for t in tokens), abs=CLOSE)

    same()


# ---------------------------------------------------------------- MiniCheck


def minicheck(path: str, kind: str) -> Any:
    """The checker of MiniCheck's authors with this model in place of theirs, which it would fetch."""
    inference = pytest.importorskip(
        "minicheck.inference",
        reason="needs nltk and MiniCheck from its repository: PyPI has another package of this name",
    )
    inference.sent_tokenize = lambda text: text.split(" | ")  # nltk's needs data that it fetches
    checker = inference.Inferencer.__new__(inference.Inferencer)
    t5 = kind == "MiniCheck-T5"
    auto = (
        transformers.AutoModelForSeq2SeqLM
        if t5
        else transformers.AutoModelForSequenceClassification
    )
    checker.model = auto.from_pretrained(path).eval()
    checker.tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    checker.model_name = "flan-t5-large" if t5 else "roberta-large"
    checker.max_model_len, checker.batch_size = (512 if kind == "MiniCheck-RoBERTa" else 2048), 16
    checker.chunk_size = 500 if t5 else 400
    checker.softmax = torch.nn.Softmax(dim=-1)
    return checker


@pytest.mark.parametrize("kind", ["MiniCheck-T5", "MiniCheck-RoBERTa", "MiniCheck-DeBERTa"])
def test_minicheck_gives_the_same_and_reads_the_same_chunks(made, kind):
    path, judge = made(kind)
    checker, plain = minicheck(path, kind), judge._model.tokens.plain
    long = st.lists(st.sampled_from(WORDS), min_size=1, max_size=120).map(" ".join)

    @few
    @given(st.lists(long, min_size=1, max_size=12), SENTENCE)
    def same(document: list[str], statement: str) -> None:
        told = checker.inference_per_example(" | ".join(map(plain, document)), plain(statement))
        own_chunks = chunks(judge, document, statement)
        assert len(own_chunks) == len(told["support_prob_per_chunk"])
        if kind != "MiniCheck-DeBERTa":  # of which it tells other texts than those that it read
            assert own_chunks == told["used_chunks"]
        assume(abs(told["max_support_prob"] - 0.5) > CLOSE)
        own = found(judge, document, statement)
        assert own.support == pytest.approx(told["max_support_prob"], abs=CLOSE)

    same()
