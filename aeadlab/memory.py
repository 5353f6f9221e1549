"""What calls take for data, keys and results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Python's own from 3.12 on, and from then on NumPy's arrays are of this type too.
    from typing_extensions import Buffer

    Memory: TypeAlias = Buffer | NDArray[Any]
