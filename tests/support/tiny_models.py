"""Models of a few words, made by hand in the ONNX format: what each puts out can be added up on paper.

Each word has a vector with a number for each label. The outputs of an input are the sums of the vectors of
its words, so a word with a large number decides. Words without a vector add nothing.
"""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

NLI = ("contradiction", "entailment", "neutral")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
PLAIN = "tower is tall . it was finished in adults pay euros the a predict : premise hypothesis , 1 0 yes no".split()


def tokenizer(words: list[str]) -> Tokenizer:
    """A tokenizer of whole words, which joins two texts as BERT does."""
    vocab = {word: n for n, word in enumerate(dict.fromkeys([*SPECIAL, *PLAIN, *words]))}
    made = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens(list(SPECIAL))
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])],
    )
    return made


def tiny_model(
    folder: Path,
    vectors: dict[str, list[float]],
    *,
    labels: tuple[str, ...] | None = NLI,
    kind: str = "BertForSequenceClassification",
    most: int = 64,
    alone: bool = False,
    **config: object,
) -> str:
    """Writes a model into a folder.

    ``labels``: as its config calls its outputs; None for no names. ``alone``: the outputs of a token are
    those of its word, and not of the whole input.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = tokenizer([word for word in vectors if word not in PLAIN])
    made.save(str(folder / "tokenizer.json"))
    told = {"eos_token": "[SEP]", "model_max_length": most}
    (folder / "tokenizer_config.json").write_text(json.dumps(told), encoding="utf-8")
    named = {} if labels is None else {"id2label": dict(enumerate(labels))}
    config = {"architectures": [kind], "pad_token_id": 0, **named, **config}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    width = len(next(iter(vectors.values())))
    table = np.zeros((made.get_vocab_size(), width), dtype=np.float32)
    for word, vector in vectors.items():
        table[made.token_to_id(word)] = vector
    if kind.endswith("ForConditionalGeneration"):
        answers = np.zeros((width, len(table)), dtype=np.float32)
        for place, word in enumerate(str(config.get("writes", "1,0")).split(",")):
            answers[place, made.token_to_id(word)] = 1
        _save(folder / "encoder_model.onnx", _encoder(table))
        _save(folder / "decoder_model.onnx", _decoder(answers))
    else:
        each = kind.endswith("ForTokenClassification")
        _save(folder / "model.onnx", _sums(table, each=each, alone=alone))
    return f"local:{folder}"


def marking(folder: Path, *words: str) -> str:
    """A model that marks these words of a statement as not supported, and no others."""
    vectors = {word: [5.0, 0.0] for word in (*PLAIN, "[UNK]")} | {
        word: [0.0, 5.0] for word in words
    }
    kind = "ModernBertForTokenClassification"
    return tiny_model(folder / "lettuce", vectors, labels=None, kind=kind, most=400, alone=True)


def _save(path: Path, graph: onnx.GraphProto) -> None:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def _whole(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])


def _real(name: str, *shape: object) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))


def _constant(name: str, value: object) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(value), name)


def _masked() -> list[onnx.NodeProto]:
    """The vectors of an input, with zeros where it is filled up, and their sums."""
    return [
        helper.make_node("Cast", ["attention_mask"], ["real"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["real", "last"], ["column"]),
        helper.make_node("Mul", ["vectors", "column"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "middle"], ["sums"], keepdims=1),
    ]


def _sums(table: np.ndarray, *, each: bool, alone: bool) -> onnx.GraphProto:
    if each:
        end = helper.make_node("Add", ["vectors", "vectors" if alone else "sums"], ["logits"])
    else:
        end = helper.make_node("Squeeze", ["sums", "middle"], ["logits"])
    gather = helper.make_node("Gather", ["table", "input_ids"], ["vectors"])
    shape = ("batch", "length", table.shape[1]) if each else ("batch", table.shape[1])
    return helper.make_graph(
        [gather, *_masked(), end],
        "sums",
        [_whole("input_ids"), _whole("attention_mask")],
        [_real("logits", *shape)],
        [_constant("table", table), _constant("last", [-1]), _constant("middle", [1])],
    )


def _encoder(table: np.ndarray) -> onnx.GraphProto:
    return helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "encoder",
        [_whole("input_ids"), _whole("attention_mask")],
        [_real("last_hidden_state", "batch", "length", table.shape[1])],
        [_constant("table", table)],
    )


def _decoder(answers: np.ndarray) -> onnx.GraphProto:
    nodes = [helper.make_node("Identity", ["encoder_hidden_states"], ["vectors"])]
    for node in _masked():
        node.input[:] = [
            "encoder_attention_mask" if n == "attention_mask" else n for n in node.input
        ]
        nodes.append(node)
    return helper.make_graph(
        [*nodes, helper.make_node("MatMul", ["sums", "answers"], ["logits"])],
        "decoder",
        [
            _real("encoder_hidden_states", "batch", "length", answers.shape[0]),
            _whole("encoder_attention_mask"),
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "one"]),
        ],
        [_real("logits", "batch", "one", answers.shape[1])],
        [_constant("answers", answers), _constant("last", [-1]), _constant("middle", [1])],
    )
