"""Masks: sets of CPU features that are hidden from libraries."""

from __future__ import annotations

from dataclasses import dataclass

from aeadlab.bench.masks.features import FEATURES, cpu_flags
from aeadlab.display.nearest import hint
from aeadlab.errors import UnknownNameError

CONTROL = "nothing"
"""The mask that hides nothing. It measures the effect of the other process alone."""


@dataclass(frozen=True)
class Mask:
    """A set of hidden features, complete: it includes the features that require a hidden one.

    Attributes
    ----------
    hides
        Names of `aeadlab.bench.masks.features.FEATURES`.
    meaning
        The code that remains, for lists of masks.
    """

    name: str
    hides: tuple[str, ...]
    meaning: str


MASKS = {
    mask.name: mask
    for mask in (
        Mask("no-avx512", ("AVX-512",), "256-bit registers; VAES in code that does not require AVX-512"),
        Mask("no-vaes", ("VAES",), "AES and GHASH with one block per instruction"),
        Mask("zen2", ("AVX-512", "VAES", "GFNI"), "the code paths of the paper's Zen 2: AES-NI, AVX2 and SHA"),
        Mask("no-avx2", ("AVX-512", "VAES", "AVX2"), "integers in 128-bit registers"),
        Mask("no-avx", ("AVX-512", "VAES", "AVX2", "AVX"), "SSE"),
        Mask("no-aes", ("VAES", "AES"), "AES in software"),
        Mask("no-pclmul", ("VAES", "PCLMULQDQ"), "GHASH in software"),
        Mask("no-sha", ("SHA",), "SHA-1 and SHA-256 without SHA instructions"),
        Mask("no-erms", ("ERMS",), "memcpy without the instruction rep movsb"),
        Mask(CONTROL, (), "the same code in another process, which shows the effect of the process alone"),
    )
}


def find_mask(name: str) -> Mask:
    """Return the mask called `name`.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is none; the message names the nearest.
    """
    if name not in MASKS:
        raise UnknownNameError(f"no mask is called {name!r}; {hint(name, MASKS)}")
    return MASKS[name]


def lacking(mask: Mask) -> str:
    """Return the reason why a mask cannot have an effect on this CPU, or ``""`` if it can or the flags are unknown."""
    flags = cpu_flags()
    if not mask.hides or not flags or any(flags & {*FEATURES[name].cpu} for name in mask.hides):
        return ""
    return f"this CPU has no {' and no '.join(mask.hides)}"
