#!/usr/bin/env python3
"""Measures Belfry beside bare databases and other queues, and writes one table: bench/results/latest.{json,md}.

    make bench-all                                     builds, then measures everything in about half an hour
    python3 bench/all.py --quick --only fires          tries one row with small sizes
    python3 bench/all.py --only tasks --only create    measures some rows again and keeps the others as they are stored
    python3 bench/all.py --compare OTHER/belfry-bench  measures another build in turns with this one
    python3 bench/all.py --write-docs                  puts the stored results into the pages that show them

It starts its own PostgreSQL and Redis in a temporary folder and stops them. Measure on a quiet machine; TMPDIR decides
which disk is measured.
"""

import argparse
import datetime
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # keeps the source tree clean
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from suite import growth, rows, table  # noqa: E402  pylint: disable=wrong-import-position
from suite.machine import machine, versions  # noqa: E402  pylint: disable=wrong-import-position
from suite.places import Missing, Places, programs  # noqa: E402  pylint: disable=wrong-import-position
from suite.programs import Ceilings, Peers  # noqa: E402  pylint: disable=wrong-import-position


def report(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"), help="folder with belfry-bench and belfry [build]")
    parser.add_argument("--quick", action="store_true", help="small sizes, for trying")
    parser.add_argument("--growth", action="store_true", help="also 10,000, 100,000 and 1,000,000 schedules")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT",
                        help="measure only rows whose key or name has this text; the others stay as they are stored")
    parser.add_argument("--rounds", type=int, default=0, metavar="N",
                        help="take turns so often [3 where several sides take turns, otherwise 1]")
    parser.add_argument("--compare", default="", metavar="BELFRY_BENCH", help="another build, measured in turns")
    parser.add_argument("--ceilings", default=os.environ.get("BELFRY_CEILINGS", ""), metavar="DIR",
                        help="sources of bare programs to compare with [$BELFRY_CEILINGS]; default: bare loops")
    parser.add_argument("--results", default=str(ROOT / "bench" / "results"), help="where latest.json and latest.md go")
    parser.add_argument("--write-docs", action="store_true", help="measure nothing; write the pages from the results")
    return parser.parse_args(arguments)


def has(group, texts):
    return not texts or any(text.lower() in f"{row.key} {row.work}".lower() for row in group.rows for text in texts)


def measure(group, rounds):
    """Returns {(row, column): [figures of each round]} and what could not be measured, in words."""
    found, notes = {}, []
    for number in range(rounds):
        for side in list(group.sides):
            begun = time.monotonic()
            try:
                measured = side()
            except Missing as reason:
                group.sides.remove(side)
                notes.append(str(reason))
                report(f"  not measured: {reason}")
                continue
            for place, figures in measured.items():
                found.setdefault(place, []).append(figures)
            texts = (f"{key} {column} " + " ".join(f"{name} {value:.6g}".strip() for name, value in figures.items())
                     for (key, column), figures in measured.items())
            report(f"  round {number + 1} of {rounds}, {time.monotonic() - begun:.0f} s: {'; '.join(texts)}")
    return found, notes


def medians(rounds):
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def rows_of(group, found, notes):
    for row in group.rows:
        columns = {column: medians(each) for (key, column), each in found.items() if key == row.key}
        yield {"key": row.key, "work": row.work, "unit": row.unit, "belfry": columns.pop(rows.BELFRY, None),
               "before": columns.pop(rows.BEFORE, None), "others": columns, "goal": row.goal, "readme": row.readme,
               "notes": [f"not measured: {note}" for note in dict.fromkeys(notes)]}


def measure_all(options, folder):
    sizes = rows.Sizes.quick() if options.quick else rows.Sizes()
    ceilings = Ceilings(os.path.abspath(options.ceilings), folder) if options.ceilings else None
    failed, written = False, []
    found_versions = versions(ROOT, programs())
    origin = {"date": datetime.date.today().isoformat(), "build": found_versions["Belfry"]}
    with Places() as places:
        context = rows.Context(sizes, places, Peers(os.path.join(options.build, "bench_peers")),
                               os.path.join(options.build, "belfry-bench"), options.compare,
                               os.path.join(options.build, "belfry"), ceilings)
        groups = rows.groups(context) + (growth.groups(context) if options.growth else [])
        for group in groups:
            if not has(group, options.only):
                continue
            report("; ".join(row.work for row in group.rows))
            try:
                written += rows_of(group, *measure(group, options.rounds or group.rounds))
            except (RuntimeError, OSError) as error:
                failed = True
                report(f"  failed: {error}")
                written += rows_of(group, {}, [str(error)])
        bare = "programs that share no code with Belfry" if ceilings else "the loops of belfry-bench"
        return failed, {"date": origin["date"], "quick": options.quick, "machine": machine(folder),
                        "versions": {**found_versions, **context.versions},
                        "ceilings": f"The bare rates of fires come from {bare}",
                        "rows": [{**row, **origin} for row in written]}


def write_docs():
    if (results := table.stored(ROOT)) is not None:
        (ROOT / table.RESULTS).with_suffix(".md").write_text(table.render(results), encoding="utf-8")
    for path, text, wanted in table.pages(ROOT):
        if text != wanted:
            path.write_text(wanted, encoding="utf-8")
            report(f"wrote {path.relative_to(ROOT)}")


def main(arguments):
    options = parse(arguments)
    if options.write_docs:
        write_docs()
        return 0
    with tempfile.TemporaryDirectory(prefix="belfry-bench-all-") as folder:
        os.chmod(folder, 0o755)  # PostgreSQL runs as another user
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        failed, results = measure_all(options, folder)
    target = Path(options.results)
    target.mkdir(parents=True, exist_ok=True)
    if options.only:
        results = table.merged(table.read(target / "latest.json"), results)
    (target / "latest.json").write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (target / "latest.md").write_text(table.render(results), encoding="utf-8")
    print(table.render(results), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
