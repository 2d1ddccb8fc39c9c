"""The types of the stubs: what an object gives is of the type that its stub names, and takes what its stub names."""

import ast
import inspect
import pathlib
import subprocess
import sys
import typing

import pytest

import toolstream_rs
from toolstream_rs import Deltas, EventWriter, Parser, Reader, ReasoningSplitter, _toolstream, for_model

STUB = pathlib.Path(_toolstream.__file__).with_name("_toolstream.pyi")
TOOL = {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}, "required": ["a"]}}
TEXT = '<think>\na\n</think>\nb <tool_call>{"name": "f", "arguments": {"a": "c"}}</tool_call>'
CHUNK = {"choices": [{"delta": {"content": TEXT}, "finish_reason": "stop"}]}


def read_stub():
    """The stub as a module, and the names in it as the compiled module has them."""
    text = "from __future__ import annotations\n" + STUB.read_text(encoding="utf-8")
    stubbed = {"__package__": "toolstream_rs", "__name__": "toolstream_rs.stub"}
    exec(text, stubbed)
    names = {**stubbed, **{name: value for name, value in vars(_toolstream).items() if not name.startswith("_")}}
    unions = [item for item in ast.parse(text).body if isinstance(item, ast.Assign)]
    exec(compile(ast.Module(unions, []), STUB, "exec"), names)
    return stubbed, names


STUBBED, NAMES = read_stub()


def hints(owner, member):
    of = inspect.getattr_static(STUBBED[owner], member)
    of = of.fget if isinstance(of, property) else getattr(of, "__func__", of)
    return typing.get_type_hints(of, NAMES)


def samples():
    """Objects of each class, in the states that change what they give."""
    parser = Parser("hermes", [TOOL], explain_refused=True)
    events = parser.feed(TEXT + TEXT[:-20])
    form = Parser("hermes", [TOOL])
    form.feed(TEXT[:-16])
    grown = form.partial_changes()
    form.feed("d")
    grown += form.partial_changes()
    yield from [parser, form, Parser({"name": "l", "call": "@@{name}@@\n{arguments}@@@@", "argument": "{key}={value}\n"})]
    yield from events + parser.fresh().feed("<tool_call>{") + grown
    parser.finish()
    message = parser.message
    yield from [message, Parser("hermes").message, *message.content, *message.refused, *message.diagnostics]
    reader = Reader("openai-chat", text_calls=parser)
    reader.feed(CHUNK)
    yield from [reader, Reader("gemini")]
    for source in (parser, reader):
        deltas, writer = Deltas(source), EventWriter("anthropic", source, "", "")
        yield from [deltas, writer, *Deltas(parser).feed(TEXT + TEXT[:-20])]
    yield from Deltas(parser).feed(TEXT.replace('"c"', "c") + TEXT)
    splitter = ReasoningSplitter(parser)
    splitter.feed(TEXT)
    yield from [splitter, ReasoningSplitter(parser), for_model("Qwen/Qwen3-8B"), *parser.explain(TEXT)]
    other = Parser("qwen3-coder", [TOOL], tool_limit=1)
    yield from other.feed(other.render_call("f", {"a": "b"}) * 2)
    yield from parser.parse(TEXT.replace('"f"', '"g"')).diagnostics
    # Few dialects and providers have them.
    yield from [toolstream_rs.NextCall(1, "f", None), toolstream_rs.ToolId("1"), toolstream_rs.Opaque("item", "{}")]


def gives(item):
    """The members that give something without being given anything, and what they give."""
    stub = STUBBED[type(item).__name__]
    for name in dir(stub):
        of = inspect.getattr_static(stub, name)
        if name.startswith("_"):
            continue
        if isinstance(of, property):
            yield name, getattr(item, name)
        elif inspect.isfunction(of) and len(inspect.signature(of).parameters) == 1:
            yield name, getattr(item, name)()


def test_each_value_is_of_its_type():
    pydantic = pytest.importorskip("pydantic")
    seen = set()
    for item in samples():
        owner = type(item).__name__
        for name, value in gives(item):
            seen.add((owner, name))
            of = pydantic.TypeAdapter(hints(owner, name)["return"], config={"arbitrary_types_allowed": True})
            of.validate_python(value, strict=True)
    # All that has a type was looked at, but for the methods that take something.
    for owner, stub in STUBBED.items():
        if inspect.isclass(stub) and stub.__module__ == "toolstream_rs.stub" and not owner.startswith("_"):
            wanted = {name for name in vars(stub) if isinstance(vars(stub)[name], property)}
            assert {(owner, name) for name in wanted} <= seen, owner


FED = {"chunk", "text", "event"}
KINDS = {str: TEXT, bytes: TEXT.encode(), bytearray: bytearray(TEXT.encode()), memoryview: memoryview(TEXT.encode())}


@pytest.mark.parametrize("owner, method", [(name, "feed") for name in ("Parser", "Reader", "Deltas", "EventWriter", "ReasoningSplitter")] + [("Parser", "parse")])
def test_each_kind_of_chunk_is_in_its_type(owner, method):
    """The stub has the accepted types, and all of its types are accepted."""
    parser = Parser("hermes", [TOOL])
    made = {
        "Parser": lambda: parser.fresh(),
        "Reader": lambda: Reader("openai-chat"),
        "Deltas": lambda: Deltas(parser),
        "EventWriter": lambda: EventWriter("anthropic", parser, "", ""),
        "ReasoningSplitter": lambda: ReasoningSplitter(parser),
    }[owner]
    ((_, of),) = [hint for hint in hints(owner, method).items() if hint[0] in FED]
    taken = set()
    for kind, chunk in KINDS.items():
        if owner == "Reader":
            chunk = kind(b"{}") if kind is not str else "{}"
        try:
            getattr(made(), method)(chunk)
            taken.add(kind)
        except TypeError:
            pass
    assert taken == {kind for kind in KINDS if kind in typing.get_args(of)}


def test_signatures_are_the_same():
    """Names, kinds and defaults of parameters, by mypy's own tool."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "toolstream_rs._toolstream", "--ignore-disjoint-bases", "--concise"]
    run = subprocess.run(command, capture_output=True, text=True)
    # PyO3 makes a list of all names, `toolstream_rs` has its own.
    found = [line for line in run.stdout.splitlines() if ".__all__ is not present" not in line]
    assert found == [] and run.stderr == ""
