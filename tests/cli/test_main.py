from __future__ import annotations

import argparse
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from aeadlab import errors
from aeadlab.cli import list as list_verb, main, parser

VERBS = (
    *("claims", "compare", "decrypt", "doctor", "encrypt", "figure", "keygen", "list", "masks", "measure", "rank"),
    *("report", "run", "speed", "studies", "tune", "verify"),
)
Command = Callable[..., Any]
COMMAND = [sys.executable, "-c", "import sys; from aeadlab.cli import main; sys.exit(main())"]


def status_of(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    """Return the exit status of a verb that raises this error."""

    def run(_: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr(list_verb, "run", run)
    return main(["list"])


INVALID_USE = (errors.ArgumentError, errors.UnknownNameError)
ALL = [error for error in vars(errors).values() if isinstance(error, type)]


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_errors_of_the_package_are_one_line(
    error: type[errors.Error], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(monkeypatch, error("this was given, that is expected")) == (
        2 if issubclass(error, INVALID_USE) else 1
    )
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
            "aeadlab list: /x: denied\n",
        ),
    ],
)
def test_interrupts_and_system_errors_have_no_traceback(
    error: BaseException, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(monkeypatch, error) == code
    assert capsys.readouterr() == ("", message)


def test_an_interrupt_before_the_verb_has_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> argparse.ArgumentParser:
        raise KeyboardInterrupt

    monkeypatch.setattr("aeadlab.cli.parser", interrupted)
    assert main(["list"]) == 130
    assert capsys.readouterr() == ("", "aeadlab: interrupted\n")


def test_does_not_hide_other_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        status_of(monkeypatch, ZeroDivisionError())


@pytest.mark.parametrize("words", [[], ["lst"], ["doctor", "surplus"], ["list", "--no-such"], ["--json"]], ids=str)
def test_rejects_invalid_command_lines(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(words)
    assert exit_.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("aeadlab") and err.count("\n") == 1 and "--help` lists " in err


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


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("rank",),
        ("doctor",),
        ("compare", "openssl/aes-256-gcm", "ring/aes-256-gcm"),
    ],
    ids=" ".join,
)
def test_verbs_print_at_most_80_columns(command: Command, words: tuple[str, ...]) -> None:
    """The tests of the verbs `studies` and `claims` check this of their output."""
    result = command(*words)
    assert result.code == 0
    assert max(map(len, f"{result.out}\n{result.err}".splitlines())) <= 80


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
    assert message == "aeadlab list: No space left on device\n"


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


NOISE = '(void)!write(1,"\\033[2Jwritten\\n",12);printf("\\033[2Jbuffered")'


@pytest.mark.usefixtures("own_folders")
@pytest.mark.parametrize("words", [["list", "--library", "toy"], ["verify", "toy/xor-tag"]], ids=str)
def test_what_a_plugin_prints_does_not_mix_with_the_output(words: list[str], compiled: Callable[..., Path]) -> None:
    """A plugin prints at its load, at each message, and what it buffered at the end of the process."""
    path = compiled("toy", ON_LOAD=NOISE, ON_MESSAGE='printf("message")', VERSION='"1\\033[31m"')
    done = subprocess.run([*COMMAND, *words, "--json", "--plugins", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "toy" in str(json.loads(done.stdout))
    text = subprocess.run([*COMMAND, *words, "--plugins", path], capture_output=True, text=True, check=False).stdout
    assert "1\N{REPLACEMENT CHARACTER}[31m" in text and "\x1b" not in text and "buffered" not in text


def test_messages_have_no_control_characters(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(monkeypatch, errors.RecordError("/tmp/\x1b[2J\n is damaged")) == 1
    assert capsys.readouterr().err == "aeadlab list: /tmp/\N{REPLACEMENT CHARACTER}[2J  is damaged\n"
