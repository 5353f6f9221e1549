"""How to reproduce a record: the commands, and what of it they cannot bring back."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from aeadlab.bench.profile import PROFILES, find_profile
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.errors import Error, UnknownNameError
from aeadlab.markup import Content, Html, element, joined, listed, paragraph
from aeadlab.reporting.digest import Digest
from aeadlab.studies import Selection

_CHANGES = {"--size": "bytes", "--samples": "rounds", "--budget": "budget_seconds"}
"""Options of ``aeadlab measure``, in the order of `Profile.with_changes`, and what they change."""


class _Nothing(Catalogue):
    """A computer without libraries: what a study names on it, it names everywhere."""

    def __iter__(self) -> Iterator[Implementation]:
        return iter(())

    def find(self, name: str) -> Implementation:
        raise UnknownNameError(name)


def again(digest: Digest) -> Html:
    """Commands from checkout to report."""
    commands = [*_code(digest), *_measure(digest)]
    definition = digest.provenance.get("definition")
    return joined(
        [
            element("pre", "\n".join(commands)) if commands else None,
            paragraph(f"A record of the same plan has a name that ends in {definition}.") if definition else None,
            paragraph("This page: ", element("code", shlex.join(["aeadlab", "report", digest.record.path.name]))),
            listed(_differences(digest)),
        ]
    )


def _code(digest: Digest) -> list[str]:
    commit = digest.provenance.get("commit") or {}
    return [f"git checkout {shlex.quote(str(commit['id']))}", "make build"] if "id" in commit else []


def _measure(digest: Digest) -> list[str]:
    if digest.study is None:
        return []
    plan = digest.known("plan")
    profile = plan.get("profile") or {}
    base = str(profile.get("name", "quick")).removesuffix("*")
    words = ["measure", digest.record.study, "--profile", base, "--seed", str(plan.get("seed", 1))]
    for option, key in _options(profile).items():
        words += [option, f"{profile[key]:g}" if key == "budget_seconds" else str(profile[key])]
    options = [["--plugins", str(plugin)] for plugin in plan.get("plugins") or ()]
    options += [["--implementation", name] for name in _chosen(digest)]
    chosen = digest.known("selection")
    options += [["--threads", str(count)] for count in chosen.get("threads") or ()]
    options += [["--block-size", str(size)] for size in chosen.get("block_sizes") or ()]
    lines = [shlex.join(["aeadlab", *words]), *(f"    {shlex.join(option)}" for option in options)]
    return [" \\\n".join(lines)]


def _chosen(digest: Digest) -> list[str]:
    """Names to be given; none where the record has all that its study names."""
    names = list(dict.fromkeys(str(row["implementation"]) for row in digest.known("plan").get("cases", ())))
    assert digest.study is not None
    try:
        declared = {case.implementation for case in digest.study.cases(_Nothing(), find_profile("smoke"), Selection())}
    except Error:
        return names
    return names if declared != {*names, *digest.known("refused")} else []


def _differences(digest: Digest) -> Iterator[Content]:
    commit = digest.provenance.get("commit")
    if digest.study is None:
        yield (
            f"There is no study called {digest.record.study} in this aeadlab: it was declared elsewhere, in a notebook "
            "perhaps. Its cases, profile and seed are under plan in the JSON beside the record."
        )
    elif changed := _changed(digest.known("plan").get("profile") or {}):
        still = ": the commit above has it as it was" if commit else ""
        yield f"The profile has changed since, in {', '.join(changed)}{still}."
    if not commit:
        yield "The record does not name a commit: its code cannot be brought back."
    elif commit.get("dirty"):
        yield "The code had changes that no commit holds: it cannot be brought back exactly."
    yield "Times differ between machines: compare ratios and shares, not speeds."


def _options(stored: Mapping[str, Any]) -> dict[str, str]:
    """The options that make the profile of today what was stored, as far as there are options.

    None where the profile was taken as it is: its commit has it still, and has perhaps no such options.
    """
    name = str(stored.get("name"))
    now = PROFILES.get(name.removesuffix("*")) if name.endswith("*") else None
    changed = {option: key for option, key in _CHANGES.items() if now and stored.get(key) != getattr(now, key)}
    # None cannot be given.
    return {option: key for option, key in changed.items() if stored.get(key) is not None}


def _changed(stored: Mapping[str, Any]) -> list[str]:
    """What a profile was, where the profile of its name is something else now and no option can make it so."""
    base = str(stored.get("name")).removesuffix("*")
    if base not in PROFILES:
        return [f"its name ({base} is unknown here)"]
    given = {key: stored[key] for key in _options(stored).values()}
    changes = (given.get(key) for key in _CHANGES.values())
    now = asdict(PROFILES[base].with_changes(*changes))
    keys = sorted({*stored, *now} - {"name"})
    return [f"{key} (then {stored.get(key)}, now {now.get(key)})" for key in keys if stored.get(key) != now.get(key)]
