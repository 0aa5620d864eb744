#!/usr/bin/env python3
"""Checks that docs/reference/openapi.json matches the program's output: tools/check_openapi.py PROGRAM [--write]

The server generates the document from its own routes and shapes; the copy in the repository shows in a review how a
change affects the API. Prints the differences and exits with 1; --write updates the copy.
"""
import difflib
import json
import subprocess
import sys
from pathlib import Path

COPY = Path(__file__).resolve().parent.parent / "docs" / "reference" / "openapi.json"
SHOWN = 20  # lines of difference


def main():
    arguments = [word for word in sys.argv[1:] if word != "--write"]
    if len(arguments) != 1:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    said = subprocess.run([arguments[0], "openapi"], check=True, capture_output=True, text=True).stdout
    now = json.dumps(json.loads(said), indent=1, ensure_ascii=False) + "\n"
    if "--write" in sys.argv:
        COPY.write_text(now, encoding="utf-8")
        return 0
    kept = COPY.read_text(encoding="utf-8") if COPY.exists() else ""
    if kept == now:
        return 0
    for line in list(difflib.unified_diff(kept.splitlines(), now.splitlines(), "docs/reference/openapi.json",
                                          "belfry openapi", lineterm="", n=1))[:SHOWN]:
        print(line)
    print("docs/reference/openapi.json is not what the program says: run `make openapi`")
    return 1


if __name__ == "__main__":
    sys.exit(main())
