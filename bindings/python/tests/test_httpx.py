"""The transport: the official client, sync and async, against a server that knows nothing of tools."""

import asyncio
import json

import pytest
from scripted_server import SAID, Server, running

httpx = pytest.importorskip("httpx")
httpx2 = pytest.importorskip("httpx2")
openai = pytest.importorskip("openai")

import toolstream_rs.httpx  # noqa: E402
import toolstream_rs.httpx2  # noqa: E402

# The official client speaks through httpx2, and through whatever has its interface.
TRANSPORTS = {httpx: toolstream_rs.httpx.Transport, httpx2: toolstream_rs.httpx2.Transport}
Transport = toolstream_rs.httpx2.Transport

TOOL = {
    "type": "function",
    "function": {
        "name": "read",
        "description": "Reads a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
}


def ask(server, stream=False, asynchronous=False, http=httpx2, transport=None, **request):
    """The answer as the official client reads it: the message, the finish reason, and the usage."""
    request = {"model": "local", "messages": [{"role": "user", "content": "Go."}], "tools": [TOOL]} | request
    transport = transport or TRANSPORTS[http]("hermes")
    if stream:
        request["stream"], request["stream_options"] = True, {"include_usage": True}
    with running(server) as url:
        options = {"base_url": url, "api_key": "-", "max_retries": 0}
        if not asynchronous:
            client = openai.OpenAI(http_client=http.Client(transport=transport), **options)
            answer = client.chat.completions.create(**request)
            return joined(list(answer)) if stream else whole(answer)

        async def talk():
            client = openai.AsyncOpenAI(http_client=http.AsyncClient(transport=transport), **options)
            answer = await client.chat.completions.create(**request)
            return joined([chunk async for chunk in answer]) if stream else whole(answer)

        return asyncio.run(talk())


def whole(answer):
    message, calls = answer.choices[0].message, answer.choices[0].message.tool_calls or []
    return {
        "text": message.content or "",
        "reasoning": getattr(message, "reasoning_content", ""),
        "calls": [(call.function.name, json.loads(call.function.arguments), call.id) for call in calls],
        "finish": answer.choices[0].finish_reason,
        "usage": (answer.usage.prompt_tokens, answer.usage.completion_tokens),
        "head": (answer.id, answer.created, answer.model),
    }


def joined(chunks):
    said = {"text": "", "reasoning": "", "calls": [], "finish": None, "usage": None}
    for chunk in chunks:
        said["head"] = (chunk.id, chunk.created, chunk.model)
        if chunk.usage:
            said["usage"] = (chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
        for choice in chunk.choices:
            said["text"] += choice.delta.content or ""
            said["reasoning"] += getattr(choice.delta, "reasoning_content", None) or ""
            said["finish"] = choice.finish_reason or said["finish"]
            for call in choice.delta.tool_calls or []:
                if call.id:
                    said["calls"].append([call.function.name, "", call.id])
                said["calls"][-1][1] += call.function.arguments or ""
    said["calls"] = [(name, json.loads(arguments), id) for name, arguments, id in said["calls"]]
    return said


WAYS = [(stream, asynchronous) for stream in (False, True) for asynchronous in (False, True)]


@pytest.mark.parametrize("stream, asynchronous", WAYS)
@pytest.mark.parametrize("http, compressed", [(httpx, False), (httpx2, False), (httpx2, True)])
def test_a_call(stream, asynchronous, http, compressed):
    server = Server(compressed=compressed)
    assert ask(server, stream, asynchronous, http) == {
        "text": "I look. 😀\n",
        "reasoning": "Hm.",
        "calls": [("read", {"path": "ä.rs"}, "call_chatcmpl-7_0")],
        "finish": "tool_calls",
        "usage": (3, 4),
        "head": ("chatcmpl-7", 17, "local"),
    }
    (asked,) = server.asked
    assert "tools" not in asked and asked["stop"] == ["<tool_response>"]
    assert [said["role"] for said in asked["messages"]] == ["system", "user"]
    assert "Reads a file." in asked["messages"][0]["content"]


@pytest.mark.parametrize("stream, asynchronous", WAYS)
def test_a_call_that_was_cut_does_not_run(stream, asynchronous):
    server = Server(text=SAID[:-25], finish="length")
    if stream:
        with pytest.raises(json.JSONDecodeError):  # The arguments have no end.
            ask(server, stream, asynchronous)
    else:
        said = ask(server, stream, asynchronous)
        assert (said["calls"], said["finish"]) == ([], "length")


@pytest.mark.parametrize("stream, asynchronous", WAYS)
def test_a_broken_call_is_written_as_asked(stream, asynchronous):
    broken = SAID.replace('"ä.rs"', "ä.rs")
    said = ask(Server(text=broken), stream, asynchronous, transport=Transport("hermes", broken="text"))
    assert (said["calls"], said["finish"]) == ([], "stop") and "<tool_call>" in said["text"]
    said = ask(Server(text=broken), stream, asynchronous, transport=Transport("hermes", broken="hide"))
    assert (said["calls"], said["finish"], said["text"].strip()) == ([], "stop", "I look. 😀")
    # Its arguments, as a call, are no JSON.
    with pytest.raises(json.JSONDecodeError):
        ask(Server(text=broken), stream, asynchronous)


def test_a_stream_that_ends_without_a_word():
    server = Server()
    server.events = [line for line in server.lines() if "[DONE]" not in line and '"stop"' not in line][:-7]
    with pytest.raises(json.JSONDecodeError):
        ask(server, stream=True)
    server = Server(text="Hi")
    server.events = [line for line in server.lines() if "[DONE]" not in line and '"stop"' not in line]
    assert ask(server, stream=True)["finish"] == "length"


@pytest.mark.parametrize("system", [{"role": "system", "content": "Be brief."}, {"role": "developer", "content": []}])
def test_the_history_and_the_prompt(system):
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.rs"}'}}
    server = Server(text="It is empty.")
    said = ask(
        server,
        messages=[
            system,
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "fn main"},
        ],
        stop="END",
        parallel_tool_calls=False,
    )
    assert (said["text"], said["finish"], said["calls"]) == ("It is empty.", "stop", [])
    (asked,) = server.asked
    assert [message["role"] for message in asked["messages"]] == ["system", "user", "assistant", "user"]
    assert "Reads a file." in json.dumps(asked["messages"][0]) and asked["stop"][0] == "END"
    assert asked["messages"][2]["content"].startswith('<tool_call>\n{"name": "read"')
    assert asked["messages"][3]["content"] == "<tool_response>\nfn main\n</tool_response>"
    assert "parallel_tool_calls" not in asked and "</tool_call>" in asked["stop"]


def test_how_many_calls():
    twice = SAID + SAID[SAID.index("<tool_call>") :]
    assert len(ask(Server(text=twice))["calls"]) == 2
    assert len(ask(Server(text=twice), parallel_tool_calls=False)["calls"]) == 1
    assert len(ask(Server(text=twice), transport=Transport("hermes", tool_limit=1))["calls"]) == 1


@pytest.mark.filterwarnings("error")
def test_tools_of_a_provider_are_left_out_with_a_warning():
    server = Server()
    with pytest.warns(UserWarning, match="web_search"):
        assert ask(server, tools=[TOOL, {"type": "web_search"}])["finish"] == "tool_calls"
    assert "Reads a file." in json.dumps(server.asked[0]["messages"][0])


def test_no_calls_are_wanted():
    said = ask(Server(), tool_choice="none")
    assert said["text"] == SAID and said["calls"] == []
    server = Server()
    assert ask(server, tools=[])["text"] == SAID
    assert server.asked[0]["messages"] == [{"role": "user", "content": "Go."}]
    with pytest.raises(Exception, match="several|Connection"):
        ask(Server(), n=2)


def test_errors_pass():
    with pytest.raises(openai.InternalServerError):
        ask(Server(status=500))
    events = ['data: {"error": {"message": "overloaded"}}']
    with pytest.raises(openai.APIError, match="overloaded"):
        ask(Server(events=events), stream=True)


def test_comments_pass_and_nothing_waits():
    sent = [": ping"] + Server(text="one two").lines()
    seen = []

    class Inner(httpx2.BaseTransport):
        def handle_request(self, request):
            def body():
                for line in sent:
                    seen.append(line)
                    yield f"{line}\n\n".encode()

            return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body())

    client = httpx2.Client(transport=Transport("hermes", Inner()))
    asked = {"stream": True, "messages": [], "tools": [TOOL]}
    with client.stream("POST", "http://x/v1/chat/completions", json=asked) as response:
        lines = response.iter_lines()
        assert next(line for line in lines if line) == ": ping" and seen == sent[:1]
        first = next(line for line in lines if '"content"' in line)
        assert json.loads(first[6:])["choices"][0]["delta"]["content"] == "one t" and len(seen) == 3


