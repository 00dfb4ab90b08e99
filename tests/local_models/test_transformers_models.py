"""Local judges give what plain transformers gives, for tiny random models of each architecture."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from conftest import NLI, SMALL, build, build_hhem, roberta_like  # noqa: E402
from tiny_models import tiny_model  # noqa: E402

from faithfulness_assert import ConfigError, grade, grade_many, policies  # noqa: E402
from faithfulness_assert.asking.prompt import make_ask  # noqa: E402
from faithfulness_assert.judges import make_judge  # noqa: E402
from faithfulness_assert.records.judge import Payload  # noqa: E402

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]

WORDS = "the tower is 330 metres tall it was finished in 1889 not adults pay 12 euros children museum closed".split()
KINDS = ["bert", "roberta", "deberta", "MiniCheck-RoBERTa", "MiniCheck-T5", "t5_true_nli"]
"""All but LettuceDetect, which ``test_published_code.py`` has."""


def ask_of(statements: list[str], sentences: list[str], question: str = ""):
    items = tuple(enumerate(statements, 1))
    return make_ask(
        "verdicts", policies["default"], Payload(items, tuple(enumerate(sentences, 1)), question)
    )


def text(rng: random.Random, words: int) -> str:
    return f"{' '.join(rng.choice(WORDS) for _ in range(words))}."


def supports(path: Path, kind: str, document: str, statement: str) -> float:
    """The probability of support, by plain transformers and the recipe of the family's authors."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    if kind.endswith(("T5", "nli")):
        model = transformers.AutoModelForSeq2SeqLM.from_pretrained(path).eval()
        minicheck = f"predict: {document}{tokenizer.eos_token}{statement}"
        asked = (
            minicheck if kind == "MiniCheck-T5" else f"premise: {document} hypothesis: {statement}"
        )
        given = tokenizer(asked, return_tensors="pt")
        words = [tokenizer(word, add_special_tokens=False).input_ids[0] for word in ("1", "0")]
        start = torch.zeros((1, 1), dtype=torch.long)
        with torch.no_grad():
            logits = model(
                input_ids=given.input_ids,
                attention_mask=given.attention_mask,
                decoder_input_ids=start,
            ).logits[0, 0, words]
        return float(torch.softmax(logits, -1)[0])
    model = transformers.AutoModelForSequenceClassification.from_pretrained(path).eval()
    if kind.startswith("MiniCheck"):
        given = tokenizer(f"{document}{tokenizer.eos_token}{statement}", return_tensors="pt")
    else:
        given = tokenizer(document, statement, return_tensors="pt")
    with torch.no_grad():
        logits = model(**given).logits[0]
    return float(torch.softmax(logits, -1)[1])


@pytest.mark.parametrize("kind", KINDS)
def test_each_architecture_gives_what_plain_transformers_gives(tmp_path, kind):
    path, rng = build(tmp_path, kind), random.Random(3)
    judge = make_judge(f"local:{path}", {"device": "cpu"})
    statements = [text(rng, rng.randint(2, 6)) for _ in range(12)]
    document = text(rng, 8)
    reply = judge.ask(ask_of(statements, [document]))
    rows = json.loads(reply.text)["verdicts"]
    for row, sure, statement in zip(rows, reply.confidence, statements, strict=True):
        expected = supports(path, kind, document, statement)
        assert (row["label"] == "supported") == (expected > 0.5), (row, expected)
        if row["label"] == "supported":
            assert sure == pytest.approx(expected, abs=2e-4)
        elif row["label"] == "not_enough_info":
            assert 1 - sure == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("kind", [*KINDS, "lettuce-modernbert"])
def test_a_batch_gives_the_same_as_one_by_one_also_twice(tmp_path, kind):
    path, rng = build(tmp_path, kind), random.Random(5)
    judge = make_judge(f"local:{path}", {"device": "cpu"})
    statements = [text(rng, rng.randint(2, 9)) for _ in range(20)]
    sentences = [text(rng, rng.randint(3, 25)) for _ in range(12)]
    together = judge.ask(ask_of(statements, sentences))
    assert judge.ask(ask_of(statements, sentences)) == together
    labels = [row["label"] for row in json.loads(together.text)["verdicts"]]
    alone = [judge.ask(ask_of([one], sentences)) for one in statements]
    assert [json.loads(reply.text)["verdicts"][0]["label"] for reply in alone] == labels
    assert [reply.confidence[0] for reply in alone] == pytest.approx(
        list(together.confidence), abs=2e-4
    )


