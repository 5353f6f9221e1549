from __future__ import annotations

import pandas as pd

from aeadlab.display.short_table import MOST_COLUMNS, MOST_ROWS, ShortTable


def table(rows: int = 2) -> ShortTable:
    numbers = {f"number_{i}": range(rows) for i in range(20)}
    return ShortTable(
        {
            "implementation": [f"library/{i}" for i in range(rows)],
            "op": "seal",
            "bytes": [1 << (10 + i % 20) for i in range(rows)],
            "status": "ok",
            **numbers,
            "seconds": [1e-3 * (1 + i) for i in range(rows)],
            "seconds_low": [0.9e-3 * (1 + i) for i in range(rows)],
            "seconds_high": [1.1e-3 * (1 + i) for i in range(rows)],
            "share_of_memcpy": [1.0, *[0.5] * (rows - 1)],
            "share_of_memcpy_low": [1.0, *[0.4] * (rows - 1)],
            "share_of_memcpy_high": [1.0, *[0.6] * (rows - 1)],
        }
    )


def test_shows_what_varies_then_results_with_intervals() -> None:
    shown = table().shown
    assert len(shown.columns) == MOST_COLUMNS
    assert list(shown.columns[:4]) == ["implementation", "size", "time", "share of memcpy"]
    assert shown.iloc[1, 1:4].tolist() == [
        "2 KiB",
        "2.000\N{NO-BREAK SPACE}ms (1.800 to 2.200)",
        "50.0\N{NO-BREAK SPACE}% (40.0 to 60.0)",
    ]
    assert shown["share of memcpy"][0] == "100\N{NO-BREAK SPACE}%", "the reference of a ratio has no interval"


def test_states_constants_once_and_keeps_all_columns() -> None:
    short = table()
    assert short.shared == "op: seal"
    assert "op: seal" in repr(short) and "30 columns in all" in repr(short)
    assert type(short.query("bytes > 0")) is type(short.all_columns) is pd.DataFrame
    assert len(short.columns) == len(short.all_columns.columns) == 30


def test_long_tables_are_truncated_and_texts_escaped() -> None:
    short = table(MOST_ROWS + 5)
    short.loc[0, "implementation"] = "<b>/x"
    page = short._repr_html_()
    assert page.count("<tr") == MOST_ROWS + 1 and "5 further rows" in page and "<b>/x" not in page


def test_missing_numbers_are_dashes_and_empty_tables_are_shown() -> None:
    short = table()
    short.loc[1, ["seconds", "seconds_low", "seconds_high"]] = float("nan")
    assert short.shown["time"][1] == "\N{EN DASH}"
    assert "Empty" in repr(ShortTable({"seconds": []}))
