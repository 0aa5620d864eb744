#!/usr/bin/env python3
"""Checks docs/requirements.md against the tests: python3 tools/check_requirements.py [ROOT]

Every requirement has one row with a known state. A row that is met, or met in part, names its tests. Each test is an
existing GoogleTest case (`Suite.Name`) or a file under tests/ or sdk/; the files under "where" must exist, too.
Prints one line per error and exits with 1.
"""
import re
import sys
from collections import Counter
from pathlib import Path

COUNTS = {"S0": 78, "S1": 114, "S2": 121, "S3": 143, "S4": 155}
STATES = ["met", "part", "planned"]

ROW = re.compile(r"^\| *(S\d+-\d+) *\|")
CELL_BORDER = re.compile(r"(?<!\\)\|")
TEST_CASE = re.compile(r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+)\s*,\s*(\w+)")
QUOTED = re.compile(r"`([^`]+)`")


def test_names(root):
    """Returns every `Suite.Name` under tests/."""
    names = set()
    for path in (root / "tests").rglob("*.cpp"):
        names.update(".".join(match) for match in TEST_CASE.findall(path.read_text(encoding="utf-8")))
    return names


def check_row(root, cells, known_tests):
    """Yields the errors of one row."""
    if len(cells) != 5:
        yield f"has {len(cells)} cells: number, requirement, state, where, test (write a bar inside a cell as \\|)"
        return
    _, text, state, where, test = cells
    if not text:
        yield "has no text"
    if state not in STATES:
        yield f'has the unknown state "{state}": use {", ".join(STATES)}'
    tests = QUOTED.findall(test)
    if state in ("met", "part") and not tests:
        yield f"is {state} without a test"
    for name in tests:
        exists = (root / name).is_file() if name.startswith(("tests/", "sdk/")) else name in known_tests
        if not exists:
            yield f"names the test {name}, which does not exist"
    for path in QUOTED.findall(where):
        if "/" in path and not (root / path).exists():
            yield f"points to {path}, which does not exist"


def faults(root):
    lines = (root / "docs" / "requirements.md").read_text(encoding="utf-8").splitlines()
    known_tests = test_names(root)
    seen = Counter()
    for number, line in enumerate(lines, start=1):
        row = ROW.match(line)
        if not row:
            continue
        seen[row.group(1)] += 1
        cells = [cell.strip() for cell in CELL_BORDER.split(line.strip())[1:-1]]
        yield from (f"docs/requirements.md:{number}: {row.group(1)} {fault}"
                    for fault in check_row(root, cells, known_tests))
    expected = [f"{source}-{n}" for source, count in COUNTS.items() for n in range(1, count + 1)]
    yield from (f"docs/requirements.md: {name} is missing" for name in expected if name not in seen)
    yield from (f"docs/requirements.md: {name} is there {count} times" for name, count in seen.items() if count > 1)
    yield from (f"docs/requirements.md: there is no requirement {name}" for name in seen if name not in expected)


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    found = list(faults(root))
    for fault in found:
        print(fault, file=sys.stderr)
    if not found:
        text = (root / "docs" / "requirements.md").read_text(encoding="utf-8")
        states = Counter(CELL_BORDER.split(line)[3].strip() for line in text.splitlines() if ROW.match(line))
        print(f"requirements: {sum(states.values())} rows, "
              + ", ".join(f"{states[state]} {state}" for state in STATES))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
