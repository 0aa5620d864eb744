"""Renders results as Markdown, and puts them into the pages that show them. Pure, apart from reading and writing files.

A page has two marker comments; what stands between them comes from here and is not edited by hand.
"""

import json
import textwrap
from pathlib import Path

RESULTS = "bench/results/latest.json"
PAGES = {"docs/internals/performance.md": "all", "README.md": "readme"}
MARKERS = ("<!-- bench/all.py begin: {} -->\n", "<!-- bench/all.py end -->\n")
COLUMNS = {"all": ("work", "Belfry", "before", "compared with", "ratio", "goal", "measured"),
           "readme": ("work", "Belfry", "compared with", "ratio")}
NO_RESULTS = "No results are stored yet. `make bench-all` measures this table on your machine.\n"


def number(value, unit):
    if unit == "/s":
        return f"{value:,.0f}" if value < 1000 else f"{round(value, -2):,.0f}"
    if unit == "MB":
        return f"{value:,.0f}"
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def figures(side, unit):
    """`first 0.90, median 1.00, last 1.20 s`, `12,300/s`"""
    texts = [f"{name} {number(value, unit)}".strip() for name, value in side.items()]
    return ", ".join(texts) + (unit if unit == "/s" else " " + unit)


def ratio(row, side):
    """How fast Belfry is compared with the other: above 1 it is faster. By the first figure."""
    ours, theirs = (next(iter(each.values())) for each in (row["belfry"], side))
    return f"{ours / theirs if row['unit'] == '/s' else theirs / ours:.2f}"


def _cells(row):
    others = [f"{name} {figures(side, row['unit'])}" for name, side in row["others"].items()]
    ratios = [ratio(row, side) for side in row["others"].values()] if row["belfry"] else []
    return {"work": row["work"],
            "Belfry": figures(row["belfry"], row["unit"]) if row["belfry"] else "not measured",
            "before": figures(row["before"], row["unit"]) if row["before"] else "",
            "compared with": "<br>".join(others + row["notes"]),
            "ratio": "<br>".join(ratios),
            "goal": row["goal"],
            "measured": f"{row['date']}, {row['build']}"}


def _have_one_origin(rows):
    return len({(row["date"], row["build"]) for row in rows}) <= 1


def table(rows, columns):
    cells = [_cells(row) for row in rows]
    if _have_one_origin(rows):  # then the lines below the table say it once
        columns = [column for column in columns if column != "measured"]
    columns = [column for column in columns if any(each[column] for each in cells)]
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(each[column] for column in columns) + " |" for each in cells]
    return "\n".join(lines) + "\n"


def _origin(results):
    machine, versions = results["machine"], results["versions"]
    sentences = [f"Measured on {results['date']}" + (" with `--quick`, for trying only" if results["quick"] else ""),
                 f"{machine['cores']} cores ({machine['cpu']}), {machine['memoryGiB']} GiB, {machine['filesystem']} "
                 f"(a synced write takes {machine['syncMs']} ms), Linux {machine['kernel']}",
                 ", ".join(f"{name} {version}" for name, version in versions.items()),
                 results["ceilings"]]
    return "".join(textwrap.fill(f"- {sentence}.", 100, subsequent_indent="  ", break_long_words=False,
                                 break_on_hyphens=False) + "\n" for sentence in sentences)


def render(results, which="all"):
    if results is None:
        return NO_RESULTS
    if which == "readme":
        return table([row for row in results["rows"] if row["readme"]], COLUMNS["readme"])
    return table(results["rows"], COLUMNS["all"]) + "\n" + _origin(results)


def read(path):
    """Stored results, or None if there are none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def merged(earlier, new):
    """The new results with those earlier rows that were not measured again. Each row has its own date and build.

    Sizes must be the same, and a row that failed now does not replace a figure.
    """
    if earlier is None or earlier["quick"] != new["quick"]:
        return new
    measured = {row["key"]: row for row in new["rows"] if row["belfry"]}
    known = {row["key"] for row in earlier["rows"]}
    rows = [measured.get(row["key"], row) for row in earlier["rows"]]
    rows += [row for row in new["rows"] if row["key"] not in known]
    return {**new, "versions": {**earlier["versions"], **new["versions"]}, "rows": rows}


def stored(root):
    return read(Path(root) / RESULTS)


def with_table(text, which, rendered):
    """The page with `rendered` between its markers."""
    begin, end = MARKERS[0].format(which), MARKERS[1]
    before, found, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"the page has lost its markers: {begin.strip()}")
    return f"{before}{begin}\n{rendered}\n{end}{after}"


def pages(root):
    """Yields (path, text as it is, text as the results have it)."""
    results = stored(root)
    for name, which in PAGES.items():
        path = Path(root) / name
        text = path.read_text(encoding="utf-8")
        yield path, text, with_table(text, which, render(results, which))
