"""Options and the progress bar that ``encrypt`` and ``decrypt`` share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aeadlab.cli.options import add
from aeadlab.errors import ArgumentError

if TYPE_CHECKING:
    from aeadlab.files import Passphrase
    from aeadlab.files.formats import Key
    from aeadlab.files.transfer import Progress

_BAR_AFTER_SECONDS = 0.5


def format_name(text: str) -> str:
    """Return the name of a format of this command, which has none whose key must seal one message only."""
    from aeadlab.files.formats import FORMATS, OWN, RAW, find_format

    name = find_format(text, FORMATS.keys() - RAW - {OWN}).name
    if name in RAW:
        why = "whose key must seal one message only: call aeadlab.files instead"
        raise argparse.ArgumentTypeError(f"{name} given, {why}")
    return name


def add_file_options(parser: argparse.ArgumentParser, default: str) -> Any:
    """Declare the options of both verbs, and return the group of the keys.

    `default` states which format is used without ``--format``.
    """
    parser.add_argument("source", metavar="IN", help="the input; - is standard input")
    parser.add_argument("sink", metavar="OUT", help="the output; - is standard output")
    keys = parser.add_mutually_exclusive_group(required=True)
    keys.add_argument("--key-file", metavar="FILE", help="the key, as `aeadlab keygen` writes it")
    keys.add_argument("--passphrase", action="store_true", help="ask for the passphrase of an age file")
    names = "cobblestone-128, age, floe, tink-aes256-gcm-hkdf-1mb and others of docs/FORMATS.md"
    text = f"format of the encrypted file: {names} (default: {default})"
    parser.add_argument("--format", type=format_name, metavar="FORMAT", help=text)
    text = "text that the encrypted file is bound to and does not contain"
    parser.add_argument("--context", default="", metavar="TEXT", help=text)
    add(parser, "--threads", help="number of threads (default: the cores)")
    parser.add_argument("--force", action="store_true", help="overwrite an output that exists")
    return keys


@contextmanager
def bar(verb: str, total: int | None) -> Iterator[Progress]:
    """Show the bytes done, the rate and the time left while it is open, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from tqdm import tqdm

    unit: dict[str, Any] = {"unit": "B", "unit_scale": True, "unit_divisor": 1024}
    with tqdm(desc=verb, total=total, delay=_BAR_AFTER_SECONDS, leave=False, **unit) as shown:
        yield shown.update


def key_of(arguments: argparse.Namespace, format: str | None, *, twice: bool) -> Key:
    """Return the key that the options name; a passphrase is asked for, once more where `twice` is true."""
    if arguments.passphrase:
        if format not in (None, "age"):
            raise ArgumentError(f"--passphrase given, but {format} has keys of random bytes: use --key-file, or age")
        return _passphrase(twice)
    from aeadlab.files.key_file import read_key_file

    return read_key_file(arguments.key_file, format)


def _passphrase(twice: bool) -> Passphrase:
    from getpass import getpass

    from aeadlab.files import Passphrase

    text = getpass("Passphrase: ")
    if not text:
        raise ArgumentError("an empty passphrase given")
    if twice and getpass("Passphrase again: ") != text:
        raise ArgumentError("two different passphrases given")
    return Passphrase(text)