@pytest.mark.parametrize("pad", [1, None])
def test_a_model_that_knows_no_padding_gives_the_same_in_a_batch(tmp_path, pad):
    """It finds its last token by the padding, as language models with a head for labels do."""
    tokenizer = roberta_like(64)
    config = transformers.Qwen2Config(
        vocab_size=len(tokenizer), num_key_value_heads=2, pad_token_id=pad, **SMALL, **NLI
    )
    torch.manual_seed(7)
    tokenizer.save_pretrained(tmp_path)
    transformers.Qwen2ForSequenceClassification(config).save_pretrained(tmp_path)
    rng = random.Random(2)
    ask = ask_of([text(rng, n) for n in range(1, 7)], [text(rng, 5)])
    judge = make_judge(f"local:{tmp_path}", {})
    together = judge.ask(ask).confidence
    judge._model.batcher.size = 1
    assert together == pytest.approx(judge.ask(ask).confidence, abs=2e-4)


def test_hhem_is_computed_without_its_code(tmp_path):
    hhem, foundation = build_hhem(tmp_path)
    judge = make_judge(f"local:{hhem}", {"device": "cpu"})
    tokenizer = transformers.AutoTokenizer.from_pretrained(foundation)
    model = transformers.AutoModelForTokenClassification.from_pretrained(tmp_path / "plain").eval()
    rng = random.Random(2)
    statements, document = [text(rng, rng.randint(2, 8)) for _ in range(12)], text(rng, 20)
    reply = judge.ask(ask_of(statements, [document]))
    for row, sure, statement in zip(
        json.loads(reply.text)["verdicts"], reply.confidence, statements, strict=True
    ):
        prompt = f"<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {document}\n\nHypothesis: {statement}"
        with torch.no_grad():
            logits = model(input_ids=tokenizer(prompt, return_tensors="pt").input_ids).logits[:, 0]
        expected = float(torch.softmax(logits, -1)[0, 1])
        assert (row["label"] == "supported") == (expected > 0.5)
        assert (sure if row["label"] == "supported" else 1 - sure) == pytest.approx(
            expected, abs=2e-4
        )


def test_weights_of_another_foundation_are_an_error(tmp_path):
    hhem, _ = build_hhem(tmp_path)
    config = json.loads((hhem / "config.json").read_text(encoding="utf-8"))
    config["foundation"] = str(build(tmp_path, "bert"))
    (hhem / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be loaded"):
        make_judge(f"local:{hhem}", {})


def test_an_exported_model_gives_what_pytorch_gives(tmp_path):
    pytest.importorskip("onnxscript")
    path = build(tmp_path, "bert")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        path, attn_implementation="eager"
    ).eval()
    model.requires_grad_(False)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    example = tuple(torch.ones((2, 9), dtype=torch.long) for _ in names)

    class Plain(torch.nn.Module):
        def forward(self, ids, mask, types):
            return model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits

    exported = tmp_path / "exported"
    exported.mkdir()
    for file in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        (exported / file).write_bytes((path / file).read_bytes())
    axes = {name: {0: "batch", 1: "length"} for name in names}
    torch.onnx.export(
        Plain(),
        example,
        str(exported / "model.onnx"),
        input_names=names,
        output_names=["logits"],
        dynamic_axes=axes,
        dynamo=False,
    )
    rng = random.Random(1)
    ask = ask_of([text(rng, 5) for _ in range(9)], [text(rng, 9)])
    one, two = (make_judge(f"local:{folder}", {"device": "cpu"}) for folder in (path, exported))
    assert two.info.identity["runtime"] == "onnxruntime"
    assert two.ask(ask).confidence == pytest.approx(list(one.ask(ask).confidence), abs=1e-3)


