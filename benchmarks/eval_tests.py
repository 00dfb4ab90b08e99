"""Made-up tests for an eval of promptfoo: as many as needed, the same on every machine."""

from __future__ import annotations

import random
from typing import Any

TOWNS = (
    "Arvika Belmora Cindral Dunvale Estrin Farrow Galdis Hethel "
    "Ivrea Jastow Kelmin Lorvik Mandal Norrin Ostrel Pavane"
).split()
FILLING = (
    "The surrounding district is known for its mixed forests and its long winters.",
    (
        "Visitors usually arrive by the regional railway, "
        "which stops at every village on the way to the coast."
    ),
    (
        "Local archives keep letters, maps and council minutes "
        "from the time when the first bridges were built."
    ),
    "In autumn the market moves from the square to the old customs house beside the harbour.",
    "A footpath follows the river past three mills, a chapel and the remains of a quarry.",
    "The school, the library and the baths share one building that was a weaving mill before.",
    "Boats were moored at the wooden pier until the ice took it away, and no one built it again.",
    "Every second summer a choir from the neighbouring valley sings in the ruins of the abbey.",
    "The oldest inn has seven rooms, a bakery and a garden with apple trees.",
)


def case(number: int) -> dict[str, Any]:
    """A made-up test: three passages of about 330 characters, and an answer of five sentences.

    The passages contain about 70 % of the sentences.
    """
    dice = random.Random(number)
    town = TOWNS[number % len(TOWNS)]
    founded, people, height, staff, far = (
        dice.randrange(*span) for span in ((1200, 1900), (3, 90), (20, 180), (12, 400), (5, 95))
    )

    def facts(year: int, thousands: int, metres: int, workers: int, km: int) -> list[str]:
        return [
            f"{town} was founded in {year} beside the river Osk.",
            f"The town of {town} has {thousands},000 inhabitants.",
            f"The clock tower in {town} is {metres} metres tall.",
            f"The boatyard employs {workers} people in {town}.",
            f"A ferry links {town} with an island {km} kilometres away.",
        ]

    true = facts(founded, people, height, staff, far)
    made_up = facts(founded + 111, people + 200, height + 77, staff + 500, far + 200)
    filling = dice.sample(FILLING, len(FILLING))
    passages = [
        *zip(true[0::2], [*true[1::2], ""], filling[0:3], filling[3:6], filling[6:9], strict=True)
    ]
    return {
        "description": f"test {number}",
        "vars": {
            "query": f"What should a visitor know about {town}?",
            "context": [" ".join(filter(None, passage)) for passage in passages],
        },
        "providerOutput": " ".join(
            dice.choices((right, wrong), (7, 3))[0]
            for right, wrong in zip(true, made_up, strict=True)
        ),
        "options": {"disableVarExpansion": True},
    }
