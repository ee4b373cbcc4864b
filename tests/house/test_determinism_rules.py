# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Find in the compiler what could make the same policy give other bytes.

The linter bans modules such as `platform` and `random`. What it cannot see is
here: the order of a set, which follows addresses and the hash seed, and `hash()`
itself. The check goes by names and annotations within one module; the compared
bytes under several seeds are the proof, and this tells where a mistake came in.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tree import ROOT, project_files

_SET_TYPES = ("set", "frozenset", "AbstractSet", "MutableSet", "Set")
_SET_METHODS = ("union", "intersection", "difference", "symmetric_difference")
# These give the same answer in whatever order they see a set.
_ORDERLESS = (
    "sorted",
    "set",
    "frozenset",
    "len",
    "any",
    "all",
    "sum",
    "min",
    "max",
    "isinstance",
)
_ORDERED = (
    "list",
    "tuple",
    "enumerate",
    "iter",
    "next",
    "zip",
    "map",
    "filter",
    "reversed",
    "join",
    "fromkeys",
    "extend",
    "chain",
)


class _Finder(ast.NodeVisitor):
    """Collect the lines where a set is walked in its own order."""

    def __init__(self) -> None:
        self.sets: set[str] = set()
        self.lines: list[int] = []
        self._orderless: set[ast.AST] = set()

    def is_set(self, node: ast.AST) -> bool:
        match node:
            case ast.Set() | ast.SetComp():
                return True
            case ast.Call(func=ast.Name(id="set" | "frozenset")):
                return True
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                return attr in _SET_METHODS and self.is_set(value)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name in self.sets
            case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub()):
                return self.is_set(left)
        return False

    def learn(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            match node:
                case ast.arg(arg=name, annotation=annotation) if annotation:
                    self._annotated(name, annotation)
                case ast.AnnAssign(target=target, annotation=annotation):
                    self._annotated(getattr(target, "id", ""), annotation)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    if self.is_set(value):
                        self.sets.add(name)

    def _annotated(self, name: str, annotation: ast.AST) -> None:
        base = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        if getattr(base, "id", getattr(base, "attr", "")) in _SET_TYPES and name:
            self.sets.add(name)

    def visit_For(self, node: ast.For) -> None:
        self._walked(node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        if node not in self._orderless:
            self._walked(node.iter)
        self.generic_visit(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._orderless.update(node.generators)
        self.generic_visit(node)

    def visit_Starred(self, node: ast.Starred) -> None:
        self._walked(node.value)
        self.generic_visit(node)

    def visit_Set(self, node: ast.Set) -> None:
        for element in node.elts:
            self.visit(element.value if isinstance(element, ast.Starred) else element)

    def visit_Call(self, node: ast.Call) -> None:
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name == "hash" and isinstance(node.func, ast.Name):
            self.lines.append(node.lineno)
        if name == "pop" and isinstance(node.func, ast.Attribute):
            self._walked(node.func.value)
        if name in _ORDERED:
            for argument in node.args:
                self._walked(argument)
        if name in _ORDERLESS:
            for argument in node.args:
                if isinstance(argument, ast.GeneratorExp | ast.ListComp):
                    self._orderless.update(argument.generators)
        self.generic_visit(node)

    def _walked(self, node: ast.AST) -> None:
        if self.is_set(node):
            self.lines.append(getattr(node, "lineno", 0))


def find(text: str) -> list[int]:
    tree = ast.parse(text)
    finder = _Finder()
    finder.learn(tree)
    finder.visit(tree)
    return finder.lines


def _compiler_modules() -> list[Path]:
    return [
        path
        for path in project_files("compiler")
        if path.suffix == ".py" and "/stockade/cli/" not in path.as_posix()
    ]


def test_compiler_walks_no_set_and_asks_for_no_hash() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in _compiler_modules()
        for line in find(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "for x in {1, 2}: pass",
        "s = set()\nfor x in s: pass",
        "def f(s: frozenset[int]) -> list[int]:\n    return [x for x in s]",
        "class C:\n    names: set[str]\n\ndef f(c): return list(c.names)",
        "s = {1}\nt = s | {2}\n','.join(t)",
        "s = {1}\nf(*s)",
        "s = {1}\ns.pop()",
        "key = hash('a')",
    ],
)
def test_finder_sees_what_it_should(text: str) -> None:
    assert find(text) != []


@pytest.mark.parametrize(
    "text",
    [
        "s = {1}\nfor x in sorted(s): pass",
        "s = {1}\nt = {x + 1 for x in s}",
        "s = {1}\nt = {*s, 2}",
        "s = {1}\nok = any(x for x in s)",
        "s = {1}\nif 1 in s: pass",
        "d = {1: 2}\nfor x in d: d.pop(x)",
    ],
)
def test_finder_lets_the_rest_be(text: str) -> None:
    assert find(text) == []
