from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from glob import glob
from pathlib import Path
from typing import Any

import psutil
import pytest

from aeadlab import process
from aeadlab.errors import ChildError
from aeadlab.process import Child, signal_name

Start = Callable[..., Child]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """``start(code, **options)``: a child whose module runs `code` with a `channel`."""
    monkeypatch.syspath_prepend(tmp_path)

    def run(code: str, before: str = "", **options: Any) -> Child:
        opened = "import os, signal, sys, time\nfrom aeadlab.process import Channel\nchannel = Channel()"
        (tmp_path / "child.py").write_text(f"{before}\n{opened}\n{code}\n")
        return Child("child", **options)

    return run


def ends(pid: int, seconds: float = 10) -> bool:
    """Wait until a process has ended; return False if it has not within `seconds`."""
    end = time.monotonic() + seconds
    with suppress(psutil.NoSuchProcess):
        while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
    return True


def test_replies_follow_requests_until_the_parent_ends(start: Start) -> None:
    with start("for message in channel.requests(): channel.reply({'n': message['n'] + 1})") as child:
        assert [child.request({"n": n}) for n in (1, 5)] == [{"n": 2}, {"n": 6}]
        ending = child.end()
        assert (ending.status, ending.cause, ending.summary) == (0, "status 0", "ended with status 0")


def test_printed_text_does_not_mix_with_replies(start: Start) -> None:
    code = "os.write(1, b'{}\\n'); print('text', flush=True); channel.reply({'read': sys.stdin.read()})"
    with start(code) as child:
        assert child.receive() == {"read": ""}
        assert child.end().errors == "{}\ntext"


def test_an_incomplete_line_is_no_reply(start: Start) -> None:
    with start("channel._replies.write(b'{}\\n{'); channel._replies.flush(); os.abort()") as child:
        assert child.receive() == {}
        assert child.receive() is None
        assert child.end().cause == "SIGABRT"


def test_a_deadline_ends_the_wait_for_a_reply_and_for_the_end(start: Start) -> None:
    with start("channel.reply({})\ntime.sleep(60)") as child:
        assert child.receive(30) == {}
        with pytest.raises(TimeoutError, match="no reply within 0.1 s"):
            child.receive(0.1)
        with pytest.raises(TimeoutError, match="still running after 0.1 s"):
            child.end(0.1)
        assert child.kill().cause == "SIGKILL"


def test_the_last_line_on_standard_error_is_the_reason(start: Start) -> None:
    with start("sys.stderr.write('first\\nno licence\\n'); sys.exit(3)") as child:
        assert child.end().summary == "ended with status 3 (no licence)"


SLEEPERS = {
    "in its group": "pid = os.fork() or time.sleep(60)",
    "in a session of its own": (
        "out, into = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if pid := os.fork():\n"
        "        os.write(into, b'%d' % pid)\n"
        "        os._exit(0)\n"
        "    time.sleep(60)\n"
        "pid = int(os.read(out, 20))"
    ),
    "another program": "pid = __import__('subprocess').Popen(['setsid', 'sleep', '60']).pid",
}


@pytest.mark.parametrize("sleeper", SLEEPERS)
@pytest.mark.parametrize("ending", ["kill", "end"])
def test_processes_that_a_child_leaves_end_with_it(start: Start, sleeper: str, ending: str) -> None:
    with start(f"{SLEEPERS[sleeper]}\nchannel.reply({{'pid': pid}})\nfor _ in channel.requests(): pass") as child:
        reply = child.receive(30)
        assert reply is not None and not ends(reply["pid"], 0)
        assert (child.end(30) if ending == "end" else child.kill()).status == (0 if ending == "end" else -9)
        assert ends(reply["pid"])


