"""The parser: chunks, configuration, copies, threads, numbers, errors."""

import copy
import gc
import json
import os
import pickle
import subprocess
import sys
import threading
import time

import pytest

from toolstream_rs import (
    Diagnostic,
    Markup,
    Message,
    Parser,
    Reasoning,
    ReasoningSplitter,
    TextContent,
    ToolStart,
    char_offset,
    dialects,
    markers,
    reasoning_markers,
    split_tools,
)

READ = {
    "name": "read",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "line": {"type": "integer"}},
        "required": ["path"],
    },
}
CALL = '<tool_call>{"name": "read", "arguments": {"path": "a.rs", "line": 7}}</tool_call>'


def joined(events):
    return "".join(getattr(event, "text", "") for event in events)


def read(parser, chunks):
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return events + parser.finish()


def test_a_stream():
    parser = Parser("hermes", [READ])
    assert parser.feed("I look.\n<tool_c") == [TextContent("I look.\n")]
    assert parser.held == len("<tool_c")
    assert parser.feed('all>{"name": "read", "arguments": {"path": "a.')[-3] == ToolStart(0, "read", None, 8, 0)
    assert parser.partial_input() == {"path": "a."}
    parser.feed(CALL[CALL.index("rs") :])
    assert parser.partial_input() is None
    assert parser.finish() == [] and parser.held == 0 and parser.position == len("I look.\n" + CALL)
    message = parser.message
    assert (message.text, message.finish, message.position) == ("I look.\n", "tool_use", parser.position)
    assert [call.input for call in message.calls] == [{"path": "a.rs", "line": 7}]
    with pytest.raises(RuntimeError, match="the stream was finished and takes no more chunks"):
        parser.feed("more")
    with pytest.raises(RuntimeError, match="the stream was finished"):
        parser.feed_special("<tool_call>")
    assert parser.finish() == [] and parser.message == message


def test_the_message_is_a_copy():
    parser = Parser("hermes")
    parser.feed("a")
    before = parser.message
    parser.feed("b")
    assert (before.text, parser.message.text) == ("a", "ab")


def test_finish_and_finish_cut_differ():
    text = "Action: shell\nAction Input: rm -rf /"
    tools = [{"name": "shell", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}}]
    whole, cut = Parser("react", tools), Parser("react", tools)
    whole.feed(text), cut.feed(text)
    whole.finish(), cut.finish_cut()
    assert [call.input for call in whole.message.calls] == [{"command": "rm -rf /"}]
    assert cut.message.calls == [] and cut.message.finish == "truncated"


def test_parse_is_feed_and_finish_and_leaves_the_stream_alone():
    parser = Parser("hermes", [READ])
    parser.feed("I ")
    assert parser.parse("I look." + CALL).calls[0].input == {"path": "a.rs", "line": 7}
    assert parser.parse(("I look." + CALL).encode()) == parser.parse("I look." + CALL)
    long = "word " * 2000 + CALL
    fed = parser.fresh()
    read(fed, [long])
    assert parser.parse(long) == fed.message and fed.message.text == "word " * 2000
    assert parser.feed("go")[0].text == "go"
    assert parser.parse("caf\udcc3").diagnostics == [Diagnostic("invalid_utf8", 3, None)]


def test_long_chunks_say_what_short_ones_say():
    text = ("Is 2 < 3? " + "wörd 😀 " * 2000) + CALL
    short = read(Parser("hermes", [READ]), text)
    long = read(Parser("hermes", [READ]), [text])
    assert joined(short) == joined(long) == text
    as_bytes = read(Parser("hermes", [READ]), [text.encode()])
    assert as_bytes == long and len(long) < 20
    cut = text.encode()
    cut = read(Parser("hermes", [READ]), [cut[at : at + 5] for at in range(0, len(cut), 5)])
    assert joined(cut) == text


def test_special_tokens():
    parser = Parser("hermes", special_tokens=["<tool_call>"])
    parser.feed('A call: <tool_call>{"name": "read"}\n')
    parser.feed_special("<tool_call>")
    parser.feed(CALL[len("<tool_call>") :])
    parser.finish()
    message = parser.message
    assert message.text == 'A call: <tool_call>{"name": "read"}\n' and message.calls[0].name == "read"


