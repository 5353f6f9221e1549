from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aeadlab.lab.tuning import Row, Tuned, as_text


def tuned(rows: int = 3, **changes: Any) -> Tuned:
    """Return a result with long names and large numbers."""
    name = "openssl-system/chacha20-poly1305"
    measured = tuple(
        Row(name, 1000003 - i, 256, 123.45 - i, 100.0, 130.0, 0.9, equal=i < 2, cores=256.0) for i in range(rows)
    )
    values: dict[str, Any] = {
        "settings": measured[-1].settings, "why": "because " * 30, "rows": measured,
        "screened": {f"{name}-{i}": 1.5 for i in range(30)}, "excluded": {"hiae/hiae": "it is marked research"},
        "bytes": 64 << 20, "screening_bytes": 8 << 20, "machine": {"cpu": {"model name": "X" * 50}, "cores": 2,
        "affinity": [0, 1]}, "rounds": 10, "seconds": 5.0, "noise": 0.01, "busy": 0.0, "date": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    return Tuned(**{**values, **changes})


@pytest.mark.parametrize(
    "changes", [{}, {"rows": 100}, {"noise": 0.5}, {"busy": 1.5}, {"remembered": True}, {"screened": {}}], ids=str
)
def test_text_fits_80_columns_and_marks_the_choice(changes: dict[str, Any]) -> None:
    lines = as_text(tuned(**changes)).splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.endswith(" chosen") for line in lines) == 1


def test_text_names_the_disturbance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aeadlab.lab.tuning.tuned.MAX_NOISE", 0.1)
    assert "not stored: other programs kept 1.5 cores busy;" in as_text(tuned(busy=1.5))
    assert "not stored: equal cases differed too much;" in as_text(tuned(noise=0.2))
    shared = tuned()
    shared = replace(shared, rows=tuple(replace(row, cores=128.0) for row in shared.rows))
    assert "not stored: the threads got 50% of the cores they should have;" in as_text(shared)
    assert "not stored" not in as_text(tuned())
