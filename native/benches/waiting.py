"""How even ``baseline/delay`` waits."""

from __future__ import annotations

from bar import Bar

from aeadlab.stealing import waiting


def bars() -> list[Bar]:
    """64 threads, blocks of 32 KiB: 78,000 wake-ups in a second, the most that the study of thread counts asks for."""
    (found,) = waiting([64], [32 << 10]).to_dict("records")
    value, low, high = (found[f"over_even{end}"] for end in ("", "_low", "_high"))
    note = f"64 threads, 64 blocks of 32 KiB each; 99 % of blocks: {found['block_p99']:.2f}"
    return [Bar("baseline/delay: time over an even division", value, low, high, 1.05, "<=", "", note)]
