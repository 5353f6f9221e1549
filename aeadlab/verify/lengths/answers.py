"""Answers of many implementations, computed in child processes and cached with the identity of the code."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import TypeAlias

from aeadlab import paths
from aeadlab.catalogue.implementation import Implementation
from aeadlab.host.cores import process_cores
from aeadlab.host.limits import available_memory, for_unverified_code
from aeadlab.process import POLL_SECONDS, UNCHANGED, Child
from aeadlab.verify.cached import Codes
from aeadlab.verify.lengths.question import Answer, Question, memory

Asked: TypeAlias = tuple[Implementation, Question]

LONG = 64 << 20
"""Length in bytes from which only one process answers at a time, because of its memory."""
_SPARE = 1 << 29
_LEAST_SECONDS = 120.0
_BYTES_PER_SECOND = 2e6
"""Speed of the slowest cipher with its digest."""


class Answers:
    """Answers to questions.

    Parameters
    ----------
    environment
        Variables that hide CPU features, with which the implementations run.
    fresh
        Ignore cached answers.
    poll
        Called several times each second while questions are asked; an exception of it ends the children.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = UNCHANGED,
        *,
        fresh: bool = False,
        poll: Callable[[], object] = lambda: None,
    ) -> None:
        self._environment = environment
        self._poll = poll
        self._codes = Codes()
        self._fresh = fresh
        self._known: dict[Implementation, dict[Question, Answer]] = {}

    def get(self, asked: Iterable[Asked], done: Callable[[Asked], object]) -> dict[Asked, Answer]:
        """Return the answer to each question; `done` is called for each of them."""
        asked = list(dict.fromkeys(asked))
        unknown = [pair for pair in asked if pair[1] not in self._stored(pair[0])]
        for pair in set(asked).difference(unknown):
            done(pair)
        groups: dict[tuple[str, ...], list[Asked]] = defaultdict(list)
        for implementation, question in unknown:
            groups[implementation.description.plugin_files].append((implementation, question))
        one_at_a_time = any(question.bytes >= LONG for _, question in unknown)

        stop = Event()

        def keep(pair: Asked, answer: Answer) -> None:
            self._known[pair[0]][pair[1]] = answer
            done(pair)

        def run(plugins: tuple[str, ...]) -> None:
            _answer(sorted(groups[plugins], key=_order), plugins, self._environment, keep, stop)

        try:
            with ThreadPoolExecutor(1 if one_at_a_time else process_cores()) as processes:
                running = [processes.submit(run, plugins) for plugins in groups]
                try:
                    while wait(running, POLL_SECONDS, FIRST_EXCEPTION).not_done:
                        self._poll()
                        if any(future.done() and future.exception() for future in running):
                            break
                    for future in running:
                        future.result()
                except BaseException:
                    # The children do not receive an interrupt, and could run for minutes.
                    stop.set()
                    processes.shutdown(wait=False, cancel_futures=True)
                    raise
        finally:
            # Also after an interrupt, so that the same command resumes.
            for implementation in dict.fromkeys(pair[0] for pair in unknown):
                self._store(implementation)
        return {pair: self._known[pair[0]][pair[1]] for pair in asked}

    def _stored(self, implementation: Implementation) -> dict[Question, Answer]:
        if implementation not in self._known:
            self._known[implementation] = {} if self._fresh else self._read(implementation)
        return self._known[implementation]

    def _read(self, implementation: Implementation) -> dict[Question, Answer]:
        try:
            stored = json.loads(self._path(implementation).read_text(encoding="utf-8"))
            if stored["identity"] != self._codes.examination(implementation, self._environment):
                return {}
            return {Question(**question): Answer.from_dict(answer) for question, answer in stored["answers"]}
        except (OSError, ValueError, LookupError, TypeError):
            return {}

    def _store(self, implementation: Implementation) -> None:
        """Store the digests: a fault or a lack of memory may have another cause than the implementation."""
        digests = {q: a for q, a in self._known[implementation].items() if a.digest}
        answers = [(asdict(question), answer.as_dict()) for question, answer in sorted(digests.items())]
        identity = self._codes.examination(implementation, self._environment)
        paths.write_cache(self._path(implementation), json.dumps({"identity": identity, "answers": answers}))

    def _path(self, implementation: Implementation) -> Path:
        suffix = "".join(f" {name}={value}" for name, value in sorted(self._environment.items())).replace("/", " ")
        return paths.cache() / "lengths" / f"{implementation.name.replace('/', ' ')}{suffix}.json"


def _order(pair: Asked) -> tuple[str, Question]:
    return pair[0].name, pair[1]


def _answer(
    asked: list[Asked],
    plugins: tuple[str, ...],
    environment: Mapping[str, str],
    keep: Callable[[Asked, Answer], object],
    stop: Event,
) -> None:
    """Ask child processes, the next of which starts when one has ended by a fault; return early after a stop."""
    answered = 0
    while left := asked[answered:]:
        is_long = any(question.bytes >= LONG for _, question in left)
        # Half of the memory is too little for 4 GiB where a library copies the message.
        limits = for_unverified_code(sum(map(_seconds, left)), available_memory() * 9 // 10 if is_long else 0)
        with Child("aeadlab.verify.lengths", plugins, environment=environment, limits=limits) as child:
            for pair in left:
                answer, ended = _ask(child, pair, stop)
                if stop.is_set():
                    return
                answered += 1
                keep(pair, answer)
                if ended:
                    break


def _ask(child: Child, pair: Asked, stop: Event) -> tuple[Answer, bool]:
    """Return the answer, and whether the child has ended."""
    implementation, question = pair
    needed, available = memory(implementation, question) + _SPARE, available_memory()
    if question.bytes >= LONG and needed > available:
        text = f"it needs {needed / 2**30:.1f} GiB of memory, {available / 2**30:.1f} GiB are available"
        return Answer(skipped=f"{text}: end other programs or use a computer with more memory"), False
    seconds = _seconds(pair)
    try:
        reply = child.request({"implementation": implementation.name, "question": asdict(question)}, seconds, stop)
        if reply is not None:
            return Answer.from_dict(reply), False
        ending = child.kill() if stop.is_set() else child.end(seconds)
    except TimeoutError:
        return Answer(fault=f"it hangs (over {seconds:.0f} s)"), True
    except (LookupError, TypeError, ValueError):
        return Answer(fault="it disturbs the process that runs it"), True
    if ending.signal == "SIGKILL" and question.bytes >= LONG:
        return Answer(skipped="its process was killed, probably for lack of memory"), True
    return Answer(fault=f"it crashes ({ending.cause})" if ending.crashed else f"its process {ending.summary}"), True


def _seconds(pair: Asked) -> float:
    return _LEAST_SECONDS + pair[1].bytes / _BYTES_PER_SECOND
