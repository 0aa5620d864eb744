#!/usr/bin/env python3
"""Writes the generated files of the package: python3 tools/generate.py [--check]

- belfry/models.py: a dataclass for every value of the native API
- belfry/_calls.py: a function for every operation that describes its request
- belfry/_async/operations.py: a method for every operation
- belfry/_sync/*.py: what is in belfry/_async, without async and await

With --check, writes nothing and exits with 1 if a file is not current.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Dict, List, Tuple

from document import (BY_HAND, HEADER, NAMED_ENUMS, PATH_ARGUMENTS, Document, Operation, Types, argument_name, camel,
                      class_name, enums, optional)
from without_async import without_async

PACKAGE = Path(__file__).resolve().parents[1] / "belfry"
WIDTH = 120
RESULTS, INPUTS, MODELS = Types("models."), Types("models.", is_input=True), Types()
HAS_HEADER = {"Idempotency-Key": ("idempotency_key", "Optional[str]"),
              "If-Match": ("if_match", "Union[int, str, None]"),
              "Belfry-Callback-Token": ("callback_token", "Optional[str]")}


def wrapped(start: str, parts: List[str], end: str, indent: str) -> str:
    """A call or a signature, on one line if it fits."""
    line = f"{indent}{start}{', '.join(parts)}{end}"
    if len(line) <= WIDTH:
        return line
    inner = textwrap.fill(", ".join(part.replace(" ", "\0") for part in parts), WIDTH - 1, break_on_hyphens=False,
                          initial_indent=f"{indent}    ", subsequent_indent=f"{indent}    ", break_long_words=False)
    return f"{indent}{start}\n{inner},\n{indent}{end}".replace("\0", " ")


def doc(text: str, indent: str) -> str:
    lines = textwrap.wrap(f'"""{text.strip()}"""', WIDTH - len(indent))
    return "\n".join(indent + line for line in lines)


def models(document: Document) -> str:
    parts = [HEADER.format(what="The values of the API."),
             "from __future__ import annotations\n\nfrom dataclasses import dataclass\nfrom datetime import datetime\n"
             "from typing import Any, ClassVar, Dict, List, Literal, Optional\n\n"
             "from belfry._codec import Model\n"]
    names = document.reachable()
    parts += [named_enum(each, values) for each, values in named_enums(document).items()]
    for name in names:
        parts.append("\n" + model(document, name))
    exported = textwrap.fill(", ".join(f'"{name}"' for name in sorted([*map(class_name, names), *named_enums(document)])), WIDTH - 4)
    parts.append("\n__all__ = [\n" + textwrap.indent(exported, "    ") + ",\n]\n")
    return "\n".join(parts)


def named_enums(document: Document) -> Dict[str, List[str]]:
    found = {NAMED_ENUMS[key]: values for values in enums(document.json)
             if (key := (values[0], len(values))) in NAMED_ENUMS}
    return dict(sorted(found.items()))


def named_enum(name: str, values: List[str]) -> str:
    return wrapped(f"{name} = Literal[", [f'"{each}"' for each in values], "]", "")


def model(document: Document, name: str) -> str:
    members = sorted(document.members(document.schemas[name]), key=lambda each: not each[2])
    lines = ["@dataclass", f"class {class_name(name)}(Model):"]
    odd = {argument_name(each): each for each, _, _ in members if camel(argument_name(each)) != each}
    if odd and all(attribute == each for attribute, each in odd.items()):
        lines += ["    _json_names: ClassVar[Optional[Dict[str, str]]] = None", ""]
    elif odd:
        texts = ", ".join(f'"{attribute}": "{each}"' for attribute, each in odd.items())
        filled = textwrap.fill(texts, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
        lines += ["    _json_names: ClassVar[Optional[Dict[str, str]]] = {", f"{filled},", "    }", ""]
    for each, schema, is_required in members:
        kind = MODELS.of(schema)
        declared = f"{argument_name(each)}: {kind}" if is_required else f"{argument_name(each)}: {optional(kind)} = None"
        lines += field_lines(declared)
        if schema.get("description"):
            lines.append(doc(schema["description"].replace("\\", "\\\\"), "    "))
    if not members:
        lines.append("    pass")
    return "\n".join(lines) + "\n"


def field_lines(declared: str) -> List[str]:
    if len(declared) + 4 <= WIDTH:
        return [f"    {declared}"]
    start, rest = declared.split("Literal[", 1)
    values, end = rest.split("]", 1)
    filled = textwrap.fill(values, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return [f"    {start}Literal[", f"{filled},", f"    ]{end}"]


def arguments(operation: Operation) -> List[Tuple[str, str, str, bool]]:
    """(name in Python, name in the document, type, is keyword) in the order of the signature."""
    found = [(PATH_ARGUMENTS.get(name, name), name, "str" if name not in ("version", "position") else "int", False)
             for name in operation.in_path]
    optional_ones: List[Tuple[str, str, str, bool]] = []
    body = operation.body
    if body and operation.method == "PATCH":
        found.append(("patch", "patch", "Json", False))
    elif body and body[0] != "application/json":
        found.append(("content", "content", "str", False))
    elif body and not body[1].get("properties") and body[1].get("type") != "object":
        optional_ones.append(("payload", "payload", "Any", True))
    elif body:
        for name, schema, is_required in operation.document.members(body[1]):
            kind = INPUTS.of(schema)
            row = (argument_name(name), name, kind if is_required else optional(kind), True)
            (found if is_required else optional_ones).append(row)
    for each in operation.in_query:
        kind = "str" if each["name"] == "cursor" else INPUTS.of(each["schema"])  # some cursors are numbers
        row = (argument_name(each["name"]), each["name"], kind if each["required"] else optional(kind), True)
        (found if each["required"] else optional_ones).append(row)
    optional_ones += [(*HAS_HEADER[name], True)[:1] + (name, HAS_HEADER[name][1], True)
                      for name in sorted(operation.headers) if name in HAS_HEADER]
    names = [each[0] for each in found + optional_ones]
    assert len(set(names)) == len(names), f"{operation.id} has two arguments of one name: {names}"
    return found + [each for each in optional_ones]


def signature(rows: List[Tuple[str, str, str, bool]], first: List[str]) -> List[str]:
    parts, keywords = list(first), False
    for name, _, kind, is_keyword in rows:
        if is_keyword and not keywords:
            parts.append("*")
            keywords = True
        has_default = kind.startswith("Optional[") or kind.endswith("None]") or (kind == "Any" and is_keyword)
        parts.append(f"{name}: {kind}" + (" = None" if has_default else ""))
    return parts


def returned(operation: Operation, types: Types) -> Tuple[str, str]:
    """(type of the result, `returns` of the Call)"""
    kinds = {status: "None" if schema is None else "str" if "text" in schema else types.of(schema)
             for status, schema in operation.returns().items()}
    distinct = sorted(set(kinds.values()))
    whole = distinct[0] if len(distinct) == 1 else f"Union[{', '.join(distinct)}]"
    return whole, "{" + ", ".join(f"{status}: {kind}" for status, kind in kinds.items()) + "}"


def call_function(operation: Operation) -> str:
    rows = arguments(operation)
    result, returns = returned(operation, RESULTS)
    has_tenant = "{tenant}" in operation.path and "tenant" not in operation.in_path
    lines = [wrapped(f"def {operation.name}(", signature(rows, ["tenant: str"] if has_tenant else []),
                     f") -> Call[{result}]:", "")]
    path = operation.path
    for name in operation.in_path + ["tenant"]:
        path = path.replace("{" + name + "}", "{segment(" + PATH_ARGUMENTS.get(name, name) + ")}")
    fields = [f'"{operation.method}"', f'f"{path}"' if "{" in path else f'"{path}"', returns]
    query = [f'"{each["name"]}": {argument_name(each["name"])}' for each in operation.in_query]
    if query:
        lines.append(wrapped("sent_query = query_of({", query, "})", "    "))
        fields.append("query=sent_query")
    lines += body_lines(operation, rows)
    headers = ["**sent"] if operation.body else []
    if "Idempotency-Key" in operation.headers:
        headers.append("**idempotency(idempotency_key)")
    if "If-Match" in operation.headers:
        headers.append("**if_match_header(if_match)")
    if "Belfry-Callback-Token" in operation.headers:
        headers.append('**({"Belfry-Callback-Token": callback_token} if callback_token else {})')
    if headers:
        fields.append("headers={" + ", ".join(headers) + "}")
    if operation.body:
        fields.append("content=content_" if operation.body[0] != "application/json" else "content=content")
    if operation.resource:
        fields.append(f'resource="{operation.resource}"')
    if operation.is_repeatable:
        fields.append("repeatable=" + ("if_match is None" if "If-Match" in operation.headers else "True"))
    if any(name == "wait_ms" for name, _, _, _ in rows):
        fields.append("waits_s=(wait_ms or 0) / 1000")
    lines.append(wrapped("return Call(", fields, ")", "    "))
    return "\n".join(lines) + "\n"


def body_lines(operation: Operation, rows: List[Tuple[str, str, str, bool]]) -> List[str]:
    if not operation.body:
        return []
    media, schema, _ = operation.body
    if operation.method == "PATCH":
        return ["    content, sent = json_body(patch)"]
    if media != "application/json":
        return [f'    content_, sent = text_body(content, "{media}")']
    if not schema.get("properties") and schema.get("type") != "object":
        return ["    content, sent = json_body({} if payload is None else payload)"]
    names = {name for name, _, _ in operation.document.members(schema)}
    members = [f'"{name}": {argument}' for argument, name, _, _ in rows if name in names]
    return [wrapped("content, sent = body_of({", members, "})", "    ")]


IMPORTS = "from typing import {names}\n\nfrom belfry import models\n"


def calls(document: Document) -> str:
    parts = [HEADER.format(what="The request of every operation."), "from __future__ import annotations\n",
             "from datetime import datetime",
             IMPORTS.format(names="Any, Dict, Literal, Mapping, Optional, Sequence, Union") +
             "from belfry._call import Call, body_of, idempotency\n"
             "from belfry._call import if_match as if_match_header\n"
             "from belfry._call import json_body, query_of, segment, text_body\n\nJson = Mapping[str, Any]\n"]
    for operation in document.operations:
        if operation.id != "streamEvents":
            parts.append("\n" + call_function(operation))
    return "\n".join(parts)


def passed(rows: List[Tuple[str, str, str, bool]]) -> List[str]:
    return [f"{name}={name}" if is_keyword else name for name, _, _, is_keyword in rows]


def method(operation: Operation) -> str:
    rows = arguments(operation)
    result, _ = returned(operation, RESULTS)
    lines = [wrapped(f"async def {operation.name}(", signature(rows, ["self"]), f") -> {result}:", "    "),
             doc(operation.summary, "        ")]
    tenant = ["self.tenant"] if "{tenant}" in operation.path and "tenant" not in operation.in_path else []
    lines.append(wrapped(f"return await self.send(calls.{operation.name}(", tenant + passed(rows), "))", "        "))
    return "\n".join(lines) + "\n"


def iterator(operation: Operation) -> str:
    rows = [row for row in arguments(operation) if row[1] != "cursor"]
    assert operation.item
    item = RESULTS.of(operation.item)
    name = "iter_" + operation.name.split("_", 1)[1]
    summary = operation.summary.rstrip(".") + ", all pages. `limit` is the size of a page."
    lines = [wrapped(f"def {name}(", signature(rows, ["self"]), f") -> AsyncIterator[{item}]:", "    "),
             doc(summary, "        ")]
    call = wrapped(f"return pages(lambda cursor: self.{operation.name}(", passed(rows) + ["cursor=cursor"], "))",
                   "        ")
    return "\n".join(lines + [call]) + "\n"


def operations(document: Document) -> str:
    parts = [HEADER.format(what="A method for every operation."), "from __future__ import annotations\n",
             "from datetime import datetime",
             IMPORTS.format(names="Any, AsyncIterator, Dict, Literal, Mapping, Optional, Sequence, TypeVar, Union") +
             "from belfry import _calls as calls\nfrom belfry._async.pages import pages\nfrom belfry._call import Call\n\n"
             'T = TypeVar("T")\nJson = Mapping[str, Any]\n\n\nclass Operations:\n'
             '    """Every operation of the API that needs no further help."""\n\n    tenant: str\n\n'
             "    async def send(self, call: Call[T]) -> T:\n        raise NotImplementedError\n"]
    for operation in document.operations:
        if operation.id in BY_HAND:
            continue
        parts.append(method(operation))
        if operation.item and operation.name.startswith("list_"):
            parts.append(iterator(operation))
    return "\n".join(parts)


def generated() -> Dict[Path, str]:
    document = Document()
    files = {PACKAGE / "models.py": models(document), PACKAGE / "_calls.py": calls(document),
             PACKAGE / "_async/operations.py": operations(document)}
    for path in sorted((PACKAGE / "_async").glob("*.py")):
        text = files.get(path) or path.read_text(encoding="utf-8")
        files[PACKAGE / "_sync" / path.name] = without_async(text)
    if PACKAGE / "_sync/operations.py" not in files:
        files[PACKAGE / "_sync/operations.py"] = without_async(files[PACKAGE / "_async/operations.py"])
    return files


def main() -> int:
    is_check = "--check" in sys.argv
    stale = [path for path, text in generated().items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    if is_check:
        for path in stale:
            print(f"{path.relative_to(PACKAGE.parent)} is not current; run python3 tools/generate.py")
        return 1 if stale else 0
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8")
    print(f"{len(stale)} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
