"""What the caller says through the environment: which program, how slow it is, where evidence goes."""

import os
import random

PROGRAM = os.environ.get("BELFRY", "")

# Under sanitizers everything takes several times as long: bounds are stretched and fewer faults fit into the same time.
SLOW = os.environ.get("BELFRY_SLOW") == "1"
# Among other tests the machine is busy: BELFRY_PATIENCE stretches the bounds alone.
PATIENCE = int(os.environ.get("BELFRY_PATIENCE", "4" if SLOW else "1"))

# Where the journals, logs and findings of a failed scenario stay. Without it they go to a temporary folder that is
# kept.
EVIDENCE = os.environ.get("BELFRY_EVIDENCE", "")


def seed():
    """The seed of this run: SEED= repeats one."""
    given = os.environ.get("SEED")
    return int(given) if given else random.SystemRandom().randrange(2**32)


def clean_environment(**more):
    """This process's environment without the settings of the developer's own Belfry."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("BELFRY_")}
    return {**kept, **more}


def with_parent(*command):
    """A command that ends with this process, however that ends: a test that is killed leaves nothing running."""
    return ["setpriv", "--pdeathsig", "KILL", *command]
