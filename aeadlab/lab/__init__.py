"""The functions that notebooks call: measuring, preparing, sweeping, exploring, tuning, and running on a cluster."""
