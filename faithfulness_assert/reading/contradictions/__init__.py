"""Find out whether a reply contradicts its own verdicts."""
