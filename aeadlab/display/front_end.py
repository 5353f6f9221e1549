"""The front end of this process: a notebook that can show widgets, or none."""

from __future__ import annotations

import os
import sys

WIDGETS = "AEADLAB_WIDGETS"
"""Environment variable: ``0`` disables widgets and ``1`` enables them; by default they are detected."""


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook; IPython in a terminal is not."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def shows_widgets() -> bool:
    """Return whether the front end of this notebook can show widgets.

    A kernel has no means to query its front end. A Jupyter server, however, passes the name of the page to each kernel
    that it starts for one, and Visual Studio Code defines a variable with the notebook's path; papermill, nbclient and
    nbconvert do neither. The environment variable `WIDGETS` overrides the detection.
    """
    if setting := os.environ.get(WIDGETS):
        return setting != "0"
    if not in_notebook():
        return False
    return "JPY_SESSION_NAME" in os.environ or "__vsc_ipynb_file__" in sys.modules["IPython"].get_ipython().user_ns
