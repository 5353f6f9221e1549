"""ParSplit in forked children: every schedule, held locks, nested forks, equal process IDs, multiprocessing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab.parsplit import schedules

pytestmark = pytest.mark.usefixtures("own_folders")

Compiled = Callable[..., Path]
HEAD = """
import ctypes, io, multiprocessing, os, signal, sys, threading, time
from aeadlab import ParSplit, SealedFile, _native, load_plugin
from aeadlab.errors import ArgumentError, Error
from aeadlab.parsplit import schedules

KEY, NONCE, DATA = bytes(range(32)), b"7 bytes", bytes(range(256)) * 40

def fork(work):
    "Return the exit status of `work` in a child, which has 30 s."
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            status = 0 if work() else 1
        except BaseException as error:
            print(type(error).__name__, error, file=sys.stderr, flush=True)
            status = 2
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def run(code: str, *arguments: object, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, because each test needs one without threads."""
    # Python 3.12 and newer warn of a fork in a process with threads, which is tested here.
    command = [*prefix, sys.executable, "-W", "ignore::DeprecationWarning", "-c", HEAD + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def passes(code: str, *arguments: object) -> None:
    done = run(code, *arguments)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def new_pid_namespace() -> tuple[str, ...]:
    """The command that runs another one as the first process of a PID name space."""
    command = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
    for options in (command, (*command[:1], "--user", "--map-root-user", *command[1:])):
        try:
            if subprocess.run([*options, "true"], capture_output=True, timeout=20, check=False).returncode == 0:
                return options
        except FileNotFoundError:
            break
    pytest.skip("PID name spaces are not permitted here")


ENGINE = """
names = sys.argv[1:]
ciphers = [ParSplit("openssl/aes-256-gcm", 64, 3, name, serial_below=0) for name in names]
expected = bytes(ParSplit("openssl/aes-256-gcm", 64, 1).encrypt(KEY, NONCE, DATA))

def seal():
    return [bytes(cipher.encrypt(KEY, NONCE, DATA)) for cipher in ciphers] == [expected] * len(ciphers)

def open_all():
    return all(bytes(cipher.decrypt(KEY, NONCE, expected)) == DATA for cipher in ciphers)

assert seal()
"""
OWN = (*schedules.ENGINE, *schedules.EXPERIMENTS)


def test_a_child_and_its_child_start_their_own_threads() -> None:
    passes(ENGINE + "assert fork(lambda: seal() and open_all() and fork(seal) == 0 and seal()) == 0 and seal()", *OWN)


def test_a_fork_in_a_thread_during_calls_of_others() -> None:
    code = """
stop = threading.Event()
def work():
    while not stop.is_set():
        assert seal()
def forks():
    for _ in range(12):
        statuses.append(fork(lambda: seal() and open_all() and fork(seal) == 0))
statuses, workers = [], [threading.Thread(target=work) for _ in range(3)]
forking = threading.Thread(target=forks)
for thread in [*workers, forking]:
    thread.start()
forking.join()
stop.set()
for thread in workers:
    thread.join()
assert statuses == [0] * 12, statuses
"""
    passes(ENGINE + code, *OWN)


def test_a_child_with_the_process_id_of_its_parent_starts_its_own_threads(new_pid_namespace: tuple[str, ...]) -> None:
    code = """
assert os.getpid() == 1, os.getpid()
libc = ctypes.CDLL(None, use_errno=True)
# The next child becomes process 1 of a nested name space. This process can start no thread any more.
assert libc.unshare(0x20000000) == 0, os.strerror(ctypes.get_errno())
assert fork(lambda: os.getpid() == 1 and seal() and open_all()) == 0
"""
    done = run(ENGINE + code, *OWN, prefix=new_pid_namespace)
    assert done.returncode == 0, done.stderr


def test_a_loop_of_another_runtime_is_rejected_in_a_child_with_an_equal_process_id(
    new_pid_namespace: tuple[str, ...],
) -> None:
    if "openmp-static" in schedules.absent():
        return
    code = """
def rejected():
    try:
        seal()
    except ArgumentError as error:
        return "did not survive the fork" in str(error)
assert ctypes.CDLL(None).unshare(0x20000000) == 0
assert fork(lambda: os.getpid() == 1 and rejected()) == 0
"""
    done = run(ENGINE + code, "openmp-static", prefix=new_pid_namespace)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", schedules.EXTERNAL)
def test_an_external_schedule_works_or_raises_in_a_child(name: str) -> None:
    """Once before the parent used it, and once after."""
    if name in schedules.absent():
        return
    code = """
cipher = ParSplit("openssl/aes-256-gcm", 64, 3, sys.argv[1], serial_below=0)
dynamic = ParSplit("openssl/aes-256-gcm", 64, 3, serial_below=0)
expected = bytes(dynamic.encrypt(KEY, NONCE, DATA))
def works_or_raises():
    try:
        good = cipher.encrypt(KEY, NONCE, DATA) == expected
    except ArgumentError as error:
        good = "did not survive the fork: use another schedule" in str(error)
    return good and dynamic.encrypt(KEY, NONCE, DATA) == expected
for _ in range(2):
    assert fork(works_or_raises) == 0
    assert cipher.encrypt(KEY, NONCE, DATA) == expected
"""
    passes(code, name)


def test_a_child_of_a_process_that_used_openmp_otherwise() -> None:
    """GNU OpenMP is also the runtime of one of Numba's threading layers, and of other libraries."""
    if {"numba-omp", "openmp-static"} & set(schedules.absent()):
        return
    code = """
ciphers = [ParSplit("openssl/aes-256-gcm", 64, 3, name, serial_below=0) for name in ("numba-omp", "openmp-static")]
expected = bytes(ciphers[0].encrypt(KEY, NONCE, DATA))
assert fork(lambda: ciphers[1].encrypt(KEY, NONCE, DATA) == expected) == 0
"""
    passes(code)


def test_a_child_of_a_process_that_used_numba_otherwise() -> None:
    if "numba-omp" in schedules.absent():
        return
    code = """
import numba
numba.config.THREADING_LAYER = "omp"
numba.njit(parallel=True)(lambda: sum([i for i in numba.prange(10)]))
numba.get_num_threads()
def raises():
    try:
        ParSplit("openssl/aes-256-gcm", 64, 3, "numba-omp", serial_below=0)
    except ArgumentError as error:
        return "did not survive the fork: use another schedule" in str(error)
assert fork(raises) == 0
"""
    passes(code)


def waiting_toy(compiled: Compiled, end: Path) -> Path:
    """A library that is not thread-safe and waits for the file `end` where the variable TOY_WAIT is set."""
    return compiled("toy", FLAGS=0, ON_MESSAGE=f'if(getenv("TOY_WAIT"))while(access("{end}",0))usleep(1000)')


HELD = """
end = sys.argv[2]
load_plugin(sys.argv[1])
cipher = ParSplit("toy/xor-tag", 64, 1)
expected = bytes(cipher.encrypt(KEY, NONCE, DATA))
long_term_key = bytes(range(32))
sealer = _native.Sealer(cipher._engine, long_term_key, b"", None)
body = bytearray(sealer.sealed_bytes(len(DATA), True))
sealer.seal(DATA, True, body)
stream = sealer.header + body

def seals():
    os.environ.pop("TOY_WAIT", None)
    good = cipher.encrypt(KEY, NONCE, DATA) == expected and cipher.decrypt(KEY, NONCE, expected) == DATA
    return good and b"".join(cipher.decrypt_iter(long_term_key, [stream])) == DATA

def hold(call, *arguments):
    os.environ["TOY_WAIT"] = "1"
    threads = [threading.Thread(target=call, args=arguments) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    return threads
"""


@pytest.mark.parametrize("call", ["encrypt", "decrypt_iter", "file"])
def test_a_child_does_not_wait_for_a_call_of_its_parent(compiled: Compiled, tmp_path: Path, call: str) -> None:
    """One thread of the parent is inside a library that is not thread-safe, two wait for it."""
    code = f"""
file = SealedFile(long_term_key, io.BytesIO(stream), cipher=cipher)
def read():
    return bytes(file.read()) == DATA
threads = hold({{
    "encrypt": lambda: cipher.encrypt(KEY, NONCE, DATA),
    "decrypt_iter": lambda: list(cipher.decrypt_iter(long_term_key, [stream])),
    "file": lambda: file.decrypt_range(0, 2),
}}[{call!r}])
def file_is_usable_or_raises():
    try:
        return read()
    except ArgumentError as error:
        return "or was when this process was forked" in str(error)
try:
    statuses = [fork(lambda: seals() and fork(seals) == 0 and file_is_usable_or_raises()) for _ in range(3)]
finally:
    open(end, "w").close()
for thread in threads:
    thread.join()
assert statuses == [0] * 3 and seals() and read(), statuses
"""
    end = tmp_path / "end"
    passes(HELD + code, waiting_toy(compiled, end), end)


def test_a_stream_in_use_during_a_fork_raises_in_the_child(compiled: Compiled, tmp_path: Path) -> None:
    code = """
file = SealedFile(long_term_key, io.BytesIO(stream), cipher=cipher)
threads = hold(lambda: file.decrypt_range(0, 1))
def raises():
    os.environ.pop("TOY_WAIT")
    try:
        file.decrypt_range(0, 1)
    except ArgumentError as error:
        return "was when this process was forked" in str(error) and seals()
status = fork(raises)
open(end, "w").close()
for thread in threads:
    thread.join()
assert status == 0, status
"""
    end = tmp_path / "end"
    passes(HELD + code, waiting_toy(compiled, end), end)


def test_only_the_process_that_started_a_stream_seals_it() -> None:
    """Two processes would seal different messages with the same key and nonces."""
    code = """
cipher = ParSplit("openssl/aes-256-gcm", 64, 1)
stream = cipher.encrypt_iter(KEY, [DATA * 200] * 5)
next(stream), next(stream)
def raises():
    try:
        next(stream)
    except ArgumentError as error:
        return "both processes would seal with the same nonces: start a new stream" in str(error)
assert fork(raises) == 0
assert len(list(stream)) > 0
"""
    passes(code)


def test_ctrl_c_in_a_child_that_was_forked_during_a_call() -> None:
    """The child inherits the engine's signal handler, which must not call itself."""
    code = """
cipher = ParSplit("openssl/aes-256-gcm", 65536, 2)
data, statuses, stop = bytes(64 << 20), [], False
out = bytearray(cipher.sealed_bytes(len(data)))
def interrupted():
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    end = time.monotonic() + 20
    try:
        while time.monotonic() < end:
            cipher.encrypt(KEY, NONCE, data, out=out)
    except KeyboardInterrupt:
        return True
def forks():
    global stop
    for _ in range(5):
        statuses.append(fork(interrupted))
    stop = True
thread = threading.Thread(target=forks)
thread.start()
while not stop:
    cipher.encrypt(KEY, NONCE, data, out=out)
thread.join()
assert statuses == [0] * 5, statuses
"""
    passes(code)


def test_blake3_with_rayon_hashes_in_a_child() -> None:
    code = """
from aeadlab import _native
native = next(a for a in _native.linked() if (a.library, a.algorithm) == ("blake3-rayon", "blake3"))
data = bytes(10_000_000)
expected = native.digest(b"", b"", data)
same = lambda: native.digest(b"", b"", data) == expected
assert fork(lambda: same() and fork(same) == 0) == 0 and same()
"""
    passes(code)


MULTIPROCESSING = """
import multiprocessing, sys
from aeadlab import ParSplit, load_plugin
from aeadlab.errors import ArgumentError

KEY, NONCE, DATA = bytes(range(32)), b"7 bytes", bytes(range(256)) * 40

def seal(settings):
    plugin, name, threads, schedule = settings
    if plugin:
        load_plugin(plugin)
    cipher = ParSplit(name, 64, threads, schedule, serial_below=0)
    try:
        sealed = bytes(cipher.encrypt(KEY, NONCE, DATA))
        assert cipher.decrypt(KEY, NONCE, sealed) == DATA
        return sealed
    except ArgumentError as error:
        assert "did not survive the fork: use another schedule" in str(error), error
        return None

if __name__ == "__main__":
    method, plugin, *names = sys.argv[1:]
    cases = [("", "openssl/aes-256-gcm", 3, name) for name in names] + [(plugin, "toy/xor-tag", 1, "dynamic")]
    expected = [seal(case) for case in cases]
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(seal, cases * 2).get(80)
    external = [case[3].partition("-")[0] in ("openmp", "numba") and method == "fork" for case in cases * 2]
    for case, outside, own, other in zip(cases * 2, external, expected * 2, found):
        assert own == other or (outside and other is None), case
    assert expected == [seal(case) for case in cases]
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_of_multiprocessing(compiled: Compiled, tmp_path: Path, method: str) -> None:
    """Every schedule, with an implementation that is thread-safe and one that is not."""
    script = tmp_path / "work.py"
    script.write_text(MULTIPROCESSING, encoding="utf-8")
    names = [name for name in (*OWN, *schedules.EXTERNAL) if name not in schedules.absent()]
    # A process has one threading layer of Numba.
    layers = [name for name in names if name in schedules.ONE_PER_PROCESS]
    names = [name for name in names if name not in layers[1:]]
    command = [sys.executable, "-W", "ignore::DeprecationWarning", script, method, compiled("toy", FLAGS=0), *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stderr
