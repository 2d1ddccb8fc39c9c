"""transformers' `ResponseParser`: `python conformance/programs/response_parser.py TEMPLATES`.

Needs transformers, 5.16 or newer, and no torch. TEMPLATES holds the response templates that toolstream writes of its
dialects, by `target/release/examples/conformance templates`; those that checkpoints ship are not at hand here.
"""

import json
import sys

import transformers
from transformers.utils.chat_parsing import ResponseParser

from program import serve

# No checkpoint's, so no template's.
LEFT_OUT = "code-assistant invoke tool-call".split()


def main(file):
    with open(file) as text:
        templates = json.load(text)

    def read(dialect, tools, chunks):
        parser = ResponseParser(templates[dialect], prefix="", tools=tools)
        for chunk in chunks:
            parser.feed(chunk)
        message, _ = parser.finalize()
        calls = [call["function"] for call in message.get("tool_calls", [])]
        thought = message.get("thinking", "")
        return message.get("content", ""), thought, [[call["name"], call["arguments"]] for call in calls]

    written = [dialect for dialect, template in templates.items() if template and dialect not in LEFT_OUT]
    thinks = [dialect for dialect in written if "thinking" in templates[dialect]["fields"]]
    serve("transformers' ResponseParser", transformers.__version__, written, thinks, read)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
