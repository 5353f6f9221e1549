"""CPU features that libraries report in the names of their kernels."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aeadlab.catalogue.implementation import Implementation

FEATURES: dict[str, re.Pattern[str]] = {
    name: re.compile(rf"(?<![a-z0-9.]){pattern}(?![a-z0-9])", re.IGNORECASE)
    for name, pattern in (
        ("AES", r"(aes-?ni|aes instructions|intel-aesni)"),
        ("VAES", r"(intel-)?vaes(-vpclmulqdq|-vpclmul)?"),
        ("carry-less", r"((intel-)?v?pclmul(qdq)?|clmul|vaes-vpclmul(qdq)?)"),
        ("SHA", r"(sha extensions|sha-?ni|intel-shaext)"),
        ("AVX2", r"(intel-)?avx-?2"),
        ("AVX-512", r"avx-?512[a-z]*"),
    )
}
"""Features, and patterns of their names in kernels."""


def used_features(implementations: Iterable[Implementation]) -> dict[str, list[str]]:
    """Return libraries by the features that their kernels name; under ``""`` those that report no kernel.

    A library may use a feature for one algorithm only, and more features than it reports.
    """
    kernels: dict[str, set[str]] = {}
    for implementation in implementations:
        if "baseline" not in implementation.description.flags:
            library = implementation.name.split("/", 1)[0]
            kernels.setdefault(library, set()).add(implementation.description.kernel)
    found = {
        feature: sorted(lib for lib, texts in kernels.items() if any(pattern.search(text) for text in texts))
        for feature, pattern in FEATURES.items()
    }
    return found | {"": sorted(library for library, texts in kernels.items() if texts <= {""})}
