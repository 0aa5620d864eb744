// Schedules that a worker declares, on a real server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ScheduleNotFound } from "belfry";
import { NotTheOwner, OWNER_LABEL, Worker } from "belfry/worker";
import type { DeclaredSchedule } from "belfry/worker";
import { eventually } from "./support/server.js";
import { aWorld, daily } from "./support/world.js";

const world = aWorld();

function declaring(owner: string, schedules: Record<string, DeclaredSchedule>, prune = false): Worker {
  const { client } = world;
  const worker = new Worker({ client, queue: "declared", owner, prune, handleSignals: false, waitMs: 100 });
  worker.task("send-report", () => "sent");
  for (const [name, declared] of Object.entries(schedules)) worker.schedule(name, declared);
  return worker;
}

test("a declared schedule is created, kept and changed with its declaration", async () => {
  const { client } = world;
  const nightly = { cron: "0 2 * * *", timezone: "Europe/Berlin", input: { region: "eu" } };
  await declaring("reports", { nightly }).apply();
  const made = await client.getSchedule("nightly");
  assert.deepEqual([made.spec.cron, made.spec.timezone], [["0 2 * * *"], "Europe/Berlin"]);
  const { taskKind, queue, input } = made.target;
  assert.deepEqual([taskKind, queue, input], ["send-report", "declared", nightly.input]);
  assert.equal(made.labels[OWNER_LABEL], "reports");
  await client.pauseSchedule("nightly");
  await declaring("reports", { nightly }).apply();
  assert.equal((await client.getSchedule("nightly")).version, 1, "the same declaration changes nothing");
  await declaring("reports", { nightly: { ...nightly, cron: "0 3 * * *", overlapPolicy: "buffer_one" } }).apply();
  const changed = await client.getSchedule("nightly");
  assert.deepEqual([changed.id, changed.version, changed.spec.cron], [made.id, 2, ["0 3 * * *"]]);
  assert.deepEqual([changed.overlapPolicy, changed.status], ["buffer_one", "paused"]);
});

test("two workers may start at the same time", async () => {
  const both = [1, 2].map(() => declaring("twins", { twin: { every: "PT1H" } }).apply());
  await Promise.all(both);
  assert.equal((await world.client.getSchedule("twin")).spec.intervals?.length, 1);
});

test("a schedule of another owner stays as it is", async () => {
  await world.client.createSchedule(daily("by-hand"));
  await assert.rejects(declaring("reports", { "by-hand": { cron: "@hourly" } }).apply(), NotTheOwner);
  assert.equal((await world.client.getSchedule("by-hand")).version, 1);
});

test("pruning deletes what the owner no longer declares, and nothing else", async () => {
  const { client } = world;
  const hourly = { cron: "@hourly" };
  await declaring("pruner", { keep: hourly, drop: hourly }).apply();
  await declaring("neighbour", { theirs: hourly }).apply();
  await declaring("pruner", { keep: hourly }).apply();
  assert.equal((await client.getSchedule("drop")).status, "active", "without prune it stays");
  await declaring("pruner", { keep: hourly }, true).apply();
  await assert.rejects(client.getSchedule("drop"), ScheduleNotFound);
  for (const name of ["keep", "theirs", "by-hand"]) assert.equal((await client.getSchedule(name)).status, "active");
});

test("a worker applies its declarations at its start and does the work", async () => {
  const worker = declaring("ticker", { ticking: { every: "PT1S", task: "send-report" } });
  const finished = worker.run();
  const done = await eventually(async () => {
    const page = await world.client.listRuns({ schedule: "ticking", status: "succeeded" }).catch(() => undefined);
    return page?.items[0];
  }, "a run of the declared schedule");
  await worker.stop();
  await finished;
  assert.equal(done.result, "sent");
});

test("a schedule needs a task", () => {
  assert.throws(() => new Worker().schedule("x", { cron: "@daily" }), /has no task/);
});
