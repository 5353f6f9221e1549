"""What *Authenticated Encryption: A Comprehensive Benchmark* (ETH Zürich) finds."""

from __future__ import annotations

from functools import partial
from typing import Final

from aeadlab.figures.single_threaded_table import MEMORY_LIMITS_FROM
from aeadlab.judgement.blocks import outside_over_inside, worst_over_best
from aeadlab.judgement.claim import Claim, Number
from aeadlab.judgement.expected import percent_more
from aeadlab.judgement.modes import apart, how_many_have_two, upper_share
from aeadlab.judgement.ranges import above, around, below, exactly, like_count, like_effect, within
from aeadlab.judgement.rivals import others_over, share_slower
from aeadlab.judgement.tags import tag_space
from aeadlab.judgement.threads import (
    gain_of_upper_half,
    gains_most,
    hash_leads,
    leads,
    leads_up_to,
    opening_unlike_sealing_in_parallel,
    parallel_over_whole,
    scales_further,
    scaling_ends,
    share_of_memory,
)
from aeadlab.judgement.whole import in_order, opening_unlike_sealing, slower, split_over_whole, widest_spread

OPENSSL: Final = "openssl/aes-256-gcm"
CRYPTOPP: Final = "cryptopp/aes-256-gcm"
WITH_BLAKE3: Final = "aeadlab/aes-256-ctr+blake3"
RUSTCRYPTO: Final = "rustcrypto/aes-256-gcm"
PRESENTED: Final = (OPENSSL, CRYPTOPP, WITH_BLAKE3, RUSTCRYPTO)
"""The AEADs of the paper's Figure 2, the fastest first."""

XOR: Final = "baseline/xor"
GHASH, RUST_GHASH, BLAKE3 = "openssl/aes-256-gmac", "rustcrypto/ghash", "blake3/blake3"
"""OpenSSL hands out GHASH inside GMAC only."""

OPENSSL_WITH_BLAKE3: Final = "openssl+blake3/aes-256-ctr+blake3-keyed"
OPENSSL_COMPOSED: Final = "openssl+openssl/aes-256-ctr+aes-256-gmac"

_RESULTS, _BLOCK_SIZES = "Section 5, Results", "Section 5, Multi-Threaded AEAD Encryption for Different Block Sizes"
_PARALLEL, _SPEEDUP = "Section 5, Multi-Threaded AEAD Encryption", "Section 5, AEAD Encryption Speedup"
_AEAD, _GHASH = "Section 6, AEAD", "Section 6, GHASH replaced by BLAKE3"
_CONCLUSION = "Section 6, Encryption, Decryption, Hashing"

_BLOCK = Number("Section 4", "block size, example")
_seal = partial(Number, _AEAD, "median time", operation="seal")
_overhead = partial(Number, _AEAD, "overhead")
_UP_TO_12 = Number(_CONCLUSION, "threads up to which OpenSSL is slightly faster than Crypto++")
_PEAK = partial(Number, _PARALLEL, "fastest time", CRYPTOPP)

_BUILD = "Other versions, compilers and CPU: wide vectors (VAES, VPCLMULQDQ) help those that have code for them."
_CONTEXT = "Here a thread keeps one context for all blocks; the paper's code had no place to keep one."
_MEMORY = "Depends on how much memory bandwidth there is for each core."

_WAITING = "Threads that wait stand for threads that compute, so that there may be more of them than cores."

_TWO_MODES: Final = (3, 5, 6, 7, 9, 10)
"""Thread counts of which Appendix C says that they have two modes."""

