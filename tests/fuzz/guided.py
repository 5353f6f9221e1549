"""``python -m tests.fuzz.guided TARGET SECONDS``: change inputs with libFuzzer, guided by coverage of the Python code.

A process of its own for each target, because libFuzzer ends it. Inputs with new coverage are kept while it runs only:
most of them belong to the keys of this process.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import atheris

FOLDER = Path("build/fuzz")


def main(name: str, seconds: str) -> None:
    """Fuzz a target; end the process, with status 0 if no input failed."""
    # Here and not above, and around the whole run: modules that are imported later are guided, too.
    with atheris.instrument_imports(include=["aeadlab"]):
        from tests.fuzz.targets import TARGETS

        target = TARGETS[name]()
        corpus = FOLDER / "guided" / name
        shutil.rmtree(corpus, ignore_errors=True)
        corpus.mkdir(parents=True)
        for number, octets in enumerate(target.seeds):
            (corpus / f"seed-{number}").write_bytes(octets)
        words = corpus.with_suffix(".words")
        escaped = ("".join(rf"\x{octet:02x}" for octet in word) for word in target.words)
        words.write_text("".join(f'"{word}"\n' for word in escaped))
        options = {
            "max_total_time": seconds,
            "timeout": 60,
            "dict": words,
            "artifact_prefix": f"{FOLDER}/{name}-",
            "print_final_stats": 1,
        }
        flags = [f"-{option}={value}" for option, value in options.items()]
        atheris.Setup(["tests.fuzz.guided", *flags, str(corpus)], target.check)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