def test_other_requests_pass_as_they_are():
    class Inner(httpx2.BaseTransport):
        def handle_request(self, request):
            return httpx2.Response(200, content=request.content)

        def close(self):
            self.closed = True

    inner = Inner()
    with httpx2.Client(transport=Transport("hermes", inner)) as client:
        assert client.post("http://x/v1/embeddings", json={"tools": [1]}).json() == {"tools": [1]}
        assert client.get("http://x/v1/models").content == b""
    assert inner.closed


def test_one_transport_serves_one_kind_of_client():
    transport = Transport("hermes", httpx2.HTTPTransport())
    request = httpx2.Request("POST", "http://x/v1/embeddings")
    with pytest.raises(TypeError, match="an AsyncClient needs an inner transport that is async"):
        asyncio.run(transport.handle_async_request(request))


def test_a_transport_is_checked_when_it_is_made():
    for options, error, words in [
        ({"dialect": "hermess"}, ValueError, "did you mean `hermes`"),
        ({"dialect": None}, TypeError, "dialect must be a name or a dict"),
        ({"dialect": "hermes", "tool_limt": 1}, ValueError, "did you mean `tool_limit`"),
        ({"dialect": "hermes", "types": "strikt"}, ValueError, "^types must be "),
        ({"dialect": "hermes", "broken": "loud"}, ValueError, "loud"),
        ({"dialect": "hermes", "reasoning": "loud"}, ValueError, "unknown name of reasoning `loud`"),
        ({"dialect": "hermes", "inner": httpx2.Client()}, TypeError, "inner must be a transport of httpx2, not a Client"),
    ]:
        with pytest.raises(error, match=words):
            Transport(**options)
    for dialect in toolstream_rs.dialects():
        Transport(dialect, broken="hide", calls="when_whole", on_cut="refuse_all", reasoning="both", tool_limit=2)


def test_lines_behind_the_end_are_nothing():
    events = toolstream_rs._http._Events(toolstream_rs.Parser("hermes"), {})
    assert b"Hi" in events.line('data: {"choices": [{"delta": {"content": "Hi"}}]}')
    assert b"[DONE]" in events.line("data: [DONE]")
    assert events.line('data: {"choices": [{"delta": {"content": "Hi"}}]}') == b"" == events.end(cut=True)
