#!/usr/bin/env python3
"""Runs the checkers of this folder on trees with one error each: python3 -m unittest discover -s tools -p
'test_*.py'"""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # keeps the source tree clean

import check_bench_docs
import check_layers
import check_requirements
import check_store_docs
import check_words
from suite import table


class CheckerTest(unittest.TestCase):
    """A temporary tree, and a checker's messages about it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_checker(self, checker):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = checker.main([str(self.root)])
        return code, out.getvalue(), err.getvalue()


class LayersTest(CheckerTest):
    def assert_refused(self, path, text, reason):
        self.write(path, text)
        code, _, err = self.run_checker(check_layers)
        self.assertEqual(code, 1)
        self.assertIn(f"{path}:{len(text.splitlines())}: ", err)
        self.assertIn(reason, err)

    def assert_accepted(self, path, text):
        self.write(path, text)
        self.assertEqual(self.run_checker(check_layers)[::2], (0, ""))

    def test_accepts_includes_to_the_left_and_in_the_same_layer(self):
        self.assert_accepted("src/spec/a.cpp",
                             '#include "spec/a.hpp"\n#include <vector>\n#include "base/instant.hpp"\n')

    def test_refuses_an_include_to_the_right(self):
        self.assert_refused("src/base/a.cpp", '#include "base/a.hpp"\n#include "spec/zone.hpp"\n',
                            "base may not know spec")

    def test_lets_the_brokers_know_base_only(self):
        self.assert_accepted("src/brokers/a.cpp",
                             '#include "brokers/a.hpp"\n#include "base/url.hpp"\n#include <nats/nats.h>\n')
        self.assert_accepted("src/engine/a.cpp", '#include "brokers/broker.hpp"\n')
        self.assert_refused("src/brokers/b.cpp", '#include "model/task.hpp"\n', "brokers may not know model")

    def test_keeps_rules_out_of_the_dialects(self):
        self.assert_accepted("src/api/dialects/a.cpp", '#include "api/route.hpp"\n'
                             '#include "engine/usecases/runs.hpp"\n#include "model/run.hpp"\n')
        self.assert_accepted("src/api/a.cpp", '#include "decide/plan.hpp"\n')
        self.assert_refused("src/api/dialects/b.cpp", '#include "decide/guards.hpp"\n', "a dialect translates")
        self.assert_refused("src/api/dialects/c.cpp", '#include "spec/cron_rule.hpp"\n', "a dialect translates")

    def test_lets_only_the_brokers_know_their_clients(self):
        for header in ("hiredis/hiredis.h", "amqp.h", "amqp_ssl_socket.h", "nats/nats.h"):
            with self.subTest(header=header):
                self.assert_refused("src/engine/a.cpp", f"#include <{header}>\n",
                                    "only brokers knows the clients of brokers")

    def test_refuses_an_include_that_names_no_layer(self):
        self.assert_refused("src/spec/a.cpp", '#include "zone.hpp"\n', "name it from src/")
        self.assert_refused("src/spec/a.cpp", '#include "../base/clock.hpp"\n', "name it from src/")

    def test_refuses_a_folder_that_is_no_layer(self):
        self.assert_refused("src/common/a.cpp", "int a;\n", "is in no layer")

    def test_refuses_clocks_logs_metrics_threads_and_files_in_pure_layers(self):
        for header in ('"base/time/clock.hpp"', '"base/log.hpp"', '"base/metrics.hpp"', "<thread>", "<iostream>",
                       "<fstream>", "<spdlog/spdlog.h>"):
            for layer in ("spec", "decide"):
                with self.subTest(header=header, layer=layer):
                    self.assert_refused(f"src/{layer}/a.cpp", f"#include {header}\n", "a pure layer knows no clock")

    def test_accepts_them_elsewhere(self):
        self.assert_accepted("src/engine/a.cpp", '#include "base/time/clock.hpp"\n#include <thread>\n')

    def test_refuses_reading_the_clock_or_the_environment_in_pure_layers(self):
        for code in ("std::chrono::system_clock::now()", "steady_clock::now()", "time(nullptr)", "std::time( nullptr )",
                     'getenv("TZ")'):
            with self.subTest(code=code):
                self.assert_refused("src/decide/a.cpp", f"auto t = {code};\n", "as arguments")

    def test_does_not_take_comments_and_longer_names_for_a_clock(self):
        self.assert_accepted("src/spec/a.cpp", "// never system_clock::now()\nauto t = fire_time(nullptr);\n")

    def test_lets_only_the_zone_database_read_files_and_the_environment(self):
        reading = '#include <filesystem>\n#include <fstream>\nauto* folder = std::getenv("TZDIR");\n'
        self.assert_accepted("src/spec/zone/zone_database.cpp", reading)
        self.assert_refused("src/spec/zone/zone_database.cpp", reading + "#include <iostream>\n",
                            "a pure layer knows no clock")
        self.assert_refused("src/spec/zone/zone_database.cpp", "auto t = system_clock::now();\n", "as arguments")

    def test_refuses_cctz_outside_spec(self):
        self.assert_accepted("src/spec/zone/zone.cpp", "#include <cctz/time_zone.h>\n")
        self.assert_refused("src/engine/a.cpp", "#include <cctz/time_zone.h>\n", "only spec knows")

    def test_refuses_beast_outside_api(self):
        self.assert_accepted("src/api/a.cpp", "#include <boost/beast/http.hpp>\n")
        self.assert_refused("src/app/a.cpp", "#include <boost/beast.hpp>\n", "only api knows")

    def test_lets_the_api_write_through_use_cases_only(self):
        self.assert_accepted("src/api/a.cpp", "Json run_json(store::StoreReader& reader, store::StoreClock& clock);\n")
        self.assert_accepted("src/engine/a.cpp", "store().purge(ref);\n")
        for code in ("engine.store().purge(ref);", "auto found = engine.store().schedule(ref);",
                     "int a(store::Store& store);", "int a(store::TaskStore& tasks);"):
            self.assert_refused("src/api/b.cpp", code + "\n", "write through a use case")

    def test_shows_the_whole_engine_only_to_the_composition_root_of_the_api(self):
        self.assert_accepted("src/api/api.cpp",
                             '#include "engine/engine.hpp"\nRoutes all_routes(engine::Engine& engine);\n')
        self.assert_accepted("src/api/c.cpp", "int a(const engine::EngineMetrics& metrics);  // of the Engine\n")
        for code in ('#include "engine/engine.hpp"', "void add_run_routes(Routes& routes, engine::Engine& engine);"):
            self.assert_refused("src/api/d.cpp", code + "\n", "knows the whole engine")

    def test_refuses_column_numbers_in_the_store(self):
        self.assert_refused("src/store/sql/read/a.cpp", "const auto at = row.integer(3);", "numbers a column")
        self.assert_refused("src/store/sql/write/a.cpp", "if (row.is_null(kAt)) return;", "numbers a column")

    def test_accepts_columns_that_are_read_in_order(self):
        self.assert_accepted("src/store/sql/read/a.cpp", "const auto at = row.integer();  // not row.integer(3)")
        self.assert_accepted("src/store/sql/row.hpp", "return row_.integer(next_++);")

    def test_refuses_a_folder_with_too_many_files(self):
        for number in range(41):
            self.write(f"src/base/text/a{number}.cpp", "int a;\n")
        code, _, err = self.run_checker(check_layers)
        self.assertEqual(code, 1)
        self.assertIn("src/base/text: has 41 files", err)

    def test_refuses_a_tree_without_sources(self):
        self.assertEqual(self.run_checker(check_layers)[0], 1)


class WordsTest(CheckerTest):
    def assert_found(self, path, text, place):
        self.write(path, text)
        code, _, err = self.run_checker(check_words)
        self.assertEqual(code, 1)
        self.assertIn(place, err)

    def test_finds_words_in_pages_comments_and_texts(self):
        self.assert_found("docs/a.md", "A line.\nNobody knows.\n", 'docs/a.md:2: "Nobody"')
        self.assert_found("src/base/a.cpp", "int a;  // it goes on\n", 'src/base/a.cpp:1: "goes on"')
        self.assert_found("src/base/b.cpp", 'f("it was told");\n', 'src/base/b.cpp:1: "told"')

    def test_leaves_names_code_and_examples_alone(self):
        self.write("README.md", "Runs as `nobody`.\n```\nnobody\n```\n")
        self.write("src/base/a.cpp", 'int told = user("nobody");\n')
        self.assertEqual(self.run_checker(check_words)[::2], (0, ""))

    def test_finds_lines_that_are_too_long(self):
        for path, limit in (("README.md", 100), ("docs/a.md", 100), ("src/base/a.cpp", 120), ("bench/a.hpp", 120),
                            ("tests/e2e/a.py", 120), ("cmake/a.cmake", 120), ("fuzz/CMakeLists.txt", 120)):
            with self.subTest(path=path):
                self.write(path, f"a {'é' * (limit - 2)}\n")
                self.assertEqual(self.run_checker(check_words)[::2], (0, ""))
                self.assert_found(path, f"\na {'é' * (limit - 1)}\n", f"{path}:2: has {limit + 1} columns")
                (self.root / path).unlink()

    def test_allows_long_tables_examples_links_and_sql(self):
        self.write("README.md", f"| {'a ' * 60}|\n```\n{'a ' * 60}\n```\n(https://example.com/{'a' * 100})\n")
        self.write("src/store/sql/a.cpp", f"SELECT {'a, ' * 60}\n")
        self.assertEqual(self.run_checker(check_words)[::2], (0, ""))


class RequirementsTest(CheckerTest):
    def setUp(self):
        super().setUp()
        self.rows = {f"{source}-{n}": ("planned", "", "")
                     for source, count in check_requirements.COUNTS.items() for n in range(1, count + 1)}
        self.extra = ""
        self.write("tests/unit/a_test.cpp",
                   "TEST(Cron, FiresOnTime) {\n}\nTEST_P(Store, AppliesAPlanOnce) {}\nTEST(\n    Zone, IsFound) {}\n")
        self.write("tests/cli/next.sh", "")
        self.write("src/spec/cron/cron_rule.hpp", "")

    def check(self):
        lines = [f"| {number} | some text | {state} | {where} | {test} |"
                 for number, (state, where, test) in self.rows.items()]
        self.write("docs/requirements.md", "# Requirements\n\n| number | requirement | state | where | test |\n"
                   "|---|---|---|---|---|\n" + "\n".join(lines) + "\n" + self.extra)
        return self.run_checker(check_requirements)

    def assert_refused(self, reason):
        code, _, err = self.check()
        self.assertEqual(code, 1)
        self.assertIn(reason, err)

    def test_accepts_a_whole_table_and_counts_it(self):
        self.rows["S0-1"] = ("met", "`src/spec/cron/cron_rule.hpp`", "`Cron.FiresOnTime`, `tests/cli/next.sh`")
        self.rows["S4-155"] = ("part", "the store only", "`Store.AppliesAPlanOnce`, `Zone.IsFound`")
        code, out, err = self.check()
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, "requirements: 611 rows, 1 met, 1 part, 609 planned\n")

    def test_refuses_a_missing_number(self):
        del self.rows["S2-33"]
        self.assert_refused("S2-33 is missing")

    def test_refuses_a_repeated_number(self):
        self.extra = "| S2-33 | some text | planned | | |\n"
        self.assert_refused("S2-33 is there 2 times")

    def test_refuses_an_unknown_number(self):
        self.extra = "| S0-79 | some text | planned | | |\n"
        self.assert_refused("there is no requirement S0-79")

    def test_refuses_an_unknown_state(self):
        self.rows["S1-1"] = ("done", "", "")
        self.assert_refused('docs/requirements.md:83: S1-1 has the unknown state "done"')

    def test_refuses_met_and_part_without_a_test(self):
        self.rows["S1-1"] = ("met", "`src/spec/cron/cron_rule.hpp`", "by hand")
        self.rows["S1-2"] = ("part", "", "")
        self.assert_refused("S1-1 is met without a test")
        self.assert_refused("S1-2 is part without a test")

    def test_refuses_tests_that_do_not_exist(self):
        self.rows["S1-1"] = ("met", "", "`Cron.FiresLate`")
        self.rows["S1-2"] = ("met", "", "`tests/cli/explain.sh`")
        self.assert_refused("names the test Cron.FiresLate, which does not exist")
        self.assert_refused("names the test tests/cli/explain.sh, which does not exist")

    def test_refuses_a_place_that_does_not_exist(self):
        self.rows["S1-1"] = ("part", "`src/spec/gone.hpp`", "`Cron.FiresOnTime`")
        self.assert_refused("points to src/spec/gone.hpp, which does not exist")

    def test_refuses_a_row_with_a_bar_too_many_but_not_an_escaped_one(self):
        self.rows["S1-1"] = ("planned", "a \\| b", "")
        self.assertEqual(self.check()[0], 0)
        self.rows["S1-1"] = ("planned", "a | b", "")
        self.assert_refused("S1-1 has 6 cells")


class StoreDocsTest(CheckerTest):
    def setUp(self):
        super().setUp()
        self.schema = (
            "CREATE TABLE runs (\n    run_key {key},\n    name    TEXT {bytewise} NOT NULL UNIQUE\n);\n"
            "CREATE INDEX runs_by_time ON runs (run_key);\n"
            "CREATE TABLE tasks (\n    slot BIGINT NOT NULL,\n    PRIMARY KEY (slot)\n) {clustered};\n"
            "CREATE UNIQUE INDEX tasks_once ON tasks (slot) WHERE slot > 0;\n"
        )
        self.tables = ["runs", "tasks", "ledger"]
        self.indexes = ["runs_pkey", "runs_name_key", "runs_by_time", "tasks_pkey", "tasks_once", "ledger_pkey"]

    def check(self):
        def table(kind, names):
            return f"| {kind} | why |\n|---|---|\n" + "".join(f"| `{name}` | because |\n" for name in names)

        self.write("src/store/sql/schema/step_01.cpp", f'constexpr auto kFirst = R"(\n{self.schema})";\n')
        self.write("src/store/sql/schema/migrations.cpp",
                   'constexpr auto kLedger = R"(\nCREATE TABLE IF NOT EXISTS ledger (\n    number {key}\n))";\n')
        other = "| verb | waits for |\n|---|---|\n| `claim` | nothing |\n"
        self.write("docs/internals/store.md",
                   f"# The store\n\n{table('table', self.tables)}\n{other}\n{table('index', self.indexes)}")
        return self.run_checker(check_store_docs)

    def assert_refused(self, reason):
        code, _, err = self.check()
        self.assertEqual(code, 1)
        self.assertEqual(err, reason + "\n")

    def test_accepts_a_page_that_names_everything_and_counts_it(self):
        self.assertEqual(self.check(), (0, "store docs: 3 tables, 6 indexes\n", ""))

    def test_refuses_a_table_or_an_index_that_is_not_named(self):
        for names, missing in ((self.tables, "tasks"), (self.indexes, "runs_by_time"), (self.indexes, "tasks_pkey"),
                               (self.indexes, "runs_name_key")):
            with self.subTest(missing=missing):
                place = names.index(missing)
                names.remove(missing)
                self.assert_refused(
                    f"docs/internals/store.md: the {'table' if names is self.tables else 'index'} {missing} is missing")
                names.insert(place, missing)

    def test_refuses_a_name_that_does_not_exist(self):
        self.tables.append("gone")
        self.assert_refused("docs/internals/store.md:8: there is no table gone")
        self.tables.remove("gone")
        self.indexes.append("runs_by_name")
        self.assert_refused("docs/internals/store.md:21: there is no index runs_by_name")

    def test_refuses_a_name_that_is_there_twice(self):
        self.indexes.append("runs_pkey")
        self.assert_refused("docs/internals/store.md: the index runs_pkey is there 2 times")

    def test_forgets_what_a_later_step_drops(self):
        self.schema += "DROP INDEX runs_by_time;\nDROP TABLE IF EXISTS tasks;\n"
        self.tables.remove("tasks")
        for name in ("runs_by_time", "tasks_pkey", "tasks_once"):
            self.indexes.remove(name)
        self.assertEqual(self.check()[::2], (0, ""))

    def test_refuses_a_schema_without_tables(self):
        self.write("src/store/sql/schema/step_01.cpp", "")
        self.write("src/store/sql/schema/migrations.cpp", "")
        self.write("docs/internals/store.md", "# The store\n")
        self.assertEqual(self.run_checker(check_store_docs)[0], 1)


class BenchDocsTest(CheckerTest):
    def write_pages(self, text):
        for page, which in table.PAGES.items():
            self.write(page, f"before\n{table.MARKERS[0].format(which)}{text}{table.MARKERS[1]}after\n")

    def test_accepts_pages_that_show_the_stored_results(self):
        self.write_pages(f"\n{table.NO_RESULTS}\n")
        self.assertEqual(self.run_checker(check_bench_docs)[::2], (0, ""))

    def test_refuses_a_table_that_was_edited_by_hand(self):
        self.write_pages("\n| work |\n")
        code, _, err = self.run_checker(check_bench_docs)
        self.assertEqual(code, 1)
        self.assertIn("README.md: its table is not that of bench/results/latest.json", err)

    def test_refuses_a_page_without_markers(self):
        for page in table.PAGES:
            self.write(page, "text\n")
        code, _, err = self.run_checker(check_bench_docs)
        self.assertEqual((code, "lost its markers" in err), (1, True))


if __name__ == "__main__":
    unittest.main()
