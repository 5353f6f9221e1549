"""Reading the small text files under /proc and /sys, where absent and unreadable both mean unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path


class SystemFiles:
    """The files of one computer, below `root`; tests give a folder that imitates one.

    Nothing here raises for a file that is missing, denied or malformed: the answer is None or empty, because every
    kernel, hypervisor and container hides different files.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    @property
    def live(self) -> bool:
        """True when these are the files of the running computer."""
        return self.root == Path("/")

    def path(self, name: str) -> Path:
        """Where the absolute path `name` lies below the root."""
        return self.root / name.lstrip("/")

    def text(self, name: str) -> str | None:
        """Content of a file without surrounding white space; None where it cannot be read or is empty."""
        try:
            content = self.path(name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        # Device-tree strings end with a NUL.
        return content.strip().strip("\0") or None

    def integer(self, name: str) -> int | None:
        """Content of a file that holds one decimal number."""
        text = self.text(name)
        return int(text) if text is not None and re.fullmatch(r"-?[0-9]+", text) else None

    def lines(self, name: str) -> list[str]:
        """Lines of a file; empty where it cannot be read."""
        return (self.text(name) or "").splitlines()

    def table(self, name: str, separator: str = ":") -> dict[str, str]:
        """``key: value`` lines as a dict; of a key that occurs more than once, the first value."""
        found: dict[str, str] = {}
        for line in self.lines(name):
            key, mark, value = line.partition(separator)
            if mark:
                found.setdefault(key.strip(), value.strip())
        return found

    def names(self, folder: str, pattern: str = "*") -> list[str]:
        """Absolute names (below the root) of the entries of `folder` that match the glob, sorted."""
        try:
            found = sorted(self.path(folder).glob(pattern))
        except OSError:
            return []
        return ["/" + entry.relative_to(self.root).as_posix() for entry in found]

    def exists(self, name: str) -> bool:
        """True when the file is there and may be looked up."""
        try:
            return self.path(name).exists()
        except OSError:
            return False


def parse_cpu_list(text: str | None) -> set[int] | None:
    """CPU numbers of a kernel list such as ``0-3,8``; None where `text` is None or not such a list."""
    if text is None or not re.fullmatch(r"[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*", text.strip()):
        return None
    cpus: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def format_cpu_list(cpus: Iterable[int]) -> str:
    """The kernel's spelling of a set of CPU numbers: ``{0, 1, 2, 8}`` is ``0-2,8``."""
    ranges: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def format_per_cpu(values: Mapping[int, str]) -> str | None:
    """One text for a value per CPU, equal values grouped as pyperf does: ``0-3=governor:performance``."""
    groups: dict[str, list[int]] = {}
    for cpu, value in sorted(values.items()):
        groups.setdefault(value, []).append(cpu)
    return "; ".join(f"{format_cpu_list(cpus)}={value}" for value, cpus in groups.items()) or None


def chosen(text: str | None) -> str | None:
    """The marked word of a kernel choice: ``always [madvise] never`` is ``madvise``."""
    match = re.search(r"\[([^\]]+)\]", text or "")
    return match.group(1) if match else None


def parse_size(text: str | None) -> int | None:
    """Bytes of a kernel size such as ``1024K`` or ``24684084 kB`` (binary units); None for anything else or zero."""
    match = re.fullmatch(r"([0-9]+)\s*([kKMG]?)B?", (text or "").strip())
    if match is None:
        return None
    return int(match.group(1)) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[match.group(2).upper()] or None
