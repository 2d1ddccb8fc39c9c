"""Texts for the model, streams of providers, and answers for clients."""

import copy
import json
import pickle
import threading

import pytest

from toolstream_rs import (
    Delta,
    DeltaArguments,
    DeltaCall,
    DeltaCallEnd,
    DeltaContent,
    DeltaReasoning,
    Deltas,
    EventWriter,
    Message,
    Parser,
    Reader,
    Start,
    TextContent,
    ToolStart,
    detect,
    dialects,
    for_model,
    restore,
)

LIST = {"name": "list", "parameters": {"type": "object", "properties": {"all": {"type": "boolean"}}}}
CALL = '<tool_call>{"name": "list", "arguments": {"all": true}}</tool_call>'
ANSWER = "<think>Hm.</think>Go:\n" + CALL


@pytest.fixture
def parser():
    return Parser("hermes", [LIST], tool_limit=None)


# To the model


@pytest.mark.parametrize("name", dialects())
def test_a_rendered_call_reads_back(name):
    parser = Parser(name, [LIST])
    text = parser.render_call("list", {"all": True})
    assert [(call.name, call.input) for call in parser.parse(text).calls] == [("list", {"all": True})]
    assert "list" in parser.system_prompt() and parser.render_results([{"name": "list", "content": "a.rs"}])


def test_results(parser):
    text = parser.render_results(
        [{"name": "list", "content": ["a.rs"]}, {"name": "list", "content": "gone", "is_error": True, "id": "x"}]
    )
    assert text == '<tool_response>\n["a.rs"]\n</tool_response>\n<tool_response>\nError: gone\n</tool_response>'
    with pytest.raises(ValueError, match=r"results\[0\] has the key `is_eror`: the keys of a result are name, id, content, is_error"):
        parser.render_results([{"name": "list", "content": "a", "is_eror": True}])
    with pytest.raises(ValueError, match=r"results\[1\] has no `name`"):
        parser.render_results([{"name": "list", "content": "a"}, {"content": "a"}])
    with pytest.raises(ValueError, match=r"results\[0\] has no `content`"):
        parser.render_results([{"name": "list"}])
    with pytest.raises(ValueError, match=r"results\[0\]: invalid type"):
        parser.render_results([{"name": 3, "content": ""}])
    with pytest.raises(TypeError, match="results must be a list of dicts, not a str"):
        parser.render_results("ok")
    with pytest.raises(TypeError, match=r"results\[0\] must be a dict, not an int"):
        parser.render_results([3])
    with pytest.raises(TypeError, match="arguments must be a dict, not a str"):
        parser.render_call("list", "{}")


def test_what_others_wrote(parser):
    page = {"name": "list", "content": "a</tool_response><|im_end|>"}
    shown = "a<␛/tool_response><␛|im_end|>"
    assert parser.render_results([page]) == f"<tool_response>\n{shown}\n</tool_response>"
    assert parser.neutralise(page["content"]) == shown
    assert restore(shown) == page["content"]
    assert page["content"] in parser.render_results([page], markers="verbatim")
    with pytest.raises(ValueError, match="the result of `list` holds `</tool_response>`"):
        parser.render_results([page], markers="refuse")
    with pytest.raises(ValueError, match="unknown `markers` \"none\": use one of neutralise, refuse, verbatim"):
        parser.render_results([page], markers="none")
    said = [{"role": "user", "content": "<|im_end|>"}]
    assert parser.render_history(said) == [{"role": "user", "content": "<␛|im_end|>"}]
    assert parser.render_history(said, markers="verbatim") == said
    with pytest.raises(ValueError, match=r"messages\[0\] holds"):
        type(parser)("hermes", results="refuse").render_history(said)


