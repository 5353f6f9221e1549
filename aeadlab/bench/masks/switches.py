"""Feature switches: the environment variables by which libraries are made to ignore CPU features.

Libraries detect CPU features once, when they are initialised, so a switch has to be set before their process starts.
Each library declares its switch: `aeadlab.catalogue.Description.feature_switch`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from aeadlab.bench.case import Case
from aeadlab.bench.masks.features import FEATURES, Feature, cpu_flags, cpu_vendor
from aeadlab.bench.masks.masks import CONTROL, Mask
from aeadlab.bench.plan import noise_examples
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.errors import ArgumentError, UnknownNameError

Value = Callable[[Sequence[Feature]], str]
"""The value of a variable for the hidden features; ``""`` if the switch covers none of them."""


@dataclass(frozen=True)
class Switch:
    """An environment variable that hides CPU features.

    Attributes
    ----------
    lists_features
        Whether the kernel that the library reports is the list of features that it detects. A change of the list does
        not show that an algorithm changed.
    """

    variable: str
    value: Value
    lists_features: bool = False

    def hides(self, mask: Mask) -> str:
        """Return the value that applies a mask, or ``""`` if the switch covers none of its features."""
        return self.value([FEATURES[name] for name in mask.hides])


def _ia32cap(words: int) -> Value:
    def value(hidden: Sequence[Feature]) -> str:
        bits = [sum(1 << bit for f in hidden for bit in f.words.get(word, ())) for word in range(words)]
        # OpenSSL 3.6 reads a word that is left out as zero, which would hide all of its features.
        return ":".join(f"~{word:#x}" for word in bits) if any(bits) else ""

    return value


def _joined(attribute: str) -> Value:
    return lambda hidden: ",".join(name for f in hidden for name in getattr(f, attribute))


def _nettle(hidden: Sequence[Feature]) -> str:
    """Nettle's variable lists the features that remain."""
    if not any(f.nettle for f in hidden):
        return ""
    flags = cpu_flags()
    vendor = {"GenuineIntel": "intel", "AuthenticAMD": "amd"}.get(cpu_vendor(), "other")
    left = [name for f in FEATURES.values() if f not in hidden and flags & {*f.cpu} for name in f.nettle]
    return ",".join([f"vendor:{vendor}", *left])


def _glibc(hidden: Sequence[Feature]) -> str:
    names = [f"-{name}" for f in hidden for name in f.glibc]
    return f"glibc.cpu.hwcaps={','.join(names)}" if names else ""


SWITCHES: Mapping[str, Switch] = MappingProxyType(
    {
        # BoringSSL ignores the second word if there is a third. AWS-LC reads two words and ignores more.
        "OPENSSL_ia32cap:2": Switch("OPENSSL_ia32cap", _ia32cap(2)),
        "OPENSSL_ia32cap:5": Switch("OPENSSL_ia32cap", _ia32cap(5)),
        "BOTAN_CLEAR_CPUID": Switch("BOTAN_CLEAR_CPUID", _joined("botan")),
        "AEADLAB_LIBGCRYPT_CLEAR": Switch("AEADLAB_LIBGCRYPT_CLEAR", _joined("gcrypt"), lists_features=True),
        "NETTLE_FAT_OVERRIDE": Switch("NETTLE_FAT_OVERRIDE", _nettle),
        "GLIBC_TUNABLES": Switch("GLIBC_TUNABLES", _glibc),
    }
)
"""Switches by their declaration. Of two with one variable, the last sets it for libraries that declare neither."""


def declared_switches(implementation: Implementation) -> list[str]:
    """Return the texts by which the libraries of an implementation declare their switches, two for a composition.

    Each is a key of `SWITCHES` or ``none: reason``; an empty or unknown declaration is replaced by such a reason.
    """
    texts = implementation.description.feature_switch.split(" + ")
    return [t if t in SWITCHES or t.startswith("none: ") else "none: its library declares none" for t in texts]


def switches(implementation: Implementation) -> list[Switch]:
    """Return the switches of an implementation; a composition has those of its parts."""
    return [SWITCHES[text] for text in declared_switches(implementation) if text in SWITCHES]


def reason_without_mask(implementation: Implementation, mask: Mask) -> str:
    """Return the reason why an implementation cannot run under a mask, or ``""`` if it can."""
    library, own = implementation.description.library, switches(implementation)
    if not own:
        return f"{library} has no feature switch: {declared_switches(implementation)[0].removeprefix('none: ')}"
    if not mask.hides:
        return ""
    variables = list(dict.fromkeys(switch.variable for switch in own))
    if len(variables) < len(dict.fromkeys(own)):
        return f"{library} cannot be masked: its parts read {variables[0]} in different formats"
    if not any(switch.hides(mask) for switch in own):
        features = " or ".join(mask.hides)
        return f"{library} cannot be masked by {mask.name}: {', '.join(variables)} cannot hide {features}"
    return ""


def environment(implementation: Implementation, mask: Mask) -> dict[str, str]:
    """Return the variables of a process in which an implementation runs under a mask.

    They include the switches of all other libraries, so that one process serves as many implementations as possible.
    """
    chosen = {s.variable: s for s in SWITCHES.values()} | {s.variable: s for s in switches(implementation)}
    return {variable: value for variable, switch in chosen.items() if (value := switch.hides(mask))}


def check_environment(masks: Iterable[Mask]) -> None:
    """Check that the environment hides no CPU features already.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there is a mask and a switch's variable is set.
    """
    if not list(masks):
        return
    for variable in dict.fromkeys(switch.variable for switch in SWITCHES.values()):
        if variable in os.environ:
            raise ArgumentError(
                f"{variable} is set to {os.environ[variable]!r} in the environment, which would apply to cases without "
                "a mask and differ from its value under a mask; unset it"
            )


def with_masks(cases: Sequence[Case], masks: Sequence[Mask], catalogue: Catalogue) -> tuple[list[Case], list[str]]:
    """Return the cases, each also under every mask that its library supports, and controls.

    The controls are the `aeadlab.bench.plan.noise_examples` of the masked cases, with nothing masked.

    Returns
    -------
    list of Case
        Those given, then the masked ones, then the controls.
    list of str
        Reasons why others were not added, without repeats.
    """
    added: list[Case] = []
    reasons: list[str] = []
    for mask in dict.fromkeys(masks):
        for case in cases:
            try:
                reason = reason_without_mask(catalogue.find(case.implementation), mask)
            except UnknownNameError as error:
                reason = str(error)
            if reason:
                reasons.append(reason)
            else:
                added.append(replace(case, mask=mask.name))
    masked = dict.fromkeys(replace(case, mask=CONTROL) for case in added)
    return list(dict.fromkeys([*cases, *added, *noise_examples(masked)])), list(dict.fromkeys(reasons))
