"""What a judge is asked: prompts, the schema of the reply, and what fits one ask."""
