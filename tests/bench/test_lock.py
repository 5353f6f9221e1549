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
    """Another process that holds the lock until its standard input is closed, or it is killed."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process


def test_the_second_is_refused_and_told_who_is_first(own_lock: Path) -> None:
    with (
        holder(own_lock) as process,
        pytest.raises(BusyError, match=f"process {process.pid} is measuring on this machine"),
        machine_lock(),
    ):
        pytest.fail("two hold the lock")
    with machine_lock():
        pass


def test_kill_9_lets_the_lock_go(own_lock: Path) -> None:
    with holder(own_lock) as process:
        process.kill()
        process.wait()
        with machine_lock():
            assert own_lock.read_text() == f"{os.getpid()}\n"


def test_the_lock_is_held_as_long_as_a_child_has_it(own_lock: Path) -> None:
    with machine_lock() as descriptor:
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, pass_fds=(descriptor,)
        )
    with child:
        with pytest.raises(BusyError), machine_lock():
            pytest.fail("the child has the lock")
        child.kill()
    with machine_lock():
        pass


def test_a_child_that_is_not_given_the_lock_does_not_hold_it() -> None:
    command = [sys.executable, "-c", "print('there', flush=True); input()"]
    with machine_lock():
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"there\n"
        with machine_lock():
            pass
        child.kill()


def test_an_error_lets_the_lock_go() -> None:
    with pytest.raises(ZeroDivisionError), machine_lock():
        raise ZeroDivisionError
    with machine_lock():
        pass


def test_every_user_can_take_it_after_another(own_lock: Path) -> None:
    before = os.umask(0o077)
    try:
        with machine_lock():
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE(own_lock.stat().st_mode) == 0o666


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become two other users")
def test_the_kernel_protects_files_in_tmp_but_not_against_this() -> None:
    """With fs.protected_regular, opening another user's file in /tmp with O_CREAT is refused, even to root."""
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


def test_the_lock_is_one_for_all_users_whatever_their_temporary_folder(tmp_path: Path) -> None:
    code = "from aeadlab.bench import lock; print(lock.PATH)"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()).parent == Path("/tmp")


def test_a_link_is_not_followed(own_lock: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    own_lock.symlink_to(victim)
    with pytest.raises(BusyError, match="cannot be opened"), machine_lock():
        pytest.fail("a link was followed")
    assert victim.read_text() == "precious"


def test_a_folder_in_its_place_is_said_so(own_lock: Path) -> None:
    own_lock.mkdir()
    with pytest.raises(BusyError, match=f"{lock.PATH} cannot be opened .*Is a directory"), machine_lock():
        pytest.fail("a folder is no lock")