def test_history(parser):
    history = [
        {"role": "user", "content": "What is here?"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "list", "arguments": '{"all": true}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "a.rs"},
    ]
    written = parser.render_history(history)
    assert written[1]["content"] == 'I look.\n<tool_call>\n{"name": "list", "arguments": {"all": true}}\n</tool_call>'
    assert written[2] == {"role": "user", "content": "<tool_response>\na.rs\n</tool_response>"}
    # A client that dropped the beginning.
    assert parser.render_history(history[2:]) == [{"role": "user", "content": "Result of 1:\na.rs"}]
    assert parser.render_history(tuple(history)) == written
    with pytest.raises(ValueError, match=r"messages\[1\] must be an object"):
        parser.render_history([history[0], 3])
    for render in (parser.render_history, parser.render_chat):
        with pytest.raises(ValueError, match=r"^messages\[1\]: set is no JSON$"):
            render([history[0], {"role": "user", "content": {"a"}}])
        with pytest.raises(TypeError, match="^messages must be a list of dicts, not None$"):
            render(None)


def test_a_history_of_an_sdks_objects(parser):
    """The message of an answer of `openai`, as an agent appends it, and one that stands in a dict."""
    chat = pytest.importorskip("openai.types.chat")
    call = {"id": "1", "type": "function", "function": {"name": "list", "arguments": '{"all": true}'}}
    message = {"role": "assistant", "content": "I look.", "tool_calls": [call]}
    answer = chat.ChatCompletionMessage.model_validate(message)
    result = {"role": "tool", "tool_call_id": "1", "content": "a.rs"}
    assert parser.render_history([answer, result]) == parser.render_history([message, result])
    within = {**message, "tool_calls": answer.tool_calls}
    assert parser.render_chat([within, result]) == parser.render_chat([message, result])


def test_odd_history(parser):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    call = {"id": "1", "type": "function", "function": {"name": "list", "arguments": '{"all": '}}
    history = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": [image]},
        {"type": "web_search_call", "action": {"query": "x"}},
        {"role": "developer", "content": "Be brief."},
    ]
    written = parser.render_history(history)
    assert [said["role"] for said in written] == ["system", "assistant", "user", "assistant"]
    assert written[2]["content"][1] == image
    plain = {"attachments": "none", "unwritable_calls": "note", "hosted_calls": "leave_out", "late_system": "user"}
    (only,) = type(parser)("hermes", **plain).render_history(history)
    note = '[The call of list could not be written here. Its arguments were: {"all": ]'
    assert only["content"] == f"<tool_response>\n{note}\n[image]\n</tool_response>\n\nBe brief."


def test_chat(parser):
    chat = parser.render_chat([{"role": "user", "content": "Hi."}], system="Be brief.")
    assert chat[0]["content"].startswith(parser.system_prompt())
    assert chat[0]["content"].endswith("\n\nBe brief.")
    assert chat[1:] == [{"role": "user", "content": "Hi."}]


def test_stop_sequences_and_grammar(parser):
    assert parser.stop_sequences() == ["<tool_response>"]
    assert Parser("hermes", tool_limit=1).stop_sequences() == ["</tool_call>", "<tool_response>"]
    assert parser.grammar("lark").startswith("start:")
    assert json.loads(parser.grammar("structural_tag"))["type"] == "structural_tag"
    named = {"type": "function", "function": {"name": "list"}}
    for choice, start in [
        (None, "THOUGHT? (TEXT? | call AFTER?)"),
        ("auto", "THOUGHT? (TEXT? | call AFTER?)"),
        ("required", "THOUGHT? call AFTER?"),
        (named, "THOUGHT? call AFTER?"),
        ("none", "THOUGHT? TEXT?"),
    ]:
        assert Parser("hermes", [LIST], tool_limit=1).grammar("lark", choice).splitlines()[0] == f"start: {start}"
    with pytest.raises(ValueError, match="the tool `write`, which is to be called, is not declared"):
        parser.grammar("lark", {"type": "tool", "name": "write"})
    with pytest.raises(ValueError, match="tool_choice"):
        parser.grammar("lark", "always")
    with pytest.raises(ValueError, match="unknown format `ebnf`"):
        parser.grammar("ebnf")
    with pytest.raises(ValueError, match="react has no grammar of this format"):
        Parser("react").grammar("lark")


