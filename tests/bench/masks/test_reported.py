from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from aeadlab.bench.masks.reported import used_features
from aeadlab.catalogue import load


def implementation(name: str, kernel: str, *flags: str) -> Any:
    return SimpleNamespace(name=name, description=SimpleNamespace(kernel=kernel, flags=set(flags)))


@pytest.mark.parametrize(
    ("kernel", "features"),
    [
        ("VAES, AVX-512", {"VAES", "AVX-512"}),
        ("AES-NI, PCLMULQDQ", {"AES", "carry-less"}),
        ("aes-gcm 0.11.1, aes 0.9.2, ghash 0.6.0: AES-NI, CLMUL", {"AES", "carry-less"}),
        ("aes 0.9.2: soft", set()),
        ("avx2, GHASH clmul", {"AVX2", "carry-less"}),
        ("intel-aesni, intel-avx2, intel-shaext, intel-vaes-vpclmul", {"AES", "AVX2", "SHA", "VAES", "carry-less"}),
        ("VAES, AVX-512VL", {"VAES", "AVX-512"}),
        ("SHANI", {"SHA"}),
        ("chacha20 0.10.2: AVX2", {"AVX2"}),
        ("portable C", set()),
    ],
)
def test_finds_the_features_in_kernel_names(kernel: str, features: set[str]) -> None:
    used = used_features([implementation("mine/aes", kernel)])
    assert {feature for feature, libraries in used.items() if libraries} == features
    assert used[""] == []


def test_lists_libraries_without_kernel_names() -> None:
    used = used_features([
        implementation("quiet/aes", ""), implementation("b/x", "AVX2", "baseline"),
        implementation("loud/aes", ""), implementation("loud/sha", "SHANI"),
    ])  # fmt: skip
    assert used[""] == ["quiet"]
    assert used["SHA"] == ["loud"]
    assert used["AVX2"] == []


def test_every_linked_library_is_listed_somewhere() -> None:
    used = used_features(load())
    listed = {library for libraries in used.values() for library in libraries}
    assert {"openssl", "rustcrypto", "blake3", "ring"} <= listed
