"""The two parsers for vLLM: streamed and whole answers say what a `Parser` says, at every cut."""

import json
import sys

import pytest
import vllm_stand_in as vllm
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

vllm.install()
import toolstream_rs.vllm  # noqa: E402, F401

def parsers(dialect, tools, *, reasoning=True, calls=True):
    name = f"toolstream_{dialect}"
    return vllm.Delegating(
        tools,
        vllm.ReasoningParserManager.registered[name] if reasoning else None,
        vllm.ToolParserManager.registered[name] if calls else None,
    )


def ids(text):
    return [ord(character) for character in text]


def streamed(parser, chunks, request, prompt=""):
    content = reasoning = ""
    calls = []
    for number, chunk in enumerate(chunks):
        said = parser.parse_delta(chunk, request, ids(prompt), number == len(chunks) - 1)
        content += said.content or ""
        reasoning += said.reasoning or ""
        for call in said.tool_calls:
            if call.id:
                assert call.index == len(calls) and call.type == "function"
                calls.append([call.id, call.function.name, ""])
            else:
                assert call.index == len(calls) - 1 and call.function.name is None
            calls[-1][2] += call.function.arguments
    return reasoning, content, calls


def whole(parser, text, request, prompt=""):
    reasoning, content, calls = parser.parse(text, request, ids(prompt))
    return reasoning or "", content or "", [[given, call.name, call.arguments] for given, call in calls]


def no_made_up(answer):
    """An id that the model did not write is another each time."""
    reasoning, content, calls = answer
    return reasoning, content, [[None if given.startswith("made-up") else given, *call] for given, *call in calls]


def check(dialect, declared, text, start="text", prompt=""):
    tools = tools_of(declared)
    request = vllm.Request(tools)
    want, broken, message = expected(dialect, [tool.model_dump() for tool in tools], text, start)
    assert [call[1] for number, call in enumerate(want[2]) if number not in broken] == [c.name for c in message.calls]
    runnable = [call for number, call in enumerate(want[2]) if number not in broken]
    assert [json.loads(call[2]) for call in runnable] == [call.input for call in message.calls]
    got = no_made_up(whole(parsers(dialect, tools), text, request, prompt))
    assert got == (want[0], want[1], runnable)
    for chunks in cuts(text):
        assert no_made_up(streamed(parsers(dialect, tools), chunks, request, prompt)) == want, chunks


# Text before the reasoning, or a single marker with its closer, is not seen from behind it.
NOT_HAD = {"x-react-051", "x-react-052", "react-023", "w3z-muse-09"}


@pytest.mark.parametrize("vector", some_of_every_dialect(8, without=NOT_HAD))
def test_vector(vector):
    check(vector["dialect"], vector.get("tools"), vector["input"])


@pytest.mark.parametrize("dialect", dialects())
def test_every_dialect_constructs_without_tools(dialect):
    assert whole(parsers(dialect, None), "Hi.", vllm.Request()) == ("", "Hi.", [])


@pytest.mark.parametrize("dialect", ["hermes", "kimi-k2", "qwen3-coder", "glm", "deepseek-v31", "minimax-m2", "cline"])
@pytest.mark.parametrize("between", ["", "\n\n", "Go:\n"])
def test_a_call_after_the_reasoning(dialect, between):
    call = Parser(dialect, [READ_FILE], tool_limit=None).render_call("read_file", {"path": "a.rs"})
    answer = f"Hm.\n</think>{between}{call}\n"
    check(dialect, [READ_FILE], "<think>\n" + answer)
    # The prompt has opened the reasoning, or has closed it.
    check(dialect, [READ_FILE], answer, "reasoning", "<|im_start|>assistant\n<think>\n")
    check(dialect, [READ_FILE], between + call, "text", "<|im_start|>assistant\n<think>\n\n</think>\n\n")


def test_reasoning_that_no_closer_ends():
    check("hermes", [READ_FILE], "Hm." + HERMES_CALL, "reasoning", "<think>")
    check("hermes", [READ_FILE], "Hm, and on", "reasoning", "<think>")
    check("hermes", [READ_FILE], "<think>One.</think>Two.<think>Three.</think>" + HERMES_CALL)


def test_ids_are_the_models():
    text = Parser("kimi-k2", [READ_FILE]).render_call("read_file", {"path": "a.rs"})
    tools = tools_of([READ_FILE])
    for answer in (
        whole(parsers("kimi-k2", tools), text, vllm.Request(tools)),
        streamed(parsers("kimi-k2", tools), text, vllm.Request(tools)),
    ):
        assert answer[2] == [["functions.read_file:0", "read_file", '{"path":"a.rs"}']]
    made = [whole(parsers("hermes", tools), HERMES_CALL, vllm.Request(tools))[2][0][0] for _ in range(2)]
    assert made[0] != made[1]


