"""A server of OpenAI's chat completions that knows nothing of tools, and says what a test gives it."""

import contextlib
import gzip
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SAID = '<think>Hm.</think>I look. 😀\n<tool_call>{"name": "read", "arguments": {"path": "ä.rs"}}</tool_call>'
HEAD = {"id": "chatcmpl-7", "created": 17, "model": "local"}
USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}


class Server:
    """Says `text`, or of several the next one each time, and keeps what it was asked. In pieces that its events are cut in,
    anywhere."""

    def __init__(self, text=SAID, finish="stop", piece=7, status=200, compressed=False, events=None):
        self.text, self.finish, self.piece, self.status, self.compressed = text, finish, piece, status, compressed
        self.events, self.asked, self.written = events, [], []

    def said(self):
        return self.text if isinstance(self.text, str) else self.text[len(self.asked) - 1]

    def lines(self):
        if self.events is not None:
            return self.events
        chunk = lambda delta, reason: {  # noqa: E731
            **HEAD,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }
        said = self.said()
        texts = [said[at : at + 5] for at in range(0, len(said), 5)]
        events = [chunk({"role": "assistant", "content": ""}, None)]
        events += [chunk({"content": text}, None) for text in texts] + [chunk({}, self.finish)]
        events += [{**HEAD, "choices": [], "usage": USAGE}]
        return [f"data: {json.dumps(event)}" for event in events] + ["data: [DONE]"]

    def whole(self):
        message = {"role": "assistant", "content": self.said()}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        return {**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE}


@contextlib.contextmanager
def running(server):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            stream = server.asked[-1].get("stream") and server.status == 200
            data = json.dumps(server.whole()).encode()
            if stream:
                data = "".join(f"{line}\n\n" for line in server.lines()).encode()
            self.send_response(server.status)
            self.send_header("content-type", "text/event-stream" if stream else "application/json")
            if server.compressed:
                data = gzip.compress(data)
                self.send_header("content-encoding", "gzip")
            self.end_headers()
            for at in range(0, len(data), server.piece) if stream else [0]:
                self.wfile.write(data[at : at + server.piece] if stream else data)
                self.wfile.flush()
                server.written.append(time.monotonic())

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}/v1"
    finally:
        http.shutdown()
        http.server_close()
