"""The result of tuning as text for a terminal."""

from __future__ import annotations

from aeadlab.display.terminal import fill
from aeadlab.display.units import size_name
from aeadlab.host.cpu_name import cpu_name
from aeadlab.lab.tuning.tuned import MAX_BUSY_CORES, MIN_CORE_SHARE, Tuned

_MAX_ROWS = 24
_MAX_NAMES = 8
_WIDTHS = ("<32", ">9", ">3", ">5", ">5", ">5", ">6", "<6")


def as_text(tuned: Tuned) -> str:
    """Return the measured settings, the eliminated implementations and the choice, at most 80 columns."""
    cores = len(tuned.machine["affinity"] or ()) or tuned.machine["cores"]
    info = tuned.machine["cpu"]
    fields = {"cpu_model_name": "model name", "cpu_family": "cpu family", "cpu_model": "model"}
    cpu = cpu_name({fact: info.get(field) for fact, field in fields.items()}) or "an unnamed CPU"
    head = f"messages of {size_name(tuned.bytes)}, {cores} cores of {cpu}"
    effort = f"{tuned.rounds} rounds in random order, {tuned.seconds:.1f} s"
    if tuned.remembered:
        effort = f"stored result of {tuned.date}; --fresh measures again"
    blocks = [f"{fill(head)}\n{fill(effort)}", "\n".join(_table(tuned))]
    if tuned.screened:
        names = [f"{name} {speed:.2f}" for name, speed in list(tuned.screened.items())[:_MAX_NAMES]]
        if more := len(tuned.screened) - len(names):
            names.append(f"and {more} more")
        title = f"eliminated in the screening round, GiB/s at {size_name(tuned.screening_bytes)}"
        blocks.append(fill(f"{title}: {', '.join(names)}"))
    # One line for each reason, since a Python library brings many implementations with the same one.
    reasons: dict[str, list[str]] = {}
    for name, reason in tuned.excluded.items():
        reasons.setdefault(reason, []).append(name)
    if reasons:
        blocks.append("\n".join(fill(f"not allowed: {', '.join(n)}: {reason}") for reason, n in reasons.items()))
    name, block_size, threads = tuned.settings
    call = f'ParSplit("{name}", block_size={block_size}, threads={threads})'
    blocks.append(f"{fill(f'chosen: {tuned.why}')}\n  {call}")
    if not tuned.reliable:
        blocks.append(fill(f"not stored: {_disturbance(tuned)}; try again when the machine is quieter"))
    return "\n\n".join(blocks)


def _disturbance(tuned: Tuned) -> str:
    if tuned.busy > MAX_BUSY_CORES:
        return f"other programs kept {tuned.busy:.1f} cores busy"
    if tuned.granted < MIN_CORE_SHARE:
        return f"the threads got {tuned.granted:.0%} of the cores they should have"
    return "equal cases differed too much"


def _table(tuned: Tuned) -> list[str]:
    lines = [_line("implementation", "block", "thr", "GiB/s", "from", "to", "memcpy")]
    # The chosen row is printed even when it is beyond the limit.
    shown = [row for index, row in enumerate(tuned.rows) if index < _MAX_ROWS or row.settings == tuned.settings]
    for row in shown:
        mark = "chosen" if row.settings == tuned.settings else "equal" if row.equal else ""
        speeds = (f"{speed:.{1 if speed >= 100 else 2}f}" for speed in (row.gib_per_s, row.low, row.high))
        share = "-" if row.memcpy_share is None else f"{row.memcpy_share:.2f}"
        lines.append(_line(row.implementation, size_name(row.block_size), str(row.threads), *speeds, share, mark))
    if more := len(tuned.rows) - len(shown):
        lines.append(f"  and {more} more, which --json shows")
    return lines


def _line(*cells: str) -> str:
    return " ".join(f"{cell:{width}}" for cell, width in zip(cells, _WIDTHS, strict=False)).rstrip()
