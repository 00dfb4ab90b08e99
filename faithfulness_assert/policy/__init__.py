"""How verdicts become a score: the policies, as data, and the one scorer."""
