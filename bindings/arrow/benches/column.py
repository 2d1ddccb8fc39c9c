"""Rows a second and core. `python bindings/arrow/benches/column.py`, with both packages installed.

Rows of some 800 bytes: reasoning, prose, up to three calls, one row in fifty cut off. The ways take turns, so that a busy
machine is fair to all; the time is that of the process, which has one thread at work.
"""

import json
import random
import re
import statistics
import time

import pyarrow as pa
import pyarrow.parquet as pq
from toolstream_rs import Parser
from toolstream_rs.arrow import parse_column

ROWS, BATCH, ROUNDS = 20_000, 2_000, 9
WORDS = "a parser reads chunks and hands out what they say so we look at it first and then write down what we have seen in it".split()
PROPERTIES = {"path": {"type": "string"}, "content": {"type": "string"}, "line": {"type": "integer"}}
TOOLS = [
    {"name": name, "parameters": {"type": "object", "properties": PROPERTIES, "required": ["path"]}}
    for name in ["read", "write", "search"]
]
BLOCK = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)


def texts(rows=ROWS, seed=1):
    """A text as a model of the Hermes kind writes it."""
    random_ = random.Random(seed)

    def prose(words):
        return " ".join(random_.choices(WORDS, k=words))

    for number in range(rows):
        text = f"<think>\n{prose(55)}\n</think>\n\n{prose(40)}\n"
        for call in range(random_.choice([0, 1, 1, 2, 3])):
            arguments = {"path": f"src/{number}_{call}.rs", "content": prose(30) + '\n"quoted"', "line": call}
            text += f"<tool_call>\n{json.dumps({'name': random_.choice(TOOLS)['name'], 'arguments': arguments})}\n</tool_call>\n"
        yield text[: len(text) * 4 // 5] if number % 50 == 0 else text


def by_regex(text):
    """The loop by hand: no schema, no diagnostics, and what is wrong is left out."""
    reasoning, _, rest = text.rpartition("</think>")
    calls = []
    for written in BLOCK.findall(rest):
        try:
            calls.append(json.loads(written))
        except ValueError:
            pass
    return {"text": BLOCK.sub("", rest), "reasoning": reasoning.removeprefix("<think>"), "calls": calls}


def main():
    rows = list(texts())
    column = pa.array(rows)
    options = {"tool_limit": None}
    parser = Parser("hermes", TOOLS, **options)
    pq.write_table(pa.table({"text": column}), file := pa.BufferOutputStream(), compression="zstd")
    parquet = file.getvalue()
    ways = {
        "`parse_column`": lambda: parse_column(column, "hermes", TOOLS, **options),
        "the same, 2,000 rows at a time": lambda: [
            parse_column(column.slice(at, BATCH), "hermes", TOOLS, **options) for at in range(0, ROWS, BATCH)
        ],
        "`Parser.parse` and `to_json`, as dicts": lambda: [parser.parse(text).to_json() for text in rows],
        "`re` and `json.loads`": lambda: [by_regex(text) for text in rows],
        "to read the same rows from Parquet (zstd)": lambda: pq.read_table(pa.BufferReader(parquet), use_threads=False),
    }
    took = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, run in ways.items():
            began = time.process_time()
            run()
            took[way].append(ROWS / (time.process_time() - began))
    print(f"| rows of {sum(map(len, rows)) // ROWS} bytes, a second and core | least | median | most |\n|---|---|---|---|")
    for way, of in took.items():
        print(f"| {way} | {min(of):,.0f} | {statistics.median(of):,.0f} | {max(of):,.0f} |")


if __name__ == "__main__":
    main()
