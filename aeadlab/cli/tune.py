"""``aeadlab tune``: choose the fastest allowed AEAD, block size and thread count on this computer."""

from __future__ import annotations

import argparse
import json
import re

from aeadlab.cli.options import add_plugins

NAME = "tune"
HELP = "choose the fastest AEAD, block size and thread count here, and store them for ParSplit"

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "--allow",
        nargs="+",
        metavar="AEAD",
        help="names, algorithms or globs, preferred ones first (default: AES-GCM, ChaCha20-Poly1305, "
        "XChaCha20-Poly1305, AES-GCM-SIV)",
    )
    parser.add_argument("--size", type=_bytes, metavar="BYTES", help="message length, such as 64M (default)")
    parser.add_argument("--block-size", type=_bytes, metavar="BYTES", help="the only block size to try")
    parser.add_argument("--threads", type=int, metavar="N", help="largest thread count")
    text = "approximate duration of the measurement, without verification (default: 5)"
    parser.add_argument("--seconds", type=float, metavar="SECONDS", help=text)
    parser.add_argument("--fresh", action="store_true", help="measure again instead of using a stored result")
    add_plugins(parser)
    parser.add_argument("--json", action="store_true", help="print as JSON")


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
    print(json.dumps(tuned.as_dict(), indent=1) if arguments.json else as_text(tuned))
    return 0


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]+)([KMG]?)", text.upper().removesuffix("IB"))
    if match is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a length: give a number of bytes, or one followed by K, M or G"
        )
    return int(match[1]) * _UNITS[match[2]]
