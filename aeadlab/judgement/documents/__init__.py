"""The claims of each document, one file each with CLAIMS, in the order in which the document makes them."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from aeadlab import published
from aeadlab.errors import UnknownNameError
from aeadlab.judgement.claim import Claim


@cache
def all_claims() -> dict[str, tuple[Claim, ...]]:
    """Claims by document, the documents in the order of `aeadlab.published.DOCUMENTS`."""
    modules = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    found = [claim for module in modules for claim in module.CLAIMS]
    by_document = {name: tuple(claim for claim in found if claim.document == name) for name in published.DOCUMENTS}
    return {name: claims for name, claims in by_document.items() if claims}


def claims_of(document: str | None = None) -> tuple[Claim, ...]:
    """The claims of one document, or of all; upper and lower case are the same.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If no claims of such a document are known.
    """
    known = all_claims()
    if document is None:
        return tuple(claim for claims in known.values() for claim in claims)
    for name, claims in known.items():
        if name.lower() == document.lower():
            return claims
    raise UnknownNameError(f"no claims of a document {document!r} are known; there are those of {', '.join(known)}")
