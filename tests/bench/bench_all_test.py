#!/usr/bin/env python3
"""bench/all.py measures, writes its results, and renders them. Nothing here depends on how fast the machine is."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # keeps the source tree clean
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from suite import table  # noqa: E402  pylint: disable=wrong-import-position

BUILD = os.environ["BELFRY_BUILD"]


def row(**changed):
    return {"key": "k", "work": "work", "unit": "/s", "belfry": {"": 500.0}, "before": None, "others": {}, "goal": "",
            "readme": False, "notes": [], "date": "2026-01-01", "build": "b1", **changed}


def results(*rows, **changed):
    return {"date": "2026-01-01", "quick": False, "machine": {}, "versions": {"Belfry": "b1", "Node": "20"},
            "ceilings": "", "rows": list(rows), **changed}


class BenchAll(unittest.TestCase):
    def test_measures_one_row_and_writes_json_and_markdown(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, ROOT / "bench" / "all.py", "--quick", "--only", "fires-sqlite", "--build", BUILD,
                       "--results", folder]
            environment = {name: text for name, text in os.environ.items() if name != "BELFRY_CEILINGS"}
            done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            results = json.loads(Path(folder, "latest.json").read_text(encoding="utf-8"))
            page = Path(folder, "latest.md").read_text(encoding="utf-8")
        self.assertEqual([each["key"] for each in results["rows"]], ["fires-sqlite"])
        measured = results["rows"][0]
        self.assertGreater(measured["belfry"][""], 0)
        self.assertGreater(measured["others"]["bare statements"][""], 0)
        self.assertTrue(results["quick"])
        self.assertEqual(results["machine"]["cores"], os.cpu_count())
        self.assertEqual(page, table.render(results))

    def test_says_which_row_could_not_be_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, ROOT / "bench" / "all.py", "--quick", "--only", "fires-sqlite", "--build",
                       folder, "--results", folder]
            done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 1)
        self.assertIn("| not measured |", done.stdout)


class Table(unittest.TestCase):
    def cells(self, **changed):
        return table.table([row(**changed)], table.COLUMNS["all"]).splitlines()[-1]

    def test_a_ratio_above_one_means_that_belfry_is_faster(self):
        self.assertEqual(self.cells(others={"bare": {"": 1000.0}}), "| work | 500/s | bare 1,000/s | 0.50 |")
        times = {"belfry": {"p50": 1.0, "p99": 2.0}, "others": {"peer": {"p50": 3.0, "p99": 9.0}}}
        self.assertEqual(self.cells(unit="ms", **times),
                         "| work | p50 1.00, p99 2.00 ms | peer p50 3.00, p99 9.00 ms | 3.00 |")

    def test_a_peer_that_is_missing_is_named_in_its_row(self):
        self.assertIn("not measured: node is not installed", self.cells(notes=["not measured: node is not installed"]))

    def test_the_earlier_build_has_a_column_only_if_it_was_measured(self):
        self.assertEqual(self.cells(before={"": 400.0}), "| work | 500/s | 400/s |")
        self.assertEqual(self.cells(), "| work | 500/s |")

    def test_rows_that_are_measured_again_replace_their_own_only(self):
        earlier = results(row(key="a"), row(key="b"))
        again = row(key="b", belfry={"": 900.0}, date="2026-02-02", build="b2")
        new = row(key="c", date="2026-02-02", build="b2")
        merged = table.merged(earlier, results(again, new, date="2026-02-02", versions={"Belfry": "b2"}))
        self.assertEqual(merged["rows"], [row(key="a"), again, new])
        self.assertEqual(merged["versions"], {"Belfry": "b2", "Node": "20"})
        self.assertEqual(merged["date"], "2026-02-02")

    def test_a_row_that_failed_keeps_its_earlier_figure(self):
        earlier = results(row(key="a"))
        self.assertEqual(table.merged(earlier, results(row(key="a", belfry=None)))["rows"], [row(key="a")])

    def test_results_of_other_sizes_are_not_mixed(self):
        small = results(row(key="a"), quick=True)
        self.assertEqual(table.merged(results(row(key="b")), small), small)
        self.assertEqual(table.merged(None, small), small)

    def test_rows_of_several_builds_say_which_is_theirs(self):
        rows = [row(), row(build="b2")]
        self.assertEqual(table.table(rows, table.COLUMNS["all"]).splitlines()[-1], "| work | 500/s | 2026-01-01, b2 |")

    def test_a_page_keeps_what_stands_outside_the_markers(self):
        begin, end = table.MARKERS[0].format("all"), table.MARKERS[1]
        self.assertEqual(table.with_table(f"a\n{begin}old\n{end}b\n", "all", "new\n"), f"a\n{begin}\nnew\n\n{end}b\n")
        with self.assertRaises(ValueError):
            table.with_table("a page without markers\n", "all", "new\n")


if __name__ == "__main__":
    unittest.main()
