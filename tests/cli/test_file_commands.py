"""``aeadlab keygen``, ``encrypt`` and ``decrypt``: results, exit status, messages, and files after a failure."""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest
from cryptography.cobblestone import Cobblestone256Decryptor

from aeadlab.cli import file_options
from aeadlab.errors import Error
from aeadlab.files import FORMATS, decrypt, encrypt
from aeadlab.files.formats import AGE_PAYLOAD, RAW
from aeadlab.files.transfer import encrypt_path
from tests.cli.conftest import Command
from tests.files.messages import message
from tests.fixtures.examples import find

DATA = message(300_000)
AEADLAB = [sys.executable, "-c", "import sys; from aeadlab.cli import main; sys.exit(main())"]
COMMANDED = [name for name in FORMATS if FORMATS[name].key_bytes and name not in {AGE_PAYLOAD, *RAW}]
"""The formats of the command that have keys of bytes."""


@pytest.fixture
def folder(tmp_path: Path, command: Command) -> Path:
    """Return a folder with a key and an input."""
    made = tmp_path / "files"
    made.mkdir()
    (made / "plain").write_bytes(DATA)
    assert command("keygen", made / "key").code == 0
    return made


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def start(*words: object, **streams: int | IO[Any] | None) -> subprocess.Popen[bytes]:
    command: list[str] = [*AEADLAB, *map(str, words)]
    return subprocess.Popen(command, **{"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, **streams})


def failed(process: subprocess.Popen[bytes], code: int) -> str:
    """Return the one line on standard error of a process that ends with this status."""
    _, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    assert err.count(b"\n") == 1 and err.startswith(b"aeadlab "), err
    return err.decode()


@pytest.mark.parametrize("format", COMMANDED)
@pytest.mark.parametrize("threads", [1, 3])
def test_round_trip_of_each_format(command: Command, tmp_path: Path, format: str, threads: int) -> None:
    (tmp_path / "plain").write_bytes(DATA)
    options = ("--key-file", tmp_path / "key", "--format", format, "--context", "orders", "--threads", threads)
    assert command("keygen", tmp_path / "key", "--format", format).code == 0
    done = command("encrypt", *options, tmp_path / "plain", tmp_path / "sealed")
    assert (done.code, done.out, done.err) == (0, "", "")
    key = (tmp_path / "key").read_bytes()
    assert decrypt(key, (tmp_path / "sealed").read_bytes(), b"orders", format=format) == DATA
    assert command("decrypt", *options, tmp_path / "sealed", tmp_path / "opened").code == 0
    assert (tmp_path / "opened").read_bytes() == DATA


def test_the_default_is_what_other_programs_read(command: Command, folder: Path) -> None:
    assert command("encrypt", "--key-file", folder / "key", folder / "plain", folder / "sealed").code == 0
    decryptor = Cobblestone256Decryptor((folder / "key").read_bytes(), b"")
    assert decryptor.update((folder / "sealed").read_bytes()) + decryptor.finalize() == DATA


def test_keygen_writes_raw_bytes_for_the_owner_alone_and_never_overwrites(command: Command, tmp_path: Path) -> None:
    for format in COMMANDED:
        path = tmp_path / f"{format}.key"
        done = command("keygen", path, "--format", format)
        assert (done.code, done.out, done.err) == (0, "", "")
        assert len(path.read_bytes()) == FORMATS[format].key_bytes
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        before = path.read_bytes()
        assert command("keygen", path).is_invalid_use()
        assert path.read_bytes() == before
    assert len({path.read_bytes() for path in tmp_path.glob("*.key")}) == len(COMMANDED)


def test_pipes(folder: Path) -> None:
    options = ("--key-file", folder / "key")
    with (folder / "plain").open("rb") as plain:
        encrypting = start("encrypt", *options, "-", "-", stdin=plain, stdout=subprocess.PIPE)
        decrypting = start("decrypt", *options, "-", "-", stdin=encrypting.stdout, stdout=subprocess.PIPE)
        assert encrypting.stdout is not None and encrypting.stderr is not None
        encrypting.stdout.close()
        out, err = decrypting.communicate(timeout=60)
        assert (out, err, encrypting.wait(60), decrypting.returncode) == (DATA, b"", 0, 0)
        encrypting.stderr.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("100:200", DATA[100:200]),
        ("0:5", DATA[:5]),
        (":16K", DATA[:16384]),
        ("299990:", DATA[299_990:]),
        ("16380:16390", DATA[16380:16390]),
        ("7:7", b""),
    ],
)
def test_range(command: Command, folder: Path, text: str, expected: bytes) -> None:
    options = ("--key-file", folder / "key")
    assert command("encrypt", *options, folder / "plain", folder / "sealed").code == 0
    assert command("decrypt", *options, "--range", text, folder / "sealed", folder / "part").code == 0
    assert (folder / "part").read_bytes() == expected


