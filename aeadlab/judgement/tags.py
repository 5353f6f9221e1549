"""What ParSplit's tags cost in space, by sealing a message: no record is needed."""

from __future__ import annotations

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import Estimate, Quantity
from aeadlab.judgement.evidence import Evidence

_BLOCKS = 64


def tag_space(name: str) -> Test:
    """Bytes that a sealed message has more than the message, over those of the message.

    The second of the claim's numbers is the size of a block in KiB.
    """

    def test(_: Evidence, numbers: Numbers) -> Quantity:
        from aeadlab.parsplit import ParSplit

        block = round(1024 * numbers[1])
        cipher = ParSplit(name, block_size=block, threads=1)
        message = bytes(_BLOCKS * block)
        sealed = cipher.encrypt(bytes(cipher.key_bytes), bytes(cipher.nonce_bytes), message)
        share = (len(sealed) - len(message)) / len(message)
        return lambda _: Estimate(share, share, share)

    return test
