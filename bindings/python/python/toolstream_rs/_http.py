"""The code that `toolstream_rs.httpx` and `toolstream_rs.httpx2` share: libraries of one interface and of different classes."""

from __future__ import annotations

import json
import warnings
from collections.abc import AsyncIterator, Iterator
from typing import Any

from ._toolstream import EventWriter, Parser, Reader, split_tools

# These headers describe the bytes that came, not those that go on.
_OF_THE_BYTES = {"content-length", "content-encoding", "transfer-encoding"}

# Options of the writer of the answer; all others are the parser's.
_OF_THE_WRITER = {"broken", "calls", "on_cut", "reasoning"}


class Transport:
    """A transport for `Client` and `AsyncClient` alike, before `inner` (by default the network).

    `dialect` and `options` are those of a `Parser`, and `broken`, `calls`, `on_cut` and `reasoning` those of an
    `EventWriter`: they are checked here. The request says how many calls a message may hold (`parallel_tool_calls`),
    unless `tool_limit` does.
    """

    # The library, and streams of its kinds.
    _http: Any
    _stream: Any
    _async_stream: Any

    def __init_subclass__(cls) -> None:
        cls._stream = type("Stream", (Stream, cls._http.SyncByteStream), {})
        cls._async_stream = type("AsyncStream", (AsyncStream, cls._http.AsyncByteStream), {})

    def __init__(
        self,
        dialect: str | dict[str, Any],
        inner: Any = None,
        **options: Any,
    ) -> None:
        self._dialect = dialect
        self._options = {key: value for key, value in options.items() if key not in _OF_THE_WRITER}
        self._writing = {key: value for key, value in options.items() if key in _OF_THE_WRITER}
        self._inner = inner
        if not isinstance(inner, (self._http.BaseTransport, self._http.AsyncBaseTransport, type(None))):
            raise TypeError(f"inner must be a transport of {self._http.__name__}, not a {type(inner).__name__}")
        # A dialect whose tags are the names of tools is nothing without one.
        parser = Parser(dialect, [{"name": "-"}], **self._options)
        _writer(parser, {}, whole=False, options=self._writing)

    def handle_request(self, request: Any) -> Any:
        request.read()
        request, parser = self._request(request)
        inner = self._inner = self._inner or self._http.HTTPTransport()
        if not isinstance(inner, self._http.BaseTransport):
            raise TypeError("toolstream: a Client needs an inner transport that is not async")
        response = inner.handle_request(request)
        if parser is None or response.status_code != 200:
            return response
        if _is_stream(response):
            return self._with_body(response, stream=self._stream(response, parser, self._writing))
        try:
            return self._with_body(response, content=_whole(response.read(), parser, self._writing))
        finally:
            response.close()

    async def handle_async_request(self, request: Any) -> Any:
        await request.aread()
        request, parser = self._request(request)
        inner = self._inner = self._inner or self._http.AsyncHTTPTransport()
        if not isinstance(inner, self._http.AsyncBaseTransport):
            raise TypeError("toolstream: an AsyncClient needs an inner transport that is async")
        response = await inner.handle_async_request(request)
        if parser is None or response.status_code != 200:
            return response
        if _is_stream(response):
            return self._with_body(response, stream=self._async_stream(response, parser, self._writing))
        try:
            return self._with_body(response, content=_whole(await response.aread(), parser, self._writing))
        finally:
            await response.aclose()

    def close(self) -> None:
        if isinstance(self._inner, self._http.BaseTransport):
            self._inner.close()

    async def aclose(self) -> None:
        if isinstance(self._inner, self._http.AsyncBaseTransport):
            await self._inner.aclose()

    def _request(self, request: Any) -> tuple[Any, Parser | None]:
        """The request as a server without tools takes it, and the parser for its answer."""
        if request.method != "POST" or not request.url.path.endswith("/chat/completions"):
            return request, None
        body = json.loads(request.content)
        messages = body.get("messages", [])
        tools, left_out = split_tools(body.pop("tools", None))
        if left_out:
            warnings.warn(f"toolstream: tools that only a provider runs are left out: {', '.join(left_out)}", stacklevel=2)
        if not tools and not any("tool_calls" in said or said.get("role") == "tool" for said in messages):
            return request, None
        if body.get("n") not in (None, 1):
            raise ValueError("toolstream: a request with tools is for one choice, not for several (n)")
        may_call = body.pop("tool_choice", None) != "none"
        limit = 1 if body.pop("parallel_tool_calls", None) is False else None
        parser = Parser(self._dialect, tools, **{"tool_limit": limit, **self._options})
        body["messages"] = parser.render_history(messages)
        if may_call and tools:
            body["messages"] = _with_prompt(body["messages"], parser.system_prompt())
            stop = body.get("stop") or []
            body["stop"] = [*([stop] if isinstance(stop, str) else stop), *parser.stop_sequences()]
        headers = [(key, value) for key, value in request.headers.raw if key.lower() != b"content-length"]
        asked = self._http.Request(
            request.method, request.url, headers=headers, json=body, extensions=request.extensions
        )
        return asked, parser if may_call and tools else None

    def _with_body(self, response: Any, **body: Any) -> Any:
        headers = [(key, value) for key, value in response.headers.raw if key.lower().decode() not in _OF_THE_BYTES]
        return self._http.Response(response.status_code, headers=headers, extensions=response.extensions, **body)