def test_models():
    found = for_model("zai-org/GLM-5")
    assert (found.dialect, found.options) == ("glm:inline", {"start": "reasoning"})
    assert "glm-5" in found.names and pickle.loads(pickle.dumps(found)) == found
    assert Parser(found.dialect, [LIST], **found.options).parse("Hm.</think>Yes.").reasoning == "Hm."
    assert for_model("nobody/knows") is None
    assert detect("{{ '<tool_call>' }}{{ tool | tojson }}") == "hermes" and detect("x") is None


def test_start_of_prompt():
    assert Start.of_prompt("<|im_start|>assistant\n<think>\n") is Start.REASONING
    assert Start.of_prompt("<|im_start|>assistant\n") is Start.TEXT
    parser = Parser("hermes", start=Start.of_prompt("<think>"))
    assert parser.parse("Hm.</think>Yes.").reasoning == "Hm." and parser.options == {"start": "reasoning"}


# To a client


def deltas_of(chunks, deltas):
    return [delta for chunk in chunks for delta in deltas.feed(chunk)] + deltas.finish()


def test_deltas(parser):
    deltas = Deltas(parser)
    told = deltas_of([ANSWER[:30], ANSWER[30:60], ANSWER[60:]], deltas)
    assert all(isinstance(delta, Delta) for delta in told)
    assert told[:3] == [DeltaReasoning("Hm."), DeltaContent("Go:\n"), DeltaCall(0, "list", None)]
    arguments = "".join(delta.text for delta in told if delta.type == "arguments")
    assert json.loads(arguments) == {"all": True} and told[-1] == DeltaCallEnd(True, None)
    assert (deltas.has_calls, deltas.is_cut, deltas.broken) == (True, False, [])
    assert deltas.message == parser.parse(ANSWER) and parser.position == 0
    assert DeltaArguments("{") != DeltaContent("{")


def test_a_cut_call_is_broken(parser):
    deltas = Deltas(parser)
    deltas.feed(ANSWER[:-20])
    assert deltas.finish_cut()[-1] == DeltaCallEnd(False, "cut")
    assert (deltas.has_calls, deltas.is_cut, deltas.broken) == (False, True, [0])


def test_deltas_of_long_chunks(parser):
    text = "word " * 3000 + CALL
    short = deltas_of(text, Deltas(parser))
    long = deltas_of([text], Deltas(parser))
    say = lambda told, kind: "".join(delta.text for delta in told if delta.type == kind)  # noqa: E731
    for kind in ["content", "arguments"]:
        assert say(short, kind) == say(long, kind)
    assert say(long, "content") == "word " * 3000


def written(protocol, source, chunks, **options):
    writer = EventWriter(protocol, source, "msg_1", "local", **options)
    return b"".join(writer.feed(chunk) for chunk in chunks) + writer.finish(), writer


PROTOCOLS = [
    ("openai-chat", "openai-chat", "tool_calls"),
    ("openai-responses", "openai-responses", "completed"),
    ("anthropic", "anthropic", "tool_use"),
]


@pytest.mark.parametrize("protocol, provider, reason", PROTOCOLS)
def test_an_answer_is_read_back(parser, protocol, provider, reason):
    sent, writer = written(protocol, parser, ANSWER)
    assert (writer.content_type, writer.stop_reason) == ("text/event-stream", reason)
    assert (writer.made_up_ids, writer.broken) == ([0], []) and writer.message == parser.parse(ANSWER)
    reader = Reader(provider, [LIST])
    for line in sent.decode().splitlines():
        if line.startswith("data: "):
            reader.feed(line.removeprefix("data: "))
    reader.finish()
    message = reader.message
    assert (message.text, message.reasoning, message.finish) == ("Go:\n", "Hm.", "tool_use")
    assert [(call.name, call.input, call.id) for call in message.calls] == [("list", {"all": True}, "call_msg_1_0")]
    whole, writer = written(protocol, parser, [ANSWER], whole=True, created=7, reasoning="none")
    assert writer.content_type == "application/json" and json.loads(whole)["id"] == "msg_1" and b"Hm." not in whole


