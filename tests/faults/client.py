"""Requests to a server that may be dying. What matters is what the caller may conclude from a failure.

`Refused`: nobody listened, so nothing happened. `Unknown`: the request went out and no whole answer came back, so it
may have had its effect or not. Anything else is an answer.
"""

import http.client
import json

TIMEOUT_S = 3


class Refused(Exception):
    """The request never reached a server."""


class Unknown(Exception):
    """The request may have had its effect."""


def ask(port, method, path, body=None, timeout=TIMEOUT_S):
    """Status and JSON of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        try:
            connection.connect()
        except OSError as error:
            raise Refused(str(error)) from error
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": "application/json", "Connection": "close"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unknown(f"{type(error).__name__}: {error}") from error
    finally:
        connection.close()
