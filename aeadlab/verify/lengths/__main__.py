"""The child process that answers questions: ``python -m aeadlab.verify.lengths PLUGIN...``."""

from __future__ import annotations

import sys
from pathlib import Path

from aeadlab.catalogue import load
from aeadlab.process import Channel
from aeadlab.verify.lengths.question import Question, answer


def main() -> None:
    """Answer one question for each request."""
    channel = Channel()
    catalogue = load([Path(plugin) for plugin in sys.argv[1:]])
    for request in channel.requests():
        question = Question(**request["question"])
        channel.reply(answer(catalogue.find(request["implementation"]), question).as_dict())


if __name__ == "__main__":
    main()
