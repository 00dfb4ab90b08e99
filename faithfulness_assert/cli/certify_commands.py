"""``certify`` says where a first judge agrees with a second one, and writes it as a certificate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..batch.certifying import AGREE, certify, needed
from ..files import as_text, check_new_file, new_file
from ..judges.certificate import OUTCOMES
from ..records.errors import ConfigError
from .arguments import share
from .exit_codes import FAILED, PASSED
from .terminal import show_line, show_table

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..batch.certifying import Certified, Rule

HEAD = ("passes from", "fails from", "calls saved", "agreement", "differ", "enough")


def add_certify_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``certify``."""
    parser.epilog = "Exit codes: 0 the certificate is written, 1 there is none, 2 wrong use."
    parser.add_argument("first", metavar="A", help="a run of the judge that is asked first")
    parser.add_argument(
        "second", metavar="B", help="a run over the same cases of the judge that counts as right"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="where the certificate is written"
    )
    parser.add_argument(
        "--agree",
        type=share,
        metavar="SHARE",
        default=AGREE,
        help="the share of the cases that A answers in which B must agree, such as 0.9 or 90%% "
        f"(default: {AGREE:.0%}%)",
    )


def run_certify(arguments: Namespace) -> int:
    """Writes the certificate, or says what is lacking."""
    try:
        check_new_file(arguments.output)
        found = certify(arguments.first, arguments.second, arguments.agree)
        show_line(
            f"Tested on {found.cases:,} cases that had no part in choosing the rules; "
            f"{found.left_out:,} cases are not in both runs, or could not be graded"
        )
        show_table(HEAD, [_row(rule, found) for rule in found.curve])
        if found.certificate is None:
            show_line(_lacking(found, arguments.agree))
            return FAILED
        with new_file(arguments.output) as file, as_text(file) as text:
            json.dump(found.certificate.to_json(), text, indent=1)
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        raise ConfigError(f"{arguments.output}: {problem}") from None
    saved = found.certificate.accepted / found.cases
    show_line(f"{arguments.output}: {found.certificate.promise}; it saves {saved:.0%} of the calls")
    return PASSED


def _row(rule: Rule, found: Certified) -> tuple[str, ...]:
    """A rule: from which certainty on results are accepted."""
    limits = (f"{rule.limits[o]:.2f}" if o in rule.limits else "never" for o in OUTCOMES)
    agreement = f"{1 - rule.differing / rule.accepted:.1%}" if rule.accepted else "-"
    is_it = found.certificate and rule.limits == found.certificate.limits
    saved = f"{rule.accepted / found.cases:.0%}"
    return (*limits, saved, agreement, f"{rule.differing:,}", "<- certified" if is_it else "")


def _lacking(found: Certified, agree: float) -> str:
    best = min(found.curve, key=lambda rule: rule.chance, default=None)
    if best is None or not best.accepted:
        return "No certificate: the first judge is sure of no case; give more cases"
    said = f"the best rule accepts {best.accepted:,} cases, of which {best.differing:,} differ"
    wanted = f"{needed(best.differing, agree):,} would be enough for {agree:.1%}"
    return f"No certificate: {said}; {wanted}. Grade more cases with both, or lower --agree"
