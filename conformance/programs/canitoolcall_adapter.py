"""toolstream as an engine of canitoolcall, a suite of other people's fixtures (`pip install canitoolcall`).

    cargo build --release --all-features --example conformance
    PYTHONPATH=conformance/programs canitoolcall run --engine canitoolcall_adapter:Toolstream --out target/canitoolcall

`TOOLSTREAM_CONFORMANCE` names the program, if it lies elsewhere. Strategies cut between tokens: without the models'
tokenizers, which would have to be downloaded, a special token is one unit, and other text has units of four characters.
"""

import json
import os
import subprocess
from pathlib import Path

from canitoolcall.adapters.base import Adapter, AdapterUnavailable, Support
from canitoolcall.results import ParsedToolCall, ParseResult

from program import TOKEN

PROGRAM = Path(__file__).parents[2] / "target/release/examples/conformance"


class Toolstream(Adapter):
    name = "toolstream"
    pinned_version = "0.1.0"
    supports_text_deltas = True

    def __init__(self):
        self.program = None
        self.texts = []

    def version(self):
        return self.ask({"hello": 1})["version"]

    def supports(self, family, model):
        return Support(True)

    def parser_config(self, raw):
        return {"model": raw.model, "prompt": raw.generation_prompt, "cut": raw.truncated}

    def units(self, raw):
        """The numbers of the text's units; `special_token_ids` are those of its special tokens."""
        parts = [part for part in TOKEN.split(raw.text) if part]
        self.texts = []
        for part in parts:
            step = len(part) if TOKEN.fullmatch(part) else 4
            self.texts += [part[at : at + step] for at in range(0, len(part), step)]
        return list(range(len(self.texts)))

    def special_token_ids(self, raw):
        return [number for number in self.units(raw) if TOKEN.fullmatch(self.texts[number])]

    def parse(self, raw, tools):
        return self.parse_stream_text(raw, [raw.text], tools)

    def parse_stream(self, raw, chunks, tools):
        self.units(raw)
        deltas = ["".join(self.texts[number] for number in chunk) for chunk in chunks]
        return self.parse_stream_text(raw, deltas, tools)

    def parse_stream_text(self, raw, deltas, tools):
        question = {**self.parser_config(raw), "tools": list(tools), "chunks": list(deltas)}
        answer = self.ask(question)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        calls = [ParsedToolCall(call["name"], json.dumps(call["arguments"])) for call in answer["calls"]]
        return ParseResult(answer["text"] or None, answer["reasoning"] or None, tuple(calls))

    def ask(self, question):
        if self.program is None:
            path = os.environ.get("TOOLSTREAM_CONFORMANCE", PROGRAM)
            if not Path(path).exists():
                raise AdapterUnavailable(f"{path} is not built")
            pipe = subprocess.PIPE
            self.program = subprocess.Popen([path], stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
        self.program.stdin.write(json.dumps(question) + "\n")
        self.program.stdin.flush()
        return json.loads(self.program.stdout.readline())

    def close(self):
        if self.program is not None:
            self.program.stdin.close()
            self.program.wait()
