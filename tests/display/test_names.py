from __future__ import annotations

import pytest

from aeadlab.display.names import in_words


@pytest.mark.parametrize(
    ("implementation", "expected"),
    [
        ("openssl/aes-256-gcm", "OpenSSL AES-256-GCM"),
        ("baseline/memcpy", "memcpy"),
        ("blake3/blake3", "BLAKE3"),
        ("blake3-rayon/blake3", "blake3-rayon BLAKE3"),
        ("libaegis/aegis-128x4-mac-tag256", "libaegis AEGIS-128X4-MAC-tag256"),
        ("libsodium/xchacha20-poly1305", "libsodium XChaCha20-Poly1305"),
        ("aeadlab/aes-256-ctr+blake3", "aeadlab AES-256-CTR+BLAKE3"),
        ("rijndael/aes-128-ctr.counter-optimization-o2", "Rijndael AES-128-CTR counter-optimization -O2"),
        ("mine/new-cipher", "mine new-cipher"),
    ],
)
def test_names_are_in_words(implementation: str, expected: str) -> None:
    assert in_words(implementation) == expected
