"""Finds the record of one side of a comparison from a path, ``latest``, ``previous`` or a git revision."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aeadlab import paths
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.records.lookup import record_folders, stored_records, study_of
from aeadlab.records.reading import load_record, provenance_of
from aeadlab.records.record import Record

_POSITIONS: Final = {"latest": 1, "previous": 2}
_MIN_HASH_DIGITS: Final = 7


@dataclass(frozen=True)
class Side:
    """A record with the reason for its selection.

    Attributes
    ----------
    reason
        Selection of the record in words, such as ``the latest of study baselines``.
    """

    record: Record
    reason: str

    @property
    def commit(self) -> dict[str, Any]:
        """``id`` and ``dirty`` of the commit that was measured; empty if it is unknown."""
        return self.record.provenance.get("commit") or {}

    @property
    def about(self) -> str:
        """File, reason, commit, profile, date and machine of the record."""
        provenance, commit = self.record.provenance, self.commit
        machine = self.record.machine.get("cpu_model_name") or "unknown machine"
        dirty = " with uncommitted changes" if commit.get("dirty") else ""
        revision = f"commit {commit['id'][:9]}{dirty}" if commit else "unknown commit"
        profile, date = provenance["plan"]["profile"]["name"], provenance.get("date", "unknown date")
        return f"{self.record.name} ({self.reason}), {revision}, profile {profile}, {date}, {machine}"


def find_side(word: str | Path | Record, study: str | None = None) -> Side:
    """Return the record of one side; see `find_sides`.

    Raises
    ------
    aeadlab.errors.RecordError
        If the record does not exist or cannot be read.
    aeadlab.errors.UnknownNameError
        If the word is neither a record nor a revision.
    """
    return _side(word, _commit(word), study)


def find_sides(a: str | Path | Record, b: str | Path | Record, study: str | None = None) -> tuple[Side, Side]:
    """Return the records of both sides.

    Parameters
    ----------
    a, b
        A loaded record, the path of one, ``latest``, ``previous``, or a git revision, which selects the newest record
        that was measured at this commit.
    study
        The study of all records but those given. None means the study of the newest record; for a revision it means
        any study, and for two revisions one that both commits have records of.

    Raises
    ------
    aeadlab.errors.RecordError
        If a record does not exist or cannot be read.
    aeadlab.errors.UnknownNameError
        If a word is neither a record nor a revision.
    aeadlab.errors.ArgumentError
        If both are the same run.
    """
    commits = [_commit(word) for word in (a, b)]
    if study is None and all(commits):
        study = _common_study(str(commits[0]), str(commits[1]))
    first, second = (_side(word, commit, study) for word, commit in zip((a, b), commits, strict=True))
    if _same_run(first.record, second.record):
        raise ArgumentError(
            f"both sides are one record, {first.record.name}: name two runs, or two implementations of one"
        )
    return first, second


def _side(word: str | Path | Record, commit: str | None, study: str | None) -> Side:
    if isinstance(word, Record):
        return Side(word, "given")
    if commit is not None:
        return Side(load_record(_at_commit(commit, study)), f"the newest of commit {commit[:9]} ({word})")
    if str(word) in _POSITIONS:
        return _at_position(str(word), study)
    return Side(load_record(word), "given")


def _at_position(word: str, study: str | None) -> Side:
    position = _POSITIONS[word]
    records = stored_records(study)
    if study is None and records:
        study = study_of(records[-1])
        records = stored_records(study)
    if len(records) < position:
        of_study = f"of study {study}" if study else "of any study"
        raise RecordError(
            f"there is no {word} record {of_study} in {_folders()}: it has {len(records)} records, at least {position} "
            f"are needed; run `aeadlab measure {study or 'STUDY'}`"
        )
    return Side(load_record(records[-position]), f"the {word} of study {study}")


def _commit(word: str | Path | Record) -> str | None:
    """Return the commit of a revision, or None for a record.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the word is neither.
    """
    if not isinstance(word, str) or word in _POSITIONS or Path(word).is_file() or word.endswith(".parquet"):
        return None
    if resolved := resolve_revision(word):
        return resolved
    # The commit of a record need not exist in this clone.
    if len(word) >= _MIN_HASH_DIGITS and re.fullmatch("[0-9a-f]+", word):
        for path in reversed(stored_records()):
            if (commit := _commit_of(path)) and commit.startswith(word):
                return commit
    raise UnknownNameError(
        f"{word!r} is no record, no git revision of this repository and no implementation: give the path of a record, "
        "latest, previous, a revision, or library/algorithm as listed by `aeadlab list`"
    )


def resolve_revision(word: str) -> str | None:
    """Return the full hash of a git revision of the checkout, or None if git does not resolve it."""
    folder = paths.checkout()
    if folder is None or word.startswith("-"):
        return None
    command = ["git", "-C", str(folder), "rev-parse", "--verify", "--quiet", f"{word}^{{commit}}"]
    try:
        process = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
    return process.stdout.strip()


def _at_commit(commit: str, study: str | None) -> Path:
    for path in reversed(stored_records(study)):
        if _commit_of(path) == commit:
            return path
    of_study = f" of study {study}" if study else ""
    raise RecordError(
        f"no record{of_study} in {_folders()} was measured at commit {commit[:9]}: check it out, `make build`, and "
        f"run `aeadlab measure {study or 'STUDY'}`"
    )


def _common_study(first: str, second: str) -> str | None:
    """Return the study with the newest record of either commit, of those with records of both; None without any."""
    measured: dict[str, set[str]] = {}
    for path in reversed(stored_records()):
        commit = _commit_of(path)
        if commit in (first, second):
            measured.setdefault(study_of(path), set()).add(commit)
    return next((study for study, commits in measured.items() if commits == {first, second}), None)


def _commit_of(path: Path) -> str | None:
    try:
        commit = (provenance_of(path).get("commit") or {}).get("id")
    except RecordError:
        # A damaged record must not prevent the search for a commit; it is an error only when given itself.
        return None
    return str(commit) if commit else None


def _same_run(a: Record, b: Record) -> bool:
    if a.path.resolve() == b.path.resolve():
        return True
    return a.provenance == b.provenance and a.samples.equals(b.samples)


def _folders() -> str:
    return " or ".join(map(str, record_folders()))
