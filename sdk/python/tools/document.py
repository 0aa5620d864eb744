"""The OpenAPI document as the generator reads it: native operations, their parameters, and types in Python's words."""

from __future__ import annotations

import json
import keyword
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

ROOT = Path(__file__).resolve().parents[3]
HEADER = '"""{what} Written by tools/generate.py from docs/reference/openapi.json: do not edit."""\n'

# Clearer in a program than in the document.
RENAMED = {"EventPage": "ScheduleHistoryPage", "Event": "ScheduleHistoryEvent", "Tasks": "ClaimedTasks"}
PATH_ARGUMENTS = {"schedule": "schedule_id", "run": "run_id", "webhook": "webhook_id", "backfill": "backfill_id",
                  "assignment": "assignment_id", "key": "key_id"}
# `fields` and `Prefer` would leave out members that the types promise. The client sends the others itself.
LEFT_OUT = {"fields", "Prefer", "If-None-Match", "tenant"}
# Written by hand, in _async/client.py.
BY_HAND = {"streamEvents", "getScheduleHistory"}
# Types of the dialects that programs still use.
ALSO = ["WorkflowScheduleRecord"]
UNKNOWN_IN_REQUESTS = ("Set by the server.", "Not allowed.")
# Changes that a second request does not repeat: they say what is to be, or a fencing token guards them.
REPEATABLE = {"claimTasks", "heartbeatTasks", "completeTasks", "previewDraft", "simulateDraft", "simulateSchedule",
              "checkCondition", "testWebhook"}

# Long enums have a name: that of the first value and the number of values.
NAMED_ENUMS = {("skip", 6): "OverlapPolicy", ("awaiting_approval", 10): "RunStatus"}

Schema = Dict[str, Any]


def snake(name: str) -> str:
    name = re.sub(r"[^A-Za-z0-9]", "_", name)
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def camel(name: str) -> str:
    """As belfry._codec does it."""
    return re.sub(r"_([a-z0-9])", lambda found: found.group(1).upper(), name)


def argument_name(name: str) -> str:
    name = snake(name)
    return f"{name}_" if keyword.iskeyword(name) else name


def class_name(name: str) -> str:
    return RENAMED.get(name, name)


