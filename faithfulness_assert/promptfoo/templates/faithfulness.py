from faithfulness_assert.promptfoo import get_assert, worker

beforeAll = afterAll = worker  # other names would be called around each test, too

__all__ = ["afterAll", "beforeAll", "get_assert", "worker"]
