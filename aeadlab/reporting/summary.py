"""The first section of a report: subject of the measurement, main results and warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aeadlab.display.conditions import CONDITIONS, in_words
from aeadlab.display.listing import first_of
from aeadlab.display.markup import Content, Html, bullet_list, definition_list, element, join, paragraph, truncate
from aeadlab.display.units import count_noun, duration, interval, percent, significant
from aeadlab.host import doctor
from aeadlab.host.cpu_name import cpu_name
from aeadlab.records import reference
from aeadlab.reporting.analysis import Analysis, Leader
from aeadlab.stats import FEWEST

_MAX_NAMES = 5


def summary(analysis: Analysis) -> Html:
    """Return the study's question, the facts of the run, the main results and the warnings."""
    warnings = list(_warnings(analysis))
    origin = reference.origin(reference.reference_cpu(analysis.record))
    return join(
        [
            paragraph(element("b", f"{origin[0].upper()}{origin[1:]}.")) if origin else None,
            paragraph(element("em", analysis.study.question)) if analysis.study else None,
            definition_list(_facts(analysis)),
            element("h3", "Main results"),
            bullet_list(main_results(analysis)),
            element("h3", "Warnings"),
            bullet_list(warnings, "warnings") if warnings else paragraph("None."),
        ]
    )


def _facts(analysis: Analysis) -> Iterator[tuple[Content, Content]]:
    machine = analysis.record.machine
    cores, cpus = machine.get("cpu_cores"), machine.get("cpu_count")
    cpu = cpu_name(machine) or "CPU of unknown model"
    samples = int(analysis.cases["n"].sum())
    names = count_noun(analysis.cases["implementation"].nunique(), "implementation")
    profile = analysis.section("plan").get("profile") or {}
    yield "Study", f"{analysis.record.study}, profile {profile.get('name', doctor.UNKNOWN)}"
    yield "Machine", f"{cpu}, {count_noun(cpus, 'CPU') if cpus else doctor.UNKNOWN} on {cores or doctor.UNKNOWN} cores"
    yield "System", str(machine.get("platform") or doctor.UNKNOWN)
    yield "Date", str(analysis.provenance.get("date") or doctor.UNKNOWN)
    yield "Samples", f"{count_noun(samples, 'sample')} of {count_noun(len(analysis.cases), 'case')}, {names}"
    yield "Record", analysis.record.name


def main_results(analysis: Analysis) -> Iterator[Content]:
    """Yield a sentence for the fastest of each kind, the nearest to the memory limit, and the noise floor."""
    leaders = analysis.leaders
    for leader in leaders:
        yield _fastest(leader, analysis)
    if not leaders:
        yield "No implementation was timed except baselines."
    leading = analysis.cases["implementation"].isin([leader.row["implementation"] for leader in leaders])
    # The limit of memory does not apply to a digest, which reads its input and writes no output.
    rows = analysis.cases[leading & (analysis.cases["op"] != "digest")].dropna(subset=["share"])
    if len(rows):
        best = rows.sort_values("share", kind="stable").iloc[-1].to_dict()
        ends = interval(100 * best["share_low"], 100 * best["share_high"])
        yield [
            f"Nearest to the memory limit of {count_noun(len(rows), 'case')}, by medians: ",
            element("b", best["implementation"]),
            f" ({in_words(best, CONDITIONS)}) has ",
            *(element("b", percent(best["share"])), f" of the speed of {best['limit']} in the same rounds"),
            f" (95 % interval {ends} %, of this case alone)." if ends else ".",
        ]
    floor = f"{significant(100 * (analysis.noise.high - 1), 2)} %"
    cause = "the bias between the arms of an A/A pair" if analysis.noise.is_biased else "the preset margin"
    yield ["Noise floor: ", element("b", floor), f", {cause}. Smaller differences are not reported."]


