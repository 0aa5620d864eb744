"""An HTTP server that replays responses and records requests."""

from __future__ import annotations

import http.server
import json
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional
from urllib.parse import parse_qsl, urlsplit

Response = Dict[str, Any]


@dataclass
class Request:
    method: str
    path: str
    query: Dict[str, str]
    headers: Dict[str, str]
    body: Any
    text: str = ""


@dataclass
class Stub:
    """`answer` gets each request and returns a response as in cases.json."""

    answer: Callable[[Request], Response]
    requests: List[Request] = field(default_factory=list)

    def __enter__(self) -> Stub:
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def respond(self) -> None:
                stub.respond(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = respond

            def log_message(self, *_: Any) -> None:  # pylint: disable=arguments-differ
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()

    def respond(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        text = handler.rfile.read(int(handler.headers.get("Content-Length", 0))).decode()
        parts = urlsplit(handler.path)
        body = json.loads(text) if text and "json" in handler.headers.get("Content-Type", "") else None
        request = Request(handler.command, parts.path, dict(parse_qsl(parts.query)), dict(handler.headers.items()), body,
                          text)
        self.requests.append(request)
        response = self.answer(request)
        if response.get("close"):
            handler.close_connection = True
            return
        content: Optional[str] = response.get("text")
        media = "text/plain"
        if content is None and "body" in response:
            content, media = json.dumps(response["body"]), "application/json"
        data = (content or "").encode()
        handler.send_response(response["status"])
        headers = {"Content-Type": media, "Content-Length": str(len(data)), **response.get("headers", {})}
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)
