"""Agreement: equality with the output of other libraries for messages without published vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from weakref import WeakKeyDictionary

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify import known_answers
from aeadlab.verify.cases import NO_AAD, Case, cases
from aeadlab.verify.examination import UNSUPPORTED, Examination, answers, is_fault
from aeadlab.verify.keystream import keystream
from aeadlab.verify.lengths.decision import wrong
from aeadlab.verify.reference.implementation import LIBRARY as REFERENCE
from aeadlab.verify.report import Check, Tally

NAME = "agreement"
OWN = "this library"
NO_EXAMINATIONS: Mapping[Implementation, Examination] = MappingProxyType({})

_cached_answers: WeakKeyDictionary[Implementation, tuple[str, ...]] = WeakKeyDictionary()


def check(
    implementation: Implementation,
    others: Iterable[Implementation],
    examined: Mapping[Implementation, Examination] = NO_EXAMINATIONS,
) -> Check | None:
    """Compare an implementation with every other library and reference of the same algorithm, for every case.

    The result is None if there is no other implementation to compare with.

    The output must equal that of the reference. Without a reference, it must equal the output of all other libraries or
    that of the majority of libraries; in a tie the case fails. Libraries that fail their known answers are excluded. A
    length above the declared limit is left out, and another unsupported one is skipped if most libraries do not support
    it either.

    Parameters
    ----------
    examined
        Existing examinations; other implementations are run here.
    """
    tally = Tally(NAME)
    peers = _peers(implementation, others, examined, tally)
    if not peers:
        return None
    peer_answers = [(peer, _answers(peer, examined)) for peer in peers]
    own_answers = _answers(implementation, examined)
    for number, (case, own) in enumerate(zip(cases(implementation.description), own_answers, strict=True)):
        if own == UNSUPPORTED and case.aad and NO_AAD in implementation.description.flags:
            tally.skip("no support for associated data")
            continue
        if own == UNSUPPORTED and _is_too_long(case, implementation):
            tally.skip("length above the declared limit")
            continue
        excluded = {p for p in peers if (case.aad and NO_AAD in p.description.flags) or _is_too_long(case, p)}
        their_answers = {p: its[number] for p, its in peer_answers if p not in excluded and not is_fault(its[number])}
        failure = _failure(own, their_answers)
        if own == UNSUPPORTED and not failure:
            tally.skip("length that most libraries do not support")
        else:
            agreeing = (peer.name for peer, answer in their_answers.items() if answer == own)
            tally.add(failure and f"{case}: {failure}", *agreeing)
    return tally.check()


def _peers(
    implementation: Implementation,
    others: Iterable[Implementation],
    examined: Mapping[Implementation, Examination],
    tally: Tally,
) -> list[Implementation]:
    """Return the implementations to compare with: same algorithm and lengths, other library, correct known answers."""
    d = implementation.description
    peers = []
    for candidate in others:
        as_keystream = (d.kind, candidate.description.kind) == ("generator", "cipher")
        other = keystream(candidate) if as_keystream else candidate
        its = other.description
        if its.library == d.library:
            continue
        if its.signature != d.signature:
            if its.base_algorithm == d.base_algorithm:
                tally.skip(f"{other.name} has other lengths")
            continue
        if candidate in examined and examined[candidate].failure:
            tally.skip(f"{other.name}: {examined[candidate].failure}")
            continue
        known = examined[candidate].check(known_answers.NAME) if candidate in examined else known_answers.check(other)
        if known is None or known.ok:
            peers.append(other)
        else:
            tally.skip(f"{other.name} fails its known answers")
    return peers


def _answers(implementation: Implementation, examined: Mapping[Implementation, Examination]) -> tuple[str, ...]:
    if implementation in examined:
        return examined[implementation].answers
    if implementation not in _cached_answers:
        _cached_answers[implementation] = answers(implementation)
    return _cached_answers[implementation]


def _failure(own: str, others: Mapping[Implementation, str]) -> str:
    """Return the reason why an answer is wrong, or ``""``."""
    if is_fault(own):
        return own
    references = [answer for peer, answer in others.items() if peer.description.library == REFERENCE]
    if references:
        return "" if own == references[0] else f"{_in_words(own)}, different from the reference"
    differing = [peer.name for peer, answer in others.items() if answer != own]
    if not differing:
        return ""
    if OWN not in wrong({OWN: own, **{peer.name: answer for peer, answer in others.items()}}):
        return ""
    agreeing = len(others) - len(differing)
    return f"{_in_words(own)}; {', '.join(differing)} differ, {agreeing or 'none'} of {len(others)} agree"


def _is_too_long(case: Case, implementation: Implementation) -> bool:
    return not implementation.description.takes(len(case.data), len(case.aad))


def _in_words(answer: str) -> str:
    return UNSUPPORTED if answer == UNSUPPORTED else "output"
