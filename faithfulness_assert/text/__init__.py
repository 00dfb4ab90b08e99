"""An answer and a context as text: blocks, sentences, statements, evidence, citations."""