@pytest.mark.parametrize("weights", ["code", "damaged", "pickled"])
def test_a_model_that_pytorch_does_not_load_is_computed_by_onnx_runtime(tmp_path, weights):
    """Whichever loads, of a folder that has both; which one it was is a part of what the judge is."""
    model = tiny_model(tmp_path / "model", {"tall": [0.0, 9.0, 0.0]})
    folder, other = tmp_path / "model", build(tmp_path, "bert")
    if weights == "code":
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        own = {
            "AutoModelForSequenceClassification": "modeling.Own",
            "AutoConfig": "modeling.Config",
        }
        told = {**config, "model_type": "own", "auto_map": own}
        (folder / "config.json").write_text(json.dumps(told), encoding="utf-8")
        (other / "model.safetensors").rename(folder / "model.safetensors")
    else:
        name = "model.safetensors" if weights == "damaged" else "pytorch_model.bin"
        (folder / name).write_bytes(b"import os; os._exit(9)")
    judge = make_judge(model, {})
    assert judge.info.identity["runtime"] == "onnxruntime"
    assert grade("It is tall.", "The tower.", judge=judge).score == 1.0


def test_weights_that_are_missing_are_not_made_up(tmp_path):
    path = build(tmp_path, "bert")
    bare = transformers.AutoModel.from_pretrained(path)
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    bare.save_pretrained(path)
    (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"lack classifier\..* it was not trained to check statements"
    ):
        make_judge(f"local:{path}", {})


def test_broken_weights_and_pickles_are_errors_that_say_what_to_do(tmp_path):
    path = build(tmp_path, "bert")
    weights = path / "model.safetensors"
    good = transformers.AutoModelForSequenceClassification.from_pretrained(path).state_dict()
    good = {name: weight.clone() for name, weight in good.items()}  # the file is mapped into memory
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match="damaged, cut off"):
        make_judge(f"local:{path}", {})
    weights.unlink()
    with pytest.raises(ConfigError, match=r"has no weights at all"):
        make_judge(f"local:{path}", {})
    torch.save(good, path / "pytorch_model.bin")
    with pytest.raises(ConfigError, match=r"no weights in safetensors.*can run code"):
        make_judge(f"local:{path}", {})


@pytest.mark.parametrize(
    "kind", ["bert", "MiniCheck-RoBERTa", "MiniCheck-T5", "lettuce-modernbert"]
)
def test_a_model_without_a_tokenizer_is_no_model_that_knows_no_word(tmp_path, kind):
    path = build(tmp_path, kind)
    for file in path.glob("tokenizer*"):
        file.unlink()
    with pytest.raises(ConfigError, match=r"has no tokenizer|cannot be loaded"):
        make_judge(f"local:{path}", {})


def test_a_model_that_does_not_fit_into_memory_is_told(tmp_path, monkeypatch):
    path = build(tmp_path, "bert")

    def full(*_given: object, **_options: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    monkeypatch.setattr(torch.nn.Module, "to", full)
    with pytest.raises(ConfigError, match="does not fit into memory; pass device=cpu"):
        make_judge(f"local:{path}", {})


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("MPS backend out of memory"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)"),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
        MemoryError(),
    ],
)
def test_memory_that_runs_out_makes_batches_smaller_and_loses_nothing(tmp_path, monkeypatch, error):
    path, rng = build(tmp_path, "bert"), random.Random(4)
    judge = make_judge(f"local:{path}", {"device": "cpu"})
    cases = [{"answer": text(rng, 4), "context": text(rng, 6)} for _ in range(20)]
    before = [r.verdicts for r in grade_many(cases, judge=judge)]
    model = judge._model.batcher.engine._model
    whole, sizes = model.forward, []

    def little(**given):
        sizes.append(len(given["input_ids"]))
        if sizes[-1] > 1:
            raise error
        return whole(**given)

    monkeypatch.setattr(model, "forward", little)
    assert [r.verdicts for r in grade_many(cases, judge=judge)] == before
    assert max(sizes) > 1
