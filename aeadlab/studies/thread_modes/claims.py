"""Claims of Appendix C of *ETH*: thread counts with two run times."""

from __future__ import annotations

from functools import partial
from typing import Final

from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.studies.thread_modes.quantities import (
    counts_with_two_modes,
    largest_tail,
    largest_upper_share,
    odd_among_two_modes,
    ratio_of_modes,
    ratio_of_published_case,
    share_of_upper_mode,
)
from aeadlab.verdicts.claim import Claim, Number
from aeadlab.verdicts.ranges import above, around, below, similar_count

_DIFFERS = "The times of threads that compute depend on cores, clock and memory as well."
_ODD_DIFFERS = (
    "The splitting rule gives two modes to every thread count that is no power of two, odd or even: to 31 odd and 26 "
    "even counts up to 64. Which of them show in a record depends on the share of the upper mode."
)
_WAITING = (
    "Threads sleep 25 ns per byte here instead of computing AES-GCM with Crypto++, so that there may be more threads "
    "than cores; each has 1 MiB of the message in 64 blocks of 16 KiB, and above 32 threads 2 MiB in blocks of 32 KiB, "
    "where the paper encrypts 1 GiB with all threads together."
)

_TWO_MODES: Final = (3, 5, 6, 7, 9, 10)
"""Thread counts that have two modes according to Appendix C."""

_ONE_MODE: Final = (2, 4, 8, 16)
"""Counts that stand for the other ones, of which Appendix C names none: powers of two, for which the mechanism predicts
one mode."""

_HIGHER: Final = (*range(11, 17), 24, 28, 32, 48, 64)
"""Counts beyond those that Appendix C names; the choice is the lab's."""

_ALMOST_ALL: Final = 0.1
"""Share of the upper mode below which almost all samples are in the lower one, as Appendix C says of higher counts; the
counts that it names "clearly" show two modes."""

_ONE_OF_100: Final = 0.01
"""Share of one sample among the paper's 100: "almost all samples" in the lower mode leave at least one in the other."""

_OTHERS: Final = ("std-threads", "openmp-static", "openmp-dynamic")
_CHOICE = (
    "2, 4, 8 and 16 threads, a choice of this project since the document names no count with one mode (powers of two, "
    "the only counts for which the project's model of Rayon predicts one),"
)

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
        "share-of-upper-mode", "Figure 12 text",
        "With 5 threads {0} of 100 samples are in the upper mode and {1} in the lower; accepted: 0.5 to 2 times this "
        "share of the upper mode.",
        "share of samples in the upper mode",
        estimator=share_of_upper_mode(5), criterion=similar_count, unit="percent",
        numbers=(
            Number("Figure 12 text", "samples in the upper mode"),
            Number("Figure 12 text", "samples in the lower mode"),
        ),
        expected=lambda upper, lower: upper / (upper + lower),
    ),
    _claim(
        "two-modes-published-case", "Figure 12 text",
        "Crypto++'s AES-GCM under ParSplit has two modes with 5 threads and a ratio of {0}; accepted: a ratio within 3 "
        "% of it.",
        "ratio of the upper to the lower mode",
        estimator=ratio_of_published_case(), criterion=around(1.03),
        numbers=(Number("Figure 12 text", "ratio of the modes"),), expected=float,
        substitute="Measured with blocks of 16 KiB, the example of the paper's Section 4: it does not state their size "
        "here.",
    ),
    _claim(
        "two-modes-where", "Appendix C",
        "Thread counts such as 3, 5, 6, 7, 9 and 10 clearly have two modes; accepted: two modes at all six, the upper "
        "one with 10 % of the samples or more; a run that drifted at one of them decides nothing.",
        "number of these six counts with two modes, the upper one with 10 % of the samples or more",
        estimator=counts_with_two_modes(_TWO_MODES, least_share=_ALMOST_ALL, clear=True), criterion=above(5.5),
        unit="counts",
    ),
    _claim(
        "two-modes-mostly-odd", "Appendix C",
        "Most thread counts with two modes are odd; accepted: more than half of those among the counts from 2 to 16, a "
        "choice of this project, and with 10 % of the samples or more in the upper mode.",
        "share of odd ones among the thread counts with two modes, the upper one with 10 % of the samples or more",
        estimator=odd_among_two_modes(tuple(range(2, 17)), least_share=_ALMOST_ALL), criterion=above(0.5),
        unit="percent", differs=_ODD_DIFFERS,
    ),
    _claim(
        "one-mode-elsewhere", "Appendix C",
        f"Other thread counts have one mode; accepted: with {_CHOICE} the 95th percentile is less than 5 % above the "
        "median.",
        "largest ratio of the 95th percentile to the median",
        estimator=largest_tail(_ONE_MODE, (ETH_PAPER,)), criterion=below(1.05), unit="percent more",
    ),
    _claim(
        "no-second-mode-elsewhere", "Appendix C",
        f"Other thread counts have one mode; accepted: no second mode is found with {_CHOICE} and the samples exclude "
        "one with the document's share.",
        "number of these four counts with two modes",
        estimator=counts_with_two_modes(_ONE_MODE), criterion=below(0.5), unit="counts",
    ),
    _claim(
        "modes-at-higher-counts", "Appendix C",
        "At higher thread counts almost all samples are in the lower mode; accepted: less than 10 % of the samples in "
        "the upper mode at each count from 11 that may have two modes, of those that this project chose.",
        "largest share of samples in the upper mode at one count",
        estimator=largest_upper_share(_HIGHER), criterion=below(_ALMOST_ALL), unit="percent",
    ),
    _claim(
        "modes-still-at-higher-counts", "Appendix C",
        "At higher thread counts there still are two modes; accepted: two modes at two or more of the counts from 11 "
        "that this project chose. A count without a second mode is excluded only if less than one in 100 samples can "
        "be in one.",
        "number of these 11 counts with two modes",
        estimator=counts_with_two_modes(_HIGHER, least_share=_ONE_OF_100), criterion=above(1.5), unit="counts",
    ),
    _claim(
        "modes-are-rayons", "Appendix C",
        "Rayon, which divides work by stealing, is the most likely cause; accepted: with threads started by hand or "
        "with OpenMP's static or dynamic schedule the 95th percentile is less than 5 % above the median with all six "
        "thread counts.",
        "largest ratio of the 95th percentile to the median",
        estimator=largest_tail(_TWO_MODES, _OTHERS), criterion=below(1.05), unit="percent more",
    ),
    _claim(
        "no-second-mode-without-rayon", "Appendix C",
        "Rayon, which divides work by stealing, is the most likely cause; accepted: with threads started by hand or "
        "with OpenMP's static or dynamic schedule no second mode is found with the six thread counts, and the samples "
        "exclude one with the document's share.",
        "number of 18 combinations of count and schedule with two modes",
        estimator=counts_with_two_modes(_TWO_MODES, _OTHERS), criterion=below(0.5), unit="counts",
    ),
)  # fmt: skip
