"""Claims of Appendix C of *ETH*: thread counts with two run times."""

from __future__ import annotations

from functools import partial
from typing import Final

from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.studies.thread_modes.quantities import (
    counts_with_two_modes,
    largest_tail,
    ratio_of_modes,
    upper_mode_share,
)
from aeadlab.verdicts.claim import Claim, Number
from aeadlab.verdicts.ranges import above, around, below

_DIFFERS = "The times of threads that compute depend on cores, clock and memory as well."
_WAITING = "Threads wait here instead of computing, so that there may be more threads than cores."

_TWO_MODES: Final = (3, 5, 6, 7, 9, 10)
"""Thread counts that have two modes according to Appendix C."""

_ONE_MODE: Final = (2, 4, 8, 16)
_OTHERS: Final = ("std-threads", "openmp-static", "openmp-dynamic")

_claim = partial(Claim, "ETH", study="thread-modes", differs=_DIFFERS, substitute=_WAITING)

CLAIMS: tuple[Claim, ...] = (
    _claim(
        "two-modes", "Figure 12 text",
        "With 5 threads the run times have two modes with a ratio of {0}; accepted: a ratio within 3 % of it.",
        "ratio of the upper to the lower mode",
        estimator=ratio_of_modes(5), criterion=around(1.03),
        numbers=(Number("Figure 12 text", "ratio of the modes"),), expected=float,
    ),
    _claim(
        "two-modes-where", "Appendix C",
        "The thread counts 3, 5, 6, 7, 9 and 10 have two modes; accepted: two modes at five or six of them, since a "
        "mode may be too rare for the samples.",
        "number of these six counts with two modes",
        estimator=counts_with_two_modes(_TWO_MODES), criterion=above(4.5), unit="counts",
    ),
    _claim(
        "one-mode-elsewhere", "Appendix C",
        "Other thread counts have one mode; accepted: with 2, 4, 8 and 16 threads the 95th percentile is less than 5 % "
        "above the median.",
        "largest ratio of the 95th percentile to the median",
        estimator=largest_tail(_ONE_MODE, (ETH_PAPER,)), criterion=below(1.05), unit="percent more",
    ),
    _claim(
        "no-second-mode-elsewhere", "Appendix C",
        "Other thread counts have one mode; accepted: no second mode is found with 2, 4, 8 and 16 threads, and the "
        "samples exclude one with the document's share.",
        "number of these four counts with two modes",
        estimator=counts_with_two_modes(_ONE_MODE), criterion=below(0.5), unit="counts",
    ),
    _claim(
        "modes-at-higher-counts", "Appendix C",
        "At higher thread counts almost all samples are in the lower mode; accepted: less than 10 % of the samples of "
        "all counts from 11 in the upper mode.",
        "share of samples in the upper mode",
        estimator=upper_mode_share((*range(11, 17), 24, 28, 32, 48, 64)), criterion=below(0.1), unit="percent",
    ),
    _claim(
        "modes-are-rayons", "Appendix C",
        "Rayon's work stealing is the likely cause; accepted: with threads started by hand or with OpenMP the 95th "
        "percentile is less than 5 % above the median with all six thread counts.",
        "largest ratio of the 95th percentile to the median",
        estimator=largest_tail(_TWO_MODES, _OTHERS), criterion=below(1.05), unit="percent more",
    ),
    _claim(
        "no-second-mode-without-rayon", "Appendix C",
        "Rayon's work stealing is the likely cause; accepted: with threads started by hand or with OpenMP no second "
        "mode is found with the six thread counts, and the samples exclude one with the document's share.",
        "number of 18 combinations of count and schedule with two modes",
        estimator=counts_with_two_modes(_TWO_MODES, _OTHERS), criterion=below(0.5), unit="counts",
    ),
)  # fmt: skip
