"""A table whose texts are shown in full, since pandas cuts those of more than 50 characters."""

from __future__ import annotations

import pandas as pd

from aeadlab.display.terminal import fill, paragraphs


class FullTable(pd.DataFrame):
    """A data frame that is shown in full: as an HTML table, and as text with a line for each value that is not empty.

    What is computed or selected from it is a plain data frame.
    """

    def _repr_html_(self) -> str:
        with pd.option_context("display.max_colwidth", None):
            return self.to_html(notebook=True)

    def __repr__(self) -> str:
        if self.empty:
            return super().__repr__()
        rows = self.to_dict("records")
        return paragraphs([fill(f"{name}: {value}") for name, value in row.items() if value != ""] for row in rows)
