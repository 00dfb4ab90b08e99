"""``certify`` says where a first judge agrees with a second one, and writes it as a certificate."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser, Namespace

from ..batch.certifying import AGREE, Certified, certify
from ..files import as_text, new_file
from ..judges.certificate import OUTCOMES, Rule
from ..records.errors import ConfigError
from .arguments import check_report_argument, share
from .exit_codes import FAILED, PASSED
from .terminal import show_line, show_table

HEAD = ("passes from", "fails from", "calls saved", "agreement", "at least", "differ", "")


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
    parser.add_argument("--report", metavar="FILE", help="also draw the curve, as an HTML page")
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
        check_report_argument(arguments)
        found = certify(arguments.first, arguments.second, arguments.agree)
        show_line(
            f"Tested on {found.cases:,} cases over {found.contexts:,} contexts, "
            "which had no part in choosing the rules; "
            f"{found.left_out:,} cases are not in both runs, could not be graded, or repeat one"
        )
        show_line(
            "A rule accepts results of A that pass, and that fail, from a certainty on. Of those, "
            f"B must agree with {found.agree:.1%} at least:"
        )
        show_table(HEAD, [_row(rule, found) for rule in found.curve])
        if arguments.report is not None:
            from ..report.certify_page import write_certify_page

            write_certify_page(found, arguments.report)
            show_line(f"{arguments.report}: the same as a page, with a chart")
        if found.certificate is None:
            show_line(found.verdict)
            return FAILED
        with new_file(arguments.output) as file, as_text(file) as text:
            json.dump(found.certificate.to_json(), text, indent=1)
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        raise ConfigError(f"{arguments.output}: {problem}") from None
    show_line(f"{arguments.output}: {found.verdict}")
    show_line(f"Use it with the options of both runs and {_use(found.judges, arguments.output)}")
    return PASSED


def _use(judges: tuple[str, str], path: str) -> str:
    """The arguments that grade with the certificate."""
    judge = f"cascade:{','.join(judges)}"
    return shlex.join(["--judge", judge, "-o", f"certificate={path}"])


def _row(rule: Rule, found: Certified) -> tuple[str, ...]:
    """A rule: from which certainty on results are accepted."""
    limits = (f"{rule.limits[o]:.4g}" if o in rule.limits else "never" for o in OUTCOMES)
    agreement = "-" if rule.agreement is None else f"{rule.agreement:.1%}"
    is_it = found.certificate and rule.limits == found.certificate.limits
    saved, mark = f"{rule.accepted / found.cases:.0%}", "<- certified" if is_it else ""
    return (*limits, saved, agreement, f"{rule.least:.1%}", f"{rule.differing:,}", mark)
