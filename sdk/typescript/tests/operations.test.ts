// Every operation of the client on a real server.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { AlreadyExists, BelfryClient, Conflict, NotFound, RunNotFound, ScheduleAlreadyExists } from "belfry";
import { eventually } from "./support/server.js";
import { aWorld, all, daily } from "./support/world.js";

const called = new Set<string | symbol>();
/** A client that remembers which methods the tests call. */
const world = aWorld((url) => new Proxy(new BelfryClient({ url }), {
  get(client, name) {
    called.add(name);
    return Reflect.get(client, name, client);
  },
}));

test("schedules are created, changed, paused and deleted", async () => {
  const { client } = world;
  const made = await client.createSchedule(daily("report"));
  await assert.rejects(client.createSchedule(daily("report")), ScheduleAlreadyExists);
  assert.deepEqual(await client.getSchedule("report"), made);
  assert.deepEqual(await client.getSchedule("report", { fields: ["name", "version"] }), { name: "report", version: 1 });
  // A response can be edited and sent back.
  const replaced = await client.replaceSchedule("report", { ...made, notes: "new" }, { ifMatch: made.version });
  assert.equal(replaced.notes, "new");
  await assert.rejects(client.patchSchedule("report", { notes: "late" }, { ifMatch: 1 }), Conflict);
  assert.equal((await client.patchSchedule("report", { notes: "newer" })).version, 3);
  assert.equal((await client.pauseSchedule("report", { reason: "holiday" })).pauseReason, "holiday");
  assert.equal((await client.resumeSchedule("report")).status, "active");
  assert.equal((await client.previewSchedule("report", { n: 3 })).items.length, 3);
  assert.equal((await client.getScheduleVersion("report", 2)).notes, "new");
  assert.equal((await client.getScheduleHealth("report")).verdict, "ok");
  assert.equal((await client.deleteSchedule("report", { purge: true })).status, "deleted");
});

