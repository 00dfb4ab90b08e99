from faithfulness_assert.promptfoo import afterAll, get_assert

__all__ = ["afterAll", "get_assert"]
