"""Agreement: do all libraries compute the same, byte for byte, on messages that nobody published answers for."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias
from weakref import WeakKeyDictionary

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify import known_answers
from aeadlab.verify.cases import Case, cases
from aeadlab.verify.reference import LIBRARY as REFERENCE
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "agreement"
REFUSED = "refused"
_Given: TypeAlias = bytes | str
"""A digest of the answer; or `REFUSED`, or the fault in words."""

_answered: WeakKeyDictionary[Implementation, tuple[_Given, ...]] = WeakKeyDictionary()


def check(implementation: Implementation, others: Iterable[Implementation]) -> Check | None:
    """Compare with every other library and reference of the same algorithm, on every case.

    Where the others differ among themselves, a reference decides, else the answer that most libraries give; with
    neither, nothing tells who is right, and it is a failure. An other library that fails its own known answers
    has no say. A length that most libraries refuse may be refused.

    Returns
    -------
    Check or None
        None where there is nobody to compare with.
    """
    tally = Tally(NAME)
    peers = _peers(implementation, others, tally)
    if not peers:
        return None
    theirs = [(peer, _answers(peer)) for peer in peers]
    for number, (case, own) in enumerate(zip(cases(implementation.description), _answers(implementation), strict=True)):
        given = {peer: answers[number] for peer, answers in theirs if _has_say(answers[number])}
        wrong = _wrong(own, given)
        if own == REFUSED and not wrong:
            tally.skip("length that most libraries refuse")
        else:
            agreeing = (peer.name for peer, answer in given.items() if answer == own)
            tally.add(wrong and f"{case}: {wrong}", *agreeing)
    return tally.check()


def _peers(implementation: Implementation, others: Iterable[Implementation], tally: Tally) -> list[Implementation]:
    """The implementations that have a say: same algorithm and lengths, other library, right where answers are known."""
    mine = implementation.description
    peers = []
    for other in others:
        its = other.description
        same = (mine.algorithm, mine.kind, mine.key_bytes, mine.nonce_bytes, mine.tag_bytes, mine.block_bytes)
        if its.library == mine.library:
            continue
        if same != (its.algorithm, its.kind, its.key_bytes, its.nonce_bytes, its.tag_bytes, its.block_bytes):
            if its.algorithm == mine.algorithm:
                tally.skip(f"{other.name} takes other lengths")
            continue
        known = known_answers.check(other)
        if known is None or known.ok:
            peers.append(other)
        else:
            tally.skip(f"{other.name} fails its known answers")
    return peers


def _answers(implementation: Implementation) -> tuple[_Given, ...]:
    if implementation not in _answered:
        _answered[implementation] = tuple(_answer(implementation, case) for case in cases(implementation.description))
    return _answered[implementation]


def _answer(implementation: Implementation, case: Case) -> _Given:
    try:
        match implementation.description.kind:
            case "aead":
                answer = implementation.seal(case.key, case.nonce, case.data, case.aad)
            case "cipher":
                answer = implementation.encrypt(case.key, case.nonce, case.data)
            case _:
                answer = implementation.digest(case.key, case.nonce, case.data)
    except ArgumentError:
        return REFUSED
    except FAULTS as error:
        return fault(error)
    return hashlib.blake2b(answer, digest_size=32).digest()


def _has_say(answer: _Given) -> bool:
    return answer == REFUSED or isinstance(answer, bytes)


def _wrong(own: _Given, given: Mapping[Implementation, _Given]) -> str:
    """Why an answer is not the one to give, or ``""``."""
    if not _has_say(own):
        return str(own)
    references = [answer for peer, answer in given.items() if peer.description.library == REFERENCE]
    if references:
        return "" if own == references[0] else f"{_said(own)}, but not what the reference computes"
    differing = [peer.name for peer, answer in given.items() if answer != own]
    if not differing:
        return ""
    (most, votes), *rest = Counter([own, *given.values()]).most_common()
    if own == most and (not rest or rest[0][1] < votes):
        return ""
    agreeing = len(given) - len(differing)
    return f"{_said(own)}; {', '.join(differing)} differ, {agreeing or 'none'} of {len(given)} agree"


def _said(answer: _Given) -> str:
    return answer if isinstance(answer, str) else "answered"
