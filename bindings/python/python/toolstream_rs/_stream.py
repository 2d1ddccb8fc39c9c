"""`stream` and `astream` of `Parser` and `Reader`."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any


def stream(reader: Any, chunks: Iterable[Any], finish: bool) -> Iterator[Any]:
    for chunk in chunks:
        yield from reader.feed(chunk)
    if finish:
        yield from reader.finish()


async def astream(reader: Any, chunks: AsyncIterable[Any], finish: bool) -> AsyncIterator[Any]:
    async for chunk in chunks:
        for event in reader.feed(chunk):
            yield event
    if finish:
        for event in reader.finish():
            yield event
