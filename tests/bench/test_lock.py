from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from aeadlab.bench import lock
from aeadlab.bench.lock import machine_lock
from aeadlab.errors import BusyError

HOLD = """
import sys, time
from pathlib import Path
from aeadlab.bench.lock import machine_lock
with machine_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a process that holds the lock until its standard input closes or it is killed."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process


def test_a_second_holder_is_an_error_with_the_first_pid(own_lock: Path) -> None:
    with (
        holder(own_lock) as process,
        pytest.raises(BusyError, match=f"process {process.pid} is measuring on this machine"),
        machine_lock(),
    ):
        pytest.fail("two processes hold the lock")
    with machine_lock():
        pass


def test_kill_9_releases_the_lock(own_lock: Path) -> None:
    with holder(own_lock) as process:
        process.kill()
        process.wait()
        with machine_lock():
            assert own_lock.read_text() == f"{os.getpid()}\n"


def test_a_child_that_inherits_the_lock_holds_it(own_lock: Path) -> None:
    with machine_lock() as descriptor:
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, pass_fds=(descriptor,)
        )
    with child:
        with pytest.raises(BusyError), machine_lock():
            pytest.fail("the lock is free while the child holds it")
        child.kill()
    with machine_lock():
        pass


def test_other_children_do_not_hold_the_lock() -> None:
    command = [sys.executable, "-c", "print('there', flush=True); input()"]
    with machine_lock():
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"there\n"
        with machine_lock():
            pass
        child.kill()


def test_an_error_releases_the_lock() -> None:
    with pytest.raises(ZeroDivisionError), machine_lock():
        raise ZeroDivisionError
    with machine_lock():
        pass


def test_users_can_hold_the_lock_in_turn(own_lock: Path) -> None:
    before = os.umask(0o077)
    try:
        with machine_lock():
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE(own_lock.stat().st_mode) == 0o666


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become two other users")
def test_fs_protected_regular_does_not_prevent_locking() -> None:
    """With fs.protected_regular, opening another user's file in /tmp with O_CREAT fails, even for root."""
    path = Path("/tmp") / f"aeadlab-test-{os.getpid()}.lock"
    take = (
        "import os, sys\nfrom pathlib import Path\nfrom aeadlab.bench.lock import machine_lock\n"
        "os.setuid(int(sys.argv[1]))\nwith machine_lock(Path(sys.argv[2])): pass"
    )
    try:
        for user in (65534, 1):
            subprocess.run([sys.executable, "-c", take, str(user), str(path)], check=True)
        with machine_lock(path):
            pass
    finally:
        path.unlink(missing_ok=True)


def test_the_lock_ignores_tmpdir(tmp_path: Path) -> None:
    code = "from aeadlab.bench import lock; print(lock.PATH)"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()).parent == Path("/tmp")


def test_rejects_a_symbolic_link(own_lock: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    own_lock.symlink_to(victim)
    with pytest.raises(BusyError, match="cannot be opened"), machine_lock():
        pytest.fail("the symbolic link was followed")
    assert victim.read_text() == "precious"


def test_rejects_a_folder(own_lock: Path) -> None:
    own_lock.mkdir()
    with pytest.raises(BusyError, match=f"{lock.PATH} cannot be opened .*Is a directory"), machine_lock():
        pytest.fail("a folder was locked")


def test_rejects_a_pipe(own_lock: Path) -> None:
    os.mkfifo(own_lock)
    expected = f"{lock.PATH} cannot be opened .Not a regular file.: remove it, or name another file in {lock.VARIABLE}"
    with pytest.raises(BusyError, match=expected), machine_lock():
        pytest.fail("a pipe was locked")


@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero", "/dev/full", "/dev/ptmx"])
def test_rejects_a_device(monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    monkeypatch.setenv(lock.VARIABLE, device)
    with pytest.raises(BusyError, match=f"the machine lock {device} cannot be opened "), machine_lock():
        pytest.fail("a device was locked")


def test_the_holder_is_printable(own_lock: Path) -> None:
    with holder(own_lock):
        own_lock.write_text("\x1b[2J7\n")
        with pytest.raises(BusyError, match="process \N{REPLACEMENT CHARACTER}\\[2J7 is measuring"), machine_lock():
            pytest.fail("two hold the lock")
