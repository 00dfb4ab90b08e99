import sys

try:
    from faithfulness_assert.promptfoo import afterAll, get_assert
except ModuleNotFoundError:
    sys.tracebacklimit = 0  # promptfoo would show it
    advice = "Set PROMPTFOO_PYTHON, in .env or the environment, to the Python that has it."
    raise ImportError(f"{sys.executable} has no faithfulness-assert. {advice}") from None

__all__ = ["afterAll", "get_assert"]
