"""A recorded conversation of a client with a server, and its replay: every request is sent again, and every answer must
be what it was.

A file is a list of exchanges:

    {"request": {"method": "POST", "path": "/api/schedules", "headers": {…}, "body": {…}},
     "response": {"status": 201, "headers": {…}, "body": {…}}}

What differs from one day to the next stands in the answer as a pattern: "<uuid>", "<instant>", "<number>", "<text>",
"<token>", "<any>". "<uuid:made>" also remembers the value, and "${made}" in a later path, header or body stands for it.
Of the headers only those that the file names are compared, of a body everything.
"""

import json
import re

from client import send

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
PATTERNS = {
    "uuid": lambda value: isinstance(value, str) and re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value),
    "instant": lambda value: isinstance(value, str) and INSTANT.fullmatch(value),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "text": lambda value: isinstance(value, str) and value,
    "token": lambda value: isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.~=-]+", value),
    "any": lambda value: True,
}


class Replay:
    def __init__(self, url, headers=None):
        self.url = url
        self.headers = headers or {}
        self.known = {}

    def said(self, value):
        """What was recorded, with the remembered values in it."""
        if isinstance(value, str):
            return re.sub(r"\$\{(\w+)\}", lambda found: str(self.known[found[1]]), value)
        if isinstance(value, list):
            return [self.said(element) for element in value]
        if isinstance(value, dict):
            return {key: self.said(member) for key, member in value.items()}
        return value

    def wrong(self, recorded, answered, place=""):
        """The first place where an answer is not what was recorded; nothing when it is."""
        found = isinstance(recorded, str) and re.fullmatch(r"<(\w+)(?::(\w+))?>", recorded)
        if found and found[1] in PATTERNS:
            if not PATTERNS[found[1]](answered):
                return f"{place}: {answered!r} is no {found[1]}"
            if found[2]:
                self.known[found[2]] = answered
            return None
        recorded = self.said(recorded) if isinstance(recorded, str) else recorded
        if isinstance(recorded, str) and isinstance(answered, str) and re.search(r"<\w+>", recorded):
            parts = re.split(r"<(\w+)>", recorded)
            if re.fullmatch("".join(".+" if index % 2 else re.escape(part) for index, part in enumerate(parts)),
                            answered):
                return None
            return f"{place}: {answered!r} instead of {recorded!r}"
        if isinstance(recorded, dict) and isinstance(answered, dict):
            if recorded.keys() != answered.keys():
                return f"{place}: members {sorted(answered)} instead of {sorted(recorded)}"
            return next((error for key in recorded
                         if (error := self.wrong(recorded[key], answered[key], f"{place}/{key}"))), None)
        if isinstance(recorded, list) and isinstance(answered, list):
            if len(recorded) != len(answered):
                return f"{place}: {len(answered)} elements instead of {len(recorded)}"
            pairs = enumerate(zip(recorded, answered))
            return next((error for index, (old, new) in pairs if (error := self.wrong(old, new, f"{place}/{index}"))),
                        None)
        same = recorded == answered and type(recorded) is type(answered)
        return None if same else f"{place}: {answered!r} instead of {recorded!r}"

    def exchange(self, recorded):
        request, response = recorded["request"], recorded["response"]
        headers = {**self.headers, **self.said(request.get("headers", {}))}
        body = None
        if "body" in request:
            body = json.dumps(self.said(request["body"]))
            headers.setdefault("Content-Type", "application/json")
        answer = send(self.url, request["method"], self.said(request["path"]), body, headers)
        where = f"{request['method']} {request['path']}"
        if answer.status != response["status"]:
            raise AssertionError(f"{where}: {answer!r} instead of {response['status']}")
        for name, value in response.get("headers", {}).items():
            if error := self.wrong(value, answer.headers.get(name), name):
                raise AssertionError(f"{where}: header {error}")
        if "body" in response:
            answered = json.loads(answer.body) if answer.body else None
            if error := self.wrong(response["body"], answered):
                raise AssertionError(f"{where}: {error}\n{answer!r}")


def replay(url, path, headers=None):
    """Raises at the first answer that is not what was recorded. Returns how many exchanges there were."""
    with open(path, encoding="utf-8") as file:
        exchanges = json.load(file)
    replaying = Replay(url, headers)
    for number, recorded in enumerate(exchanges):
        try:
            replaying.exchange(recorded)
        except AssertionError as error:
            raise AssertionError(f"exchange {number}: {error}") from error
    return len(exchanges)