_claim = partial(Claim, "ETH")


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "fastest-aead", _RESULTS,
        "OpenSSL's AES-256-GCM seals ({0} ms) and opens faster than those of Crypto++ ({1} ms) and RustCrypto and than "
        "AES-256-CTR with BLAKE3.",
        "time of the fastest other over OpenSSL's", "baselines",
        slower((CRYPTOPP, WITH_BLAKE3, RUSTCRYPTO), (OPENSSL,), ("seal", "open")), above(1), _BUILD,
        numbers=(_seal(OPENSSL), _seal(CRYPTOPP)), expected=lambda own, other: other / own,
    ),
    _claim(
        "order", _AEAD,
        "From fast to slow: OpenSSL ({0} ms), Crypto++ ({1} ms), AES-256-CTR with BLAKE3 ({2} ms), RustCrypto ({3} "
        "ms).",
        "least ratio of neighbours' times", "baselines",
        in_order(PRESENTED), above(1), _BUILD,
        numbers=tuple(map(_seal, PRESENTED)),
        expected=lambda *times: min(b / a for a, b in zip(times, times[1:], strict=False)),
    ),
    _claim(
        "opening-like-sealing", _RESULTS,
        "Opening takes almost exactly as long as sealing, with all AEADs of Figure 2 (OpenSSL: {0} and {1} ms); less "
        "than 10 % apart counts.",
        "largest factor between opening and sealing", "baselines",
        opening_unlike_sealing(PRESENTED), below(1.1),
        "Sealing can hash only what it has encrypted; opening need not wait.",
        numbers=(Number(_RESULTS, "median time", OPENSSL, "open"), _seal(OPENSSL)),
        expected=lambda a, b: max(a / b, b / a),
    ),
    _claim(
        "low-variability", _RESULTS,
        "Samples vary so little that intervals need not be shown; half of the samples of each bar of Figures 2 and 3 "
        "within 2 % of its median counts.",
        "largest median distance from the median", "baselines",
        widest_spread((*PRESENTED, GHASH, RUST_GHASH, BLAKE3), ("seal", "open", "digest")), below(0.02),
        "Virtual machines and laptops are less steady than a locked clock on a machine of one's own.", "percent",
    ),
    _claim(
        "fastest-hash", _RESULTS,
        "OpenSSL's GHASH ({0} ms for 1 GiB) is faster than RustCrypto's and than BLAKE3.",
        "time of the fastest other over OpenSSL's GHASH", "baselines",
        slower((RUST_GHASH, BLAKE3), (GHASH,), ("digest",)), above(1), _BUILD,
        numbers=(Number(_RESULTS, "median time", GHASH, "digest"),),
    ),
    _claim(
        "xor-fastest", _AEAD,
        "XOR with a key, the baseline, is faster than every AEAD.",
        "time of the fastest AEAD over that of XOR", "baselines",
        slower(PRESENTED, (XOR,), ("seal",)), above(1),
        "Where memory limits even one thread, encryption is hidden behind it.",
    ),
    _claim(
        "overhead-openssl", _AEAD,
        "Cutting the message into blocks of {1} KiB costs OpenSSL {0} % of time on one thread; half to twice of that "
        "counts.",
        "ParSplit over whole", "baselines",
        split_over_whole(OPENSSL), like_effect, _CONTEXT, "percent more",
        numbers=(_overhead(OPENSSL), _BLOCK), expected=percent_more,
    ),
    _claim(
        "overhead-cryptopp", _AEAD,
        "Cutting the message into blocks of {1} KiB costs Crypto++ {0} % of time on one thread; half to twice of that "
        "counts.",
        "ParSplit over whole", "baselines",
        split_over_whole(CRYPTOPP), like_effect, _CONTEXT, "percent more",
        numbers=(_overhead(CRYPTOPP), _BLOCK), expected=percent_more,
    ),
    _claim(
        "overhead-with-blake3", _AEAD,
        "Cutting the message into blocks of {1} KiB costs AES-256-CTR with BLAKE3 {0} % of time on one thread; half to "
        "twice of that counts.",
        "ParSplit over whole", "baselines",
        split_over_whole(WITH_BLAKE3), like_effect,
        "BLAKE3 hashes many chunks at once: blocks of 16 KiB hold only 16 of them. The construction is our own.",
        "percent more", numbers=(_overhead(WITH_BLAKE3), _BLOCK), expected=percent_more,
    ),
    _claim(
        "overhead-rustcrypto", _AEAD,
        "Cutting the message into blocks of {1} KiB costs RustCrypto {0} % of time on one thread: it becomes "
        "faster; half to twice of that counts.",
        "ParSplit over whole", "baselines",
        split_over_whole(RUSTCRYPTO), like_effect,
        "The paper's own second machine did not show it. RustCrypto encrypts, then hashes: small blocks may stay in "
        "cache between the two.",
        "percent more", numbers=(_overhead(RUSTCRYPTO), _BLOCK), expected=percent_more,
    ),
    _claim(
        "overhead-xor", _AEAD,
        "Cutting the message into blocks of {0} KiB costs XOR next to nothing on one thread; less than 5 % either way "
        "counts.",
        "ParSplit over whole", "baselines",
        split_over_whole(XOR), within(1.05), "What remains is how memory is walked through.", "percent more",
        numbers=(_BLOCK,),
    ),
    _claim(
        "blake3-for-ghash", _GHASH,
        "BLAKE3 in place of GHASH makes RustCrypto's AEAD faster: {1} instead of {0} ms; half to twice of that gain "
        "counts.",
        "time with GHASH over time with BLAKE3", "baselines",
        slower((RUSTCRYPTO,), (WITH_BLAKE3,), ("seal",)), like_effect,
        "How far BLAKE3 is ahead of RustCrypto's GHASH depends on the wide instructions that the CPU has and they use.",
        numbers=(Number(_GHASH, "median time", RUSTCRYPTO), Number(_GHASH, "median time", WITH_BLAKE3)),
        expected=lambda before, after: before / after,
    ),
    _claim(
        "rustcrypto-ghash-slower", _GHASH,
        "RustCrypto's GHASH is slower than BLAKE3.",
        "time of RustCrypto's GHASH over BLAKE3's", "baselines",
        slower((RUST_GHASH,), (BLAKE3,), ("digest",)), above(1), _BUILD,
    ),
    _claim(
        "blake3-not-for-openssl", _GHASH,
        "BLAKE3 in place of GHASH would not make OpenSSL's AEAD faster.",
        "time with BLAKE3 over OpenSSL's own", "compositions",
        slower((OPENSSL_WITH_BLAKE3,), (OPENSSL, OPENSSL_COMPOSED), ("seal",)), above(1), _BUILD,
    ),
    _claim(
        "most-are-slower", "Section 4",
        "Most of the {0} AEADs that were tried are slower than the four presented; more than half of all others slower "
        "than the slowest of these counts.",
        "share of the others that is slower", "everything",
        share_slower(PRESENTED, "aead", "seal"), above(0.5),
        "The lab has libraries that the paper had not, AEGIS among the algorithms, and messages of 1/4096 of the size.",
        "percent", numbers=(Number("Section 4", "single-threaded AEAD implementations"),),
    ),
    _claim(
        "gcm-fastest-algorithm", _CONCLUSION,
        "AES-256-GCM is the fastest AEAD on one thread; algorithms of 256-bit keys in all libraries are compared.",
        "time of the fastest other algorithm over AES-256-GCM's", "everything",
        others_over(
            lambda name: name == "aes-256-gcm",
            lambda name: name != "aes-256-gcm" and not any(bits in name for bits in ("128", "192")), "seal",
        ),
        above(1), "AEGIS-256, HiAE and Rocca-S, made for AES instructions, were not among the paper's.",
    ),
    _claim(
        "ghash-fastest-algorithm", _CONCLUSION,
        "OpenSSL's GHASH is the fastest of all hashes that were tried, mostly SHA, BLAKE and GHASH.",
        "time of the fastest SHA or BLAKE over OpenSSL's GHASH", "everything",
        others_over(lambda name: name == "aes-256-gmac", lambda name: name.startswith(("sha", "blake")), "digest"),
        above(1), "GHASH is no hash to rely on by itself: it only has to be hard to guess under a secret key.",
    ),
    _claim(
        "best-block-size", _BLOCK_SIZES,
        "The best block sizes are {0} to {1} KiB, for each AEAD of Figure 2.",
        "best time with other sizes over best time with these, at least", "blocks",
        outside_over_inside(PRESENTED), above(1),
        "A kept context makes small blocks cheap; caches of another size move the upper end.",
        numbers=(Number(_BLOCK_SIZES, "best block size, lowest"), Number(_BLOCK_SIZES, "best block size, highest")),
    ),
    _claim(
        "block-size-matters", "Section 3, Benchmarking modes",
        "The block size can change the speed drastically; a factor of 2 between the best and the worst for one AEAD "
        "counts, with eight blocks or more for each thread.",
        "largest factor between worst and best size", "blocks",
        worst_over_best(PRESENTED), above(2), _CONTEXT,
    ),
    _claim(
        "parsplit-pays", "Section 4",
        "ParSplit makes any AEAD parallel: with threads, each of Figure 2 is faster than over the whole message "
        "(Crypto++: {1} instead of {0} ms).",
        "time of the whole message over the least time under ParSplit, at least", "speedup",
        parallel_over_whole(PRESENTED), above(1), _MEMORY,
        numbers=(_seal(CRYPTOPP), _PEAK("seal")), expected=lambda whole, split: whole / split,
    ),
    _claim(
        "rustcrypto-gains-most", _SPEEDUP,
        "Of XOR and the AEADs of Figure 2, RustCrypto's gains the most speed from threads.",
        "its speed-up over the largest other", "speedup",
        gains_most(RUSTCRYPTO, (*PRESENTED[:3], XOR)), above(1),
        "The slower an implementation, the more threads until memory limits it: RustCrypto need not be the slowest.",
    ),
    _claim(
        "openssl-leads-at-first", _CONCLUSION,
        "Under ParSplit OpenSSL is slightly faster than Crypto++ on up to {0} threads.",
        "Crypto++'s time over OpenSSL's, at least", "speedup",
        leads_up_to(OPENSSL, CRYPTOPP), above(1), _BUILD, numbers=(_UP_TO_12,),
    ),
    _claim(
        "cryptopp-leads-later", _CONCLUSION,
        "Beyond {0} threads Crypto++ is faster than OpenSSL.",
        "OpenSSL's least time over Crypto++'s", "speedup",
        leads(CRYPTOPP, (OPENSSL,), lambda numbers: round(numbers[0]) + 1), above(1), _CONTEXT, numbers=(_UP_TO_12,),
    ),
    _claim(
        "cryptopp-fastest-in-parallel", _PARALLEL,
        "With enough threads, more than {1}, Crypto++ seals fastest ({0} ms) of the AEADs of Figure 2.",
        "least time of any other over Crypto++'s", "speedup",
        leads(CRYPTOPP, (OPENSSL, WITH_BLAKE3, RUSTCRYPTO)), above(1), _CONTEXT, numbers=(_PEAK("seal"), _UP_TO_12),
    ),
    _claim(
        "opening-like-sealing-in-parallel", _PARALLEL,
        "In parallel, too, opening takes as long as sealing (Crypto++: {0} and {1} ms); less than 10 % apart counts.",
        "factor between opening and sealing", "speedup",
        opening_unlike_sealing_in_parallel(CRYPTOPP), below(1.1), _MEMORY,
        numbers=(_PEAK("open"), _PEAK("seal")), expected=lambda a, b: max(a / b, b / a),
    ),
    _claim(
        "xor-ends-early", _AEAD,
        "XOR stops gaining at about {0} threads; more than half and less than twice as many counts.",
        "fewest threads within 10 % of the best", "speedup",
        scaling_ends(XOR), like_count, _MEMORY, "threads",
        numbers=(Number(_AEAD, "threads at which memory limits", XOR),), expected=float,
    ),
    _claim(
        "openssl-ends-later", _AEAD,
        "The next fastest, OpenSSL, stops gaining at about {0} threads; more than half and less than twice as many "
        "counts.",
        "fewest threads within 10 % of the best", "speedup",
        scaling_ends(OPENSSL), like_count, _MEMORY, "threads",
        numbers=(Number(_AEAD, "threads at which memory limits", OPENSSL),), expected=float,
    ),
    _claim(
        "cryptopp-peak", _PARALLEL,
        "Crypto++ is fastest at about {0} threads; more than half and less than twice as many counts.",
        "fewest threads within 10 % of the best", "speedup",
        scaling_ends(CRYPTOPP), like_count, _MEMORY, "threads",
        numbers=(Number(_PARALLEL, "threads at the fastest time", CRYPTOPP),), expected=float,
    ),
    _claim(
        "faster-ends-earlier", _AEAD,
        "XOR stops gaining at fewer threads ({1}) than OpenSSL ({0}), since it meets the limit of memory first.",
        "OpenSSL's threads over XOR's", "speedup",
        scales_further(OPENSSL, XOR), above(1), "An AEAD as fast as XOR on one thread meets the limit as early.",
        numbers=tuple(Number(_AEAD, "threads at which memory limits", name) for name in (OPENSSL, XOR)),
        expected=lambda its, xors: its / xors,
    ),
    _claim(
        "little-beyond-half", "Section 3, Benchmarking modes",
        "Threads beyond half of the logical cores add little; less than 25 % for most of XOR and the AEADs of Figure 2 "
        "counts.",
        "best speed over the best with up to half of the cores, for most at most", "speedup",
        gain_of_upper_half((*PRESENTED, XOR)), below(1.25),
        "Logical cores that share a core add little, others more, until memory is the limit.", "percent more",
    ),
    _claim(
        "bounded-by-memory", _AEAD,
        f"With enough threads memory limits every AEAD of Figure 2; {100 * MEMORY_LIMITS_FROM:g} % of memcpy's best "
        "speed or more counts.",
        "share of memcpy's best speed, at least", "speedup",
        share_of_memory(PRESENTED, MEMORY_LIMITS_FROM), above(MEMORY_LIMITS_FROM), _MEMORY, "percent",
    ),
    _claim(
        "blake3-in-parallel", _CONCLUSION,
        "BLAKE3 with threads of its own hashes the message ({1} ms) faster than any AEAD seals it ({0} ms).",
        "least time of any AEAD over BLAKE3's", "speedup",
        hash_leads("blake3-rayon/blake3", PRESENTED), above(1),
        "A hash only reads: it wins where memory is the limit, and loses where computing is.",
        numbers=(_PEAK("seal"), Number(_CONCLUSION, "fastest time", BLAKE3)),
        expected=lambda aead, blake3: aead / blake3,
    ),
    _claim(
        "two-modes", "Figure 12 text",
        "With 5 threads the run times have two modes, {0} apart; a ratio within 3 % of that counts.",
        "upper over lower mode", "thread-modes",
        apart(5), around(1.03), _WAITING,
        numbers=(Number("Figure 12 text", "ratio of the modes"),), expected=float,
    ),
    _claim(
        "two-modes-where", "Appendix C",
        "So it is with 3, 5, 6, 7, 9 and 10 threads; two modes at five or six of these count, since one may hold less "
        "than the samples can show.",
        "of these six, with two modes", "thread-modes",
        how_many_have_two(_TWO_MODES), above(4.5), _WAITING, "counts",
    ),
    _claim(
        "one-mode-elsewhere", "Appendix C",
        "Other thread counts have one mode: 2, 4, 8 and 16.",
        "of these four, with two modes", "thread-modes",
        how_many_have_two((2, 4, 8, 16)), below(0.5), _WAITING, "counts",
    ),
    _claim(
        "modes-at-higher-counts", "Appendix C",
        "At higher thread counts almost all samples are in the lower mode; a share of less than 10 % in the upper one "
        "counts, of all counts from 11 on.",
        "share of runs in the upper mode", "thread-modes",
        upper_share((*range(11, 17), 24, 28, 32, 48, 64)), below(0.1), _WAITING, "percent",
    ),
    _claim(
        "modes-are-rayons", "Appendix C",
        "Rayon's work stealing is the likely source: with threads started by hand or OpenMP in its place, none of the "
        "six thread counts has two modes.",
        "of 18 counts and schedules, with two modes", "thread-modes",
        how_many_have_two(_TWO_MODES, ("std-threads", "openmp-static", "openmp-dynamic")), below(0.5), _WAITING,
        "counts",
    ),
    _claim(
        "tag-space", "Section 4",
        "Tags of {2} bytes on blocks of {1} KiB make the message longer by {0} %.",
        "sealed here, bytes more", "",
        tag_space(WITH_BLAKE3), exactly,
        "Arithmetic. With the 16-byte tags of AES-GCM it is half of that.", "percent",
        numbers=(Number("Section 4", "tag space overhead"), _BLOCK, Number("Section 4", "tag size, example")),
        expected=lambda percent, *_: percent / 100,
    ),
)  # fmt: skip
