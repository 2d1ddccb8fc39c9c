"""Messages a second. `python bindings/python/benches/batch.py`, with the package installed.

Rows of some 800 bytes: reasoning, prose, and one call. The ways take turns, so that a busy machine is fair to all.
"""

import json
import re
import time
from collections.abc import Callable
from typing import Any

from toolstream_rs import Parser

ROWS = 4000


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


def main() -> None:
    texts = [row(number) for number in range(ROWS)]
    tool = {"name": "write_file", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}
    parser = Parser("hermes", [tool], tool_limit=None)
    ways: dict[str, Callable[[], list[Any]]] = {
        "parse_json_batch": lambda: parser.parse_json_batch(texts),
        "parse, to_json": lambda: [parser.parse(text).to_json() for text in texts],
        "parse, calls": lambda: [parser.parse(text).calls for text in texts],
        "re and json.loads": lambda: by_regex(texts),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(9):
        for name, way in ways.items():
            begun = time.process_time()
            assert len(way()) == ROWS
            seconds[name].append(time.process_time() - begun)
    print(f"rows of {sum(map(len, texts)) // ROWS} bytes; rows a second of one core: least, median, most")
    for name, times in seconds.items():
        rates = sorted(ROWS / time for time in times)
        print(f"{name:<20}", *(f"{rate:>10,.0f}" for rate in (rates[0], rates[4], rates[-1])))


if __name__ == "__main__":
    main()
