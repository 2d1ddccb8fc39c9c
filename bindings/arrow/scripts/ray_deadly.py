"""The code of the workers of `ray-killed-workers.py`: a module of its own, so that they can import it."""

import os
import pathlib
import signal
import time

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
    """The example's work; the first worker that has read a batch before dies of its second one."""
    global batches
    batches += 1
    pathlib.Path(os.environ[NOTES], f"worker-{os.getpid()}").touch()
    parsed = ray_data.parse(batch)
    if batches > 1 and once("killed-reading"):
        die()
    return parsed


def wait_for(what: str) -> bool:
    """Whether a process notes this within five minutes."""
    until = time.monotonic() + 300
    noted = pathlib.Path(os.environ[NOTES], what)
    while time.monotonic() < until and not noted.exists():
        time.sleep(0.05)
    return noted.exists()


class Deadly(LocalFileSystem):
    """A file system. The first two who write a file to it wait for each other in the middle of theirs; then one dies, and the
    other one goes on."""

    def _open(self, path, mode="rb", **options):
        file = super()._open(path, mode, **options)
        if "w" not in mode:
            return file
        dies = once("one-writes")
        if dies or once("two-write"):
            file.write = self.waiting(file, dies)
        return file

    def waiting(self, file, dies):
        write = file.write

        def half(data):
            # Not the four bytes that every file begins with.
            if file.tell() + len(data) < 1_000:
                return write(data)
            file.write = write
            pieces = memoryview(data)
            write(pieces[: len(data) // 2])
            file.flush()
            if not dies:
                once("two-are-in-the-middle")
                wait_for("killed-writing")
            elif wait_for("two-are-in-the-middle") and once("killed-writing"):
                die()
            write(pieces[len(data) // 2 :])
            return len(data)

        return half
