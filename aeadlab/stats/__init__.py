"""Statistics as pure functions of samples: no I/O, no clock, and equal results for equal samples.

A parameter ``samples`` is the frame of one record. Functions of samples raise `aeadlab.errors.ArgumentError` if a
column is missing, or the time of a counted sample (one that is neither warm-up nor failed) is not finite and positive;
see `aeadlab.stats.selection.usable`. Functions of arrays raise it for values that are NaN or infinite
(`aeadlab.stats.validation.finite`), for arrays of different lengths and, except `drift` and `fit_amdahl`, which return
NaN, for arrays without values. Other errors are documented where they occur.
"""

from aeadlab.stats.ablation import mask_ratios
from aeadlab.stats.compare import Comparison, Ratio, Verdict, compare, confidence_of_chosen, ratio, verdict
from aeadlab.stats.disturbance import disturbed
from aeadlab.stats.drift import Drift, drift
from aeadlab.stats.interval import Interval, MedianInterval, median_interval, ratio_interval
from aeadlab.stats.medians import medians
from aeadlab.stats.mixture import Mixture, fit_mixture
from aeadlab.stats.mode_intervals import in_upper_mode, mode_ratio, quantile_interval, share_interval
from aeadlab.stats.modes import Modes, modes
from aeadlab.stats.noise_floor import NoiseFloor, noise_floor
from aeadlab.stats.outliers import OUTLIER_CLASSES
from aeadlab.stats.processes import FEWEST, smallest_count
from aeadlab.stats.roofline import LIMITS, roofline_share
from aeadlab.stats.scaling import AmdahlFit, fit_amdahl, speed_up
from aeadlab.stats.selection import CASE_COLUMNS
from aeadlab.stats.summary import summary

__all__ = [
    "CASE_COLUMNS",
    "LIMITS",
    "OUTLIER_CLASSES",
    "Comparison",
    "Drift",
    "AmdahlFit",
    "FEWEST",
    "Interval",
    "MedianInterval",
    "Mixture",
    "Modes",
    "NoiseFloor",
    "Ratio",
    "Verdict",
    "compare",
    "confidence_of_chosen",
    "disturbed",
    "drift",
    "fit_amdahl",
    "fit_mixture",
    "in_upper_mode",
    "mask_ratios",
    "median_interval",
    "medians",
    "mode_ratio",
    "modes",
    "noise_floor",
    "quantile_interval",
    "ratio",
    "ratio_interval",
    "roofline_share",
    "share_interval",
    "smallest_count",
    "speed_up",
    "summary",
    "verdict",
]
