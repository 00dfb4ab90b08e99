"""What all judges behind an HTTP API share."""
