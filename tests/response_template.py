"""Results of transformers' own parser with response templates: called by tests/it/response_template.rs.

Reads a JSON list of {"template", "text", "tools"} from stdin, and writes for each what the message is,
whole and character by character: [content, thinking, [[name, arguments], ...]], or {"error": ...}.
"""

import json
import sys

from transformers.utils.chat_parsing import ResponseParser


def read(case, chunks):
    try:
        parser = ResponseParser(case["template"], prefix="", tools=case["tools"])
        for chunk in chunks:
            parser.feed(chunk)
        message, _ = parser.finalize()
    except Exception as error:  # whatever it is, the test shows it
        return {"error": f"{type(error).__name__}: {error}"}
    calls = [call["function"] for call in message.get("tool_calls", [])]
    calls = [[call["name"], call["arguments"]] for call in calls]
    return [message.get("content", ""), message.get("thinking", ""), calls]


cases = json.load(sys.stdin)
json.dump([[read(case, [case["text"]]), read(case, case["text"])] for case in cases], sys.stdout)
