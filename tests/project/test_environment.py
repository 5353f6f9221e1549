"""environment.yml, pyproject.toml and requirements.lock name the same packages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
# Dependencies of the conda environment that no Python package contains.
CONDA_ONLY = {
    *("c-compiler", "cxx-compiler", "make", "perl", "pip", "python", "rust"),
    *("cmake", "cryptopp", "git", "libgcrypt-devel", "mbedtls", "nettle", "openssl"),
}
CONDA_NAMES = {"matplotlib-base": "matplotlib", "seaborn-base": "seaborn"}


def split(requirement: str) -> tuple[str, str]:
    """Return the normalised name and the version range of a requirement, without its environment marker."""
    match = re.fullmatch(r"([A-Za-z0-9._-]+?)\s*([<>=!~][^;]*)?(;.*)?", requirement)
    assert match, requirement
    name = re.sub(r"[-_.]+", "-", match[1]).lower()
    return CONDA_NAMES.get(name, name), match[2] or ""


def project() -> dict[str, str]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = [*table["dependencies"], *(r for extra in table["optional-dependencies"].values() for r in extra)]
    return dict(map(split, requirements))


def conda() -> tuple[list[str], dict[str, str]]:
    """Return the channels, and all requirements, including those of the pip section."""
    table = yaml.safe_load((ROOT / "environment.yml").read_text())
    plain = [entry for entry in table["dependencies"] if isinstance(entry, str)]
    from_pip = [name for entry in table["dependencies"] if isinstance(entry, dict) for name in entry["pip"]]
    return table["channels"], dict(map(split, plain + from_pip))


def test_conda_names_the_same_packages_with_the_same_ranges() -> None:
    _, given = conda()
    assert {name: given[name] for name in given.keys() - CONDA_ONLY} == project()


def test_conda_has_the_compilers_and_only_conda_forge() -> None:
    channels, given = conda()
    assert given.keys() >= CONDA_ONLY
    assert channels == ["conda-forge", "nodefaults"]
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert given["python"] == table["requires-python"]
    workspace = tomllib.loads((ROOT / "native/Cargo.toml").read_text())["workspace"]["package"]
    assert given["rust"] == f">={workspace['rust-version']}"


def test_conda_has_the_packages_of_the_plugins() -> None:
    _, given = conda()
    required: dict[str, str] = {}
    for makefile in sorted((ROOT / "native/plugins").glob("*/Makefile")):
        text = makefile.read_text()
        lines = re.findall(r"^CONDA :=(.*)$", text, re.MULTILINE)
        # Libraries without a header of their own, such as libstdc++, belong to the compiler.
        assert len(lines) == 1 or "REQUIRE_HEADER" not in text, f"{makefile.parent.name} lists no conda packages"
        required |= dict(split(one) for line in lines for one in line.split())
    assert {"cryptopp", "nettle"} < required.keys()
    assert {name: given.get(name) for name in required} == required


def test_the_build_requirement_is_locked() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert table["build-system"]["requires"] == table["project"]["optional-dependencies"]["build"]


def test_the_lock_pins_every_package_by_hash_and_has_no_url() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    entries = re.split(r"\n(?=[a-z0-9])", re.sub(r"^#.*\n", "", lock, flags=re.MULTILINE))
    names = {split(entry.split("==")[0])[0] for entry in entries}
    assert names >= project().keys()
    assert not [entry for entry in entries if "--hash=sha256:" not in entry]
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", lock)
