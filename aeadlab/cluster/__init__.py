"""Whole studies on several machines, sent to them through a scheduler of Dask's `distributed`.

Each machine measures the study for itself, as ``aeadlab measure`` would; Dask only carries the order there and the
record back.
"""

from aeadlab.cluster.comparison import as_text, host_table
from aeadlab.cluster.dispatch import HostResult, measure_on_cluster

__all__ = ["HostResult", "as_text", "host_table", "measure_on_cluster"]