class Document:
    def __init__(self) -> None:
        self.json = json.loads((ROOT / "docs/reference/openapi.json").read_text(encoding="utf-8"))
        self.schemas: Dict[str, Schema] = self.json["components"]["schemas"]
        self.operations = sorted(self._operations(), key=lambda each: each.name)

    def _operations(self) -> Iterator[Operation]:
        for path, methods in self.json["paths"].items():
            for method, operation in methods.items():
                if not operation["tags"][0].endswith("dialect"):
                    yield Operation(self, method.upper(), path, operation)

    def resolve(self, schema: Schema) -> Schema:
        return self.schemas[schema["$ref"].rsplit("/", 1)[-1]] if "$ref" in schema else schema

    def members(self, schema: Schema) -> List[Tuple[str, Schema, bool]]:
        """(name, schema, is required) of the members that a client may send or read."""
        required = schema.get("required", [])
        return [(name, member, name in required) for name, member in schema["properties"].items()
                if not member.get("description", "").startswith(UNKNOWN_IN_REQUESTS)]

    def reachable(self) -> List[str]:
        """Names of the schemas that operations use, sorted."""
        found: Set[str] = set()
        waiting = [*ALSO]
        for operation in self.operations:
            waiting += [name for schema in operation.schemas() for name in references(schema)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += references(self.schemas[name])
        return sorted(found, key=class_name)


def references(value: Any) -> List[str]:
    if isinstance(value, dict):
        own = [value["$ref"].rsplit("/", 1)[-1]] if "$ref" in value else []
        return own + [name for member in value.values() for name in references(member)]
    if isinstance(value, list):
        return [name for item in value for name in references(item)]
    return []


class Operation:
    def __init__(self, document: Document, method: str, path: str, json_: Schema) -> None:
        self.document = document
        self.method, self.path, self.json = method, path, json_
        self.id: str = json_["operationId"]
        self.name = snake(self.id)
        self.summary: str = json_.get("summary", "").rstrip(".") + "."
        known = [each for each in json_["parameters"] if each["name"] not in LEFT_OUT]
        self.in_path = [each["name"] for each in known if each["in"] == "path"]
        self.in_query = [each for each in known if each["in"] == "query"]
        self.headers = {each["name"] for each in known if each["in"] == "header"}
        self.resource = next((name for name in reversed(re.findall(r"{(\w+)}", path)) if name != "tenant"), "")
        if self.id == "createSchedule":
            self.resource = "schedule"

    @property
    def body(self) -> Optional[Tuple[str, Schema, bool]]:
        """(media type, schema, is required)"""
        if "requestBody" not in self.json:
            return None
        (media, content), = self.json["requestBody"]["content"].items()
        return media, self.document.resolve(content["schema"]), self.json["requestBody"].get("required", False)

    def returns(self) -> Dict[int, Optional[Schema]]:
        """Status → schema of the result. None: nothing. {"text": …}: text."""
        found: Dict[int, Optional[Schema]] = {}
        for status, response in self.json["responses"].items():
            if status == "default" or status == "304":
                continue
            # The first is what a client gets that accepts all.
            media, content = next(iter(response.get("content", {"": {}}).items()))
            if status != "204" or "200" not in self.json["responses"]:  # otherwise the answer to `Prefer`
                found[int(status)] = content["schema"] if media == "application/json" else {"text": 1} if media else None
        return found

    def schemas(self) -> List[Schema]:
        body = self.body
        of_body = list(body[1].get("properties", {}).values()) if body and self.method != "PATCH" else []
        patch = [self.json["requestBody"]["content"]["application/json"]["schema"]] if self.method == "PATCH" else []
        return [schema for schema in self.returns().values() if schema] + of_body + patch

    @property
    def is_repeatable(self) -> bool:
        return (self.method in ("GET", "PUT", "DELETE", "PATCH") or "Idempotency-Key" in self.headers
                or self.id in REPEATABLE)

    @property
    def item(self) -> Optional[Schema]:
        """Of a list with pages."""
        schema = self.returns().get(200)
        if self.method != "GET" or not schema or not any(each["name"] == "cursor" for each in self.in_query):
            return None
        members = self.document.resolve(schema).get("properties", {})
        return members["items"]["items"] if {"nextCursor", "items"} <= members.keys() else None


class Types:
    """Types in Python. `prefix` stands before models; `is_input` also allows plain mappings for them."""

    def __init__(self, prefix: str = "", is_input: bool = False) -> None:
        self.prefix, self.is_input = prefix, is_input

    def of(self, schema: Schema) -> str:
        if "$ref" in schema:
            name = self.prefix + class_name(schema["$ref"].rsplit("/", 1)[-1])
            return f"Union[{name}, Json]" if self.is_input else name
        if "anyOf" in schema:
            some = [each for each in schema["anyOf"] if each.get("type") != "null"]
            return optional(self.of(some[0])) if len(some) == 1 else "Any"
        kind = schema.get("type")
        if isinstance(kind, list):
            return optional(self.of({**schema, "type": next(each for each in kind if each != "null")}))
        return self._plain(kind, schema)

    def _plain(self, kind: Optional[str], schema: Schema) -> str:
        if "enum" in schema:
            values = [each for each in schema["enum"] if each is not None]
            name = NAMED_ENUMS.get((values[0], len(values)))
            return f"{self.prefix}{name}" if name else literal(values)
        if kind == "array":
            return f"{'Sequence' if self.is_input else 'List'}[{self.of(schema['items'])}]"
        if kind == "object":
            extra = schema.get("additionalProperties")
            inner = self.of(extra) if isinstance(extra, dict) else "Any"
            return f"{'Mapping' if self.is_input else 'Dict'}[str, {inner}]"
        if kind == "string" and schema.get("format") == "date-time":
            return "Union[datetime, str]" if self.is_input else "datetime"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}.get(kind or "", "Any")


def literal(values: List[Any]) -> str:
    return f"Literal[{', '.join(json.dumps(each) for each in values)}]"


def enums(value: Any) -> Iterator[List[Any]]:
    """The values of every enum below `value`."""
    if isinstance(value, dict) and isinstance(value.get("enum"), list):
        yield [each for each in value["enum"] if each is not None]
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from enums(member)


def optional(kind: str) -> str:
    return kind if kind == "Any" or kind.startswith("Optional[") else f"Optional[{kind}]"
