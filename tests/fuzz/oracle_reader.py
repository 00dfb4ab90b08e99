"""What a reply says to a reader who knows nothing but the ask: the oracle's own reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fuzz.judge_faults import Entry
from fuzz.oracle_systems import LABELS, System
from fuzz.simulated_judge import Turn, texts_of


@dataclass(frozen=True)
class Said:
    """What one reply says, by number of the ask: the labels it gives, and whom it speaks against."""

    named: Mapping[int, str] = field(default_factory=dict)
    against: frozenset[int] = frozenset()
    claims: Mapping[tuple[int, str], str] = field(default_factory=dict)  # of a joint ask


@dataclass(frozen=True)
class Reader:
    """Reads replies as somebody would who knows nothing but the ask."""

    system: System
    turns: Sequence[Turn]

    def said(self, turn: Turn) -> Said:
        """What the reply of a turn says. One that cannot be used says nothing."""
        if not turn.content.usable:
            return Said()
        if turn.ask.kind == "claims_and_verdicts":
            return self._joint(turn)
        placed = list(self._placed(turn))
        labels: dict[int, set[str]] = {}
        for number, entry in placed:
            labels.setdefault(number, set()).add(self._label(entry))
        torn = {number for number, given in labels.items() if len(given) > 1}
        against = {number for number in torn if "contradicted" in labels[number]}
        against |= {number for number, entry in placed if entry.denied} | self._accused(turn)
        clear = {n: next(iter(given)) for n, given in labels.items() if n not in torn | against}
        sure = self.system.inverse or not self._is_doubtful(turn)
        named = {n: word for n, word in clear.items() if word and (sure or word != "contradicted")}
        return Said(named, frozenset(against) if sure else frozenset())

    def _is_doubtful(self, turn: Turn) -> bool:
        """Whether a reply may earn something, but denies nothing.

        It corrects itself, or has a number beside those that were asked: all may be moved by one.
        """
        asked = set(turn.ask.ids)
        given = {entry.id for entry in turn.content.entries if entry.id is not None}
        beside = len(given) != len(asked) and {min(asked) - 1, max(asked) + 1} & given
        return turn.content.frame is not None or bool(beside)

    def _label(self, entry: Entry) -> str:
        """The label of a word; "" for a word that is none."""
        words = {"yes": "supported", "no": "not_enough_info", "idk": "not_enough_info"}
        known = {**words, **self.system.words, **{name: name for name in LABELS}}
        return known.get(entry.word, entry.word if entry.word == "not_a_claim" else "")

    def _accused(self, turn: Turn) -> set[int]:
        """The numbers that a reply speaks against beside its entries."""
        asked, content = set(turn.ask.ids), turn.content
        if content.accused:
            return set(content.accused) & asked
        granted = all(self._label(e) in ("supported", "not_a_claim") for e in content.entries)
        return asked if content.overall and granted else set()

    def _placed(self, turn: Turn) -> Iterator[tuple[int, Entry]]:
        """The entries with the number that they are about, where that is beyond doubt."""
        entries = turn.content.entries
        if entries and all(e.id is None and not _echo(e) for e in entries):
            yield from self._by_place(turn, entries)
            return
        numbers = self._numbers(turn)
        for entry in entries:
            if _echo(entry):
                same = [n for n, text in turn.ask.payload.statements if text == _echo(entry)]
                yield from ((number, entry) for number in same)
            elif entry.id in numbers:
                yield numbers[entry.id], entry

    def _by_place(self, turn: Turn, entries: Sequence[Entry]) -> Iterator[tuple[int, Entry]]:
        order = [number for number, _ in turn.ask.payload.statements]
        short = len(entries) < len(order)
        if short and not (self.system.prefix and turn.attempt == 0):
            return
        if turn.attempt and self._began(turn):
            return  # its first reply was a beginning: what follows it has no place
        labels = {self._label(entry) for entry in entries}
        if len(entries) <= len(order) or (len(labels) == 1 and "supported" not in labels):
            yield from zip(order, entries, strict=False)

    def _began(self, turn: Turn) -> bool:
        """Whether an earlier reply was read as the verdicts of the first statements."""
        return self.system.prefix and any(
            before.attempt < turn.attempt
            and before.ask.kind == turn.ask.kind
            and before.ask.payload.sentences == turn.ask.payload.sentences
            and texts_of(before.ask) & texts_of(turn.ask)
            and 0 < len(before.content.entries) < len(before.ask.ids)
            and all(e.id is None and not _echo(e) for e in before.content.entries)
            for before in self.turns
        )

    def _numbers(self, turn: Turn) -> dict[int, int]:
        """What each number of a reply means: numbers are moved only where they cover the ask."""
        given = sorted({e.id for e in turn.content.entries if e.id is not None})
        asked = sorted(turn.ask.ids)
        literal = {number: number for number in given if number in asked}
        if set(given) <= set(asked):
            return literal
        run = bool(given) and given == list(range(given[0], given[0] + len(given)))
        if run and len(given) == len(asked) and (len(given) > 1 or given[0] in (0, 1)):
            elsewhere = set(given) - set(asked)
            taken = turn.attempt > 0 and bool(elsewhere & self._asked_before(turn))
            return {} if taken else dict(zip(given, asked, strict=True))
        return {} if 0 in given else literal

    def _asked_before(self, turn: Turn) -> set[int]:
        kind = turn.ask.kind
        return {n for t in self.turns if t is not turn and t.ask.kind == kind for n in t.ask.ids}

    def _joint(self, turn: Turn) -> Said:
        """A joint reply: each entry is a claim of the sentence with its number."""
        numbers, texts = self._numbers(turn), dict(turn.ask.payload.statements)
        labels: dict[tuple[int, str], set[str]] = {}
        accused = self._accused(turn)
        for entry in turn.content.entries:
            if entry.id not in numbers:
                continue
            number = numbers[entry.id]
            claim = (entry.claim or "").strip() or texts[number]
            bad = entry.denied or number in accused
            labels.setdefault((number, claim), set()).add("" if bad else self._label(entry))
        given = {key: next(iter(found)) for key, found in labels.items() if len(found) == 1}
        return Said(claims={key: label for key, label in given.items() if label})


def _echo(entry: Entry) -> str:
    """The statement that an entry repeats."""
    return entry.echo or entry.claim or ""
