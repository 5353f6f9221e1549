from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from aeadlab.process import Child, signal_name

Start = Callable[..., Child]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """``start(code)``: a child whose module runs `code` with a `channel`."""

    def run(code: str, own_group: bool = False) -> Child:
        (tmp_path / "child.py").write_text(
            f"import os, sys, time\nfrom aeadlab.process import Channel\nchannel = Channel()\n{code}\n"
        )
        folders = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
        return Child("child", environment={"PYTHONPATH": folders}, own_group=own_group)

    return run


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


def test_a_group_of_its_own_is_ended_as_a_whole(start: Start) -> None:
    with start("pid = os.fork() or time.sleep(60)\nchannel.reply({'pid': pid})\ntime.sleep(60)", True) as child:
        reply = child.receive(30)
        assert reply is not None
        process = psutil.Process(reply["pid"])
    end = time.monotonic() + 10
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_signals_without_a_name_have_their_number() -> None:
    assert signal_name(signal.SIGSEGV) == "SIGSEGV"
    assert signal_name(40) == "signal 40"
