"""What is graded: the case, and the names that other systems have for its fields."""
