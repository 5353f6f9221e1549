"""``aeadlab measure``: time a study and store the record."""

from __future__ import annotations

import argparse
from typing import Any

from aeadlab.cli.options import PATTERN, add, add_forms, print_result, seconds, sizes, study
from aeadlab.display.progress_line import ProgressLine
from aeadlab.errors import ArgumentError

NAME = "measure"
HELP = "verify and time a study; an interrupted run resumes"


class _StudyNames:
    """The names of all studies, which are loaded only when the help is printed."""

    def __str__(self) -> str:
        from aeadlab.studies import all_studies

        return ", ".join(all_studies())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    action = parser.add_argument(
        "study", type=study, metavar="STUDY", help="%(studies)s; `aeadlab studies` lists their questions and efforts"
    )
    # The help of an argument is formatted with its attributes.
    vars(action)["studies"] = _StudyNames()
    add(parser, "--profile")
    add(parser, "--implementation", help=f"measure instead of the study's: {PATTERN} (repeatable)")
    add(parser, "--threads", action="append", help="thread count of ParSplit (repeatable)")
    add(parser, "--block-size", action="extend", type=sizes, help="block size of ParSplit: 64K (repeatable)")
    add(parser, "--size", help="length of large messages: 16M (default: the profile's)")
    add(parser, "--samples")
    parser.add_argument("--budget", type=seconds, metavar="SECONDS", help="time budget (default: the profile's)")
    add(parser, "--seed")
    add(parser, "--mask", default=[], help="add cases with CPU features hidden (repeatable)")
    add(parser, "--plugins")
    add(parser, "--output", help="folder for the record and its report")
    parser.add_argument(
        "--cluster",
        metavar="tcp://HOST:PORT",
        help="measure on every host of this Dask scheduler instead (docs/CLUSTER.md)",
    )
    parser.add_argument("--host", action="append", metavar="NAME", help="use only this host (repeatable)")
    add_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure, and print the answer; return 1 if a case failed or a requested implementation was not timed."""
    names = arguments.implementation or ()
    if arguments.cluster is not None:
        from aeadlab.lab import cluster

        results = cluster.measure_on_cluster(
            arguments.study, arguments.profile, address=arguments.cluster, hosts=arguments.host, **_options(arguments)
        )
        print_result(arguments.form, lambda: cluster.summary(results), lambda: cluster.as_dict(results))
        return int(not cluster.all_complete(results, names))
    if arguments.host is not None:
        raise ArgumentError("--host names hosts of a cluster: give --cluster with it, or leave it out")
    with ProgressLine("aeadlab measure") as line:
        from aeadlab.lab import measurement

        record = measurement.measure(arguments.study, arguments.profile, announce=line.note, **_options(arguments))
        try:
            result = (measurement.summary if arguments.form == "text" else measurement.as_dict)(record)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted while drawing the report; the record is {record.path}") from None
    print_result(arguments.form, lambda: str(result), lambda: result)
    return int(not measurement.is_complete(record, names))


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments that `measure` and `measure_on_cluster` share."""
    return {
        "size": arguments.size,
        "samples": arguments.samples,
        "budget": arguments.budget,
        "implementations": arguments.implementation,
        "threads": arguments.threads,
        "block_sizes": arguments.block_size,
        "folder": arguments.output,
        "plugins": arguments.plugins,
        "seed": arguments.seed,
        "masks": arguments.mask,
    }
