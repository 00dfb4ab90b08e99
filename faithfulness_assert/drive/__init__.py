"""Ways to run a plan: in this thread, on an event loop, or many at once. Only this room waits."""
