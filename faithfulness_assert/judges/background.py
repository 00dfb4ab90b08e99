"""Work behind the caller: one event loop, and threads as needed, for the whole process.

All of them are daemons, so a judge that hangs never holds up the end of a program. What runs here
sees the context variables of the code that started it.
"""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
MOST_SOCKETS = 4_000
NAME = "faithfulness"


class DaemonThreads(ThreadPoolExecutor):
    """An executor that starts a thread for each call, and never waits for one to end.

    It is a ``ThreadPoolExecutor`` because an event loop takes no other executor.
    """

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Runs ``fn`` in a thread.

        Raises:
            RuntimeError: the system cannot start another thread.
        """
        future: Future[T] = Future()
        call = partial(copy_context().run, fn, *args, **kwargs)

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # noqa: BLE001 - raised again where the result is needed
                    future.set_exception(error)

        threading.Thread(target=run, daemon=True, name=NAME).start()
        return future


# ---------------------------------------------------------------- the loop


class _Process:
    """What exists once for each process.

    Attributes:
        threads: run whatever would block the loop.
        thread: runs the loop; None before it is needed.
        sockets: one for each connection that may be open; of the loop.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begins anew: a forked process has none of its parent's threads."""
        self.lock, self.threads = threading.Lock(), DaemonThreads()
        self.thread: threading.Thread | None = None
        self.loop: asyncio.AbstractEventLoop | None = None

    def started(self) -> asyncio.AbstractEventLoop:
        """The event loop. One whose thread has died is replaced.

        Raises:
            OSError: the system has no thread for it, or no file descriptors.
        """
        with self.lock:
            if self.loop is None or self.thread is None or not self.thread.is_alive():
                loop = asyncio.new_event_loop()
                loop.set_default_executor(self.threads)
                run, name = partial(self._run, loop), "faithfulness-loop"
                thread = threading.Thread(target=run, name=name, daemon=True)
                try:
                    thread.start()
                except RuntimeError as error:
                    loop.close()
                    raise BlockingIOError(errno.EAGAIN, str(error)) from None
                self.sockets = asyncio.Semaphore(_most_sockets())  # belongs to the loop
                self.loop, self.thread = loop, thread
            return self.loop

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        """Runs the loop. What a judge raises there, or that it stops the loop, ends nobody else."""
        while not loop.is_closed():
            with suppress(BaseException):  # whoever waits for its task gets it
                loop.run_forever()


def _most_sockets() -> int:
    """How many connections may be open at once: half as many as the process may have files."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_SOCKETS
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(allowed // 2, MOST_SOCKETS) if allowed >= 0 else MOST_SOCKETS


process = _Process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=process.forget)


def start(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Starts a coroutine on the loop. Cancelling the future cancels the coroutine."""
    try:
        loop = process.started()
    except OSError:
        work.close()
        raise
    return asyncio.run_coroutine_threadsafe(work, loop)


def wait(work: Coroutine[Any, Any, T], left: Callable[[], float] | None = None) -> T:
    """The result of a coroutine on the loop, which is cancelled if this thread is interrupted.

    Args:
        work: the coroutine.
        left: the seconds that it may still take. They may stand still meanwhile.

    Raises:
        TimeoutError: the time was up.
        RuntimeError: called on the loop itself, which would wait for itself.
    """
    if threading.current_thread() is process.thread:
        work.close()
        raise RuntimeError("this would wait for itself: await the judge's aask instead")
    future = start(work)
    try:
        while left and (seconds := left()) < threading.TIMEOUT_MAX:
            done, _ = futures.wait([future], max(seconds, 0))
            if done:
                break
            if left() <= 0:
                raise TimeoutError
        return future.result()
    finally:
        future.cancel()


async def on_loop(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that runs on the loop, awaited on any other."""
    if threading.current_thread() is process.thread:
        return await work
    return await asyncio.wrap_future(start(work))


def in_thread(call: Callable[..., T], /, *args: Any, **kwargs: Any) -> asyncio.Future[T]:
    """``call`` in a thread, to be awaited on the running loop."""
    return asyncio.wrap_future(process.threads.submit(call, *args, **kwargs))