# Half surrogates: a `str` may hold them, and a chunk may end in one.


@pytest.mark.parametrize("chunks", [["\ud83d", "\ude00"], ["\ud83d\ude00"], ["\ud83d", "", "\ude00"]])
def test_halves_become_a_character(chunks):
    parser = Parser("hermes")
    assert read(parser, ["a", *chunks, "b"])[1:-1] == [TextContent("😀")]
    assert parser.message.text == "a😀b" and parser.message.diagnostics == []


@pytest.mark.parametrize(
    "chunks, text",
    [
        (["a\ud83d"], "a�"),
        (["a\ud83d", "b"], "a�b"),
        (["a\ud83d", b"b"], "a�b"),
        (["\ude00b"], "�b"),
        (["\ude00\ud83d", "\ud83d", "\ude00"], "��😀"),
        ([b"\xc3", "\ud83d", b"\xa9"], "���"),
    ],
)
def test_a_half_that_stays_alone_is_not_lost(chunks, text):
    parser = Parser("hermes")
    events = read(parser, chunks)
    assert joined(events) == parser.message.text == text
    assert [found.kind for found in parser.message.diagnostics] == ["invalid_utf8"] * text.count("�")


def test_a_half_before_a_special_token():
    parser = Parser("hermes", special_tokens=["<tool_call>"])
    parser.feed("a\ud83d")
    assert joined(parser.feed_special("<x>") + parser.finish()) == "�<x>"


def test_offsets_are_bytes_and_can_be_characters():
    text = "Schön 😀: " + CALL
    (call,) = Parser("hermes", [READ]).parse(text).calls
    assert call.start == len("Schön 😀: ".encode())
    start, end = char_offset(text, call.start), char_offset(text, call.end)
    assert text[start:end] + "</tool_call>" == CALL
    assert char_offset(text, 0) == 0 and char_offset(text, len(text.encode())) == len(text)
    halves = text.replace("😀", "\ud83d\ude00")
    assert char_offset(halves, call.start) == start + 1
    assert char_offset("a\ud83db", 4) == 2
    for outside in [4, 10_000]:
        with pytest.raises(ValueError, match=f"no character of the text begins at byte {outside}"):
            char_offset(text, outside)
        with pytest.raises(ValueError):
            char_offset(halves, outside)


# Numbers


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**63) - 1, 12345678901234567890123, 10**400, -5])
def test_integers_are_exact(number):
    for dialect, call in [
        ("hermes", f'<tool_call>{{"name": "read", "arguments": {{"path": "a", "line": {number}}}}}</tool_call>'),
        ("cline", f"<read><path>a</path><line>{number}</line></read>"),
    ]:
        message = Parser(dialect, [READ]).parse(call)
        assert message.calls[0].input == {"path": "a", "line": number}
        again = Message.from_json(message.json())
        assert again == message and again.calls[0].input["line"] == number
        assert Message.from_json(message.to_json()) == message


def test_an_integer_that_python_cannot_hold_is_text():
    digits = "9" * 5000
    call = f'<tool_call>{{"name": "read", "arguments": {{"path": "a", "line": {digits}}}}}</tool_call>'
    assert Parser("hermes", [READ]).parse(call).calls[0].input["line"] == digits


@pytest.mark.parametrize("arguments", ['{"line": 1e400}', '{"in": [{"line": -1.0E+999}]}', "{line: 1e400}"])
def test_a_float_beyond_the_largest_is_malformed(arguments):
    message = Parser("hermes").parse(f'<tool_call>{{"name": "read", "arguments": {arguments}}}</tool_call>')
    assert [call.reason for call in message.incomplete_calls] == ["malformed_arguments"] and not message.calls


def test_floats():
    call = '<tool_call>{"name": "f", "arguments": {"a": 0.1, "b": 1e2, "c": 1.7976931348623157e308, "d": -0.0}}</tool_call>'
    values = Parser("hermes").parse(call).calls[0].input
    assert values == {"a": 0.1, "b": 100.0, "c": sys.float_info.max, "d": -0.0}
    assert all(type(value) is float for value in values.values())


