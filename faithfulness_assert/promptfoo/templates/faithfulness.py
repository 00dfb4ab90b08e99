from faithfulness_assert.promptfoo import get_assert

__all__ = ["get_assert"]
