"""``aeadlab speed``: which of some implementations is faster here, measured now."""

from __future__ import annotations

import argparse

from aeadlab.cli.options import add, add_forms, print_result, sizes
from aeadlab.display.progress_line import ProgressLine

NAME = "speed"
HELP = "measure implementations now, and report which is the fastest here"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add(parser, "names", nargs="+")
    text = "lengths of the message: 1400,16K,1MiB (default: 16K)"
    add(parser, "--size", type=sizes, metavar="SIZE,...", help=text)
    parser.add_argument("--open", action="store_true", help="measure open or decrypt instead of seal or encrypt")
    add(parser, "--threads", default=1, help="thread count of ParSplit (default: 1)")
    add(parser, "--samples", help="samples of each case (default: 24)")
    parser.add_argument("--all", action="store_true", help="measure also more than 200 implementations")
    add(parser, "--plugins")
    add_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the table and the answers; return 1 if an implementation was not timed."""
    with ProgressLine("aeadlab speed"):
        from aeadlab.catalogue import load, patterns

        # An unknown name is an error before the packages that take seconds to load.
        patterns.select(load(arguments.plugins), arguments.names)
        from aeadlab.lab.speed import SIZE, speed

        result = speed(
            arguments.names,
            size=arguments.size or SIZE,
            open=arguments.open,
            threads=arguments.threads,
            all=arguments.all,
            samples=arguments.samples,
            plugins=arguments.plugins,
        )
    print_result(arguments.form, result.as_text, result.as_dict)
    return int(bool(result.not_timed))
