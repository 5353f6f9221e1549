"""``aeadlab tune``: choose the fastest allowed AEAD, block size and thread count on this computer."""

from __future__ import annotations

import argparse

from aeadlab.cli.options import add, add_forms, print_result, seconds

NAME = "tune"
HELP = "choose the fastest AEAD, block size and thread count here, and store them for ParSplit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "--allow",
        "--implementation",
        nargs="+",
        action="extend",
        metavar="AEAD",
        help="names, algorithms or globs, preferred ones first (default: AES-GCM, ChaCha20-Poly1305, "
        "XChaCha20-Poly1305, AES-GCM-SIV)",
    )
    add(parser, "--size", help="message length, such as 64M (default)")
    add(parser, "--block-size", help="the only block size to try")
    add(parser, "--threads", help="largest thread count")
    text = "approximate duration of the measurement, without verification (default: 5)"
    parser.add_argument("--seconds", type=seconds, metavar="SECONDS", help=text)
    parser.add_argument("--fresh", action="store_true", help="measure again instead of using a stored result")
    add(parser, "--plugins")
    add_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Choose, and print the choice with its reason."""
    # Imported here because the statistics take long to load, and other verbs do not need them.
    from aeadlab.lab.tuning import BYTES, SECONDS, as_text, tune

    tuned = tune(
        arguments.allow,
        BYTES if arguments.size is None else arguments.size,
        block_size=arguments.block_size,
        threads=arguments.threads,
        seconds=SECONDS if arguments.seconds is None else arguments.seconds,
        fresh=arguments.fresh,
        plugins=arguments.plugins,
    )
    print_result(arguments.form, lambda: as_text(tuned), tuned.as_dict)
    return 0
