"""Microseconds a chunk. `python bindings/python/benches/chunks.py`, with the package installed."""

import json
import time
from collections.abc import Callable

from toolstream_rs import Parser


def chunks(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(0, len(text), length)]


def measure(parser: Parser, pieces: list[str]) -> float:
    """Of nine runs the one in the middle, in microseconds of the process's own time."""
    times = []
    for _ in range(9):
        fresh = parser.fresh()
        begun = time.process_time()
        for piece in pieces:
            fresh.feed(piece)
        fresh.finish()
        times.append(time.process_time() - begun)
        assert fresh.message.finish in ("stop", "tool_use")
    return sorted(times)[4] / len(pieces) * 1e6


def micros_of(build: Callable[[], object], times: int) -> float:
    begun = time.process_time()
    for _ in range(times):
        build()
    return (time.process_time() - begun) / times * 1e6


def main() -> None:
    source = "fn main() { println!(\"a < b\"); }\n" * 512
    arguments = json.dumps({"path": "a.rs", "content": source})
    texts = {
        "prose": "The quick brown fox jumps over it. " * 468,
        "hermes, one call": f'<tool_call>{{"name": "write", "arguments": {arguments}}}</tool_call>',
        "qwen3-coder, one call": "<tool_call>\n<function=write>\n<parameter=content>\n"
        f"{source}\n</parameter>\n</function>\n</tool_call>",
    }
    print("16 KiB in chunks of", *(f"{length:>7}" for length in (4, 16, 64, 1024)), "characters: µs a chunk")
    for name, text in texts.items():
        parser = Parser(name.split(",")[0] if "," in name else "hermes", [{"name": "write"}])
        row = [measure(parser, chunks(text[: len(text)], length)) for length in (4, 16, 64, 1024)]
        print(f"{name:<22}", *(f"{micros:7.2f}" for micros in row))
    schema = {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(5)}}
    tools = [{"name": f"tool_{number}", "parameters": schema} for number in range(40)]
    print("a parser with 40 tools, µs:")
    print(f"  the first of its kind {micros_of(lambda: Parser('hermes', tools), 100):7.1f}")
    first = Parser("hermes", tools)
    print(f"  another one           {micros_of(lambda: Parser('hermes', tools), 100):7.1f}")
    print(f"  fresh()               {micros_of(first.fresh, 1000):7.1f}")


if __name__ == "__main__":
    main()
