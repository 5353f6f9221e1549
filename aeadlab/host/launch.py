"""The first code of a child process, which chooses where modules come from, sets limits, and then runs a module.

`aeadlab.process.Child` runs this file in an isolated interpreter: ``python -I FILE -m MODULE ARGUMENT...``. Such an
interpreter imports nothing from the current folder and nothing that PYTHONPATH puts in front of the standard library.
The settings are JSON in an environment variable, so that another command can take the place of the interpreter.

The command line imports this module before the current folder is removed from its search path. Further modules are
therefore imported inside the functions.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable, Mapping

VARIABLE = "AEADLAB_CHILD"
"""Environment variable with the settings: the path, the limits and the parent."""

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Apply the settings and run the module of the command line."""
    import json
    import runpy

    settings = json.loads(os.environ[VARIABLE])
    end_with(settings["parent"])
    set_limits(settings["limits"])
    extend_path(settings["path"])
    import_package(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    # Leave MODULE ARGUMENT... of FILE -m MODULE ARGUMENT...
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def end_with(parent: int) -> None:
    """Have the kernel end this process when the parent's thread that started it ends, and end now if it has ended.

    On systems other than Linux the process ends when it next waits for a request or reports progress.
    """
    if sys.platform == "linux":
        import ctypes

        # SIGTERM, because a worker that is stopped keeps the machine lock until it continues.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(f"its parent, process {parent}, has ended")


def set_limits(limits: Mapping[str, int]) -> None:
    """Set resource limits by the names of module `resource`, unless lower ones apply already.

    A process with limits is also the first one that Linux ends when the computer runs out of memory.
    """
    if not limits:
        return
    import resource

    for name, value in limits.items():
        number = getattr(resource, name)
        lowest = min([value, *(limit for limit in resource.getrlimit(number) if limit != resource.RLIM_INFINITY)])
        # Sanitizers reserve terabytes of data at the start; below that, every further allocation would fail.
        if name != "RLIMIT_DATA" or _data_bytes() < lowest:
            resource.setrlimit(number, (lowest, lowest))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def _data_bytes() -> int:
    """Return the bytes that count towards RLIMIT_DATA; 0 where they are unknown."""
    with contextlib.suppress(OSError), open("/proc/self/status", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0


def is_current_folder(entry: str) -> bool:
    """Return whether an entry of `sys.path` is the current folder, which ``""`` stands for."""
    try:
        return not entry or os.path.samefile(entry, os.curdir)
    except OSError:
        return False


def extend_path(entries: Iterable[str]) -> None:
    """Append the parent's entries, so that the standard library and installed packages take precedence."""
    sys.path += [entry for entry in entries if entry not in sys.path]


def import_package(folder: str) -> None:
    """Import the package of this file, whatever other package of its name `sys.path` contains."""
    import importlib.util

    file = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location("aeadlab", file, submodule_search_locations=[folder])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    main()
