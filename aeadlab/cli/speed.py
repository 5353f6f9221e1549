"""``aeadlab speed``: which of some implementations is faster here, measured now."""

from __future__ import annotations

import argparse
import json

from aeadlab.cli.options import add_plugins, sizes

NAME = "speed"
HELP = "measure implementations now, and say which is the fastest here"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "names", nargs="+", metavar="NAME", help="an implementation, an algorithm or a glob: aes-256-gcm, 'ring/*'"
    )
    parser.add_argument("--size", metavar="SIZE,...", help="lengths of the message: 1400,16K,1MiB (default: 16K)")
    parser.add_argument("--open", action="store_true", help="measure open or decrypt instead of seal or encrypt")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="thread count of ParSplit (default: 1)")
    parser.add_argument("--samples", type=int, metavar="N", help="samples of each case (default: 30)")
    parser.add_argument("--all", action="store_true", help="measure also more than 200 implementations")
    add_plugins(parser)
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the table and the answers; return 1 if an implementation was not timed."""
    from aeadlab.lab.speed import SIZE, speed

    result = speed(
        arguments.names,
        size=sizes(arguments.size) or SIZE,
        open=arguments.open,
        threads=arguments.threads,
        all=arguments.all,
        samples=arguments.samples,
        plugins=arguments.plugins,
    )
    print(json.dumps(result.as_dict(), indent=1) if arguments.json else result.as_text())
    return int(bool(result.not_timed))
