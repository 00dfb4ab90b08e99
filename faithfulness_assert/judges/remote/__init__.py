"""What judges behind an HTTP API share."""
