from __future__ import annotations

import argparse
import errno
import os
import subprocess
import sys
from importlib import metadata

import pytest

from aeadlab import errors
from aeadlab.cli import list as list_verb
from aeadlab.cli import main, parser

VERBS = ("compare", "doctor", "figure", "list", "masks", "measure", "rank", "report", "run", "tune", "verify")
COMMAND = [sys.executable, "-c", "import sys; from aeadlab.cli import main; sys.exit(main())"]


def ending(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    """Exit code of a verb that raises this."""

    def run(_: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr(list_verb, "run", run)
    return main(["list"])


WRONG_USE = {errors.ArgumentError, errors.EmptyFigureError, errors.UnknownNameError}
ALL = [error for error in vars(errors).values() if isinstance(error, type)]


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_every_error_of_ours_is_one_line_and_an_exit_code(
    error: type[errors.Error], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ending(monkeypatch, error("this was given, that is wanted")) == (2 if error in WRONG_USE else 1)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "aeadlab list: this was given, that is wanted\n"


@pytest.mark.parametrize(
    ("error", "code", "said"),
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
def test_other_endings_are_no_tracebacks(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ending(monkeypatch, error) == code
    assert capsys.readouterr() == ("", said)


def test_a_fault_of_our_own_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        ending(monkeypatch, ZeroDivisionError())


@pytest.mark.parametrize("words", [[], ["lst"], ["list", "surplus"], ["list", "--no-such"], ["--json"]], ids=str)
def test_what_cannot_be_parsed_is_wrong_use(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: aeadlab")


def test_every_verb_has_help(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in ([], *([verb] for verb in VERBS)):
        with pytest.raises(SystemExit) as ended:
            main([*words, "--help"])
        assert ended.value.code == 0
        out, err = capsys.readouterr()
        assert err == ""
        assert max(map(len, out.splitlines())) <= 80
        assert all(verb in out for verb in (words or VERBS))


def test_every_file_with_a_name_is_a_verb() -> None:
    (verbs,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    assert tuple(verbs.choices) == VERBS


@pytest.fixture
def without_reader() -> int:
    """A pipe whose reader has left."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def ended(words: list[str], out: int | None, unbuffered: bool = False) -> tuple[int, str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    if unbuffered:
        environment["PYTHONUNBUFFERED"] = "1"
    done = subprocess.run(
        [*COMMAND, *words], stdout=out, stderr=subprocess.PIPE, text=True, env=environment, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("unbuffered", [False, True])
@pytest.mark.parametrize("words", [["list", "--library", "baseline"], ["doctor"]], ids=str)
def test_a_reader_who_left_is_no_error(words: list[str], unbuffered: bool, without_reader: int) -> None:
    assert ended(words, without_reader, unbuffered) == (0, "")
    os.close(without_reader)


def test_head_gets_its_line() -> None:
    line = f"{' '.join(COMMAND[:2])} '{COMMAND[2]}' list | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_full_disk_is_one_line(unbuffered: bool) -> None:
    with open("/dev/full", "w") as full:
        code, said = ended(["list", "--library", "baseline"], full.fileno(), unbuffered)
    assert code == 1
    assert said == "aeadlab list: [Errno 28] No space left on device\n"


def test_without_standard_output_nothing_is_said() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$@" >&-', "-", *COMMAND, "doctor"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"aeadlab {metadata.version('aeadlab')}\n"
