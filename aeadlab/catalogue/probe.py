"""The child process that loads one plugin: ``python -m aeadlab.catalogue.probe PATH``.

It replies ``{"loaded": true}``, or ``{"rejected": reason}`` for a file that is not a plugin. It does not reply if the
plugin crashes, hangs or ends the process.
"""

from __future__ import annotations

import sys

from aeadlab.catalogue import native
from aeadlab.errors import PluginError
from aeadlab.process import Channel


def main() -> None:
    """Load the plugin and report the outcome."""
    channel = Channel()
    try:
        native.plugin(sys.argv[1])
    except PluginError as error:
        channel.reply({"rejected": str(error)})
    else:
        channel.reply({"loaded": True})


if __name__ == "__main__":
    main()