def test_a_range_beyond_the_message_or_of_a_pipe_is_invalid(command: Command, folder: Path) -> None:
    options = ("--key-file", folder / "key")
    assert command("encrypt", *options, folder / "plain", folder / "sealed").code == 0
    before = content(folder)
    for text in ("0:300001", "5:4", "5", "a:b", "-1:5"):
        assert command("decrypt", *options, f"--range={text}", folder / "sealed", folder / "part").is_invalid_use()
    piped = start("decrypt", *options, "--range", "0:5", "-", folder / "part", stdin=subprocess.PIPE)
    assert "an input that can seek" in failed(piped, 2)
    assert content(folder) == before


def changed(sealed: bytes) -> dict[str, bytes]:
    flipped = bytearray(sealed)
    flipped[len(sealed) // 2] ^= 1
    return {
        "flipped": bytes(flipped),
        "truncated": sealed[:-1],
        "extended": sealed + b"\0",
        "empty": b"",
        "header": sealed[:56],
        "commitment": sealed[:30] + b"x" + sealed[31:],
    }


def test_a_forgery_has_status_1_one_line_and_leaves_nothing(command: Command, folder: Path) -> None:
    options = ("--key-file", folder / "key")
    assert command("encrypt", *options, folder / "plain", folder / "sealed").code == 0
    for name, octets in changed((folder / "sealed").read_bytes()).items():
        (folder / "forged").write_bytes(octets)
        before = content(folder)
        for range_ in ((), ("--range", "0:300000")):
            done = command("decrypt", *options, *range_, folder / "forged", folder / "opened")
            assert (done.code, done.out, done.err.count("\n")) == (1, "", 1), name
            done = command("decrypt", *options, *range_, "--force", folder / "forged", folder / "plain")
            assert done.code == 1, "an output that exists keeps its content"
        assert content(folder) == before, name
    assert command("keygen", folder / "other").code == 0
    done = command("decrypt", "--key-file", folder / "other", folder / "sealed", folder / "opened")
    assert (done.code, "wrong key" in done.err, (folder / "opened").exists()) == (1, True, False)
    done = command("decrypt", *options, "--context", "x", folder / "sealed", folder / "opened")
    assert (done.code, (folder / "opened").exists()) == (1, False)


def test_an_output_that_exists_is_kept_unless_forced(command: Command, folder: Path) -> None:
    options = ("--key-file", folder / "key")
    (folder / "sealed").write_bytes(b"precious")
    (folder / "link").symlink_to("sealed")
    before = content(folder)
    for name in ("sealed", "link", "plain"):
        done = command("encrypt", *options, folder / "plain", folder / name)
        assert done.is_invalid_use() and "--force overwrites it" in done.err
    assert content(folder) == before
    assert command("encrypt", *options, "--force", folder / "plain", folder / "sealed").code == 0
    assert decrypt((folder / "key").read_bytes(), (folder / "sealed").read_bytes()) == DATA
    assert command("encrypt", *options, "--force", folder / "plain", folder / "plain").code == 0
    assert decrypt((folder / "key").read_bytes(), (folder / "plain").read_bytes()) == DATA


def test_unusable_inputs_keys_and_formats(command: Command, folder: Path) -> None:
    (folder / "short").write_bytes(b"x")
    (folder / "short").chmod(0o600)
    (folder / "long").write_bytes(bytes(1000))
    (folder / "long").chmod(0o600)
    (folder / "open").write_bytes(bytes(32))
    (folder / "open").chmod(0o640)
    (folder / "folder").mkdir()
    (folder / "floe").write_bytes(encrypt(bytes(32), b"attack", format="floe"))
    cases: list[tuple[int, str, tuple[object, ...]]] = [
        (2, "1 bytes given, 32 raw bytes expected", ("encrypt", "--key-file", folder / "short")),
        (2, "more than 64 bytes given", ("encrypt", "--key-file", folder / "long")),
        (2, "others have access to the key file", ("encrypt", "--key-file", folder / "open")),
        (1, "No such file or directory", ("encrypt", "--key-file", folder / "missing")),
        (2, "no format 'cobblestone-25'", ("encrypt", "--format", "cobblestone-25", "--key-file", folder / "key")),
        (2, "--threads", ("encrypt", "--threads", "0", "--key-file", folder / "key")),
        (2, "--key-file", ("encrypt",)),
        (2, "is only read", ("keygen", "--format", "parsplit-v1")),
        *((2, "must seal one message only", ("keygen", "--format", name)) for name in sorted(RAW)),
        *(
            (2, "must seal one message only", (verb, "--format", name, "--key-file", folder / "key"))
            for verb in ("encrypt", "decrypt")
            for name in sorted(RAW)
        ),
    ]
    assert len(RAW) == 3
    for code, text, words in cases:
        paths = (folder / "made",) if words[0] == "keygen" else (folder / "plain", folder / "made")
        done = command(*words, *paths)
        assert (done.code, done.out, done.err.count("\n")) == (code, "", 1), words
        assert text in done.err, done.err
    options = ("--key-file", folder / "key")
    for source, code, text in (
        ("folder", 1, "Is a directory"),
        ("missing", 1, "No such file or directory"),
        ("floe", 1, "a file of format floe given, cobblestone-256 expected"),
    ):
        verb = ("decrypt", "--format", "cobblestone-256") if source == "floe" else ("encrypt",)
        done = command(*verb, *options, folder / source, folder / "made")
        assert (done.code, done.err.count("\n"), text in done.err) == (code, 1, True), done.err
    assert not (folder / "made").exists()
    done = command("encrypt", "--format", "nope", *options, folder / "plain", folder / "made")
    assert (done.code, "cobblestone-256" in done.err, "-raw" in done.err) == (2, True, False), done.err
    assert "parsplit-v1" not in done.err, "it is only read, and recognized without a name"
    done = command("encrypt", *options, folder / "plain", folder / "missing" / "made")
    assert (done.code, done.err.count("\n")) == (1, 1)


def test_a_full_disk(folder: Path) -> None:
    for verb, source in (("encrypt", "plain"), ("decrypt", "sealed")):
        (folder / "sealed").write_bytes(encrypt((folder / "key").read_bytes(), DATA))
        before = content(folder)
        process = start(verb, "--key-file", folder / "key", folder / source, "/dev/full")
        assert "No space left on device" in failed(process, 1)
        with open("/dev/full", "wb") as full:
            process = start(verb, "--key-file", folder / "key", folder / source, "-", stdout=full)
            assert "No space left on device" in failed(process, 1)
        assert content(folder) == before


def test_a_limit_of_the_file_size_leaves_nothing(folder: Path) -> None:
    before = content(folder)
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY)); "
    command = [sys.executable, "-c", limited + AEADLAB[2], "encrypt", "--key-file", "key", "plain", "sealed"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=folder, env=environment)
    assert "File too large" in failed(process, 1)
    assert content(folder) == before


