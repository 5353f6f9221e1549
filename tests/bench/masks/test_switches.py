from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aeadlab import compose
from aeadlab.bench.case import Case
from aeadlab.bench.isolated import process_key
from aeadlab.bench.masks import features
from aeadlab.bench.masks.masks import CONTROL, MASKS, find_mask
from aeadlab.bench.masks.switches import (
    check_environment,
    declared_switches,
    environment,
    reason_without_mask,
    switches,
    with_masks,
)
from aeadlab.catalogue import Catalogue, Description, Implementation, load
from aeadlab.errors import ArgumentError

OPENSSL = Case("openssl/aes-256-gcm", "seal", 4096)
BOTAN = Case("botan/aes-256-gcm", "seal", 4096)
RUSTCRYPTO = Case("rustcrypto/aes-256-gcm", "seal", 4096)
CPUID = "it detects CPU features itself and reads no setting"


DECLARED = {
    "openssl": "OPENSSL_ia32cap:5",
    "boringssl": "OPENSSL_ia32cap:2",
    "botan": "BOTAN_CLEAR_CPUID",
    "nettle": "NETTLE_FAT_OVERRIDE",
    "rustcrypto": f"none: {CPUID}",
}


def implementation(name: str, feature_switch: str = "") -> Implementation:
    library, algorithm = name.split("/")
    declared = feature_switch or DECLARED.get(library, "")
    return Implementation(Description(library, algorithm, "aead", "1", feature_switch=declared))


class Names(Catalogue):
    """A catalogue that has every name."""

    def __init__(self) -> None:
        super().__init__([Path("unused")])

    def find(self, name: str) -> Implementation:
        return implementation(name)


@pytest.fixture
def _cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    info = {"vendor_id": "GenuineIntel", "flags": "fpu aes pclmulqdq sha_ni avx2"}
    monkeypatch.setattr(features, "_cpu_info", lambda: info)


@pytest.mark.parametrize(
    ("declared", "mask", "variable", "value"),
    [
        ("OPENSSL_ia32cap:5", "no-vaes", "OPENSSL_ia32cap", "~0x0:~0x60000000000:~0x0:~0x0:~0x0"),
        ("OPENSSL_ia32cap:5", "no-aes", "OPENSSL_ia32cap", "~0x200000000000000:~0x60000000000:~0x0:~0x0:~0x0"),
        ("OPENSSL_ia32cap:5", "no-avx512", "OPENSSL_ia32cap", "~0x0:~0x5842d0230000:~0x0:~0x80000:~0x0"),
        # With a third word BoringSSL would ignore the second.
        ("OPENSSL_ia32cap:2", "no-vaes", "OPENSSL_ia32cap", "~0x0:~0x60000000000"),
        ("BOTAN_CLEAR_CPUID", "no-pclmul", "BOTAN_CLEAR_CPUID", "clmul"),
        ("AEADLAB_LIBGCRYPT_CLEAR", "no-pclmul", "AEADLAB_LIBGCRYPT_CLEAR", "intel-vaes-vpclmul,intel-pclmul"),
        ("NETTLE_FAT_OVERRIDE", "no-aes", "NETTLE_FAT_OVERRIDE", "vendor:intel,pclmul,sha_ni"),
        ("GLIBC_TUNABLES", "no-erms", "GLIBC_TUNABLES", "glibc.cpu.hwcaps=-ERMS,-FSRM"),
    ],
)
@pytest.mark.usefixtures("_cpu")
def test_each_switch_has_its_format(declared: str, mask: str, variable: str, value: str) -> None:
    given = environment(implementation("x/aes-256-gcm", declared), find_mask(mask))[variable]
    assert value in (given, given.removeprefix("avx2_vaes,avx2_aes,avx2_clmul,avx512_aes,avx512_clmul,"))


def test_the_control_sets_no_variable() -> None:
    assert environment(implementation("openssl/aes-256-gcm"), MASKS[CONTROL]) == {}


def test_every_library_has_a_switch_or_a_reason() -> None:
    catalogue = load()
    for one in catalogue:
        assert declared_switches(one) == [one.description.feature_switch], one.name
    for name, declared in (("openssl/aes-256-gcm", DECLARED["openssl"]), ("baseline/memcpy", "GLIBC_TUNABLES")):
        assert declared_switches(catalogue.find(name)) == [declared]


@pytest.mark.parametrize("declared", ["", "AESNI_OFF", "OPENSSL_ia32cap", "none"])
def test_an_unknown_declaration_is_no_declaration(declared: str) -> None:
    assert declared_switches(implementation("x/aes-256-gcm", declared)) == ["none: its library declares none"]
    assert switches(implementation("x/aes-256-gcm", declared)) == []


