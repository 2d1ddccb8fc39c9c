"""The crate's vectors, through Python: every text at every cut, under the laws."""

import json
import pathlib

import pytest

from toolstream_rs import Parser, Reader

FILES = sorted((pathlib.Path(__file__).parents[3] / "tests" / "vectors").glob("*.jsonl"))
# A text of more characters than these is cut at as many places, spread over it.
CUTS = 40
# Differences on purpose: an integer is one whatever its length, so it fits its schema.
LONG_INTEGERS = {"types-qwen3-coder-1": "in", "types-glm-3": "i"}


def vectors(key):
    for file in FILES:
        for line in file.read_text().splitlines():
            vector = json.loads(line)
            if key in vector:
                yield pytest.param(vector, id=vector["id"])


def parser_of(vector):
    options = dict(vector.get("config", {}))
    ended = options.pop("ended", "stop")
    options.setdefault("tool_limit", 1)  # The crate's default.
    return Parser(vector["dialect"], vector.get("tools"), **options), ended


def read(parser, ended, chunks):
    parser = parser.fresh()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    events += parser.finish_cut() if ended == "cut" else parser.finish()
    return events, parser


def merged(events):
    """The events, with neighbours of one kind joined: what does not depend on the cut."""
    out = []
    for event in events:
        if hasattr(event, "text"):
            if out and type(out[-1]) is list and out[-1][0] is type(event):
                out[-1][1] += event.text
            else:
                out.append([type(event), event.text])
        else:
            out.append(event)
    return out


def fold(text):
    return " ".join(text.split())


def compare(message, expect):
    for key in ["text", "reasoning"]:
        if key in expect:
            assert fold(getattr(message, key)) == fold(expect[key])
    if "finish" in expect:
        assert message.finish == expect["finish"]
    kinds = [found.kind for found in message.diagnostics]
    assert all(kind in kinds for kind in expect.get("diagnostics", []))
    if "calls" in expect:
        calls = [block for block in message.to_json()["content"] if block["type"] == "tool_use"]
        assert len(calls) == len(expect["calls"])
        for call, wanted in zip(calls, expect["calls"]):
            assert call["name"] == wanted["name"]
            assert call["status"] == wanted.get("status", "complete")
            if "arguments" in wanted and call["status"] == "complete":
                assert call["input"] == wanted["arguments"]


@pytest.mark.parametrize("vector", list(vectors("dialect")))
def test_vector(vector):
    parser, ended = parser_of(vector)
    text = vector["input"]
    events, whole = read(parser, ended, [text])
    message = whole.message
    if vector["id"] in LONG_INTEGERS:
        assert message.calls[0].input == {LONG_INTEGERS[vector["id"]]: -9223372036854775809}
        assert not message.diagnostics
    else:
        compare(message, vector["expect"])

    # Conservation, up to where a surplus call begins.
    slices = "".join(event.text for event in events if hasattr(event, "text"))
    assert slices == text or message.finish == "tool_limit_reached" and text.startswith(slices)

    # Every cut gives equal events.
    step = max(1, len(text) // CUTS)
    cuts = [[text[:at], text[at:]] for at in range(0, len(text), step)]
    for chunks in [*cuts, text]:
        cut, parser_cut = read(parser, ended, chunks)
        assert merged(cut) == merged(events)
        assert parser_cut.message == message
        assert parser_cut.held == 0
    data = text.encode()
    assert merged(read(parser, ended, [data[at : at + 1] for at in range(len(data))])[0]) == merged(events)


@pytest.mark.parametrize("vector", list(vectors("provider")))
def test_vector_of_a_provider(vector):
    def read(events):
        reader = Reader(vector["provider"], vector["tools"], **vector.get("config", {}))
        return [said for event in events for said in reader.feed(event)] + reader.finish(), reader.message

    said, message = read(vector["input"])
    assert read([json.dumps(event) for event in vector["input"]] + ["[DONE]"]) == (said, message)
    compare(message, vector["expect"])
    assert sum(len(event.text.encode()) for event in said if hasattr(event, "text")) == message.position