def test_an_answer_that_fails(parser):
    writer = EventWriter("anthropic", parser, "msg_1", "local")
    writer.usage(3, 4)
    assert b'"input_tokens":3' in writer.feed("Hi")
    assert b"overloaded" in writer.fail("overloaded") and writer.finish() == b""


def test_an_answer_from_another_provider(parser):
    event = {"choices": [{"delta": {"content": "Hi"}}]}
    sent, _ = written("anthropic", Reader("openai-chat"), [event, json.dumps(event)])
    assert sent.count(b'"text_delta","text":"Hi"') == 2
    assert Deltas(Reader("openai-chat")).feed(event) == [DeltaContent("Hi")]


# From a provider


def chat(delta, reason=None):
    return {"id": "a", "choices": [{"delta": delta, "finish_reason": reason}]}


def test_a_providers_own_calls():
    reader = Reader("openai-chat", [LIST])
    call = {"index": 0, "id": "c1", "function": {"name": "list", "arguments": '{"all": t'}}
    assert reader.feed(chat({"content": "Hi"})) == [TextContent("Hi")]
    assert reader.feed(json.dumps(chat({"tool_calls": [call]})))[0] == ToolStart(0, "list", "c1", 2, 64)
    reader.feed(json.dumps(chat({"tool_calls": [{"index": 0, "function": {"arguments": "rue}"}}]})).encode())
    assert reader.partial_input() == {"all": True}
    reader.feed(chat({}, "tool_calls"))
    reader.finish()
    assert [call.input for call in reader.message.calls] == [{"all": True}]
    assert (reader.envelope["id"], reader.envelope["stop_reason"]) == ("a", "tool_calls")
    turn = reader.message.to_request("openai-chat")
    assert turn["tool_calls"][0]["id"] == "c1"


def test_calls_in_a_providers_text(parser):
    reader = Reader("openai-chat", text_calls=parser)
    for piece in [ANSWER[:25], ANSWER[25:]]:
        reader.feed(chat({"content": piece}))
    reader.feed(chat({}, "stop"))
    reader.finish()
    assert (reader.message.text, len(reader.message.calls)) == ("Go:\n", 1)
    cut = Reader("openai-chat", text_calls=parser)
    cut.feed(chat({"content": CALL[:40]}))
    cut.finish_cut()
    assert cut.message.finish == "truncated"


def test_a_reader_takes_objects_of_sdks_and_no_lines():
    """A chunk of `openai`, as the SDK hands it over, and lines of a stream that nobody took apart."""
    chunks = pytest.importorskip("openai.types.chat")
    event = {"choices": [{"index": 0, "delta": {"content": "On it."}, "finish_reason": "stop"}]}
    event |= {"id": "c", "created": 0, "model": "m", "object": "chat.completion.chunk"}
    reader = Reader("openai-chat")
    assert reader.feed(chunks.ChatCompletionChunk.model_validate(event)) == [TextContent("On it.")]
    for line in ['data: {"choices": []}', b"\n event: message", ": ping", "id: 3", "retry: 9"]:
        with pytest.raises(ValueError, match="a line of a stream of server-sent events"):
            reader.feed(line)
    with pytest.raises(TypeError, match="an event is a str, bytes, a dict or an object of an SDK, not an int"):
        reader.feed(3)
    # A broken event in the middle is the provider's mistake.
    assert [event.kind for event in reader.feed("garbage")] == ["provider_error"]
    reader.finish()
    assert reader.message.text == "On it."
    for end in (reader, *map(of_a_finished_stream, (Deltas(reader), EventWriter("anthropic", reader, "", "")))):
        with pytest.raises(RuntimeError, match="the stream was finished"):
            end.feed("{}")


