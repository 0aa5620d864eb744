// The cases that every SDK of Belfry must pass: sdk/conformance/cases.json.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BelfryClient } from "belfry";
import { NotTheOwner, TaskFailure, Worker } from "belfry/worker";
import { Stub } from "./support/stub.js";
import type { Answer, Received } from "./support/stub.js";
import { eventually } from "./support/server.js";

type Json = Record<string, any>;
const read = (path: string): Json =>
  JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")) as Json;
const cases = read("conformance/cases.json");
const operations = new Map<string, { path: string; operation: Json }>();
for (const [path, methods] of Object.entries(read("../docs/reference/openapi.json").paths as Json)) {
  for (const operation of Object.values(methods as Json)) operations.set(operation.operationId, { path, operation });
}

/** Compares the members that are expected, at every level. */
function includes(actual: unknown, expected: unknown, place = "result"): void {
  if (expected === null || typeof expected !== "object") {
    return assert.deepEqual(actual ?? null, expected, place);
  }
  if (Array.isArray(expected)) assert.equal((actual as unknown[]).length, expected.length, place);
  for (const [name, value] of Object.entries(expected)) includes((actual as Json)[name], value, `${place}.${name}`);
}

const camel = (name: string) => name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
const optionOf = (name: string) => camel(name.replace(/^./, (letter) => letter.toLowerCase()));

/** The arguments of a method, from the names of the document. */
function argumentsOf(id: string, given: Json): unknown[] {
  const { path, operation } = operations.get(id) ?? assert.fail(`no operation ${id}`);
  const rest = { ...given };
  const take = (name: string) => {
    const value = rest[name];
    delete rest[name];
    return value;
  };
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "").filter((name) => name !== "tenant");
  const positional = parts.map(take);
  const options: Json = {};
  for (const { name, in: place } of operation.parameters as Json[]) {
    if (place !== "path" && name in rest) options[optionOf(name)] = take(name);
  }
  if (operation.requestBody) positional.push(rest.content ?? rest.payload ?? rest.patch ?? rest);
  return [...positional, options];
}

async function callOf(client: BelfryClient, one: Json): Promise<unknown> {
  const methods = client as unknown as Record<string, (...args: unknown[]) => unknown>;
  const [, isList, id] = /^(iterate:)?(\w+)$/.exec(one.operation) ?? [];
  if (id !== "stream" && !isList) return methods[id ?? ""]?.(...argumentsOf(id ?? "", one.arguments));
  const items: unknown[] = [];
  const iterator = `iter${(id ?? "").replace(/^(list|get)/, "")}`;
  const pages = () => methods[iterator]?.(...argumentsOf(id ?? "", one.arguments));
  const source = id === "stream" ? client.events(one.arguments) : pages();
  for await (const item of source as AsyncIterable<unknown>) {
    items.push(item);
    if (id === "stream" && items.length === one.result?.length) break;
  }
  return items;
}

function sameRequest(actual: Received, expected: Json): void {
  assert.equal(`${actual.method} ${actual.path}`, `${expected.method} ${expected.path}`);
  if (expected.query) assert.deepEqual(actual.query, expected.query);
  if ("body" in expected) assert.deepEqual(actual.body, expected.body);
  for (const [name, value] of Object.entries((expected.headers ?? {}) as Json)) {
    const sent = actual.headers[name.toLowerCase()];
    if (value === "*") assert.ok(sent, `the header ${name}`);
    else assert.equal(sent ?? null, value, `the header ${name}`);
  }
}

for (const one of cases.client as Json[]) {
  test(`client: ${one.name}`, async () => {
    const stub = await Stub.start((_, number) => (one.responses[number] ?? { status: 500 }) as Answer);
    const { tenant = "default", token, maxRetries = 2 } = one.options ?? {};
    const client = new BelfryClient({ url: stub.url, tenant, token, maxRetries });
    try {
      if (one.error) {
        const { type, ...members } = one.error;
        await assert.rejects(callOf(client, one), (error: Error) => {
          assert.equal(error.name, type);
          includes(error, members, "error");
          return true;
        });
      } else {
        includes(await callOf(client, one), one.result);
      }
      assert.equal(stub.received.length, one.requests.length, "the number of requests");
      stub.received.forEach((request, number) => sameRequest(request, one.requests[number]));
      for (const name of one.sameHeaders ?? []) {
        assert.equal(new Set(stub.received.map(({ headers }) => headers[name.toLowerCase()])).size, 1, name);
      }
    } finally {
      await stub.stop();
    }
  });
}

