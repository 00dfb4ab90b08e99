"""How messages call an option: as Python has it, or as the command line has it.

A message says which option it means with ``option``; who shows messages says once how options are
called there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

COMMANDS = {"mapping": "map"}
"""Options whose name on the command line is another than in Python."""
OWN_FLAGS = ("from", "records")
"""Keys of a mapping that are flags on the command line."""
_on_command_line = False


def option(name: str, value: object = None) -> str:
    """An option for a message, with a value if there is one.

    ``option("mapping", {"answer": "COLUMN"})`` is ``mapping={'answer': 'COLUMN'}``, and on the
    command line ``--map answer=COLUMN``. True is the value of a switch.
    """
    if not _on_command_line:
        return name if value is None else f"{name}={value!r}"
    flag = f"--{COMMANDS.get(name, name).replace('_', '-')}"
    if value is None or value is True:
        return flag
    import shlex  # only ever needed on the way to a message

    given = [str(value)]
    if isinstance(value, Mapping):
        given = [f"{key}={item}" for key, item in value.items() if key not in OWN_FLAGS]
        own = [f"--{key} {shlex.quote(str(value[key]))}" for key in OWN_FLAGS if key in value]
        return " ".join([*(f"{flag} {shlex.quote(text)}" for text in given), *own])
    return " ".join(f"{flag} {shlex.quote(text)}" for text in given)


@contextmanager
def named_as_on_command_line() -> Iterator[None]:
    """While it is open, messages name options as the command line has them."""
    global _on_command_line  # one process is one command line, or none
    before, _on_command_line = _on_command_line, True
    try:
        yield
    finally:
        _on_command_line = before
