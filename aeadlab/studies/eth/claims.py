"""Claims of *Authenticated Encryption: A Comprehensive Benchmark* (ETH Zürich)."""

from __future__ import annotations

from functools import partial
from typing import Final

from aeadlab.studies.eth import quantities
from aeadlab.studies.eth.baselines.table import MEMORY_LIMITS_FROM
from aeadlab.studies.thread_modes.claims import CLAIMS as THREAD_MODES
from aeadlab.verdicts.claim import Claim, Number
from aeadlab.verdicts.expected import factor_between, inverse_ratio, percent, percent_more, ratio
from aeadlab.verdicts.ranges import above, below, exactly, similar_count, similar_effect, within

OPENSSL: Final = "openssl/aes-256-gcm"
CRYPTOPP: Final = "cryptopp/aes-256-gcm"
WITH_BLAKE3: Final = "aeadlab/aes-256-ctr+blake3"
RUSTCRYPTO: Final = "rustcrypto/aes-256-gcm"
PRESENTED: Final = (OPENSSL, CRYPTOPP, WITH_BLAKE3, RUSTCRYPTO)
"""The AEADs of Figure 2 of the paper, the fastest first."""

XOR: Final = "baseline/xor"
GHASH, RUST_GHASH, BLAKE3 = "openssl/aes-256-gmac", "rustcrypto/ghash", "blake3/blake3"
"""OpenSSL offers GHASH only inside GMAC."""

OPENSSL_WITH_BLAKE3: Final = "openssl+blake3/aes-256-ctr+blake3-keyed"
OPENSSL_COMPOSED: Final = "openssl+openssl/aes-256-ctr+aes-256-gmac"

_RESULTS, _BLOCK_SIZES = "Section 5, Results", "Section 5, Multi-Threaded AEAD Encryption for Different Block Sizes"
_PARALLEL, _SPEEDUP = "Section 5, Multi-Threaded AEAD Encryption", "Section 5, AEAD Encryption Speedup"
_AEAD, _GHASH = "Section 6, AEAD", "Section 6, GHASH replaced by BLAKE3"
_CONCLUSION = "Section 6, Encryption, Decryption, Hashing"

_BLOCK = Number("Section 4", "block size, example")
_seal = partial(Number, _AEAD, "median time", operation="seal")
_UP_TO_12 = Number(_CONCLUSION, "threads up to which OpenSSL is slightly faster than Crypto++")
_PEAK = partial(Number, _PARALLEL, "fastest time", CRYPTOPP)
_memory_limit = partial(Number, _AEAD, "threads at which memory limits")

_BUILD = "Other versions, compilers and CPU; wide vectors (VAES, VPCLMULQDQ) help libraries that have code for them."
_CONTEXT = "Here each thread keeps one context for all blocks; the paper's code created one for each block."
_MEMORY = "The result depends on the memory bandwidth per core."

_claim = partial(Claim, "ETH")


def _overhead(key: str, software: str, name: str, differs: str) -> Claim:
    """Return the claim that ParSplit with one thread costs the published share of time."""
    return _claim(
        f"overhead-{key}", _AEAD,
        f"Splitting the message into blocks of {{1}} KiB costs {software} {{0}} % of time on one thread; accepted: "
        "0.5 to 2 times this effect.",
        "time under ParSplit over time of the whole message", "baselines",
        quantities.parsplit_overhead(name), similar_effect, differs, "percent more",
        numbers=(Number(_AEAD, "overhead", name), _BLOCK), expected=percent_more,
    )  # fmt: skip


