"""``aeadlab measure``: time a study and store the record."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aeadlab.cli.options import add_plugins
from aeadlab.errors import ArgumentError
from aeadlab.terminal import fill

if TYPE_CHECKING:
    from aeadlab.progress import Bar
    from aeadlab.records import Record

NAME = "measure"
HELP = "verify and time a study; an interrupted run is carried on with"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("study", metavar="STUDY", help="name of the study, such as baselines")
    parser.add_argument("--profile", default="quick", help="smoke, quick (default) or paper")
    parser.add_argument("--implementation", action="append", metavar="NAME", help="only these (repeatable)")
    parser.add_argument(
        "--threads", action="append", type=int, metavar="N", help="ParSplit with so many instead (repeatable)"
    )
    parser.add_argument(
        "--block-size", action="append", type=int, metavar="BYTES", help="ParSplit with these instead (repeatable)"
    )
    parser.add_argument("--size", type=int, help="size of a large message instead of the profile's")
    parser.add_argument("--samples", type=int, help="samples of each case instead of the profile's")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="time instead of the profile's")
    parser.add_argument("--seed", type=int, default=1, help="of the order of cases and of the data")
    parser.add_argument(
        "--mask", action="append", default=[], metavar="MASK", help="run again with CPU features hidden (repeatable)"
    )
    add_plugins(parser)
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder for the record")
    parser.add_argument(
        "--cluster",
        metavar="tcp://HOST:PORT",
        help="on every host of the Dask scheduler there instead of here (docs/CLUSTER.md)",
    )
    parser.add_argument("--host", action="append", metavar="NAME", help="of the cluster only these (repeatable)")


def run(arguments: argparse.Namespace) -> int:
    """Measure, then print where the record is and its medians."""
    if arguments.cluster is not None:
        return _run_on_cluster(arguments)
    if arguments.host is not None:
        raise ArgumentError("--host names hosts of a cluster: give --cluster with it, or leave it out")
    from aeadlab.measurement import measure
    from aeadlab.stats.text import medians

    record = measure(arguments.study, arguments.profile, **_options(arguments))
    print(medians(record.samples))
    for line in _told(record):
        print(fill(line))
    print(f"record: {record.path}")
    return int(_failed(record, arguments))


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `measure` takes, here as on a cluster."""
    return {
        "size": arguments.size,
        "samples": arguments.samples,
        "budget": arguments.budget,
        "implementations": arguments.implementation,
        "threads": arguments.threads,
        "block_sizes": arguments.block_size,
        "folder": arguments.output,
        "plugins": arguments.plugins,
        "seed": arguments.seed,
        "masks": arguments.mask,
    }


def _run_on_cluster(arguments: argparse.Namespace) -> int:
    """Measure on each host, then print what each gave and how they compare."""
    from aeadlab.cluster import as_text, host_table, measure_on_cluster
    from aeadlab.progress import bar

    with ExitStack() as stack:
        bars: dict[str, Bar] = {}

        def show(host: str, taken: int, planned: int) -> None:
            if host not in bars:
                bars[host] = stack.enter_context(bar(planned, host, "sample"))
            bars[host].update(taken - bars[host].n)

        results = measure_on_cluster(
            arguments.study,
            arguments.profile,
            address=arguments.cluster,
            hosts=arguments.host,
            progress=show,
            **_options(arguments),
        )
    records = {result.host: result.record for result in results if result.record is not None}
    if records:
        print(as_text(host_table({host: record.samples for host, record in records.items()})))
    for host, record in records.items():
        for line in _told(record):
            print(fill(f"{host}: {line}"))
    for host, record in records.items():
        print(f"record of {host}: {record.path}")
    for result in results:
        if result.failure:
            print(fill(f"no record of {result.host}: {result.failure}"))
    failed = [record for record in records.values() if _failed(record, arguments)]
    return int(bool(failed) or len(records) < len(results))


def _told(record: Record) -> list[str]:
    """What a reader of the medians must know besides."""
    from aeadlab.bench.plan import WHOLE_RUNS, Plan

    notes = record.provenance["notes"]
    told = [f"cut short by the time budget: {note['cut']}" for note in notes if "cut" in note]
    told += [f"every interval was narrow enough after {note['enough']}" for note in notes if "enough" in note]
    told += [f"fewer samples, since slow: {'; '.join(note['slow'])}" for note in notes if "slow" in note]
    plan = Plan.from_json(record.provenance["plan"])
    short = [i for i in range(len(plan.cases)) if plan.rounds_of(i) < plan.profile.rounds]
    if few := sum(not plan.cases[i].is_whole_run for i in short):
        told.append(f"{few} cases of implementations that the document does not name got {plan.profile.others} samples")
    if runs := len(short) - few:
        told.append(f"{runs} cases that are whole runs, seconds long, got {WHOLE_RUNS} samples")
    for name, why in record.provenance["refused"].items():
        told.append(f"not timed: {name}: {why.removeprefix(f'{name} ')}")
    told += [f"not masked: {why}" for why in record.provenance.get("unmasked", [])]
    return [*told, *(f"{name} {status}" for name, status in _failures(record))]


def _failures(record: Record) -> list[tuple[str, str]]:
    rows = record.samples[record.samples["order"] < 0]
    return sorted(set(zip(rows["implementation"], rows["status"], strict=True)))


def _failed(record: Record, arguments: argparse.Namespace) -> bool:
    # What was asked for by name and refused is a failure; of a whole study, absent libraries are expected.
    wanted = set(arguments.implementation or ()) & set(record.provenance["refused"])
    return bool(_failures(record) or wanted)
