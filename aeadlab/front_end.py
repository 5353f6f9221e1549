"""Who looks at this process: a notebook's front end that can show widgets, or nobody."""

from __future__ import annotations

import os
import sys

WIDGETS = "AEADLAB_WIDGETS"
"""Environment variable: ``0`` for no widgets, ``1`` for widgets; unset, it is found out."""


def in_notebook() -> bool:
    """Whether this process is a notebook's kernel; IPython in a terminal is none, and the package may be loaded."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def shows_widgets() -> bool:
    """Whether somebody looks at this notebook who can use widgets.

    A kernel cannot ask its front end. But a Jupyter server tells each kernel that it starts for a page the name of that
    page, and Visual Studio Code puts the notebook's path among its variables; papermill, nbclient and nbconvert do
    neither. Where that is wrong, `WIDGETS` decides.
    """
    if told := os.environ.get(WIDGETS):
        return told != "0"
    if not in_notebook():
        return False
    return "JPY_SESSION_NAME" in os.environ or "__vsc_ipynb_file__" in sys.modules["IPython"].get_ipython().user_ns
