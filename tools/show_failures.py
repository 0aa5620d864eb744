#!/usr/bin/env python3
"""Prints the last lines of every failed test: `show_failures.py RESULTS.xml…`, with files of `ctest --output-junit`.

A run of hundreds of tests prints too much to read, so scripts/test ends with this summary.
"""

import os
import sys
import xml.etree.ElementTree as ElementTree

LINES = 40


def failures(path):
    """Returns name and output of each failed test in the file; nothing if the file is missing because the run ended
    early."""
    if not os.path.exists(path):
        return []
    cases = ElementTree.parse(path).getroot().iter("testcase")
    return [(case.get("name"), case.findtext("system-out") or "") for case in cases if case.get("status") == "fail"]


def main():
    for path in sys.argv[1:]:
        for name, output in failures(path):
            print(f"== failed: {name} ({path})")
            print("\n".join(output.rstrip().splitlines()[-LINES:]))


if __name__ == "__main__":
    main()
