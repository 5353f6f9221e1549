"""Claims of Section 4 of *ETH*: one value in place of the concatenated hashes of all blocks."""

from __future__ import annotations

from functools import partial
from typing import Final

from aeadlab.studies.one_tag.study import AEAD
from aeadlab.verdicts.claim import Claim, Number, Numbers, estimator
from aeadlab.verdicts.estimate import Quantity
from aeadlab.verdicts.evidence import Evidence, Inconclusive
from aeadlab.verdicts.pairs import undecidable
from aeadlab.verdicts.ranges import above, below

_ALIKE: Final = 1.05
"""Factor between times up to which this project calls them almost the same."""

_DIGEST = "One thread hashes all tags after the last block, which takes the larger share the more threads seal."
_TREE = "The threads that seal hash the tags, so that the result depends on the number of threads."
_SUBSTITUTE = (
    "Keyed BLAKE3 of the 16-byte tags of OpenSSL's AES-256-GCM stands for a hash of 32-byte hashes, and this project's "
    "dynamic schedule with kept contexts for Rayon with a key in every call."
)
_BLOCK = Number("Section 4", "block size, example")

_claim = partial(Claim, "ETH", place="Section 4", study="one-tag", criterion=below(_ALIKE), substitute=_SUBSTITUTE)


@estimator
def time_with_one_tag(evidence: Evidence, numbers: Numbers, tags: str) -> Quantity:
    """Return the time to seal with this form of the tags over that with concatenated tags, in all threads.

    The number of the claim is the block size in KiB.
    """
    view, block_size = evidence.with_conditions("tags"), round(1024 * numbers[0])
    counts = [count for count in view.thread_counts if count > 1]
    if not counts:
        raise Inconclusive("requires a run with several threads")
    over, under = (
        view.find(AEAD, engine="parsplit", op="seal", tags=form, block_size=block_size, threads=counts[-1])
        for form in (tags, "concatenated")
    )
    return view.ratio(over, under)


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "hash-of-hashes",
        statement="Where the space of the concatenated hashes is unacceptable, they can be hashed into one value in an "
        "additional step; the paper states no time; accepted: sealing in blocks of {0} KiB takes less than 5 % longer.",
        measure="time to seal with a hash of the tags over time with concatenated tags",
        estimator=time_with_one_tag("digest"), differs=_DIGEST, numbers=(_BLOCK,),
    ),
    _claim(
        "tree-as-in-blake3",
        statement="A Merkle tree, computed in parallel, can replace the concatenated hashes, and that of BLAKE3 could "
        "help in designing an efficient one; the paper states no time; accepted: sealing in blocks of {0} KiB takes "
        "less than 5 % longer.",
        measure="time to seal with a tree over the tags over time with concatenated tags",
        estimator=time_with_one_tag("merkle"), differs=_TREE, numbers=(_BLOCK,),
    ),
    Claim(
        "ETH", "own-tree-inefficient", "Section 4",
        "The paper's own attempts at an efficient parallel Merkle tree were unsuccessful.",
        "time to seal with the paper's tree over time with concatenated hashes", "",
        undecidable("requires the code of these attempts, which the paper does not print"), above(1),
        "The paper does not state what the attempts lacked.",
    ),
)  # fmt: skip
