"""Statements per second of a local judge, beside plain transformers, in one run.

    python benchmarks/local_judges.py [CASES] [LAYERS]   (needs the extra local, torch, onnxscript)

The model is a BERT with random weights, as wide as MiniLM (384, 6 layers unless told otherwise):
it has no use but to be computed. Each case has five statements, and a context of eight sentences.
All ways are measured in turn, three times, on one thread, and the best time of each counts, in
seconds of the CPU, so that other programs disturb little.

- ``one by one``: a pair of texts for each call of the model, as the model's card shows it.
- ``in batches``: plain transformers with 32 pairs in the order of the data, filled up.
- ``grade``: a grade for each case, one after the other.
- ``grade_many``: all cases, eight at once: split, batched, and read back as verdicts.
- ``grade_many, onnx``: the same with the model exported to ONNX.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from faithfulness_assert import Grader

WORDS = [
    f"{a}{b}"
    for a in "ba do ki lu me no pa ra si tu".split()
    for b in "cle den fin gor lan mer nix pol".split()
]
NLI = {0: "contradiction", 1: "entailment", 2: "neutral"}
ROUNDS, BATCH, STATEMENTS, SENTENCES = 3, 32, 5, 8


def build(folder: Path, layers: int) -> Path:
    vocab = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", ".", *WORDS])}
    made = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.BertPreTokenizer()
    special = [("[CLS]", 2), ("[SEP]", 3)]
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=special
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=512, model_input_names=inputs, **names
    ).save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(vocab), hidden_size=384, num_hidden_layers=layers, num_attention_heads=12,
        intermediate_size=1536, id2label=NLI, label2id={name: n for n, name in NLI.items()},
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def export(source: Path, folder: Path) -> Path:
    folder.mkdir()
    for file in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        (folder / file).write_bytes((source / file).read_bytes())
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        source, attn_implementation="eager"
    )
    model.eval().requires_grad_(False)

    class Plain(torch.nn.Module):
        def forward(self, ids, mask, types):
            return model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits

    names = ["input_ids", "attention_mask", "token_type_ids"]
    example = tuple(torch.ones((2, 9), dtype=torch.long) for _ in names)
    torch.onnx.export(
        Plain(), example, str(folder / "model.onnx"), input_names=names, output_names=["logits"],
        dynamic_axes={name: {0: "batch", 1: "length"} for name in names}, dynamo=False,
    )  # fmt: skip
    return folder


def cases(count: int) -> list[dict[str, str]]:
    rng = random.Random(3)

    def text(sentences: int, fewest: int, most: int) -> str:
        many = (rng.randint(fewest, most) for _ in range(sentences))
        return " ".join(
            f"{' '.join(rng.choice(WORDS) for _ in range(n)).capitalize()}." for n in many
        )

    return [
        {"answer": text(STATEMENTS, 4, 20), "context": text(SENTENCES, 5, 30)} for _ in range(count)
    ]


def plain(folder: Path, data: list[dict[str, str]], size: int) -> Callable[[], int]:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    pairs = [(d["context"], f"{s.strip('.')}.") for d in data for s in d["answer"].split(". ")]

    def compute() -> int:
        labels = 0
        for start in range(0, len(pairs), size):
            batch = pairs[start : start + size]
            given = tokenizer(
                *map(list, zip(*batch, strict=True)), padding=True, return_tensors="pt"
            )
            with torch.inference_mode():
                labels += len(model(**given).logits.argmax(-1).tolist())
        return labels

    return compute


def main(count: int = 12, layers: int = 6) -> None:
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    data = cases(count)
    with tempfile.TemporaryDirectory() as place:
        folder = build(Path(place) / "model", layers)
        onnx = export(folder, Path(place) / "onnx")
        by_torch, by_onnx = (Grader(f"local:{path}", device="cpu") for path in (folder, onnx))

        def each() -> int:
            return sum(len(by_torch.grade(**case).verdicts) for case in data)

        def many(grader: Grader) -> Callable[[], int]:
            return lambda: sum(len(result.verdicts) for result in grader.grade_many(data))

        ways = {
            "plain transformers, one by one": plain(folder, data, 1),
            "plain transformers, in batches": plain(folder, data, BATCH),
            "grade": each,
            "grade_many": many(by_torch),
            "grade_many, onnx": many(by_onnx),
        }
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(ROUNDS):
            for name, way in ways.items():
                start = time.process_time()
                assert way() == count * STATEMENTS
                best[name] = min(best[name], time.process_time() - start)
    slowest = best["plain transformers, one by one"]
    versions = f"torch {torch.__version__}, transformers {transformers.__version__}"
    print(f"{count} cases, {count * STATEMENTS} statements; {versions}")
    print(f"{'':32} statements per CPU second   times one by one")
    for name, seconds in best.items():
        print(f"{name:32} {count * STATEMENTS / seconds:25.1f} {slowest / seconds:18.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
