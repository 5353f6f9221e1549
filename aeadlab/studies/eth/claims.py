"""Claims of *Authenticated Encryption: A Comprehensive Benchmark* (ETH Zürich)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from typing import Final

from aeadlab.display.units import size_name
from aeadlab.studies.candidates import of_the_paper
from aeadlab.studies.eth import quantities
from aeadlab.studies.eth.baselines.study import AAD_BYTES
from aeadlab.studies.eth.baselines.table import MEMORY_LIMITS_FROM
from aeadlab.studies.thread_modes.claims import CLAIMS as THREAD_MODES
from aeadlab.verdicts.claim import Claim, Number
from aeadlab.verdicts.expected import factor_between, inverse_ratio, percent, percent_more, ratio
from aeadlab.verdicts.pairs import Operation, largest_factor, smallest_ratio, undecidable
from aeadlab.verdicts.ranges import above, at_most, below, exactly, similar_count, similar_effect, within

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

_SINGLE = "Section 5, Single-Threaded AEAD Encryption and Hashes"
_RESULTS, _BLOCK_SIZES = "Section 5, Results", "Section 5, Multi-Threaded AEAD Encryption for Different Block Sizes"
_PARALLEL, _SPEEDUP = "Section 5, Multi-Threaded AEAD Encryption", "Section 5, AEAD Encryption Speedup"
_AEAD, _GHASH = "Section 6, AEAD", "Section 6, GHASH replaced by BLAKE3"
_CONCLUSION = "Section 6, Encryption, Decryption, Hashing"

_BLOCK = Number("Section 4", "block size, example")
_LIBRARIES: Final = (OPENSSL, CRYPTOPP, RUSTCRYPTO)
_overhead_of = partial(Number, _AEAD, "overhead")
_seal = partial(Number, _AEAD, "median time", operation="seal")
_PARSPLITS = Number("Section 4", "implementations under ParSplit")
_UP_TO_12 = Number(_CONCLUSION, "threads up to which OpenSSL is slightly faster than Crypto++")
_PEAK = partial(Number, _PARALLEL, "fastest time", CRYPTOPP)
_memory_limit = partial(Number, _AEAD, "threads at which memory limits")

_BUILD = "Other versions, compilers and CPU; wide vectors (VAES, VPCLMULQDQ) help libraries that have code for them."
_GHASH_CODE = (
    "RustCrypto's GHASH is of a later version, and may take less time than BLAKE3 even where BLAKE3 has wider vectors."
)
_MEMORY = "The result depends on the memory bandwidth per core."

_WITH_DATA: Final = tuple(product(PRESENTED, AAD_BYTES[1:]))
"""AEADs and lengths of associated data in bytes."""

_KEY_SETUP = "The time of a key set-up depends on the library's version and on the CPU."
_BLOCK_COST = (
    "A key set-up and the call take a fixed time for each block, which is a larger share of a faster cipher's time; "
    "both depend on the library's version and on the CPU."
)
_KEPT = (
    "The key of a whole message is set up before the time is taken; the paper's functions take it with every call, "
    "which is one set-up for 1 GiB."
)
_FIGURES = (
    "The paper's figures are known by their captions only: the bars of Figure 2 are the AEADs and XOR whose overheads "
    "Section 6 states, those of Figure 3 the hashes that the text names."
)
_GMAC = "GMAC stands for OpenSSL's GHASH, which the library offers only inside GMAC and GCM."
_OWN = (
    "This project's AES-256-CTR with keyed BLAKE3 stands for RustCrypto's GCM with BLAKE3 in place of GHASH, whose "
    "code the paper does not print. It derives two keys, and encrypts and hashes in turn, 16 KiB at a time."
)
_AS_PUBLISHED = (
    "Measured with Rayon, a new context for each block (XOR has none), and blocks of 16 KiB: the paper does not state "
    "the block size of these measurements, and 16 KiB is the example of its Section 4."
)
_ITS_GCM = "(read into AES-256-GCM without a library)"
_OF_WHOLE = "(read as of the {1} ms for the whole message)"
_OF_PROCESSES = (
    "The paper's samples come from one process, these from several, which also differ in the layout of their memory."
)
_HALF = (
    "Measured with Rayon and a new context for each block, on half of the logical cores as in the paper, or on all "
    "where half is one thread."
)
_OF_THE_PAPER = (
    "The paper does not list its 13 AEADs, 24 ciphers and 22 hashes; algorithms of such families that this project "
    "chose stand for them, of OpenSSL, Crypto++, RustCrypto and BLAKE3's own library, with keys of 256 bits and 1 GiB "
    "in one message."
)

_FAMILIES: Final = tuple(
    quantities.Family(
        op, presented, tuple(names for names in of_the_paper(op).values() if not {*names} & {*presented, *kin})
    )
    for op, presented, kin in (
        ("seal", PRESENTED, ()),
        ("encrypt", tuple(f"{library}/aes-256-ctr" for library in ("openssl", "cryptopp", "rustcrypto")), ()),
        # Crypto++'s GHASH, inside its GMAC, is the algorithm that the paper presents.
        ("digest", (GHASH, RUST_GHASH, BLAKE3), ("cryptopp/aes-256-gmac",)),
    )
)
"""What the paper presents of each kind, and the other algorithms by name."""

_ALL_AEADS, _ALL_HASHES = (tuple(n for names in of_the_paper(op).values() for n in names) for op in ("seal", "digest"))

_BARS: Final = (
    *(quantities.Bar(name, "seal", split) for name in (*PRESENTED, XOR) for split in (False, True)),
    *(quantities.Bar(name, "digest") for name in (GHASH, RUST_GHASH, BLAKE3)),
)
"""The bars of Figures 2 and 3: whole messages, those under ParSplit beside them, and hashes."""

A_LOT: Final = 1.5
"""Least ratio of times of an algorithm that is *a lot slower*."""

_claim = partial(Claim, "ETH")


def _least_step(*times: float) -> float:
    """Return the smallest ratio of a time to the one before it."""
    return min(later / earlier for earlier, later in pairwise(times))


def _overhead(key: str, statement: str, name: str, differs: str) -> Claim:
    """Return the claim that ParSplit with one thread costs the published share of time."""
    return _claim(
        f"overhead-{key}", _AEAD, f"{statement}; accepted: 0.5 to 2 times this effect.",
        "time under ParSplit as published over time of the whole message", "baselines",
        quantities.parsplit_overhead(name), similar_effect, differs, "percent more",
        numbers=(_overhead_of(name), _seal(name)), expected=percent_more,
    )  # fmt: skip


def _saturation(key: str, place: str, statement: str, name: str, number: Number) -> Claim:
    """Return the claim that an implementation gains from threads up to the published count."""
    return _claim(
        key, place, f"{statement}; accepted: 0.5 to 2 times as many threads.",
        "smallest thread count within 10 % of the least time", "speedup",
        quantities.saturation(name), similar_count, _MEMORY, "threads", numbers=(number,), expected=float,
    )  # fmt: skip


_CLAIMS: tuple[Claim, ...] = (
    _claim(
        "fastest-aead", _SINGLE,
        "On one thread OpenSSL's AES-256-GCM seals ({0} ms) and opens ({1} ms) faster than Crypto++'s (seals in {2} "
        "ms, Section 6), RustCrypto's and AES-256-CTR with BLAKE3.",
        "time of the fastest other over OpenSSL's", "baselines",
        quantities.slowdown((CRYPTOPP, WITH_BLAKE3, RUSTCRYPTO), (OPENSSL,), ("seal", "open")), above(1), _BUILD,
        numbers=(
            Number(_SINGLE, "median time", OPENSSL, "seal"), Number(_SINGLE, "median time", OPENSSL, "open"),
            _seal(CRYPTOPP),
        ),
        expected=lambda openssl, _, cryptopp: cryptopp / openssl,
    ),
    _claim(
        "order", _AEAD,
        "On one thread the order from fast to slow is OpenSSL ({0} ms), Crypto++ ({1} ms), AES-256-CTR with BLAKE3 "
        "({2} ms), RustCrypto ({3} ms).",
        "smallest ratio between adjacent run times", "baselines",
        quantities.smallest_adjacent_ratio(PRESENTED), above(1), _GHASH_CODE,
        numbers=tuple(map(_seal, PRESENTED)), expected=_least_step,
    ),
    _claim(
        "order-of-libraries", _AEAD,
        "On one thread the order of the three libraries is OpenSSL ({0} ms), Crypto++ ({1} ms), RustCrypto ({2} ms).",
        "smallest ratio between adjacent run times", "baselines",
        quantities.smallest_adjacent_ratio(_LIBRARIES), above(1), _BUILD,
        numbers=tuple(map(_seal, _LIBRARIES)), expected=_least_step,
    ),
    _claim(
        "opening-like-sealing", _RESULTS,
        "Opening takes an almost identical time to sealing with OpenSSL ({0} and {1} ms), Crypto++ and RustCrypto; "
        "accepted: less than 5 % difference.",
        "largest factor between the times of opening and sealing", "baselines",
        quantities.opening_factor(_LIBRARIES), below(1.05),
        "Sealing can hash a block only after encrypting it; opening can hash it at once.",
        numbers=(
            Number(_SINGLE, "median time", OPENSSL, "open"), Number(_SINGLE, "median time", OPENSSL, "seal"),
        ),
        expected=factor_between,
    ),
    _claim(
        "opening-like-sealing-with-blake3", _RESULTS,
        "Opening takes an almost identical time to sealing with AES-256-CTR with BLAKE3, too; accepted: less than 5 % "
        "difference.",
        "factor between the times of opening and sealing", "baselines",
        quantities.opening_factor((WITH_BLAKE3,)), below(1.05),
        "The construction is this project's own: sealing hashes each chunk after encrypting it, opening before.",
    ),
    _claim(
        "associated-data-free", "Section 3, Function signatures",
        "Associated data, of which the paper measures none, should have no significant effect, as it is usually much "
        f"smaller than the message; measured up to {size_name(AAD_BYTES[-1])}; accepted: less than 5 % difference with "
        "each AEAD of Figure 2.",
        "largest factor between the times of sealing with and without associated data", "baselines",
        largest_factor([(Operation(name, "seal", aad_bytes=n), Operation(name, "seal")) for name, n in _WITH_DATA]),
        below(1.05), "Associated data is authenticated only, which takes less time for each byte than encryption.",
    ),
    _claim(
        "low-variability", _SINGLE,
        "Samples vary so little that intervals need not be shown; accepted: a median absolute deviation below 2 % for "
        "each bar of Figures 2 and 3, those of XOR and ParSplit included.",
        "largest median absolute deviation", "baselines",
        quantities.largest_deviation(_BARS), below(0.02),
        "Virtual machines and laptops vary more than a dedicated machine with a fixed clock frequency.", "percent",
    ),
    _claim(
        "fastest-hash", _SINGLE,
        "On one thread OpenSSL's GHASH ({0} ms for 1 GiB) is faster than RustCrypto's GHASH and BLAKE3.",
        "time of the fastest other over OpenSSL's GHASH", "baselines",
        quantities.slowdown((RUST_GHASH, BLAKE3), (GHASH,), ("digest",)), above(1), _BUILD,
        numbers=(Number(_SINGLE, "median time", GHASH, "digest"),),
    ),
    _claim(
        "share-of-hashing", _SINGLE,
        "OpenSSL's GHASH takes {1} ms for 1 GiB and its AES-256-GCM {0} ms to seal it, read as the share of hashing, "
        "which Figures 2 and 3 are to show; accepted: 0.5 to 2 times this share.",
        "time of GHASH alone over that of AES-256-GCM, both on 1 GiB", "compositions",
        smallest_ratio([(Operation(GHASH, "digest", 1 << 30), Operation(OPENSSL, "seal", 1 << 30))]), similar_count,
        "Sealing computes counter mode and GHASH at the same time, so that its parts alone take longer than the whole.",
        "percent",
        numbers=(Number(_SINGLE, "median time", OPENSSL, "seal"), Number(_SINGLE, "median time", GHASH, "digest")),
        expected=inverse_ratio,
    ),
    _claim(
        "xor-fastest", _AEAD,
        "XOR with a key, the baseline, is faster than every AEAD of Figure 2, since OpenSSL's is called the next "
        "fastest; read as in one thread.",
        "time of the fastest AEAD over XOR's", "baselines",
        quantities.slowdown(PRESENTED, (XOR,), ("seal",)), above(1),
        "Where memory bandwidth limits one thread, encryption takes no additional time.",
    ),
    _overhead(
        "openssl", f"Splitting the message costs OpenSSL around {{0}} % of time in one thread {_OF_WHOLE}", OPENSSL,
        _BLOCK_COST,
    ),
    _overhead(
        "cryptopp", f"Splitting the message costs Crypto++ {{0}} % of time in one thread {_OF_WHOLE}", CRYPTOPP,
        _BLOCK_COST,
    ),
    _overhead(
        "with-blake3",
        f"Splitting the message costs AES-256-CTR with BLAKE3 around {{0}} % of time in one thread {_OF_WHOLE}",
        WITH_BLAKE3,
        "A key set-up of this project's own construction derives two keys with BLAKE3.",
    ),
    _overhead(
        "rustcrypto",
        f"Splitting the message costs RustCrypto roughly {{0}} % of time in one thread {_OF_WHOLE}, a gain, on the "
        "paper's first machine; not on its second",
        RUSTCRYPTO,
        "The paper's second machine does not show the gain. A new context for each block costs time, and the "
        "library is of a later version.",
    ),
    _claim(
        "overhead-xor", _AEAD,
        "Splitting the message costs XOR a negligible time in one thread; accepted: less than 5 % difference.",
        "time under ParSplit as published over time of the whole message", "baselines",
        quantities.parsplit_overhead(XOR), within(1.05), "The remaining difference is the order of memory accesses.",
        "percent more",
    ),
    _claim(
        "blake3-for-ghash", _GHASH,
        "BLAKE3 instead of GHASH makes RustCrypto's AEAD faster ({1} instead of {0} ms, which the paragraph before "
        "gives as {2} ms); accepted: 0.5 to 2 times this gain.",
        "time with GHASH over time with BLAKE3", "baselines",
        quantities.slowdown((RUSTCRYPTO,), (WITH_BLAKE3,), ("seal",)), similar_effect,
        _GHASH_CODE,
        numbers=(
            Number(_GHASH, "median time", RUSTCRYPTO), Number(_GHASH, "median time", WITH_BLAKE3), _seal(RUSTCRYPTO),
        ),
        expected=ratio,
    ),
    _claim(
        "rustcrypto-ghash-slower", _GHASH,
        "RustCrypto's GHASH is slower than BLAKE3.",
        "time of RustCrypto's GHASH over BLAKE3's", "baselines",
        quantities.slowdown((RUST_GHASH,), (BLAKE3,), ("digest",)), above(1), _GHASH_CODE,
    ),
    _claim(
        "blake3-not-for-openssl", _GHASH,
        "BLAKE3 instead of GHASH would very likely not make OpenSSL's AEAD faster; accepted: OpenSSL's AES-256-CTR "
        "with BLAKE3 takes longer than the faster of AES-256-GCM and AES-256-CTR with GMAC, all in one thread.",
        "time with BLAKE3 over the lesser time of AES-256-GCM and AES-256-CTR with GMAC", "compositions",
        quantities.slowdown((OPENSSL_WITH_BLAKE3,), (OPENSSL, OPENSSL_COMPOSED), ("seal",)), above(1), _BUILD,
    ),
    _claim(
        "most-are-slower", "Section 4",
        "Most of the {0} AEADs, {1} ciphers, {2} hashes and {3} versions of ParSplit tested were a lot slower in the "
        "initial benchmarks than those presented; accepted: more than half of the other algorithms, AEADs, ciphers and "
        "hashes together, each with its fastest library where the paper counts implementations, take at least 1.5 "
        "times as long as the slowest presented of their kind: AEADs of Figure 2, hashes of Figure 3, and AES-256-CTR, "
        "a choice of this project. Versions of ParSplit are not among them.",
        "share of the other algorithms that is a lot slower", "everything",
        quantities.share_slower(_FAMILIES, A_LOT), above(0.5),
        "Other versions and another CPU; in some libraries GCM-SIV, OCB and ChaCha20-Poly1305 are nearly as fast.",
        "percent",
        numbers=(
            *(
                Number("Section 4", f"{kind} implementations")
                for kind in ("single-threaded AEAD", "encryption", "hash")
            ),
            _PARSPLITS,
        ),
    ),
    _claim(
        "gcm-fastest-algorithm", _CONCLUSION,
        "AES-256-GCM seals and opens fastest of the tested AEADs on one thread; compared are those of OpenSSL, "
        "Crypto++ and RustCrypto with 256-bit keys and AES-256-CTR with BLAKE3.",
        "time of the fastest other algorithm over AES-256-GCM's", "everything",
        quantities.slowdown(
            tuple(name for name in _ALL_AEADS if name not in _LIBRARIES), _LIBRARIES, ("seal", "open")
        ),
        above(1), "OCB needs fewer instructions for each byte than GCM, and ChaCha20 gains from wide vectors.",
    ),
    _claim(
        "gcm-fastest-today", _CONCLUSION,
        "AES-256-GCM encrypts fastest on one thread, which this project extends to the AEADs of today; compared is "
        "sealing with 256-bit keys in all libraries of this project, apart from calls from Python, ciphers without CPU "
        "instructions, CCM, EAX and SIV.",
        "time of the fastest other algorithm over AES-256-GCM's", "everything",
        quantities.lead_of_algorithm("aes-256-gcm", "aead", ("seal",)), above(1),
        "The paper does not include AEGIS-256, HiAE and Rocca-S, which are designed for AES instructions.",
    ),
    _claim(
        "ghash-fastest-algorithm", _CONCLUSION,
        "On one thread OpenSSL's GHASH is the fastest of all tested hashes; compared are SHA-2, SHA-3, BLAKE2, BLAKE3 "
        "and the GHASH or GMAC of Crypto++ and RustCrypto.",
        "time of the fastest other hash over OpenSSL's GHASH", "everything",
        quantities.slowdown(tuple(name for name in _ALL_HASHES if name != GHASH), (GHASH,), ("digest",)),
        above(1), "GHASH is a universal hash: its output has to be unpredictable only under a secret key.",
    ),
    _claim(
        "best-block-size", _BLOCK_SIZES,
        "With {2} threads, half of the logical cores, the best block sizes of every benchmark are {0} to {1} KiB; "
        "accepted: the best size of each AEAD of Figure 2 is in this range. XOR, which has no key to set up, is not "
        "judged.",
        "smallest ratio of the best time outside this range of block sizes to the best time inside", "blocks",
        quantities.slowdown_outside_range(PRESENTED), above(1),
        "The time of a key set-up determines the lower end, cache sizes the upper one.",
        numbers=(
            Number(_BLOCK_SIZES, "best block size, lowest"), Number(_BLOCK_SIZES, "best block size, highest"),
            Number(_BLOCK_SIZES, "threads of the block size sweep"),
        ),
    ),
    _claim(
        "block-size-matters", "Section 3, Benchmarking modes",
        "The block size can change the speed drastically; accepted: a factor above 2 between the best and the worst "
        "size of one AEAD, with at least eight blocks for each thread.",
        "largest factor between worst and best block size", "blocks",
        quantities.worst_to_best(PRESENTED), above(2), _KEY_SETUP,
    ),
    _claim(
        "parsplit-pays", "Section 4",
        "ParSplit makes any single-threaded AEAD parallel; accepted: with two threads or more each AEAD of Figure 2 is "
        "faster than over the whole message; not refuted with fewer than eight logical cores.",
        "smallest speed-up over the whole message", "speedup",
        quantities.speed_up_over_whole(PRESENTED, refuted_from=quantities.MANY_CORES, min_threads=2), above(1),
        _MEMORY,
    ),
    _claim(
        "parsplit-gain-cryptopp", _PARALLEL,
        "With about {2} threads ParSplit makes Crypto++ faster than over the whole message ({1} instead of {0} ms); "
        "accepted: 0.5 to 2 times this gain.",
        "speed-up over the whole message", "speedup",
        quantities.speed_up_over_whole((CRYPTOPP,), 56), similar_effect, _MEMORY,
        numbers=(_seal(CRYPTOPP), _PEAK("seal"), Number(_PARALLEL, "threads at the fastest time", CRYPTOPP)),
        expected=ratio,
    ),
    _claim(
        "rustcrypto-gains-most", _SPEEDUP,
        "Of XOR and the AEADs of Figure 2, RustCrypto gains most from threads, read as over ParSplit with one thread: "
        "the paper does not name what speed-ups are relative to.",
        "speed-up of RustCrypto over the largest other speed-up", "speedup",
        quantities.relative_speed_up(RUSTCRYPTO, (*PRESENTED[:3], XOR)), above(1),
        "The slower an implementation, the more threads it takes to reach the memory limit; RustCrypto need not be the "
        "slowest.",
    ),
    _claim(
        "rustcrypto-gains-most-over-whole", _SPEEDUP,
        "Of XOR and the AEADs of Figure 2, RustCrypto gains most from threads, read as over the whole message in one "
        "thread, which the paper calls the native implementation.",
        "speed-up of RustCrypto over the largest other speed-up", "speedup",
        quantities.relative_speed_up(RUSTCRYPTO, (*PRESENTED[:3], XOR), True), above(1),
        "The slower an implementation, the more threads it takes to reach the memory limit; RustCrypto need not be the "
        "slowest.",
    ),
    _claim(
        "openssl-leads-at-first", _CONCLUSION,
        f"Under ParSplit OpenSSL {_ITS_GCM} is faster than Crypto++ with each thread count up to {{0}}, one included.",
        "smallest ratio of Crypto++'s time to OpenSSL's", "speedup",
        quantities.lead_at_each_count(OPENSSL, CRYPTOPP), above(1), _BUILD, numbers=(_UP_TO_12,),
    ),
    _claim(
        "openssl-leads-slightly", _CONCLUSION,
        f"Under ParSplit OpenSSL {_ITS_GCM} is only slightly faster than Crypto++ with each thread count up to {{0}}, "
        f"one included; accepted: at most the ratio of the paper's own times with one thread ({{1}} ms and {{2}} %, "
        f"{{3}} ms and {{4}} % more).",
        "largest ratio of Crypto++'s time to OpenSSL's", "speedup",
        quantities.lead_at_each_count(OPENSSL, CRYPTOPP, most=True), at_most, _BUILD,
        numbers=(_UP_TO_12, _seal(OPENSSL), _overhead_of(OPENSSL), _seal(CRYPTOPP), _overhead_of(CRYPTOPP)),
        expected=lambda _, openssl, cost, cryptopp, its_cost: (
            cryptopp * percent_more(its_cost) / (openssl * percent_more(cost))
        ),
    ),
    _claim(
        "cryptopp-leads-later", _CONCLUSION,
        f"With each thread count above {{0}} Crypto++ is faster than OpenSSL {_ITS_GCM} under ParSplit; that the lead "
        "is a couple of milliseconds is not judged.",
        "smallest ratio of OpenSSL's time to Crypto++'s", "speedup",
        quantities.lead_beyond_count(CRYPTOPP, OPENSSL), above(1), _BUILD, numbers=(_UP_TO_12,),
    ),
    _claim(
        "cryptopp-fastest-in-parallel", _PARALLEL,
        "With enough threads, more than {1}, Crypto++ seals fastest ({0} ms) of the AEADs of Figure 2.",
        "least time of any other over Crypto++'s", "speedup",
        quantities.lead(CRYPTOPP, (OPENSSL, WITH_BLAKE3, RUSTCRYPTO)), above(1), _BUILD,
        numbers=(_PEAK("seal"), _UP_TO_12),
    ),
    _claim(
        "opening-like-sealing-in-parallel", _PARALLEL,
        "In parallel, too, opening takes an almost identical time to sealing; judged for Crypto++, whose times are "
        "printed ({0} ms, in Section 6 {2} ms, and {1} ms); accepted: less than 5 % difference.",
        "factor between the least times of opening and sealing", "speedup",
        quantities.parallel_opening_factor(CRYPTOPP), below(1.05), _MEMORY,
        numbers=(_PEAK("open"), _PEAK("seal"), Number(_CONCLUSION, "fastest time", CRYPTOPP, "open")),
        expected=factor_between,
    ),
    _saturation("xor-ends-early", _AEAD, "XOR stops gaining at about {0} threads", XOR, _memory_limit(XOR)),
    _saturation(
        "openssl-ends-later", _AEAD,
        "OpenSSL, called the next fastest after XOR here and slower than Crypto++ in Section 5, stops gaining at about "
        "{0} threads",
        OPENSSL, _memory_limit(OPENSSL),
    ),
    _saturation(
        "cryptopp-peak", _PARALLEL, "Crypto++ reaches its peak, read as the end of its gain, at about {0} threads",
        CRYPTOPP, Number(_PARALLEL, "threads at the fastest time", CRYPTOPP),
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
        "With enough threads memory limits XOR and every AEAD of Figure 2; accepted: more than "
        f"{100 * MEMORY_LIMITS_FROM:g} % of memcpy's best speed.",
        "smallest share of memcpy's best speed", "speedup",
        quantities.memory_share((*PRESENTED, XOR), MEMORY_LIMITS_FROM), above(MEMORY_LIMITS_FROM), _MEMORY, "percent",
    ),
    _claim(
        "blake3-in-parallel", _CONCLUSION,
        "In the printed numbers BLAKE3 with threads of its own hashes the message ({1} ms, of which the speed is given "
        "as {2} GiB/s, that of 13.00 ms) faster than any AEAD seals it ({0} ms).",
        "least time of any AEAD over BLAKE3's", "speedup",
        quantities.hash_lead("blake3-rayon/blake3", PRESENTED), above(1),
        "A hash only reads: it is faster where memory is the limit and slower where arithmetic is.",
        numbers=(
            _PEAK("seal"), Number(_CONCLUSION, "fastest time", BLAKE3), Number(_CONCLUSION, "throughput", BLAKE3),
        ),
        expected=ratio,
    ),
    *THREAD_MODES,
    *(
        _claim(
            key, "Appendix C", statement, "ratio of the upper to the lower mode", "", undecidable(reason), above(1),
            "The test belongs to the paper's second machine.", numbers=numbers,
        )
        for key, statement, reason, numbers in (
            (
                "modes-with-one-chiplet",
                "The two modes remain with one of the {0} chiplets of {1} cores disabled.",
                "requires a processor of two chiplets, one of which the firmware disables",
                (Number("Appendix C", "machine chiplets"), Number("Appendix C", "machine cores per chiplet")),
            ),
            (
                "modes-without-smt",
                "The two modes remain with one instead of {0} logical cores per core, and with one chiplet disabled as "
                "well.",
                "requires a computer whose simultaneous multithreading can be disabled, not a virtual one",
                (Number("Appendix C", "machine logical cores per core"),),
            ),
            (
                "modes-at-locked-clock",
                "The two modes appear with the clock locked to {0} GHz; a change to {1} or {2} GHz, which would "
                "explain their ratio, does not seem plausible.",
                "requires a computer whose clock frequency can be locked and read, not a virtual one",
                (
                    Number("Appendix C", "machine clock"),
                    Number("Appendix C", "clock that would explain the upper mode"),
                    Number("Appendix C", "clock that would explain the lower mode"),
                ),
            ),
            (
                "modes-on-windows",
                "The two modes appear on Windows 10 as on the {0} Linux systems.",
                "requires Windows 10, for which the lab has no build",
                (Number("Appendix C", "Linux systems with two modes"),),
            ),
        )
    ),
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

_USES: Final[dict[str, tuple[str, ...]]] = {
    _FIGURES: ("low-variability", "most-are-slower"),
    _GMAC: (
        "fastest-hash", "share-of-hashing", "low-variability", "blake3-not-for-openssl", "most-are-slower",
        "ghash-fastest-algorithm",
    ),
    _OF_THE_PAPER: ("most-are-slower", "gcm-fastest-algorithm", "ghash-fastest-algorithm"),
    _KEPT: (
        "fastest-aead", "order", "order-of-libraries", "opening-like-sealing", "opening-like-sealing-with-blake3",
        "associated-data-free", "low-variability", "share-of-hashing", "xor-fastest", "blake3-for-ghash",
        "blake3-not-for-openssl", "most-are-slower", "gcm-fastest-algorithm", "gcm-fastest-today", "parsplit-pays",
        "parsplit-gain-cryptopp", "rustcrypto-gains-most-over-whole",
        *(f"overhead-{key}" for key in ("openssl", "cryptopp", "with-blake3", "rustcrypto")),
    ),
    _HALF: ("best-block-size", "block-size-matters"),
    _OF_PROCESSES: ("low-variability",),
    _AS_PUBLISHED: (
        "low-variability",
        *(claim.key for claim in _CLAIMS if claim.key.startswith("overhead-") or claim.study == "speedup"),
    ),
    _OWN: (
        "fastest-aead", "order", "opening-like-sealing-with-blake3", "associated-data-free", "low-variability",
        "xor-fastest", "overhead-with-blake3", "blake3-for-ghash", "most-are-slower", "gcm-fastest-algorithm",
        "best-block-size", "block-size-matters", "parsplit-pays", "rustcrypto-gains-most",
        "rustcrypto-gains-most-over-whole", "cryptopp-fastest-in-parallel", "little-beyond-half", "bounded-by-memory",
        "blake3-in-parallel",
    ),
}  # fmt: skip
"""The keys of the claims for which a substitute was measured in place of what the paper measured."""


def _substitute(claim: Claim) -> str:
    return claim.substitute or " ".join(text for text, keys in _USES.items() if claim.key in keys)


CLAIMS: tuple[Claim, ...] = tuple(replace(claim, substitute=_substitute(claim)) for claim in _CLAIMS)
