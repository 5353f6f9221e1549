"""Plugins that break the contract of the header: each fault is reported with its argument, and nothing is timed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import aeadlab
from aeadlab.catalogue import Catalogue, Implementation, load, plugins
from aeadlab.errors import VerificationError
from aeadlab.verify.cached import verified
from aeadlab.verify.report import Report

Compiled = Callable[..., Path]

BEHIND, BEFORE, WRITES = "it reads or writes behind its ", "it reads or writes in front of its ", "it writes to its "
IN_PLACE, TAG_BEHIND = "in place: ", "in place with the tag behind: "
DIFFERENT_TEXT = "the ciphertext differs from that in a separate output"
SEVERAL, KEPT = "contexts of different keys that exist at once", "a context that has processed other messages"
THREADS = "it declares thread-safe, and threads at once, each with its own context, give other results"
FAULTS = {
    "aead_writes_key": WRITES + "key",
    "aead_writes_nonce": WRITES + "nonce",
    "aead_writes_associated_data": WRITES + "associated data",
    "aead_writes_input": WRITES + "input",
    "aead_restores_input": WRITES + "input",
    "aead_writes_input_on_open": WRITES + "input",
    "aead_writes_tag_on_open": WRITES + "tag",
    "aead_reads_behind_key": BEHIND + "key",
    "aead_reads_behind_nonce": BEHIND + "nonce",
    "aead_reads_behind_associated_data": BEHIND + "associated data",
    "aead_reads_behind_input": BEHIND + "input",
    "aead_reads_before_input": BEFORE + "input",
    "aead_reads_behind_tag_on_open": BEHIND + "tag",
    "aead_writes_behind_output": BEHIND + "output",
    "aead_writes_before_output": BEFORE + "output",
    "aead_writes_behind_tag": BEHIND + "tag",
    "aead_clears_output_first": IN_PLACE + DIFFERENT_TEXT,
    "aead_wrong_in_place_at_one_length": "first: 513 bytes: " + IN_PLACE + DIFFERENT_TEXT,
    "aead_opens_in_place_wrongly": IN_PLACE + "the opened message differs from the original",
    "aead_wrong_with_the_tag_behind": TAG_BEHIND + DIFFERENT_TEXT,
    "aead_accepts_forgeries_in_place": IN_PLACE + "a forged tag is accepted",
    "aead_static_buffer": THREADS,
    "aead_static_key": SEVERAL,
    "aead_remembers_the_message": "round trip: ",
    "aead_keeps_the_key_pointer": "round trip: ",
    "cipher_writes_input": WRITES + "input",
    "cipher_writes_nonce": WRITES + "nonce",
    "cipher_clears_output_first": IN_PLACE + DIFFERENT_TEXT,
    "cipher_wrong_in_place_at_one_length": "1 of 39 failed, first: 513 bytes: " + IN_PLACE + DIFFERENT_TEXT,
    "cipher_static_buffer": THREADS,
    "cipher_static_key": SEVERAL,
    "mac_writes_key": WRITES + "key",
    "mac_writes_nonce": WRITES + "nonce",
    "mac_writes_input": WRITES + "input",
    "mac_writes_behind_tag": BEHIND + "tag",
    "mac_static_buffer": THREADS,
    "mac_keeps_the_key_pointer": "contexts: ",
    "mac_remembers_the_message": KEPT,
    "hash_writes_input": WRITES + "input",
    "hash_static_buffer": THREADS,
    "generator_writes_key": WRITES + "key",
    "generator_writes_before_output": BEFORE + "output",
    "generator_static_key": SEVERAL,
}
CORRECT = {"aead_correct", "cipher_correct", "mac_correct", "hash_correct", "generator_correct"}
RACES = {f"hostile/{fault}" for fault in FAULTS if fault.endswith("static_buffer")} | {
    f"{shape}-has-a-static-state/ascon-aead128" for shape in ("eth", "supercop")
}
# The header leaves the content of the output unspecified after an error, and the engine wipes it.
ALLOWED = CORRECT | {"aead_releases_plaintext"}


def verdicts(own: list[Implementation], catalogue: Catalogue) -> dict[str, Report]:
    """Verify until the races are found: on a busy computer one verification can miss them."""
    reports = verified(own, catalogue)
    for _ in range(5):
        missed = [i for i in own if i.name in RACES and not reports[i.name].check("contexts").failed]  # type: ignore[union-attr]
        if not missed:
            break
        reports |= verified(missed, catalogue, fresh=True)
    return reports


@pytest.fixture(scope="module")
def reports(compiled: Compiled, tmp_path_factory: pytest.TempPathFactory, tried_plugins: Path) -> dict[str, Report]:
    """Reports of all algorithms of the plugin, by algorithm."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AEADLAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv(plugins.VARIABLE, raising=False)
        catalogue = load([compiled("hostile")])
        own = [i for i in catalogue if i.description.library == "hostile"]
        return {name.partition("/")[2]: report for name, report in verdicts(own, catalogue).items()}


def test_the_table_is_complete(reports: dict[str, Report]) -> None:
    assert set(reports) == FAULTS.keys() | ALLOWED


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_reported(reports: dict[str, Report], fault: str) -> None:
    report = reports[fault]
    assert not report.ok and not report.unverifiable
    # In place, the input and the output are one buffer.
    reason = report.reason.replace("input and output", "output" if fault.endswith("output") else "input")
    assert FAULTS[fault] in reason


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_correct_implementations_pass_every_check(reports: dict[str, Report], name: str) -> None:
    report = reports[name]
    assert report.unverifiable and all(check.ok for check in report.checks)
    contexts = report.check("contexts")
    assert contexts is not None
    assert set(contexts.sources) == {"kept context", "several contexts", "four threads", "interrupted calls"}
    if name.startswith(("aead", "cipher")):
        round_trip = report.check("round trip")
        assert round_trip is not None and round_trip.sources["in place"] == round_trip.run