def test_json_comes_back_as_it_was():
    value = [None, True, 0, -1, 2**70, 0.5, "ä\x00", [], {}, {"b": [1], "a": {"": ""}}]
    parser = Parser("hermes", ({"name": "f", "description": "ä\ud83d\ude00", "parameters": {"default": value}},))
    assert parser.tools == [{"name": "f", "description": "ä😀", "parameters": {"default": value}}]


# Configuration


def test_configuration_is_read_off():
    parser = Parser("react+tool-call", [READ], tool_limit=None, answer_keywords=["Answer"])
    assert (parser.dialect, parser.tools) == ("react+tool-call", [READ])
    assert parser.options == {"tool_limit": None, "answer_keywords": ["Answer"]}
    assert repr(parser) == "<Parser react+tool-call ['read'] tool_limit=None answer_keywords=['Answer']>"


@pytest.mark.parametrize("name", dialects())
def test_markers_of_every_dialect(name):
    found = markers(name)
    assert found == sorted(set(found), key=str.encode)
    assert all(len(marker.encode()) > 1 for marker in found)


def test_markers():
    assert {"<tool_call>", "</tool_call>", "<think>", "</think>"} <= set(markers("hermes"))
    assert reasoning_markers("seed-oss") == (["<seed:think>"], ["</seed:think>"])


def test_a_shape():
    shape = {"name": "lines", "call": "@@call {name}@@\n{arguments}@@end@@", "argument": "{key}={value}\n"}
    message = Parser(shape, [READ]).parse("@@call read@@\npath=a.rs\nline=7\n@@end@@")
    assert message.calls[0].input == {"path": "a.rs", "line": 7}
    assert pickle.loads(pickle.dumps(Parser(shape, [READ]))).dialect == shape


def test_pickle_keeps_the_configuration():
    parser = Parser("hermes", [READ], tool_limit=None, types="strict")
    again = pickle.loads(pickle.dumps(parser))
    assert (again.dialect, again.tools, again.options) == (parser.dialect, parser.tools, parser.options)
    assert len(again.parse(CALL + CALL).calls) == 2
    parser.feed("a")
    with pytest.raises(ValueError, match="pickle one that is `fresh"):
        pickle.dumps(parser)
    assert pickle.loads(pickle.dumps(parser.fresh())).options == parser.options


def test_pickle_in_another_process():
    code = "import pickle, sys; p = pickle.load(sys.stdin.buffer); print(p.parse('a').text, p.tools[0]['name'])"
    data = pickle.dumps(Parser("hermes", [READ]))
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert done.stdout.decode().split() == ["a", "read"]


def test_a_copy_is_a_snapshot():
    parser = Parser("hermes", [READ])
    parser.feed(CALL[:30] + "\ud83d"[:0])
    one, two = copy.copy(parser), copy.deepcopy(parser)
    parser.feed("garbage")
    for snapshot in [one, two]:
        read(snapshot, [CALL[30:]])
        assert snapshot.message.calls[0].input == {"path": "a.rs", "line": 7}
    half = Parser("hermes")
    half.feed("\ud83d")
    assert copy.copy(half).feed("\ude00") == [TextContent("😀")]


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux says there how much memory is used")
def test_parsers_of_one_configuration_share_their_tables():
    tools = [dict(READ, name=f"tool_{number}") for number in range(200)]
    first = Parser("qwen3-coder", tools)
    before = memory()
    parsers = [Parser("qwen3-coder", tools) for _ in range(200)]
    # A set of tables for 200 tools takes more than 100 KB.
    assert memory() - before < 200 * 20_000, len(parsers)
    assert first.parse("a").text == "a"


def memory():
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096


# Threads


def test_threads_with_parsers_of_their_own():
    texts = [f"{'word ' * 3000}{number} {CALL}" for number in range(8)]
    found = {}

    def work(number):
        parser = Parser("hermes", [READ])
        for at in range(0, len(texts[number]), 1000 + 5000 * (number % 2)):
            parser.feed(texts[number][at : at + 1000 + 5000 * (number % 2)])
        parser.finish()
        found[number] = parser.message

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    whole = Parser("hermes", [READ])
    assert [found[number] for number in range(8)] == [whole.parse(text) for text in texts]


