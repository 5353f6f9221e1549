"""What a comparison and a ranking give back: frames that say in a notebook what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, ClassVar, Self, cast

import pandas as pd

from aeadlab.comparison.names import case_name, varying

_SHOWN = 60
_COLOURS = {"worse": "#b2182b", "improved": "#2166ac", "no credible difference": "inherit"}


class _Telling(pd.DataFrame):
    """A frame with what must be known of it; what is cut out of it is an ordinary frame."""

    cautions: tuple[str, ...]
    notes: tuple[str, ...]
    _metadata: ClassVar[list[str]] = []

    @classmethod
    def of(cls, table: pd.DataFrame, **known: Any) -> Self:
        """Of a table and the attributes of the class."""
        frame = cls(table)
        for name in cls._metadata:
            value = known[name]
            object.__setattr__(frame, name, tuple(value) if isinstance(value, list) else value)
        return frame

    def __repr__(self) -> str:
        # Here, since texts are made of these frames.
        from aeadlab.comparison.text import COMPARED, RANKED

        if not _whole(self):
            return repr(pd.DataFrame(self))
        return COMPARED["text"](self) if isinstance(self, Compared) else RANKED["text"](cast(Ranked, self))

    def _page(self, head: str, body: str, tail: str) -> str:
        cautions = "".join(f'<p><b style="color:#b2182b">Caution:</b> {escape(text)}.</p>' for text in self.cautions)
        notes = "".join(f"<li>{escape(text)}</li>" for text in self.notes)
        return f"{head}{cautions}{body}{tail}{f'<ul>{notes}</ul>' if notes else ''}"


class Compared(_Telling):
    """What `aeadlab.compare` found: one row per case that both sides have.

    Attributes
    ----------
    a, b
        The two sides in words: which record was taken and why.
    how
        What was compared with what, and the noise floor.
    cautions
        What speaks against a conclusion.
    notes
        What else differs between the runs.
    unmatched : pandas.DataFrame
        Cases of one side only: their columns, ``only`` and ``why``.
    machines
        1, or 2 where the records come from different ones.
    """

    a: str
    b: str
    how: str
    unmatched: pd.DataFrame
    machines: int
    _metadata: ClassVar[list[str]] = ["a", "b", "how", "cautions", "notes", "unmatched", "machines"]

    def counts(self) -> dict[str, int]:
        """Rows of each verdict."""
        return {verdict: int(self["verdict"].eq(verdict).sum()) for verdict in _COLOURS}

    def _repr_html_(self) -> str:
        if not _whole(self):
            return str(pd.DataFrame(self)._repr_html_())  # type: ignore[operator]
        columns, shared = varying(pd.DataFrame(self))
        rows = [
            (
                case_name(row, columns),
                f"{row['ratio']:.3f}",
                f"{row['low']:.3f} to {row['high']:.3f}",
                f"{row['noise_low']:.3f} to {row['noise_high']:.3f}",
                f"{row['p_adjusted']:.2g}",
                f'<span style="color:{_COLOURS[row["verdict"]]}">{row["verdict"]}</span>',
            )
            for row in self.head(_SHOWN).to_dict("records")
        ]
        head = f"<p>A: {escape(self.a)}<br>B: {escape(self.b)}<br>{escape(self.how)}</p>"
        head += f"<p>All rows: {escape(shared)}.</p>" if shared else ""
        names = ("case", "time of B / time of A", "95 % interval", "noise band", "adjusted p", "verdict")
        sides = self.unmatched["only"].astype(str)
        tail = "".join(
            f"<p>Only in {escape(side)}: {int(sides.eq(side).sum())} cases, see <code>.unmatched</code>.</p>"
            for side in sides.unique()
        )
        return self._page(head, _table(names, rows, len(self)), tail)


class Ranked(_Telling):
    """What `aeadlab.rank` found: one row per group and implementation.

    Attributes
    ----------
    by
        The columns that make a group.
    record
        The record in words.
    reference
        The implementation whose time is 1, or None where that is whoever is fastest in each case.
    groups : pandas.DataFrame
        One row per group: the columns `by`, ``cases`` ranked, ``left_out``, ``rounds``, and ``why`` it has no ranking.
    """

    by: tuple[str, ...]
    record: str
    reference: str | None
    groups: pd.DataFrame
    _metadata: ClassVar[list[str]] = ["by", "record", "reference", "groups", "cautions", "notes"]

    def _repr_html_(self) -> str:
        if not _whole(self):
            return str(pd.DataFrame(self)._repr_html_())  # type: ignore[operator]
        names = (
            *self.by,
            "place",
            "implementation",
            "geometric mean",
            "95 % interval",
            "best case",
            "worst case",
            "cases",
        )
        rows = [
            (
                *(escape(str(row[column])) for column in self.by),
                str(row["place"]),
                escape(row["implementation"]),
                f"{row['ratio']:.3f}",
                f"{row['low']:.3f} to {row['high']:.3f}",
                f"{row['best']:.3f}",
                f"{row['worst']:.3f}",
                f"{row['cases']} of {row['cases_here']}",
            )
            for row in self.to_dict("records")
        ]
        return self._page(f"<p>{escape(self.record)}</p>", _table(names, rows, len(rows)), "")


def _whole(frame: _Telling) -> bool:
    """Whether the frame has what it is about: pandas makes empty ones of the class while it works."""
    return all(hasattr(frame, name) for name in frame._metadata)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], total: int) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    more = f"<p>and {total - len(rows)} more</p>" if total > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
