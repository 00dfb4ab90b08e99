"""Runs over a provider's batch API, at half the price: submit, leave, and collect later.

The directory of the run has all that it needs to go on, but no key: on another machine the key
comes from the environment there. What all cases ask is sent together, and what they ask next in
further batches.

A plan cannot be stored. The plan of a case that has no result, and waits for no batch, is replayed
from what came back for it. That gives its result, or asks for a further batch.

Each batch is sent once, also if a process was killed while it sent one. That it is about to be sent
is noted before. If the note has no batch, the batch may be at the provider all the same: it is
looked for, and is adopted only if it shows that it is ours. Neither the clocks of both sides nor a
listing that lags behind leads to a second batch. What was not sent is asked anew.

An ask has an outcome as soon as a reply names it (see ``asking.schema``), or fails for good.
Otherwise it is asked again in a further batch, at most ``TRIES`` times in all. A reply that does
not name its ask is never read, under whichever id it came. A failure cannot name its ask, but it
cannot raise a score either.
"""

from __future__ import annotations

import json
import shlex
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from itertools import chain
from os import PathLike
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, cast
from urllib.parse import urlsplit

from ..cases.data_set import DataSet
from ..grading import Grader
from ..judges.http import Answer
from ..judges.remote.needs import Steps
from ..judges.remote.remote_judge import RemoteJudge
from ..judges.stored_replies import ask_key
from ..options import UNSTORED, hide_key, names_taken_by
from ..records.errors import ConfigError, JudgeError, option
from ..records.judge import Ask, Outcome, Reply
from ..records.usage import Usage
from ..settings import SETTING, choose
from .estimate import estimate_run
from .local_run import RunOutcome
from .provider_apis import (
    MISSING,
    NOT_FOUND,
    NOT_RUN,
    REFUSED,
    SERVICES,
    BatchAPI,
    Look,
    read_line,
    service_errors,
)
from .rows import line_of
from .run_description import check_unchanged, policy_in, take_input
from .store import BATCH_API, NAME, Store, is_run, reading, writing
from .summary import Summary
from .watching import Budget, BudgetError

