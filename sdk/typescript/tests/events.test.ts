import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidArgument } from "belfry";
import type { BelfryEvent } from "belfry";
import { aWorld, daily } from "./support/world.js";

const world = aWorld();
/** The position of the last event of the first test. */
let position = "";

async function next(events: AsyncIterator<BelfryEvent>): Promise<BelfryEvent> {
  const { value, done } = await events.next();
  assert.ok(!done);
  return value as BelfryEvent;
}

test("the stream misses nothing when the server dies and comes back", async () => {
  const { client, server } = world;
  await client.createSchedule(daily("watched"));
  await client.createSchedule(daily("other"));
  const stop = new AbortController();
  const events = client.events({ schedule: "watched", types: ["run.*", "schedule.paused"], signal: stop.signal });
  const first = next(events);
  // The stream begins when it is connected, so trigger until it has begun.
  let isHere = false;
  void first.then(() => (isHere = true), () => {});
  while (!isHere) {
    await client.triggerSchedule("watched");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const dispatched = await first;
  assert.equal(dispatched.type, "run.dispatched");
  await server.kill();
  const waiting = (async () => {
    for (;;) {
      const event = await next(events);
      if (event.type === "schedule.paused") return event;
      assert.notEqual(event.type, "reset");
    }
  })();
  await server.start();
  await client.pauseSchedule("other");
  await client.pauseSchedule("watched", { reason: "restarted" });
  const paused = await waiting;
  assert.ok(paused.type === "schedule.paused" && paused.data.scheduleName === "watched");
  position = paused.id;
  const rest = events.next();
  stop.abort(new Error("enough"));
  await assert.rejects(rest, { message: "enough" });
});

test("a handle follows its schedule from a position", async () => {
  const { client } = world;
  const handle = await client.newSchedule(daily("followed"));
  const seen: BelfryEvent[] = [];
  const events = handle.events({ types: ["schedule.*"], after: position });
  await handle.pause();
  await handle.resume();
  for await (const event of events) {
    seen.push(event);
    if (event.type === "reset" || event.type === "schedule.resumed") break;
  }
  assert.deepEqual(seen.map(({ type }) => type), ["schedule.created", "schedule.paused", "schedule.resumed"]);
});

test("a position of another feed is a reset", async () => {
  const events = world.client.events({ after: 1e9 });
  assert.equal((await next(events)).type, "reset");
  await events.return();
});

test("a stream that the server refuses ends", async () => {
  await assert.rejects(world.client.events({ types: ["nonsense"] }).next(), InvalidArgument);
});
