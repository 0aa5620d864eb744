// A worker in a process of its own, for tests that kill or stop it: node worker_process.js QUEUE LEASE_MS TASK_MS
import { Worker } from "belfry/worker";

const [queue = "default", leaseMs = "30000", taskMs = "0"] = process.argv.slice(2);
const worker = new Worker({ queue, leaseMs: Number(leaseMs), concurrency: 1 });

worker.task("slow", async (_, ctx) => {
  console.log(`started ${ctx.task.runId}`);
  await new Promise((resolve) => setTimeout(resolve, Number(taskMs)));
  return "slow but done";
});

await worker.run();
console.log("stopped");
