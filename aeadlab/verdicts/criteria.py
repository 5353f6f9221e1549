"""The versions of each claim's criterion and the time at which each was fixed: ``data/criteria.csv``.

A second verdict, on size or direction, has a criterion of its own, whose key has this word in brackets:
``evp-slower (size)``. A criterion decides only records that were taken after it was fixed. Nobody can then choose a
criterion by the numbers that it gives. `tools/criteria.py` adds a version for each criterion that is not the last one
of the table.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from aeadlab import paths
from aeadlab.errors import Error
from aeadlab.verdicts.ranges import Range

if TYPE_CHECKING:
    from aeadlab.verdicts.claim import Claim

CHANGED = "criterion changed after measurement"


@dataclass(frozen=True)
class Version:
    """One version of a criterion.

    Attributes
    ----------
    key
        As of `key_of`.
    version
        1 for the first.
    fixed
        Time, with its zone.
    quantity
        Digest of the quantity: its words, its function and the arguments of this.
    accepted
        The accepted range.
    reason
        Of the change; for version 1 ``""``.
    """

    document: str
    key: str
    version: int
    fixed: datetime
    quantity: str
    accepted: str
    reason: str

    def row(self) -> dict[str, str]:
        """Return the version as a row of the table."""
        return {field.name: str(getattr(self, field.name)) for field in fields(self)} | {
            "fixed": self.fixed.strftime("%Y-%m-%dT%H:%M:%SZ")
        }


COLUMNS = tuple(field.name for field in fields(Version))


def described(claim: Claim, accepted: Range) -> tuple[str, str]:
    """Return the digest of a claim's quantity and its accepted range, which together are its criterion."""
    quantity = f"{claim.study}|{claim.measure}|{claim.estimator!r}"
    return sha256(quantity.encode()).hexdigest()[:12], f"{accepted.low:.9g} to {accepted.high:.9g}"


def key_of(claim: Claim, second: str = "") -> str:
    """Return the key of a claim's criterion in the table, or of that of its second verdict: ``size``, ``direction``."""
    return f"{claim.key} ({second})" if second else claim.key


def standing(claim: Claim, accepted: Range, second: str = "") -> Version | None:
    """Return the registered version that a criterion is; None if the last version is another one, or none."""
    version = versions(paths.criteria()).get((claim.document, key_of(claim, second)), (None,))[-1]
    return version if version and (version.quantity, version.accepted) == described(claim, accepted) else None


def objection(claim: Claim, accepted: Range, taken: datetime | None, second: str = "") -> str:
    """Return why a criterion must not decide a record that was taken at a time, or ``""``.

    A record without a time is decided by criteria of the first version only. A claim that is not in the table, such as
    one of a user, has no objection; a test finds claims of the documents that are missing there.
    """
    known = versions(paths.criteria()).get((claim.document, key_of(claim, second)), ())
    version = standing(claim, accepted, second)
    if not known:
        return ""
    if version is None:
        return f"{CHANGED}: this criterion is not the last one of data/criteria.csv"
    # A criterion that was withdrawn and restored is as old as its first version.
    same = (version.quantity, version.accepted)
    first = next(v for v in known if (v.quantity, v.accepted) == same)
    if first.fixed <= taken if taken else first.version == 1:
        return ""
    what = CHANGED if version.version > 1 else "criterion fixed after measurement"
    record = f"of {taken:%Y-%m-%d %H:%M} UTC" if taken else "of an unknown time"
    return f"{what}: version {version.version} is of {version.fixed:%Y-%m-%d %H:%M} UTC, the record {record}"


@cache
def versions(file: Path) -> dict[tuple[str, str], tuple[Version, ...]]:
    """Return the versions of each claim, by document and key, in ascending order.

    Raises
    ------
    aeadlab.errors.Error
        If the table is missing, a line cannot be read, or versions or times do not ascend.
    """
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines)
            rows = [(reader.line_num, row) for row in reader]
    except OSError as error:
        raise Error(f"{file} cannot be read ({error.strerror}); restore it from the repository") from error
    found: dict[tuple[str, str], tuple[Version, ...]] = {}
    for line, row in rows:
        try:
            fixed = datetime.fromisoformat(row["fixed"])
            version = Version(**{**row, "version": int(row["version"]), "fixed": fixed})  # type: ignore[arg-type]
        except (KeyError, TypeError, ValueError) as error:
            raise Error(f"{file}, line {line}: {error}; expected the columns {', '.join(COLUMNS)}") from error
        before = found.get((version.document, version.key), ())
        last = before[-1] if before else None
        if version.version != len(before) + 1 or fixed.tzinfo is None or (last and fixed < last.fixed):
            raise Error(f"{file}, line {line}: version {version.version} of {version.key} is not in order")
        found[version.document, version.key] = (*before, version)
    return found
