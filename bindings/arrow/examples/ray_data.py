"""Parses a folder of Parquet files with Ray Data: `python ray_data.py FROM TO`.

Each file has a column `text`; it is replaced by `parsed`. Tasks, not actors: a parser is built for each batch, which costs
less than a millisecond, and a worker that dies takes nothing with it that another one could not do again.
"""

import sys

import pyarrow as pa
import ray

TOOLS = [{"name": "read", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}]


def parse(batch: pa.Table) -> pa.Table:
    from toolstream_rs.arrow import parse_column  # In the worker: it is there that it runs.

    parsed = pa.array(parse_column(batch["text"], "hermes", TOOLS))
    return batch.drop_columns(["text"]).append_column("parsed", parsed)


def main(source: str, target: str, blocks: int | None = None) -> None:
    # Small files are read as one block. What the reader of Ray 2.60 goes by is `DataContext.target_max_block_size`.
    rows = ray.data.read_parquet(source, override_num_blocks=blocks)
    # Half a core each: reading and writing are tasks, too, and must find room beside these.
    rows.map_batches(parse, batch_format="pyarrow", batch_size=2000, num_cpus=0.5).write_parquet(target)


if __name__ == "__main__":
    ray.init()
    main(*sys.argv[1:3])