def test_half_of_the_plugin():
    tools, text = tools_of([READ_FILE]), "<think>Hm.</think>Go: " + HERMES_CALL
    request = vllm.Request(tools)
    call = [[None, "read_file", '{"path":"a.rs"}']]
    for reasoning, calls, want in [(False, True, ("", "Go: ", call)), (True, False, ("Hm.", "Go: " + HERMES_CALL, []))]:
        half = lambda: parsers("hermes", tools, reasoning=reasoning, calls=calls)  # noqa: B023, E731
        assert no_made_up(whole(half(), text, request)) == want
        for chunks in cuts(text):
            assert no_made_up(streamed(half(), chunks, request)) == want


def test_only_the_reasonings_own_markup_is_taken_off():
    rest = "<|begin|>assistant<|content|>Hi.<|end|>"
    text = "<|think|>Hm.<|end|>" + rest
    for chunks in cuts(text):
        parser = parsers("solar-open", None, calls=False)
        assert streamed(parser, chunks, vllm.Request()) == ("Hm.", rest, [])


def test_a_call_that_was_cut_off():
    tools, text = tools_of([READ_FILE]), "Go: " + HERMES_CALL[:60]
    assert whole(parsers("hermes", tools), text, vllm.Request(tools)) == ("", "Go: ", [])
    for chunks in cuts(text):
        reasoning, content, calls = no_made_up(streamed(parsers("hermes", tools), chunks, vllm.Request(tools)))
        assert (reasoning, content, calls) == ("", "Go: ", [[None, "read_file", '{"path":"a.rs']])


def adjusted(dialect, choice, **fields):
    tools = tools_of([READ_FILE, {"name": "list"}])
    request = vllm.Request(tools, choice, response_format="text", **fields)
    return parsers(dialect, tools).tools.adjust_request(request)


@pytest.mark.parametrize(
    "choice, fields, times, names",
    [
        ("required", {}, (1, -1), ["list", "read_file"]),
        ("required", {"parallel_tool_calls": False}, (1, 1), ["list", "read_file"]),
        (NAMED, {}, (1, 1), ["list"]),
    ],
)
def test_a_call_that_is_forced(xgrammar, choice, fields, times, names):
    for dialect in dialects():
        try:
            Parser(dialect, [READ_FILE]).grammar("structural_tag")
        except ValueError:
            assert adjusted(dialect, choice, **fields).structured_outputs is None
            continue
        request = adjusted(dialect, choice, **fields)
        tag = request.structured_outputs.structural_tag
        *before, text, calls = json.loads(tag)["format"]["elements"]
        assert [reasoning["type"] for reasoning in before] in (["optional"], [])
        assert (text["type"], calls["type"], (calls["min"], calls["max"])) == ("any_text", "repeat", times)
        # Texts that an answer must not hold differ from names that may be called.
        called = json.dumps(json.loads(tag, object_hook=lambda node: {**node, "excludes": []}))
        assert ["list" in called, "read_file" in called] == [True, "read_file" in names]
        assert request.response_format is None and request.skip_special_tokens is False


def test_a_call_that_is_not_forced(xgrammar, monkeypatch):
    for choice in ["auto", "none", None]:
        request = adjusted("hermes", choice)
        assert request.structured_outputs is None and request.response_format == "text"
        assert request.skip_special_tokens is False
    monkeypatch.setattr(sys.modules["vllm.envs"], "VLLM_ENFORCE_STRICT_TOOL_CALLING", False)
    assert adjusted("hermes", "required").structured_outputs is None


def test_where_a_grammar_begins():
    parser = parsers("hermes", None).reasoning
    assert parser.is_reasoning_end(ids("<think>\n\n</think>\n\n")) and not parser.is_reasoning_end(ids("Hi. <think>"))
    text = "Hm.</think>\nGo"
    ends = [parser.is_reasoning_end_streaming(ids(text[: at + 1]), ids(text[at])) for at in range(len(text))]
    assert [at for at, end in enumerate(ends) if end] == [text.index(">")]
    assert parser.is_reasoning_end_streaming(ids(text), ids(text)) and parser.extract_content_ids([1]) == [1]


def test_without_vllm():
    check_without_server("vllm", "toolstream_rs.vllm needs vLLM 0.33, or one with the same interfaces: ")