def test_threads_share_a_parser_for_whole_texts():
    parser, text, found = Parser("hermes", [READ]), "word " * 5000 + CALL, []
    threads = [threading.Thread(target=lambda: found.append(parser.parse(text))) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 8 and all(message == found[0] for message in found)


def test_a_long_chunk_lets_other_threads_run():
    turns, over = 0, threading.Event()

    def count():
        nonlocal turns
        while not over.is_set():
            turns += 1

    switch = sys.getswitchinterval()
    sys.setswitchinterval(0.5)  # So long nobody gives the interpreter away who need not.
    thread = threading.Thread(target=count)
    parser = Parser("hermes", [READ])
    text = "a < b " * 500_000
    try:
        thread.start()
        before, begun = turns, time.monotonic()
        while turns == before and time.monotonic() - begun < 0.4:
            parser.feed(text)
        during = turns - before
    finally:
        sys.setswitchinterval(switch)
        over.set()
        thread.join()
    assert during > 0


def test_explain():
    parser = Parser("hermes", [READ])
    refused, opener, *_ = parser.explain("It writes <tool_call> before: " + CALL)
    assert (refused.at, refused.text, refused.role) == (10, "<tool_call>", opener.role)
    assert refused.refused.startswith("at 22 comes `b`") and opener.refused is None
    assert opener.at == 30 and parser.position == 0


# Errors


@pytest.mark.parametrize(
    "build, error, what",
    [
        (lambda: Parser("klein"), ValueError, "unknown dialect `klein`: use one of cline, "),
        (lambda: Parser("react+klein+glm"), ValueError, "unknown dialect `klein`: use one of cline, "),
        (lambda: Parser("hermes", tool_limt=2), ValueError, "unknown option `tool_limt`, did you mean `tool_limit`\\? The options are tool_limit, "),
        (lambda: Parser("hermes", zzz=2), ValueError, "unknown option `zzz`: the options are tool_limit, "),
        (lambda: Parser(None), TypeError, "dialect must be a name or a dict, not None"),
        (lambda: Parser(["hermes"]), TypeError, "dialect must be a name or a dict, not a list"),
        (lambda: Parser("hermess"), ValueError, "did you mean `hermes`"),
        (lambda: Parser("Qwen/Qwen3-8B"), ValueError, r"a model, which writes `hermes` \(`for_model` says that\)"),
        (lambda: Parser("hermes", types="strikt"), ValueError, "^types must be "),
        (lambda: Parser("hermes", tool_limit="two"), ValueError, "^tool_limit must be a whole number"),
        (lambda: Parser("hermes", tool_limit=0), ValueError, "limit"),
        (lambda: Parser("hermes", [{"x": 1}]), ValueError, r"tools\[0\]"),
        (lambda: Parser("hermes", "read"), TypeError, "tools must be a list of tools, not a str"),
        (lambda: Parser("hermes", 3), TypeError, "tools must be a list of tools, not an int"),
        (lambda: Parser("hermes", READ), TypeError, 'a dict with such a list under "tools"'),
        (lambda: Parser("hermes", [READ, "read"]), TypeError, r"tools\[1\] must be a dict, .*, not a str"),
        (lambda: Parser("cline"), ValueError, "no tool is declared"),
        (lambda: Parser("hermes", [READ, READ]), ValueError, "read"),
        (lambda: Parser({"name": "x", "prose": 3}), ValueError, "prose"),
        (lambda: Parser("hermes", tool_limit=float("nan")), ValueError, "NaN is no number of JSON's"),
        (lambda: Parser("hermes", [{1: 2}]), TypeError, "str"),
        (lambda: Parser("hermes", [object()]), TypeError, r"tools\[0\] must be a dict, .*, not an object"),
        (lambda: Parser(), TypeError, "dialect"),
        (lambda: Parser("hermes").feed(3), TypeError, "a chunk is a str, bytes or an object with a buffer, not an int"),
        (lambda: Parser("hermes").parse(None), TypeError, "a chunk is a str, bytes or an object with a buffer, not None"),
        (lambda: Parser("hermes", tool_limit="two"), ValueError, "or None$"),
        (lambda: Parser("hermes", decode_entities=1), ValueError, "^decode_entities must be True or False$"),
        (lambda: markers("klein"), ValueError, "unknown dialect `klein`"),
        (lambda: markers("hermess"), ValueError, "did you mean `hermes`"),
        (lambda: reasoning_markers("hermess"), ValueError, "did you mean `hermes`"),
        (lambda: markers("Qwen/Qwen3-8B"), ValueError, r"a model, which writes `hermes` \(`for_model` says that\)"),
        (lambda: Message.from_json("{"), ValueError, "EOF"),
        (lambda: Message.from_json({"content": [{"type": "x"}]}), ValueError, "no block has the type"),
        (lambda: Parser("hermes").parse("a").to_request("klein"), ValueError, "unknown provider `klein`"),
    ],
)
def test_errors(build, error, what):
    with pytest.raises(error, match=what):
        build()


def test_a_value_that_holds_itself():
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="more than 128 levels"):
        Parser("hermes", [{"name": "x", "parameters": {"x": endless}}])


