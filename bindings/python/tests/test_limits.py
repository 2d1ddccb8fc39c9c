"""Limits on the calls of a message, and reports on calls that may not run."""

import pickle

import pytest

import toolstream_rs
from toolstream_rs import Deltas, EventWriter, NextCall, Parser, Reader, RefusedCall

READ = {"name": "read", "parameters": {"properties": {"path": {"type": "string"}}, "required": ["path"]}}
TOOLS = [READ, {"name": "write"}]


def call(name, arguments="{}"):
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>\n'


def reads_chain(call):
    return call.previous is None or (call.previous, call.name) == ("read", "read")


def names(parser, text):
    return [call.name for call in parser.parse(text).calls]


def test_a_function_limits_the_calls():
    heard = []

    def ask(call):
        heard.append(call)
        return reads_chain(call)

    parser = Parser("hermes", limit_by=ask)
    text = call("read") + call("read") + call("write")
    assert names(parser, text) == ["read", "read"]
    assert heard == [NextCall(0, "read", None), NextCall(1, "read", "read"), NextCall(2, "write", "read")]
    events = parser.feed(text)
    assert events[-1] == toolstream_rs.ToolLimitReached(2, 2 * len(call("read")))
    assert names(parser.fresh(), text) == ["read", "read"]
    # Nobody else has it.
    assert names(Parser("hermes"), text) == ["read", "read", "write"]


def test_a_function_goes_with_its_pickled_parser():
    parser = pickle.loads(pickle.dumps(Parser("hermes", limit_by=reads_chain)))
    assert names(parser, call("read") + call("read") + call("write")) == ["read", "read"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_function_that_fails_stops_the_call():
    assert names(Parser("hermes", limit_by=lambda call: 1 / 0), call("read")) == []


def test_a_reader_asks_too():
    asked = []
    reader = Reader("openai-chat", limit_by=lambda call: asked.append(call.name) or True)
    calls = [{"index": at, "id": str(at), "function": {"name": name, "arguments": "{}"}} for at, name in enumerate(["read", "write"])]
    reader.feed({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]})
    assert asked == ["read", "write"]


def test_names_limit_the_calls():
    parser = Parser("hermes", chaining_tools=["read"])
    assert names(parser, call("read") + call("read") + call("write")) == ["read", "read"]
    assert names(parser, call("write") + call("read")) == ["write"]


def test_white_space_at_calls_is_trimmed():
    text = "I look.\n\n" + call("read")
    assert Parser("hermes").parse(text).text == "I look.\n\n\n"
    assert Parser("hermes", text_at_calls="trim").parse(text).text == "I look."


def test_a_call_says_where_it_ends():
    events = Parser("hermes").feed(call("read"))
    end = next(event for event in events if event.type == "tool_end")
    # The closer is the block's, which may hold several calls.
    assert end.at == call("read").index("</tool_call>")


def test_refused_calls_are_told():
    parser = Parser("invoke", TOOLS, recoveries="strict", explain_refused=True)
    text = '<invoke name="read"><parameter name="path">a.rs</invoke>'
    message = parser.parse(text)
    [refused] = message.refused
    assert refused == RefusedCall(0, len(text), "read", 0, "`</parameter>` is missing before `</invoke>`")
    assert message.incomplete_calls[0].broken_by == "missing_closer"
    assert "could not be read: `read`: `</parameter>` is missing" in message.correction()
    parser.feed(text)
    parser.finish()
    assert parser.message.refused == message.refused
    assert Parser("hermes").parse("Hello.").correction() is None


def test_an_opener_that_did_not_count_is_told_who_asks():
    text = "<tool:read> src/main.rs"
    [refused] = Parser("code-assistant", TOOLS, explain_refused=True).parse(text).refused
    assert (refused.name, refused.index, refused.start) == ("read", None, 0)
    assert Parser("code-assistant", TOOLS).parse(text).refused == []


BROKEN = "Go. " + call("read", '{"path": }')


def test_broken_calls_are_written_as_asked():
    def written(**options):
        writer = EventWriter("openai-chat", Parser("hermes"), "1", "m", whole=True, **options)
        answer = writer.feed(BROKEN) + writer.finish()
        assert writer.broken_calls == [{"index": 0, "name": "read", "reason": "malformed_arguments"}]
        return answer

    assert b'"tool_calls":[' in written()
    assert b"<tool_call>" in written(broken="text")
    hidden = written(broken="hide")
    assert b'"tool_calls":[' not in hidden and b"<tool_call>" not in hidden
    with pytest.raises(ValueError, match="hide"):
        written(broken="hid")


def test_calls_wait_as_asked():
    text = call("read", '{"path": "a"}')
    at_once = Deltas(Parser("hermes")).feed(text[:40])
    assert [delta.type for delta in at_once][:1] == ["call"]
    waiting = Deltas(Parser("hermes"), calls="when_whole")
    assert waiting.feed(text[:40]) == []
    assert [delta.type for delta in waiting.feed(text[40:])][0] == "call"
    refused = Deltas(Parser("hermes"), on_cut="refuse_all")
    refused.feed(text + "And th")
    assert "call" not in [delta.type for delta in refused.finish_cut()]


def test_grammars_behind_an_opener():
    [grammar] = Parser("hermes", TOOLS).call_grammars("lark")
    assert (grammar["opener"], grammar["tools"]) == ("<tool_call>", ["read", "write"])
    assert grammar["grammar"].startswith("start: ")
    assert Parser("hermes", TOOLS).call_grammars("structural_tag", "none") == []
