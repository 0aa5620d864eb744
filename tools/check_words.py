#!/usr/bin/env python3
"""Checks the English of documents, comments and texts: python3 tools/check_words.py [ROOT]

Some words make a sentence hard to read: they name no actor ("nobody", "whoever"), or they are not the usual word of
this field ("told", "heed", "mend"). Prints one line per use and exits with 1. docs/glossary.md has the words to use
instead. A word in `code` or alone in "quotes" is a name, not English: the user `nobody`, for example.
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


def violations(root):
    """Yields (path, line number, word) for every use."""
    for path in sources(root):
        in_code = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if path.suffix == ".md" and line.lstrip().startswith("```"):
                in_code = not in_code
            if in_code:
                continue
            for found in BANNED.finditer(english(path, line)):
                place = path.relative_to(root).as_posix()
                if found.group() not in RECORDED.get(place, ()):
                    yield place, number, found.group()


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    found = list(violations(root))
    for path, number, word in found:
        print(f'{path}:{number}: "{word}": name the actor, or use the word of docs/glossary.md', file=sys.stderr)
    if not found:
        print("words: no violation")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
