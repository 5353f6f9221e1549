from __future__ import annotations

import pytest

from aeadlab.bench.masks import features
from aeadlab.bench.masks.features import FEATURES
from aeadlab.bench.masks.masks import CONTROL, MASKS, find_mask, lacking
from aeadlab.errors import UnknownNameError


def test_masks_hide_what_requires_a_hidden_feature() -> None:
    for mask in MASKS.values():
        hidden = {*mask.hides}
        assert hidden <= {*FEATURES}
        assert "AES" not in hidden or "VAES" in hidden
        assert "PCLMULQDQ" not in hidden or "VAES" in hidden
        assert "AVX2" not in hidden or hidden >= {"AVX-512", "VAES"}
        assert "AVX" not in hidden or "AVX2" in hidden


@pytest.mark.parametrize(
    ("name", "hint"), [("no-vase", "did you mean no-vaes?"), ("x", "there are no-avx512, no-vaes")]
)
def test_an_unknown_mask_is_an_error_with_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=f"no mask is called '{name}'; {hint}".replace("?", r"\?")):
        find_mask(name)


def test_a_mask_needs_one_of_its_features(monkeypatch: pytest.MonkeyPatch) -> None:
    info = {"flags": "fpu aes pclmulqdq sha_ni avx2"}
    monkeypatch.setattr(features, "_cpu_info", lambda: info)
    assert lacking(MASKS["no-vaes"]) == "this CPU has no VAES"
    assert lacking(MASKS["zen2"]) == "this CPU has no AVX-512 and no VAES and no GFNI"
    assert lacking(MASKS["no-aes"]) == ""
    assert lacking(MASKS[CONTROL]) == ""
    info.clear()
    assert lacking(MASKS["no-vaes"]) == "", "unknown flags exclude nothing"
