"""The catalogue: all implementations available on this computer, and the reasons why others are absent."""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path

from aeadlab.catalogue import adapters, plugins
from aeadlab.catalogue.implementation import Description, Implementation
from aeadlab.catalogue.kinds import Kind
from aeadlab.catalogue.names import composition_name, composition_parts
from aeadlab.display.nearest import nearest
from aeadlab.display.printable import printable
from aeadlab.errors import BuildError, PluginError, UnknownNameError

__all__ = [
    "Catalogue",
    "Description",
    "Implementation",
    "Kind",
    "composition_name",
    "composition_parts",
    "load",
    "load_plugin",
]


class Catalogue:
    """The implementations of linked libraries, plugins and Python libraries, loaded at first use.

    Attributes
    ----------
    plugins
        Files and folders of plugins in addition to the built and registered ones.
    absent
        Name of a library or path of a plugin, and the reason why it is not available.
    """

    def __init__(self, extra_plugins: Sequence[Path] = ()) -> None:
        self.plugins = tuple(extra_plugins)
        self._absent: dict[str, str] = {}
        self._compositions: dict[tuple[str, str], Implementation] = {}
        self._loaded: dict[Path | str, Sequence[Implementation]] = {}
        self._found: dict[str, Implementation] = {}

    @cached_property
    def _native(self) -> dict[str, Implementation]:
        implementations: dict[str, Implementation] = {i.name: i for i in self._linked}
        self._absent.update(plugins.reported_absent())
        python_libraries = set(_adapters())
        for path in plugins.candidates(self.plugins):
            try:
                new = self._plugin(path)
                if conflicts := python_libraries & {i.description.library for i in new}:
                    raise PluginError(
                        f"{path} cannot be used as a plugin: a library called from Python has the name "
                        f"{conflicts.pop()}; give its library another name"
                    )
                self._add(implementations, new, str(path))
            except PluginError as error:
                self._absent[_label(path)] = printable(str(error))
        return implementations

    @cached_property
    def _linked(self) -> Sequence[Implementation]:
        try:
            from aeadlab.catalogue import native
        except ImportError as error:
            raise BuildError(f"the compiled extension is missing ({error}): run `make build`") from error
        return native.linked()

    def _plugin(self, path: Path) -> Sequence[Implementation]:
        """Return the implementations of a plugin, the same objects at each call."""
        from aeadlab.catalogue import native

        if path not in self._loaded:
            plugins.probe(path)
            self._loaded[path] = native.plugin(str(path))
        return self._loaded[path]

    def _adapter(self, module: str) -> Sequence[Implementation]:
        """Return the implementations of a Python adapter, the same objects at each call."""
        if module not in self._loaded:
            self._loaded[module] = import_module(module).implementations()
        return self._loaded[module]

    @cached_property
    def _python(self) -> dict[str, Implementation]:
        implementations: dict[str, Implementation] = {}
        for library, module in _adapters().items():
            try:
                new = self._adapter(module)
            except Exception as error:
                # A package that is damaged, or that another module hides, raises any exception.
                self._absent[library] = printable(f"the Python package cannot be imported: {error}")
            else:
                self._add(implementations, new, module)
        return implementations

    def _alone(self, name: str) -> Implementation | None:
        """Return an implementation of a linked library, a plugin of the lab, or an adapter; None if there is none.

        Only the file with the library's name is loaded, because a worker process needs few of them.
        """
        library = name.partition("/")[0]
        groups: list[Callable[[], Sequence[Implementation]]] = [lambda: self._linked]
        if (built := (plugins.BUILT / f"{library}.so").absolute()).is_file():
            groups.append(lambda: self._plugin(built))
        if library in (adapter := _adapters()):
            groups.append(lambda: self._adapter(adapter[library]))
        for group in groups:
            # The reason for an absence, which can be any exception, is stored when all are loaded.
            with suppress(Exception):
                for implementation in group():
                    if implementation.name == name:
                        return implementation
        return None

    @staticmethod
    def _add(implementations: dict[str, Implementation], new: Sequence[Implementation], source: str) -> None:
        for implementation in new:
            if implementation.name in implementations:
                raise PluginError(
                    f"{source} cannot be used as a plugin: {implementation.name} is already in the catalogue "
                    f"({implementations[implementation.name].description.origin}); give its library another name"
                )
        implementations.update({i.name: i for i in new})

    def __iter__(self) -> Iterator[Implementation]:
        yield from self._native.values()
        yield from self._python.values()

    def __len__(self) -> int:
        return len(self._native) + len(self._python)

    def __repr__(self) -> str:
        from aeadlab.catalogue import summary

        return summary.as_text(self, self.absent)

    def _repr_html_(self) -> str:
        from aeadlab.catalogue import summary

        return summary.as_html(self, self.absent)

    @property
    def absent(self) -> dict[str, str]:
        """Name of a library or path of a plugin, and the reason why it is not available."""
        list(self)
        return dict(self._absent)

    def find(self, name: str) -> Implementation:
        """Return the implementation called `name`, such as ``openssl/aes-256-gcm``.

        Raises
        ------
        aeadlab.errors.UnknownNameError
            If there is none; the message contains the nearest names, or the reason why its library is absent.
        aeadlab.errors.ArgumentError
            If it is the name of a composition whose parts form no secure AEAD; see `aeadlab.compose`.
        """
        if (found := self._found.get(name) or self._alone(name)) is not None:
            self._found[name] = found
            return found
        for group in ("_native", "_python"):
            if name in (implementations := getattr(self, group)):
                return implementations[name]  # type: ignore[no-any-return]
        if (parts := composition_parts(name)) is not None:
            return self.compose(*parts)
        library = name.partition("/")[0]
        for label, reason in self.absent.items():
            if library == Path(label).stem:
                raise UnknownNameError(f"{name} is absent: {reason}")
        # The name of a file need not be that of its library.
        given = [reason for label, reason in self.absent.items() if os.sep in label]
        if any(i.description.library == name for i in self):
            raise UnknownNameError(
                f"no implementation is called {name!r}, which is a library: `aeadlab list --library {name}` lists its "
                "implementations"
            )
        hint = nearest(name, [i.name for i in self])
        absent = f"; absent plugins: {'; '.join(given[:3])}" + f" and {len(given) - 3} more" * (len(given) > 3)
        raise UnknownNameError(f"no implementation is called {name!r}; {hint}{absent if given else ''}")

    def compose(self, cipher: str, mac: str) -> Implementation:
        """Return the encrypt-then-MAC AEAD of two implementations, the same object at each call.

        Its name consists of both names, such as ``cryptopp+openssl/aes-256-ctr+aes-256-gmac``; `find` accepts it.
        Errors are those of `aeadlab.compose`.
        """
        if (cipher, mac) not in self._compositions:
            from aeadlab.catalogue import native

            self._compositions[cipher, mac] = native.compose(self.find(cipher), self.find(mac))
        return self._compositions[cipher, mac]

    def select(
        self, kind: str | None = None, library: str | None = None, algorithm: str | None = None
    ) -> list[Implementation]:
        """Return all implementations of a kind, library and algorithm; None selects any."""
        return [
            i
            for i in self
            if kind in (None, i.description.kind)
            and library in (None, i.description.library)
            and algorithm in (None, i.description.algorithm)
        ]


