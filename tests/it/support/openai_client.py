"""Asks a gateway by the official client, streamed and not: a call, its result, and a call that is broken.

usage: openai_client.py URL    prints one JSON object a turn
"""
import json
import sys

from openai import OpenAI

TOOL = {
    "type": "function",
    "function": {
        "name": "word_count",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        },
    },
}
client = OpenAI(base_url=sys.argv[1] + "/v1", api_key="none", max_retries=0, timeout=20)


def ask(messages, stream):
    request = {"model": "m", "messages": messages, "tools": [TOOL]}
    if not stream:
        return client.chat.completions.parse(**request).choices[0]
    with client.chat.completions.stream(**request) as events:
        return events.get_final_completion().choices[0]


def tell(choice):
    calls = choice.message.tool_calls or []
    print(json.dumps({
        "content": choice.message.content,
        "finish": choice.finish_reason,
        "calls": [[call.function.name, json.loads(call.function.arguments)] for call in calls],
    }))


for stream in (True, False):
    messages = [{"role": "user", "content": "How many?"}]
    choice = ask(messages, stream)
    tell(choice)
    messages.append(choice.message.model_dump(exclude_none=True))
    messages.append({"role": "tool", "tool_call_id": choice.message.tool_calls[0].id, "content": "2"})
    tell(ask(messages, stream))
    try:
        tell(ask(messages, stream))
    except ValueError:
        # The helper reads the arguments itself.
        print(json.dumps("no JSON"))
