"""Prints the next three events of runs. Without the `break`, it would follow them for ever."""

import asyncio

from belfry import Client


async def main() -> None:
    async with Client() as client:
        seen = 0
        async for event in client.events(types=["run.*"]):
            print(event.type, event.data["scheduleName"], flush=True)
            seen += 1
            if seen == 3:
                break


asyncio.run(main())
