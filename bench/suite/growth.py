"""How Belfry changes with the number of schedules: its start, its memory, and a herd beside them."""

import contextlib
import os
import tempfile

from .programs import belfry_bench, server_start
from .rows import BELFRY, NAMES, Group, Row, herd_figures


@contextlib.contextmanager
def _filled_place(context, store):
    if store == "postgres":
        with context.places.postgres() as url:
            yield ["--store", url]
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield ["--store", "sqlite:" + os.path.join(folder, "belfry.db")]


def _group(context, store, count):
    sizes = context.sizes
    start, memory, herd = (f"{what}-{count}-{store}" for what in ("start", "memory", "beside"))

    def belfry():
        with _filled_place(context, store) as place, tempfile.TemporaryDirectory() as folder:
            found, _ = belfry_bench(context.bench, "herd", "--schedules", sizes.schedules, "--beside", count,
                                    "--rounds", 3, "--every", sizes.herd_every_s, *place)
            key = os.path.join(folder, "key")  # on PostgreSQL an operator has to name one
            with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
                file.write(os.urandom(32).hex())
            started = server_start(context.program, ["--data-dir", folder, "--secret-key-file", key, *place])
        return {(start, BELFRY): {"": started["seconds"]}, (memory, BELFRY): {"": started["MB"]},
                (herd, BELFRY): herd_figures(found)}

    beside = f"{count:,} schedules, {NAMES[store]}"
    return Group([Row(start, f"start until all are loaded, {beside}", "s", "under 3 s" if count >= 10**6 else ""),
                  Row(memory, f"resident memory, {beside}", "MB"),
                  Row(herd, f"{sizes.schedules:,} due at one instant beside {beside}", "s")], [belfry])


def groups(context):
    return [_group(context, store, count) for count in context.sizes.growth for store in context.stores]
