"""Shared by the stand-ins for servers: records and requests' tools, answers that are to be, and cuts of them."""

import subprocess
import sys
import types
from dataclasses import dataclass
from typing import Any

from test_vectors import vectors

from toolstream_rs import Deltas, Parser, dialects


@dataclass
class Record:
    def model_dump(self):
        return {
            key: value.model_dump() if isinstance(value, Record) else value for key, value in vars(self).items()
        }


@dataclass
class Function(Record):
    name: str
    parameters: Any = None
    description: str | None = None


@dataclass
class Tool(Record):
    function: Function
    type: str = "function"


@dataclass
class Named:
    function: Function
    type: str = "function"


class StructuralTag:
    """The used part of `xgrammar`'s class of this name."""

    def __init__(self, tag):
        self.tag = tag

    @classmethod
    def model_validate(cls, tag):
        return cls(tag)

    def model_dump(self):
        return self.tag


def install_modules(root, parts):
    """Puts modules with these names where `import` looks."""
    for part, names in parts.items():
        path = [*root.split("."), *part.split(".")]
        for length in range(1, len(path) + 1):
            name = ".".join(path[:length])
            sys.modules.setdefault(name, types.ModuleType(name))
        vars(sys.modules[name]).update(names)


READ_FILE = {"name": "read_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
HERMES_CALL = '<tool_call>{"name": "read_file", "arguments": {"path": "a.rs"}}</tool_call>'
NAMED = Named(Function("list"))


def tools_of(declared):
    functions = [tool.get("function", tool) for tool in declared or []]
    return [
        Tool(Function(tool["name"], tool.get("parameters") or tool.get("input_schema")))
        for tool in functions
    ]


def expected(dialect, declared, text, start="text"):
    """The expected messages for a client, of an answer read by one parser alone."""
    try:
        parser = Parser(dialect, declared or None, tool_limit=None, start=start)
    except ValueError:
        # A dialect that needs tools.
        parser = Parser(dialect, [{"name": "-"}], tool_limit=None, start=start)
    deltas = Deltas(parser)
    content = reasoning = ""
    calls = []
    for delta in deltas.feed(text) + deltas.finish():
        match delta.type:
            case "content":
                content += delta.text
            case "reasoning":
                reasoning += delta.text
            case "call":
                calls.append([delta.id, delta.name, ""])
            case "arguments":
                calls[-1][2] += delta.text
    return (reasoning, content, calls), deltas.broken, parser.parse(text)


def cuts(text):
    """Chunks as tokens make them: of a few characters, a few at a time, and all at once."""
    for size in (1, 3, 7, 20):
        yield [text[at : at + size] for at in range(0, len(text), size)]
    for at in range(0, len(text), max(1, len(text) // 12)):
        yield [text[:at], text[at:]]
    yield [text]


def usable(vector):
    """An answer as a server has it: to its end, read with the options that the plugins give."""
    return vector["dialect"] in dialects() and not set(vector.get("config", {})) - {"tool_limit"}




def some_of_every_dialect(at_most, without):
    some = []
    every = [vector for vector in vectors("dialect") if isinstance(vector.values[0]["dialect"], str)]
    for name in dialects():
        own = [vector for vector in every if vector.values[0]["dialect"] == name and usable(vector.values[0])]
        some += [vector for vector in own[:: len(own) // at_most + 1] if vector.id not in without]
    return some


def check_without_server(name, told):
    """The package does not need the server, and its plugin says in one plain line what it needs."""

    def run(code):
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    assert run(f"import sys, toolstream_rs; assert not any('{name}' in name for name in sys.modules)").returncode == 0
    absent = f"import sys; sys.modules['{name}'] = None\n"
    said = run(absent + f"try: import toolstream_rs.{name}\nexcept ImportError as e: assert type(e) is ImportError")
    assert said.returncode == 0, said.stderr
    (line,) = said.stderr.splitlines()
    assert line.startswith(told)
