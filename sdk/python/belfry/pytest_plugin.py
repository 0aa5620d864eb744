"""The fixture `belfry_server`: a real server for the tests of a session. In conftest.py:

    pytest_plugins = ["belfry.pytest_plugin"]
"""

from __future__ import annotations

from typing import Iterator

import pytest

from belfry.testing import LocalServer


@pytest.fixture(scope="session")
def belfry_server() -> Iterator[LocalServer]:
    with LocalServer("--auth", "off") as server:
        yield server
