"""The stubs say what the module has: every name, and the words of every docstring."""

import ast
import importlib.metadata
import pathlib
import re

import toolstream_rs
from toolstream_rs import _toolstream

STUB = pathlib.Path(_toolstream.__file__).with_name("_toolstream.pyi")
# Members that Python itself adds to a class, or that have no text of their own.
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
    assert set(toolstream_rs.__all__) == public(_toolstream) - {"start_of_prompt"} | {"Delta", "Event", "Start", "__version__"}
    assert all(hasattr(toolstream_rs, name) for name in toolstream_rs.__all__)


def test_every_option_is_told_with_its_default():
    """In the stub's signature, in the docstring and in the README: those that the parser itself names."""
    try:
        toolstream_rs.Parser("hermes", zzz=0)
    except ValueError as error:
        known = str(error).split(": the options are ")[1].split(", ")
    stubbed = {item.name: item for item in ast.parse(STUB.read_text()).body if isinstance(item, ast.ClassDef)}
    (new,) = (item for item in stubbed["Parser"].body if getattr(item, "name", None) == "__new__")
    named = zip(new.args.kwonlyargs, new.args.kw_defaults, strict=True)
    defaults = {arg.arg: ast.literal_eval(default) for arg, default in named if arg.arg != "limit_by"}
    assert set(defaults) == set(known)
    told = re.findall(r"^\* `(\w+)` \((.*?)\): ", toolstream_rs.Parser.__doc__, re.M)
    readme = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| `?(.*?)`? \|", readme, re.M)
    for places in (dict(told), {name: default for name, default in rows if name in known}):
        assert set(places) == set(known)
        for name, default in places.items():
            if default == "the dialect's":
                assert defaults[name] is ...
            else:
                assert ast.literal_eval(default) == defaults[name], name
                # The parser accepts the value, and it changes nothing of a parser without options.
                text = "<think>a</think>`<tool_call>{}` " + "\n<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call> " * 2
                made = toolstream_rs.Parser("hermes", **{name: defaults[name]})
                assert made.parse(text) == toolstream_rs.Parser("hermes").parse(text)


def test_the_kinds_of_diagnostics_are_those_of_the_crate():
    source = (pathlib.Path(__file__).parents[3] / "src/event.rs").read_text()
    kinds = re.findall(r'^    \w+ = "(\w+)",$', source, re.M)
    (stubbed,) = re.findall(r"^_Kind = Literal\[(.*?)\]", STUB.read_text(), re.M | re.S)
    assert re.findall(r'"(\w+)"', stubbed) == kinds and len(kinds) > 20


def test_the_version_is_that_of_the_distribution():
    assert toolstream_rs.__version__ == importlib.metadata.version("toolstream-rs")
