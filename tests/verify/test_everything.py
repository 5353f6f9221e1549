"""The whole catalogue of this computer: how much there is, and that all of it is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from aeadlab.catalogue import Catalogue, Implementation, load, plugins
from aeadlab.verify.cached import verified

LEAST_LINKED = {"aead": 60, "cipher": 110, "hash or mac": 80, "generator": 36}
LEAST = {"aead": 90, "cipher": 150, "hash or mac": 110, "generator": 36}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


def counts(implementations: Iterable[Implementation]) -> Counter[str]:
    kinds = (i.description.kind for i in implementations)
    return Counter("hash or mac" if kind in ("hash", "mac") else kind for kind in kinds)


def test_the_linked_libraries_alone_are_many(catalogue: Catalogue) -> None:
    found = counts(i for i in catalogue if i.description.origin == "linked")
    assert all(found[kind] >= least for kind, least in LEAST_LINKED.items()), found


def test_with_plugins_they_are_more(catalogue: Catalogue) -> None:
    if absent := plugins.reported_absent():
        pytest.skip(f"not installed here: {', '.join(absent)}")
    found = counts(i for i in catalogue if i.description.origin != "python")
    assert all(found[kind] >= least for kind, least in LEAST.items()), found


@pytest.mark.usefixtures("own_folders")
def test_every_implementation_is_right_and_has_something_to_be_compared_with(catalogue: Catalogue) -> None:
    reports = verified(list(catalogue), catalogue)
    wrong = {name: report.reason for name, report in reports.items() if not report.ok}
    assert len(reports) == len(catalogue)
    assert not wrong
