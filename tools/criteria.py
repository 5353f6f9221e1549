"""Adds a version to data/criteria.csv for changed criteria: ``python tools/criteria.py REASON [CLAIM...]``.

A version is fixed at the time of this command. Records that were taken before it no longer decide the claim.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from aeadlab import paths
from aeadlab.studies.claims import claims_of
from aeadlab.verdicts.claim import criteria_of
from aeadlab.verdicts.criteria import COLUMNS, Version, described, key_of, standing, versions


def new_versions(reason: str, now: datetime, keys: Collection[str] = ()) -> list[Version]:
    """Return a version for each criterion, of claims with these keys, that is not the last one of the table.

    A claim has one criterion, and another one if it has a second verdict.
    """
    table = versions(paths.criteria())
    added = []
    for claim in claims_of():
        if not claim.study or (keys and claim.key not in keys):
            continue
        for second, accepted in criteria_of(claim).items():
            if standing(claim, accepted, second) is None:
                key = key_of(claim, second)
                number = len(table.get((claim.document, key), ())) + 1
                digest, text = described(claim, accepted)
                added.append(Version(claim.document, key, number, now, digest, text, reason if number > 1 else ""))
    return added


def main(arguments: Sequence[str] | None = None) -> None:
    """Append the new versions, and print them."""
    parser = argparse.ArgumentParser(description="Add a version for each claim whose criterion changed.")
    parser.add_argument("reason", help="why the criteria changed, one clause")
    parser.add_argument("claims", nargs="*", help="the keys of these claims; all whose criterion changed by default")
    given = parser.parse_args(arguments)
    known = {claim.key for claim in claims_of() if claim.study}
    if unknown := [key for key in given.claims if key not in known]:
        parser.exit(2, f"criteria: no claim of a study has the key {', '.join(unknown)}: see {paths.criteria().name}\n")
    added = new_versions(given.reason, datetime.now(UTC).replace(microsecond=0), given.claims)
    with paths.criteria().open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writerows(version.row() for version in added)
    for version in added:
        print(f"{version.document} {version.key}: version {version.version}, {version.accepted}")


if __name__ == "__main__":
    main()
