from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab import paths
from aeadlab.comparison import compare
from aeadlab.comparison.sides import find_side, find_side_with, find_sides
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from tests.fixtures.repository import git

WriteRecord = Callable[..., Path]
STAMPS = tuple(f"2026010{day}T000000Z" for day in range(1, 6))


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Create a repository in place of the checkout; return the full hashes of its tags."""
    folder = tmp_path / "clone"
    folder.mkdir()
    git(folder, "init")
    hashes = {}
    for name in ("v1", "v2", "v3"):
        git(folder, "commit", "--allow-empty", "-m", name)
        git(folder, "tag", "-a", name, "-m", name)
        hashes[name] = git(folder, "rev-parse", "HEAD")
    git(folder, "branch", "group/topic", "v1")
    monkeypatch.setattr(paths, "checkout", lambda: folder)
    return hashes


def commit(full: str) -> dict[str, object]:
    return {"id": full, "dirty": False}


def test_selects_the_newest_record_of_each_commit(write_record: WriteRecord, clone: dict[str, str]) -> None:
    written = [
        write_record(stamp, commit=commit(clone[name]))
        for stamp, name in zip(STAMPS, ("v1", "v1", "v2", "v2", "v3"), strict=True)
    ]
    for words in (("v1", "v2"), ("group/topic", "v3~1"), (clone["v1"][:8], clone["v2"])):
        sides = find_sides(*words)
        assert [side.record.path for side in sides] == [written[1], written[3]]
        assert f"the newest of commit {clone['v1'][:9]} ({words[0]})" in sides[0].about
    assert find_side("HEAD").record.path == written[4]


def test_accepts_a_commit_and_a_path(write_record: WriteRecord, clone: dict[str, str]) -> None:
    old, new = write_record(STAMPS[0], commit=commit(clone["v1"])), write_record(STAMPS[1])
    assert [side.record.path for side in find_sides("v1", new)] == [old, new]
    assert [side.record.path for side in find_sides(str(new), "v1")] == [new, old]


def test_selects_a_study_that_both_commits_have(write_record: WriteRecord, clone: dict[str, str]) -> None:
    old = write_record(STAMPS[0], study="both", commit=commit(clone["v1"]))
    new = write_record(STAMPS[1], study="both", commit=commit(clone["v2"]))
    other = write_record(STAMPS[2], study="other", commit=commit(clone["v2"]))
    assert [side.record.path for side in find_sides("v1", "v2")] == [old, new]
    assert find_side("v2").record.path == other
    with pytest.raises(RecordError, match=rf"no record of study other .* was measured at commit {clone['v1'][:9]}"):
        find_sides("v1", "v2", "other")


def test_finds_a_recorded_commit_missing_in_the_clone(write_record: WriteRecord, clone: dict[str, str]) -> None:
    path = write_record(commit=commit("abcdef0123" * 4))
    assert find_side("abcdef0").record.path == path
    for word in ("abcdef", "abcdef1", "-v1", "--help", "v9", "v1..v2", ""):
        with pytest.raises(UnknownNameError, match=f"{word!r} is no record, no git revision"):
            find_side(word)


def test_rejects_the_same_commit_twice(write_record: WriteRecord, clone: dict[str, str]) -> None:
    write_record(commit=commit(clone["v3"]))
    with pytest.raises(ArgumentError, match="both sides are one record"):
        find_sides("v3", "HEAD")


def test_commit_without_a_record_names_the_command(write_record: WriteRecord, clone: dict[str, str]) -> None:
    write_record(commit=commit(clone["v3"]))
    with pytest.raises(
        RecordError, match=f"at commit {clone['v1'][:9]}: check it out, `make build`, and run `aeadlab m"
    ):
        find_sides("v1", "v3")


def test_skips_damaged_records_in_a_search_by_commit(write_record: WriteRecord, clone: dict[str, str]) -> None:
    path = write_record(STAMPS[0], commit=commit(clone["v1"]))
    write_record(STAMPS[1], commit=commit(clone["v1"])).write_bytes(b"PAR1")
    assert find_side("v1").record.path == path
    with pytest.raises(RecordError, match="is damaged"):
        find_side("latest")


def test_latest_and_previous_are_of_the_same_study(write_record: WriteRecord) -> None:
    a = write_record(STAMPS[0], study="one")
    write_record(STAMPS[1], study="two")
    b = write_record(STAMPS[2], study="one")
    assert [side.record.path for side in find_sides("previous", "latest")] == [a, b]
    assert find_side("latest", "two").reason == "the latest of study two"
    with pytest.raises(RecordError, match="no previous record of study two"):
        find_side("previous", "two")


def test_without_a_checkout_finds_recorded_hashes(write_record: WriteRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_record(commit=commit("0123456789" * 4))
    monkeypatch.setattr(paths, "checkout", lambda: None)
    assert find_side("01234567").record.path == path
    with pytest.raises(UnknownNameError):
        find_side("HEAD")


def test_latest_and_previous_are_the_users_own(write_record: WriteRecord, own_folders: Path) -> None:
    reference = [write_record(stamp, folder=own_folders / "reference") for stamp in STAMPS[1:3]]
    assert find_side("latest").record.path == reference[1]
    assert find_side("latest").note.startswith("There is no record of your own of study: the answer is from the ref")
    with pytest.raises(RecordError, match="it has 0 of your own, at least 2 expected; `aeadlab measure STUDY` makes o"):
        find_sides("previous", "latest")
    own = write_record(STAMPS[0])
    assert (find_side("latest").record.path, find_side("latest").note) == (own, "")
    with pytest.raises(RecordError, match="of study study in .* it has 1 of your own, at least 2 expected; `aeadlab m"):
        find_sides("previous", "latest")
    first, second = find_sides("latest", reference[1])
    assert "not measured here" in second.about and "not measured here" not in first.about


def test_latest_and_a_commit_have_the_same_study(write_record: WriteRecord, clone: dict[str, str]) -> None:
    old = write_record(STAMPS[0], study="one", commit=commit(clone["v1"]))
    write_record(STAMPS[1], study="two", commit=commit(clone["v1"]))
    new = write_record(STAMPS[2], study="one")
    three = write_record(STAMPS[3], study="three")
    assert [side.record.path for side in find_sides("latest", "v1")] == [new, old]
    assert [side.record.path for side in find_sides("v1", str(new))] == [old, new]
    assert [side.record.path for side in find_sides("latest", str(old))] == [new, old], "the study of the given record"
    assert [side.record.study for side in find_sides(str(old), "latest")] == ["one", "one"]
    with pytest.raises(RecordError, match=r"both sides: .*three.* has three and v1 has one, two; measure three also f"):
        find_sides(three, "v1")


def test_a_misspelt_study_error_suggests_the_nearest(write_record: WriteRecord) -> None:
    write_record(study="my_sweep")
    for study, near in (("my_swep", "my_sweep"), ("baselnies", "baselines")):
        with pytest.raises(UnknownNameError, match=f"no study '{study}'; did you mean {near}?"):
            find_side("latest", study)
        with pytest.raises(UnknownNameError, match=f"did you mean {near}?"):
            find_sides("latest", "previous", study)


def test_the_record_of_two_implementations_is_the_newest_that_has_both(write_record: WriteRecord) -> None:
    names = ("openssl/aes-256-gcm", "ring/aes-256-gcm")
    both = write_record(STAMPS[0], study="one", names=names)
    newest = write_record(STAMPS[1], study="two", names=("openssl/aes-256-gcm", "baseline/memcpy"))
    side = find_side_with(names)
    assert (side.record.path, side.reason) == (both, "the latest of study one with both implementations")
    assert compare(*names).a.startswith("openssl/aes-256-gcm, one-")
    assert find_side_with(names, "two").record.path == newest, "whose error names the implementation it lacks"
    assert find_side_with(("no/such", names[0])).record.path == newest


def test_a_misspelt_position_suggests_the_nearest(write_record: WriteRecord) -> None:
    write_record()
    with pytest.raises(UnknownNameError, match="'latestt' is no record, .*: did you mean latest?"):
        find_side("latestt")