def test_a_closed_pipe(folder: Path) -> None:
    (folder / "plain").write_bytes(message(5_000_000))
    process = start("encrypt", "--key-file", folder / "key", folder / "plain", "-", stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    process.stdout = None
    assert "has closed the pipe" in failed(process, 1)


@pytest.mark.alone
def test_an_interrupt_leaves_nothing(folder: Path) -> None:
    before = content(folder)
    process = start("encrypt", "--key-file", folder / "key", "-", folder / "sealed", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(bytes(9_000_000))
    process.stdin.flush()
    end = time.monotonic() + 60
    while not list(folder.glob("*.partial")):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    # The pipe stays open, so that only the signal ends the command.
    assert process.wait(60) == 130
    assert process.stderr is not None
    assert process.stderr.read() == b"aeadlab encrypt: interrupted\n"
    process.stdin.close()
    process.stderr.close()
    assert content(folder) == before


def test_an_input_that_changes_its_length_is_rejected(folder: Path) -> None:
    path = folder / "plain"

    def change(by: int) -> Callable[[int], None]:
        def progress(count: int) -> None:
            os.truncate(path, len(DATA) + by)

        return progress

    for by in (100, -100_000):
        path.write_bytes(message(9_000_000)[: len(DATA)] if by > 0 else DATA)
        before = sorted(folder.iterdir())
        with pytest.raises(Error, match="changed while it was read"):
            encrypt_path(bytes(32), str(path), str(folder / "sealed"), format="cobblestone-256", progress=change(by))
        assert sorted(folder.iterdir()) == before


def test_the_bar_shows_bytes_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(file_options, "_BAR_AFTER_SECONDS", 0.0)
    with file_options.bar("encrypt", 4 << 20) as progress:
        for _ in range(4):
            time.sleep(0.12)
            progress(1 << 20)
    shown = terminal.getvalue()
    assert "encrypt" in shown and "MB/s" in shown or "MiB/s" in shown or "M/4.00M" in shown
    assert "B/s" in shown


def test_encrypted_bytes_do_not_go_to_a_terminal(folder: Path) -> None:
    import pty

    primary, secondary = pty.openpty()
    try:
        process = start("encrypt", "--key-file", folder / "key", folder / "plain", "-", stdout=secondary)
        assert "standard output is a terminal" in failed(process, 2)
    finally:
        os.close(primary)
        os.close(secondary)


def test_age_with_identities_and_recipients(command: Command, folder: Path) -> None:
    assert command("keygen", "--format", "age", folder / "identity").code == 0
    text = (folder / "identity").read_text()
    assert stat.S_IMODE((folder / "identity").stat().st_mode) == 0o600
    (recipient,) = re.findall("^# public key: (age1.*)$", text, re.MULTILINE)
    for words in (("--recipient", recipient), ("--format", "age", "--key-file", folder / "identity")):
        assert command("encrypt", *words, "--force", folder / "plain", folder / "sealed").code == 0
        assert (folder / "sealed").read_bytes().startswith(b"age-encryption.org/v1\n-> X25519 ")
        done = command("decrypt", "--key-file", folder / "identity", "--force", folder / "sealed", folder / "opened")
        assert (done.code, done.err, (folder / "opened").read_bytes()) == (0, "", DATA)
    assert command("keygen", "--format", "age", folder / "other").code == 0
    before = content(folder)
    for words, code, problem in (
        (("--key-file", folder / "other"), 1, "for other recipients"),
        (("--key-file", folder / "key"), 2, "for age a recipient, an identity or a Passphrase expected"),
        (("--key-file", folder / "identity", "--format", "cobblestone-256"), 2, "32 raw bytes expected"),
    ):
        done = command("decrypt", *words, folder / "sealed", folder / "made")
        assert (done.code, done.out, done.err.count("\n")) == (code, "", 1), done.err
        assert problem in done.err
    for words in (("--recipient", "age1xyz"), ("--recipient", recipient, "--format", "floe")):
        assert command("encrypt", *words, folder / "plain", folder / "made").is_invalid_use()
    assert content(folder) == before


def test_passphrases_are_asked_for(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["orders", "orders", "orders", "other", "orders", "typo", ""])
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))
    assert command("encrypt", "--passphrase", folder / "plain", folder / "sealed").code == 0
    assert command("decrypt", "--passphrase", folder / "sealed", folder / "opened").code == 0
    assert (folder / "opened").read_bytes() == DATA
    done = command("decrypt", "--passphrase", folder / "sealed", folder / "made")
    assert (done.code, "another passphrase" in done.err) == (1, True)
    for text in ("two different passphrases", "an empty passphrase"):
        done = command("encrypt", "--passphrase", folder / "plain", folder / "made")
        assert done.is_invalid_use() and text in done.err
    assert command("encrypt", "--passphrase", "--format", "floe", folder / "plain", folder / "made").is_invalid_use()
    assert not (folder / "made").exists()


def test_the_shown_commands_run(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.pdf").write_bytes(DATA)
    (block,) = find("docs/FORMATS.md", "Commands", "sh")
    for line in block.splitlines():
        done = command(*shlex.split(line)[1:])
        assert (done.code, done.out, done.err) == (0, "", ""), line
    assert (tmp_path / "copy.pdf").read_bytes() == DATA
    assert (tmp_path / "part").read_bytes() == DATA[1024:2048]
