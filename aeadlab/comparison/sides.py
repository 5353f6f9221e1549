"""Finds the record of one side of a comparison from a path, ``latest``, ``previous`` or a git revision."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aeadlab import paths
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.host.cpu_name import cpu_name
from aeadlab.records.lookup import record_folders, stored_records, study_of
from aeadlab.records.reading import load_record, provenance_of
from aeadlab.records.record import Record
from aeadlab.records.reference import note, origin, own_records, reference_cpu
from aeadlab.studies import all_studies

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
    def note(self) -> str:
        """The sentence of `aeadlab.records.reference.note`; ``""`` for a record of the user's own."""
        return note({self.record.study: reference_cpu(self.record)})

    @property
    def about(self) -> str:
        """File, reason, commit, profile, date and machine of the record; of a reference record, that it is one."""
        provenance, commit = self.record.provenance, self.commit
        machine = cpu_name(self.record.machine) or "unknown machine"
        dirty = " with uncommitted changes" if commit.get("dirty") else ""
        revision = f"commit {commit['id'][:9]}{dirty}" if commit else "unknown commit"
        profile, date = provenance["plan"]["profile"]["name"], provenance.get("date", "unknown date")
        source = origin(reference_cpu(self.record)) or machine
        return f"{self.record.name} ({self.reason}), {revision}, profile {profile}, {date}, {source}"


def find_side(word: str | Path | Record, study: str | None = None) -> Side:
    """Return a record; see `find_sides`. Without a record of the user's own, ``latest`` is the latest reference record.

    Raises
    ------
    aeadlab.errors.RecordError
        If the record does not exist or cannot be read.
    aeadlab.errors.UnknownNameError
        If the word is neither a record nor a revision, or there is no such study.
    """
    _check_study(study)
    if word == "latest" and not own_records(study) and (references := stored_records(study)):
        record = load_record(references[-1])
        return Side(record, f"the latest of study {record.study}")
    return _side(word, _commit(word), study)


def find_side_with(names: Collection[str], study: str | None = None) -> Side:
    """Return the newest record that has all these implementations, or, if none has, that of `find_side`.

    The user's own records precede the reference records; errors are those of `find_side`.
    """
    _check_study(study)
    for path in reversed(stored_records(study)):
        try:
            known = provenance_of(path).get("implementations") or {}
        except RecordError:
            # As in a search for a commit, a damaged record is an error only when given itself.
            continue
        if known.keys() >= set(names):
            record = load_record(path)
            return Side(record, f"the latest of study {record.study} with both implementations")
    return find_side("latest", study)


def find_sides(a: str | Path | Record, b: str | Path | Record, study: str | None = None) -> tuple[Side, Side]:
    """Return the records of both sides.

    Parameters
    ----------
    a, b
        A loaded record, the path of one, ``latest`` or ``previous`` of the user's own, or a git revision, which selects
        the newest record that was measured at this commit.
    study
        The study of all records but those given. None means that of a given record, otherwise the one with the newest
        record of those that both sides have; for ``latest`` and ``previous`` that of the newest record.

    Raises
    ------
    aeadlab.errors.RecordError
        If a record does not exist or cannot be read, or both sides have no study in common.
    aeadlab.errors.UnknownNameError
        If a word is neither a record nor a revision, or there is no such study.
    aeadlab.errors.ArgumentError
        If both are the same run.
    """
    _check_study(study)
    commits = [_commit(word) for word in (a, b)]
    positions = [not isinstance(word, Record) and str(word) in _POSITIONS for word in (a, b)]
    if study is None and (any(commits) or any(positions) and not all(positions)):
        study = _common_study((a, b), commits)
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
    records = own_records(study)
    if study is None and records:
        study = study_of(records[-1])
        records = own_records(study)
    if len(records) < position:
        of_study = f"of study {study}" if study else "of any study"
        raise RecordError(
            f"there is no {word} record {of_study} in {record_folders()[0]}: it has {len(records)} of your own, at "
            f"least {position} expected; `aeadlab measure {study or 'STUDY'}` makes one"
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
    choices = (
        "give the path of a record, latest, previous, a revision, or library/algorithm as listed by `aeadlab list`"
    )
    raise UnknownNameError(
        f"{word!r} is no record, no git revision of this repository and no implementation: "
        f"{hint(word, _POSITIONS, choices)}"
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


def _common_study(words: Sequence[str | Path | Record], commits: Sequence[str | None]) -> str | None:
    """Return the study with the newest record, of those that both sides have.

    It is None if a side has no record at all, whose error follows, or if both are given.

    Raises
    ------
    aeadlab.errors.RecordError
        If both have records, but none of the same study.
    """
    available = [_studies_of(word, commit) for word, commit in zip(words, commits, strict=True)]
    if not all(available):
        return None
    common = available[0].keys() & available[1].keys()
    if not common:
        sides = (f"{_word(word)} has {', '.join(studies)}" for word, studies in zip(words, available, strict=True))
        raise RecordError(
            f"no study has a record of both sides: {' and '.join(sides)}; measure {next(iter(available[0]))} also for "
            f"{_word(words[1])}, or name two records"
        )
    ages = [study_of(path) for path in stored_records()]
    return max(common, key=lambda study: _last_index(ages, study))


def _studies_of(word: str | Path | Record, commit: str | None) -> dict[str, None]:
    """Return the studies of which a side has a record."""
    if isinstance(word, Record):
        return {word.study: None}
    if commit is not None:
        return {study_of(path): None for path in stored_records() if _commit_of(path) == commit}
    if str(word) in _POSITIONS:
        studies = [study_of(path) for path in own_records()]
        return {study: None for study in studies if studies.count(study) >= _POSITIONS[str(word)]}
    return {str(provenance_of(Path(word))["plan"]["study"]): None}


def _last_index(values: Sequence[str], value: str) -> int:
    return max((index for index, one in enumerate(values) if one == value), default=-1)


def _word(word: str | Path | Record) -> str:
    return word.name if isinstance(word, Record) else str(word)


def _check_study(study: str | None) -> None:
    """Check that there is a study, or a record of one, such as of a sweep.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is neither.
    """
    known = {**all_studies(), **{study_of(path): None for path in stored_records()}}
    if study is not None and study not in known:
        raise UnknownNameError(f"no study {study!r}; {hint(study, known)}")


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
