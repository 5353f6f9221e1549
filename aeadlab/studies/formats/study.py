"""Files in memory by format, program, length and thread count."""

from __future__ import annotations

from typing import Final

from aeadlab.bench.case import Case, Op
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.host.cores import process_cores
from aeadlab.studies.candidates import candidates
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

OWN: Final = "aeadlab"
"""The library that takes a thread count."""

REUSED: Final = ".reused"
TINK: Final = tuple(f"tink-aes256-gcm-hkdf-{segment}" for segment in ("1mb", "4kb"))
OWN_FORMATS: Final = ("cobblestone-128", "cobblestone-256", "age", "floe", *TINK)
FORMATS: Final = (*OWN_FORMATS, "dare")
PROGRAMS: Final = (
    *(f"{OWN}/{format}{memory}" for format in OWN_FORMATS for memory in ("", REUSED)),
    *("pyca/cobblestone-128", "pyca/cobblestone-256", "pyrage/age", *(f"tink/{format}" for format in TINK)),
    *(f"go-age/age{REUSED}", f"fast-floe/floe{REUSED}", f"minio-sio/dare{REUSED}"),
)
OPS: Final[tuple[Op, ...]] = ("seal", "open")

SMALLEST: Final = 4 << 10
LARGEST: Final = 64 << 20
"""Lengths in bytes; each is sixteen times the one before, and the last one is the longest."""


def lengths(longest: int) -> tuple[int, ...]:
    """Return the lengths of messages up to this one or `LARGEST`, at least one."""
    most = min(longest, LARGEST)
    sizes = [SMALLEST << 4 * step for step in range(4) if SMALLEST << 4 * step < most]
    return (*sizes, most)


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return sealing and opening of files of each length, in one thread and, where a program takes them, in all.

    Copies of the same lengths are the limit of one thread.
    """
    counts = selection.threads or tuple(dict.fromkeys((1, process_cores())))
    declared: list[Case] = []
    for length in lengths(profile.varied_bytes):
        for candidate in candidates(catalogue, selection.implementations, PROGRAMS):
            if candidate.kind != "file" and candidate.name in PROGRAMS:
                # An absent program gets a case, so that the record has the reason.
                declared += [Case(candidate.name, op, length, "python", "oneshot") for op in OPS]
            elif candidate.kind != "file":
                declared.append(candidate.whole(candidate.first_op, length))
            else:
                threads = counts if candidate.parallel else (1,)
                declared += [
                    Case(candidate.name, op, length, "python", "oneshot", threads=count)
                    for op in OPS
                    for count in threads
                ]
    return declared


STUDY = Study(
    name="formats",
    question="How fast are the programs of standard file formats?",
    cases=cases,
    module=__name__,
    notebook="13-file-formats.ipynb",
)
