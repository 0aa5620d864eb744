// The worker on a real server: outcomes, cancellation, lost leases, crashes and draining.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BelfryClient, PermissionDenied } from "belfry";
import type { Run, TaskStart } from "belfry";
import { LeaseLost, LimitExceeded, TaskCancelled, TaskFailure, Worker } from "belfry/worker";
import type { WorkerOptions } from "belfry/worker";
import { Child } from "./support/child.js";
import { eventually } from "./support/server.js";
import { aWorld } from "./support/world.js";

const world = aWorld();
const quiet = { info() {}, warn() {}, error() {} };

function aWorker(queue: string, options: WorkerOptions = {}): Worker {
  return new Worker({ client: world.client, queue, handleSignals: false, waitMs: 1000, logger: quiet, ...options });
}

/** Runs one task to its end on this worker. */
async function outcome(worker: Worker, task: TaskStart): Promise<Run> {
  const run = await world.client.newTask(task);
  const finished = worker.run();
  const ended = await run.wait({ waitMs: 60_000 });
  await worker.stop();
  await finished;
  return ended;
}

const until = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

test("a task gets its input and its function's value is the result", async () => {
  const worker = aWorker("plain").task("add", ({ a, b }: { a: number; b: number }) => a + b);
  const run = await outcome(worker, { taskKind: "add", queue: "plain", input: { a: 1, b: 2 } });
  assert.deepEqual([run.status, run.result], ["succeeded", 3]);
});

test("many tasks run at the same time, up to the concurrency", async () => {
  let running = 0;
  let most = 0;
  const worker = aWorker("many", { concurrency: 4 }).task("count", async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    --running;
  });
  const task = { taskKind: "count", queue: "many" };
  const runs = await Promise.all(Array.from({ length: 20 }, () => world.client.newTask(task)));
  const finished = worker.run();
  for (const run of runs) assert.equal((await run.wait()).status, "succeeded");
  await worker.stop();
  await finished;
  assert.ok(most > 1 && most <= 4, `${most} at the same time`);
});

test("the category of a failure decides about a retry", async () => {
  let attempts = 0;
  const worker = aWorker("retries").task("limited", (_, ctx) => {
    ++attempts;
    if (ctx.attempt === 1) throw new TaskFailure("slow down", { category: "rate_limit", retryAfterMs: 10 });
    throw new RangeError("the contract is broken");
  }, { categorize: (error) => (error instanceof RangeError ? "contract_violated" : undefined) });
  const retryPolicy = { maxRetries: 5, backoffMs: 1, retryOn: ["rate_limit" as const] };
  const run = await outcome(worker, { taskKind: "limited", queue: "retries", retryPolicy });
  assert.deepEqual([run.status, run.attempts, run.error, attempts], ["failed", 2, "the contract is broken", 2]);
});

test("an input that does not parse fails the attempt", async () => {
  const parse = (input: unknown) => {
    if (typeof input !== "string") throw new TypeError("the input is no string");
    return input;
  };
  const worker = aWorker("parsed").task("shout", (text) => text.toUpperCase(), { parse });
  const run = await outcome(worker, { taskKind: "shout", queue: "parsed", input: 7 });
  assert.deepEqual([run.status, run.error], ["failed", "the input is no string"]);
});

test("a result that the server or JSON cannot take fails the attempt", async () => {
  const large = aWorker("large").task("large", () => "x".repeat(1_500_000));
  assert.match((await outcome(large, { taskKind: "large", queue: "large" })).error ?? "", /^the result was rejected/);
  const odd = aWorker("odd").task("odd", () => 1n);
  assert.match((await outcome(odd, { taskKind: "odd", queue: "odd" })).error ?? "", /BigInt/);
});

test("usage is summed and becomes the cost of the run", async () => {
  const worker = aWorker("usage").task("think", async (_, ctx) => {
    ctx.addUsage({ credits: 0.1, tokens: 1000, toolCalls: 1, tools: ["search"] });
    await ctx.heartbeat();
    ctx.addUsage({ credits: 0.2, tokens: 200, tools: ["search", "mail"] });
  });
  const run = await outcome(worker, { taskKind: "think", queue: "usage" });
  assert.deepEqual(run.cost, { credits: 0.3, tokens: 1200, toolCalls: 1, tools: ["mail", "search"] });
});

test("an attempt that exceeds a limit stops", async () => {
  const { client } = world;
  await client.putAssignee("bo", { type: "agent", policies: { maxTokens: 10 } });
  const schedule = await client.newSchedule({
    name: "spender", spec: { cron: ["0 9 * * *"] }, target: { taskKind: "spend", queue: "limits" },
    assignee: { type: "agent", id: "bo" }, approvalPolicy: { requiresApproval: false },
  });
  let reason: unknown;
  const worker = aWorker("limits", { assignee: "bo" }).task("spend", async (_, ctx) => {
    ctx.addUsage({ tokens: 100 });
    await ctx.heartbeat().catch((error: unknown) => (reason = error));
  });
  const run = await schedule.trigger();
  const finished = worker.run();
  assert.equal((await run.wait()).status, "failed");
  await eventually(() => reason, "the end of the function");
  await worker.stop();
  await finished;
  assert.ok(reason instanceof LimitExceeded);
  assert.equal(reason.limit.assignee, "bo");
});