MAX_LINE = 16 << 20
"""Bytes of a line of an output. What is longer is no line that we know."""
LOOK_AGAIN = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each look for a batch that may have been sent: a listing may lag behind."""
WAITS = """EXISTS (SELECT 1 FROM asks JOIN batches USING (batch)
WHERE asks.row = rows.row AND NOT answered)"""
"""Whether a row waits for a batch."""
KEEP = """UPDATE asks SET said = CASE WHEN ifnull(said, :said) = :said THEN :said ELSE :none END
WHERE id = :id"""
"""Of answers that differ none is kept."""
TRIES = 3
"""How often an ask is sent in all, if it gets no answer that can be used."""
NEVER_READ = ("content_filter", "error")
"""How a reply ends that is never read for verdicts."""
UNANSWERED = "the batch brought no answer to this ask, or several that are not the same"
UNNAMED = "the reply does not repeat the key of its ask, so it may belong to another one"


def submit(
    data_set: DataSet,
    directory: str | PathLike[str],
    via: str,
    *,
    judge: str = SETTING,
    retry_errors: bool | None = None,
    regrade_changed: bool = False,
    budget: Budget,
    **options: Any,
) -> RunOutcome:
    """Begins a run or goes on with it: sends what there is to send, and does not wait.

    Args:
        data_set, directory, judge, options, regrade_changed: as for ``batch.run``.
        via: one of ``SERVICES``.
        retry_errors: the same, if the run was finished.
        budget: of the estimate for the whole run. A batch is paid whole.

    Raises:
        BudgetError: the estimate is more.
        ConfigError: an option that cannot be used, or the directory has another run.
        JudgeError: the provider could not be asked. The run can go on.
    """
    hide_key(cast("Any", options))
    if stored := [name for name in UNSTORED if options.get(name)]:
        raise ConfigError(f"{stored[0]}: a run over a batch API keeps its replies itself")
    policy, threshold = options.pop("policy", None), options.pop("threshold", None)
    chosen = choose(judge, policy, threshold, {**options, **UNSTORED})  # nor that of a project
    settings = _settings(via, chosen.judge, chosen.options)
    grader = Grader(chosen.judge, chosen.policy, chosen.threshold, **chosen.options)
    budget.check_prices(settings.get("prices"), grader.judge)
    with writing(directory) as store:
        with store.transaction():
            if store.about() and store.value(BATCH_API) is None:
                how = f"without {option('via')}"
                raise ConfigError(f"{store.path}: this run was begun {how}; keep to it")
            take_input(store, grader, data_set, regrade=regrade_changed)
            store.keep(BATCH_API, settings)  # a limit of tokens may be another one now
            if store.finished == store.size and store.retry_errors(retry_errors):
                store.db.execute("DELETE FROM asks WHERE row NOT IN (SELECT row FROM results)")
            given, used = (row.fields for row in store.rows()), Summary()
            estimate = estimate_run(given, policy=grader.policy, **settings)
            used.tokens.update(prompt=estimate.prompt, completion=estimate.completion)
            used.cost = estimate.cost
            if problem := budget.exceeded(used):
                raise BudgetError(problem)
        return _step(store, grader)


def collect(directory: str | PathLike[str]) -> RunOutcome:
    """Fetches what is done, and sends what comes next. Any machine with the directory can do it.

    Args:
        directory: of a run for which ``is_begun``.

    Raises:
        ConfigError: there is no such run, or it was made by another version.
        JudgeError: the provider could not be asked. The run can go on.
    """
    with writing(directory) as store:
        grader = Grader(policy=policy_in(store), **store.value(BATCH_API))
        check_unchanged(store, grader)
        return _step(store, grader)


def _step(store: Store, grader: Grader) -> RunOutcome:
    """Goes on as far as possible."""
    grader.keep_secret(store.secret())
    with closing(BatchAPI(cast("RemoteJudge", grader.judge))) as api:
        return Batches(store, grader, api).advance()


def is_begun(directory: str | PathLike[str]) -> bool:
    """Whether the directory has a run over a batch API."""
    if not is_run(directory):
        return False
    with reading(directory) as store:
        return store.value(BATCH_API) is not None


def _settings(via: str, judge: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """What makes the same grader again on another machine, beside its policy, without keys."""
    if via not in SERVICES:
        raise ConfigError(f"via: must be one of {', '.join(SERVICES)}, got {via!r}")
    if not isinstance(judge, str) or judge.partition(":")[0] != SERVICES[via]:
        raise ConfigError(f"judge: {via!r} does not lead to {judge!r}; name a judge of that API")
    left_out = {*names_taken_by("policy"), "policy_options", "api_key", "extra_headers"}
    address = urlsplit(str(options.get("base_url") or ""))
    if "@" in address.netloc or address.query:  # it may be a secret
        left_out.add("base_url")
    safe = {name: value for name, value in options.items() if name not in left_out}
    try:
        return dict(json.loads(json.dumps({"judge": judge, **safe})))
    except TypeError as error:
        raise ConfigError(f"options must be plain data here: {error}") from None


# ---------------------------------------------------------------- its batches


class Asked(NamedTuple):
    """An ask of a row, under its key among those of the row; ``steps``: fallbacks that it takes."""

    row: int
    key: str
    ask: Ask
    steps: Steps


class Batches:
    """The batches of a run, by their numbers, from 1, as the table ``batches`` has them.

    Its ``at`` is the provider's id: NULL before a batch is sent, "" when it may have been.

    Args:
        store: the run, open to be written.
        grader: judge and policy.
        api: takes the requests.
    """

    def __init__(self, store: Store, grader: Grader, api: BatchAPI) -> None:
        self._store, self._db, self._grader, self._api = store, store.db, grader, api
        # Names of batches must be unlike those of other runs, and tell nothing of the secret.
        self._run_id = blake2b(store.secret(), digest_size=16).hexdigest()
        self._judge = cast("RemoteJudge", grader.judge)
        self._secrets = self._judge.secrets
        self._notes: list[str] = []

    def advance(self) -> RunOutcome:
        """Goes on as far as possible: fetches what is done, sends what comes next."""
        outcome = RunOutcome(self._store.path, self._store.size)
        while True:
            self._find_sent()
            self._ask_on()
            if not (waiting := self._waiting()):
                return replace(outcome, notes=tuple(self._notes))
            looks = [self._look(number, id) for number, id in waiting.items() if id]
            if is_left_out := any(look.left_out for look in looks):
                self._notes.append("Nothing more was sent. Go on with the run to send the rest.")
            if is_left_out or not any(look.ended for look in looks):
                return replace(outcome, stopped="it waits", notes=tuple(self._notes))

    def _waiting(self) -> dict[int, str | None]:
        """The batches that wait for answers, with their ids."""
        query = "SELECT batch, at FROM batches WHERE NOT answered ORDER BY batch"
        return dict(self._db.execute(query).fetchall())

    def _lines(self, number: int) -> int:
        query = "SELECT count(*) FROM asks WHERE batch = ?"
        return int(self._db.execute(query, (number,)).fetchone()[0])

    def _name(self, number: int) -> str:
        return f"{self._run_id}/{number}"

    def _note(self, number: int, text: str) -> None:
        self._notes.append(self._secrets.out_of(f"batch {number}: {text}"))

    def _set(self, number: int, id: str | None) -> None:
        self._db.execute("UPDATE batches SET at = ? WHERE batch = ?", (id, number))

    def _ended(self, number: int) -> None:
        self._db.execute("UPDATE batches SET answered = TRUE WHERE batch = ?", (number,))

    # ------------------------------------------------------------ at the provider

    def _find_sent(self) -> None:
        """Takes up batches that may have been sent, looked for until they would be listed. What was
        not sent is asked anew.
        """
        for number, id in self._waiting().items():
            if id:
                continue
            others = [id for (id,) in self._db.execute("SELECT at FROM batches") if id]
            given = self._name(number), self._lines(number), others, partial(self._has, number)
            found: tuple[str, Sequence[str]] = "", ()
            for pause in LOOK_AGAIN if id is not None else ():
                time.sleep(pause)
                with service_errors(self._secrets):
                    found = self._api.find(*given)
                if any(found):
                    break
            sent_as, undecided = found
            if sent_as:
                self._set(number, sent_as)
            elif undecided:
                self._note(
                    number,
                    "it may have been sent when the run was stopped: one of "
                    f"{', '.join(undecided[:5])} may be its batch. That shows when they have "
                    "ended; until then it is not sent again",
                )
            else:
                self._ended(number)

    def _send(self, number: int, file: IO[bytes]) -> None:
        self._set(number, "")
        try:
            with service_errors(self._secrets):
                id = self._api.send(file, self._name(number))
        except JudgeError as error:
            if error.http_status in REFUSED:
                self._set(number, None)
            raise
        self._set(number, id)

    def _look(self, number: int, id: str) -> Look:
        """Asks how a batch stands, and keeps what came of it when it has ended."""
        try:
            with service_errors(self._secrets):
                look = self._api.look(id)
            self._note(number, f"{self._lines(number):,} asks, {id}: {look.status}")
            if look.ended:
                self._fetch(number, look)
        except JudgeError as error:
            if error.http_status == NOT_FOUND:
                update = f"UPDATE batches SET answered = TRUE WHERE batch = {number}"  # noqa: S608 - it is shown
                command = shlex.join(["sqlite3", str(self._store.path / NAME), update])
                error.fix = (
                    "Check base_url and the key. If the provider has deleted the batch, its asks "
                    f"are sent again after: {command}"
                )
            raise
        return look

    def _fetch(self, number: int, look: Look) -> None:
        """Keeps the answers to a batch in its output. What has no answer gets the word why."""
        with TemporaryFile(dir=self._store.path) as output:
            with service_errors(self._secrets):
                output.writelines(self._api.fetch(look))
            output.seek(0)
            with self._store.transaction():
                for line in iter(partial(output.readline, MAX_LINE), b""):
                    id, answer = read_line(line, self._secrets)
                    if self._has(number, id):
                        said = {"said": json.dumps(answer), "none": json.dumps(MISSING)}
                        self._db.execute(KEEP, {"id": id, **said})
                missing = self._db.execute(
                    "UPDATE asks SET said = ? WHERE batch = ? AND said IS NULL",
                    (json.dumps(NOT_RUN if look.left_out else MISSING), number),
                ).rowcount
                self._ended(number)
        if missing:
            self._note(number, f"{missing:,} asks without an answer")

    def _has(self, number: int, id: str) -> bool:
        """Whether a batch has an ask with this id."""
        query = "SELECT 1 FROM asks WHERE id = ? AND batch = ?"
        return id.isascii() and self._db.execute(query, (id, number)).fetchone() is not None

    # ------------------------------------------------------------ here

    def _ask_on(self) -> None:
        """Replays the cases that wait for no batch: keeps results, sends what they ask."""
        asks, left = self._asks(), list[Asked]()
        while True:
            with TemporaryFile(dir=self._store.path) as file:
                with self._store.transaction():
                    number, left = self._gather(chain(left, asks), file)
                if not file.tell():
                    return
                self._send(number, file)

    def _gather(self, asks: Iterator[Asked], file: IO[bytes]) -> tuple[int, list[Asked]]:
        """Writes requests into the file of a batch. Returns its number, and the ask that has no
        room in it.
        """
        form = self._api.form
        number = self._db.execute("SELECT ifnull(max(batch), 0) + 1 FROM batches").fetchone()[0]
        for count, asked in enumerate(asks):
            id = f"{number}-{count}-{asked.ask.echo}"  # has nothing of the data
            line = form.line(id, self._judge.request(asked.ask, asked.steps))
            if count and (count == form.max_lines or file.tell() + len(line) > form.max_bytes):
                return number, [asked]
            if not count:
                self._db.execute("INSERT INTO batches VALUES (?, NULL, FALSE)", (number,))
            taken = json.dumps({name: step for name, step in asked.steps.items() if step})
            values = id, number, asked.row, asked.key, taken
            self._db.execute("INSERT INTO asks VALUES (?, ?, ?, ?, ?, NULL)", values)
            file.write(line)
        return number, []

    def _asks(self) -> Iterator[Asked]:
        """What the cases ask. Cases that ask no more get their results."""
        store, steps = self._store, self._judge.needs.first
        for (taken,) in self._db.execute("SELECT DISTINCT steps FROM asks").fetchall():
            steps = steps | Steps(json.loads(taken))
        for row in store.rest(f"AND NOT {WAITS}"):
            answers = CaseAnswers(self._judge, store, row.number)
            result = (
                self._grader.invalid(row.problem)
                if row.problem
                else self._grader.replay(row.fields, answers)
            )
            if result is not None:
                store.add(line_of(row, result))
                continue
            steps = steps | answers.steps
            for key, ask in answers.open:
                if not self._judge.worded(ask).echo:
                    raise ConfigError(
                        "form: over a batch API a reply must name its ask, which a bare Yes or No "
                        "does not; run it without the batch API"
                    )
                yield Asked(row.number, key, ask, steps)


# ---------------------------------------------------------------- what came back for a case


class Reading(NamedTuple):
    """What an answer says about its ask: nothing that counts as a try, or an outcome.

    ``final``: the ask is not sent again. ``spent``: what the answer cost.
    """

    outcome: Outcome | None
    final: bool = False
    spent: Usage = Usage()


class CaseAnswers:
    """What is known about the asks of one case. To be called with each ask of its plan, in order.

    After a replay, ``open`` has the asks without an outcome, with their keys, and ``steps`` the
    fallbacks that the server wants.

    Args:
        judge: reads answers.
        store: has what was sent for the ``row``, and what came back.
    """

    def __init__(self, judge: RemoteJudge, store: Store, row: int) -> None:
        self._judge = judge
        self._seen: Counter[str] = Counter()
        self.open: list[tuple[str, Ask]] = []
        self.steps = judge.needs.first
        # By the key of an ask, in the order of sending: the fallbacks with which it was sent, and
        # the answer: status and body, or the word of a problem.
        self._sent: dict[str, list[tuple[Steps, Any]]] = defaultdict(list)
        query = "SELECT key, steps, said FROM asks WHERE row = ? AND said NOTNULL ORDER BY rowid"
        for key, steps, answer in store.db.execute(query, (row,)):
            self._sent[key].append((self.steps | Steps(json.loads(steps)), json.loads(answer)))

    def __call__(self, ask: Ask) -> Outcome | None:
        """The outcome of an ask; None if it has none yet. The same ask may occur more than once."""
        content = ask_key(ask, {})[:24]
        self._seen[content] += 1
        key = f"{content}.{self._seen[content]}"
        spent, tries = Usage(), 0
        for steps, answer in self._sent.get(key, ()):
            outcome, final, used = self._reading(ask, answer, steps)
            spent += used
            tries += outcome is not None
            if outcome is None or not (final or tries >= TRIES):
                continue
            if isinstance(outcome, Reply):
                usage, requests = outcome.usage and spent, spent.num_requests
                reply = replace(outcome, usage=usage, requests=requests)
                return self._judge.needs.warned(reply, steps)
            outcome.usage = spent if spent.num_requests else None
            return outcome
        self.open.append((key, ask))
        return None

    def _reading(self, ask: Ask, answer: list[Any] | str, steps: Steps) -> Reading:
        """What one answer says. One that only names a parameter costs nothing."""
        if answer == NOT_RUN:  # nobody tried to answer it
            return Reading(None)
        if isinstance(answer, str):
            fix = "Give the command that began the run again."
            return Reading(JudgeError(UNANSWERED, "timeout", retryable=True, fix=fix))
        status, body = answer
        outcome = self._judge.read(Answer(status, {}, json.dumps(body).encode()))
        if unnamed := _unnamed(outcome, ask):
            return Reading(unnamed, spent=_spent(outcome))
        needs = self._judge.needs
        cap = needs.cap(ask, steps)
        outcome, wanted = needs.after(ask, outcome, steps, self._judge.request, cap)
        self.steps = self.steps | (wanted or steps)
        if wanted not in (None, steps):  # such as of a judge that needs more room to think
            return Reading(None, spent=_spent(outcome) if isinstance(outcome, Reply) else Usage())
        unnamed = _unnamed(outcome, ask)
        final = unnamed is None and (isinstance(outcome, Reply) or not outcome.retryable)
        return Reading(unnamed or outcome, final, _spent(outcome))


def _spent(outcome: Outcome) -> Usage:
    return outcome.usage or Usage(num_requests=1)


def _unnamed(outcome: Outcome, ask: Ask) -> Outcome | None:
    """What a reply is worth that does not name its ask; None if it does, or is cut off.

    A refusal often cannot name it. If nothing better comes, it is passed on without its text, so
    that nobody reads it.
    """
    if not isinstance(outcome, Reply) or outcome.finish_reason == "length":
        return None
    if ask.echo in outcome.text:
        return None
    if outcome.refusal or outcome.finish_reason in NEVER_READ:
        return replace(outcome, text="")
    return JudgeError(UNNAMED, "unreadable", retryable=True, usage=outcome.usage)
