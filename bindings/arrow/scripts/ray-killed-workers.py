"""Does Ray Data lose or double a row where workers die? `python bindings/arrow/scripts/ray-killed-workers.py`, with both
packages and `ray[data]` installed.

Not in CI: Ray takes over a gigabyte of disk and some minutes. The script writes Parquet files, starts Ray with two workers,
runs `examples/ray_data.py` over them, and kills two workers with SIGKILL. The first dies in the middle of a batch, after it
has read others, and the second in the middle of a file, while another worker writes another file. Then the script compares
every row with the row of a single process. Last it runs the example's own `main`.
"""

import os
import pathlib
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import ray

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "examples"), str(HERE.parent / "benches"), str(HERE)]

import column  # noqa: E402
import ray_data  # noqa: E402
import ray_deadly  # noqa: E402

FILES, ROWS = 12, 2_000


def main(folder: str) -> None:
    source, target, plain, notes = (pathlib.Path(folder, name) for name in ("source", "target", "plain", "notes"))
    for made in (source, target, plain, notes):
        made.mkdir()
    texts = list(column.texts(FILES * ROWS))
    for number in range(FILES):
        rows = range(number * ROWS, (number + 1) * ROWS)
        table = pa.table({"id": pa.array(rows), "text": [texts[row] for row in rows]})
        pq.write_table(table, source / f"{number:03}.parquet", compression="zstd")
    print(f"{FILES * ROWS:,} rows in {FILES} files, {sum(map(len, texts)) / 1e6:.0f} MB of text")

    # Ray's workers are nice by default: beside other work they may not even start in time.
    os.environ.setdefault("RAY_worker_niceness", "0")
    os.environ.setdefault("RAY_worker_register_timeout_seconds", "300")
    paths = os.pathsep.join(sys.path[:3])
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=200_000_000,
        log_to_driver=False,
        logging_level="ERROR",
        runtime_env={"env_vars": {ray_deadly.NOTES: str(notes), "PYTHONPATH": paths}},
    )
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    # With blocks of 128 MB there would be one, and one file, whatever `override_num_blocks` says.
    context.target_max_block_size = 2_000_000
    wanted = pa.array(column.parse_column(pa.array(texts), "hermes", ray_data.TOOLS)).to_pylist()
    began = time.monotonic()
    # The example, with a worker that dies and a file system that kills.
    rows = ray.data.read_parquet(str(source), override_num_blocks=FILES)
    rows = rows.map_batches(ray_deadly.parse, batch_format="pyarrow", batch_size=ROWS // 4, num_cpus=0.5)
    deadly = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(ray_deadly.Deadly()))
    rows.write_parquet(str(target), filesystem=deadly)
    took = time.monotonic() - began

    workers = len(list(notes.glob("worker-*")))
    for noted in ("killed-reading", "killed-writing"):
        assert (notes / noted).exists(), f"nobody noted {noted}"
    files = compare(target, wanted)
    print(f"{workers} workers read, one of them was killed while it did, one while it and another wrote; {files} files, {took:.0f} s")
    assert workers >= 2, "one worker did it all"
    assert files >= 2, "one worker wrote it all"

    ray_data.main(str(source), str(plain), blocks=FILES)
    files = compare(plain, wanted)
    ray.shutdown()
    print(f"the example itself: {files} files")


def compare(target: pathlib.Path, wanted: list) -> int:
    """Whether the files in a folder have each row once, and as one process reads it; how many they are."""
    files = sorted(target.glob("**/*.parquet"))
    out = pa.concat_tables(pq.read_table(file) for file in files).sort_by("id")
    assert out["id"].to_pylist() == list(range(FILES * ROWS)), "rows were lost or doubled"
    assert out["parsed"].to_pylist() == wanted, "rows differ from those of one process"
    print(f"{out.num_rows:,} rows: none lost, none doubled, each as one process reads it")
    return len(files)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
