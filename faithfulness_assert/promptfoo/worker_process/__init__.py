"""The worker: one warm process that grades all assertions of a promptfoo eval."""
