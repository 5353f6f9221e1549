"""``aeadlab measure``: time a study and store the record."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from aeadlab.cli.options import add_plugins, sizes
from aeadlab.display.units import parse_size
from aeadlab.errors import ArgumentError

NAME = "measure"
HELP = "verify and time a study; an interrupted run resumes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("study", metavar="STUDY", help="a study, such as baselines; `aeadlab studies` lists them")
    parser.add_argument("--profile", default="quick", help="smoke, quick (default) or paper")
    parser.add_argument(
        "--implementation", action="append", metavar="NAME", help="measure this instead of the study's (repeatable)"
    )
    parser.add_argument(
        "--threads", action="append", type=int, metavar="N", help="thread count of ParSplit (repeatable)"
    )
    parser.add_argument(
        "--block-size", action="append", default=[], metavar="SIZE", help="block size of ParSplit: 64K (repeatable)"
    )
    parser.add_argument("--size", metavar="SIZE", help="length of large messages: 16M (default: the profile's)")
    parser.add_argument("--samples", type=int, metavar="N", help="samples of each case (default: the profile's)")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="time budget (default: the profile's)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the case order and of the data (default: 1)")
    parser.add_argument(
        "--mask", action="append", default=[], metavar="MASK", help="add cases with CPU features hidden (repeatable)"
    )
    add_plugins(parser)
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder for the record")
    parser.add_argument(
        "--cluster",
        metavar="tcp://HOST:PORT",
        help="measure on every host of this Dask scheduler instead (docs/CLUSTER.md)",
    )
    parser.add_argument("--host", action="append", metavar="NAME", help="use only this host (repeatable)")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print the summary; return 1 if a case failed or a requested implementation was not timed."""
    names = arguments.implementation or ()
    if arguments.cluster is not None:
        from aeadlab.lab import cluster

        results = cluster.measure_on_cluster(
            arguments.study, arguments.profile, address=arguments.cluster, hosts=arguments.host, **_options(arguments)
        )
        print(cluster.summary(results))
        return int(not cluster.all_complete(results, names))
    if arguments.host is not None:
        raise ArgumentError("--host names hosts of a cluster: give --cluster with it, or leave it out")
    from aeadlab.lab import measurement

    record = measurement.measure(arguments.study, arguments.profile, **_options(arguments))
    print(measurement.summary(record))
    return int(not measurement.is_complete(record, names))


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments that `measure` and `measure_on_cluster` share."""
    return {
        "size": None if arguments.size is None else parse_size(arguments.size),
        "samples": arguments.samples,
        "budget": arguments.budget,
        "implementations": arguments.implementation,
        "threads": arguments.threads,
        "block_sizes": [size for text in arguments.block_size for size in sizes(text)] or None,
        "folder": arguments.output,
        "plugins": arguments.plugins,
        "seed": arguments.seed,
        "masks": arguments.mask,
    }