def _with_prompt(messages: list[dict[str, Any]], prompt: str) -> list[dict[str, Any]]:
    """The prompt at the end of the first message if that is the system's, else before it."""
    if not messages or messages[0].get("role") not in ("system", "developer"):
        return [{"role": "system", "content": prompt}, *messages]
    first, content = messages[0], messages[0].get("content")
    if isinstance(content, list):
        content = [*content, {"type": "text", "text": prompt}]
    else:
        content = f"{content}\n\n{prompt}" if content else prompt
    return [{**first, "content": content}, *messages[1:]]


def _is_stream(response: Any) -> bool:
    kind: str = response.headers.get("content-type", "")
    return kind.startswith("text/event-stream")


def _writer(parser: Parser, head: dict[str, Any], whole: bool, options: dict[str, Any]) -> EventWriter:
    """A writer for the answer to a request, with what its server says of it."""
    reader = Reader("openai-chat", text_calls=parser)
    id, model = str(head.get("id") or "chatcmpl"), str(head.get("model") or "")
    created = int(head.get("created") or 0)
    return EventWriter("openai-chat", reader, id, model, whole=whole, created=created, **options)


def _count(writer: EventWriter, event: dict[str, Any]) -> None:
    usage = event.get("usage")
    if usage:
        writer.usage(usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0)


def _whole(data: bytes, parser: Parser, options: dict[str, Any]) -> bytes:
    answer = json.loads(data)
    writer = _writer(parser, answer, whole=True, options=options)
    _count(writer, answer)
    return writer.feed(data) + writer.finish()


class _Events:
    """The lines of a stream of server-sent events, one after another, as what a client is to be sent."""

    def __init__(self, parser: Parser, options: dict[str, Any]) -> None:
        self._parser, self._options = parser, options
        self._writer: EventWriter | None = None
        self._over = False

    def line(self, line: str) -> bytes:
        if self._over:
            return b""
        if not line.startswith("data:"):
            # Gateways keep connections open with comments.
            return f"{line}\n\n".encode() if line.startswith(":") else b""
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            return self.end(cut=False)
        event = json.loads(data)
        if "error" in event:
            return f"data: {data}\n\n".encode()
        if self._writer is None:
            self._writer = _writer(self._parser, event, whole=False, options=self._options)
        _count(self._writer, event)
        return self._writer.feed(event)

    def end(self, cut: bool) -> bytes:
        """The end of the stream, which is cut unless the server said that it is whole."""
        if self._writer is None or self._over:
            return b""
        self._over = True
        return self._writer.finish_cut() if cut else self._writer.finish()


class Stream:
    """The body of an answer, as it comes."""

    def __init__(self, response: Any, parser: Parser, options: dict[str, Any]) -> None:
        self._response, self._events = response, _Events(parser, options)

    def __iter__(self) -> Iterator[bytes]:
        for line in self._response.iter_lines():
            if sent := self._events.line(line):
                yield sent
        if sent := self._events.end(cut=True):
            yield sent

    def close(self) -> None:
        self._response.close()


class AsyncStream:
    """The body of an answer, as it comes."""

    def __init__(self, response: Any, parser: Parser, options: dict[str, Any]) -> None:
        self._response, self._events = response, _Events(parser, options)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for line in self._response.aiter_lines():
            if sent := self._events.line(line):
                yield sent
        if sent := self._events.end(cut=True):
            yield sent

    async def aclose(self) -> None:
        await self._response.aclose()
