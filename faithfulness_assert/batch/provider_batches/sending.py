"""Sends each file of requests once, also if a process was killed while it sent one.

What is about to be sent is noted before. If the note has no batch, the batch may be at the provider
all the same: it is looked for, and is adopted only if it shows that it is of this file. Neither the
clocks of both sides nor a listing that lags behind leads to a second batch.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

from ...judges.remote.redaction import Secrets
from .service import Found, Service, Sought, is_refused, service_errors
from .store import Round, Store

LOOK_AGAIN = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each look for a batch that may have been sent: a listing may lag behind."""


class Sending:
    """Sends the files of the rounds of a run.

    Args:
        store: of the run. It keeps how each file stands.
        run_id: a part of the names of batches.
        secrets: what no error must show.
    """

    def __init__(self, store: Store, run_id: str, secrets: Secrets) -> None:
        self._store, self._run_id, self._secrets = store, run_id, secrets

    def send(self, current: Round, file: dict[str, Any], service: Service, path: Path) -> str:
        """Makes sure that a file is sent. Returns why that is not known yet; "" if it is."""
        if file.get("batch"):
            return ""

        def begin() -> None:
            file["sending"] = time.time()
            self._store.save(current)

        again = f"/{file['again']}" if "again" in file else ""
        name = f"{self._run_id}/{current.number}/{file['name']}{again}"
        with service_errors(self._secrets):
            found = self._found(current, file, name, service) if "sending" in file else Found()
            if found.undecided:
                return (
                    f"{file['name']} may have been sent when the run was stopped: one of "
                    f"{', '.join(found.undecided[:5])} may be its batch. That shows when they have "
                    "ended; until then it is not sent again"
                )
            try:
                batch = found.batch or service.send(str(path), name, begin)
            except Exception as error:
                if is_refused(error) and "sending" in file:
                    del file["sending"]
                    self._store.save(current)
                raise
            if self._secrets.out_of(batch) != batch:
                raise ValueError("the id of the batch has the key in it")
        file["batch"] = batch
        self._store.save(current)
        return ""

    def _found(self, current: Round, file: dict[str, Any], name: str, service: Service) -> Found:
        """Looks for the batch of a file that may have been sent, until it would be listed."""
        known = [other["batch"] for other in current.files if other.get("batch")]
        has = partial(self._store.has_ask, current.number, file["name"])
        age = max(0.0, time.time() - file["sending"])
        for pause in LOOK_AGAIN:
            time.sleep(pause)
            found = service.find(Sought(name, file["lines"], age, known, has))
            if found.batch or found.undecided:
                return found
        return Found()
