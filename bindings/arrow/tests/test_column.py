"""A parsed column: each row is what the core's message says of its text."""

import importlib.metadata
import json
import pathlib
from itertools import groupby

import polars
import pyarrow as pa
import pytest
import toolstream_rs
import toolstream_rs_arrow
from toolstream_rs import Parser, Start
from toolstream_rs.arrow import parse_column, parsed_type

FILES = sorted((pathlib.Path(__file__).parents[3] / "tests" / "vectors").glob("*.jsonl"))
CALL = '<tool_call>{"name": "f", "arguments": {"n": 1}}</tool_call>'


def parsed(column, *config, **options):
    rows = pa.array(parse_column(column, *config, **options))
    rows.validate(full=True)
    return rows.to_pylist()


def said(message):
    """The row of a message."""
    written = message.to_json()

    def call(block):
        return {key: block.get(key) for key in ["name", "status", "reason", "id", "start", "end"]} | {"arguments": block["input"]}

    return {
        "text": message.text,
        "reasoning": message.reasoning,
        "calls": [call(block) for block in written["content"] if block["type"] == "tool_use"],
        "finish": message.finish,
        "diagnostics": [{key: found.get(key) for key in ["kind", "at", "call"]} for found in written["diagnostics"]],
    }


def compare(row, message):
    for call in row["calls"]:
        call["arguments"] = json.loads(call["arguments"])
    assert row == said(message)
    runnable = [(call["name"], call["arguments"]) for call in row["calls"] if call["status"] == "complete"]
    assert runnable == [(call.name, call.input) for call in message.calls]


def vectors(file):
    """The texts of a file, together by their configuration: a column has one."""

    def config(vector):
        options = dict(vector.get("config", {}))
        options.pop("ended", None)
        return json.dumps([vector["dialect"], vector.get("tools"), options])

    read = [json.loads(line) for line in file.read_text().splitlines()]
    for key, group in groupby(sorted((v for v in read if "dialect" in v), key=config), config):
        yield json.loads(key), [vector["input"] for vector in group]


def test_every_vector_is_what_its_message_says():
    rows = 0
    for file in FILES:
        for (dialect, tools, options), texts in vectors(file):
            parser = Parser(dialect, tools, **{"tool_limit": None, **options})
            for row, text in zip(parsed(pa.array(texts), dialect, tools, **options), texts, strict=True):
                compare(row, parser.parse(text))
                rows += 1
    assert rows > 1000


def test_a_null_is_null_and_an_empty_text_is_a_row():
    null, empty = parsed(pa.array([None, ""]), "hermes")
    assert null is None
    assert empty == {"text": "", "reasoning": "", "calls": [], "finish": "stop", "diagnostics": []}
    assert parsed(pa.array([], pa.string()), "hermes") == []
    assert parsed(pa.nulls(2), "hermes") == [None, None]
    rows = pa.array(parse_column(pa.array([None, "a"]), "hermes"))
    assert (rows.null_count, rows.field("text").to_pylist(), rows.field("calls").to_pylist()) == (1, [None, "a"], [None, []])


TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]


@pytest.mark.parametrize("of", TYPES, ids=str)
def test_every_type_of_text(of):
    texts = [f"{'long ' * number}é {CALL}" for number in range(9)] + [None, "short"]
    wanted = parsed(pa.array(texts), "hermes")
    column = pa.array([text if text is None or pa.types.is_string(of) or "string" in str(of) else text.encode() for text in texts], of)
    assert parsed(column, "hermes") == wanted
    # A slice begins in the middle of its buffers; a chunked array is many.
    assert parsed(column[3:], "hermes") == wanted[3:]
    assert parsed(pa.chunked_array([column[:2], column[2:2], column[2:]]), "hermes") == wanted
    if not str(of).endswith("view"):
        assert parsed(column.dictionary_encode(), "hermes") == wanted
    assert [row and row["calls"][0]["arguments"] for row in wanted[:9]] == ['{"n": 1}'] * 9


