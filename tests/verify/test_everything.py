"""Size and verification of the complete catalogue of this computer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from aeadlab.catalogue import Catalogue, Implementation, load, plugins
from aeadlab.verify.cached import verified
from tests.fixtures.thorough import THOROUGH, share

MINIMUM_LINKED = {"aead": 60, "cipher": 110, "hash or mac": 80, "generator": 36}
MINIMUM = {"aead": 90, "cipher": 150, "hash or mac": 110, "generator": 36}
SLOW = "rustcrypto/twofish"
"""They take a third of the time of all others together."""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


def counts(implementations: Iterable[Implementation]) -> Counter[str]:
    kinds = (i.description.kind for i in implementations)
    return Counter("hash or mac" if kind in ("hash", "mac") else kind for kind in kinds)


def test_number_of_linked_implementations(catalogue: Catalogue) -> None:
    total = counts(i for i in catalogue if i.description.origin == "linked")
    assert all(total[kind] >= minimum for kind, minimum in MINIMUM_LINKED.items()), total


def test_number_of_implementations_with_plugins(catalogue: Catalogue) -> None:
    if absent := plugins.reported_absent():
        pytest.skip(f"not installed here: {', '.join(absent)}")
    total = counts(i for i in catalogue if i.description.origin != "python")
    assert all(total[kind] >= minimum for kind, minimum in MINIMUM.items()), total


@pytest.mark.usefixtures("own_folders")
def test_every_implementation_passes_verification(catalogue: Catalogue) -> None:
    """Those of every eleventh algorithm, and of those at 1 MiB/s none, unless AEADLAB_THOROUGH is set.

    All of an algorithm, because each is compared with the others and thus examined anyway. Others are verified before
    they are measured, in the notebooks too.
    """
    algorithms = set(share(sorted({i.description.base_algorithm for i in catalogue}), 11))
    chosen = [i for i in catalogue if THOROUGH or not i.name.startswith(SLOW)]
    selected = [i for i in chosen if i.description.base_algorithm in algorithms]
    assert len(selected) > 100
    reports = verified(selected, catalogue)
    wrong = {name: report.reason for name, report in reports.items() if not report.ok}
    assert len(reports) == len(selected)
    assert not wrong
