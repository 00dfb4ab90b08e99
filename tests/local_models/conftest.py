"""Tiny models of each architecture, with random weights, as transformers saves them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

TEXTS = [
    "The tower is 330 metres tall. It was finished in 1889, not in 1900.",
    "Adults pay 12 euros, children pay 7 euros. On Mondays the museum is closed.",
    "Determine if the hypothesis is true given the premise? Premise: Hypothesis: predict: 1 0 yes no",
    "Summarize the following text: passage 1: output: Briefly answer the following question:",
]


def bert_like(**names: object) -> transformers.PreTrainedTokenizerFast:
    """A tokenizer of word pieces that joins two texts as BERT does."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    made.train_from_iterator(
        TEXTS, trainers.WordPieceTrainer(vocab_size=300, special_tokens=special)
    )
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    told = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **told, **names)


def roberta_like(most: int = 62) -> transformers.PreTrainedTokenizerFast:
    """A tokenizer of bytes that joins two texts as RoBERTa does."""
    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    made.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    made.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    told = {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
        "cls_token": "<s>",
        "sep_token": "</s>",
        "mask_token": "<mask>",
    }
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, **told, model_max_length=most
    )


def t5_like() -> transformers.PreTrainedTokenizerFast:
    """A unigram tokenizer whose texts end with </s>; 0 and 1 begin with the tokens 3 and 209, as in Flan-T5."""
    letters = sorted(set("".join(TEXTS)) | set("éßüñ€東京塔“”…"))
    words = dict.fromkeys(f"▁{word}" for word in " ".join(TEXTS).split() if word not in "01")
    vocab = [*SPECIAL_OF_T5, "▁", *(letter for letter in letters if letter != " "), *words]
    vocab += [f"<{n}>" for n in range(209 - len(vocab))] + ["▁1"]
    scored = [(piece, -2.0 if len(piece) > 1 else -8.0) for piece in vocab]
    made = Tokenizer(models.Unigram(scored, unk_id=2))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.add_special_tokens(list(SPECIAL_OF_T5))
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


SPECIAL_OF_T5 = ("<pad>", "</s>", "<unk>")
SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
}
RELATIVE = {  # as in DeBERTa v3
    "relative_attention": True,
    "position_buckets": 16,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "type_vocab_size": 0,
}
NLI = {
    "id2label": {0: "contradiction", 1: "entailment", 2: "neutral"},
    "label2id": {"contradiction": 0, "entailment": 1, "neutral": 2},
}
T5 = {
    "d_model": 32,
    "d_kv": 16,
    "d_ff": 64,
    "num_layers": 2,
    "num_heads": 2,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "decoder_start_token_id": 0,
}


SECOND_TEXT = {"model_input_names": ["input_ids", "token_type_ids", "attention_mask"]}
AT_ENDS = {
    "pad_token_id": 0,
    "cls_token_id": 2,
    "sep_token_id": 3,
    "bos_token_id": 2,
    "eos_token_id": 3,
}
KINDS: dict[str, tuple[Callable[[], Any], str, str, dict[str, object]]] = {
    "bert": (
        lambda: bert_like(model_max_length=64, **SECOND_TEXT),
        *("Bert", "SequenceClassification"),
        {"max_position_embeddings": 64, **SMALL, **NLI},
    ),
    "roberta": (
        roberta_like,
        *("Roberta", "SequenceClassification"),
        {"max_position_embeddings": 64, "pad_token_id": 1, **SMALL, **NLI},
    ),
    "deberta": (
        lambda: bert_like(model_max_length=64),
        *("DebertaV2", "SequenceClassification"),
        {"max_position_embeddings": 64, **RELATIVE, **SMALL, **NLI},
    ),
    "MiniCheck-RoBERTa": (
        lambda: roberta_like(512),
        *("Roberta", "SequenceClassification"),
        {"max_position_embeddings": 514, "pad_token_id": 1, "num_labels": 2, **SMALL},
    ),
    "MiniCheck-DeBERTa": (
        lambda: bert_like(model_max_length=512, eos_token="[SEP]"),
        *("DebertaV2", "SequenceClassification"),
        {"max_position_embeddings": 512, "num_labels": 2, **RELATIVE, **SMALL},
    ),
    "lettuce-modernbert": (
        lambda: bert_like(model_max_length=256),
        *("ModernBert", "TokenClassification"),
        {"max_position_embeddings": 256, "num_labels": 2, **AT_ENDS, **SMALL},
    ),
    "MiniCheck-T5": (t5_like, "T5", "ConditionalGeneration", T5),
    "t5_true_nli": (t5_like, "T5", "ConditionalGeneration", T5),
}
"""The tokenizer of each kind, its architecture, what its head is for, and its config."""


def build(folder: Path, kind: str) -> Path:
    """Saves a model of this kind, whose outputs differ much between inputs."""
    torch.manual_seed(7)
    make_tokenizer, name, head, config = KINDS[kind]
    tokenizer = make_tokenizer()
    made = getattr(transformers, f"{name}Config")(vocab_size=len(tokenizer), **config)
    model = getattr(transformers, f"{name}For{head}")(made)
    _spread(model)
    path = folder / kind
    tokenizer.save_pretrained(path)
    model.save_pretrained(path)
    return path


def build_hhem(folder: Path) -> tuple[Path, Path]:
    """An HHEM as its authors save it: the weights of a T5 under the name t5, and code that must never run."""
    from safetensors.torch import save_file

    torch.manual_seed(7)
    tokenizer = t5_like()
    config = transformers.T5Config(vocab_size=len(tokenizer), num_labels=2, **T5)
    model = transformers.T5ForTokenClassification(config)
    _spread(model)
    foundation = folder / "foundation"
    tokenizer.save_pretrained(foundation)
    config.save_pretrained(foundation)
    model.save_pretrained(folder / "plain")
    hhem = folder / "hhem"
    hhem.mkdir()
    weights = {
        f"t5.{name}": tensor.clone()
        for name, tensor in model.state_dict().items()
        if not name.endswith("embed_tokens.weight")
    }
    save_file(weights, hhem / "model.safetensors")
    told = {
        "architectures": ["HHEMv2ForSequenceClassification"],
        "model_type": "HHEMv2",
        "foundation": str(foundation),
        "auto_map": {
            "AutoModelForSequenceClassification": "modeling_hhem_v2.HHEMv2ForSequenceClassification"
        },
    }
    (hhem / "config.json").write_text(json.dumps(told), encoding="utf-8")
    (hhem / "modeling_hhem_v2.py").write_text(
        "raise SystemExit('code of a model was run')", encoding="utf-8"
    )
    return hhem, foundation


def _spread(model: torch.nn.Module) -> None:
    """Makes random weights large, so that verdicts of random models differ."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1:
                weight.mul_(12 if "classifier" in name or "lm_head" in name else 3)
