"""Grades one assertion of ``faithfulness.cjs``: reads it as a line of JSON, prints JSON.

The assertion keeps the standard input open. When it is closed, promptfoo has ended, and so does
this process: nobody waits for its grade any more.
"""

import json
import os
import sys
import threading

from . import grade


def _end_with_promptfoo() -> None:
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    assertion = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_promptfoo, daemon=True).start()
    json.dump(grade(*assertion), sys.stdout)
