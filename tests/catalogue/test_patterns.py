from __future__ import annotations

import pytest

from aeadlab.catalogue import Catalogue, patterns
from aeadlab.errors import UnknownNameError


def names(*given: str) -> list[str]:
    return [implementation.name for implementation in patterns.select(Catalogue(), given)]


def test_selects_names_algorithms_and_globs() -> None:
    assert names("ring/aes-256-gcm") == ["ring/aes-256-gcm"]
    assert {"ring/aes-256-gcm", "openssl/aes-256-gcm"} <= set(names("aes-256-gcm"))
    assert all(name.startswith("ring/") and "gcm" in name for name in names("ring/*gcm*"))
    assert len(names("ring/aes-256-gcm", "ring/aes-256-*")) == len(set(names("ring/aes-256-*")))
    assert names("openssl+blake3/aes-256-ctr+blake3-keyed") == ["openssl+blake3/aes-256-ctr+blake3-keyed"]


@pytest.mark.parametrize(
    ("pattern", "nearest"), [("aes-256-gmc", "aes-256-gcm"), ("rings/aes-256-gcm", "ring/aes-256-gcm")]
)
def test_suggests_the_nearest(pattern: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError, match=nearest):
        names(pattern)
    with pytest.raises(UnknownNameError, match="matches 'none/\\*'"):
        names("none/*")
