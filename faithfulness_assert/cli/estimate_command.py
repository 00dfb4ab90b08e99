"""``estimate`` says what grading a data set will use, before anything is sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..batch.data_sets import open_data_set
from ..batch.estimate import SAMPLE, estimate_run
from ..batch.provider_batches import SERVICES
from .exit_codes import PASSED
from .grading_arguments import add_grading_arguments, columns, grading_options
from .terminal import show_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``estimate``."""
    parser.add_argument("data_set", metavar="INPUT", help="a data set, as for batch")
    add_grading_arguments(parser)
    parser.add_argument(
        "--sample",
        type=int,
        default=SAMPLE,
        help=f"the most cases that are planned (default: {SAMPLE})",
    )
    parser.add_argument(
        "--via",
        metavar="API",
        choices=list(SERVICES),
        help="count what each ask and reply over a batch API has more: openai-batch or "
        "anthropic-batch; give its prices",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    """Shows what the run will use."""
    mapping = columns(arguments)
    options = {**grading_options(arguments), "sample": arguments.sample}
    data_set = open_data_set(arguments.data_set, mapping=mapping)
    via = arguments.via is not None
    estimate = estimate_run(data_set.rows(), over_batch_api=via, **options)
    if arguments.json:
        print(json.dumps(estimate.to_json()))
        return PASSED
    for line in str(estimate).splitlines():
        show_line(line)
    return PASSED
