from __future__ import annotations

from dataclasses import replace

import pytest

from aeadlab.bench import masks
from aeadlab.bench.case import Case
from aeadlab.bench.masks import (
    CONTROL,
    FEATURES,
    MASKS,
    NO_SWITCH,
    SWITCHES,
    check_environment,
    environment,
    find_mask,
    lacking,
    process_of,
    switches,
    why_not,
    with_masks,
)
from aeadlab.catalogue import load
from aeadlab.errors import ArgumentError, UnknownNameError

OPENSSL = Case("openssl/aes-256-gcm", "seal", 4096)
BOTAN = Case("botan/aes-256-gcm", "seal", 4096)
RUSTCRYPTO = Case("rustcrypto/aes-256-gcm", "seal", 4096)


@pytest.fixture
def cpu(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What /proc/cpuinfo says."""
    info = {"vendor_id": "GenuineIntel", "flags": "fpu aes pclmulqdq sha_ni avx2"}
    monkeypatch.setattr(masks, "_cpuinfo", lambda: info)
    return info


def test_a_mask_that_hides_a_feature_hides_what_needs_it() -> None:
    for mask in MASKS.values():
        hidden = {*mask.hides}
        assert hidden <= {*FEATURES}
        assert "AES" not in hidden or "VAES" in hidden
        assert "PCLMULQDQ" not in hidden or "VAES" in hidden
        assert "AVX2" not in hidden or hidden >= {"AVX-512", "VAES"}
        assert "AVX" not in hidden or "AVX2" in hidden


@pytest.mark.parametrize(
    ("name", "mask", "variable", "value"),
    [
        ("openssl/aes-256-gcm", "no-vaes", "OPENSSL_ia32cap", "~0x0:~0x60000000000:~0x0:~0x0:~0x0"),
        ("openssl/aes-256-gcm", "no-aes", "OPENSSL_ia32cap", "~0x200000000000000:~0x60000000000:~0x0:~0x0:~0x0"),
        ("openssl/aes-256-gcm", "no-avx512", "OPENSSL_ia32cap", "~0x0:~0x5842d0230000:~0x0:~0x80000:~0x0"),
        # A third word would make BoringSSL pass over the second.
        ("boringssl/aes-256-gcm", "no-vaes", "OPENSSL_ia32cap", "~0x0:~0x60000000000"),
        ("botan/aes-256-gcm", "no-pclmul", "BOTAN_CLEAR_CPUID", "clmul"),
        ("libgcrypt/aes-256-gcm", "no-pclmul", "AEADLAB_LIBGCRYPT_CLEAR", "intel-vaes-vpclmul,intel-pclmul"),
        ("nettle/aes-256-gcm", "no-aes", "NETTLE_FAT_OVERRIDE", "vendor:intel,pclmul,sha_ni"),
        ("baseline/memcpy", "no-erms", "GLIBC_TUNABLES", "glibc.cpu.hwcaps=-ERMS,-FSRM"),
    ],
)
@pytest.mark.usefixtures("cpu")
def test_each_library_is_told_in_its_own_words(name: str, mask: str, variable: str, value: str) -> None:
    told = environment(name, find_mask(mask))[variable]
    assert value in (told, told.removeprefix("avx2_vaes,avx2_aes,avx2_clmul,avx512_aes,avx512_clmul,"))


def test_the_control_tells_nobody_anything() -> None:
    assert environment("openssl/aes-256-gcm", MASKS[CONTROL]) == {}


def test_every_library_of_the_catalogue_has_a_switch_or_a_reason() -> None:
    libraries = {i.description.library for i in load()}
    assert libraries <= {name.split("/")[0] for name in SWITCHES} | {*NO_SWITCH}


def test_what_cannot_be_told_says_why() -> None:
    assert why_not("openssl/aes-256-gcm", MASKS["no-vaes"]) == ""
    assert why_not("rustcrypto/ghash", MASKS["no-vaes"]) == (
        "rustcrypto cannot be told: it asks the CPU itself and reads no setting"
    )
    assert why_not("stranger/x", MASKS["no-vaes"]) == "stranger cannot be told: no switch of it is known"
    assert why_not("nettle/aes-256-gcm", MASKS["zen2"]) == (
        "nettle cannot be told under zen2: NETTLE_FAT_OVERRIDE knows no AVX-512 and no VAES and no GFNI"
    )
    assert why_not("baseline/xor", MASKS["no-erms"]).startswith("baseline cannot be told: what it uses was chosen")


def test_a_composition_is_told_what_its_parts_are() -> None:
    name = "botan+openssl/aes-256-ctr+aes-256-gmac"
    assert [switch.variable for switch in switches(name)] == ["BOTAN_CLEAR_CPUID", "OPENSSL_ia32cap"]
    assert why_not(name, MASKS["no-aes"]) == ""
    split = "boringssl+openssl/aes-256-ctr+aes-256-gmac"
    assert why_not(split, MASKS["no-aes"]).endswith("its parts read one variable (OPENSSL_ia32cap) differently")
    assert switches("aeadlab/aes-256-ctr+blake3") == []


def test_cases_of_one_mask_share_a_process_unless_they_are_told_different_things() -> None:
    zen2 = [replace(case, mask="zen2") for case in (OPENSSL, BOTAN)]
    assert process_of(zen2[0]) == process_of(zen2[1])
    assert process_of(replace(zen2[0], implementation="boringssl/aes-256-gcm")) != process_of(zen2[0])
    assert process_of(replace(OPENSSL, mask="no-vaes")) != process_of(zen2[0])


@pytest.mark.parametrize(
    ("name", "hint"), [("no-vase", "did you mean no-vaes?"), ("x", "there are no-avx512, no-vaes")]
)
def test_a_misspelt_mask_is_said_so(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=f"no mask is called '{name}'; {hint}".replace("?", r"\?")):
        find_mask(name)


def test_masked_cases_come_after_all_others_with_one_control() -> None:
    cases, reasons = with_masks([RUSTCRYPTO, OPENSSL, BOTAN], [MASKS["zen2"], MASKS["no-aes"], MASKS["zen2"]])
    assert [(case.implementation.split("/")[0], case.mask) for case in cases] == [
        *[("rustcrypto", ""), ("openssl", ""), ("botan", "")],
        *[("openssl", "zen2"), ("botan", "zen2"), ("openssl", "no-aes"), ("botan", "no-aes")],
        ("openssl", "nothing"),
    ]
    assert cases[3] == replace(OPENSSL, mask="zen2"), "nothing else differs"
    assert reasons == ["rustcrypto cannot be told: it asks the CPU itself and reads no setting"]
    assert with_masks([OPENSSL], []) == ([OPENSSL], [])
    assert len(with_masks([OPENSSL], [MASKS[CONTROL]])[0]) == 2, "the control is not its own control"


def test_a_cpu_without_the_features_cannot_lose_them(cpu: dict[str, str]) -> None:
    assert lacking(MASKS["no-vaes"]) == "this CPU has no VAES"
    assert lacking(MASKS["zen2"]) == "this CPU has no AVX-512 and no VAES and no GFNI"
    assert lacking(MASKS["no-aes"]) == "", "one of the two is enough"
    assert lacking(MASKS[CONTROL]) == ""
    cpu.clear()
    assert lacking(MASKS["no-vaes"]) == "", "where features are not known, the library is asked"


def test_an_environment_that_hides_features_already_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOTAN_CLEAR_CPUID", "avx2")
    check_environment([])
    with pytest.raises(ArgumentError, match="BOTAN_CLEAR_CPUID is set to 'avx2' in the environment.*unset it"):
        check_environment([MASKS["no-vaes"]])
