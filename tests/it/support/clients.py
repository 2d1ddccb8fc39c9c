"""Asks a gateway by the official clients of all three protocols, streamed and not.

usage: clients.py URL    prints one JSON object a question: protocol, content, reasoning, calls, end
"""
import json
import sys

from anthropic import Anthropic
from openai import OpenAI

SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
QUESTION = [{"role": "user", "content": "How many?"}]
# The answers of the scripted model, in order.
CASES = ["one", "parallel", "reasoning", "broken", "cut"]

url = sys.argv[1]
openai = OpenAI(base_url=url + "/v1", api_key="none", max_retries=0, timeout=20)
anthropic = Anthropic(base_url=url, api_key="none", max_retries=0, timeout=20)


def loads(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def chat(stream):
    tool = {"type": "function", "function": {"name": "word_count", "parameters": SCHEMA}}
    request = {"model": "m", "messages": QUESTION, "tools": [tool]}
    if not stream:
        choice = openai.chat.completions.create(**request).choices[0]
        said = choice.message
        calls = [(of.function.name, loads(of.function.arguments)) for of in said.tool_calls or []]
        reasoning = getattr(said, "reasoning_content", None)
        return said.content, reasoning, calls, choice.finish_reason
    content, reasoning, calls, end = "", "", [], None
    for chunk in openai.chat.completions.create(**request, stream=True):
        for choice in chunk.choices:
            content += choice.delta.content or ""
            reasoning += getattr(choice.delta, "reasoning_content", None) or ""
            for of in choice.delta.tool_calls or []:
                if of.function.name:
                    calls.append([of.function.name, ""])
                calls[of.index][1] += of.function.arguments or ""
            end = choice.finish_reason or end
    return content, reasoning, [(name, loads(text)) for name, text in calls], end


def responses(stream):
    # With "strict" the helper reads the arguments itself, and raises where they are no JSON.
    tool = {"type": "function", "name": "word_count", "parameters": SCHEMA, "strict": False}
    request = {"model": "m", "input": QUESTION, "tools": [tool]}
    if stream:
        # The helper: it checks the order of events, and joins the pieces itself.
        with openai.responses.stream(**request) as events:
            joined = ""
            for event in events:
                if event.type == "response.output_text.delta":
                    joined += event.delta
                if event.type in ("response.completed", "response.incomplete"):
                    answer = event.response
        assert joined == answer.output_text, (joined, answer.output_text)
    else:
        answer = openai.responses.create(**request)
    reasoning, calls = "", []
    for item in answer.output:
        if item.type == "reasoning":
            reasoning += "".join(part.text for part in item.summary)
        if item.type == "function_call":
            calls.append((item.name, loads(item.arguments) if item.status == "completed" else None))
    return answer.output_text, reasoning, calls, answer.status


def messages(stream):
    tool = {"name": "word_count", "input_schema": SCHEMA}
    request = {"model": "m", "max_tokens": 999, "messages": QUESTION, "tools": [tool]}
    if stream:
        with anthropic.messages.stream(**request) as events:
            answer = events.get_final_message()
    else:
        answer = anthropic.messages.create(**request)
    content, reasoning, calls = "", "", []
    for block in answer.content:
        if block.type == "text":
            assert block.text.strip(), "no blank blocks"
            content += block.text
        if block.type == "thinking":
            reasoning += block.thinking
        if block.type == "tool_use":
            calls.append((block.name, block.input))
    return content, reasoning, calls, answer.stop_reason


for ask in (chat, responses, messages):
    for stream in (True, False):
        for case in CASES:
            content, reasoning, calls, end = ask(stream)
            print(json.dumps({
                "protocol": ask.__name__, "stream": stream, "case": case, "content": content or "",
                "reasoning": reasoning or "", "calls": calls, "end": end,
            }))