test("lists have pages, and iterators read all of them", async () => {
  const { client } = world;
  for (const number of [0, 1, 2, 3, 4]) await client.createSchedule(daily(`list-${number}`));
  const page = await client.listSchedules({ namePrefix: "list-", limit: 2, fields: ["name"] });
  assert.deepEqual(page.items, [{ name: "list-0" }, { name: "list-1" }]);
  const names = (await all(client.iterSchedules({ namePrefix: "list-", limit: 2 }))).map(({ name }) => name);
  assert.deepEqual(names, ["list-0", "list-1", "list-2", "list-3", "list-4"]);
  for (const reason of ["a", "b", "c"]) {
    await client.pauseSchedule("list-0", { reason });
    await client.resumeSchedule("list-0");
  }
  const first = await client.getScheduleHistory("list-0", { limit: 3 });
  assert.deepEqual(first.items.map(({ sequence }) => sequence), [1, 2, 3]);
  const next = await client.getScheduleHistory("list-0", { limit: 3, afterSequence: 3 });
  assert.deepEqual(next.items.map(({ sequence }) => sequence), [4, 5, 6]);
  const history = await all(client.iterScheduleHistory("list-0", { limit: 2 }));
  assert.deepEqual(history.map(({ sequence }) => sequence), [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await all(client.iterScheduleHistory("list-0", { limit: 2, afterSequence: 5 })), history.slice(5));
  assert.ok((await client.getScheduleHistory("list-0", { limit: 100_000 })).items.length === 7);
});

test("tasks are claimed, renewed and completed", async () => {
  const { client } = world;
  await client.createSchedule(daily("runs", { target: { type: "task", taskKind: "greet", queue: "greeting" } }));
  const run = await client.triggerSchedule("runs", { input: { n: 1 } }, { idempotencyKey: "once" });
  assert.equal((await client.triggerSchedule("runs", { input: { n: 1 } }, { idempotencyKey: "once" })).id, run.id);
  const { items: [task] } = await client.claimTasks({ queue: "greeting", worker: "w1" });
  assert.equal(task?.runId, run.id);
  const lease = { runId: run.id, attempt: 1 };
  assert.equal((await client.heartbeatTasks({ leases: [lease] })).items.length, 1);
  const { items: [ended] } = await client.completeTasks({ items: [{ ...lease, status: "succeeded", result: "hi" }] });
  assert.equal(ended?.ok, true);
  assert.equal((await client.getRun(run.id)).result, "hi");
  const types = (await all(client.iterRunEvents(run.id, { limit: 1 }))).map(({ type }) => type);
  assert.deepEqual(types, ["ScheduleTriggered", "run.started", "run.succeeded"]);
  assert.equal((await client.listRunEvents(run.id, { afterSequence: 2 })).items.length, 1);
  assert.equal((await client.getRunNodes(run.id)).workflow, null);
  const other = await client.triggerSchedule("runs");
  assert.equal((await client.completeRun(other.id, { status: "failed", error: "no" })).status, "failed");
  assert.equal((await client.cancelRun((await client.triggerSchedule("runs")).id)).status, "cancelled");
  assert.equal((await client.terminateRun((await client.triggerSchedule("runs")).id)).status, "terminated");
  assert.equal((await client.listRuns({ schedule: "runs", status: "failed" })).items.length, 1);
  assert.equal((await all(client.iterRuns({ schedule: "runs", limit: 1 }))).length, 4);
  assert.equal((await client.listScheduleRuns("runs")).items.length, 4);
  assert.equal((await all(client.iterScheduleRuns("runs", { limit: 3 }))).length, 4);
  assert.deepEqual((await client.listTeamRuns("blue")).items, []);
  assert.deepEqual(await all(client.iterTeamRuns("blue")), []);
  await assert.rejects(client.listTeamRunEvents("blue", run.id), NotFound);
  await assert.rejects(all(client.iterTeamRunEvents("blue", run.id)), NotFound);
  await assert.rejects(client.tellStatus(run.id, { status: "FAILED" }), Conflict);
  await assert.rejects(client.getRun("none"), RunNotFound);
});

test("dead letters are listed, replayed and dismissed", async () => {
  const { client } = world;
  const run = await client.startTask({ taskKind: "break", queue: "breaking" });
  assert.equal((await client.getTaskExecution(run.id)).status, "queued");
  await client.completeRun(run.id, { status: "failed" });
  assert.ok((await client.listDeadLetters()).items.some(({ id }) => id === run.id));
  assert.ok((await all(client.iterDeadLetters({ limit: 1 }))).some(({ id }) => id === run.id));
  const again = await client.replayDeadLetter(run.id);
  await client.completeRun(again.id, { status: "timed_out" });
  assert.equal(await client.dismissDeadLetter(again.id), undefined);
});

test("tasks and workflows are started in batches", async () => {
  const { client } = world;
  const first = { taskKind: "sort", queue: "batches", input: 1, idempotencyKey: "batch-1" };
  const { items: started } = await client.startTasks({ items: [first, { ...first, input: 2, idempotencyKey: "batch-2" }] });
  assert.deepEqual(started.map(({ status, run }) => [status, run?.input]), [[201, 1], [201, 2]]);
  const { items: [again, wrong] } = await client.startTasks({ items: [first, { taskKind: "" }] });
  assert.deepEqual([again?.replayed, again?.run?.id], [true, started[0]?.run?.id]);
  assert.equal(wrong?.status, wrong?.problem?.status);
  const { items: [one] } = await client.startWorkflows({ items: [{ workflowKind: "letter", input: 3 }] });
  assert.equal((await client.getWorkflowExecution(one?.run?.id ?? "")).input, 3);
});

test("a worker exchanges what it did for the next tasks", async () => {
  const { client } = world;
  const task = { taskKind: "sort", queue: "exchange" };
  await client.startTasks({ items: [task, task] });
  const claim = { queue: "exchange", worker: "w1" };
  const { tasks: [held] } = await client.exchangeTasks({ claim });
  assert.ok(held);
  const done = { runId: held.runId, attempt: held.attempt, status: "succeeded" as const, result: "sorted" };
  const { outcomes, tasks } = await client.exchangeTasks({ claim, completions: [done] });
  assert.deepEqual([outcomes.map(({ ok }) => ok), tasks.length], [[true], 1]);
  assert.notEqual(tasks[0]?.runId, held.runId);
  assert.equal((await client.getRun(held.runId)).result, "sorted");
});

test("many schedules are changed at once", async () => {
  const { client } = world;
  const { items: [made, missing] } = await client.changeSchedules({ items: [
    { operation: "create", definition: daily("many-1") }, { operation: "pause", schedule: "none" },
  ] });
  assert.deepEqual([made?.status, made?.schedule?.name, missing?.status], [201, "many-1", 404]);
  const paused = await client.changeSchedules({ operation: "pause", filter: { namePrefix: "many-" } });
  assert.deepEqual(paused.items.map(({ schedule }) => schedule?.status), ["paused"]);
  assert.equal(paused.nextCursor, null);
});

test("the audit chain of a schedule is verified", async () => {
  const { client } = world;
  await client.createSchedule(daily("audited"));
  await client.pauseSchedule("audited");
  assert.deepEqual(await client.verifyAudit({ schedule: "audited" }),
    { verified: true, events: 2, schedules: 1, break: null, checkpoints: [], nextCursor: null });
});

test("workflows are deployed, started and removed", async () => {
  const { client } = world;
  const graph = { nodes: [{ id: "a" }, { id: "b", dependsOn: ["a"] }] };
  assert.equal((await client.deployWorkflow("steps", graph)).version, 1);
  const yaml = "description: again\nnodes:\n  - id: a\n";
  assert.equal((await client.deployWorkflowYaml("steps", yaml, { ifMatch: 1 })).version, 2);
  assert.equal((await client.getWorkflow("steps", { version: 1 })).nodes.length, 2);
  assert.deepEqual((await client.listWorkflowVersions("steps")).items.map(({ version }) => version), [2, 1]);
  assert.equal((await all(client.iterWorkflowVersions("steps", { limit: 1 }))).length, 2);
  assert.equal((await client.listWorkflows()).items.length, 1);
  assert.equal((await all(client.iterWorkflows())).length, 1);
  const run = await client.startWorkflow({ workflowKind: "steps", input: 1 });
  assert.equal((await client.getWorkflowExecution(run.id)).input, 1);
  assert.equal(await client.removeWorkflow("steps", { force: true }), undefined);
});

test("runs wait for approval", async () => {
  const { client } = world;
  await client.createSchedule(daily("gated", { approvalPolicy: { requiresApproval: true } }));
  const run = await client.triggerSchedule("gated");
  assert.ok((await client.listApprovals()).items.some(({ runId }) => runId === run.id));
  assert.ok((await all(client.iterApprovals({ limit: 1 }))).some(({ runId }) => runId === run.id));
  assert.equal((await client.approveRun(run.id, { comment: "fine" })).status, "queued");
  assert.equal((await client.rejectRun((await client.triggerSchedule("gated")).id)).status, "cancelled");
  assert.equal((await client.listRunApprovals(run.id)).items[0]?.comment, "fine");
  assert.equal((await all(client.iterRunApprovals(run.id))).length, 1);
});

test("backfills run occurrences of the past", async () => {
  const { client } = world;
  await client.createSchedule(daily("past", { spec: { cron: ["0 * * * *"] } }));
  const window = { from: "2026-01-01T00:00:00Z", to: "2026-01-01T05:00:00Z", concurrency: 10 };
  const dry = await client.backfillSchedule("past", { ...window, dryRun: true });
  assert.ok("items" in dry && dry.items.length === 6);
  const started = await client.backfillSchedule("past", window);
  assert.ok("id" in started);
  await eventually(async () => (await client.getBackfill(started.id)).status === "completed", "the end of a backfill");
  assert.equal((await client.listBackfills("past")).items.length, 1);
  assert.equal((await all(client.iterBackfills("past"))).length, 1);
  await assert.rejects(client.pauseBackfill(started.id), Conflict);
  await assert.rejects(client.resumeBackfill(started.id), Conflict);
  await client.cancelBackfill(started.id).catch((error: unknown) => assert.ok(error instanceof Conflict));
});

test("calendars are managed, exported and imported", async () => {
  const { client } = world;
  const made = await client.createCalendar({ name: "plant", dates: ["2030-12-31", "2030-12-24"] });
  await assert.rejects(client.createCalendar({ name: "plant", dates: [] }), AlreadyExists);
  assert.deepEqual(await client.getCalendar("plant"), made);
  assert.ok((await client.listCalendars({ q: "plant" })).items.length === 1);
  assert.ok((await all(client.iterCalendars({ limit: 1 }))).length > 1);
  assert.equal((await client.replaceCalendar("plant", { ...made, kind: "only_dates" }, { ifMatch: 1 })).version, 2);
  assert.equal((await client.cloneCalendar("plant", { name: "ours" })).name, "ours");
  await client.createSchedule(daily("with-calendar"));
  assert.deepEqual((await client.attachCalendar("with-calendar", "ours")).calendars, ["ours"]);
  assert.deepEqual((await client.detachCalendar("with-calendar", "ours")).calendars, []);
  const file = await client.exportCalendar("plant");
  assert.match(file, /^BEGIN:VCALENDAR/);
  assert.equal((await client.importCalendar("copy", file, { mode: "replace" })).datesRead, 2);
  assert.equal(await client.deleteCalendar("ours"), undefined);
});

test("conditions and rotations are parts of a schedule", async () => {
  const { client } = world;
  await client.createSchedule(daily("parts", { inputsRotation: ["a", "b"] }));
  assert.deepEqual((await client.getRotation("parts")).entries, ["a", "b"]);
  assert.equal((await client.setRotation("parts", { entries: [1, 2, 3] })).nextIndex, 0);
  assert.deepEqual((await client.clearRotation("parts")).entries, []);
  const condition = { "/last_24h_stats/failed": { lt: 3 } };
  assert.equal((await client.setCondition("parts", { condition })).holds, true);
  assert.deepEqual((await client.getCondition("parts")).condition, condition);
  assert.equal((await client.clearCondition("parts")).condition, null);
  const judged = await client.checkCondition({ condition, context: { last_24h_stats: { failed: 5 } } });
  assert.deepEqual(judged.clauses.map(({ holds }) => holds), [false]);
});

test("the future is previewed, simulated and explained", async () => {
  const { client } = world;
  await client.createSchedule(daily("ahead", { spec: { cron: ["0 * * * *"] } }));
  const schedule = { spec: { cron: ["0 * * * *"] } };
  assert.equal((await client.previewDraft({ schedule, n: 4 })).items.length, 4);
  let rows = 0;
  for await (const _ of client.iterPreviewSchedule("ahead", { limit: 2 })) if (++rows === 5) break;
  const window = { from: "2030-01-01T00:00:00Z", to: "2030-01-01T02:00:00Z" };
  assert.equal((await client.simulateSchedule("ahead", window)).items.length, 3);
  assert.equal((await client.simulateDraft({ ...window, schedule })).items.length, 3);
  assert.equal((await client.whySchedule("ahead", { at: "2030-01-01T00:00:00Z" })).verdict, "will_dispatch");
  assert.equal((await client.getLoad()).buckets.length, 60);
});

test("assignees and assignments are registered", async () => {
  const { client } = world;
  await client.putAssignee("bo", { type: "agent", policies: { maxRunsPerDay: 1 } });
  assert.equal((await client.getAssignee("bo")).today.runsLeft, 1);
  assert.equal((await client.listAssignees()).items.length, 1);
  assert.equal((await all(client.iterAssignees())).length, 1);
  const made = await client.createAssignment({ workflow: "letters", assignee: { type: "agent", id: "bo" } });
  assert.deepEqual(await client.getAssignment(made.id), made);
  assert.equal((await client.listAssignments()).items.length, 1);
  assert.equal((await all(client.iterAssignments())).length, 1);
  assert.equal((await client.replaceAssignment(made.id, { ...made, retryPolicy: { maxRetries: 3 } })).version, 2);
  assert.equal(await client.deleteAssignment(made.id), undefined);
  assert.equal(await client.deleteAssignee("bo"), undefined);
});

test("webhooks are managed", async () => {
  const { client } = world;
  const request = { url: "https://example.com/hook", events: ["run.failed"] };
  const { secret, ...webhook } = await client.createWebhook(request);
  assert.match(secret, /^whsec_/);
  assert.deepEqual(await client.getWebhook(webhook.id), webhook);
  assert.deepEqual((await client.listWebhooks()).items, [webhook]);
  assert.deepEqual(await all(client.iterWebhooks()), [webhook]);
  assert.equal((await client.replaceWebhook(webhook.id, { ...webhook, enabled: false })).enabled, false);
  assert.notEqual((await client.rotateWebhookSecret(webhook.id)).secret, secret);
  assert.deepEqual((await client.listDeliveries(webhook.id)).items, []);
  assert.deepEqual(await all(client.iterDeliveries(webhook.id)), []);
  await assert.rejects(client.redeliver(webhook.id, 1), NotFound);
  await assert.rejects(client.testWebhook("none"), NotFound);
  assert.equal(await client.deleteWebhook(webhook.id), undefined);
});

test("reported events start schedules", async () => {
  const { client } = world;
  await client.createSchedule(daily("listens", { spec: { events: [{ name: "door.opened" }] } }));
  const { items } = await client.reportEvent("door.opened", { by: "ann" }, { id: "1" });
  assert.deepEqual(items.map(({ outcome }) => outcome), ["started"]);
});

test("the server is administered", async () => {
  const { client } = world;
  const tenant = await client.createTenant({ name: "team-a" });
  assert.equal((await client.getTenant("team-a")).usage.schedules, 0);
  assert.equal((await client.replaceTenant("team-a", { schedulesMax: 2 }, { ifMatch: tenant.version })).version, 2);
  assert.equal((await client.listTenants()).items.length, 2);
  assert.equal((await all(client.iterTenants({ limit: 1 }))).length, 2);
  await client.withTenant("team-a").createSchedule(daily("theirs"));
  await assert.rejects(client.getSchedule("theirs"), { name: "ScheduleNotFound" });
  const key = await client.createKey({ name: "ci", roles: { default: ["viewer"] } });
  assert.match(key.secret, /^bfk_/);
  assert.equal((await client.listKeys()).items.length, 1);
  assert.equal((await all(client.iterKeys())).length, 1);
  assert.equal((await client.revokeKey(key.id)).state, "revoked");
  assert.deepEqual((await client.listConnections()).items, []);
  assert.deepEqual(await all(client.iterConnections()), []);
  assert.equal((await client.listTimezones({ query: "new york" })).items[0]?.name, "America/New_York");
  assert.ok((await all(client.iterTimezones({ limit: 200 }))).length > 200);
  assert.equal((await client.getTimezone("US/Eastern")).aliasOf, "America/New_York");
  assert.equal((await client.getHealth()).status, "ok");
  assert.equal((await client.getReadiness()).ready, true);
  assert.match(await client.getLiveness(), /^ok/);
  assert.match(await client.getMetrics(), /belfry_runs_emitted_total/);
  assert.ok((await client.getVersion()).tzdata);
  assert.equal((await client.getOpenApi()).openapi, "3.1.0");
  assert.match(await client.getDocs(), /createSchedule/);
});

after(() => {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(BelfryClient.prototype));
  const missing = methods.filter((name) => name !== "constructor" && !called.has(name));
  assert.deepEqual(missing, [], "every operation is called by a test");
});
