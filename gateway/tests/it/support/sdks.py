"""OpenAI's and Anthropic's SDKs before the gateway: in each protocol, streamed and whole, two turns with a tool and an
image, a turn that the client leaves, and errors. Fails with an assertion.

usage: sdks.py URL
"""
import base64
import json
import pathlib
import sys
import time
import urllib.request

import anthropic
import openai

URL = sys.argv[1]
CHATS = openai.OpenAI(base_url=URL + "/v1", api_key="none", max_retries=0, timeout=20)
MESSAGES = anthropic.Anthropic(base_url=URL, api_key="none", max_retries=0, timeout=20)
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False}
CALL = "CALL " + json.dumps({"name": "view", "arguments": {"path": "red.png"}})
PNG = base64.b64encode(pathlib.Path("red.png").read_bytes()).decode()
IMAGE = "data:image/png;base64," + PNG
DONE = "Done: it is red."


def metric(name):
    text = urllib.request.urlopen(URL + "/metrics", timeout=20).read().decode()
    return int(text.split(f"\ntoolstream_gateway_{name} ")[1].split()[0])


class Chat:
    tool = {"type": "function", "function": {"name": "view", "strict": True, "parameters": SCHEMA}}

    def ask(self, history, stream):
        request = {"model": "m", "messages": history, "tools": [self.tool]}
        if not stream:
            return CHATS.chat.completions.create(**request).choices[0].message
        with CHATS.chat.completions.stream(**request) as events:
            return events.get_final_completion().choices[0].message

    def turn(self, history, said):
        call = said.tool_calls[0]
        assert (call.function.name, json.loads(call.function.arguments)) == ("view", {"path": "red.png"}), said
        picture = {"type": "image_url", "image_url": {"url": IMAGE}}
        content = [{"type": "text", "text": "here"}, picture]
        return [*history, said.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": call.id, "content": content}]

    def text(self, said):
        return said.content

    def chunks(self, text):
        return CHATS.chat.completions.create(model="m", messages=user(text), tools=[self.tool], stream=True)


class Responses:
    tool = {"type": "function", "name": "view", "strict": True, "parameters": SCHEMA}

    def ask(self, history, stream):
        request = {"model": "m", "input": history, "tools": [self.tool]}
        if not stream:
            return CHATS.responses.create(**request)
        with CHATS.responses.stream(**request) as events:
            for event in events:
                if event.type == "response.failed":
                    raise RuntimeError(event.response.error)
            return events.get_final_response()

    def turn(self, history, said):
        call = next(item for item in said.output if item.type == "function_call")
        assert (call.name, json.loads(call.arguments)) == ("view", {"path": "red.png"}), said
        output = [{"type": "input_image", "image_url": IMAGE, "detail": "auto"}]
        items = [item.model_dump(exclude={"parsed_arguments"}, exclude_none=True) for item in said.output]
        return [*history, *items, {"type": "function_call_output", "call_id": call.call_id, "output": output}]

    def text(self, said):
        return said.output_text

    def chunks(self, text):
        return CHATS.responses.create(model="m", input=user(text), tools=[self.tool], stream=True)


class Messages:
    tool = {"name": "view", "input_schema": SCHEMA}

    def ask(self, history, stream):
        request = {"model": "m", "max_tokens": 99, "messages": history, "tools": [self.tool]}
        if not stream:
            return MESSAGES.messages.create(**request)
        with MESSAGES.messages.stream(**request) as events:
            return events.get_final_message()

    def turn(self, history, said):
        call = next(block for block in said.content if block.type == "tool_use")
        assert (call.name, call.input, said.stop_reason) == ("view", {"path": "red.png"}, "tool_use"), said
        picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
        result = {"type": "tool_result", "tool_use_id": call.id, "content": [picture]}
        content = [block.model_dump(exclude_none=True) for block in said.content]
        return [*history, {"role": "assistant", "content": content}, {"role": "user", "content": [result]}]

    def text(self, said):
        return "".join(block.text for block in said.content if block.type == "text")

    def chunks(self, text):
        return MESSAGES.messages.create(model="m", max_tokens=99, messages=user(text), tools=[self.tool], stream=True)


def user(text):
    return [{"role": "user", "content": text}]


def raises(kinds, ask):
    try:
        ask()
    except kinds as error:
        assert "The engine" in str(error), error
        return type(error).__name__
    raise AssertionError(f"no error, but one of {kinds} was to come")


def tool_loops(protocol, stream):
    history = user(CALL)
    for turn in range(2):
        said = protocol.ask(history, stream)
        history = protocol.turn(history, said)
        said = protocol.ask(history, stream)
        assert protocol.text(said) == DONE, said
        history = [*history, {"role": "assistant", "content": DONE}, *user(CALL)]


def leaves(protocol):
    left = metric("client_left_total")
    chunks = protocol.chunks("CANCEL")
    for number, _ in enumerate(chunks):
        if number == 5:
            break
    began = time.monotonic()
    chunks.close()
    while metric("client_left_total") == left:
        assert time.monotonic() - began < 5, "the gateway goes on"
        time.sleep(0.002)
    return (time.monotonic() - began) * 1000


def errors(protocol, stream):
    ask = lambda text: lambda: protocol.ask(user(text), stream)
    limited = (openai.RateLimitError, anthropic.RateLimitError)
    down = (openai.InternalServerError, anthropic.InternalServerError)
    broken = (openai.APIError, anthropic.APIStatusError, RuntimeError)
    return [raises(limited, ask("STATUS 429")), raises(down, ask("STATUS 503")), raises(broken, ask("BREAKS 503"))]


for protocol in (Chat(), Responses(), Messages()):
    name = type(protocol).__name__.lower()
    for stream in (True, False):
        tool_loops(protocol, stream)
        how = "streamed" if stream else "whole"
        print(f"{name}, {how}: two turns with a tool and an image; errors: {', '.join(errors(protocol, stream))}")
    print(f"{name}: a client left, and the gateway noticed after {leaves(protocol):.0f} ms")
assert metric("requests_active") == 0
