"""Help of every command: reachable, with examples first, at most 80 columns, and the same as in the documentation."""

import os
import re
import sys
import unittest

from server import belfry

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "reference", "cli.md")


def commands():
    """The words of every command, from the reference that the program writes."""
    return [path.split()[1:] for path in re.findall(r"^## `(.*)`$", belfry("help", "--markdown").stdout, re.MULTILINE)]


class Help(unittest.TestCase):
    def test_the_documentation_is_what_the_program_prints(self):
        with open(PAGE, encoding="utf-8") as page:
            self.assertEqual(page.read(), belfry("help", "--markdown").stdout,
                             "write it again: belfry help --markdown > docs/reference/cli.md")

    def test_every_command_has_help_with_examples_first_in_80_columns(self):
        for words in commands():
            with self.subTest(" ".join(words)):
                shown = belfry("help", *words)
                self.assertEqual(shown.returncode, 0, shown.stderr)
                self.assertEqual(shown.stdout, belfry(*words, "--help").stdout)
                if "OPTIONS" in shown.stdout.upper() and words:
                    self.assertLess(shown.stdout.index("Examples:"), shown.stdout.index("Options:"))
                longest = max(shown.stdout.splitlines(), key=len)
                self.assertLessEqual(len(longest), 80, longest)


if __name__ == "__main__":
    sys.exit(unittest.main())
