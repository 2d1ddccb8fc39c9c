"""The tables of speed in README.md, all measured in one run: `python bindings/python/benches/speed.py`, with the package installed.

Beside `re` with `json.loads`, and jiter where it is installed. The ways take turns, so that a busy machine
is fair to all, and the time is that of the process.
"""

import datetime
import importlib.util
import json
import platform
import re
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from toolstream_rs import Parser, __version__

ROUNDS = 7
SOURCE = "fn main() { println!(\"a < b\"); }\n"
OBJECT = re.compile(r'<tool_call>\{"name": "(\w+)", "arguments": (.*?)(\}</tool_call>|$)', re.S)


def pieces_of(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(0, len(text), length)]


class Table:
    """Measurements of a table: rows of cells, each a function that is run once a round."""

    def __init__(self, head: str) -> None:
        self.head = head
        self.rows: dict[str, list[tuple[Callable[[], object], int, int] | None]] = {}
        self.seconds: dict[tuple[str, int], list[float]] = {}

    def add(self, row: str, run: Callable[[], object] | None, parts: int = 1, rounds: int = ROUNDS) -> None:
        """A cell. `parts` is what its time is divided by; None is a cell that is left out."""
        self.rows.setdefault(row, []).append(run and (run, parts, rounds))

    def measure(self, round_: int) -> None:
        for row, cells in self.rows.items():
            for at, cell in enumerate(cells):
                if cell and round_ < cell[2]:
                    begun = time.process_time()
                    cell[0]()
                    took = (time.process_time() - begun) / cell[1]
                    self.seconds.setdefault((row, at), []).append(took)

    def print(self, cells_of: Callable[[list[float]], list[str]]) -> None:
        print(f"\n{self.head}\n{'|---' * (self.head.count('|') - 1)}|")
        for row, cells in self.rows.items():
            texts = [cells_of(self.seconds[row, at]) if cell else ["-"] for at, cell in enumerate(cells)]
            print(f"| {row} | {' | '.join(text for cell in texts for text in cell)} |")


# Chunks.


def feed(parser: Parser, pieces: list[str]) -> object:
    fresh = parser.fresh()
    for piece in pieces:
        fresh.feed(piece)
    fresh.finish()
    return fresh.message


def chunks() -> Table:
    source = SOURCE * 512
    arguments = json.dumps({"path": "a.rs", "content": source})
    texts = {
        "prose": ("hermes", "The quick brown fox jumps over it. " * 468),
        "one call of `hermes`, its arguments full of `\\\"`": (
            "hermes",
            f'<tool_call>{{"name": "write", "arguments": {arguments}}}</tool_call>',
        ),
        "one call of `qwen3-coder`": (
            "qwen3-coder",
            f"<tool_call>\n<function=write>\n<parameter=content>\n{source}\n</parameter>\n</function>\n</tool_call>",
        ),
    }
    table = Table("| 16 KiB, µs a chunk of | 4 | 16 | 64 | 1,024 characters |")
    for name, (dialect, text) in texts.items():
        parser = Parser(dialect, [{"name": "write"}])
        for length in (4, 16, 64, 1024):
            pieces = pieces_of(text, length)
            table.add(name, partial(feed, parser, pieces), len(pieces))
    return table


# A call while it comes: each way gives the arguments at the end.


def alone(chunks: list[str]) -> object:
    parser = Parser("hermes")
    for chunk in chunks:
        parser.feed(chunk)
    parser.finish()
    return parser.message.calls[0].arguments


def changes(chunks: list[str]) -> object:
    parser, shown = Parser("hermes"), 0
    for chunk in chunks:
        parser.feed(chunk)
        for change in parser.partial_changes():
            shown += len(change.text) if change.type == "partial_text" else len(str(change.value))
    parser.finish()
    assert shown > 0
    return parser.message.calls[0].arguments


def whole(chunks: list[str]) -> object:
    parser = Parser("hermes")
    for chunk in chunks:
        parser.feed(chunk)
        parser.partial_input()
    parser.finish()
    return parser.message.calls[0].arguments


def by_jiter(chunks: list[str]) -> object:
    import jiter

    text, arguments = "", None
    for chunk in chunks:
        text += chunk
        start = text.find('"arguments": ')
        if start >= 0:
            body = text[start + len('"arguments": ') :].removesuffix("</tool_call>").removesuffix("}").encode()
            arguments = jiter.from_json(body, partial_mode="trailing-strings") if body else None
    return arguments


