"""Pure functions of samples: no I/O, no clock, and the same answer for the same samples."""

from aeadlab.stats.ablation import mask_ratios
from aeadlab.stats.compare import (
    Comparison,
    NoiseFloor,
    Ratio,
    Verdict,
    benjamini_hochberg,
    compare,
    noise_floor,
    ratio,
    verdict,
)
from aeadlab.stats.dip import DipTest, dip, dip_test
from aeadlab.stats.disturbance import disturbed
from aeadlab.stats.drift import Drift, detrend, drift
from aeadlab.stats.interval import Interval, median_interval, smallest_count
from aeadlab.stats.medians import medians
from aeadlab.stats.mixture import Mixture, fit_mixture
from aeadlab.stats.mode_intervals import mode_ratio, share_interval, upper_count
from aeadlab.stats.modes import Modes, kde_mode_count, modes
from aeadlab.stats.outliers import OUTLIER_CLASSES, outlier_classes
from aeadlab.stats.roofline import LIMITS, roofline_share
from aeadlab.stats.scaling import Fit, fit_amdahl, fit_usl, speed_up
from aeadlab.stats.selection import CASE_COLUMNS
from aeadlab.stats.summary import summary

__all__ = [
    "CASE_COLUMNS",
    "LIMITS",
    "OUTLIER_CLASSES",
    "Comparison",
    "DipTest",
    "Drift",
    "Fit",
    "Interval",
    "Mixture",
    "Modes",
    "NoiseFloor",
    "Ratio",
    "Verdict",
    "benjamini_hochberg",
    "compare",
    "detrend",
    "dip",
    "dip_test",
    "disturbed",
    "drift",
    "fit_amdahl",
    "fit_mixture",
    "fit_usl",
    "kde_mode_count",
    "mask_ratios",
    "median_interval",
    "medians",
    "mode_ratio",
    "modes",
    "noise_floor",
    "outlier_classes",
    "ratio",
    "roofline_share",
    "share_interval",
    "smallest_count",
    "speed_up",
    "summary",
    "upper_count",
    "verdict",
]
