"""The top of a report: what was measured, on what, when; what was found; what to be careful with."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab import doctor
from aeadlab.markup import Content, Html, element, facts, joined, listed, paragraph
from aeadlab.reporting.digest import Digest, Leader
from aeadlab.reporting.words import clipped, counted, duration, how, interval, share
from aeadlab.stats import smallest_count
from aeadlab.units import significant

_NAMED = 5
"""So many names stand in a sentence; of more only the number is said."""


def overview(digest: Digest) -> Html:
    """What was measured, the facts, the cautions."""
    cautions = list(_cautions(digest))
    return joined(
        [
            paragraph(element("em", digest.study.question)) if digest.study else None,
            facts(_measured(digest)),
            element("h3", "What was found"),
            listed(_found(digest)),
            element("h3", "What to be careful with"),
            listed(cautions, "cautions") if cautions else paragraph("Nothing that the record shows."),
        ]
    )


def _measured(digest: Digest) -> Iterator[tuple[Content, Content]]:
    machine = digest.known("machine")
    plan = digest.known("plan")
    cores, cpus = machine.get("cpu_cores"), machine.get("cpu_count")
    cpu = machine.get("cpu_model_name") or "CPU of unknown model"
    samples = int(digest.cases["n"].sum())
    names = counted(digest.cases["implementation"].nunique(), "implementation")
    yield "Study", f"{digest.record.study}, profile {(plan.get('profile') or {}).get('name', doctor.UNKNOWN)}"
    yield "Machine", f"{cpu}, {counted(cpus, 'CPU') if cpus else doctor.UNKNOWN} on {cores or doctor.UNKNOWN} cores"
    yield "System", str(machine.get("platform") or doctor.UNKNOWN)
    yield "Finished", str(digest.provenance.get("date") or doctor.UNKNOWN)
    yield "Taken", f"{counted(samples, 'sample')} of {counted(len(digest.cases), 'case')}, {names}"
    yield "Record", digest.record.path.name


def _found(digest: Digest) -> Iterator[Content]:
    leaders = digest.leaders
    for leader in leaders:
        yield _fastest(leader, digest)
    if not leaders:
        yield "No implementation was timed, apart from reference lines."
    leading = digest.cases["implementation"].isin([leader.row["implementation"] for leader in leaders])
    # A digest writes nothing: what moves its input and writes it too is no limit to it.
    rows = digest.cases[leading & (digest.cases["op"] != "digest")].dropna(subset=["share"])
    if len(rows):
        best = rows.sort_values("share", kind="stable").iloc[-1].to_dict()
        ends = interval(100 * best["share_low"], 100 * best["share_high"])
        yield [
            *("Nearest to the limit of memory: ", element("b", best["implementation"])),
            f" ({how(best)}) runs at ",
            *(element("b", share(best["share"])), f" of the speed of {best['limit']} in the same rounds"),
            f" (95 % interval {ends} %)." if ends else ".",
        ]
    if digest.noise is not None:
        percent = significant(100 * (digest.noise.high - 1), 2)
        yield [
            "This run puts two arms of one and the same case up to ",
            element("b", f"{percent} %"),
            " apart: a smaller difference says nothing.",
        ]


def _fastest(leader: Leader, digest: Digest) -> Content:
    row = leader.row
    speed = row["bytes"] > 0
    ends = interval(row["gib_per_s_low"], row["gib_per_s_high"])
    value = f"{significant(row['gib_per_s'], 4)} GiB/s"
    if not speed:
        value, ends = duration(row["median"], row["low"], row["high"])
    known = f", 95 % interval {ends}" if ends else f", no interval from {counted(row['n'], 'sample')}"
    return [
        *(f"Fastest {leader.kind}: ", element("b", row["implementation"]), " at ", element("b", value)),
        f" ({how(row)}{known}). {_against(leader, digest)}",
    ]


def _against(leader: Leader, digest: Digest) -> str:
    if not leader.rivals:
        return "Nothing else of its kind was measured alike."
    others = "the other implementation" if leader.rivals == 1 else f"the {leader.rivals} other implementations"
    if digest.noise is None:
        return f"Whether {others} differ{'s' * (leader.rivals == 1)} cannot be told: there is no noise floor."
    if not leader.untold:
        return f"It is faster than {others} by more than this run's noise."
    return f"This run does not tell it from {_some(leader.untold)}."


def _cautions(digest: Digest) -> Iterator[Content]:
    for finding in digest.findings:
        if finding.level in ("critical", "warning"):
            yield [element("b", finding.name, class_=finding.level), f" {finding.value}. {finding.means}"]
    if str((digest.known("plan").get("profile") or {}).get("name", "")).startswith("smoke"):
        yield "Profile smoke shows that everything runs; its numbers prove nothing."
    yield from (f"Cut short by the time budget: {note['cut']}." for note in digest.notes if "cut" in note)
    yield from (f"Stopped by hand after {note['stopped']}." for note in digest.notes if "stopped" in note)
    for note in digest.notes:
        if slow := note.get("slow"):
            yield f"{counted(len(slow), 'slow case')} got fewer samples than the others."
    if failed := sum(failure.cases for failure in digest.failures):
        names = list(dict.fromkeys(failure.implementation for failure in digest.failures))
        yield f"{counted(failed, 'case')} failed, of {_some(names)}: see below what was not timed."
    if refused := digest.known("refused"):
        yield f"Refused and not timed: {_some(list(refused))}."
    if digest.unmeasured:
        yield f"{counted(len(digest.unmeasured), 'case')} of the plan without a sample."
    if few := int((digest.cases["n"] < smallest_count()).sum()):
        yield f"{counted(few, 'case')} with fewer than {smallest_count()} samples: too few for an interval."
    if digest.noise is None:
        yield "No A/A pair with enough rounds: small differences cannot be told from noise."
    yield from _unsteady(digest)
    if unproven := [name for name, report in digest.known("verified").items() if _unproven(name, report, digest)]:
        yield f"Nothing else to compare their answers with: {_some(unproven)}."
    commit = digest.provenance.get("commit")
    if not commit or commit.get("dirty"):
        yield "Made by code that no commit holds." if commit else "It is not known which commit made this."


def _unsteady(digest: Digest) -> Iterator[str]:
    kinds = [modes.kind for modes in digest.steadiness.values()]
    drifting = sum(modes.kind == "drift" or modes.drift.found for modes in digest.steadiness.values())
    if two := kinds.count("two"):
        yield f"{counted(two, 'case')} of {len(kinds):,} with two modes: a median says little of them."
    if drifting:
        yield f"{counted(drifting, 'case')} of {len(kinds):,} drifted: times depended on when they were taken."


def _unproven(name: str, report: object, digest: Digest) -> bool:
    timed = name in set(digest.cases["implementation"])
    return timed and isinstance(report, dict) and bool(report.get("unverifiable"))


def _some(names: list[str] | tuple[str, ...]) -> str:
    shown = ", ".join(clipped(name, 80) for name in names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"
