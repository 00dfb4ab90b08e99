"""The whole path through a real promptfoo: Node starts Python for each assertion, as it does for users."""
