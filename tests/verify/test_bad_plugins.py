"""Faults of external plugins after loading: verification in a child process reports each fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.catalogue import load
from aeadlab.verify.cached import verified

pytestmark = pytest.mark.usefixtures("own_folders")

Compiled = Callable[..., Path]
GOOD, BAD = "baseline/memcpy", "toy/xor-tag"


def reasons(path: Path) -> dict[str, Any]:
    """Return the reports of a plugin and of an unrelated implementation."""
    catalogue = load([path])
    return verified([catalogue.find(BAD), catalogue.find(GOOD)], catalogue)


def test_a_correct_plugin_passes_all_checks(compiled: Compiled) -> None:
    report = reasons(compiled("toy"))[BAD]
    assert report.unverifiable
    assert all(check.ok for check in report.checks)


BEHIND = "it reads or writes behind its "
FAULTS = {
    "writes behind its tag": ({"ON_SEALED": "tag[16]=1"}, BEHIND + "tag"),
    "writes behind its output": ({"ON_SEALED": "out[bytes]=1"}, BEHIND + "output"),
    "writes before its tag": ({"ON_SEALED": "tag[-1]=1"}, "it reads or writes in front of its tag"),
    "writes before its output": ({"ON_SEALED": "if(bytes>0)out[-1]=1"}, "it reads or writes in front of its output"),
    "reads behind its key": ({"ON_KEYED": "(void)*(volatile const uint8_t*)(key+key_bytes)"}, BEHIND + "key"),
    "reads behind its input": ({"ON_MESSAGE": "(void)*(volatile const uint8_t*)(in+bytes)"}, BEHIND + "input"),
    "reads behind its nonce": ({"ON_MESSAGE": "(void)*(volatile const uint8_t*)(nonce+nonce_bytes)"}, BEHIND + "nonce"),
    "accepts a forged tag": ({"FORGED": "AEADLAB_OK"}, ": accepted"),
    "says the wrong status for a forged tag": ({"FORGED": "AEADLAB_INTERNAL"}, ": accepted"),
    "writes at NULL": ({"ON_MESSAGE": "*(volatile int*)NULL=1"}, "it crashes while being verified (SIGSEGV)"),
    "aborts": ({"ON_MESSAGE": "abort()"}, "it crashes while being verified (SIGABRT)"),
    "ends the process": ({"ON_MESSAGE": "exit(0)"}, "its verification ended with status 0: no reason given"),
    "does not come back": ({"ON_MESSAGE": "return AEADLAB_INTERNAL"}, "round trip: "),
    "returns what is no status": ({"SEALED": "-7"}, "round trip: "),
    "gives no context": ({"ON_KEYED": "*made=NULL"}, "round trip: "),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_faulty_plugin_fails_alone_with_its_fault(compiled: Compiled, what: str) -> None:
    macros, why = FAULTS[what]
    reports = reasons(compiled("toy", **macros))
    assert not reports[BAD].ok
    assert why in reports[BAD].reason
    assert not reports[BAD].unverifiable
    assert reports[GOOD].ok


def test_wrong_answers_fail_known_answers_and_agreement(compiled: Compiled) -> None:
    catalogue = load([compiled("toy", ALGORITHM='"chacha20-poly1305"')])
    report = verified([catalogue.find("toy/chacha20-poly1305")], catalogue)["toy/chacha20-poly1305"]
    assert report.reason.startswith("known answers: ")
    known, agreement = report.check("known answers"), report.check("agreement")
    assert known is not None and known.failed > 100
    assert agreement is not None and agreement.failed == agreement.run > 100


@pytest.mark.parametrize("flags", ["0", "AEADLAB_NO_ASSOCIATED_DATA"])
def test_ignored_associated_data_is_a_fault(compiled: Compiled, flags: str) -> None:
    path = compiled("toy", FLAGS=f"({flags})", ON_MESSAGE="ad_bytes=0")
    report = reasons(path)[BAD]
    assert report.reason.startswith("tamper: ")
    fault = "it declares to reject associated data, and accepts it"
    assert (fault in report.reason) is (flags != "0")


def test_rejecting_associated_data_with_the_flag_is_correct(compiled: Compiled) -> None:
    reject = "if(ad_bytes>0)return AEADLAB_BAD_ARGUMENT"
    report = reasons(compiled("toy", FLAGS="AEADLAB_NO_ASSOCIATED_DATA", ON_MESSAGE=reject))[BAD]
    assert report.unverifiable
    report = reasons(compiled("toy", FLAGS="0", ON_MESSAGE=reject))[BAD]
    assert report.reason.startswith("tamper: ")


MANY = {
    "FLAGS": "(AEADLAB_IN_PLACE|AEADLAB_THREAD_SAFE|AEADLAB_MANY)",
    "SEAL_MANY": "seal_many",
    "OPEN_MANY": "open_many",
}
DIFFERS = "seal_many differs from one call for each block"
MANY_FAULTS = {
    "the tag of a later block": ({"ON_SEALED_MANY": "if(b->count>8)b->tags[8*b->tag_stride]^=1"}, DIFFERS),
    "one byte of the last block": ({"ON_SEALED_MANY": "if(b->count>32)b->out[(b->count-1)*b->out_stride]^=1"}, DIFFERS),
    "a run in place": ({"ON_SEALED_MANY": "if(b->in==b->out)b->out[0]^=1"}, "in place"),
    "tags between the blocks": ({"ON_SEALED_MANY": "if(b->tag_stride>16)b->tags[0]^=1"}, "with tags between"),
    "an index that overflows 16 bits": (
        {"ON_SEALED_MANY": "if(b->nonce[b->nonce_bytes-5]==1&&b->count>2)b->tags[2*b->tag_stride]^=1"},
        DIFFERS,
    ),
    "a forged tag is accepted": (
        {"ON_OPENED_MANY": "if(b->count>1)status=AEADLAB_OK"},
        "open_many accepts a forged ",
    ),
    "another status for a forged tag": (
        {"ON_OPENED_MANY": "if(status!=AEADLAB_OK)status=AEADLAB_INTERNAL"},
        "open_many: ",
    ),
    "writes behind the output": ({"ON_SEALED_MANY": "b->out[(b->count-1)*b->out_stride+b->last_bytes]=1"}, BEHIND),
}


def test_correct_runs_of_blocks_pass(compiled: Compiled) -> None:
    report = reasons(compiled("toy", **MANY))[BAD]
    assert report.unverifiable
    check = report.check("many blocks")
    assert check is not None and check.ok
    assert check.sources["runs of blocks"] > 100 and check.sources["forged runs"] == 6 * check.sources["runs of blocks"]


@pytest.mark.parametrize("what", MANY_FAULTS)
def test_a_false_run_of_blocks_fails(compiled: Compiled, what: str) -> None:
    """Single calls are correct, so that only the check of runs finds the fault."""
    macros, why = MANY_FAULTS[what]
    report = reasons(compiled("toy", **MANY, **macros))[BAD]
    assert not report.ok and not report.unverifiable
    # An access outside of a buffer ends the process.
    assert report.reason.startswith("its verification ended" if why == BEHIND else "many blocks: ")
    assert why in report.reason
