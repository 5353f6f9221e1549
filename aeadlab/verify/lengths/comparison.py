"""Comparison of results at single lengths with those of other libraries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.kinds import DELAY
from aeadlab.catalogue.names import composition_parts
from aeadlab.verify.cases import NO_AAD
from aeadlab.verify.lengths.answers import Answers, Asked
from aeadlab.verify.lengths.decision import is_decided, wrong
from aeadlab.verify.lengths.question import Answer, Question


@dataclass
class Comparison:
    """The outcome of questions to implementations, by name of the implementation.

    Attributes
    ----------
    equal
        The other implementations with the same result, by question.
    failed
        The first wrong result or fault, in words.
    alone
        Questions without an answer of a second library; the result is only consistent in itself.
    rejected, skipped
        Errors of implementations that reject a question, and reasons why questions were not asked.
    """

    equal: dict[str, dict[Question, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    failed: dict[str, str] = field(default_factory=dict)
    alone: dict[str, list[Question]] = field(default_factory=lambda: defaultdict(list))
    rejected: dict[str, dict[Question, str]] = field(default_factory=lambda: defaultdict(dict))
    skipped: dict[str, dict[Question, str]] = field(default_factory=lambda: defaultdict(dict))

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison for the provenance: the number of compared results, and those without a second one."""
        alone = {name: sorted({question.bytes for question in its}) for name, its in sorted(self.alone.items())}
        return {
            "compared": sum(map(len, self.equal.values())),
            "without_second_library": alone,
            "failed": dict(sorted(self.failed.items())),
        }


@dataclass
class _Group:
    """Implementations whose results must be equal, and those that have not been asked yet."""

    question: Question
    measured: dict[Implementation, list[Question]]
    witnesses: list[Implementation]
    results: dict[str, str] = field(default_factory=dict)


def compare(
    asked: Mapping[Implementation, Iterable[Question]],
    catalogue: Catalogue,
    answers: Answers,
    witnesses: Answers | None = None,
    done: Callable[[Asked], object] = lambda _: None,
) -> Comparison:
    """Ask implementations, and compare their answers with each other and with those of further libraries.

    Parameters
    ----------
    asked
        Questions to each implementation.
    answers
        With the environment of these implementations.
    witnesses
        For the other libraries; None means `answers`.
    done
        Called for each question of `asked`.
    """
    comparison = Comparison()
    own = answers.get([(i, q) for i, questions in asked.items() for q in questions], done)
    groups = list(_groups(asked, catalogue))
    for group in groups:
        for implementation, questions in group.measured.items():
            _collect(group, implementation, {q: own[implementation, q] for q in questions}, comparison)
    while pending := [g for g in groups if g.results and not is_decided(g.results) and g.witnesses]:
        drawn = [(g, g.witnesses.pop(0)) for g in pending]
        replies = (witnesses or answers).get([(w, _cheapest(w, g.question)) for g, w in drawn], lambda _: None)
        for group, witness in drawn:
            if digest := replies[witness, _cheapest(witness, group.question)].digest:
                group.results[witness.name] = digest
    for group in groups:
        _judge(group, comparison)
    return comparison


def _collect(
    group: _Group, implementation: Implementation, replies: Mapping[Question, Answer], result: Comparison
) -> None:
    name, digests = implementation.name, {}
    for question, reply in replies.items():
        if reply.fault:
            result.failed.setdefault(name, f"{question}: {reply.fault}")
        elif reply.unsupported:
            result.rejected[name][question] = reply.unsupported
        elif reply.skipped:
            result.skipped[name][question] = reply.skipped
        else:
            digests[question] = reply.digest
    if len(set(digests.values())) > 1:
        result.failed.setdefault(name, f"its results of {' and '.join(map(str, digests))} differ")
    elif digests and name not in result.failed:
        group.results[name] = next(iter(digests.values()))


def _judge(group: _Group, result: Comparison) -> None:
    reasons = wrong(group.results)
    for implementation, questions in group.measured.items():
        name = implementation.name
        if name not in group.results:
            continue
        library = implementation.description.library
        others = [n for n, digest in group.results.items() if digest == group.results[name] and n != name]
        others = [other for other in others if other.partition("/")[0] != library]
        for question in questions:
            if name in reasons:
                result.failed.setdefault(name, f"{question}: {reasons[name]}")
            elif question in result.skipped[name] or question in result.rejected[name]:
                continue
            elif others:
                result.equal[name][question] = others
            else:
                result.alone[name].append(question)


def _cheapest(witness: Implementation, question: Question) -> Question:
    """Return the question with the same answer that takes the least memory."""
    in_place = "in-place" in witness.description.flags and question.op != "digest"
    return replace(question, placement="in-place") if in_place and witness.description.origin != "python" else question


def _groups(asked: Mapping[Implementation, Iterable[Question]], catalogue: Catalogue) -> Iterator[_Group]:
    found: dict[tuple[object, ...], _Group] = {}
    for implementation, questions in asked.items():
        for question in questions:
            key = (*implementation.description.signature, question.compared)
            if key not in found:
                found[key] = _Group(question.compared, {}, [])
            found[key].measured.setdefault(implementation, []).append(question)
    for group in found.values():
        first = next(iter(group.measured))
        group.witnesses = list(_witnesses(first, group, catalogue))
    yield from found.values()


def _witnesses(first: Implementation, group: _Group, catalogue: Catalogue) -> Iterator[Implementation]:
    """Iterate over one implementation of each other library, linked libraries first, that takes messages so long."""
    libraries = {i.description.library for i in group.measured}
    others = _compositions(first, catalogue) if first.parts else _same_algorithm(first, catalogue)
    longest = group.question.block_size if group.question.split else group.question.bytes
    for other in others:
        d = other.description
        aad_bytes = group.question.aad_bytes
        unfit = (group.question.split and d.origin == "python") or (aad_bytes and NO_AAD in d.flags)
        if d.library not in libraries and d.takes(longest, aad_bytes) and not unfit and other.name != DELAY:
            libraries.add(d.library)
            yield other


def _same_algorithm(first: Implementation, catalogue: Catalogue) -> Sequence[Implementation]:
    found = [other for other in catalogue if other.description.signature == first.description.signature]
    order = {"linked": 1, "python": 2}
    return sorted(found, key=lambda i: (order.get(i.description.origin, 3), i.name))


def _compositions(first: Implementation, catalogue: Catalogue) -> Iterator[Implementation]:
    """Iterate over compositions of the same algorithms whose parts are both of other libraries."""
    if composition_parts(first.name) is None:
        return
    alternatives = []
    for part in first.parts:
        library = part.description.library
        candidates = _same_algorithm(part, catalogue)
        alternatives.append(
            [c for c in candidates if c.description.library != library and c.description.origin != "python"]
        )
    for cipher, mac in zip(*alternatives, strict=False):
        yield catalogue.compose(cipher.name, mac.name)
