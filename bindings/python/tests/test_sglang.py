"""The two parsers for SGLang: streamed and whole answers say what a `Parser` says, at every cut."""

import importlib.metadata
import json

import pytest
import sglang_stand_in as sglang
from stand_in import (
    HERMES_CALL,
    NAMED,
    READ_FILE,
    check_without_server,
    cuts,
    expected,
    some_of_every_dialect,
    tools_of,
)

from toolstream_rs import Parser, dialects

sglang.install()
(entry,) = importlib.metadata.entry_points(group="sglang.srt.plugins")
entry.load()()


def serving(dialect, declared, *, reasoning=True, calls=True, **options):
    name = f"toolstream_{dialect}"
    tools = tools_of(declared)
    return sglang.Serving(tools, reasoning and name, calls and name, **options)


def streamed(server, chunks):
    reasoning = content = ""
    calls = []
    for number, chunk in enumerate(chunks):
        more, text, items = server.stream(chunk, number == len(chunks) - 1)
        reasoning, content = reasoning + more, content + text
        for item in items:
            if item.name:
                assert item.tool_index == len(calls)
                calls.append([item.name, ""])
            assert item.tool_index == len(calls) - 1
            calls[-1][1] += item.parameters
    return reasoning, content, calls


def whole(server, text):
    reasoning, content, calls = server.parse(text)
    return reasoning, content, [[item.name, item.parameters] for item in calls]


def check(dialect, declared, text, start="text", **options):
    tools = [tool.model_dump() for tool in tools_of(declared)]
    (reasoning, content, calls), broken, message = expected(dialect, tools, text, start)
    calls = [call[1:] for call in calls]
    runnable = [call for number, call in enumerate(calls) if number not in broken]
    got = whole(serving(dialect, declared, **options), text)
    assert got[1:] == (content, runnable)
    # The first reasoning, if the answer begins with it.
    blocks = message.to_json()["content"]
    kinds = [block["type"] for block in blocks if block.get("text", "-").strip()]
    assert reasoning.startswith(got[0]) and bool(got[0]) == (kinds[:1] == ["reasoning"])
    if kinds[:1] == ["reasoning"] and kinds.count("reasoning") == 1:
        assert got[0] == reasoning
    for chunks in cuts(text):
        assert streamed(serving(dialect, declared, **options), chunks) == (got[0], content, calls), chunks


# Reasoning that a call ends, which only the tools tell.
NOT_HAD = {"x-glm-062", "x-tool-call-038"}


@pytest.mark.parametrize("vector", some_of_every_dialect(4, without=NOT_HAD))
def test_vector(vector):
    check(vector["dialect"], vector.get("tools") or [{"name": "-"}], vector["input"])


@pytest.mark.parametrize("dialect", ["hermes", "kimi-k2", "qwen3-coder", "glm", "deepseek-v31", "minimax-m2", "cline"])
@pytest.mark.parametrize("between", ["", "\n\n", "Go:\n"])
def test_a_call_after_the_reasoning(dialect, between):
    call = Parser(dialect, [READ_FILE], tool_limit=None).render_call("read_file", {"path": "a.rs"})
    answer = f"Hm.\n</think>{between}{call}\n"
    check(dialect, [READ_FILE], "<think>\n" + answer)
    # The prompt has opened the reasoning; the model may say it once more.
    check(dialect, [READ_FILE], answer, "reasoning", force_reasoning=True)
    check(dialect, [READ_FILE], "<think>\n" + answer, "reasoning", force_reasoning=True)
    # A message that the client has begun.
    begun = {"continue_final_message": True, "force_reasoning": True}
    check(dialect, [READ_FILE], answer, "reasoning", previous_content="<think>\nH", **begun)
    check(dialect, [READ_FILE], between + call, "text", previous_content="<think>\nH</think>", **begun)


def test_reasoning_that_no_closer_ends():
    check("hermes", [READ_FILE], "Hm." + HERMES_CALL, "reasoning", force_reasoning=True)
    check("hermes", [READ_FILE], "Hm, and on", "reasoning", force_reasoning=True)


def test_half_of_the_plugin():
    text = "<think>Hm.</think>Go: " + HERMES_CALL
    for half, want in [
        ({"reasoning": False}, ("", "Go: ", [["read_file", '{"path":"a.rs"}']])),
        ({"calls": False}, ("Hm.", "Go: " + HERMES_CALL, [])),
    ]:
        assert whole(serving("hermes", [READ_FILE], **half), text) == want
        for chunks in cuts(text):
            assert streamed(serving("hermes", [READ_FILE], **half), chunks) == want
    assert whole(serving("hermes", []), text) == ("Hm.", "Go: " + HERMES_CALL, [])


