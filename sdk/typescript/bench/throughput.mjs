// Compares the worker with raw HTTP calls: node bench/throughput.mjs [TASKS [ROUNDS]], after npm run build and
// build:tests. BELFRY names the program of the server, which gets an empty SQLite store.
//
// Every round does the same number of tasks, whose function does nothing, in three ways, in turns: with the routes
// claim and complete, with the route exchange, and with the SDK's Worker. All use fetch and one batch size. The ratio
// compares the Worker with the better raw way, by the medians of the rounds.
import { BelfryClient } from "belfry";
import { Worker } from "belfry/worker";
import { TestServer } from "../build/tests/support/server.js";

const TASKS = Number(process.argv[2] ?? 2000);
const ROUNDS = Number(process.argv[3] ?? 5);
const BATCHES = [10, 100];
const FILL_MAX = 1000;
// No lease must end during a round.
const LEASE_MS = 60_000;

const ended = (items) =>
  items.map(({ runId, attempt, node }) => ({ runId, attempt, node, status: "succeeded", result: null }));
const accepted = (outcomes) => outcomes.filter(({ ok }) => ok).length;

function waysOf(url, batch) {
  const root = `${url}/api/tenants/default/tasks/`;
  const post = async (path, body) => {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(root + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const claimOf = (queue) => ({ queue, worker: "raw", limit: batch, leaseMs: LEASE_MS });
  return {
    "claim + complete": async (queue) => {
      for (let done = 0; done < TASKS; ) {
        const { items } = await post("claim", claimOf(queue));
        done += accepted((await post("complete", { items: ended(items) })).items);
      }
    },
    exchange: async (queue) => {
      let { items } = await post("claim", claimOf(queue));
      for (let done = 0; done < TASKS; ) {
        const { outcomes, tasks } = await post("exchange", { completions: ended(items), claim: claimOf(queue) });
        done += accepted(outcomes);
        items = tasks;
      }
    },
    Worker: async (queue) => {
      let called = 0;
      const worker = new Worker({ url, queue, concurrency: batch, leaseMs: LEASE_MS, handleSignals: false });
      worker.task("nothing", () => {
        if (++called === TASKS) void worker.stop();
        return null;
      });
      await worker.run(); // it ends when the server has acknowledged every completion
    },
  };
}

async function fill(client, queue) {
  for (let left = TASKS; left > 0; left -= FILL_MAX) {
    await client.startTasks({ items: Array(Math.min(left, FILL_MAX)).fill({ taskKind: "nothing", queue }) });
  }
}

const medianOf = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(half)] : (sorted[half - 1] + sorted[half]) / 2;
};

async function measure(url, batch) {
  const client = new BelfryClient({ url });
  const ways = Object.entries(waysOf(url, batch));
  const rates = Object.fromEntries(ways.map(([name]) => [name, []]));
  for (let turn = 0; turn <= ROUNDS; ++turn) { // the first one warms up
    for (let place = 0; place < ways.length; ++place) {
      const [name, way] = ways[(turn + place) % ways.length];
      const queue = `b${batch}-${turn}-${place}`;
      await fill(client, queue);
      const begin = performance.now();
      await way(queue);
      if (turn > 0) rates[name].push((TASKS * 1000) / (performance.now() - begin));
    }
  }
  const row = (name, text) => console.log(`batch ${String(batch).padStart(4)}  ${name.padEnd(17)} ${text}`);
  const medians = Object.fromEntries(Object.entries(rates).map(([name, each]) => [name, medianOf(each)]));
  for (const [name, each] of Object.entries(rates)) {
    const [least, most] = [Math.min(...each), Math.max(...each)].map((rate) => rate.toFixed(0));
    row(name, `${medians[name].toFixed(0).padStart(7)} tasks/s  (${least} to ${most})`);
  }
  row("ratio", (medians.Worker / Math.max(medians["claim + complete"], medians.exchange)).toFixed(2).padStart(7));
}

for (const batch of BATCHES) {
  const server = await TestServer.start("--auth", "off");
  try {
    await measure(server.url, batch);
  } finally {
    await server.stop();
  }
}
