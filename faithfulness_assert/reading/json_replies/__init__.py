"""Find the verdicts in a reply's JSON."""
