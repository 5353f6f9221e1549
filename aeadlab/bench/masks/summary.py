"""The effects of masks on this computer, as text and for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from aeadlab.bench.masks import verification
from aeadlab.bench.masks.effect import Effect
from aeadlab.bench.masks.masks import MASKS
from aeadlab.bench.masks.switches import switches
from aeadlab.catalogue import Catalogue, load, patterns
from aeadlab.display.terminal import fill

ALGORITHMS: Final = ("aes-256-gcm", "chacha20-poly1305", "sha-256", "memcpy")
"""The algorithms of the default implementations, for which libraries have the most code paths."""
_LEGEND: Final = (
    "Numbers: time for 64 KiB with the mask over time without. = no effect, - the library's switch does not cover the "
    "feature. With a NAME, each effect is described in words."
)


@dataclass(frozen=True)
class Survey:
    """The effects of masks.

    Attributes
    ----------
    effects
        The effects on each implementation, by its name.
    without_switch
        The reason for each library that has no feature switch, by its name.
    detailed
        Whether the text describes each effect in words instead of a table of time ratios.
    """

    effects: Mapping[str, Sequence[Effect]]
    without_switch: Mapping[str, str]
    catalogue: Catalogue
    detailed: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the content for JSON."""
        rows = [effect.as_dict() for effects in self.effects.values() for effect in effects]
        return {"effects": rows, "untold": self.without_switch}

    def as_text(self) -> str:
        """Return the masks, their effects, and the libraries without a switch, in at most 80 columns."""
        effects = self._details() if self.detailed else self._table()
        reasons = "\n".join(map(fill, self.without_switch.values()))
        return "\n\n".join(block for block in (self._masks(), effects, reasons) if block)

    def _masks(self) -> str:
        names = dict.fromkeys(effect.mask for effects in self.effects.values() for effect in effects)
        lines = ["mask       hidden features, and the remaining code"] * bool(names)
        for mask in (MASKS[name] for name in names):
            lines.append(fill(f"{mask.name:<9}  {', '.join(mask.hides) or '-'}: {mask.meaning}", " " * 11))
        return "\n".join(lines)

    def _details(self) -> str:
        blocks = []
        for name, effects in self.effects.items():
            lines = [fill(f"  {effect.mask:<9}  {effect.summary}", " " * 13) for effect in effects]
            blocks.append("\n".join([name, *lines]))
        return "\n\n".join(blocks)

    def _table(self) -> str:
        """Return a table with a column for each mask and a row for each implementation, grouped by library."""
        if not self.effects:
            return ""
        masks = [effect.mask for effect in next(iter(self.effects.values()))]
        # The names of masks are wider than the columns, so that their common prefix is in a line of its own.
        prefixes = ["no-" if mask.startswith("no-") else "" for mask in masks]
        lines = [_row("", prefixes), _row("", [mask.removeprefix("no-") for mask in masks])]
        notes = []
        for library in sorted({name.split("/")[0] for name in self.effects}):
            rows = {name: effects for name, effects in self.effects.items() if name.split("/")[0] == library}
            variables = (switch.variable for name in rows for switch in switches(self.catalogue.find(name)))
            lines.append(f"{library} ({', '.join(dict.fromkeys(variables))})")
            for name, effects in rows.items():
                lines.append(_row(f" {name.split('/')[1]}", [_cell(effect) for effect in effects]))
                notes += [f"! {name}: {effect.why_none}" for effect in effects if _cell(effect) == "!"]
        return "\n".join([*lines, fill(_LEGEND, ""), *map(fill, notes)])


def survey_masks(names: Sequence[str] = (), masks: Sequence[str] | None = None, plugins: Sequence[Path] = ()) -> Survey:
    """Measure the effects of masks.

    Parameters
    ----------
    names
        Implementations, algorithms or globs; an empty sequence selects those of `ALGORITHMS` in all libraries.
    masks
        Names of masks; None means all but the control.
    plugins
        Files or folders with plugins in addition to the default ones.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such implementation or mask.
    aeadlab.errors.ArgumentError
        If the environment of this process hides features already.
    aeadlab.errors.BusyError
        If another process measures on this machine.
    """
    catalogue = load(plugins)
    selected = patterns.select(catalogue, names)
    selected = selected or [i for algorithm in ALGORITHMS for i in catalogue.select(algorithm=algorithm)]
    effects, without_switch = verification.survey(selected, catalogue, masks)
    return Survey(effects, without_switch, catalogue, detailed=bool(names))


def _row(head: str, cells: Sequence[str]) -> str:
    return f"{head:<18}{' '.join(f'{cell:>6}' for cell in cells)}"


def _cell(effect: Effect) -> str:
    if effect.ratios and effect.outcome == "effect":
        return f"{median(effect.ratios):.2f}"
    return {"no switch": "-", "no effect": "="}.get(effect.outcome, "!")
