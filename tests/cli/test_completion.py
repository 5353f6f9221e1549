"""Completion as the shells request it; a shell that is not installed is skipped."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

# Calls the function that bash calls at the Tab key, with the variables that bash sets.
BASH = """
eval "$(aeadlab --print-completion bash)"
while read -r line; do
    COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9 COMP_WORDS=($line) COMPREPLY=()
    _python_argcomplete aeadlab
    printf '%s: %s\\n' "$line" "${COMPREPLY[*]}"
done
"""
FISH = """
aeadlab --print-completion fish | source
while read -l line
    echo $line: (complete -C $line | string replace -r "\\t.*" "")
end
"""
LINES = {
    "aeadlab spe": {"speed"},
    "aeadlab measure basel": {"baselines"},
    "aeadlab measure cells --profile q": {"quick"},
    "aeadlab speed ring/aes-256": {"ring/aes-256-gcm"},
    "aeadlab list --library ri": {"ring", "rijndael"},
    "aeadlab list --kind ae": {"aead"},
    "aeadlab list --algorithm aes-256-gcm-": {"aes-256-gcm-siv"},
    "aeadlab claims --document Ne": {"NetBSD"},
    "aeadlab run 05": {"05-message-size"},
    "aeadlab masks --mask no-v": {"no-vaes"},
    "aeadlab report cel": {"cells"},
    "aeadlab figure cells --venue us": {"usenix", "usenix-double"},
    "aeadlab rank --by place": {"placement"},
}


@pytest.fixture
def with_command(own_results: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Put the command ``aeadlab`` of this interpreter on the path; return a function that finds a shell."""
    folder = own_results / "bin"
    folder.mkdir()
    (folder / "aeadlab").write_text(f"#!{sys.executable}\nimport sys\nfrom aeadlab.cli import main\nsys.exit(main())\n")
    (folder / "aeadlab").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(own_results))

    def find(shell: str) -> str:
        return shutil.which(shell) or pytest.skip(f"{shell} is not installed")

    return find


def completed(shell: str, script: str, lines: list[str]) -> dict[str, set[str]]:
    """Return what a shell completes each line to."""
    typed = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([shell, "-c", script], input=typed, capture_output=True, text=True, check=True)
    found = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    return {line: set(found.get(line, "").split()) for line in lines}


def test_completes_names_of_every_kind_in_bash(with_command: Callable[[str], str]) -> None:
    assert completed(with_command("bash"), BASH, list(LINES)) == LINES


def test_completes_in_fish(with_command: Callable[[str], str]) -> None:
    lines = list(LINES)[:4]
    assert completed(with_command("fish"), FISH, lines) == {line: LINES[line] for line in lines}


def test_completes_in_zsh(with_command: Callable[[str], str]) -> None:
    """Zsh completes in its line editor only, so it gets a terminal and the Tab key."""
    shell, (terminal, inner) = with_command("zsh"), pty.openpty()
    environment = {**os.environ, "TERM": "dumb"}
    child = subprocess.Popen(
        [shell, "-f", "-i"], stdin=inner, stdout=inner, stderr=inner, env=environment, start_new_session=True
    )
    try:
        setup = 'autoload -U compinit; compinit -u; eval "$(aeadlab --print-completion zsh)"; echo rea"dy"\n'
        os.write(terminal, setup.encode())
        assert "ready" in read_until(terminal, "ready")
        os.write(terminal, b"aeadlab measure basel\t")
        assert "aeadlab measure baselines" in read_until(terminal, "baselines")
    finally:
        child.kill()
        child.wait()
        os.close(terminal)
        os.close(inner)


def read_until(terminal: int, expected: str) -> str:
    """Return the text of a terminal up to an expected one, or that of 30 seconds."""
    text, end = "", time.monotonic() + 30
    while expected not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 4096).decode(errors="replace")
            text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x08", "", text)
    return text


def test_prints_the_function_of_each_shell(command: Command) -> None:
    for shell, registers in (("bash", "complete "), ("zsh", "compdef "), ("fish", "complete --command aeadlab")):
        result = command("--print-completion", shell)
        assert (result.code, result.err) == (0, "") and registers in result.out
    result = command("--print-completion", "tcsh")
    assert result.is_invalid_use() and "no shell 'tcsh'; choose from bash, zsh, fish" in result.err


def test_starts_without_the_libraries_of_statistics_and_drawing() -> None:
    code = "import sys; from aeadlab.cli import parser; parser(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not [name for name in loaded if name.startswith("aeadlab.studies.")], "only the help of measure names them"
    assert not {"numpy", "pandas", "matplotlib", "pyarrow", "argcomplete"} & {*loaded}
