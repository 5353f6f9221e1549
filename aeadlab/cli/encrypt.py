"""``aeadlab encrypt``: a file in a standard format."""

from __future__ import annotations

import argparse

from aeadlab.cli.file_options import add_file_options, bar, key_of

NAME = "encrypt"
HELP = "encrypt a file in a standard format, on all cores"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    keys = add_file_options(parser, "cobblestone-256, or age for recipients and passphrases")
    text = "recipient age1… of an age file (repeatable)"
    keys.add_argument("--recipient", action="append", metavar="AGE1…", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Write the encrypted file, or nothing."""
    from aeadlab.errors import ArgumentError
    from aeadlab.files.formats import AGE, DEFAULT
    from aeadlab.files.transfer import encrypt_path, length

    has_bytes = arguments.key_file is not None
    format = arguments.format or (DEFAULT if has_bytes else AGE)
    if arguments.recipient and format != AGE:
        raise ArgumentError(f"--recipient given, but {format} has keys of random bytes: use --key-file, or age")
    key = arguments.recipient or key_of(arguments, format, twice=True)
    with bar(NAME, length(arguments.source)) as progress:
        encrypt_path(
            key,
            arguments.source,
            arguments.sink,
            arguments.context.encode(),
            format=format,
            threads=arguments.threads,
            force=arguments.force,
            progress=progress,
        )
    return 0
