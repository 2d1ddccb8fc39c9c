"""Events and calls as objects: what each class can do."""

import copy
import json
import pickle

import pytest

import toolstream_rs
from toolstream_rs import (
    AnswerStart,
    ArgumentsDelta,
    Diagnostic,
    Event,
    Markup,
    Opaque,
    ParamDelta,
    ParamEnd,
    ParamStart,
    Parser,
    Reasoning,
    TextContent,
    ToolEnd,
    ToolId,
    ToolLimitReached,
    ToolStart,
)

ONE_OF_EACH = [
    (TextContent("Hi"), "text_content", ("text",)),
    (Reasoning("Hm."), "reasoning", ("text",)),
    (Markup("<a>"), "markup", ("text",)),
    (ToolStart(0, "list", None, 3, 0), "tool_start", ("index", "name", "id", "at", "dialect")),
    (ToolId("call_1"), "tool_id", ("id",)),
    (ParamStart("path", "string"), "param_start", ("name", "hint")),
    (ParamDelta("a.rs"), "param_delta", ("text",)),
    (ParamEnd(True), "param_end", ("closed",)),
    (ArgumentsDelta("{}"), "arguments_delta", ("text",)),
    (ToolEnd("incomplete", "broken", 68), "tool_end", ("status", "cause", "at")),
    (AnswerStart(), "answer_start", ()),
    (Opaque("text", "{}"), "opaque", ("of", "json")),
    (ToolLimitReached(1, 68), "tool_limit_reached", ("limit", "at")),
    (Diagnostic("unknown_tool", 12, 0), "diagnostic", ("kind", "at", "call")),
]


@pytest.mark.parametrize("event, kind, fields", ONE_OF_EACH)
def test_every_class(event, kind, fields):
    cls = type(event)
    assert event.type == kind and cls.type is event.type
    assert cls.__match_args__ == fields
    values = [getattr(event, field) for field in fields]
    same = cls(*values)
    assert same == event and hash(same) == hash(event) and same is not event
    assert eval(repr(event), vars(toolstream_rs)) == event
    assert pickle.loads(pickle.dumps(event)) == event == copy.deepcopy(event)
    assert isinstance(event, Event)
    said = event.to_dict()
    assert said == {"type": kind} | dict(zip(fields, values)) == json.loads(json.dumps(said))
    for field in fields:
        with pytest.raises(AttributeError):
            setattr(event, field, "other")


def test_two_of_other_classes_or_values_differ():
    events = [event for event, _, _ in ONE_OF_EACH]
    assert len(set(events)) == len(events)
    assert TextContent("a") != Reasoning("a") and hash(TextContent("a")) != hash(Reasoning("a"))
    assert TextContent("a") != TextContent("b") and TextContent("a") != "a"


def test_types_are_interned():
    (event,) = Parser("hermes").feed("Hi")
    assert event.type is Parser("hermes").feed("there")[0].type


def test_events_match_by_position():
    said = []
    parser = Parser("cline", [{"name": "show", "parameters": {"type": "object"}}])
    for event in parser.feed("Look: <show></show>") + parser.finish():
        match event:
            case TextContent(text):
                said.append(text)
            case ToolStart(index, name):
                said.append((index, name))
            case ToolEnd("complete"):
                said.append("end")
    assert said == ["Look: ", (0, "show"), "end"]


def test_calls_are_compared_and_shown():
    text = '<tool_call>{"name": "list", "arguments": {"all": true}}</tool_call>'
    (call,) = Parser("hermes").parse(text).calls
    assert call == Parser("hermes").parse(text).calls[0] == pickle.loads(pickle.dumps(call))
    assert (call.name, call.input, call.raw) == ("list", {"all": True}, '{"all": true}')
    assert (call.start, call.end, call.id, call.missing) == (0, len(text) - len("</tool_call>"), None, ())
    assert repr(call).startswith("Call(name='list', arguments={'all': True}, id=None, index=0, ")
    assert call.arguments is call.input
    said = {"name": "list", "arguments": {"all": True}, "id": None, "index": 0, "raw": call.raw, "start": 0}
    assert call.to_dict() == said | {"end": call.end, "missing": []} == json.loads(json.dumps(call.to_dict()))
    with pytest.raises(TypeError, match="unhashable"):
        hash(call)
    (cut,) = Parser("hermes").parse(text[:40]).incomplete_calls
    assert (cut.name, cut.reason, cut.problem, cut.input) == ("list", "cut", None, {})
    assert cut.to_dict()["reason"] == "cut" and not hasattr(cut, "parse")
    (bad,) = Parser("hermes").parse(text.replace(": true", " true")).incomplete_calls
    assert bad.reason == "malformed_arguments" and bad.problem.endswith("line 1, column 8")
