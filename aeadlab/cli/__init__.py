"""The command line: one file per verb, each with NAME, HELP, ``add_arguments`` and ``run``."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from aeadlab.errors import ArgumentError, Error, UnknownNameError

if TYPE_CHECKING:
    import argparse

OK, FAILED, INVALID_ARGUMENTS, INTERRUPTED = 0, 1, 2, 130
_AGAIN_SECONDS = 0.02


def parser() -> argparse.ArgumentParser:
    """Return the parser of all verbs."""
    # These are imported after `main` has removed the current folder from the search path.
    import pkgutil
    from importlib import metadata

    from aeadlab.cli.completion import SHELLS, PrintCompletion
    from aeadlab.cli.parsing import Parser

    top = Parser(prog="aeadlab", description="A research lab for authenticated encryption: verify, measure, draw.")
    top.add_argument("--version", action="version", version=f"aeadlab {metadata.version('aeadlab')}")
    text = 'completion for `eval "$(aeadlab --print-completion bash)"`, or zsh; in fish: `... fish | source`'
    top.add_argument("--print-completion", action=PrintCompletion, choices=SHELLS, metavar="SHELL", help=text)
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    for module in pkgutil.iter_modules(__path__):
        verb = import_module(f"{__name__}.{module.name}")
        if hasattr(verb, "NAME"):
            sub = verbs.add_parser(verb.NAME, help=verb.HELP, description=f"{verb.HELP[0].upper()}{verb.HELP[1:]}.")
            verb.add_arguments(sub)
            sub.set_defaults(run=verb.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; return 0, 1 after a failure, 2 for invalid arguments, or 130 after Ctrl-C.

    Parameters
    ----------
    arguments
        None means those of this process, which then belongs to the command: it imports nothing more from the current
        folder, and the text that libraries print goes to standard error.
    """
    try:
        code = _main(arguments)
    except KeyboardInterrupt:
        print("aeadlab: interrupted", file=sys.stderr)
        code = INTERRUPTED
    if code == INTERRUPTED and arguments is None:
        # The end of the interpreter takes half a second with the packages that notebooks need.
        for stream in filter(None, (sys.stdout, sys.stderr)):
            with suppress(OSError):
                stream.flush()
        os._exit(code)
    return code


def _main(arguments: Sequence[str] | None) -> int:
    if arguments is None:
        _protect_process()
    top = parser()
    if arguments is None:
        from aeadlab.cli.completion import complete

        complete(top)
    parsed = top.parse_args(arguments)
    code = _run(parsed)
    try:
        # Flushed here, because at exit Python would print its own message for a full disk or a closed pipe.
        print(end="", flush=True)
    except OSError as error:
        if code == OK and not isinstance(error, BrokenPipeError):
            print(f"aeadlab {parsed.verb}: {_system_error(error)}", file=sys.stderr)
            code = FAILED
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    return code


def _protect_process() -> None:
    from aeadlab.host.launch import is_current_folder

    report, sys.unraisablehook = sys.unraisablehook, lambda event: _unraisable(event, report)
    sys.path[:] = [entry for entry in sys.path if not is_current_folder(entry)]
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper) and stream is sys.__stdout__:
        # A second descriptor, because libraries also print at the end of the process.
        own = open(os.dup(1), "w", encoding=stream.encoding, errors=stream.errors)  # noqa: SIM115
        own.reconfigure(line_buffering=stream.line_buffering, write_through=stream.write_through)
        os.dup2(2 if sys.stderr is not None else os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdout = own


def _unraisable(event: sys.UnraisableHookArgs, report: Callable[[sys.UnraisableHookArgs], object]) -> None:
    """Interrupt the command again after an interrupt during a callback, such as those of imports, which ignore it."""
    if issubclass(event.exc_type, KeyboardInterrupt):
        # From another thread, because here it would be ignored, too; a signal also ends a wait of the main thread.
        main_thread = threading.main_thread().ident
        threading.Timer(_AGAIN_SECONDS, signal.pthread_kill, (main_thread, signal.SIGINT)).start()
    else:
        report(event)


def _run(parsed: argparse.Namespace) -> int:
    from aeadlab.display.printable import printable

    try:
        return int(parsed.run(parsed))
    except Error as error:
        print(f"aeadlab {parsed.verb}: {printable(str(error))}", file=sys.stderr)
        return INVALID_ARGUMENTS if isinstance(error, ArgumentError | UnknownNameError) else FAILED
    except KeyboardInterrupt as interrupt:
        print(f"aeadlab {parsed.verb}: {str(interrupt) or 'interrupted'}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # A reader such as `head` closed the pipe, which is no failure.
        return OK
    except OSError as error:
        print(f"aeadlab {parsed.verb}: {_system_error(error)}", file=sys.stderr)
        return FAILED


def _system_error(error: OSError) -> str:
    """Return the file and the reason, as commands of the system print them."""
    from aeadlab.display.printable import printable

    names = [os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
    return printable(": ".join([*names, error.strerror or str(error)]))
