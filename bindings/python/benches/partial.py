"""Microseconds a chunk of four characters, with a look at the arguments after each. `python bindings/python/benches/partial.py`, with the
package installed; beside jiter, where that is installed, and `re` with `json.loads`."""

import importlib.util
import json
import re
import time
from collections.abc import Callable, Iterable
from typing import Any

from toolstream_rs import Parser

LENGTHS = (2_600, 21_000, 85_000)
OBJECT = re.compile(r'<tool_call>\{"name": "(\w+)", "arguments": (.*?)(\}</tool_call>|$)', re.S)


def feed(chunks: Iterable[str]) -> object:
    parser = Parser("hermes")
    for chunk in chunks:
        parser.feed(chunk)
    parser.finish()
    return parser.message.calls[0].arguments


def changes(chunks: Iterable[str]) -> object:
    parser, shown = Parser("hermes"), 0
    for chunk in chunks:
        parser.feed(chunk)
        for change in parser.partial_changes():
            shown += len(change.text) if change.type == "partial_text" else len(str(change.value))
    parser.finish()
    assert shown > 0
    return parser.message.calls[0].arguments


def whole(chunks: Iterable[str]) -> object:
    parser = Parser("hermes")
    for chunk in chunks:
        parser.feed(chunk)
        parser.partial_input()
    parser.finish()
    return parser.message.calls[0].arguments


def by_jiter(chunks: Iterable[str]) -> object:
    import jiter

    text, arguments = "", None
    for chunk in chunks:
        text += chunk
        start = text.find('"arguments": ')
        if start >= 0:
            body = text[start + len('"arguments": ') :].removesuffix("</tool_call>").removesuffix("}").encode()
            arguments = jiter.from_json(body, partial_mode="trailing-strings") if body else None
    return arguments


def by_re(chunks: Iterable[str]) -> object:
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


def micros(read: Callable[[list[str]], object], pieces: list[str], wanted: Any) -> float:
    """The least of three runs, in microseconds of the process's own time a chunk."""
    times = []
    for _ in range(3):
        begun = time.process_time()
        said = read(pieces)
        times.append(time.process_time() - begun)
        assert said == wanted, read.__name__
    return min(times) / len(pieces) * 1e6


def main() -> None:
    rows: dict[str, Callable[[list[str]], object]] = {"feed": feed, "feed and partial_changes": changes}
    rows["feed and partial_input"] = whole
    if importlib.util.find_spec("jiter"):
        rows["jiter, all so far"] = by_jiter
    rows["re and json.loads, all so far"] = by_re
    print("one call of hermes, characters:", *(f"{length:>9,}" for length in LENGTHS), " µs a chunk of 4")
    for name, read in rows.items():
        measured = []
        for length in LENGTHS:
            wanted = {"path": "a.rs", "content": ('fn main() { println!("a < b"); }\n' * 2700)[: length - 100]}
            text = f'<tool_call>{{"name": "write", "arguments": {json.dumps(wanted)}}}</tool_call>'
            pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
            measured.append(micros(read, pieces, wanted))
        print(f"{name:<31}", *(f"{each:9.2f}" for each in measured), flush=True)


if __name__ == "__main__":
    main()
