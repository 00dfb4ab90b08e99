"""Wherever YAML, TOML, JSON or a path of a user is read, any text ends in data or in one clear ConfigError."""

import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import examples

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import open_data_set
from faithfulness_assert.cases.paths import search
from faithfulness_assert.options import parse_options
from faithfulness_assert.policy.load import find_policy
from faithfulness_assert.promptfoo import get_assert
from faithfulness_assert.promptfoo.migrate import migrate_file
from faithfulness_assert.settings import _of_file

TAGS = (
    "int float bool null timestamp binary set omap pairs str map seq merge value x python/name:os"
)
FRAGMENTS = [
    *(f"!!{tag} " for tag in TAGS.split()),
    *("&a ", "*a", "<<: ", "? ", ": ", "- ", "[", "]", "{", "}", ", ", "'", '"', "|", ">", "#", "%"),
    *("\n", "\n  ", "\t", "\r", "\0", "\ufeff", "\x85", "--- ", "...", "=", " = ", "a", ".", "@", "*"),
    *("1", "-", "0x", "1e999", ".inf", "nan", "9" * 400, "9" * 5000, "1:" * 400, "0o8", "_"),
    *("0001-01-01T00:00:00+23:59", "2001-99-99", "[[a]]", "[a]", "a.a.", "'''", '"""', "\\u", "\\x"),
    *("to_string(", "join(", "map(&", ")", "||", "&&", "[]", "[?", "`", "sort_by(@, &"),
    *("guidance", "tests: ", "assert: ", "type: context-faithfulness", "[tool.faithfulness_assert]"),
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)
CASE = {"answer": "a", "context": "b", "parts": [{"c": "d"}]}


def file(suffix: str, read: Callable[[Path], object]) -> Callable[[str], object]:
    """What reads a file with this ending."""

    def written(text: str) -> object:
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"x{suffix}"
            path.write_text(text, encoding="utf-8", newline="")
            return read(path)

    return written


def asserted(text: str) -> None:
    """An assertion of promptfoo shows a mistake as its reason."""
    config = {"judge": "embedded", "contextFrom": text}
    reason = get_assert("a", {"vars": CASE, "config": config})["reason"]
    assert "internal error" not in reason


PLACES: dict[str, Callable[[str], object]] = {
    **{
        f"a policy in {end}": file(end, lambda path: find_policy(str(path), {}, {}))
        for end in (".toml", ".yaml", ".json")
    },
    **{
        f"init --from a {end}": file(end, lambda path: migrate_file(str(path)))
        for end in (".yaml", ".json")
    },
    "pyproject.toml": file(".toml", lambda path: _of_file(str(path))),
    "an option": lambda text: parse_options([f"guidance={text}", f"weights={text}"], "-o"),
    "a policy's name": lambda text: find_policy(text, {}, {}),
    "a column": lambda text: list(open_data_set([CASE], mapping={"answer": text}).rows()),
    "a path": lambda text: search(text, CASE),
    "contextFrom": asserted,
}


@pytest.mark.parametrize("place", PLACES)
@examples(14)
@given(text=TEXTS)
@example("!!timestamp x")
@example("a: !!bool x")
@example("? !!int ''")
@example("[" * 1100)
@example("{a: " * 1100)
@example("a = " + "[" * 1100)
@example("- " * 1100)
@example(f"threshold: {'9' * 5000}")
@example(f"[weights]\nsupported = [{'9' * 400}]")
@example(f"threshold: [0x{'f' * 5000}]")
@example(f"threshold = 0b{'1' * 20000}")
@example(f"? {':'.join(['59'] * 5000)}.5 : 1")
@example(f'{{"threshold": [{"9" * 5000}]}}')
def test_any_text_is_data_or_one_clear_mistake(place, text):
    try:
        with warnings.catch_warnings():  # jmespath warns of `x`
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            PLACES[place](text)
    except ConfigError as error:
        assert 10 < len(str(error)) < 1000 + 2 * len(text)
        for words in ("Traceback", "object has no", "out of range", "recursion"):
            assert words not in str(error).replace(text, "")


def test_the_same_tag_is_told_of_whatever_its_value():
    for value in ("''", "_", "'-'", "x"):
        with pytest.raises(ConfigError, match="invalid YAML"):
            PLACES["a policy in .yaml"](f"threshold: !!int {value}")


def test_plain_data_is_still_read():
    read = PLACES["a policy in .yaml"]("guidance: &g Be strict.\nsummary: *g\nthreshold: 0.5")
    assert (read.guidance, read.summary, read.passes_at) == ("Be strict.", "Be strict.", 0.5)
