#!/usr/bin/env python3
"""Checks the English of documents, comments and texts, and the width of lines: python3 tools/check_words.py [ROOT]

Some words make a sentence hard to read: they name no actor ("nobody", "whoever"), or they are not the usual word of
this field ("told", "heed", "mend"). Prints one line per use and exits with 1. docs/glossary.md has the words to use
instead. A word in `code` or alone in "quotes" is a name, not English: the user `nobody`, for example.

Code has at most 120 columns and Markdown 100, so that two files fit beside each other on a screen. Tables, examples and
lines of a single word, such as a link, may be longer.
"""
import re
import sys
from pathlib import Path

BANNED = re.compile(r"\b(nobody|somebody|whoever|told|heed(s|ed)?|mend(s|ed)?|parted|goes on|went on)\b", re.IGNORECASE)
NAMES = re.compile(r"`[^`]*`|\"\w+\"")
# Requirements quote their sources, and the changelog quotes earlier texts.
LEFT_OUT = {"docs/requirements.md", "CHANGELOG.md"}
# Texts that recorded conversations of a dialect replay: they stay as they are.
RECORDED = {"src/api/dialects/durable/durable_writing.cpp": {"goes on"}}
COMMENT = re.compile(r"//.*")
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')

WIDTHS = {".md": 100, ".cpp": 120, ".hpp": 120, ".py": 120, ".cmake": 120, ".txt": 120}
WRITTEN = ("*.md", "docs/**/*.md", "CMakeLists.txt", "cmake/*.cmake",
           *(f"{folder}/**/{name}" for folder in ("src", "tests", "bench", "fuzz", "tools")
             for name in ("*.cpp", "*.hpp", "*.py", "CMakeLists.txt")))
# SQL texts, most of them in steps of the schema, which never change after their release.
WIDE = "src/store/sql/"


def english(path, line):
    """Returns the parts of a line that people read."""
    if path.suffix == ".md":
        return NAMES.sub("", line)
    return NAMES.sub("", " ".join(TEXT.findall(line) + COMMENT.findall(line)))


def sources(root):
    for pattern in ("*.md", "docs/**/*.md", "src/**/*.hpp", "src/**/*.cpp"):
        for path in sorted(Path(root).glob(pattern)):
            if path.relative_to(root).as_posix() not in LEFT_OUT:
                yield path


def lines_of(path):
    """Yields (line number, line) for every line outside the examples of a Markdown page."""
    in_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if path.suffix == ".md" and line.lstrip().startswith("```"):
            in_code = not in_code
        if not in_code:
            yield number, line


def violations(root):
    """Yields (path, line number, word) for every use."""
    for path in sources(root):
        place = path.relative_to(root).as_posix()
        for number, line in lines_of(path):
            for found in BANNED.finditer(english(path, line)):
                if found.group() not in RECORDED.get(place, ()):
                    yield place, number, found.group()


def wide_lines(root):
    """Yields (path, line number, columns, limit) for every line that is too long."""
    for path in sorted(path for pattern in WRITTEN for path in Path(root).glob(pattern)):
        place = path.relative_to(root).as_posix()
        limit = WIDTHS[path.suffix]
        if place.startswith(WIDE):
            continue
        for number, line in lines_of(path):
            is_table = path.suffix == ".md" and line.startswith("|")
            if len(line) > limit and not is_table and " " in line.strip():
                yield place, number, len(line), limit


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    found = list(violations(root))
    for path, number, word in found:
        print(f'{path}:{number}: "{word}": name the actor, or use the word of docs/glossary.md', file=sys.stderr)
    wide = list(wide_lines(root))
    for path, number, columns, limit in wide:
        print(f"{path}:{number}: has {columns} columns, at most {limit} are allowed", file=sys.stderr)
    if not found and not wide:
        print("words: no violation")
    return 1 if found or wide else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
