"""What a reply says to a reader who knows nothing but the ask: the oracle's own reading."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fuzz.judge_faults import Entry
from fuzz.oracle_systems import LABELS, System
from fuzz.simulated_judge import Turn, texts_of


@dataclass(frozen=True)
class Said:
    """What one reply says, by number of the ask: the labels it gives, and whom it speaks against.

    ``denied``: numbers of other asks that it speaks against.
    """

    named: Mapping[int, str] = field(default_factory=dict)
    against: frozenset[int] = frozenset()
    denied: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Reader:
    """Reads replies as somebody would who knows nothing but the ask."""

    system: System
    turns: Sequence[Turn]

    def said(self, turn: Turn) -> Said:
        """What the reply of a turn says. One that cannot be used or read says nothing."""
        if not turn.content.usable:
            return Said()
        labels: dict[int, set[str]] = {}
        placed = list(self._placed(turn))
        for number, entry in placed:
            labels.setdefault(number, set()).add(self._label(entry))
        against = {number for number, entry in placed if entry.denied} | self._accused(turn)
        named = {
            number: next(iter(given))
            for number, given in labels.items()
            if len(given) == 1 and not self._is_doubted(next(iter(given)), number, turn, against)
        }
        foreign = {
            entry.id
            for entry in turn.content.entries
            if entry.id and entry.id not in turn.ask.ids and not self._earns(self._label(entry))
        }
        found = {number: label for number, label in named.items() if label}
        return Said(found, frozenset(against - set(found)), frozenset(foreign))

    def _is_doubted(self, label: str, number: int, turn: Turn, against: set[int]) -> bool:
        """Whether a label earns something, and the reply says something else, too."""
        if not self._earns(label):
            return False
        strangers = [e for e in turn.content.entries if e.id not in (None, *turn.ask.ids)]
        # Numbers that were not asked are passed over, where those that were asked are all there.
        lacks = (
            not {e.id for e in turn.content.entries} >= set(turn.ask.ids) or not turn.ask.ids[1:]
        )
        denies = not all(
            self._earns(self._label(e)) or self._label(e) == "not_enough_info" for e in strangers
        )
        odd = (strangers and (lacks or denies)) or (
            turn.content.frame is not None and "Wait" in turn.content.frame[0]
        )
        return (
            bool(odd)
            or number in against
            or bool(turn.content.overall and not turn.content.accused)
        )

    def _earns(self, label: str) -> bool:
        weights = self.system.weights
        worst = (max if self.system.inverse else min)(weights.values(), default=0)
        return label == "not_a_claim" or weights.get(label, worst) != worst

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
        return asked if content.overall else set()

    def _placed(self, turn: Turn) -> Iterator[tuple[int, Entry]]:
        """The entries with the number that they are about, where that is beyond doubt."""
        texts = dict(turn.ask.payload.items)
        entries = turn.content.entries
        loose = [entry for entry in entries if entry.id is None]
        short = len(loose) < len(texts) and self.system.prefix
        by_place = self._is_first(turn)
        fits = len(loose) == len(texts) or (short and len(loose) == len(entries))
        placed = list(zip(texts, loose, strict=False)) if by_place and fits else []
        if len(texts) == 1:
            placed = [(next(iter(texts)), entry) for entry in loose]
        placed += [(entry.id, entry) for entry in entries if entry.id in texts]
        for number, entry in placed:
            if not entry.echo or entry.echo == texts[number]:
                yield number, entry

    def _is_first(self, turn: Turn) -> bool:
        """Whether these statements were not asked about before, in this context."""
        return not any(
            before.ask.kind == "verdicts"
            and before.attempt < turn.attempt
            and before.ask.payload.sentences == turn.ask.payload.sentences
            and texts_of(before.ask) & texts_of(turn.ask)
            for before in self.turns
        )
