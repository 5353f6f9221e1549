"""From what a user writes (a path, ``latest``, ``previous``, a git revision) to the record that is meant."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aeadlab import paths
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.records import Record, load_record, provenance_of, record_folders, stored_records, study_of

_FROM_THE_END: Final = {"latest": 1, "previous": 2}
_LEAST_DIGITS: Final = 7


@dataclass(frozen=True)
class Side:
    """A record and how it was chosen, in words."""

    record: Record
    how: str

    @property
    def commit(self) -> dict[str, Any]:
        """``id`` and ``dirty`` of the commit that it was measured at; empty where that is unknown."""
        return self.record.provenance.get("commit") or {}

    @property
    def about(self) -> str:
        """Which record it is, why, and where it comes from."""
        provenance, commit = self.record.provenance, self.commit
        machine = (provenance.get("machine") or {}).get("cpu_model_name") or "machine unknown"
        changed = " with changes" if commit.get("dirty") else ""
        at = f"commit {commit['id'][:9]}{changed}" if commit else "commit unknown"
        profile, date = provenance["plan"]["profile"]["name"], provenance.get("date", "date unknown")
        return f"{self.record.path.name} ({self.how}), {at}, profile {profile}, {date}, {machine}"


def find_side(word: str | Path | Record, study: str | None = None) -> Side:
    """The record that is meant; `find_sides` for one.

    Raises
    ------
    aeadlab.errors.RecordError
        If there is no such record, or it cannot be read.
    aeadlab.errors.UnknownNameError
        If the word is none of these.
    """
    return _side(word, _commit(word), study)


def find_sides(a: str | Path | Record, b: str | Path | Record, study: str | None = None) -> tuple[Side, Side]:
    """The two records that are meant.

    Parameters
    ----------
    a, b
        A loaded record, the path of one, ``latest``, ``previous``, or a git revision: the newest record that was
        measured at that commit.
    study
        For everything but paths; without it the study of the newest record, and for revisions the one that both commits
        have records of.

    Raises
    ------
    aeadlab.errors.RecordError
        If there is no such record, or it cannot be read.
    aeadlab.errors.UnknownNameError
        If a word is none of these.
    aeadlab.errors.ArgumentError
        If both are one and the same run.
    """
    commits = [_commit(word) for word in (a, b)]
    if study is None and all(commits):
        study = _common_study(str(commits[0]), str(commits[1]))
    first, second = (_side(word, commit, study) for word, commit in zip((a, b), commits, strict=True))
    if _same_run(first.record, second.record):
        raise ArgumentError(
            f"both sides are one record, {first.record.path.name}: name two runs, or two implementations of one"
        )
    return first, second


def _side(word: str | Path | Record, commit: str | None, study: str | None) -> Side:
    if isinstance(word, Record):
        return Side(word, "given")
    if commit is not None:
        return Side(load_record(_at_commit(commit, study)), f"the newest of commit {commit[:9]} ({word})")
    if str(word) in _FROM_THE_END:
        return _counted(str(word), study)
    return Side(load_record(word), "given")


def _counted(word: str, study: str | None) -> Side:
    place = _FROM_THE_END[word]
    found = stored_records(study)
    if study is None and found:
        study = study_of(found[-1])
        found = stored_records(study)
    if len(found) < place:
        what = f"of study {study}" if study else "of any study"
        raise RecordError(
            f"there is no {word} record {what} in {_folders()}: there are {len(found)}, {place} are wanted; run "
            f"`aeadlab measure {study or 'STUDY'}`"
        )
    return Side(load_record(found[-place]), f"the {word} of study {study}")


def _commit(word: str | Path | Record) -> str | None:
    """The commit that a word means; None for a record.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If it means nothing.
    """
    if not isinstance(word, str) or word in _FROM_THE_END or Path(word).is_file() or word.endswith(".parquet"):
        return None
    if resolved := resolve_revision(word):
        return resolved
    # A commit that is not in this clone can still be the one of a record.
    if len(word) >= _LEAST_DIGITS and re.fullmatch("[0-9a-f]+", word):
        for path in reversed(stored_records()):
            if (commit := _commit_of(path)) and commit.startswith(word):
                return commit
    raise UnknownNameError(
        f"{word!r} is no record, no git revision of this repository and no implementation: give the path of a record, "
        "latest, previous, a revision, or library/algorithm as `aeadlab list` has it"
    )


def resolve_revision(word: str) -> str | None:
    """Full hash of the commit that git knows by this name in the checkout; None if it knows none."""
    folder = paths.checkout()
    if folder is None or word.startswith("-"):
        return None
    command = ["git", "-C", str(folder), "rev-parse", "--verify", "--quiet", f"{word}^{{commit}}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _at_commit(commit: str, study: str | None) -> Path:
    for path in reversed(stored_records(study)):
        if _commit_of(path) == commit:
            return path
    what = f" of study {study}" if study else ""
    raise RecordError(
        f"no record{what} in {_folders()} was measured at commit {commit[:9]}: check it out, `make build`, and "
        f"run `aeadlab measure {study or 'STUDY'}`"
    )


def _common_study(first: str, second: str) -> str | None:
    """The study with the newest record of either commit, among those that both have; None if there is none."""
    measured: dict[str, set[str]] = {}
    for path in reversed(stored_records()):
        commit = _commit_of(path)
        if commit in (first, second):
            measured.setdefault(study_of(path), set()).add(commit)
    return next((study for study, commits in measured.items() if commits == {first, second}), None)


def _commit_of(path: Path) -> str | None:
    try:
        found = (provenance_of(path).get("commit") or {}).get("id")
    except RecordError:
        # Whoever asks for this very file is told; whoever looks for a commit is not kept from it by a damaged one.
        return None
    return str(found) if found else None


def _same_run(a: Record, b: Record) -> bool:
    if a.path.resolve() == b.path.resolve():
        return True
    return a.provenance == b.provenance and a.samples.equals(b.samples)


def _folders() -> str:
    return " or ".join(map(str, record_folders()))