/** The function of a worker's case. */
function handlerOf(handler: Json, seen: { cancelled: boolean }) {
  return async (_: unknown, ctx: { signal: AbortSignal; addUsage(usage: object): void }) => {
    if (handler.reports) ctx.addUsage(handler.reports);
    if (handler.throws) {
      const { type, message, category, retryAfterMs } = handler.throws;
      if (type === "failure") throw new TaskFailure(message, { category, retryAfterMs });
      if (type === "timeout") throw new DOMException(message, "TimeoutError");
      throw new Error(message);
    }
    if (handler.waits) {
      await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => {
        seen.cancelled = true;
        reject(ctx.signal.reason);
      }));
    }
    return handler.returns;
  };
}

for (const one of cases.worker as Json[]) {
  test(`worker: ${one.name}`, async () => {
    const task = { ...cases.task_defaults, ...one.task };
    const lease = { runId: task.runId, attempt: task.attempt, node: task.node };
    const completed: Json[] = [];
    let claims = 0;
    const stub = await Stub.start(async ({ path, body }) => {
      if (path.endsWith("/claim")) {
        if (claims++ === 0) return { body: { items: [task] } };
        await new Promise((resolve) => setTimeout(resolve, 20));
        return { body: { items: [] } };
      }
      if (path.endsWith("/heartbeat")) {
        const lost = { ...lease, runStatus: null, reason: null, limit: null, ...one.lost };
        return { body: one.heartbeat === "held" ? { items: [lease], lost: [] } : { items: [], lost: [lost] } };
      }
      completed.push(...(body as Json).items);
      return { body: { items: (body as Json).items.map(() => ({ ...lease, ok: true, retryAt: null, limit: null })) } };
    });
    const seen = { cancelled: false };
    const worker = new Worker({ url: stub.url, tenant: "default", handleSignals: false, waitMs: 0, ...one.options });
    worker.task("work", handlerOf(one.handler, seen));
    const finished = worker.run();
    const isOver = () => (one.completion === null ? seen.cancelled : completed.length > 0);
    await eventually(isOver, "the end of the attempt");
    await worker.stop();
    await finished;
    await stub.stop();
    if (one.completion === null) assert.deepEqual(completed, []);
    else includes(completed, [one.completion]);
    if (one.cancelled) assert.ok(seen.cancelled);
    if (one.claim) includes(stub.received[0]?.body, one.claim);
  });
}

for (const one of cases.declared as Json[]) {
  test(`declared schedules: ${one.name}`, async () => {
    const existing = Object.entries(one.existing as Json).map(([name, labels]) => ({ name, labels: labels as Json }));
    const stub = await Stub.start(({ method, path, query }) => {
      if (method !== "GET") return { body: {} };
      if (path.endsWith("/schedules")) {
        const [key = "", value] = (query.label ?? "").split(":");
        return { body: { items: existing.filter(({ labels }) => labels[key] === value), nextCursor: null } };
      }
      const found = existing.find(({ name }) => path.endsWith(`/schedules/${name}`));
      const missing = { status: 404, code: "not_found", detail: "there is no schedule of that name", errors: [] };
      return found ? { body: found } : { status: 404, body: missing };
    });
    const { owner, prune = false, declares } = one;
    const worker = new Worker({ url: stub.url, tenant: "default", owner, prune, queue: declares[0].queue });
    for (const { name, taskKind, queue: _, ...declared } of declares) {
      worker.task(taskKind, () => null).schedule(name, declared);
    }
    try {
      if (one.error) await assert.rejects(worker.apply(), NotTheOwner);
      else await worker.apply();
      const writes = stub.received.filter(({ method }) => method !== "GET");
      assert.equal(writes.length, one.writes.length);
      writes.forEach((write, number) => {
        const { body, ...request } = one.writes[number];
        sameRequest(write, request);
        if (body) includes(write.body, body, "body");
      });
    } finally {
      await stub.stop();
    }
  });
}