def by_re(chunks: list[str]) -> object:
    text, arguments = "", None
    for chunk in chunks:
        text += chunk
        found = OBJECT.search(text)
        if found:
            try:
                arguments = json.loads(found[2])
            except ValueError:
                pass
    return arguments


def looks() -> Table:
    # The longest text that a way is given; quadratic ones are run once.
    ways: list[tuple[str, str | None, Callable[[list[str]], object], int]] = [
        ("`feed`", None, alone, 85_000),
        ("`feed` and `partial_changes`", None, changes, 85_000),
        ("`feed` and `partial_input`", None, whole, 85_000),
        ("jiter in its partial mode, over all that came", "jiter", by_jiter, 85_000),
        ("`re` and `json.loads`, over all that came", None, by_re, 21_000),
    ]
    table = Table("| one call of `hermes`, µs a chunk of 4 | 2,600 | 21,000 | 85,000 characters |")
    for name, module, way, longest in ways:
        if module and importlib.util.find_spec(module) is None:
            continue
        for length in (2_600, 21_000, 85_000):
            wanted = {"path": "a.rs", "content": (SOURCE * 2700)[: length - 100]}
            text = f'<tool_call>{{"name": "write", "arguments": {json.dumps(wanted)}}}</tool_call>'
            pieces = pieces_of(text, 4)

            assert (way is by_re and length > 2_600) or way(pieces) == wanted, name
            rounds = 1 if way is by_re and length > 2_600 else 3
            table.add(name, partial(way, pieces) if length <= longest else None, len(pieces), rounds)
    return table


# Whole messages.


def row(number: int) -> str:
    arguments = {"path": f"src/file_{number}.rs", "content": "let a = b < c; // \"quoted\"\n" * 12, "line": number}
    call = json.dumps({"name": "write_file", "arguments": arguments})
    return f"<think>{'I should look. ' * 12}</think>I write it now.\n\n<tool_call>\n{call}\n</tool_call>"


def by_regex(texts: list[str]) -> list[Any]:
    call = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.S)
    think = re.compile(r"<think>(.*?)</think>", re.S)
    out = []
    for text in texts:
        reasoning = think.search(text)
        calls = [json.loads(found) for found in call.findall(text)]
        out.append((call.sub("", think.sub("", text)), reasoning and reasoning.group(1), calls))
    return out


def batches() -> Table:
    texts = [row(number) for number in range(4000)]
    tool = {"name": "write_file", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}
    parser = Parser("hermes", [tool])
    table = Table(f"| rows of {sum(map(len, texts)) // len(texts)} bytes, a second and core | least | median | most |")
    table.add("`parse_json_batch`", lambda: parser.parse_json_batch(texts), len(texts))
    table.add("`parse`, and its `calls`", lambda: [parser.parse(text).calls for text in texts], len(texts))
    table.add("`parse`, and `to_json` as dicts", lambda: [parser.parse(text).to_json() for text in texts], len(texts))
    table.add("`re` and `json.loads`, which say much less", lambda: by_regex(texts), len(texts))
    return table


def freshen(parser: Parser, times: int) -> None:
    for _ in range(times):
        parser.fresh()


def builds() -> Table:
    schema = {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(5)}}
    tools = [{"name": f"tool_{number}", "parameters": schema} for number in range(40)]
    others = tools[1:]
    kept = Parser("hermes", others)
    table = Table("| a parser with 40 tools | µs |")
    table.add("the first of its configuration", lambda: Parser("hermes", tools))
    table.add("another one", lambda: Parser("hermes", others))
    table.add("`fresh()`", partial(freshen, kept, 1000), 1000)
    return table


def micros(seconds: list[float]) -> list[str]:
    """Returns the median of the rounds."""
    median = statistics.median(seconds) * 1e6
    return [f"{median:#.2g}".rstrip(".") if median < 100 else f"{median:,.0f}"]


def rates(seconds: list[float]) -> list[str]:
    times = sorted((1 / time for time in seconds))
    return [f"{round(rate, -3):,.0f}" for rate in (times[0], statistics.median(times), times[-1])]


def main() -> None:
    tables = [(chunks(), micros), (looks(), micros), (builds(), micros), (batches(), rates)]
    for round_ in range(ROUNDS):
        for table, _ in tables:
            table.measure(round_)
    print(f"{datetime.date.today()}, toolstream-rs {__version__}, Python {platform.python_version()}")
    for table, cells_of in tables:
        table.print(cells_of)


if __name__ == "__main__":
    main()
