"""Ways to run a plan: in this thread, on an event loop, or many at once. Only this room waits."""

from .grades import ASKS_AT_ONCE, Slots, arun, run
from .time_left import Clock, TimeLeft

__all__ = ["ASKS_AT_ONCE", "Clock", "Slots", "TimeLeft", "arun", "run"]
