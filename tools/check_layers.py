#!/usr/bin/env python3
"""Checks that src/ keeps its layers: python3 tools/check_layers.py [ROOT]

A file includes ("...") only headers of its own layer or of layers to its left in LAYERS. The pure layers use no clock,
log, metric, thread or file; the one exception is spec/zone/zone_database.cpp, which reads the zone data. A dialect
translates and decides nothing, so it includes nothing of spec and decide. The API knows use cases and readers, but
neither the whole engine, except where it composes its routes, nor an interface that writes to the store. Only spec
includes cctz, only api includes Beast, and only brokers includes the client libraries of brokers; brokers itself
includes only base. No file of store/sql but row.hpp numbers the columns of a row. Prints one line per violation and
exits with 1; docs/adr/0001-layers.md has the reasons.
"""
import re
import sys
from pathlib import Path

LAYERS = ["base", "spec", "model", "decide", "store", "brokers", "engine", "api", "embed", "app"]
# Layers that may include fewer layers than all to their left.
KNOWS_ONLY = {"brokers": {"brokers", "base"}, "app": set(LAYERS) - {"embed"}}
SOURCES = {".cpp", ".hpp", ".h"}
FILES_PER_FOLDER_MAX = 40  # of src and tests; a larger folder holds more than one concept
# Dialects translate the words of other schedulers; the rules are in layers that dialects must not include.
DIALECTS = "api/dialects/"
RULES = {"spec", "decide"}

PURE_LAYERS = {"spec", "decide"}
IMPURE_HEADERS = re.compile(
    r"base/(time/clock|log|metrics)\.hpp$|(thread|iostream|fstream|filesystem)$|spdlog/")
IMPURE_CODE = re.compile(
    r"\b(system|steady|utc|high_resolution)_clock\s*::\s*now\b|\btime\s*\(\s*(nullptr|NULL|0)\s*\)|\bgetenv\b")
# It finds the folder of zones through an environment variable and lists it, so it may use files and the environment.
EXCEPTIONS = {"spec/zone/zone_database.cpp": {"fstream", "filesystem", "getenv"}}

# A library and the only layer that may include it: (header, layer, reason).
OWNED_LIBRARIES = [
    (re.compile(r"cctz/"), "spec", "only spec knows the time-zone library"),
    (re.compile(r"boost/beast(/|\.hpp$)"), "api", "only api knows Beast"),
    (re.compile(r"hiredis/|amqp(_\w+)?\.h$|nats(/|\.h$)"), "brokers", "only brokers knows the clients of brokers"),
]

# Only the composition root of the API knows the engine as a whole; a group of routes gets the use cases that it needs.
COMPOSITION_ROOT = {"api/api.hpp", "api/api.cpp"}
WHOLE_ENGINE = re.compile(r"\bEngine\b|\bengine/engine\.hpp\b")
# The API writes through use cases, which observe, log and count what they do. It reads through StoreReader, StoreClock
# and Registry.
WHOLE_STORE = re.compile(r"\bstore\(\)|\bstore::(Schedule|Task|Tenant|Cluster|Housekeeping)?Store\b")

# A query reads its columns in the order of its SELECT; only the reader itself counts them.
COLUMN_NUMBERS = re.compile(r"\.(integer|text|is_null)\(\s*[^\s)]")
COUNTS_COLUMNS = "store/sql/row.hpp"

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def check_include(layer, quote, header):
    """Yields the reasons why a file of this layer must not include this header."""
    if quote == '"':
        target = header.split("/")[0]
        if "/" not in header or target not in LAYERS:
            yield f'includes "{header}": name it from src/, as layer/file.hpp'
        elif LAYERS.index(target) > LAYERS.index(layer):
            yield f'includes "{header}": {layer} may not know {target}, which stands to its right'
        elif target not in KNOWS_ONLY.get(layer, LAYERS):
            yield f'includes "{header}": {layer} may not know {target}'
    for library, owner, reason in OWNED_LIBRARIES:
        if library.match(header) and layer != owner:
            yield f"includes <{header}>: {reason}"


def check_api(place, code):
    """Yields the reasons why this line of the API knows too much of the engine or the store."""
    if place not in COMPOSITION_ROOT and WHOLE_ENGINE.search(code):
        yield "knows the whole engine: take the use cases that the handlers need; api/api.cpp passes them"
    if found := WHOLE_STORE.search(code):
        yield f"uses {found.group()}: read through StoreReader, and write through a use case of the engine"


def check_purity(allowed, line, header):
    """Yields the reasons why this line of a pure layer is not pure."""
    if header and header not in allowed and IMPURE_HEADERS.match(header):
        yield f"includes {header}: a pure layer knows no clock, log, metric, thread or file"
    found = IMPURE_CODE.search(line.split("//")[0])
    if found and found.group() not in allowed:
        yield f"calls {found.group()}: a pure layer gets the time and its settings as arguments"


def check_file(path, source):
    """Yields (line number, reason) for every violation in one file."""
    layer = path.relative_to(source).parts[0]
    if layer not in LAYERS:
        yield 1, f"is in no layer: the folders of src/ are {', '.join(LAYERS)}"
        return
    place = path.relative_to(source).as_posix()
    allowed = EXCEPTIONS.get(place, set())
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        include = INCLUDE.match(line)
        if include:
            yield from ((number, reason) for reason in check_include(layer, *include.groups()))
            if place.startswith(DIALECTS) and include.group(2).split("/")[0] in RULES:
                yield number, (f'includes "{include.group(2)}": a dialect translates; rules are the engine\'s, '
                               "behind its own headers")
        if layer == "api":
            yield from ((number, reason) for reason in check_api(place, line.split("//")[0]))
        if place.startswith("store/sql/") and place != COUNTS_COLUMNS and COLUMN_NUMBERS.search(line.split("//")[0]):
            yield number, "numbers a column: let a Query read it, beside its SELECT"
        if layer in PURE_LAYERS:
            yield from ((number, reason) for reason in check_purity(allowed, line, include and include.group(2)))


def large_folders(root):
    for top in ("src", "tests"):
        for folder in sorted(path for path in (Path(root) / top).rglob("*")
                             if path.is_dir() and path.name != "__pycache__"):
            files = sum(1 for path in folder.iterdir() if path.is_file())
            if files > FILES_PER_FOLDER_MAX:
                yield (f"{folder.relative_to(root).as_posix()}: has {files} files, at most {FILES_PER_FOLDER_MAX} are "
                       "allowed: divide it by concept")


def violations(root):
    yield from large_folders(root)
    source = Path(root) / "src"
    for path in sorted(source.rglob("*")):
        if path.suffix in SOURCES:
            for number, reason in check_file(path, source):
                yield f"{path.relative_to(root).as_posix()}:{number}: {reason}"


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    files = sum(1 for path in (root / "src").rglob("*") if path.suffix in SOURCES)
    if files == 0:
        print(f"{root}/src holds no source files", file=sys.stderr)
        return 1
    found = list(violations(root))
    for violation in found:
        print(violation, file=sys.stderr)
    if not found:
        print(f"layers: {files} files, no violation")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
