"""Whole studies on several machines, through a scheduler of Dask's `distributed`.

Each machine measures the study by itself, as ``aeadlab measure`` would; Dask only transports the job and the record.
"""

from aeadlab.lab.cluster.comparison import all_complete, as_dict, as_text, host_table, summary
from aeadlab.lab.cluster.dispatch import HostResult, measure_on_cluster

__all__ = ["HostResult", "all_complete", "as_dict", "as_text", "host_table", "measure_on_cluster", "summary"]
