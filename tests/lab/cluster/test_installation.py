from __future__ import annotations

from dataclasses import replace

from aeadlab.lab.cluster.installation import Installation


def test_difference_names_the_outermost_mismatch() -> None:
    one = Installation("0.1", "a" * 64, "b" * 64)
    assert one.difference(one) == ""
    assert one.difference(replace(one, version="0.2", code="c" * 64)) == "version 0.1, the caller's 0.2"
    assert one.difference(replace(one, code="c" * 64)) == "Python code aaaaaaaa, the caller's cccccccc"
    assert one.difference(replace(one, native="d" * 64)) == "extension bbbbbbbb, the caller's dddddddd"
