"""The records that the rooms pass on: what is graded, asked, answered, found, and the result."""
