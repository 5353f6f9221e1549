"""``aeadlab decrypt``: the content of an encrypted file, or of a part of it."""

from __future__ import annotations

import argparse

from aeadlab.cli.file_options import add_file_options, bar, key_of

NAME = "decrypt"
HELP = "decrypt a file, or a part of it, on all cores"


def span(text: str) -> tuple[int, int | None]:
    """Return the first byte of ``FROM:TO`` and the one after the last; each is a size or absent."""
    from aeadlab.cli.options import size

    start, colon, end = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r} given, FROM:TO expected: 1M:2M, :100 or 4096:")
    first = 0 if start in ("", "0") else size(start)
    return first, None if not end else 0 if end == "0" else size(end)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_file_options(parser, "recognized, or Cobblestone by the length of the key")
    text = "only these bytes of the message; reads only their chunks: 1M:2M, :100, 4096:"
    parser.add_argument("--range", type=span, metavar="FROM:TO", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Write the verified content, or nothing to a file; a forgery has exit status 1."""
    from aeadlab.files.transfer import decrypt_path, length

    key = key_of(arguments, arguments.format, twice=False)
    total = length(arguments.source) if arguments.range is None else None
    with bar(NAME, total) as progress:
        decrypt_path(
            key,
            arguments.source,
            arguments.sink,
            arguments.context.encode(),
            format=arguments.format,
            threads=arguments.threads,
            force=arguments.force,
            span=arguments.range,
            progress=progress,
        )
    return 0