def test_bytes_that_are_no_utf_8_are_read_as_the_parser_reads_them():
    row = b"a\xff" + CALL.encode() + b"\xe2\x82"
    column = pa.array([row], pa.binary())
    [read] = parsed(column, "hermes")
    assert read["text"] == "a\ufffd\ufffd"
    assert [found["kind"] for found in read["diagnostics"]] == ["invalid_utf8"] * 2
    compare(read, Parser("hermes", tool_limit=None).parse(row))
    # Nobody looks into a column of strings, either: a Parquet file may say that it is one.
    unchecked = pa.StringArray.from_buffers(1, *pa.array([row], pa.binary()).buffers()[1:])
    assert parsed(unchecked, "hermes") == parsed(column, "hermes")


def test_what_a_call_may_be():
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}
    write = lambda arguments: f'<tool_call>{{"name": "f", "arguments": {arguments}}}</tool_call>'
    texts = [write('{"n": "7"}'), write('{"n": 12345678901234567890123}'), write("{}"), write('{"n" 1}'), write('{"n": 1}')[:45]]
    rows = parsed(pa.array(texts), "hermes", [tool], required="strict", types="coerce")
    calls = [(call["arguments"], call["status"], call["reason"]) for row in rows for call in row["calls"]]
    assert calls == [
        ('{"n":7}', "complete", None),
        ('{"n": 12345678901234567890123}', "complete", None),
        ("{}", "incomplete", "missing_arguments"),
        ("{}", "incomplete", "malformed_arguments"),
        ("{}", "incomplete", "cut"),
    ]


def test_calls_are_not_limited_unless_somebody_says_so():
    [row] = parsed(pa.array([CALL * 3]), "hermes")
    assert (len(row["calls"]), row["finish"]) == (3, "tool_use")
    [row] = parsed(pa.array([CALL * 3]), "hermes", tool_limit=1)
    assert (len(row["calls"]), row["finish"]) == (1, "tool_limit_reached")


def test_the_column_is_of_one_type_whatever_is_in_it():
    types = {pa.array(parse_column(column, "hermes")).type for column in [pa.array([CALL]), pa.array([], pa.string()), pa.nulls(1)]}
    assert len(types) == 1
    assert pa.field(parse_column(pa.array(["a"]), "hermes")).type in types
    assert {pa.field(parsed_type()).type} == types
    assert repr(parsed_type()).startswith("<ParsedType Struct(")


def test_polars_comes_in_and_goes_out():
    frame = polars.DataFrame({"text": ["a " + CALL, None]})
    read = polars.Series("read", parse_column(frame["text"], "hermes"))
    assert read.struct.field("text").to_list() == ["a ", None]
    assert read.struct.field("calls").list.get(0).struct.field("name").to_list() == ["f", None]


def test_what_is_no_column_of_text_is_said():
    with pytest.raises(ValueError, match="a column of Int64 holds no text"):
        parse_column(pa.array([1]), "hermes")
    with pytest.raises(TypeError, match="list is no Arrow column"):
        parse_column(["a"], "hermes")
    column = pa.array(["a"])
    with pytest.raises(ValueError, match="did you mean `hermes`"):
        parse_column(column, "hermez")
    with pytest.raises(ValueError, match="did you mean `tool_limit`"):
        parse_column(column, "hermes", tool_limt=1)
    for one in (parse_column, toolstream_rs_arrow.parse_column):
        with pytest.raises(ValueError, match='^types must be "report"'):
            one(column, "hermes", types="strikt")
    with pytest.raises(ValueError, match="a column is read without Python, so `limit_by` cannot be asked"):
        parse_column(column, "hermes", limit_by=print)
    assert toolstream_rs_arrow.__version__ == importlib.metadata.version("toolstream-rs-arrow") == toolstream_rs.__version__


def test_tools_are_those_of_a_parser():
    """Models, functions, and MCP's answer: what a parser takes."""
    pytest.importorskip("pydantic")

    def f(n: int) -> None: ...

    text = CALL.replace("1", '"7"')
    for tools in ([f], {"tools": [f]}):
        [row] = parsed(pa.array([text]), "hermes", tools, types="coerce", start=Start.TEXT)
        assert [call["arguments"] for call in row["calls"]] == ['{"n":7}']


def test_a_shape_of_ones_own_and_options():
    shape = {"name": "lines", "call": "@@call {name}@@\n{arguments}@@end@@", "argument": "{key}={value}\n"}
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
    [row] = parsed(pa.array(["@@call f@@\npath=a.rs\n@@end@@"]), shape, [tool])
    assert row["calls"][0]["arguments"] == '{"path":"a.rs"}'