def test_a_process_that_starts_after_the_others_are_listed_ends_too(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    successor = tmp_path / "successor"
    code = f"""
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
if os.fork() == 0:
    os.setsid()
    channel.reply({{"pid": os.getpid()}})
    signal.sigwait([signal.SIGUSR1])
    if pid := os.fork():
        open({str(successor)!r}, "w").write(str(pid))
        os._exit(0)
time.sleep(60)
"""
    with start(code) as child:
        reply = child.receive(30)
        assert reply is not None

        def listed(pattern: str) -> list[str]:
            found = glob(pattern)
            if not successor.exists():
                os.kill(reply["pid"], signal.SIGUSR1)
                assert ends(reply["pid"])
            return found

        monkeypatch.setattr(process, "iglob", listed)
        child.kill()
        assert ends(int(successor.read_text()))


def test_a_crash_is_noticed_although_another_process_keeps_the_pipe(start: Start) -> None:
    with start("if os.fork(): os.abort()\ntime.sleep(60)") as child:
        assert child.receive(30) is None
        assert child.end(30).cause == "SIGABRT"


def test_a_child_ends_with_its_parent(start: Start, tmp_path: Path) -> None:
    start("channel.reply({'pid': os.getpid()})\ntime.sleep(60)").kill()
    code = (
        f"import sys, os; sys.path.insert(0, {str(tmp_path)!r})\nfrom aeadlab.process import Child\n"
        "with Child('child') as child:\n    print(child.receive(60)['pid'], flush=True)\n    sys.stdin.read()"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
        assert ends(pid)


def test_a_terminal_cannot_interrupt_a_child(start: Start) -> None:
    with start("channel.reply({'session': os.getsid(0), 'pid': os.getpid()})") as child:
        reply = child.receive(30)
        assert reply is not None and reply["session"] == reply["pid"] != os.getsid(0)


FAILED_STARTS = {
    "an import fails": ("import no_such_module", "ended with status 1 (ModuleNotFoundError: No module named 'no_such"),
    "it crashes": ("import os; os.abort()", "ended with SIGABRT"),
    "it prints": ("print('hello', flush=True)", "ended with the text 'hello' in place of a reply"),
    "it exits": ("raise SystemExit(0)", "ended with status 0"),
}


@pytest.mark.parametrize("what", FAILED_STARTS)
def test_a_failure_before_the_channel_opens_is_one_of_the_lab(start: Start, what: str) -> None:
    before, why = FAILED_STARTS[what]
    with start("", before) as child, pytest.raises(ChildError) as caught:
        child.request({"n": 1}, 30)
    text = str(caught.value)
    assert text.startswith(f"the child process child did not start: {why}")
    assert text.endswith("; check the installed packages, and the limits with `ulimit -a`")


def test_a_child_that_does_nothing_did_not_start(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "START_SECONDS", 0.5)
    waiting = start("", "import time; time.sleep(60)")
    with waiting as child, pytest.raises(ChildError, match="did not start: no reply within 0.5 s"):
        child.receive(0.1)


def test_a_missing_interpreter_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "INTERPRETER", ("/no/such/python",))
    with pytest.raises(ChildError, match="the child process x did not start: .*No such file.*'/no/such/python'"):
        Child("x")


@pytest.mark.parametrize(
    "line", [b"noise\n", b"[1]\n", b"3\n", b"\xff\n", b"[" * 100_000 + b"\n", b"x" * (17 << 20)], ids=len
)
def test_text_in_place_of_a_reply_ends_the_child(start: Start, line: bytes, tmp_path: Path) -> None:
    (tmp_path / "line").write_bytes(line)
    code = f"channel._replies.write(open({str(tmp_path / 'line')!r}, 'rb').read()); channel._replies.flush()"
    with start(f"{code}\ntime.sleep(60)") as child:
        assert child.receive(30) is None
        ending = child.end(30)
    assert ending.cause.startswith("the text ") and ending.cause.endswith(" in place of a reply")
    assert ending.cause.isprintable() and len(ending.cause) < 200 and not ending.crashed


def test_failure_texts_are_printable_and_short(start: Start) -> None:
    with start(r"sys.stderr.write('x' * 10**6 + '\n\x1b[2Jgone\u202e\n'); sys.exit(3)") as child:
        ending = child.end(30)
    assert max(map(len, ending.errors.splitlines())) == 500
    assert ending.summary == "ended with status 3 (\N{REPLACEMENT CHARACTER}[2Jgone\N{REPLACEMENT CHARACTER})"


def test_another_thread_can_stop_the_wait(start: Start) -> None:
    stop = threading.Event()
    with start("for _ in channel.requests(): time.sleep(60)") as child:
        threading.Timer(0.5, stop.set).start()
        began = time.monotonic()
        assert child.request({}, 60, stop) is None
        assert time.monotonic() - began < 30


LIMITS = {
    "memory": ({"RLIMIT_DATA": 1 << 30}, "bytes(4 << 30)", "status 1", "MemoryError"),
    "CPU time": ({"RLIMIT_CPU": 1}, "while True: pass", "SIGKILL", ""),
    "files": (
        {"RLIMIT_FSIZE": 4096},
        "open(sys.argv[0] + '.big', 'wb').write(bytes(9999))",
        "status 1",
        "OSError: [Errno 27] File too large",
    ),
}


@pytest.mark.parametrize("what", LIMITS)
def test_limits_apply_to_the_child_only(start: Start, what: str) -> None:
    limits, code, cause, text = LIMITS[what]
    with start(code, limits=limits) as child:
        assert child.receive(60) is None
        ending = child.end(60)
    assert (ending.cause, ending.last_line, ending.crashed) == (cause, text, False)


def test_a_limited_child_is_the_first_to_end_when_memory_is_short(start: Start) -> None:
    code = "channel.reply({'score': open('/proc/self/oom_score_adj').read()})"
    for limits, score in (({"RLIMIT_CPU": 60}, "1000\n"), ({}, Path("/proc/self/oom_score_adj").read_text())):
        with start(code, limits=limits) as child:
            assert child.receive(30) == {"score": score}


def test_a_lower_limit_of_the_parent_remains(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper = ("bash", "-c", 'ulimit -t 50; exec "$@"', "-")
    monkeypatch.setattr(process, "INTERPRETER", (*wrapper, *process.INTERPRETER))
    code = "import resource; channel.reply({'cpu': resource.getrlimit(resource.RLIMIT_CPU)})"
    with start(code, limits={"RLIMIT_CPU": 100}) as child:
        assert child.receive(30) == {"cpu": [50, 50]}


def test_signals_without_a_name_have_their_number() -> None:
    assert signal_name(signal.SIGSEGV) == "SIGSEGV"
    assert signal_name(40) == "signal 40"
