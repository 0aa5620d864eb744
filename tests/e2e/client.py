"""A client that calls operations by name and holds every answer against the API's own description."""

import contextlib
import http.client
import json
from urllib.parse import quote, urlencode, urlsplit

from document import TENANT_HEADER, Document, filled, is_dialect

PATIENCE_S = 60


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def media(self):
        return self.headers.get("Content-Type", "").split(";")[0]

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:500]!r}"


def send(url, method, target, body=None, headers=None, patience_s=PATIENCE_S):
    """One request on a connection of its own; `target` is sent as it is."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=patience_s)
    try:
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    finally:
        connection.close()


class Client:
    """`client.call("pauseSchedule", schedule=id, body={...})`; names of path parts and of query parameters are
    arguments."""

    def __init__(self, url, tenant="default", headers=None, seen=None):
        self.url = url
        self.tenant = tenant
        self.headers = headers or {}
        self.document = Document(send(url, "GET", "/api/openapi.json").body)
        self.seen = seen if seen is not None else {}  # operation → statuses

    def having(self, headers):
        """The same client with further headers."""
        return Client(self.url, self.tenant, {**self.headers, **headers}, self.seen)

    @contextlib.contextmanager
    def stream(self, name, headers=None, **arguments):
        """The lines of an answer without an end."""
        _, pattern, _ = self.document.operations[name]
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE_S)
        try:
            target = filled(pattern, {"tenant": self.tenant}) + "?" + urlencode(arguments)
            connection.request("GET", target, None, {**self.headers, **(headers or {})})
            answer = connection.getresponse()
            if answer.status != 200 or not answer.headers["Content-Type"].startswith("text/event-stream"):
                raise AssertionError(f"{target}: {answer.status} {answer.read()[:500]!r}")
            self.seen.setdefault(name, set()).add(answer.status)
            yield (line.decode().rstrip("\r\n") for line in answer)
        finally:
            connection.close()

    def call(self, name, body=None, expect=None, headers=None, text=None, media=None, **arguments):
        method, pattern, operation = self.document.operations[name]
        parts = {"tenant": self.tenant, **{key: quote(str(value), safe="") for key, value in arguments.items()}}
        target = filled(pattern, parts)
        known = {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"}
        query = {key.replace("__", "-"): value for key, value in arguments.items() if key in known}
        if query:
            target += "?" + urlencode(query)
        sent = {**({TENANT_HEADER: self.tenant} if is_dialect(operation) else {}), **self.headers, **(headers or {})}
        data = text
        if body is not None:
            data = json.dumps(body)
            sent.setdefault("Content-Type", "application/json")
        if media:
            sent["Content-Type"] = media
        answer = send(self.url, method, target, data, sent)
        wrong = self.document.wrong_with(name, answer.status, answer.media, answer.body)
        if wrong:
            raise AssertionError(f"{wrong}\n{method} {target}\n{answer!r}")
        if expect is not None and answer.status != expect:
            raise AssertionError(f"{name}: {answer.status} instead of {expect}\n{method} {target} {data}\n{answer!r}")
        self.seen.setdefault(name, set()).add(answer.status)
        return answer

    def json(self, name, body=None, expect=200, **arguments):
        return self.call(name, body, expect, **arguments).json
