from faithfulness_assert.promptfoo import get_assert, worker

beforeAll = afterAll = worker  # promptfoo calls an extension of another name around each test too

__all__ = ["afterAll", "beforeAll", "get_assert", "worker"]
