import sys

try:
    from faithfulness_assert.promptfoo import afterAll, get_assert
except ModuleNotFoundError:
    ADVICE = "Set PROMPTFOO_PYTHON to one that has it: in the environment, or in .env of the folder"
    ADVICE += " in which promptfoo is started."
    PROBLEM = f"{sys.executable} has no faithfulness-assert. {ADVICE}"

    def get_assert(*_: object) -> object:
        sys.tracebacklimit = 0  # promptfoo would show it
        raise ImportError(PROBLEM)

    def afterAll(*_: object) -> None:  # an error here would lose the results
        sys.stderr.write(f"{PROBLEM}\n")


__all__ = ["afterAll", "get_assert"]