def _saturation(key: str, place: str, statement: str, name: str, number: Number) -> Claim:
    """Return the claim that an implementation gains from threads up to the published count."""
    return _claim(
        key, place, f"{statement}; accepted: 0.5 to 2 times as many.",
        "smallest thread count within 10 % of the least time", "speedup",
        quantities.saturation(name), similar_count, _MEMORY, "threads", numbers=(number,), expected=float,
    )  # fmt: skip


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "fastest-aead", _RESULTS,
        "OpenSSL's AES-256-GCM seals ({0} ms) and opens faster than Crypto++'s ({1} ms), RustCrypto's and AES-256-CTR "
        "with BLAKE3.",
        "time of the fastest other over OpenSSL's", "baselines",
        quantities.slowdown((CRYPTOPP, WITH_BLAKE3, RUSTCRYPTO), (OPENSSL,), ("seal", "open")), above(1), _BUILD,
        numbers=(_seal(OPENSSL), _seal(CRYPTOPP)), expected=inverse_ratio,
    ),
    _claim(
        "order", _AEAD,
        "The order from fast to slow is OpenSSL ({0} ms), Crypto++ ({1} ms), AES-256-CTR with BLAKE3 ({2} ms), "
        "RustCrypto ({3} ms).",
        "smallest ratio between adjacent run times", "baselines",
        quantities.smallest_adjacent_ratio(PRESENTED), above(1), _BUILD,
        numbers=tuple(map(_seal, PRESENTED)),
        expected=lambda *times: min(b / a for a, b in zip(times, times[1:], strict=False)),
    ),
    _claim(
        "opening-like-sealing", _RESULTS,
        "Opening takes almost exactly as long as sealing with all AEADs of Figure 2 (OpenSSL: {0} and {1} ms); "
        "accepted: less than 10 % difference.",
        "largest factor between the times of opening and sealing", "baselines",
        quantities.opening_factor(PRESENTED), below(1.1),
        "Sealing can hash a block only after encrypting it; opening can hash it at once.",
        numbers=(Number(_RESULTS, "median time", OPENSSL, "open"), _seal(OPENSSL)), expected=factor_between,
    ),
    _claim(
        "low-variability", _RESULTS,
        "Samples vary so little that intervals need not be shown; accepted: a median absolute deviation below 2 % for "
        "each bar of Figures 2 and 3.",
        "largest median absolute deviation", "baselines",
        quantities.largest_deviation((*PRESENTED, GHASH, RUST_GHASH, BLAKE3), ("seal", "open", "digest")), below(0.02),
        "Virtual machines and laptops vary more than a dedicated machine with a fixed clock frequency.", "percent",
    ),
    _claim(
        "fastest-hash", _RESULTS,
        "OpenSSL's GHASH ({0} ms for 1 GiB) is faster than RustCrypto's GHASH and BLAKE3.",
        "time of the fastest other over OpenSSL's GHASH", "baselines",
        quantities.slowdown((RUST_GHASH, BLAKE3), (GHASH,), ("digest",)), above(1), _BUILD,
        numbers=(Number(_RESULTS, "median time", GHASH, "digest"),),
    ),
    _claim(
        "xor-fastest", _AEAD,
        "XOR with a key, the baseline, is faster than every AEAD.",
        "time of the fastest AEAD over XOR's", "baselines",
        quantities.slowdown(PRESENTED, (XOR,), ("seal",)), above(1),
        "Where memory bandwidth limits one thread, encryption takes no additional time.",
    ),
    _overhead("openssl", "OpenSSL", OPENSSL, _CONTEXT),
    _overhead("cryptopp", "Crypto++", CRYPTOPP, _CONTEXT),
    _overhead(
        "with-blake3", "AES-256-CTR with BLAKE3", WITH_BLAKE3,
        "BLAKE3 hashes many chunks at once, and a block of 16 KiB has only 16. The construction is this project's own.",
    ),
    _overhead(
        "rustcrypto", "RustCrypto", RUSTCRYPTO,
        "The paper's second machine does not show the gain. RustCrypto encrypts, then hashes: small blocks may stay in "
        "the cache between the two passes.",
    ),
    _claim(
        "overhead-xor", _AEAD,
        "Splitting the message into blocks of {0} KiB costs XOR almost no time on one thread; accepted: less than 5 % "
        "difference.",
        "time under ParSplit over time of the whole message", "baselines",
        quantities.parsplit_overhead(XOR), within(1.05), "The remaining difference is the order of memory accesses.",
        "percent more", numbers=(_BLOCK,),
    ),
    _claim(
        "blake3-for-ghash", _GHASH,
        "BLAKE3 instead of GHASH makes RustCrypto's AEAD faster ({1} instead of {0} ms); accepted: 0.5 to 2 times this "
        "gain.",
        "time with GHASH over time with BLAKE3", "baselines",
        quantities.slowdown((RUSTCRYPTO,), (WITH_BLAKE3,), ("seal",)), similar_effect,
        "The lead of BLAKE3 over RustCrypto's GHASH depends on the vector instructions that the CPU has and they use.",
        numbers=(Number(_GHASH, "median time", RUSTCRYPTO), Number(_GHASH, "median time", WITH_BLAKE3)), expected=ratio,
    ),
    _claim(
        "rustcrypto-ghash-slower", _GHASH,
        "RustCrypto's GHASH is slower than BLAKE3.",
        "time of RustCrypto's GHASH over BLAKE3's", "baselines",
        quantities.slowdown((RUST_GHASH,), (BLAKE3,), ("digest",)), above(1), _BUILD,
    ),
    _claim(
        "blake3-not-for-openssl", _GHASH,
        "BLAKE3 instead of GHASH would not make OpenSSL's AEAD faster.",
        "time with BLAKE3 over time of OpenSSL's AES-256-GCM", "compositions",
        quantities.slowdown((OPENSSL_WITH_BLAKE3,), (OPENSSL, OPENSSL_COMPOSED), ("seal",)), above(1), _BUILD,
    ),
    _claim(
        "most-are-slower", "Section 4",
        "Most of the {0} tested AEADs are slower than the four presented; accepted: more than half of all other AEADs "
        "are slower than the slowest of the four.",
        "share of the other AEADs that is slower", "everything",
        quantities.share_slower(PRESENTED, "aead", "seal"), above(0.5),
        "The catalogue has libraries and algorithms (AEGIS) that the paper lacks, and messages are 4096 times shorter.",
        "percent", numbers=(Number("Section 4", "single-threaded AEAD implementations"),),
    ),
    _claim(
        "gcm-fastest-algorithm", _CONCLUSION,
        "AES-256-GCM is the fastest AEAD on one thread; compared are all algorithms with 256-bit keys.",
        "time of the fastest other algorithm over AES-256-GCM's", "everything",
        quantities.algorithm_slowdown(
            lambda name: name != "aes-256-gcm" and not any(bits in name for bits in ("128", "192")),
            lambda name: name == "aes-256-gcm", "seal",
        ),
        above(1), "The paper does not include AEGIS-256, HiAE and Rocca-S, which are designed for AES instructions.",
    ),
    _claim(
        "ghash-fastest-algorithm", _CONCLUSION,
        "OpenSSL's GHASH is the fastest of all tested hashes; compared are those of the SHA and BLAKE families.",
        "time of the fastest SHA or BLAKE hash over OpenSSL's GHASH", "everything",
        quantities.algorithm_slowdown(
            lambda name: name.startswith(("sha", "blake")), lambda name: name == "aes-256-gmac", "digest"
        ),
        above(1), "GHASH is a universal hash: its output has to be unpredictable only under a secret key.",
    ),
    _claim(
        "best-block-size", _BLOCK_SIZES,
        "The best block sizes are {0} to {1} KiB for each AEAD of Figure 2.",
        "smallest ratio of the best time outside this range of block sizes to the best time inside", "blocks",
        quantities.slowdown_outside_range(PRESENTED), above(1),
        "A context that is kept makes small blocks cheap; cache sizes determine the upper end.",
        numbers=(Number(_BLOCK_SIZES, "best block size, lowest"), Number(_BLOCK_SIZES, "best block size, highest")),
    ),
    _claim(
        "block-size-matters", "Section 3, Benchmarking modes",
        "The block size can change the speed drastically; accepted: a factor above 2 between the best and the worst "
        "size of one AEAD, with at least eight blocks for each thread.",
        "largest factor between worst and best block size", "blocks",
        quantities.worst_to_best(PRESENTED), above(2), _CONTEXT,
    ),
    _claim(
        "parsplit-pays", "Section 4",
        "ParSplit makes any AEAD parallel: with threads, each AEAD of Figure 2 is faster than over the whole message "
        "(Crypto++: {1} instead of {0} ms).",
        "smallest speed-up over the whole message", "speedup",
        quantities.speed_up_over_whole(PRESENTED), above(1), _MEMORY,
        numbers=(_seal(CRYPTOPP), _PEAK("seal")), expected=ratio,
    ),
    _claim(
        "rustcrypto-gains-most", _SPEEDUP,
        "Of XOR and the AEADs of Figure 2, RustCrypto gains most from threads.",
        "speed-up of RustCrypto over the largest other speed-up", "speedup",
        quantities.relative_speed_up(RUSTCRYPTO, (*PRESENTED[:3], XOR)), above(1),
        "The slower an implementation, the more threads it takes to reach the memory limit; RustCrypto need not be the "
        "slowest.",
    ),
    _claim(
        "openssl-leads-at-first", _CONCLUSION,
        "Under ParSplit OpenSSL is slightly faster than Crypto++ with up to {0} threads.",
        "smallest ratio of Crypto++'s time to OpenSSL's", "speedup",
        quantities.lead_at_each_count(OPENSSL, CRYPTOPP), above(1), _BUILD, numbers=(_UP_TO_12,),
    ),
    _claim(
        "cryptopp-leads-later", _CONCLUSION,
        "With more than {0} threads Crypto++ is faster than OpenSSL.",
        "OpenSSL's least time over Crypto++'s", "speedup",
        quantities.lead(CRYPTOPP, (OPENSSL,), beyond=True), above(1), _CONTEXT, numbers=(_UP_TO_12,),
    ),
    _claim(
        "cryptopp-fastest-in-parallel", _PARALLEL,
        "With enough threads, more than {1}, Crypto++ seals fastest ({0} ms) of the AEADs of Figure 2.",
        "least time of any other over Crypto++'s", "speedup",
        quantities.lead(CRYPTOPP, (OPENSSL, WITH_BLAKE3, RUSTCRYPTO)), above(1), _CONTEXT,
        numbers=(_PEAK("seal"), _UP_TO_12),
    ),
    _claim(
        "opening-like-sealing-in-parallel", _PARALLEL,
        "Opening takes as long as sealing in parallel, too (Crypto++: {0} and {1} ms); accepted: less than 10 % "
        "difference.",
        "factor between the least times of opening and sealing", "speedup",
        quantities.parallel_opening_factor(CRYPTOPP), below(1.1), _MEMORY,
        numbers=(_PEAK("open"), _PEAK("seal")), expected=factor_between,
    ),
    _saturation("xor-ends-early", _AEAD, "XOR stops gaining at about {0} threads", XOR, _memory_limit(XOR)),
    _saturation(
        "openssl-ends-later", _AEAD, "OpenSSL, the fastest after XOR, stops gaining at about {0} threads", OPENSSL,
        _memory_limit(OPENSSL),
    ),
    _saturation(
        "cryptopp-peak", _PARALLEL, "Crypto++ is fastest with about {0} threads", CRYPTOPP,
        Number(_PARALLEL, "threads at the fastest time", CRYPTOPP),
    ),
    _claim(
        "faster-ends-earlier", _AEAD,
        "XOR stops gaining at fewer threads ({1}) than OpenSSL ({0}), since it reaches the memory limit first.",
        "OpenSSL's thread count at saturation over XOR's", "speedup",
        quantities.relative_saturation(OPENSSL, XOR), above(1),
        "An AEAD as fast as XOR on one thread reaches the memory limit with as few threads.",
        numbers=(_memory_limit(OPENSSL), _memory_limit(XOR)), expected=ratio,
    ),
    _claim(
        "little-beyond-half", "Section 3, Benchmarking modes",
        "Threads beyond half of the logical cores add little speed; accepted: less than 25 % for most of XOR and the "
        "AEADs of Figure 2.",
        "median speed gain from threads beyond half of the cores", "speedup",
        quantities.upper_half_gain((*PRESENTED, XOR)), below(1.25),
        "Logical cores that share a core add little; others add more, until memory is the limit.", "percent more",
    ),
    _claim(
        "bounded-by-memory", _AEAD,
        "With enough threads memory limits every AEAD of Figure 2; accepted: more than "
        f"{100 * MEMORY_LIMITS_FROM:g} % of memcpy's best speed.",
        "smallest share of memcpy's best speed", "speedup",
        quantities.memory_share(PRESENTED, MEMORY_LIMITS_FROM), above(MEMORY_LIMITS_FROM), _MEMORY, "percent",
    ),
    _claim(
        "blake3-in-parallel", _CONCLUSION,
        "BLAKE3 with threads of its own hashes the message ({1} ms) faster than any AEAD seals it ({0} ms).",
        "least time of any AEAD over BLAKE3's", "speedup",
        quantities.hash_lead("blake3-rayon/blake3", PRESENTED), above(1),
        "A hash only reads: it is faster where memory is the limit and slower where arithmetic is.",
        numbers=(_PEAK("seal"), Number(_CONCLUSION, "fastest time", BLAKE3)), expected=ratio,
    ),
    *THREAD_MODES,
    _claim(
        "tag-space", "Section 4",
        "Tags of {2} bytes on blocks of {1} KiB make the message longer by {0} %.",
        "additional bytes of a sealed message", "",
        quantities.tag_overhead(WITH_BLAKE3), exactly,
        "The quantity is computed. With the 16-byte tags of AES-GCM it is half as large.", "percent",
        numbers=(Number("Section 4", "tag space overhead"), _BLOCK, Number("Section 4", "tag size, example")),
        expected=percent,
    ),
)  # fmt: skip
