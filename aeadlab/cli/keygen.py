"""``aeadlab keygen``: a file with a new key."""

from __future__ import annotations

import argparse

from aeadlab.cli.file_options import format_name

NAME = "keygen"
HELP = "create a key file for encrypt and decrypt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("file", metavar="FILE", help="the key file, which must not exist")
    text = "format that the key is for (default: cobblestone-256)"
    parser.add_argument("--format", type=format_name, default="cobblestone-256", metavar="FORMAT", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Write the key, which only the owner of the file can read."""
    from aeadlab.files.key_file import write_key_file

    write_key_file(arguments.file, arguments.format)
    return 0
