"""Settings as people write them: flags, environment and file, which of them wins, and what is said about mistakes."""

import json
import os
import sys
import tempfile
import unittest

from server import belfry

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Settings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "belfry.toml")

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def shown(self, *flags, **environment):
        result = belfry("config", "show", "-o", "json", *flags, **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {row["name"]: (row["value"], row["origin"]) for row in json.loads(result.stdout)}

    def test_a_flag_wins_over_the_environment_and_the_environment_over_the_file(self):
        self.write("tick_ms = 100\nlookahead_ms = 200\ntakeover_delay_ms = 300\n")
        shown = self.shown("--config", self.path, "--tick-ms", "102", BELFRY_TICK_MS="101", BELFRY_LOOKAHEAD_MS="201")
        self.assertEqual(shown["tick_ms"], ("102", "--tick-ms"))
        self.assertEqual(shown["lookahead_ms"], ("201", "BELFRY_LOOKAHEAD_MS"))
        self.assertEqual(shown["takeover_delay_ms"], ("300", self.path))
        self.assertEqual(shown["max_catchup_per_tick"], ("100", "default"))

    def test_the_old_name_of_a_setting_is_a_flag_that_no_help_shows(self):
        self.assertEqual(self.shown("--tick-lanes", "3")["tick_parallelism"], ("3", "--tick-lanes"))
        self.assertNotIn("--tick-lanes", belfry("serve", "--help").stdout)

    def test_the_file_may_be_named_by_the_environment(self):
        self.write('log_level = "debug"\n')
        self.assertEqual(self.shown(BELFRY_CONFIG=self.path)["log_level"], ("debug", self.path))

    def test_the_table_for_people_has_all_of_it(self):
        lines = belfry("config", "show", "--data-dir", "/srv/belfry").stdout.splitlines()
        self.assertRegex(lines[0], r"^SETTING +VALUE +ORIGIN")
        self.assertTrue(any(line.split() == ["store", "sqlite:/srv/belfry/belfry.db", "default"] for line in lines),
                        lines)

    def test_passwords_are_not_shown(self):
        self.assertEqual(self.shown("--store", "postgres://ada:secret@db/belfry")["store"][0],
                         "postgres://ada:…@db/belfry")

    def test_mistakes_name_the_setting_and_where_it_was_written(self):
        cases = [
            ("tick_ms = 0", {}, [], f'tick_ms in {self.path}: "0" is not a whole number from 1 to 60000'),
            ("tick_mss = 5", {}, [], f'unknown setting "tick_mss" in {self.path}: did you mean tick_ms?'),
            ("listen = 5", {}, [],
             f'listen in {self.path}: "5": use HOST:PORT, for example 127.0.0.1:8642 or [::1]:8642'),
            ("", {"BELFRY_LISTEN": "8642"}, [],
             'BELFRY_LISTEN: "8642": use HOST:PORT, for example 127.0.0.1:8642 or [::1]:8642'),
            ("", {"BELFRY_LOG_LEVEL": "loud"}, [],
             'BELFRY_LOG_LEVEL: log level "loud": use one of debug, info, warn, error'),
            ("", {}, ["--http-threads", "many"], '--http-threads: "many" is not a whole number from 1 to 256'),
            ("", {}, ["--store", "mysql:x"], "--store: not a store: use sqlite:PATH or postgres://USER@HOST/DATABASE"),
        ]
        for text, environment, flags, message in cases:
            self.write(text)
            for command in (["serve"], ["config", "show"]):
                result = belfry(*command, "--config", self.path, *flags, **environment)
                self.assertEqual((result.returncode, result.stderr), (2, f"error: {message}\n"))

    def test_a_file_that_is_no_toml_says_the_line(self):
        self.write("tick_ms = 5\nlisten = \n")
        result = belfry("serve", "--config", self.path)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, rf"^error: --config: {self.path}, line 2, column \d+: ")

    def test_a_variable_that_is_no_setting_is_a_note(self):
        result = belfry("config", "show", BELFRY_LISTENN="127.0.0.1:1")
        self.assertEqual((result.returncode, result.stderr),
                         (0, "note: the environment variable BELFRY_LISTENN is not a setting: did you mean listen?\n"))

    def test_an_unknown_flag_gets_a_hint(self):
        self.assertIn('unknown option "--tick-mss": did you mean --tick-ms?', belfry("serve", "--tick-mss", "5").stderr)

    def test_the_manual_has_the_table_of_the_program(self):
        with open(os.path.join(ROOT, "docs", "reference", "settings.md"), encoding="utf-8") as file:
            manual = file.read()
        self.assertIn(belfry("config", "reference").stdout, manual,
                      "paste the output of `belfry config reference` into docs/reference/settings.md")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