@pytest.mark.parametrize("dialect", dialects())
def test_whatever_holds_a_call_is_read(dialect):
    call = Parser(dialect, [READ_FILE]).render_call("read_file", {"path": "a"})
    detector = sglang.FunctionCallParser.ToolCallParserEnum[f"toolstream_{dialect}"]()
    assert detector.has_tool_call(call) and not detector.has_tool_call("Nothing, to say the least.")


def test_a_call_that_was_cut_off():
    text = "Go: " + HERMES_CALL[:60]
    assert whole(serving("hermes", [READ_FILE]), text) == ("", "Go: ", [])
    for chunks in cuts(text):
        server = serving("hermes", [READ_FILE])
        assert streamed(server, chunks) == ("", "Go: ", [["read_file", '{"path":"a.rs']])
        assert server.calls.incomplete_tool_call_indices == {0}
    server = serving("hermes", [READ_FILE])
    streamed(server, [HERMES_CALL])
    assert not server.calls.incomplete_tool_call_indices


def test_reasoning_that_is_not_streamed():
    answer, options = "<think>Hm, so.</think>Go.", {"calls": False, "stream_reasoning": False}
    for chunks in cuts(answer):
        server = serving("hermes", [READ_FILE], **options)
        told = [server.stream(chunk, chunk is chunks[-1])[0] for chunk in chunks]
        assert [reasoning for reasoning in told if reasoning] == ["Hm, so."]
    assert streamed(serving("hermes", [READ_FILE], **options), list("<think>Hm, s")) == ("Hm, s", "", [])


def test_an_answer_of_reasoning_alone_as_content():
    options = {"calls": False, "force_nonempty_content": True}
    for cut_off in ("<think>Hm, s", "<think>Hm, so.</think>"):
        said = "Hm, s" if cut_off.endswith("s") else "Hm, so."
        assert whole(serving("hermes", [READ_FILE], **options), cut_off) == ("", said, [])
    for streams in (True, False):
        _, content, _ = streamed(serving("hermes", [], stream_reasoning=streams, **options), list("<think>Hm, s"))
        assert content == "Hm, s"
    full = ("Hm.", "Go.", [])
    assert streamed(serving("hermes", [], **options), list("<think>Hm.</think>Go.")) == full
    assert whole(serving("hermes", [], **options), "<think>Hm.</think>Go.") == full


@pytest.mark.parametrize(
    "choice, several, times, names",
    [
        ("required", True, (1, -1), ["list", "read_file"]),
        ("required", False, (1, 1), ["list", "read_file"]),
        ("auto", True, (0, -1), ["list", "read_file"]),
        (NAMED, True, (1, 1), ["list"]),
    ],
)
def test_a_call_that_is_forced(xgrammar, choice, several, times, names):
    tools, grammars = tools_of([READ_FILE, {"name": "list"}]), 0
    for dialect in dialects():
        detector = sglang.FunctionCallParser.ToolCallParserEnum[f"toolstream_{dialect}"]()
        tag = detector.get_structural_tag(tools, choice, parallel_tool_calls=several)
        # Without a grammar SGLang forces bare JSON, and reads it.
        assert (tag is not None) == detector.supports_structural_tag() and not detector.parses_required_natively()
        if tag is None:
            continue
        grammars += 1
        calls = tag.model_dump()["format"]["elements"][-1]
        assert (calls["type"], (calls["min"], calls["max"])) == ("repeat", times)
        # Texts that an answer must not hold differ from names that may be called.
        called = json.dumps(json.loads(json.dumps(calls), object_hook=lambda node: {**node, "excludes": []}))
        assert ["list" in called, "read_file" in called] == [True, "read_file" in names]
    assert grammars > 30


class Tokenizer:
    """A token is a character."""

    def encode(self, text, add_special_tokens):
        assert add_special_tokens is False
        return [ord(character) for character in text]


@pytest.mark.parametrize(
    "dialect, opener, closer",
    [
        ("hermes", "<think>", "</think>"),
        ("mistral", "[THINK]", "[/THINK]"),
        ("gemma4", "<|channel>thought", "<channel|>"),
        ("harmony", "", ""),
        ("llama3-json", "", ""),
    ],
)
def test_where_a_grammar_begins(dialect, opener, closer):
    detector = sglang.ReasoningParser.DetectorMap[f"toolstream_{dialect}"]()
    assert (detector.think_start_token, detector.think_end_token) == (opener, closer)
    assert detector.get_think_end_token_ids(Tokenizer()) == [ord(character) for character in closer]
    assert detector.reasoning_default is None


def test_it_is_known_by_its_names_once():
    entry.load()()
    names = [f"toolstream_{dialect}" for dialect in dialects()]
    assert names == sglang.TOOL_CALL_PARSER_NAMES == sglang.REASONING_PARSER_NAMES


def test_without_sglang():
    check_without_server("sglang", "toolstream_rs.sglang needs SGLang 0.5.23, or one with the same interfaces: ")
