// Compares the worker with raw HTTP calls: node scripts/throughput.mjs [TASKS], with BELFRY_URL of an empty server.
// Each round completes the same number of tasks both ways, ten at a time; the order changes from round to round.
import { BelfryClient } from "belfry";
import { Worker } from "belfry/worker";

const TASKS = Number(process.argv[2] ?? 1000);
const ROUNDS = 4;
const BATCH = 10;
const client = new BelfryClient();
const root = `${process.env.BELFRY_URL}/api/tenants/${client.tenant}/tasks`;

async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(root + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function raw(queue) {
  for (let done = 0; done < TASKS; ) {
    const { items } = await post("/claim", { queue, worker: "raw", limit: BATCH });
    await post("/complete", {
      items: items.map(({ runId, attempt, node }) => ({ runId, attempt, node, status: "succeeded", result: null })),
    });
    done += items.length;
  }
}

async function sdk(queue) {
  let done = 0;
  const worker = new Worker({ client, queue, concurrency: BATCH, handleSignals: false });
  worker.task("nothing", () => {
    if (++done === TASKS) void worker.stop();
    return null;
  });
  await worker.run();
}

async function fill(queue) {
  let left = TASKS;
  const one = async () => {
    while (left-- > 0) await client.startTask({ taskKind: "nothing", queue });
  };
  await Promise.all(Array.from({ length: 16 }, one));
}

const seconds = { raw: 0, sdk: 0 };
for (let round = 0; round < ROUNDS; ++round) {
  const ways = round % 2 === 0 ? [raw, sdk] : [sdk, raw];
  for (const way of ways) {
    const queue = `${way.name}-${round}`;
    await fill(queue);
    const begin = performance.now();
    await way(queue);
    seconds[way.name] += (performance.now() - begin) / 1000;
  }
}
const rate = (name) => (ROUNDS * TASKS) / seconds[name];
console.log(`raw ${rate("raw").toFixed(0)}/s, worker ${rate("sdk").toFixed(0)}/s: ${(rate("sdk") / rate("raw")).toFixed(2)}`);
