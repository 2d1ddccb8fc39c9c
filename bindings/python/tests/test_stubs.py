"""The stubs say what the module has: every name, and the words of every docstring."""

import ast
import pathlib

import toolstream_rs
from toolstream_rs import _toolstream

STUB = pathlib.Path(_toolstream.__file__).with_name("_toolstream.pyi")
# What Python itself adds to a class; and what has no text of its own.
SILENT = {"__new__", "__hash__", "__copy__", "__deepcopy__", "__match_args__", "type"}


def words(text):
    return (text or "").replace("`", "").split()


def public(owner):
    return {name for name in vars(owner) if not name.startswith("_")}


def members(node, classes):
    """The members of a class, and of its bases in the stub."""
    names = {}
    for base in node.bases:
        names |= members(classes[base.id], classes) if base.id in classes else {}
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.ClassDef)):
            names[item.name] = ast.get_docstring(item)
        elif isinstance(item, ast.AnnAssign):
            names[item.target.id] = None
    return names


def test_names_and_docs_are_the_same():
    tree = ast.parse(STUB.read_text())
    stubbed = {item.name: item for item in tree.body if isinstance(item, (ast.FunctionDef, ast.ClassDef))}
    assert {name for name in stubbed if not name.startswith("_")} == public(_toolstream)
    for name in public(_toolstream):
        item = stubbed[name]
        real = getattr(_toolstream, name)
        assert words(ast.get_docstring(item)) == words(real.__doc__), name
        if isinstance(item, ast.ClassDef):
            documented = members(item, stubbed)
            assert {member for member in documented if not member.startswith("_")} == public(real), name
            for member, doc in documented.items():
                if member not in SILENT:
                    assert words(doc) == words(getattr(real, member).__doc__), (name, member)


def test_the_package_has_all_of_it():
    assert set(toolstream_rs.__all__) == public(_toolstream) - {"start_of_prompt"} | {"Delta", "Event", "Start"}
    assert all(hasattr(toolstream_rs, name) for name in toolstream_rs.__all__)