# Messages


def test_messages_as_json():
    message = Parser("hermes", [READ]).parse("<think>Hm.</think>I look.\n" + CALL)
    assert json.loads(message.json()) == message.to_json() == message.to_dict() == json.loads(json.dumps(message.to_dict()))
    assert message.content == [Reasoning("Hm."), TextContent("I look.\n"), *message.calls]
    cut = Parser("hermes", [READ]).parse("<tool_call>" + CALL[:40])
    assert cut.content[-1:] == cut.incomplete_calls
    assert [block["type"] for block in message.to_json()["content"]] == ["reasoning", "text", "tool_use"]
    assert pickle.loads(pickle.dumps(message)) == message == copy.copy(message)
    assert message != Parser("hermes").parse("I look.") and message != "I look."
    assert message.reasoning == "Hm." and not message.answered
    assert repr(message).startswith("<Message tool_use text='I look.\\n' calls=[Call(name='read', ")
    turn = message.to_request("anthropic")
    assert turn["role"] == "assistant" and turn["content"][-1]["input"] == {"path": "a.rs", "line": 7}


def test_the_reasoning_is_split_off_at_every_cut() -> None:
    parser = Parser("hermes")
    call = '<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>'
    text = f"<think>Hm \N{GRINNING FACE}.</think>{call}"
    for cut in range(len(text)):
        splitter = ReasoningSplitter(parser)
        reasoning = splitter.feed(text[:cut]) + splitter.feed(text[cut:])
        assert splitter.is_over
        assert (reasoning + splitter.finish(), splitter.take_rest(), splitter.rest) == ("Hm \N{GRINNING FACE}.", call, "")
    data = text.encode()
    for cut in range(len(data)):
        splitter = ReasoningSplitter(parser)
        reasoning = splitter.feed(data[:cut]) + splitter.feed(b"") + splitter.feed(data[cut:])
        assert (reasoning + splitter.finish(), splitter.rest) == ("Hm \N{GRINNING FACE}.", call)
    for last in (b"", "b", b"\xffb"):
        splitter = ReasoningSplitter(parser)
        reasoning = splitter.feed(b"<think>\xffa\xf0\x9f") + splitter.feed(last) + splitter.finish()
        assert reasoning == b"\xffa\xf0\x9f".decode(errors="replace") + (last if isinstance(last, str) else last.decode(errors="replace"))
    splitter = ReasoningSplitter(parser)
    assert splitter.feed("<think>a\ud83d") + splitter.feed("\ude00") + splitter.finish() == "a\N{GRINNING FACE}"


def test_the_tools_of_a_request_are_split():
    send = {"type": "function", "name": "send", "parameters": {"type": "object"}}
    mail = {"type": "namespace", "name": "mcp__mail", "tools": [send, {"type": "web_search"}]}
    declared, left_out = split_tools([mail, {"type": "local_shell"}])
    assert declared == [{**mail, "tools": [send]}]
    assert left_out == ["mcp__mail.web_search", "local_shell"]
    call = '<tool_call>{"name": "mcp__mail__send", "arguments": {}}</tool_call>'
    assert Parser("hermes", declared).parse(call).calls[0].name == "mcp__mail__send"
    assert split_tools(None) == ([], [])