test("cancelling a run reaches the function", async () => {
  const reasons: unknown[] = [];
  const worker = aWorker("cancelled", { leaseMs: 600 }).task("wait", (_, ctx) =>
    until(ctx.signal).catch((reason: unknown) => reasons.push(reason)));
  const run = await world.client.newTask({ taskKind: "wait", queue: "cancelled" });
  const finished = worker.run();
  await eventually(async () => (await run.describe()).status === "running", "a running task");
  await run.cancel("by hand");
  await eventually(() => reasons.length > 0, "a cancelled function");
  await worker.stop();
  await finished;
  assert.ok(reasons[0] instanceof TaskCancelled);
  assert.match(reasons[0].message, /cancelled/);
  assert.equal((await run.describe()).status, "cancelled");
});

test("a worker that cannot renew its lease stops the function, and another worker takes over", async () => {
  const broken: typeof fetch = (input, init) =>
    String(input).endsWith("/heartbeat") ? Promise.reject(new TypeError("cut off")) : fetch(input, init);
  const cutOff = new BelfryClient({ url: world.server.url, fetch: broken });
  let reason: unknown;
  const keys: string[] = [];
  const first = aWorker("lost", { client: cutOff, leaseMs: 500, concurrency: 1 }).task("work", async (_, ctx) => {
    keys.push(ctx.idempotencyKey);
    await until(ctx.signal).catch((caught: unknown) => (reason = caught));
    void first.stop();
    return "too late";
  });
  const run = await world.client.newTask({ taskKind: "work", queue: "lost" });
  await first.run();
  assert.ok(reason instanceof LeaseLost);
  const second = aWorker("lost").task("work", (_, ctx) => {
    keys.push(ctx.idempotencyKey);
    return `attempt ${ctx.attempt}`;
  });
  const finished = second.run();
  assert.equal(await run.result(), "attempt 2");
  await second.stop();
  await finished;
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

test("a renewed lease outlasts its length", async () => {
  const worker = aWorker("renewed", { leaseMs: 300 }).task("long", (_, ctx) =>
    new Promise((resolve) => setTimeout(() => resolve(ctx.attempt), 1500)));
  assert.equal((await outcome(worker, { taskKind: "long", queue: "renewed" })).result, 1);
});

test("the task of a worker that crashed goes to another worker", async () => {
  const { client, server } = world;
  const run = await client.newTask({ taskKind: "slow", queue: "crash" });
  const child = new Child("tests/support/worker_process.js", { BELFRY_URL: server.url }, "crash", "1000", "60000");
  await child.said(`started ${run.id}`);
  child.send("SIGKILL");
  await child.ended();
  const worker = aWorker("crash").task("slow", (_, ctx) => ctx.attempt);
  const finished = worker.run();
  assert.equal(await run.result(), 2);
  await worker.stop();
  await finished;
});

test("SIGTERM lets the running task end and claims no other", async () => {
  const { client, server } = world;
  const run = await client.newTask({ taskKind: "slow", queue: "drain" });
  const child = new Child("tests/support/worker_process.js", { BELFRY_URL: server.url }, "drain", "30000", "1500");
  await child.said(`started ${run.id}`);
  const other = await client.newTask({ taskKind: "slow", queue: "drain" });
  child.send("SIGTERM");
  assert.equal(await child.ended(), 0);
  assert.match(child.output, /stopped/);
  assert.equal((await run.describe()).result, "slow but done");
  assert.equal((await other.describe()).status, "queued");
});

test("a worker gives back what does not end in time", async () => {
  const first = aWorker("back", { leaseMs: 600_000, drainMs: 50 }).task("stuck", () => new Promise(() => {}));
  const run = await world.client.newTask({ taskKind: "stuck", queue: "back" });
  const finished = first.run();
  await eventually(async () => (await run.describe()).status === "running", "a running task");
  await first.stop();
  await finished;
  const second = aWorker("back").task("stuck", (_, ctx) => ctx.attempt);
  const other = second.run();
  assert.equal(await run.result(), 2);
  await second.stop();
  await other;
});

test("a completion survives a restart of the server", async () => {
  const { client, server } = world;
  let began = false;
  let end = (_: string) => {};
  const worker = aWorker("restart", { leaseMs: 60_000 }).task("work", () => {
    began = true;
    return new Promise((resolve) => (end = resolve));
  });
  const run = await client.newTask({ taskKind: "work", queue: "restart" });
  const finished = worker.run();
  await eventually(() => began, "a running task");
  await server.kill();
  end("done");
  await server.start();
  assert.equal(await run.result(), "done");
  assert.equal((await run.describe()).attempts, 1);
  await worker.stop();
  await finished;
});

test("a worker without permission says so", async () => {
  const refusing: typeof fetch = async () =>
    new Response(JSON.stringify({ code: "forbidden", detail: "requires the role worker" }), { status: 403 });
  const worker = aWorker("x", { client: new BelfryClient({ url: world.server.url, fetch: refusing }) });
  await assert.rejects(worker.run(), PermissionDenied);
});
