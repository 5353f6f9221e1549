"""The catalogue: every implementation that this computer can run, and why others are absent."""

from __future__ import annotations

import difflib
import os
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path

from aeadlab.catalogue import adapters, overview, plugins
from aeadlab.catalogue.implementation import Description, Implementation, composed_name, halves
from aeadlab.errors import BuildError, PluginError, UnknownNameError
from aeadlab.kinds import Kind

__all__ = ["Catalogue", "Description", "Implementation", "Kind", "composed_name", "halves", "load", "load_plugin"]


class Catalogue:
    """Implementations by name, gathered when first asked for: linked, plugins, Python libraries.

    Attributes
    ----------
    plugins
        Files and folders of plugins that were given besides those already known.
    absent
        Name of a library or path of a plugin, and why it cannot be used.
    """

    def __init__(self, extra_plugins: Sequence[Path] = ()) -> None:
        self.plugins = tuple(extra_plugins)
        self._absent: dict[str, str] = {}
        self._composed: dict[tuple[str, str], Implementation] = {}

    @cached_property
    def _native(self) -> dict[str, Implementation]:
        try:
            from aeadlab.catalogue import native
        except ImportError as error:
            raise BuildError(f"the compiled extension is missing ({error}): run `make build`") from error
        found: dict[str, Implementation] = {i.name: i for i in native.linked()}
        self._absent.update(plugins.reported_absent())
        taken = set(_adapters())
        for path in plugins.candidates(self.plugins):
            try:
                plugins.probe(path)
                new = native.plugin(str(path))
                if clash := taken & {i.description.library for i in new}:
                    raise PluginError(
                        f"{path} is not a plugin: {clash.pop()} is the name of a library called from Python here; "
                        "give its library another name"
                    )
                self._add(found, new, str(path))
            except PluginError as error:
                self._absent[_place(path)] = str(error)
        return found

    @cached_property
    def _python(self) -> dict[str, Implementation]:
        found: dict[str, Implementation] = {}
        for library, module in _adapters().items():
            try:
                implementations = import_module(module).implementations()
            except ImportError as error:
                self._absent[library] = f"the Python package cannot be imported: {error}"
            else:
                self._add(found, implementations, module)
        return found

    @staticmethod
    def _add(found: dict[str, Implementation], new: Iterable[Implementation], source: str) -> None:
        new = list(new)
        for implementation in new:
            if implementation.name in found:
                raise PluginError(
                    f"{source} is not a plugin: {implementation.name} is already in the catalogue "
                    f"({found[implementation.name].description.origin}); give its library another name"
                )
        found.update({i.name: i for i in new})

    def __iter__(self) -> Iterator[Implementation]:
        yield from self._native.values()
        yield from self._python.values()

    def __len__(self) -> int:
        return len(self._native) + len(self._python)

    def __repr__(self) -> str:
        return overview.as_text(self, self.absent)

    def _repr_html_(self) -> str:
        return overview.as_html(self, self.absent)

    @property
    def absent(self) -> dict[str, str]:
        """Name of a library or path of a plugin, and why it cannot be used."""
        list(self)
        return dict(self._absent)

    def find(self, name: str) -> Implementation:
        """The implementation called `name`, such as ``openssl/aes-256-gcm``.

        Raises
        ------
        aeadlab.errors.UnknownNameError
            If there is none; the message names the nearest ones, or says why its library is absent.
        """
        for group in ("_native", "_python"):
            if name in (found := getattr(self, group)):
                return found[name]  # type: ignore[no-any-return]
        if (parts := halves(name)) is not None:
            return self.compose(*parts)
        library = name.partition("/")[0]
        for place, why in self.absent.items():
            if library == Path(place).stem:
                raise UnknownNameError(f"{name} is absent: {why}")
        if any(i.description.library == name for i in self):
            raise UnknownNameError(
                f"no implementation is called {name!r}, which is a library: `aeadlab list --library {name}` shows its "
                "implementations"
            )
        near = difflib.get_close_matches(name.lower(), [i.name for i in self], n=3, cutoff=0.5)
        hint = f"the nearest: {', '.join(near)}" if near else "`aeadlab list` shows all"
        raise UnknownNameError(f"no implementation is called {name!r}; {hint}")

    def compose(self, cipher: str, mac: str) -> Implementation:
        """The encrypt-then-MAC AEAD of two implementations, made when first asked for.

        Its name is that of both halves: ``cryptopp+openssl/aes-256-ctr+aes-256-gmac``; `find` knows it by that name.

        Raises
        ------
        aeadlab.errors.UnknownNameError
            If one of them does not exist here.
        aeadlab.errors.ArgumentError
            If they do not make a safe AEAD; the message says why.
        """
        if (cipher, mac) not in self._composed:
            from aeadlab.catalogue import native

            self._composed[cipher, mac] = native.composed(self.find(cipher), self.find(mac))
        return self._composed[cipher, mac]

    def select(
        self, kind: str | None = None, library: str | None = None, algorithm: str | None = None
    ) -> list[Implementation]:
        """All implementations of the given kind, library and algorithm; None means any."""
        return [
            i
            for i in self
            if kind in (None, i.description.kind)
            and library in (None, i.description.library)
            and algorithm in (None, i.description.algorithm)
        ]


def _adapters() -> dict[str, str]:
    """Library and module of each Python adapter; none is imported."""
    modules = [m.name for m in pkgutil.iter_modules(adapters.__path__) if m.name != "base"]
    return {name.replace("_", "-"): f"{adapters.__name__}.{name}" for name in modules}


def load_plugin(path: str | os.PathLike[str]) -> list[Implementation]:
    """Make a plugin known to this process: a shared library, or a folder of them.

    Every catalogue made from now on has it, and so have `ParSplit` and `measure`. A plugin is never unloaded: to try
    another build of the same file, start another process.

    Returns
    -------
    list of Implementation
        What the plugin brings. It is not verified yet; `measure` does that before it times.

    Raises
    ------
    aeadlab.errors.PluginError
        If it, or one file of the folder, cannot be used: the message says why, and nothing is made known.
    """
    place = Path(path)
    files = {file.absolute(): None for file in plugins.files(place)}
    if not files:
        raise PluginError(f"{place} holds no plugin: no file of the folder ends in .so")
    catalogue = Catalogue(tuple(files))
    loaded = list(catalogue._native.values())
    for file in files:
        if why := catalogue._absent.get(_place(file)):
            raise PluginError(why)
    plugins.register(files)
    return [i for i in loaded if i.description.origin in set(map(str, files))]


def _place(path: Path) -> str:
    """What a plugin is called where it is absent: the lab's own by name, others by path."""
    return path.stem if path.parent == plugins.BUILT.absolute() else str(path)


def load(plugins: Sequence[Path] = ()) -> Catalogue:
    """The catalogue of this computer, with the plugins (files or folders) given besides those already known."""
    return Catalogue(plugins)
