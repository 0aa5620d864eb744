"""The command line as a person meets it: the real program, its output, its messages and its exit codes."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["BELFRY"]


def belfry(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **environment}, check=False)


class CronNext(unittest.TestCase):
    def test_prints_rows_with_utc_local_and_the_mark_of_a_clock_change(self):
        result = belfry("cron", "next", "30 2 * * *", "--tz", "America/New_York", "--after", "2026-03-07T00:00:00Z",
                        "-n", "2")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "")
        self.assertEqual(
            result.stdout.splitlines(),
            [
                "OCCURRENCE             LOCAL                       CLOCK CHANGE",
                "2026-03-07T07:30:00Z   Sat 7 Mar 2026, 02:30 EST",
                "2026-03-08T07:00:00Z   Sun 8 Mar 2026, 03:00 EDT   02:30 does not exist on 8 Mar → runs 03:00",
            ],
        )

    def test_json_is_one_array_and_nothing_else(self):
        result = belfry("cron", "next", "30 1 * * *", "--tz", "America/New_York", "--after", "2026-10-31T12:00:00Z",
                        "-n", "2", "-o", "json")
        self.assertEqual(result.stderr, "")
        self.assertEqual(
            json.loads(result.stdout),
            [
                {
                    "occurrence": "2026-11-01T05:30:00Z",
                    "local": "2026-11-01T01:30:00",
                    "timezone": "America/New_York",
                    "offset": "-04:00",
                    "dst": "first_pass",
                    "note": "01:30 happens twice on 1 Nov → runs once, the first time",
                },
                {"occurrence": "2026-11-02T06:30:00Z", "local": "2026-11-02T01:30:00", "timezone": "America/New_York",
                 "offset": "-05:00", "dst": None},
            ],
        )

    def test_jsonl_is_one_object_a_line(self):
        result = belfry("cron", "next", "@daily", "--after", "2026-01-01T00:00:00Z", "-n", "3", "-o", "jsonl")
        self.assertEqual([json.loads(line)["occurrence"] for line in result.stdout.splitlines()],
                         [f"2026-01-0{day}T00:00:00Z" for day in (2, 3, 4)])

    def test_without_occurrences_json_is_still_an_array(self):
        result = belfry("cron", "next", "0 0 0 1 1 * 2020", "--after", "2026-01-01T00:00:00Z", "-o", "json")
        self.assertEqual((result.returncode, json.loads(result.stdout)), (0, []))
        self.assertIn("no occurrence after 2026-01-01T00:00:00Z", result.stderr)

    def test_says_when_there_are_no_more_than_it_shows(self):
        result = belfry("cron", "next", "0 0 0 29 2 * 2027-2029", "--after", "2026-01-01T00:00:00Z")
        self.assertEqual(len(result.stdout.splitlines()), 2)
        self.assertEqual(result.stderr,
                         "note: these are all: nothing after 2028-02-29T00:00:00Z, when its years are over\n")

    def test_an_empty_start_is_an_error_and_not_now(self):
        self.assertEqual(belfry("cron", "next", "@daily", "--after", "").returncode, 2)

    def test_says_which_zone_wins(self):
        result = belfry("cron", "next", "CRON_TZ=Asia/Tokyo 0 9 * * *", "--tz", "Europe/Berlin")
        self.assertEqual(result.stderr, "note: the expression's own zone Asia/Tokyo wins over --tz Europe/Berlin\n")

    def test_takes_the_dst_rules(self):
        rows = lambda *rules: belfry(
            "cron", "next", "30 1 * * *", "--tz", "America/New_York", "--after", "2026-11-01T04:00:00Z", "-n", "1",
            "-o", "jsonl", *rules
        )
        self.assertEqual(json.loads(rows("--dst-repeat", "last").stdout)["occurrence"], "2026-11-01T06:30:00Z")
        self.assertEqual(rows("--dst-repeat", "never").stderr,
                         'error: dst repeat "never": use one of auto, first, last, both\n')
        self.assertEqual(rows("--dst-gap", "jump").returncode, 2)

    def test_refuses_more_than_once_a_minute_until_told_otherwise(self):
        refused = belfry("cron", "next", "*/10 * * * * *")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("fires 10 s apart: the minimum interval is 60 s; add --seconds-ok", refused.stderr)
        self.assertEqual(belfry("cron", "next", "*/10 * * * * *", "--seconds-ok").returncode, 0)

    def test_takes_an_expression_that_the_shell_split(self):
        result = belfry("cron", "next", "0", "9", "1", "1", "1", "--after", "2026-01-01T00:00:00Z", "-n", "1", "-o",
                        "jsonl")
        self.assertEqual(json.loads(result.stdout)["occurrence"], "2026-01-01T09:00:00Z")

    def test_shows_the_zone_of_the_expression_itself(self):
        result = belfry("cron", "next", "CRON_TZ=Asia/Tokyo 0 9 * * *", "--tz", "UTC", "--after",
                        "2026-01-01T00:00:00Z", "-n", "1", "-o", "jsonl")
        self.assertEqual(json.loads(result.stdout)["timezone"], "Asia/Tokyo")

    def test_says_how_far_away_the_times_are_when_it_starts_from_now(self):
        result = belfry("cron", "next", "* * * * *", "-n", "1")
        self.assertRegex(result.stdout.splitlines()[1], r"UTC   (in \d+ s|now)$")


class CronExplain(unittest.TestCase):
    def test_prints_one_sentence_and_notes_apart(self):
        result = belfry("cron", "explain", "0 9 * * 1-5", "--tz", "Europe/Berlin")
        self.assertEqual((result.stdout, result.stderr), ("Every weekday at 9:00 AM, in Europe/Berlin\n", ""))
        misleading = belfry("cron", "explain", "*/45 * * * *")
        self.assertIn("does not mean every 45 minutes", misleading.stderr)
        self.assertEqual(len(misleading.stdout.splitlines()), 1)

    def test_knows_the_24_hour_clock(self):
        self.assertTrue(belfry("cron", "explain", "15,45 8 * * *", "--clock",
                               "24").stdout.startswith("At 08:15 and 08:45 every day"))
        self.assertEqual(belfry("cron", "explain", "@daily", "--clock", "13").returncode, 2)

    def test_json_has_the_warnings(self):
        answer = json.loads(belfry("cron", "explain", "*/45 * * * *", "-o", "json").stdout)
        self.assertEqual(answer["expression"], "*/45 * * * *")
        self.assertEqual(len(answer["warnings"]), 1)


class CronCheck(unittest.TestCase):
    def test_points_at_the_fault_and_exits_with_2(self):
        result = belfry("cron", "check", "0 24 * * *")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, 'error: hour "24" at column 3: use 0-23\n  0 24 * * *\n    ^^\n')
        self.assertEqual(result.stdout, "")

    def test_accepts_all_or_reports_each(self):
        self.assertEqual(belfry("cron", "check", "@daily", "0 9 * * 1-5").returncode, 0)
        mixed = belfry("cron", "check", "@daily", "61 * * * *", "0 0 30 2 *", "-o", "json")
        self.assertEqual(mixed.returncode, 2)
        self.assertEqual([row["valid"] for row in json.loads(mixed.stdout)], [True, False, False])
        self.assertIn("never matches", json.loads(mixed.stdout)[2]["error"]["message"])

    def test_shows_what_may_surprise(self):
        self.assertIn("note: */45 * * * *: */45", belfry("cron", "check", "*/45 * * * *").stderr)

    def test_takes_words_without_quotes_as_one_expression(self):
        self.assertIn("0 9 1 1 1", belfry("cron", "check", "0", "9", "1", "1", "1").stdout)

    def test_hostile_bytes_stay_inside_the_message(self):
        for text in (b"0 9 * * \xff", b"0 9 * * \x1b[31mX"):
            for extra in ([], ["-o", "json"]):
                result = subprocess.run([PROGRAM.encode(), b"cron", b"check", text, *[word.encode() for word in extra]],
                                        capture_output=True, timeout=60, check=False)
                shown = (result.stdout + result.stderr).decode()  # fails when it is not UTF-8
                self.assertNotIn("\x1b", shown)
                self.assertEqual(result.returncode, 2)

    def test_checks_the_zone_of_an_expression(self):
        result = belfry("cron", "check", "CRON_TZ=Europe/Berlim 0 9 * * *")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean Europe/Berlin?", result.stderr)
        self.assertIn("          ^^^^^^^^^^^^^", result.stderr)


class TimeZones(unittest.TestCase):
    def test_list_searches_in_any_case(self):
        names = [row["name"] for row in json.loads(belfry("tz", "list", "BERLIN", "-o", "json").stdout)]
        self.assertEqual(names, ["Europe/Berlin"])
        self.assertGreater(len(belfry("tz", "list", "-o", "jsonl").stdout.splitlines()), 400)
        nothing = belfry("tz", "list", "atlantis")
        self.assertEqual((nothing.returncode, nothing.stdout), (0, ""))
        self.assertIn('no zone\'s name contains "atlantis"', nothing.stderr)

    def test_show_says_local_time_utc_and_the_next_change(self):
        text = belfry("tz", "show", "America/New_York").stdout
        for label in ("now there", "now in UTC", "next change", "zone data", "US/Eastern"):
            self.assertIn(label, text)
        answer = json.loads(belfry("tz", "show", "US/Eastern", "-o", "json").stdout)
        self.assertEqual(answer["aliasOf"], "America/New_York")
        self.assertEqual(json.loads(belfry("tz", "show", "Europe/Istanbul", "-o", "json").stdout)["nextTransition"],
                         None)

    def test_unknown_zones_get_a_hint(self):
        result = belfry("tz", "show", "europe/istanbul")
        self.assertEqual(result.returncode, 2)
        self.assertIn("use Europe/Istanbul", result.stderr)

    def test_missing_zone_data_is_said_plainly(self):
        result = belfry("version", TZDIR="/nonexistent")
        self.assertEqual((result.returncode, result.stderr),
                         (1, 'error: no time zone data in "/nonexistent": install the package tzdata\n'))


class Program(unittest.TestCase):
    def test_version_names_program_and_zone_data(self):
        answer = json.loads(belfry("version", "-o", "json").stdout)
        self.assertEqual(set(answer), {"version", "tzdata"})
        self.assertEqual(belfry("--version").stdout.strip(), f"belfry {answer['version']}")

    def test_help_shows_examples_before_options(self):
        for command in ([], ["cron"], ["cron", "next"], ["cron", "explain"], ["cron", "check"], ["tz"], ["tz", "list"],
                        ["tz", "show"], ["serve"], ["tick"], ["config"], ["config", "show"], ["version"]):
            text = belfry(*command, "--help").stdout
            self.assertLess(text.index("Examples:"), text.index("Options:"), command)

    def test_unknown_commands_get_a_hint(self):
        result = belfry("crno")
        self.assertEqual((result.returncode, result.stderr),
                         (2, 'error: unknown command "belfry crno": did you mean cron?\nSee belfry --help\n'))

    def test_unknown_options_get_a_hint(self):
        self.assertIn('unknown option "--hlep": did you mean --help?', belfry("--hlep").stderr)
        self.assertIn('unknown option "--cuont": did you mean --count?',
                      belfry("cron", "next", "@daily", "--cuont", "3").stderr)
        self.assertIn("put -o after the command", belfry("-o", "json", "cron", "next", "@daily").stderr)
        self.assertIn('"abc": use a whole number from 1 to 10000', belfry("cron", "next", "@daily", "-n", "abc").stderr)
        self.assertIn("--tz is given more than once",
                      belfry("cron", "next", "@daily", "--tz", "UTC", "--tz", "UTC").stderr)

    def test_help_of_an_unknown_command_gets_a_hint_too(self):
        self.assertEqual(belfry("help", "cron", "next").stdout, belfry("cron", "next", "--help").stdout)
        for words, hint in ((["crno"], '"belfry crno": did you mean cron?'),
                            (["cron", "nxet"], '"belfry cron nxet": did you mean next?'),
                            (["serve", "now"], "remove")):
            result = belfry("help", *words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn(hint, result.stderr)

    def test_help_is_a_word_too(self):
        self.assertEqual(belfry("help").stdout, belfry("--help").stdout)
        self.assertEqual(belfry("cron", "help").returncode, 0)

    def test_a_full_disk_is_not_success(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([PROGRAM, "tz", "list"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                    check=False)
        self.assertEqual((result.returncode, result.stderr), (1, "error: cannot write the output\n"))

    def test_wrong_usage_exits_with_2_and_names_the_help(self):
        for arguments in (["cron", "next"], ["cron", "next", "@daily", "-n", "0"],
                          ["cron", "next", "@daily", "-o", "xml"], ["cron", "next", "@daily", "--bogus"]):
            result = belfry(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("See belfry cron next --help", result.stderr)
        self.assertEqual(belfry().returncode, 2)

    def test_a_pipe_gets_no_colours_and_a_terminal_gets_lines_that_fit(self):
        self.assertNotIn("\x1b", belfry("cron", "next", "@daily").stdout)
        wide = ["cron", "next", "30 2 * * *", "--tz", "America/New_York", "--after", "2026-03-07T00:00:00Z", "-n", "2"]
        shown = on_terminal(wide, COLUMNS="80")
        self.assertIn("\x1b[1m", shown)
        self.assertLessEqual(max(len(line.replace("\x1b[1m", "").replace("\x1b[0m", ""))
                                 for line in shown.splitlines()), 80)
        self.assertIn("02:30 does not", shown)
        self.assertNotIn("\x1b", on_terminal(wide, COLUMNS="80", NO_COLOR="1"))


def on_terminal(arguments, **environment):
    """What the program prints when its standard output is a terminal."""
    controller, terminal = os.openpty()
    with subprocess.Popen([PROGRAM, *arguments], stdout=terminal, stderr=subprocess.DEVNULL,
                          env={**os.environ, "TERM": "xterm", **environment}) as process:
        os.close(terminal)
        output = b""
        while True:
            try:
                chunk = os.read(controller, 4096)
            except OSError:  # how Linux reports that the other side was closed
                break
            if not chunk:
                break
            output += chunk
        process.wait(timeout=60)
    os.close(controller)
    return output.decode().replace("\r\n", "\n")


class Migrate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "belfry.db")
        self.store = "sqlite:" + self.path

    def test_up_makes_the_schema_once_and_status_shows_it(self):
        first = belfry("migrate", "up", "--store", self.store)
        self.assertEqual((first.returncode, first.stdout), (0, ""))
        self.assertRegex(first.stderr, r"^note: applied \d+ steps\n$")
        again = belfry("migrate", "up", BELFRY_STORE=self.store)
        self.assertEqual((again.returncode, again.stderr), (0, "note: the schema is up to date\n"))
        status = belfry("migrate", "status", "--store", self.store, "-o", "json")
        numbers = [row["number"] for row in json.loads(status.stdout)]
        self.assertEqual((status.returncode, numbers), (0, list(range(1, len(numbers) + 1))))
        self.assertRegex(json.loads(status.stdout)[0]["appliedAt"], r"^20\d\d-.*Z$")

    def test_a_store_without_a_schema_says_what_to_do(self):
        open(self.path, "wb").close()
        result = belfry("migrate", "status", "--store", self.store)
        self.assertEqual(result.returncode, 1)
        self.assertIn("not yet", result.stdout)
        self.assertIn("run `belfry migrate up`", result.stderr)

    def test_asking_makes_no_file(self):
        result = belfry("migrate", "status", "--store", self.store)
        self.assertEqual((result.returncode, result.stderr), (1, f"error: no such file: {self.path}\n"))
        self.assertFalse(os.path.exists(self.path))

    def test_a_wrong_store_is_refused_with_the_right_ones(self):
        result = belfry("migrate", "up", "--store", "mysql://somewhere")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("use sqlite:PATH or postgres://USER@HOST/DATABASE", result.stderr)
        self.assertIn("--store is required", belfry("migrate", "up").stderr)


def bench(*arguments):
    program = os.path.join(os.path.dirname(PROGRAM), "belfry-bench")
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)


class BenchStore(unittest.TestCase):
    def test_measures_a_store_of_its_own_beside_the_bare_loop(self):
        result = bench("store", "--schedules", "50", "--rounds", "2", "--hold", "--work-off", "-o", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)
        self.assertEqual([row["round"] for row in rows], ["1", "2", "median"])
        self.assertTrue(all(row["appliedPerSecond"] > 0 and row["barePerSecond"] > 0 for row in rows))
        self.assertRegex(result.stderr, r"claimed and completed \d+ tasks")

    def test_a_store_with_schedules_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            store = "sqlite:" + os.path.join(folder, "belfry.db")
            self.assertEqual(bench("store", "--store", store, "--schedules", "10", "--rounds", "1").returncode, 0)
            again = bench("store", "--store", store, "--schedules", "10", "--rounds", "1")
            self.assertEqual(again.returncode, 2, again.stderr)
            self.assertIn("use an empty store", again.stderr)


class BenchTasks(unittest.TestCase):
    def test_works_tasks_off_beside_the_bare_loop(self):
        result = bench("tasks", "--tasks", "50", "--rounds", "1", "--waits", "2", "--workers", "2", "-o", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(json.loads(result.stdout))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
