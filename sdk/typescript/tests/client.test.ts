// Handles, errors, retries, time-outs and the event stream, on a real server where that matters.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BelfryClient, InvalidArgument, RequestTimedOut, RunFailed, Unauthenticated } from "belfry";
import type { BelfryFailure, Schedule, ScheduleRequest, WorkflowScheduleRecord } from "belfry";
import { TestServer } from "./support/server.js";
import { Stub } from "./support/stub.js";
import { aWorld, all, daily } from "./support/world.js";

const world = aWorld();

test("a handle does everything with one schedule", async () => {
  const handle = await world.client.newSchedule(daily("handled", { spec: { cron: ["0 * * * *"] } }));
  assert.equal((await handle.update({ notes: "n" })).notes, "n");
  assert.equal((await handle.pause({ reason: "r" })).status, "paused");
  assert.equal((await handle.resume()).status, "active");
  assert.equal((await handle.replace({ ...daily("handled") })).notes, "");
  const run = await handle.trigger({ input: 1 });
  assert.equal((await run.describe()).input, 1);
  assert.equal((await handle.runs()).items.length, 1);
  assert.equal((await all(handle.iterRuns())).length, 1);
  assert.equal((await handle.history({ limit: 2 })).nextCursor, "2");
  const types = (await all(handle.iterHistory({ limit: 2 }))).map(({ type }) => type.replace("Schedule", ""));
  assert.deepEqual(types, ["Created", "Updated", "Paused", "Resumed", "Updated", "Triggered"]);
  assert.equal((await handle.preview({ n: 2 })).items.length, 2);
  assert.ok((await handle.why("2030-01-01T00:00:00Z")).verdict);
  assert.equal((await handle.health()).verdict, "ok");
  assert.equal((await handle.simulate({ from: "2030-01-01T00:00:00Z", to: "2030-01-02T00:00:00Z" })).items.length, 1);
  const dry = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", dryRun: true };
  assert.ok("items" in (await handle.backfill(dry)));
  assert.equal((await handle.delete()).status, "deleted");
});

test("a handle waits for the result of a run", async () => {
  const { client } = world;
  const good = await client.newTask({ taskKind: "x", queue: "elsewhere" });
  const soon = good.result<{ n: number }>();
  await client.completeRun(good.id, { status: "succeeded", result: { n: 7 } });
  assert.equal((await soon).n, 7);
  assert.equal((await good.events()).items.at(-1)?.type, "run.succeeded");
  assert.ok((await all(good.iterEvents({ limit: 1 }))).length > 1);
  assert.ok(await good.nodes());
  const bad = await client.newTask({ taskKind: "x", queue: "elsewhere" });
  assert.equal((await bad.wait({ waitMs: 50 })).status, "queued");
  await bad.cancel("enough");
  await assert.rejects(bad.result(), (error) => error instanceof RunFailed && error.run.status === "cancelled");
  const ended = await client.newTask({ taskKind: "x", queue: "elsewhere" });
  assert.equal((await ended.terminate()).status, "terminated");
  const gated = await client.newSchedule(daily("gated", { approvalPolicy: { requiresApproval: true } }));
  assert.equal((await (await gated.trigger()).approve({ comment: "yes" })).status, "queued");
  assert.equal((await (await gated.trigger()).reject()).status, "cancelled");
  await client.deployWorkflow("flow", { nodes: [{ id: "a" }] });
  assert.equal((await (await client.newWorkflow({ workflowKind: "flow" })).nodes()).nodes.length, 1);
});

test("errors say which fields are wrong, and their name tells them apart", async () => {
  const wrong = daily("x", { spec: { cron: ["0 25 * * *", "61 * * * *"] } });
  const error = await world.client.createSchedule(wrong).catch((caught: BelfryFailure) => caught);
  assert.ok(error instanceof Error);
  switch (error.name) {
    case "InvalidArgument":
      assert.ok(error instanceof InvalidArgument);
      assert.deepEqual(error.errors.map(({ pointer }) => pointer), ["/spec/cron/0", "/spec/cron/1"]);
      assert.ok(error.requestId);
      break;
    default:
      assert.fail(error.name);
  }
});

test("a wrong credential is an error of its own", async () => {
  const closed = await TestServer.start("--auth", "required");
  const stranger = new BelfryClient({ url: closed.url, token: "bfk_wrong" });
  await assert.rejects(stranger.listSchedules(), Unauthenticated);
  await closed.stop();
});

test("a call ends with its signal or its time-out", async () => {
  const stub = await Stub.start(() => new Promise(() => {}));
  const client = new BelfryClient({ url: stub.url, maxRetries: 0 });
  await assert.rejects(client.listSchedules({ timeoutMs: 50 }), RequestTimedOut);
  const stop = new AbortController();
  const call = client.listSchedules({ signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(call, { message: "enough" });
  await assert.rejects(client.listSchedules({ signal: stop.signal }), { message: "enough" });
  await stub.stop();
});

test("a signal also ends the wait before a retry", async () => {
  const stop = new AbortController();
  const stub = await Stub.start(() => {
    setTimeout(() => stop.abort(new Error("enough")), 20);
    return { status: 503, headers: { "Retry-After": "50" }, body: { code: "unavailable", detail: "later" } };
  });
  const client = new BelfryClient({ url: stub.url });
  await assert.rejects(client.listSchedules({ signal: stop.signal }), { message: "enough" });
  assert.equal(stub.received.length, 1);
  await stub.stop();
});

test("a response can be sent back as a request", () => {
  // Types only: what the server returns is a definition that it accepts.
  const accepts = (_: ScheduleRequest) => {};
  const check = (schedule: Schedule, record: WorkflowScheduleRecord) => [accepts(schedule), record.cron_expr];
  assert.equal(typeof check, "function");
});
