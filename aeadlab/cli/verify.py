"""``aeadlab verify``: check that implementations compute what they should, before anybody times them."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from aeadlab.catalogue import Implementation, load
from aeadlab.catalogue.implementation import computed
from aeadlab.cli.options import add_plugins
from aeadlab.terminal import fill
from aeadlab.verify.report import Report

NAME = "verify"
HELP = "check implementations: known answers, agreement, round trips, tampering, randomness"

_INDENT = " " * 8
_PASSED = {
    "known answers": "known answers: ",
    "agreement": "answers equal to those of ",
    "round trip": "round trips: ",
    "tamper": "changes rejected: ",
    "randomness": "tests of randomness: ",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="library/algorithm, or all (the default)")
    add_plugins(parser)
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Verify anew and print the reports; 1 if an implementation failed a check."""
    catalogue = load(arguments.plugins)
    wanted: Iterable[Implementation] = catalogue
    if arguments.names and "all" not in arguments.names:
        wanted = {name: catalogue.find(name) for name in arguments.names}.values()
    # Those of one algorithm share their vectors, which are read once if they come one after the other.
    chosen = sorted(wanted, key=lambda i: (i.description.algorithm, i.description.library))
    # Here, and after the catalogue, which says what to do where the compiled extension is missing.
    from tqdm import tqdm

    from aeadlab.verify.cached import verified

    with tqdm(total=len(chosen), delay=2, disable=not sys.stderr.isatty(), leave=False) as bar:

        def done(name: str) -> None:
            bar.set_description(name, refresh=False)
            bar.update()

        reports = list(verified(chosen, catalogue, fresh=True, done=done).values())
    if arguments.json:
        print(json.dumps({"reports": [r.as_dict() for r in reports], "absent": catalogue.absent}, indent=1))
    else:
        print(render(reports, catalogue.absent))
    return 1 if any(not report.ok and not report.unverifiable for report in reports) else 0


def render(reports: Sequence[Report], absent: Mapping[str, str]) -> str:
    """The reports as text of at most 80 columns, then the totals."""
    blocks = ["\n".join(_report(report)) for report in reports]
    blocks.append("\n".join(_totals(reports)))
    if absent:
        blocks.append("\n".join(fill(f"absent: {name}: {why}") for name, why in absent.items()))
    return "\n\n".join(blocks)


def _report(report: Report) -> list[str]:
    lines = [fill(f"{_verdict(report):<6}  {report.implementation}  {report.version}", _INDENT)]
    if report.reason:
        lines.append(fill(f"{_INDENT}{report.reason}", _INDENT + "  "))
    for check in report.checks:
        which = ", ".join(check.sources) if check.name == "agreement" else _counts(check.sources)
        passed = f"{check.run - check.failed} {_PASSED[check.name]}{which or 'none'}"
        lines.append(fill(_INDENT + passed, _INDENT + "  "))
        if check.skipped:
            lines.append(fill(f"{_INDENT}  not run: {_counts(check.skipped)}", _INDENT + "    "))
    return lines


def _verdict(report: Report) -> str:
    if report.unverifiable:
        return "?"
    return "ok" if report.ok else "FAILED"


def _totals(reports: Sequence[Report]) -> list[str]:
    """How many passed, how many vectors of each source ran, how many libraries agree on each algorithm."""
    verdicts = Counter(map(_verdict, reports))
    lines = [f"{verdicts['ok']} ok, {verdicts['FAILED']} failed, {verdicts['?']} cannot be verified"]
    sources: Counter[str] = Counter()
    agreeing: dict[str, set[str]] = {}
    for report in reports:
        known, agreement = report.check("known answers"), report.check("agreement")
        sources.update(known.sources if known else {})
        if agreement and agreement.ok:
            algorithm = computed(report.implementation.partition("/")[2])
            agreeing.setdefault(algorithm, set()).update({report.implementation, *agreement.sources})
    if sources:
        lines.append(fill(f"known answers: {_counts(dict(sorted(sources.items())))}"))
    if agreeing:
        lines.append(fill(f"agreeing: {_counts({name: len(those) for name, those in agreeing.items()})}"))
    return lines


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.items())
