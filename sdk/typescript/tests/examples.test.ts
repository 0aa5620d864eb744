// The examples run as they are, and the README shows the same text.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Child } from "./support/child.js";
import { eventually } from "./support/server.js";
import { aWorld } from "./support/world.js";

const world = aWorld();
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("the README shows the examples", () => {
  const readme = read("README.md");
  for (const name of ["worker", "client"]) {
    assert.ok(readme.includes(`\`\`\`ts\n${read(`examples/${name}.ts`)}\`\`\``), `examples/${name}.ts`);
  }
});

test("the example of a worker does the work of the example of a client", async () => {
  const environment = { BELFRY_URL: world.server.url };
  const service = new URL("./support/reports_service.js", import.meta.url).href;
  const worker = new Child("examples/worker.js", { ...environment, NODE_OPTIONS: `--import ${service}` });
  await eventually(() => world.client.getSchedule("nightly").catch(() => undefined), "the declared schedule");
  const client = new Child("examples/client.js", environment);
  assert.equal(await client.ended(), 0, client.output);
  assert.match(client.output, /result: \{ status: 200 \}\n1 ScheduleCreated\n2 ScheduleTriggered/);
  worker.send("SIGTERM");
  assert.equal(await worker.ended(), 0, worker.output);
});
