"""Find the verdicts in a reply that is not JSON."""