def _adapters() -> dict[str, str]:
    """Return library and module of each Python adapter without importing it."""
    modules = [m.name for m in pkgutil.iter_modules(adapters.__path__) if m.name != "base"]
    return {name.replace("_", "-"): f"{adapters.__name__}.{name}" for name in modules}


def load_plugin(path: str | os.PathLike[str]) -> list[Implementation]:
    """Register a plugin in this process: a shared library, or a folder of them.

    All later catalogues contain it, including those of `ParSplit` and `measure`. A plugin is never unloaded: to load
    another build of the same file, start another process.

    Returns
    -------
    list of Implementation
        The implementations of the plugin. They are not verified yet; `measure` verifies them before it times them.

    Raises
    ------
    aeadlab.errors.PluginError
        If a file cannot be used; the message states the reason, and nothing is registered.
    """
    files = {file.absolute(): None for file in plugins.files(Path(path))}
    if not files:
        raise PluginError(f"{path} contains no plugin: no file of the folder ends in .so")
    catalogue = Catalogue(tuple(files))
    loaded = list(catalogue._native.values())
    for file in files:
        if reason := catalogue._absent.get(_label(file)):
            raise PluginError(reason)
    plugins.register(files)
    return [i for i in loaded if i.description.origin in set(map(str, files))]


def _label(path: Path) -> str:
    """Return the key of a plugin in `Catalogue.absent`: its name if it belongs to the lab, else its path."""
    return path.stem if path.parent == plugins.BUILT.absolute() else printable(str(path))


def load(plugins: Sequence[Path] = ()) -> Catalogue:
    """Return the catalogue of this computer, including the given plugins (files or folders)."""
    return Catalogue(plugins)