def _fastest(leader: Leader, analysis: Analysis) -> Content:
    row = leader.row
    size = row["bytes"] / (1 << 30)
    value, ends = f"{significant(row['gib_per_s'], 4)} GiB/s", interval(size / leader.high, size / leader.low, 4)
    if not row["bytes"]:
        value, ends = duration(row["median"], leader.low, leader.high)
    joint = f", for all {leader.candidates} cases at once" if leader.candidates > 1 else ""
    precision = f"95 % interval {ends}{joint}" if ends else f"no interval from {count_noun(row['n'], 'sample')}"
    return [
        *(f"Fastest {leader.kind}: ", element("b", row["implementation"]), " at ", element("b", value)),
        f" ({in_words(row, CONDITIONS)}; {precision}). {_against_rivals(leader, analysis)}",
    ]


def _against_rivals(leader: Leader, analysis: Analysis) -> str:
    if not leader.rivals:
        return "No other implementation has a case with this operation and size."
    others = "the other implementation" if leader.rivals == 1 else f"the {leader.rivals} other implementations"
    if not leader.indistinguishable:
        pairs = leader.candidates * (leader.candidates - 1) // 2
        joint = f" for all {pairs} pairs at once" if pairs > 1 else ""
        return f"It is faster than {others} by more than {percent(leader.noise.high - 1)} (95 %{joint}; {leader.unit})."
    return f"It is not distinguishable from {_name_some(leader.indistinguishable)}."


def _warnings(analysis: Analysis) -> Iterator[Content]:
    for finding in analysis.findings:
        if finding.level in ("critical", "warning"):
            yield [element("b", finding.name, class_=finding.level), f" {finding.value}. {finding.means}"]
    if str((analysis.section("plan").get("profile") or {}).get("name", "")).startswith("smoke"):
        yield "Profile smoke only checks that everything runs: its times are no evidence."
    for note in analysis.notes:
        if "cut" in note:
            yield f"The time budget ended the run after {note['cut']}."
        if "reduced" in note:
            yield f"Fewer rounds than planned: {note['reduced']}."
        if "stopped" in note:
            yield f"The run was interrupted after {note['stopped']}."
        if slow := note.get("slow"):
            yield f"{count_noun(len(slow), 'slow case')} with fewer samples than the others."
    if failed := sum(failure.cases for failure in analysis.failures):
        names = list(dict.fromkeys(failure.implementation for failure in analysis.failures))
        yield f"{count_noun(failed, 'failed case')} of {_name_some(names)}: see section Not timed."
    if refused := analysis.section("refused"):
        yield f"Absent or not verified, and therefore not timed: {_name_some(list(refused))}."
    if analysis.unmeasured:
        yield f"{count_noun(len(analysis.unmeasured), 'planned case')} without a sample."
    if few := int((analysis.cases["processes"] < FEWEST).sum()):
        yield (
            f"{count_noun(few, 'case')} measured by fewer than {FEWEST} processes: their intervals hold within these "
            "only, and no difference is reported."
        )
    if equal := int((analysis.cases["low"] == analysis.cases["high"]).sum()):
        yield (
            f"{count_noun(equal, 'case')} with equal samples: their intervals have no width, because the clock does "
            "not resolve the differences."
        )
    if not analysis.noise.pairs:
        yield f"No A/A pair in {FEWEST} processes: a bias of the run would not be noticed."
    yield from _modes_and_drift(analysis)
    timed = set(analysis.cases["implementation"])
    if unverifiable := [
        name for name, report in analysis.section("verified").items() if name in timed and _is_unverifiable(report)
    ]:
        yield f"Verified without known answers or another implementation: {_name_some(unverifiable)}."
    commit = analysis.section("commit")
    if not commit or commit.get("dirty"):
        yield "Measured with uncommitted changes." if commit else "The commit of the code is unknown."


def _modes_and_drift(analysis: Analysis) -> Iterator[str]:
    kinds = [modes.kind for modes in analysis.modes.values()]
    drifting = sum(modes.kind == "drift" or modes.drift.found for modes in analysis.modes.values())
    if two := kinds.count("two"):
        yield f"{count_noun(two, 'case')} of {len(kinds):,} with two modes, which a median does not describe."
    if drifting:
        yield f"{count_noun(drifting, 'case')} of {len(kinds):,} with drift: the times depend on the order of the run."


def _is_unverifiable(report: object) -> bool:
    return isinstance(report, dict) and bool(report.get("unverifiable"))


def _name_some(names: Sequence[str]) -> str:
    return first_of([truncate(name, 80) for name in names], _MAX_NAMES)
