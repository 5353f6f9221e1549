"""The child process that examines implementations: ``python -m aeadlab.verify PLUGIN...``.

It loads the plugins and replies to each ``{"examine": name}`` with an examination. Buffers lie between
guard pages, and inputs are read-only.
"""

from __future__ import annotations

import sys
from pathlib import Path

from aeadlab import _native
from aeadlab.catalogue import load
from aeadlab.process import Channel
from aeadlab.verify.verification import examine


def main() -> None:
    """Examine one implementation for each request."""
    channel = Channel()
    catalogue = load([Path(plugin) for plugin in sys.argv[1:]])
    _native.guard_buffers()
    for request in channel.requests():
        channel.reply(examine(catalogue.find(request["examine"])).as_dict())


if __name__ == "__main__":
    main()
