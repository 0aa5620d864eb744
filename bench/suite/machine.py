"""What the figures were measured on: the machine and the versions of everything that takes part."""

import os
import platform
import re
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time


def _first_line(*command, cwd=None):
    """The first line that a program prints, or an empty text if there is no such program."""
    if not shutil.which(command[0]):
        return ""
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60, cwd=cwd)
    return done.stdout.partition("\n")[0].strip()


def _read(path, pattern):
    with open(path, encoding="utf-8", errors="replace") as file:
        found = re.search(pattern, file.read(), re.MULTILINE)
    return found.group(1).strip() if found else "unknown"


def _filesystem(folder):
    return _first_line("stat", "--file-system", "--format=%T", folder) or "unknown"


def _sync_ms(folder, times=100):
    """The median time of a synced write of 4 KiB, which bounds every commit."""
    took = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(times):
            begun = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - begun)
    return round(statistics.median(took) * 1000, 2)


def machine(folder):
    """`folder` is where the databases are."""
    return {
        "cores": os.cpu_count(),
        "cpu": _read("/proc/cpuinfo", r"^model name\s*: (.*)$"),
        "memoryGiB": round(int(_read("/proc/meminfo", r"^MemTotal:\s*(\d+) kB")) / 2**20, 1),
        "filesystem": _filesystem(folder),
        "syncMs": _sync_ms(folder),
        "kernel": platform.release(),
    }


def versions(root, postgres_programs):
    commit = _first_line("git", "rev-parse", "--short=12", "HEAD", cwd=root)
    changed = _first_line("git", "status", "--porcelain", "--untracked-files=no", cwd=root)
    found = {
        "Belfry": commit + (" with changes" if changed else ""),
        "SQLite": sqlite3.sqlite_version,
        "PostgreSQL": _first_line(os.path.join(postgres_programs, "postgres"), "--version").rpartition(") ")[2]
        if postgres_programs else "",
        "Redis": _first_line("redis-server", "--version").partition("v=")[2].partition(" ")[0],
        "Node": _first_line("node", "--version").lstrip("v"),
    }
    return {name: text.partition(" (")[0] for name, text in found.items() if text}
