"""Tools from what Python programs have, and calls as objects of their classes."""

import dataclasses
import enum
import subprocess
import sys
import typing

import pytest

from toolstream_rs import Parser, Reader, split_tools

pydantic = pytest.importorskip("pydantic")


class Position(pydantic.BaseModel):
    line: int


class Edit(pydantic.BaseModel):
    """Changes a file."""

    path: str = pydantic.Field(description="which file")
    at: Position | None = None


@dataclasses.dataclass
class Move:
    """Moves a file."""

    path: str
    to: str = "."


@dataclasses.dataclass
class Silent:
    path: str


def read(path: str, lines: list[int] | None = None) -> str:
    """Reads a file."""
    return path + str(lines)


def one_tool(tools):
    (tool,) = Parser("hermes", tools).tools
    return tool


def test_a_pydantic_model():
    tool = one_tool([Edit])
    assert (tool["name"], tool["description"]) == ("Edit", "Changes a file.")
    assert tool["parameters"]["properties"]["path"] == {"description": "which file", "title": "Path", "type": "string"}
    assert tool["parameters"]["required"] == ["path"] and "title" not in tool["parameters"]


def test_dataclasses():
    tool = one_tool([Move])
    assert (tool["name"], tool["description"]) == ("Move", "Moves a file.")
    assert list(tool["parameters"]["properties"]) == ["path", "to"] and tool["parameters"]["required"] == ["path"]
    assert one_tool([Silent])["description"] == ""


def test_functions():
    tool = one_tool([read])
    assert (tool["name"], tool["description"]) == ("read", "Reads a file.")
    assert tool["parameters"]["required"] == ["path"]
    message = Parser("hermes", [read], types="coerce").parse(
        '<tool_call>{"name": "read", "arguments": {"path": "a.rs", "lines": "[1, 2]"}}</tool_call>'
    )
    assert read(**message.calls[0].arguments) == "a.rs[1, 2]"


def test_tools_of_mcp():
    types = pytest.importorskip("mcp.types")
    declared = {"name": "read", "description": "Reads.", "inputSchema": {"type": "object", "properties": {"path": {}}}}
    tool = types.Tool.model_validate(declared)
    answer = types.ListToolsResult.model_validate({"tools": [declared]})
    for tools in ([tool], (tool,), iter([tool]), answer, {"tools": [declared]}, {"tools": [tool], "nextCursor": None}):
        assert one_tool(tools)["inputSchema"] == declared["inputSchema"]
    assert split_tools([tool, {"type": "web_search"}])[1] == ["web_search"]
    assert split_tools(answer)[0][0]["name"] == "read" and split_tools(None) == ([], [])


def test_several_kinds_at_once_and_a_reader():
    parser = Parser("hermes", [Edit, read, {"name": "list"}])
    assert repr(parser) == "<Parser hermes ['Edit', 'read', 'list']>"
    reader = Reader("openai-chat", [Edit], types="strict")
    call = {"index": 0, "id": "c", "function": {"name": "Edit", "arguments": '{"path": 3}'}}
    reader.feed({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]})
    reader.finish()
    assert reader.message.incomplete_calls[0].reason == "type_mismatch"


def test_what_makes_no_tool():
    def bare(path: object()):
        pass

    def positional(path: str, /):
        pass

    for tool, words in [
        (bare, r"tools\[0\]: the annotations of bare make no JSON Schema: "),
        (positional, r"tools\[0\]: positional has no named parameters, "),
        (int, r"tools\[0\]: int has no named parameters, "),
    ]:
        with pytest.raises(TypeError, match=words):
            Parser("hermes", [tool])


def test_without_pydantic():
    program = "import sys; sys.modules['pydantic'] = None; from toolstream_rs import Parser\ndef f(x: int): ...\nParser('hermes', [f])"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ImportError: tools[0]: a tool from a class or a function needs pydantic: pip install" in said.stderr


def call(**arguments):
    parser = Parser("hermes")
    (made,) = parser.parse(parser.render_call("Edit", arguments)).calls
    return made


def test_a_call_as_a_pydantic_model():
    assert call(path="a", at={"line": "3"}).parse(Edit) == Edit(path="a", at=Position(line=3))
    with pytest.raises(ValueError, match="at.line"):
        call(path="a", at={"line": "x"}).parse(Edit)

    @pydantic.dataclasses.dataclass
    class Checked:
        line: int = pydantic.Field(alias="theLine")

    assert call(theLine="3").parse(Checked).line == 3
    with pytest.raises(ValueError, match="theLine"):
        call(theLine="x").parse(Checked)


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Inner:
    color: Color


@dataclasses.dataclass
class Outer:
    path: str
    inner: Inner | None = None
    old: typing.Optional[Inner] = None  # noqa: UP045
    many: list[Inner] = dataclasses.field(default_factory=list)
    named: dict[str, Inner] = dataclasses.field(default_factory=dict)
    count: int | str = 0
    made: int = dataclasses.field(default=7, init=False)


def test_a_call_as_a_dataclass():
    assert call(path="a").parse(Outer) == Outer("a")
    red, said = Inner(Color.RED), {"color": "red"}
    made = call(path="a", inner=said, old=said, many=[said], named={"x": said}, count=3).parse(Outer)
    assert made == Outer("a", red, red, [red], {"x": red}, 3)
    assert call(path="a", inner=None).parse(Outer).inner is None
    with pytest.raises(ValueError, match="Outer has no field `pth`: its fields are path, inner, old, many, named, count"):
        call(pth="a").parse(Outer)
    with pytest.raises(ValueError, match="Outer has no field `made`"):
        call(path="a", made=3).parse(Outer)
    with pytest.raises(ValueError, match="`path` of Outer is missing"):
        call().parse(Outer)
    with pytest.raises(ValueError, match="'blue' is not a valid Color"):
        call(path="a", inner={"color": "blue"}).parse(Outer)
    with pytest.raises(TypeError, match="a pydantic model or a dataclass is needed, not int"):
        call(path="a").parse(int)
