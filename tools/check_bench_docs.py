#!/usr/bin/env python3
"""Checks the tables of measured figures: python3 tools/check_bench_docs.py [ROOT]

docs/internals/performance.md and README.md show the results that bench/all.py stored in bench/results/latest.json,
between two marker comments. This compares both. Prints one line per page that differs and exits with 1.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # keeps the source tree clean
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))

from suite import table  # noqa: E402  pylint: disable=wrong-import-position


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    try:
        differing = [path.relative_to(root) for path, text, wanted in table.pages(root) if text != wanted]
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    for path in differing:
        print(f"{path}: its table is not that of {table.RESULTS}; run: bench/all.py --write-docs", file=sys.stderr)
    if not differing:
        print("bench docs: the pages show the stored results")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