SHAPES: dict[str, dict[str, object]] = {"supercop": {}, "eth": {"ETH": 1}}
LEGACY: dict[str, tuple[dict[str, object], str]] = {
    "eth writes its key": ({"ON_SEAL": "((uint8_t*)key)[0]^=1"}, WRITES + "key"),
    "eth writes its nonce": ({"ON_SEAL": "((uint8_t*)iv)[0]^=1"}, WRITES + "nonce"),
    "eth writes its input": ({"ON_SEAL": "if(bytes>0)((uint8_t*)in)[0]^=1"}, WRITES + "input"),
    "eth writes its input on open": ({"ON_OPEN": "if(bytes>0)((uint8_t*)in)[0]^=1"}, WRITES + "input"),
    "eth reads behind its key": ({"ON_OPEN": "(void)*(volatile uint8_t*)(key+16)"}, BEHIND + "key"),
    "eth reads before its input": ({"ON_SEAL": "if(bytes>0)(void)*(volatile uint8_t*)(in-1)"}, BEFORE + "input"),
    "eth has a static state": ({"STORAGE": "static"}, THREADS),
    "supercop writes its key": ({"ON_OPEN": "((uint8_t*)k)[0]^=1"}, WRITES + "key"),
    "supercop writes its nonce": ({"ON_SEAL": "((uint8_t*)npub)[0]^=1"}, WRITES + "nonce"),
    "supercop writes its associated data": (
        {"ON_SEAL": "if(adlen>0)((uint8_t*)ad)[0]^=1"},
        WRITES + "associated data",
    ),
    "supercop writes its input": ({"ON_SEAL": "if(mlen>0)((uint8_t*)m)[0]^=1"}, WRITES + "input"),
    "supercop writes its input on open": (
        {"ON_OPEN": "((volatile uint8_t*)c)[0]^=1;((volatile uint8_t*)c)[0]^=1"},
        WRITES + "input",
    ),
    "supercop writes behind its tag": ({"ON_SEALED": "c[*clen]=1"}, ""),
    "supercop has a static state": ({"STORAGE": "static"}, THREADS),
}


CORRECT_LEGACY: dict[str, dict[str, object]] = {
    "eth": {},
    "supercop": {},
    # The function of the paper may write to its MAC argument, which is a copy of the tag.
    "eth writes its tag on open": {"ON_OPEN": "((volatile uint8_t*)mac)[0]^=1;((volatile uint8_t*)mac)[0]^=1"},
}


def describe(path: Path, shape: str, library: str) -> None:
    """Write the description of a plugin of a legacy shape."""
    fields = {"shape": shape, "library": library, "algorithm": "ascon-aead128", "thread_safe": True}
    lengths = {"key_bytes": 16, "nonce_bytes": 16, "tag_bytes": 16}
    lines = (f"{name} = {json.dumps(value)}\n" for name, value in {**fields, **lengths}.items())
    path.with_suffix(".toml").write_text("".join(lines))


@pytest.fixture(scope="module")
def legacy(compiled: Compiled, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Reports of all plugins of legacy shapes, by their name in the tables."""
    folder = tmp_path_factory.mktemp("legacy")
    every = {**{what: macros for what, (macros, _) in LEGACY.items()}, **CORRECT_LEGACY}
    libraries = {what: what.replace(" ", "-") for what in every}
    for what, macros in every.items():
        shape = what.partition(" ")[0]
        path = folder / f"{libraries[what]}.so"
        shutil.copy(compiled("ascon", **SHAPES[shape], **macros), path)
        describe(path, shape, libraries[what])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AEADLAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv(plugins.VARIABLE, raising=False)
        catalogue = load([folder])
        own = {what: catalogue.find(f"{library}/ascon-aead128") for what, library in libraries.items()}
        found = verdicts(list(own.values()), catalogue)
    return {what: found[implementation.name] for what, implementation in own.items()}


@pytest.mark.parametrize("what", LEGACY)
def test_faults_of_legacy_shapes_are_reported(legacy: dict[str, Report], what: str) -> None:
    assert not legacy[what].ok and not legacy[what].unverifiable
    assert LEGACY[what][1] in legacy[what].reason


@pytest.mark.parametrize("what", CORRECT_LEGACY)
def test_correct_legacy_shapes_pass(legacy: dict[str, Report], what: str) -> None:
    assert legacy[what].ok, legacy[what].reason
    round_trip = legacy[what].check("round trip")
    assert round_trip is not None and round_trip.sources["with the tag behind"] > round_trip.run // 2


@pytest.mark.usefixtures("own_folders")
def test_a_hostile_plugin_is_not_timed(compiled: Compiled, tmp_path: Path) -> None:
    path = tmp_path / "hostile.so"
    shutil.copy(compiled("ascon", ON_SEAL="if(mlen>0)((uint8_t*)m)[0]^=1"), path)
    describe(path, "supercop", "legacy")
    name = "legacy/ascon-aead128"
    with pytest.raises(VerificationError, match=f"can be timed: {name}: .* it writes to its input"):
        aeadlab.measure("baselines", "smoke", size=4096, samples=2, implementations=[name], plugins=[path])