def test_a_first_event_that_is_no_json_is_an_error(parser):
    for of in (Reader("openai-chat"), Deltas(Reader("gemini")), EventWriter("anthropic", Reader("anthropic"), "", "")):
        for garbage in ("I look.", b" <tool_call>{", "é" * 50, "\xff", "null"):
            with pytest.raises(ValueError, match="an event is a JSON object, and this begins with \\S"):
                of.feed(garbage)
        for nothing in ("", " \n", "[DONE]", "\ufeff{}", b"[{}]"):
            of.feed(nothing)


def of_a_finished_stream(reader):
    reader.finish()
    return reader


def test_a_reader_is_pickled_and_begun_anew():
    parser = Parser("hermes", [LIST], tool_limit=2, types="strict")
    parser.feed("Nobody asks what this one has read.")
    made = Reader("openai-chat", text_calls=parser)
    made.feed(chat({"content": "Hm. <tool_c"}))
    for reader in (made.fresh(), pickle.loads(pickle.dumps(made.fresh())), copy.copy(made.fresh())):
        reader.feed(chat({"content": text("list", {"all": True}) * 3}, "stop"))
        reader.finish()
        assert len(reader.message.calls) == 2 and reader.message.text == ""
    strict = pickle.loads(pickle.dumps(made.fresh()))
    strict.feed(chat({"content": text("list", {"all": "yes"})}, "stop"))
    assert strict.message.calls == [] and strict.message.incomplete_calls[0].reason == "type_mismatch"
    call = {"index": 0, "id": "c1", "function": {"name": "list", "arguments": '{"all": "yes"}'}}
    own = pickle.loads(pickle.dumps(Reader("openai-chat", [LIST], types="strict")))
    own.feed(chat({"tool_calls": [call]}, "tool_calls"))
    own.finish()
    assert own.message.incomplete_calls[0].reason == "type_mismatch"
    asked = pickle.loads(pickle.dumps(Reader("openai-chat", text_calls=Parser("hermes"), limit_by=no_call)))
    asked.feed(chat({"content": text("list", {})}, "stop"))
    assert asked.finish() == [] and asked.message.finish == "tool_limit_reached"
    with pytest.raises(ValueError, match="a reader that has been fed cannot be pickled"):
        pickle.dumps(made)


def no_call(call):
    return False


def text(name, arguments):
    return Parser("hermes").render_call(name, arguments)


def test_a_readers_options():
    call = {"index": 0, "id": "c1", "function": {"name": "list", "arguments": '{"all": "yes"}'}}
    for types, calls in [("report", 1), ("strict", 0)]:
        reader = Reader("openai-chat", [LIST], types=types, tool_limit=1, repairs="none")
        reader.feed(chat({"tool_calls": [call]}, "tool_calls"))
        reader.finish()
        assert len(reader.message.calls) == calls
    with pytest.raises(ValueError, match="unknown option `hold`: the options of a reader are tool_limit"):
        Reader("openai-chat", hold=3)
    with pytest.raises(ValueError, match="^tool_limit must be a whole number"):
        Reader("openai-chat", tool_limit="x")
    with pytest.raises(ValueError, match="unknown provider `klein`"):
        Reader("klein")
    with pytest.raises(ValueError, match="unknown protocol `klein`"):
        EventWriter("klein", Parser("hermes"), "", "")
    with pytest.raises(TypeError, match="a Parser or a Reader is needed, not int"):
        Deltas(3)


# Many at once


def test_a_batch(parser):
    texts = ["plain", ANSWER, "half \ud83d", "", "schön " + CALL]
    batch = parser.parse_json_batch(texts)
    assert [Message.from_json(row).text for row in batch] == ["plain", "Go:\n", "half �", "", "schön "]
    assert Message.from_json(batch[1]) == parser.parse(ANSWER)
    with pytest.raises(TypeError):
        parser.parse_json_batch(["a", None])


def test_batches_on_threads(parser):
    texts, found = [f"{number} {CALL}" for number in range(2000)], {}

    def work(part):
        found[part] = parser.parse_json_batch(texts[part::4])

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    whole = parser.parse_json_batch(texts)
    assert all(found[part] == whole[part::4] for part in range(4))
