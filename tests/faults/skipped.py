"""Why a scenario cannot be run here. It is said, and never counted as passed."""


class Skipped(Exception):
    """Something that the scenario needs is not there."""
