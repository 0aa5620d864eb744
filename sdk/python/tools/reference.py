#!/usr/bin/env python3
"""Writes docs/reference/sdk-python.md from the sources: python3 tools/reference.py [--check]

Reads the sources without running them: signatures as they stand there, and the first paragraph of each docstring. With
--check, writes nothing and exits with 1 if the page is not current.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from pathlib import Path
from typing import Iterator, List, Optional, Tuple, Union

PACKAGE = Path(__file__).resolve().parents[1] / "belfry"
PAGE = PACKAGE.parents[2] / "docs/reference/sdk-python.md"
WIDTH = 100
Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]

INTRODUCTION = """\
<!-- Written by sdk/python/tools/reference.py from the sources: do not edit. -->
# Python SDK

Everything that a program imports from `belfry`. The [README](../../sdk/python/README.md) shows how
to use it, and [write a worker](../guide/write-a-worker.md) explains workers. The types of `models`
are those of the [HTTP API](http.md), with members in `snake_case`.

`SyncClient`, `SyncScheduleHandle`, `SyncRunHandle` and `SyncEventStream` have the same methods
without `async`, and plain iterators instead of asynchronous ones.
"""


class Source:
    def __init__(self, path: str) -> None:
        self.tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))

    def classes(self) -> List[ast.ClassDef]:
        return [each for each in self.tree.body if isinstance(each, ast.ClassDef) and is_public(each.name)]

    def class_(self, name: str) -> ast.ClassDef:
        return next(each for each in self.classes() if each.name == name)

    def functions(self, *names: str) -> List[Function]:
        found = {each.name: each for each in self.tree.body
                 if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))}
        return [found[name] for name in names]


def is_public(name: str) -> bool:
    return not name.startswith("_")


def paragraphs(node: Union[ast.ClassDef, Function]) -> str:
    """The docstring, filled. A block in which lines have columns stays as it is, as an example."""
    parts: List[str] = []
    for part in (ast.get_docstring(node) or "").split("\n\n"):
        if "\n" in part and all("  " in line.strip() for line in part.splitlines()):
            parts.append(f"```\n{part}\n```")
        elif part:
            parts.append(textwrap.fill(" ".join(part.split()), WIDTH, break_on_hyphens=False))
    return "\n\n".join(parts)


def summary(node: Union[ast.ClassDef, Function]) -> str:
    return " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())


def parameters(function: Function) -> List[str]:
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    defaults: List[Optional[ast.expr]] = [*[None] * (len(plain) - len(given.defaults)), *given.defaults]
    found = [parameter(each, default) for each, default in zip(plain, defaults) if each.arg != "self"]
    if given.vararg:
        found.append("*" + parameter(given.vararg, None))
    elif given.kwonlyargs:
        found.append("*")
    found += [parameter(each, default) for each, default in zip(given.kwonlyargs, given.kw_defaults)]
    return found + (["**" + parameter(given.kwarg, None)] if given.kwarg else [])


def parameter(given: ast.arg, default: Optional[ast.expr]) -> str:
    kind = f": {ast.unparse(given.annotation)}" if given.annotation else ""
    value = "" if default is None else f" = {ast.unparse(default)}" if kind else f"={ast.unparse(default)}"
    return given.arg + kind + value


def signature(function: Function, name: str) -> str:
    """On one line if it fits, otherwise with as many parameters in a line as fit."""
    start = "async " if isinstance(function, ast.AsyncFunctionDef) else ""
    returned = ast.unparse(function.returns) if function.returns and function.name != "__init__" else ""
    end = ")" + (f" -> {returned}" if returned else "")
    parts = parameters(function)
    line = f"{start}{name}({', '.join(parts)}{end}"
    if len(line) <= WIDTH:
        return line
    inner = textwrap.fill(", ".join(part.replace(" ", "\0") for part in parts), WIDTH, break_on_hyphens=False,
                          initial_indent="    ", subsequent_indent="    ", break_long_words=False)
    return f"{start}{name}(\n{inner},\n{end}".replace("\0", " ")


def code(lines: List[str]) -> str:
    return "```python\n" + "\n".join(lines) + "\n```"


def described(function: Function, name: str) -> str:
    """A signature with the summary above it, as a comment."""
    text = summary(function)
    comment = textwrap.fill(text, WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
    return (f"{comment}\n" if text else "") + signature(function, name)


def members(kind: ast.ClassDef) -> Iterator[Tuple[Function, bool]]:
    """(function, is property)"""
    for each in kind.body:
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_public(each.name):
            decorators = [ast.unparse(one) for one in each.decorator_list]
            if not any(one.endswith(".setter") for one in decorators):
                yield each, "property" in decorators


def property_line(function: Function) -> str:
    text = f"  # {summary(function)}" if summary(function) else ""
    kind = ast.unparse(function.returns) if function.returns else "Any"
    line = f"{function.name}: {kind}{text}"
    return line if len(line) <= WIDTH else f"#{text[3:]}\n{function.name}: {kind}"


def class_part(kind: ast.ClassDef, *, has_constructor: bool = True, left_out: Tuple[str, ...] = ()) -> str:
    constructor = next((each for each in kind.body
                        if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    lines = [signature(constructor, kind.name)] if constructor and has_constructor else []
    lines += [property_line(each) for each, is_property in members(kind) if is_property]
    lines += [described(each, each.name) for each, is_property in members(kind)
              if not is_property and each.name not in left_out]
    fields = [f"{ast.unparse(each.target)}: {ast.unparse(each.annotation)}" for each in kind.body
              if isinstance(each, ast.AnnAssign) and not constructor]
    text = paragraphs(kind)
    return (f"{text}\n\n" if text else "") + code(fields + lines)


def operations_part(kind: ast.ClassDef) -> str:
    found = sorted((each for each, _ in members(kind) if each.name != "send"), key=lambda each: each.name)
    return code(["\n\n".join(described(each, each.name) for each in found)])


def error_rows(source: Source, names: List[str]) -> str:
    rows = ["| error | is a | when |", "|---|---|---|"]
    for each in source.classes():
        if each.name in names and each.bases:
            rows.append(f"| `{each.name}` | `{ast.unparse(each.bases[0])}` | {summary(each)} |")
    return "\n".join(rows)


def exported() -> List[str]:
    names = next(each.value for each in Source("__init__.py").tree.body
                 if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "__all__")
    found: List[str] = ast.literal_eval(names)
    return found


def page() -> str:
    handles, worker = Source("_async/handles.py"), Source("worker/worker.py").class_("Worker")
    context, testing, names = Source("worker/context.py"), Source("testing.py"), exported()
    specs = [each.name for each in Source("specs.py").tree.body if isinstance(each, ast.FunctionDef)]
    parts = [
        INTRODUCTION,
        "## Client\n\n" + class_part(Source("_async/client.py").class_("Client"), left_out=("send",)),
        "### Times and targets\n\n"
        + code([described(each, each.name) for each in Source("specs.py").functions(*[n for n in specs if n in names])]),
        "### Operations\n\nEvery operation of the HTTP API, in the order of the alphabet. All of them raise the "
        "errors\nbelow.\n\n" + operations_part(Source("_async/operations.py").class_("Operations")),
        "## Handles\n\n### ScheduleHandle\n\n" + class_part(handles.class_("ScheduleHandle"), has_constructor=False),
        "### RunHandle\n\n" + class_part(handles.class_("RunHandle"), has_constructor=False),
        "### EventStream\n\n" + class_part(Source("_async/event_stream.py").class_("EventStream"),
                                           has_constructor=False),
        "### Event\n\n" + class_part(Source("events.py").class_("Event")),
        "## Worker\n\n" + class_part(worker),
        "### TaskContext\n\n" + class_part(context.class_("TaskContext"), has_constructor=False)
        + "\n\n" + code([described(each, each.name) for each in context.functions("current_task")]),
        "## Errors\n\n" + error_rows(Source("errors.py"), names),
        "### APIError\n\n" + class_part(Source("errors.py").class_("APIError")),
        "### FieldError\n\n" + class_part(Source("errors.py").class_("FieldError")),
        "### Failures of tasks\n\n" + error_rows(Source("worker/failures.py"), names),
        "## Testing\n\nImport these from `belfry.testing`.\n\n"
        + code([described(each, each.name) for each in testing.functions("run_task", "run_task_async")]),
        "### TaskResult\n\n" + class_part(testing.class_("TaskResult")),
        "### LocalServer\n\n" + class_part(testing.class_("LocalServer")),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def main() -> int:
    text = page()
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/reference/sdk-python.md is not current; run python3 tools/reference.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
