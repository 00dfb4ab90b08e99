"""Words with which a sentence says that it is not certain. Such a sentence needs no citation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNABLE = r"(?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|unable to)"
_HEDGES = (
    # English
    r"may|might|could be|possibly|perhaps|probably|presumably|apparently|seems?",
    r"unclear|uncertain|unknown|unsure|not (?:sure|certain|known)",
    rf"{_UNABLE} (?:know|say|tell|determine|find|answer|confirm|verify)",
    r"(?:no|insufficient|not enough|lacks?) (?:information|evidence|data|details?)",
    r"not (?:mentioned|stated|specified|provided)",
    # German
    r"möglicherweise|vielleicht|eventuell|vermutlich|wahrscheinlich|unklar|unbekannt|könnten?",
    r"weiß (?:ich )?nicht|keine (?:Angaben?|Information(?:en)?)",
    # French
    r"peut-être|possiblement|probablement|pourrai(?:t|ent)|incertain|inconnu|pas clair|ne sais pas",
    r"aucune (?:information|donnée)|pas d['’]information",
    # Spanish
    r"quizás?|tal vez|posiblemente|probablemente|podrían?|incierto|desconocid[oa]",
    r"no (?:está claro|sé)|no hay (?:información|datos)",
    # Italian
    r"forse|possibilmente|probabilmente|potrebbe(?:ro)?|incerto|sconosciut[oa]|non (?:è chiaro|so)",
    r"nessuna informazione",
    # Portuguese
    r"talvez|possivelmente|provavelmente|poderia|desconhecid[oa]|não (?:está claro|sei)",
    r"não há (?:informaç(?:ão|ões)|dados)",
    # Dutch
    r"misschien|mogelijk|wellicht|waarschijnlijk|onduidelijk|onbekend|weet (?:ik )?niet",
    r"geen (?:informatie|gegevens)",
)
_HEDGE = re.compile(rf"\b(?:{'|'.join(_HEDGES)})\b")


def is_hedged(sentence: str, phrases: Sequence[str] = ()) -> bool:
    """Whether a sentence says that it is not certain: with one of ``phrases``, if there are any."""
    if phrases:
        text = sentence.casefold()
        return any(phrase.casefold() in text for phrase in phrases)
    # "Perhaps" is a hedge at the start too, but "May" is a month.
    plain = sentence if sentence.startswith("May ") else sentence[:1].lower() + sentence[1:]
    return _HEDGE.search(plain) is not None
