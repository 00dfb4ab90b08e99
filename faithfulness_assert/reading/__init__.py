"""Read a judge's reply: verdicts, claims (or truths), ratings, a reason, or an error.

A reply becomes rows and residue, and nothing of it is thrown away (``rows.py``). ``reconcile.py``
matches rows with statements, and ``gate.py`` decides what counts.
"""
