"""What the workers of `ray-killed-workers.py` run: a module of its own, so that they can import it."""

import os
import pathlib
import signal

import pyarrow as pa
import ray_data
from fsspec.implementations.local import LocalFileSystem

# Tells the workers where they note what they did.
NOTES = "TOOLSTREAM_NOTES"
batches = 0


def once(what: str) -> bool:
    """Whether nobody, in any process, has asked this before."""
    try:
        os.close(os.open(f"{os.environ[NOTES]}/{what}", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def parse(batch: pa.Table) -> pa.Table:
    """What the example does; the first worker that has read a batch before dies of its second one."""
    global batches
    batches += 1
    pathlib.Path(os.environ[NOTES], f"worker-{os.getpid()}").touch()
    parsed = ray_data.parse(batch)
    if batches > 1 and once("killed-reading"):
        die()
    return parsed


class Deadly(LocalFileSystem):
    """A file system. Who writes the first file to it dies in the middle of it."""

    def _open(self, path, mode="rb", **options):
        file = super()._open(path, mode, **options)
        if "w" in mode and once("killed-writing"):
            write = file.write

            def half(data):
                write(memoryview(data)[: len(data) // 2])
                file.flush()
                die()

            file.write = half
        return file
