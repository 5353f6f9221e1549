from __future__ import annotations

import pytest

from aeadlab.display.nearest import hint, nearest


@pytest.mark.parametrize(
    ("name", "expected"),
    [("quik", "did you mean quick?"), ("eth", "did you mean ETH?"), ("zzz", "there are quick, ETH")],
)
def test_suggests_the_nearest_name_or_lists_all(name: str, expected: str) -> None:
    assert hint(name, ("quick", "ETH")) == expected


def test_other_endings() -> None:
    assert hint("zzz", ("quick",), "`aeadlab list` lists all") == "`aeadlab list` lists all"
    assert hint("zzz", ()) == "there are none"
    assert nearest("RNIG/aes", ["ring/aes", "openssl/md5"]) == "the nearest: ring/aes"
    assert nearest("zzz", ["ring/aes"]) == "`aeadlab list` lists all"
