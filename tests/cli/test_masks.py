from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from aeadlab.bench.masks import verification
from aeadlab.bench.masks.effect import Effect
from aeadlab.bench.masks.masks import MASKS

Command = Callable[..., Any]
GCM, SHA = "openssl/aes-256-gcm", "nettle/sha-256"


@pytest.fixture
def surveyed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replace the survey by one with each kind of outcome; return the arguments of its call."""
    call: dict[str, Any] = {}

    def survey(chosen: list[Any], catalogue: object, names: list[str] | None) -> Any:
        masks = [name for name in names or MASKS if name != "nothing"]
        call.update(chosen=[i.name for i in chosen], names=names)
        nothing = f"{masks[0]} has no effect here: time ratios 1.00 1.00 1.00 in 3 pairs"
        without_switch = (
            Effect(SHA, mask, why_none="nettle cannot be masked", outcome="no switch") for mask in masks[1:]
        )
        found = {
            GCM: [Effect(GCM, mask, "VAES, AVX-512", "AES-NI", (3.9, 4.0, 4.1)) for mask in masks],
            SHA: [Effect(SHA, masks[0], why_none=nothing, outcome="no effect"), *without_switch],
        }
        return found, {"ring": "ring has no feature switch: it detects CPU features itself and reads no setting"}

    monkeypatch.setattr(verification, "survey", survey)
    return call


def test_prints_a_table_with_a_column_for_each_mask(command: Command, surveyed: dict[str, Any]) -> None:
    result = command("masks")
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 80
    assert GCM in surveyed["chosen"] and "ring/aes-256-gcm" in surveyed["chosen"] and surveyed["names"] is None
    assert "\nopenssl (OPENSSL_ia32cap)\n aes-256-gcm        4.00   4.00" in result.out
    assert "\nnettle (NETTLE_FAT_OVERRIDE)\n sha-256               =      -" in result.out
    assert result.out.endswith("\nring has no feature switch: it detects CPU features itself and reads no setting\n")


def test_describes_a_named_implementation_in_words(command: Command, surveyed: dict[str, Any]) -> None:
    result = command("masks", GCM, "--mask", "no-vaes")
    assert (result.code, surveyed) == (0, {"chosen": [GCM], "names": ["no-vaes"]})
    assert f"\n{GCM}\n  no-vaes    VAES, AVX-512 -> AES-NI, time ratio 4.00\n" in result.out
    assert "no-aes" not in result.out


def test_json_has_effects_and_reasons(command: Command, surveyed: dict[str, Any]) -> None:
    found = json.loads(command("masks", "--json", "--mask", "zen2").out)
    assert found["effects"][0] == {
        **{"implementation": GCM, "mask": "zen2", "kernel": "VAES, AVX-512", "masked_kernel": "AES-NI"},
        **{"ratios": [3.9, 4.0, 4.1], "why_none": ""},
    }
    assert set(found["untold"]) == {"ring"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--mask", "no-vase"), "no mask is called 'no-vase'; did you mean no-vaes?"),
        (("openssl/aes",), "no implementation is called 'openssl/aes'; the nearest: "),
    ],
)
def test_errors_are_one_line(command: Command, words: tuple[str, ...], why: str) -> None:
    result = command("masks", *words)
    assert result.is_invalid_use()
    assert result.err.startswith(f"aeadlab masks: {why}")
