from __future__ import annotations

import pytest

from aeadlab.errors import ArgumentError
from aeadlab.judgement.markers import END, START, filled


def test_what_stands_between_the_markers_is_replaced_and_nothing_else() -> None:
    text = f"# Title\n\n{START}\nold\n{END}\n\nrest\n"
    once = filled(text, "new\n", "a file")
    assert once == f"# Title\n\n{START}\n\nnew\n\n{END}\n\nrest\n"
    assert filled(once, "new\n", "a file") == once


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", f"a file has the marker {START} 0 times"),
        (START, f"a file has the marker {END} 0 times"),
        (f"{START}{START}{END}", f"a file has the marker {START} 2 times"),
        (f"{START}{END}{END}", f"a file has the marker {END} 2 times"),
        (f"{END}{START}", f"a file has the marker {END} before {START}"),
    ],
)
def test_a_text_without_a_place_for_it_is_refused(text: str, says: str) -> None:
    with pytest.raises(ArgumentError, match=says):
        filled(text, "new", "a file")
