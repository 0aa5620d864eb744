"""Runs scenarios by name: `run.py NAME… [--minutes N]`, all of them without a name. SEED= repeats a run.

Ends with 1 when one fails and with 77 when all were skipped because something is not there.
"""

import argparse
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays as it is

import scenario_clock
import scenario_cluster
import scenario_database
import scenario_disk
import scenario_drain
import scenario_kill
import scenario_planted
import scenario_slow_receivers
from settings import EVIDENCE, PROGRAM, SLOW, seed
from skipped import Skipped

# The scenarios, each with the seconds of its short version.
SCENARIOS = {
    "kill_sqlite": (scenario_kill.on_sqlite, 18),
    "kill_postgres": (scenario_kill.on_postgres, 18),
    "cluster": (scenario_cluster.trouble, 28),
    "database": (scenario_database.restarts, 16),
    "disk": (scenario_disk.full, 12),
    "drain": (scenario_drain.drain, 8),
    "clock": (scenario_clock.jumps, 0),
    "planted": (scenario_planted.planted, 0),
    "slow_receivers": (scenario_slow_receivers.slow_receivers, 6),
}
SKIPPED_CODE = 77


def run(name, the_seed, minutes):
    """passed, failed or skipped."""
    scenario, short = SCENARIOS[name]
    folder = tempfile.mkdtemp(prefix=f"belfry-faults-{name}-", dir=EVIDENCE or None)
    print(f"{name}: SEED={the_seed}", flush=True)
    try:
        world = scenario(the_seed, folder, minutes * 60 or short * (2 if SLOW else 1))
    except Skipped as why:
        print(f"{name}: skipped: {why}", flush=True)
        shutil.rmtree(folder)
        return "skipped"
    except Exception as error:  # whatever it is, the evidence stays
        print(f"{name}: FAILED, repeat with SEED={the_seed}: {type(error).__name__}: {error}\n"
              f"{name}: the evidence is in {folder}", flush=True)
        return "failed"
    print(f"{name}: passed: {world.summary()}", flush=True)
    shutil.rmtree(folder)
    return "passed"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="one of " + ", ".join(SCENARIOS))
    parser.add_argument("--minutes", type=float, default=0,
                        help="how long the faults of each scenario go on; without it, a short version for CI")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(SCENARIOS):
        parser.error(f"there is no scenario {', '.join(sorted(unknown))}")
    if not os.access(PROGRAM, os.X_OK):
        parser.error("BELFRY must be the path of the program")
    the_seed = seed()
    results = [run(name, the_seed, arguments.minutes) for name in arguments.names or SCENARIOS]
    if "failed" in results:
        return 1
    return SKIPPED_CODE if set(results) == {"skipped"} else 0


if __name__ == "__main__":
    sys.exit(main())
