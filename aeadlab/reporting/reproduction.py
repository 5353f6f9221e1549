"""The section with the commands that reproduce a record, and the limits of the reproduction."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from aeadlab.bench.profile import PROFILES, find_profile
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.display.markup import Content, Html, bullet_list, element, join, paragraph
from aeadlab.errors import Error, UnknownNameError
from aeadlab.reporting.analysis import Analysis
from aeadlab.studies import Selection

_OPTIONS = {"--size": "bytes", "--samples": "rounds", "--budget": "budget_seconds"}
"""Options of ``aeadlab measure`` and the fields of the profile that they change, in the order of `with_changes`."""


class _EmptyCatalogue(Catalogue):
    """A catalogue without implementations, with which a study returns only the cases that it names itself."""

    def __iter__(self) -> Iterator[Implementation]:
        return iter(())

    def find(self, name: str) -> Implementation:
        raise UnknownNameError(name)


def reproduction(analysis: Analysis) -> Html:
    """Return the commands from the checkout to the report, and the known differences of their result."""
    commands = [*_build(analysis), *_measure(analysis)]
    definition = analysis.provenance.get("definition")
    report = shlex.join(["aeadlab", "report", analysis.record.name])
    return join(
        [
            element("pre", "\n".join(commands)) if commands else None,
            paragraph(f"The file name of a record with the same plan ends in {definition}.") if definition else None,
            paragraph("Command for this page: ", element("code", report)),
            bullet_list(_limits(analysis)),
        ]
    )


def _build(analysis: Analysis) -> list[str]:
    commit = analysis.section("commit")
    return [f"git checkout {shlex.quote(str(commit['id']))}", "make build"] if "id" in commit else []


def _measure(analysis: Analysis) -> list[str]:
    if analysis.study is None:
        return []
    plan = analysis.section("plan")
    profile = plan.get("profile") or {}
    base = str(profile.get("name", "quick")).removesuffix("*")
    words = ["measure", analysis.record.study, "--profile", base, "--seed", str(plan.get("seed", 1))]
    for option, key in _changed_options(profile).items():
        if option == "--size" and analysis.study.fixed_lengths:
            continue
        words += [option, f"{profile[key]:g}" if key == "budget_seconds" else str(profile[key])]
    options = [["--plugins", str(plugin)] for plugin in plan.get("plugins") or ()]
    options += [["--implementation", name] for name in _implementations(analysis)]
    selection = analysis.section("selection")
    options += [["--threads", str(count)] for count in selection.get("threads") or ()]
    options += [["--block-size", str(size)] for size in selection.get("block_sizes") or ()]
    lines = [shlex.join(["aeadlab", *words]), *(f"    {shlex.join(option)}" for option in options)]
    return [" \\\n".join(lines)]


def _implementations(analysis: Analysis) -> list[str]:
    """Return the names for ``--implementation``; none if the record has all implementations that its study names."""
    names = list(dict.fromkeys(str(row["implementation"]) for row in analysis.section("plan").get("cases", ())))
    assert analysis.study is not None
    smoke = find_profile("smoke")
    try:
        named = {case.implementation for case in analysis.study.cases(_EmptyCatalogue(), smoke, Selection())}
    except Error:
        return names
    return names if named != {*names, *analysis.section("refused")} else []


def _limits(analysis: Analysis) -> Iterator[Content]:
    commit = analysis.section("commit")
    if analysis.study is None:
        yield (
            f"This version of aeadlab has no study {analysis.record.study}: it was declared elsewhere, such as in a "
            "notebook. Its cases, profile and seed are in the JSON file of the record, under plan."
        )
    else:
        profile = analysis.section("plan").get("profile") or {}
        if "--size" in _changed_options(profile) and analysis.study.fixed_lengths:
            yield f"The longest message was set to {profile['bytes']} bytes, as a notebook can; the command cannot."
        if changed := _profile_changes(profile):
            original = "; the commit above has the original profile" if commit else ""
            yield f"The profile has changed since the run: {', '.join(changed)}{original}."
    if not commit:
        yield "The record names no commit, so its code is unknown."
    elif commit.get("dirty"):
        yield "The code had uncommitted changes, so it cannot be restored exactly."
    yield "Times differ between machines: compare ratios and shares, not speeds."


def _changed_options(stored: Mapping[str, Any]) -> dict[str, str]:
    """Return the options that change the current profile of this name into the stored one.

    They are required only for a profile with changes (``*``): the checked-out commit has the values of the others.
    """
    name = str(stored.get("name"))
    current = PROFILES.get(name.removesuffix("*")) if name.endswith("*") else None
    return {
        option: key
        for option, key in _OPTIONS.items()
        # An option cannot be given the value None.
        if current and stored.get(key) not in (None, getattr(current, key))
    }


def _profile_changes(stored: Mapping[str, Any]) -> list[str]:
    """Return the fields in which the stored profile differs from the current one with `_changed_options`."""
    base = str(stored.get("name")).removesuffix("*")
    if base not in PROFILES:
        return [f"{base} is not a known profile"]
    options = _changed_options(stored)
    values = (stored[key] if option in options else None for option, key in _OPTIONS.items())
    current = asdict(PROFILES[base].with_changes(*values))
    keys = sorted({*stored, *current} - {"name"})
    return [
        f"{key} was {stored.get(key)}, is {current.get(key)}" for key in keys if stored.get(key) != current.get(key)
    ]
