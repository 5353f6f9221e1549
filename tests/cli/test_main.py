from __future__ import annotations

import argparse
import errno
import os
import subprocess
import sys
from importlib import metadata

import pytest

from aeadlab import errors
from aeadlab.cli import list as list_verb, main, parser

VERBS = ("claims", "compare", "doctor", "figure", "list", "masks", "measure", "rank", "report", "run", "tune", "verify")
COMMAND = [sys.executable, "-c", "import sys; from aeadlab.cli import main; sys.exit(main())"]


def status_of(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    """Return the exit status of a verb that raises this error."""

    def run(_: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr(list_verb, "run", run)
    return main(["list"])


INVALID_USE = {errors.ArgumentError, errors.EmptyFigureError, errors.UnknownNameError}
ALL = [error for error in vars(errors).values() if isinstance(error, type)]


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_errors_of_the_package_are_one_line(
    error: type[errors.Error], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(monkeypatch, error("this was given, that is expected")) == (2 if error in INVALID_USE else 1)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "aeadlab list: this was given, that is expected\n"


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "aeadlab list: interrupted\n"),
        (BrokenPipeError(), 0, ""),
        (
            PermissionError(errno.EACCES, "denied", "/x"),
            1,
            "aeadlab list: [Errno 13] denied: '/x'\n",
        ),
    ],
)
def test_interrupts_and_system_errors_have_no_traceback(
    error: BaseException, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(monkeypatch, error) == code
    assert capsys.readouterr() == ("", message)


def test_does_not_hide_other_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        status_of(monkeypatch, ZeroDivisionError())


@pytest.mark.parametrize("words", [[], ["lst"], ["list", "surplus"], ["list", "--no-such"], ["--json"]], ids=str)
def test_rejects_invalid_command_lines(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(words)
    assert exit_.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: aeadlab")


def test_verbs_have_help_in_80_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in ([], *([verb] for verb in VERBS)):
        with pytest.raises(SystemExit) as exit_:
            main([*words, "--help"])
        assert exit_.value.code == 0
        out, err = capsys.readouterr()
        assert err == ""
        assert max(map(len, out.splitlines())) <= 80
        assert all(verb in out for verb in (words or VERBS))


def test_each_module_with_a_name_is_a_verb() -> None:
    (verbs,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    assert tuple(verbs.choices) == VERBS


@pytest.fixture
def without_reader() -> int:
    """Return the writing end of a pipe whose reading end is closed."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def run_process(words: list[str], out: int | None, unbuffered: bool = False) -> tuple[int, str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    if unbuffered:
        environment["PYTHONUNBUFFERED"] = "1"
    done = subprocess.run(
        [*COMMAND, *words], stdout=out, stderr=subprocess.PIPE, text=True, env=environment, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("unbuffered", [False, True])
@pytest.mark.parametrize("words", [["list", "--library", "baseline"], ["doctor"]], ids=str)
def test_a_closed_pipe_is_no_error(words: list[str], unbuffered: bool, without_reader: int) -> None:
    assert run_process(words, without_reader, unbuffered) == (0, "")
    os.close(without_reader)


def test_output_can_be_piped_to_head() -> None:
    line = f"{' '.join(COMMAND[:2])} '{COMMAND[2]}' list | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_full_disk_is_reported_in_one_line(unbuffered: bool) -> None:
    with open("/dev/full", "w") as full:
        code, message = run_process(["list", "--library", "baseline"], full.fileno(), unbuffered)
    assert code == 1
    assert message == "aeadlab list: [Errno 28] No space left on device\n"


def test_prints_nothing_without_standard_output() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$@" >&-', "-", *COMMAND, "doctor"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_prints_the_version_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"aeadlab {metadata.version('aeadlab')}\n"
