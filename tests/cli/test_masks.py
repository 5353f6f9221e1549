from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from aeadlab import masking
from aeadlab.bench.effect import Effect
from aeadlab.bench.masks import MASKS

Command = Callable[..., Any]
GCM, SHA = "openssl/aes-256-gcm", "nettle/sha-256"


@pytest.fixture
def surveyed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """How the survey was called; it finds one of everything."""
    called: dict[str, Any] = {}

    def survey(chosen: list[Any], catalogue: object, names: list[str] | None) -> Any:
        masks = [name for name in names or MASKS if name != "nothing"]
        called.update(chosen=[i.name for i in chosen], names=names)
        nothing = f"{masks[0]} changes nothing here: time is x 1.00 1.00 1.00 in 3 pairs"
        untold = (Effect(SHA, mask, why_none=f"nettle cannot be told under {mask}: X knows none") for mask in masks[1:])
        found = {
            GCM: [Effect(GCM, mask, "VAES, AVX-512", "AES-NI", (3.9, 4.0, 4.1)) for mask in masks],
            SHA: [Effect(SHA, masks[0], why_none=nothing), *untold],
        }
        return found, {"ring": "ring cannot be told: it asks the CPU itself and reads no setting"}

    monkeypatch.setattr(masking, "survey", survey)
    return called


def test_the_table_has_a_column_for_each_mask(command: Command, surveyed: dict[str, Any]) -> None:
    said = command("masks")
    assert (said.code, said.err) == (0, "")
    assert max(map(len, said.out.splitlines())) <= 80
    assert GCM in surveyed["chosen"] and "ring/aes-256-gcm" in surveyed["chosen"] and surveyed["names"] is None
    assert "\nopenssl (OPENSSL_ia32cap)\n aes-256-gcm        4.00   4.00" in said.out
    assert "\nnettle (NETTLE_FAT_OVERRIDE)\n sha-256               =      -" in said.out
    assert said.out.endswith("\nring cannot be told: it asks the CPU itself and reads no setting\n")


def test_a_named_implementation_is_described_in_words(command: Command, surveyed: dict[str, Any]) -> None:
    said = command("masks", GCM, "--mask", "no-vaes")
    assert (said.code, surveyed) == (0, {"chosen": [GCM], "names": ["no-vaes"]})
    assert f"\n{GCM}\n  no-vaes    VAES, AVX-512 -> AES-NI, time x 4.00\n" in said.out
    assert "no-aes" not in said.out


def test_json_holds_everything(command: Command, surveyed: dict[str, Any]) -> None:
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
def test_wrong_use_is_one_line(command: Command, words: tuple[str, ...], why: str) -> None:
    said = command("masks", *words)
    assert said.is_wrong_use()
    assert said.err.startswith(f"aeadlab masks: {why}")
