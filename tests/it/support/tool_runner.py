"""Anthropic's tool runner before a gateway: it asks, runs what is called, and asks again until nothing is.

usage: tool_runner.py URL    prints one JSON object a message: text, calls, end
"""
import json
import sys

from anthropic import Anthropic, beta_tool

client = Anthropic(base_url=sys.argv[1], api_key="none", max_retries=0, timeout=20)


@beta_tool
def word_count(text: str) -> str:
    """Counts words.

    Args:
        text: The words.
    """
    return str(len(text.split()))


runner = client.beta.messages.tool_runner(
    model="m",
    max_tokens=999,
    tools=[word_count],
    messages=[{"role": "user", "content": "How many words has each?"}],
)
for message in runner:
    print(json.dumps({
        "text": "".join(block.text for block in message.content if block.type == "text"),
        "calls": [[block.name, block.input] for block in message.content if block.type == "tool_use"],
        "end": message.stop_reason,
    }))
