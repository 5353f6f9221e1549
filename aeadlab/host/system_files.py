"""Text files under /proc and /sys; absent and unreadable files both give unknown values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path


class SystemFiles:
    """The files of a computer below `root`, which is a simulated folder in tests.

    For a missing, unreadable or malformed file the methods return None or an empty value and do not raise, because
    every kernel, hypervisor and container hides different files.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    @property
    def live(self) -> bool:
        """Whether these are the files of the running computer."""
        return self.root == Path("/")

    def path(self, name: str) -> Path:
        """Return the place of the absolute path `name` below the root."""
        return self.root / name.lstrip("/")

    def text(self, name: str) -> str | None:
        """Return the content of a file without surrounding white space; None if it is unreadable or empty."""
        try:
            content = self.path(name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        # Device-tree strings end with a NUL.
        return content.strip().strip("\0") or None

    def integer(self, name: str) -> int | None:
        """Return the content of a file that holds one decimal number."""
        text = self.text(name)
        return int(text) if text is not None and re.fullmatch(r"-?[0-9]+", text) else None

    def lines(self, name: str) -> list[str]:
        """Return the lines of a file; empty if it is unreadable."""
        return (self.text(name) or "").splitlines()

    def table(self, name: str, separator: str = ":") -> dict[str, str]:
        """Return ``key: value`` lines as a dict, with the first value of a repeated key."""
        found: dict[str, str] = {}
        for line in self.lines(name):
            key, mark, value = line.partition(separator)
            if mark:
                found.setdefault(key.strip(), value.strip())
        return found

    def names(self, folder: str, pattern: str = "*") -> list[str]:
        """Return the sorted absolute names (below the root) of the entries of `folder` that match the glob."""
        try:
            found = sorted(self.path(folder).glob(pattern))
        except OSError:
            return []
        return ["/" + entry.relative_to(self.root).as_posix() for entry in found]

    def exists(self, name: str) -> bool:
        """Return whether the file exists and its folder is readable."""
        try:
            return self.path(name).exists()
        except OSError:
            return False


def parse_cpu_list(text: str | None) -> set[int] | None:
    """Parse a kernel list of CPU numbers such as ``0-3,8``; return None if `text` is not such a list."""
    if text is None or not re.fullmatch(r"[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*", text.strip()):
        return None
    cpus: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def format_cpu_list(cpus: Iterable[int]) -> str:
    """Format CPU numbers as a kernel list: ``{0, 1, 2, 8}`` is ``0-2,8``."""
    ranges: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def format_per_cpu(values: Mapping[int, str]) -> str | None:
    """Format a value per CPU as pyperf does, with equal values grouped: ``0-3=governor:performance``."""
    groups: dict[str, list[int]] = {}
    for cpu, value in sorted(values.items()):
        groups.setdefault(value, []).append(cpu)
    return "; ".join(f"{format_cpu_list(cpus)}={value}" for value, cpus in groups.items()) or None


def selected_word(text: str | None) -> str | None:
    """Return the selected word of a kernel setting: ``madvise`` for ``always [madvise] never``."""
    match = re.search(r"\[([^\]]+)\]", text or "")
    return match.group(1) if match else None


def parse_size(text: str | None) -> int | None:
    """Parse a kernel size in binary units, such as ``1024K`` or ``24684084 kB``, to bytes; None for 0 or other text."""
    match = re.fullmatch(r"([0-9]+)\s*([kKMG]?)B?", (text or "").strip())
    if match is None:
        return None
    return int(match.group(1)) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[match.group(2).upper()] or None
