"""faithfulness_assert grades whether an LLM's answer is faithful to its context."""
