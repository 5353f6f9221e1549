"""``aeadlab/_native.pyi`` declares exactly the members of the compiled extension.

``python -m mypy.stubtest aeadlab._native`` makes the same checks, but takes fifteen seconds.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab import _native

STUB = ast.parse((Path(_native.__file__).parent / "_native.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CONSTANTS = {
    node.target.id
    for node in STUB.body
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_")
}
# Attributes that every class inherits or receives from the interpreter.
COMMON = {*dir(object), "__module__"}


def decorated(node: ast.ClassDef | ast.FunctionDef, name: str) -> bool:
    return any(isinstance(d, ast.Name) and d.id == name for d in node.decorator_list)


def members(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """Return the methods by name; of an overloaded one the last declaration."""
    return {member.name: member for member in node.body if isinstance(member, ast.FunctionDef)}


def declared(node: ast.FunctionDef) -> list[tuple[str, bool, bool]]:
    """Return the name of each argument except self and cls, whether it has a default, and whether it is keyword-only.

    The overloads of a method end with one in which `out`, which has a default, must be given by name.
    """
    if node.args.vararg:
        return [(node.args.vararg.arg, False, False)]
    first = len(node.args.args) - len(node.args.defaults)
    named = [(argument.arg, i >= first, False) for i, argument in enumerate(node.args.args)]
    overloaded = decorated(node, "overload")
    pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    named += [(argument.arg, default is not None or overloaded, not overloaded) for argument, default in pairs]
    return [argument for argument in named if argument[0] not in ("self", "cls")]


def actual(call: Callable[..., object]) -> list[tuple[str, bool, bool]]:
    empty, keyword = inspect.Parameter.empty, inspect.Parameter.KEYWORD_ONLY
    parameters = [p for p in inspect.signature(call).parameters.values() if p.name != "self"]
    return [(p.name, p.default is not empty, p.kind is keyword) for p in parameters]


def test_names_of_the_module_agree() -> None:
    assert {*CLASSES, *FUNCTIONS, *CONSTANTS} == {name for name in dir(_native) if not name.startswith("_")}
    assert sorted(_native.__all__) == sorted({*CLASSES, *FUNCTIONS, *CONSTANTS})
    (listed,) = (node.value for node in STUB.body if isinstance(node, ast.Assign))
    assert sorted(ast.literal_eval(listed)) == sorted(_native.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_of_functions_agree(name: str) -> None:
    assert declared(FUNCTIONS[name]) == actual(getattr(_native, name))


@pytest.mark.parametrize("name", CLASSES)
def test_members_of_classes_agree(name: str) -> None:
    stub, real = members(CLASSES[name]), getattr(_native, name)
    if decorated(CLASSES[name], "final"):
        with pytest.raises(TypeError, match="not an acceptable base type"):
            type("Sub", (real,), {})
    else:
        assert issubclass(type("Sub", (real,), {}), real)
    # The module copyreg adds the last one to a class when somebody tries to copy an object.
    assert set(stub) - {"__new__"} == set(dir(real)) - COMMON - {"__slotnames__"}
    for member, node in stub.items():
        if decorated(node, "property"):
            assert inspect.isgetsetdescriptor(getattr(real, member)), member
        else:
            assert declared(node) == actual(real if member == "__new__" else getattr(real, member)), member


@pytest.mark.parametrize("name", [name for name in CLASSES if "__new__" not in members(CLASSES[name])])
def test_classes_without_a_declared_constructor_have_none(name: str) -> None:
    with pytest.raises(TypeError, match="cannot create|No constructor"):
        getattr(_native, name)()


def test_properties_have_their_declared_types() -> None:
    algorithm = _native.linked()[0]
    engine = next(_native.ParSplit(a, 64, 1, "dynamic", None) for a in _native.linked() if a.kind == "aead")
    types = {"str": str, "int": int, "list[str]": list}
    for instance in (algorithm, engine):
        for name, node in members(CLASSES[type(instance).__name__]).items():
            if decorated(node, "property"):
                assert node.returns is not None
                assert type(getattr(instance, name)) is types[ast.unparse(node.returns)], name