def test_an_implementation_that_cannot_be_masked_has_a_reason() -> None:
    def reason(name: str, mask: str, declared: str = "") -> str:
        return reason_without_mask(implementation(name, declared), MASKS[mask])

    assert reason("openssl/aes-256-gcm", "no-vaes") == ""
    assert reason("rustcrypto/ghash", "no-vaes") == f"rustcrypto has no feature switch: {CPUID}"
    assert reason("external/x", "no-vaes") == "external has no feature switch: its library declares none"
    assert reason("nettle/aes-256-gcm", "zen2") == (
        "nettle cannot be masked by zen2: NETTLE_FAT_OVERRIDE cannot hide AVX-512 or VAES or GFNI"
    )
    compiled = "its code path is chosen at compile time"
    assert reason("baseline/xor", "no-erms", f"none: {compiled}") == f"baseline has no feature switch: {compiled}"


def test_a_composition_has_the_switches_of_its_parts() -> None:
    both = implementation("botan+openssl/aes-256-ctr+aes-256-gmac", "BOTAN_CLEAR_CPUID + OPENSSL_ia32cap:5")
    assert [switch.variable for switch in switches(both)] == ["BOTAN_CLEAR_CPUID", "OPENSSL_ia32cap"]
    assert reason_without_mask(both, MASKS["no-aes"]) == ""
    mixed = implementation("x+y/a+b", "OPENSSL_ia32cap:2 + OPENSSL_ia32cap:5")
    reason = "its parts read OPENSSL_ia32cap in different formats"
    assert reason_without_mask(mixed, MASKS["no-aes"]).endswith(reason)
    one = compose("openssl/aes-256-ctr", "blake3/blake3-keyed")
    assert declared_switches(one) == ["OPENSSL_ia32cap:5", f"none: {CPUID}"]
    assert [switch.variable for switch in switches(one)] == ["OPENSSL_ia32cap"]
    assert switches(load().find("aeadlab/aes-256-ctr+blake3")) == []


def test_cases_share_a_process_if_mask_and_variables_are_equal() -> None:
    names = Names()
    zen2 = [replace(case, mask="zen2") for case in (OPENSSL, BOTAN)]
    keys = [process_key(case, names) for case in zen2]
    assert keys[0] == keys[1]
    assert process_key(replace(zen2[0], implementation="boringssl/aes-256-gcm"), names) != keys[0]
    assert process_key(replace(OPENSSL, mask="no-vaes"), names) != keys[0]


def test_masked_cases_follow_all_others_with_controls() -> None:
    cases, reasons = with_masks([RUSTCRYPTO, OPENSSL, BOTAN], [MASKS["zen2"], MASKS["no-aes"], MASKS["zen2"]], Names())
    assert [(case.implementation.split("/")[0], case.mask) for case in cases] == [
        *[("rustcrypto", ""), ("openssl", ""), ("botan", "")],
        *[("openssl", "zen2"), ("botan", "zen2"), ("openssl", "no-aes"), ("botan", "no-aes")],
        *[("openssl", "nothing"), ("botan", "nothing")],
    ]
    assert cases[3] == replace(OPENSSL, mask="zen2"), "nothing else differs"
    assert reasons == [f"rustcrypto has no feature switch: {CPUID}"]
    assert with_masks([OPENSSL], [], Names()) == ([OPENSSL], [])
    assert len(with_masks([OPENSSL], [MASKS[CONTROL]], Names())[0]) == 2, "the control needs no control"


def test_masked_cases_of_each_class_and_length_have_a_control() -> None:
    """A control of a short message or of one thread says nothing about others."""
    long = replace(OPENSSL, bytes=1 << 20)
    split = replace(OPENSSL, engine="parsplit", block_size=64, threads=2, schedule="dynamic")
    others = [replace(long, op="open"), replace(long, implementation="openssl/aes-128-gcm"), BOTAN, RUSTCRYPTO]
    cases = with_masks([OPENSSL, long, split, *others], [MASKS["no-aes"]], Names())[0]
    controls = [replace(case, mask="") for case in cases if case.mask == CONTROL]
    assert controls == [OPENSSL, BOTAN, long, others[1], split]


def test_absent_implementations_have_no_masked_case() -> None:
    absent = Case("absent/aes-256-gcm", "seal", 4096)
    cases, reasons = with_masks([absent, OPENSSL], [MASKS["no-aes"]], load())
    assert [case.mask for case in cases if case.implementation == absent.implementation] == [""]
    assert reasons[0].startswith("no implementation is called 'absent/aes-256-gcm'")


def test_a_switch_in_the_environment_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOTAN_CLEAR_CPUID", "avx2")
    check_environment([])
    with pytest.raises(ArgumentError, match="BOTAN_CLEAR_CPUID is set to 'avx2' in the environment.*unset it"):
        check_environment([MASKS["no-vaes"]])
