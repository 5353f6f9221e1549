"""The type of the buffers that calls accept for data, keys and results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # The standard library has this type from Python 3.12 on, and includes the arrays of NumPy only from then on.
    from typing_extensions import Buffer

    Memory: TypeAlias = Buffer | NDArray[Any]
