"""Agreement: do all libraries compute the same, byte for byte, on messages that nobody published answers for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from weakref import WeakKeyDictionary

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify import known_answers
from aeadlab.verify.cases import NO_AAD, cases
from aeadlab.verify.examination import REFUSED, Examination, answers, has_say
from aeadlab.verify.keystream import keystream
from aeadlab.verify.reference import LIBRARY as REFERENCE
from aeadlab.verify.report import Check, Tally

NAME = "agreement"
NONE: Mapping[Implementation, Examination] = MappingProxyType({})

_answered: WeakKeyDictionary[Implementation, tuple[str, ...]] = WeakKeyDictionary()


def check(
    implementation: Implementation,
    others: Iterable[Implementation],
    examined: Mapping[Implementation, Examination] = NONE,
) -> Check | None:
    """Compare with every other library and reference of the same algorithm, on every case.

    Where the others differ among themselves, a reference decides, else the answer that most libraries give; with
    neither, nothing tells who is right, and it is a failure. An other library that fails its own known answers
    has no say. A length that most libraries refuse may be refused.

    Parameters
    ----------
    examined
        What is known already; the others are run here.

    Returns
    -------
    Check or None
        None where there is nobody to compare with.
    """
    tally = Tally(NAME)
    peers = _peers(implementation, others, examined, tally)
    if not peers:
        return None
    theirs = [(peer, _answers(peer, examined)) for peer in peers]
    mine = _answers(implementation, examined)
    for number, (case, own) in enumerate(zip(cases(implementation.description), mine, strict=True)):
        if own == REFUSED and case.aad and NO_AAD in implementation.description.flags:
            tally.skip("it takes no associated data")
            continue
        without = {peer for peer in peers if case.aad and NO_AAD in peer.description.flags}
        given = {peer: its[number] for peer, its in theirs if has_say(its[number]) and peer not in without}
        wrong = _wrong(own, given)
        if own == REFUSED and not wrong:
            tally.skip("length that most libraries refuse")
        else:
            agreeing = (peer.name for peer, answer in given.items() if answer == own)
            tally.add(wrong and f"{case}: {wrong}", *agreeing)
    return tally.check()


def _peers(
    implementation: Implementation,
    others: Iterable[Implementation],
    examined: Mapping[Implementation, Examination],
    tally: Tally,
) -> list[Implementation]:
    """The implementations that have a say: same algorithm and lengths, other library, right where answers are known."""
    mine = implementation.description
    peers = []
    for given in others:
        other = keystream(given) if (mine.kind, given.description.kind) == ("generator", "cipher") else given
        its = other.description
        same = (mine.computes, mine.kind, mine.key_bytes, mine.nonce_bytes, mine.tag_bytes, mine.block_bytes)
        if its.library == mine.library:
            continue
        if same != (its.computes, its.kind, its.key_bytes, its.nonce_bytes, its.tag_bytes, its.block_bytes):
            if its.computes == mine.computes:
                tally.skip(f"{other.name} takes other lengths")
            continue
        if given in examined and examined[given].failure:
            tally.skip(f"{other.name}: {examined[given].failure}")
            continue
        known = examined[given].check(known_answers.NAME) if given in examined else known_answers.check(other)
        if known is None or known.ok:
            peers.append(other)
        else:
            tally.skip(f"{other.name} fails its known answers")
    return peers


def _answers(implementation: Implementation, examined: Mapping[Implementation, Examination]) -> tuple[str, ...]:
    if implementation in examined:
        return examined[implementation].answers
    if implementation not in _answered:
        _answered[implementation] = answers(implementation)
    return _answered[implementation]


def _wrong(own: str, given: Mapping[Implementation, str]) -> str:
    """Why an answer is not the one to give, or ``""``."""
    if not has_say(own):
        return own
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


def _said(answer: str) -> str:
    return REFUSED if answer == REFUSED else "answered"
