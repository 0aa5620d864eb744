#!/usr/bin/env python3
"""Checks docs/internals/store.md against the schema: python3 tools/check_store_docs.py [ROOT]

Every table and index that src/store/sql/schema/step_*.cpp (and migrations.cpp, for its own ledger) create has a row in
the page's table of that kind, and every row names an existing one. Primary keys and unique columns count as indexes,
with the names that PostgreSQL gives them: TABLE_pkey and TABLE_COLUMN_key. Prints one line per error and exits with 1.
"""
import re
import sys
from collections import Counter
from pathlib import Path

SCHEMA = ["src/store/sql/schema/migrations.cpp", "src/store/sql/schema/step_*.cpp"]  # in this order
PAGE = "docs/internals/store.md"
KINDS = ["table", "index"]

STATEMENT = re.compile(
    r"CREATE TABLE (?:IF NOT EXISTS )?(?P<table>\w+) \((?P<columns>.*?)\n\)"
    r"|CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?(?P<index>\w+)\s+ON (?P<of>\w+)"
    r"|DROP TABLE (?:IF EXISTS )?(?P<dropped_table>\w+)"
    r"|DROP INDEX (?:IF EXISTS )?(?P<dropped_index>\w+)",
    re.DOTALL,
)
KEY = re.compile(r"\{(?:\w+ )?key\}|\bPRIMARY KEY\b")
UNIQUE_COLUMN = re.compile(r"^\s*(\w+) .*\bUNIQUE\b", re.MULTILINE)
FIRST_CELL = re.compile(r"^\| *`?(\w+)`? *\|")
RULE = re.compile(r"^\|[-:| ]+\|$")


def schema_names(text):
    """Returns the names that exist after all statements of the schema, by kind."""
    tables, indexes = set(), {}  # index to table, because dropping a table drops its indexes
    for found in STATEMENT.finditer(text):
        if table := found["table"]:
            tables.add(table)
            if KEY.search(found["columns"]):
                indexes[f"{table}_pkey"] = table
            indexes.update({f"{table}_{column}_key": table for column in UNIQUE_COLUMN.findall(found["columns"])})
        elif found["index"]:
            indexes[found["index"]] = found["of"]
        elif dropped := found["dropped_table"]:
            tables.discard(dropped)
            indexes = {index: of for index, of in indexes.items() if of != dropped}
        else:
            indexes.pop(found["dropped_index"], None)
    return {"table": tables, "index": set(indexes)}


def page_names(lines):
    """Yields (kind, line number, name) for every row of a table whose first heading is one of KINDS."""
    kind = None
    for number, line in enumerate(lines, start=1):
        first = FIRST_CELL.match(line)
        if not line.startswith("|"):
            kind = None
        elif first and number < len(lines) and RULE.match(lines[number]):
            kind = first.group(1) if first.group(1) in KINDS else None
        elif first and kind:
            yield kind, number, first.group(1)


def faults(root):
    files = [path for pattern in SCHEMA for path in sorted(root.glob(pattern))]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    created = schema_names(text)
    if not created["table"]:
        yield f"{SCHEMA[-1]}: creates no table"
    named = list(page_names((root / PAGE).read_text(encoding="utf-8").splitlines()))
    for kind in KINDS:
        known = Counter(name for each, _, name in named if each == kind)
        yield from (f"{PAGE}: the {kind} {name} is missing" for name in sorted(created[kind] - set(known)))
        yield from (f"{PAGE}: the {kind} {name} is there {count} times" for name, count in known.items() if count > 1)
    yield from (f"{PAGE}:{number}: there is no {kind} {name}"
                for kind, number, name in named if name not in created[kind])


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    found = list(faults(root))
    for fault in found:
        print(fault, file=sys.stderr)
    if not found:
        named = Counter(kind for kind, _, _ in page_names((root / PAGE).read_text(encoding="utf-8").splitlines()))
        print(f"store docs: {named['table']} tables, {named['index']} indexes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
