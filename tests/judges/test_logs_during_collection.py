"""A collection of garbage may run anywhere, and what it closes may log."""

from __future__ import annotations

import subprocess
import sys

# Each collection logs, as a client does that is closed; with a threshold of 1 one runs wherever
# something is made. Three threads log and make judges at the same time.
PROGRAM = """
import gc, logging, threading
from faithfulness_assert.judges.remote import known
from faithfulness_assert.judges.remote.logs import watch_logs
from faithfulness_assert.judges.remote.redaction import Secrets

watch_logs()
kept = Secrets(["sk-kept-for-long-123456"])
known.remember(kept)
logger = logging.getLogger("httpcore.connection")
logger.setLevel(logging.DEBUG)
said = []

class Heard(logging.Handler):
    def emit(self, record):
        said.append(record.getMessage())

logger.addHandler(Heard())
logger.propagate = False

def closed(phase, info):
    if phase == "start":
        logger.debug("close with sk-kept-for-long-123456")

def work(number):
    for turn in range(30):
        known.remember(Secrets([f"sk-of-a-judge-{number}-{turn}-abcdef"]))
        logger.debug("sent sk-of-a-judge-%s-%s-abcdef", number, turn)

gc.callbacks.append(closed)
gc.set_threshold(1)
threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
gc.callbacks.clear()
assert any("close" in line for line in said) and any("sent" in line for line in said)
assert not [line for line in said if "sk-" in line], said
print("done")
"""


def test_a_log_of_what_a_collection_closes_never_waits_for_its_own_thread() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr
