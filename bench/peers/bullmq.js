// BullMQ on Redis. It has no batches: "in batches" is a worker with 100 jobs at once, "one by one" one with as many as
// Belfry has workers. Completed jobs are removed, as most installations do.
"use strict";

const { Queue, Worker } = require("bullmq");
const { options, counting, waiting, answer, run } = require("./measuring");

const INSERTED_AT_ONCE = 2000;
const connection = { url: options.url, maxRetriesPerRequest: null };
const removed = { removeOnComplete: true, removeOnFail: true };

async function processed(name, jobs, concurrency) {
  const queue = new Queue(name, { connection, defaultJobOptions: removed });
  for (let left = jobs; left > 0; left -= INSERTED_AT_ONCE) {
    const some = Math.min(left, INSERTED_AT_ONCE);
    await queue.addBulk(Array.from({ length: some }, () => ({ name: "count", data: { i: 0 } })));
  }
  const worker = new Worker(name, async () => {}, { connection, concurrency, autorun: false });
  const counted = counting(jobs);
  worker.on("completed", () => counted.add());
  worker.run();
  const rate = await counted.rate();
  await worker.close();
  await queue.close();
  return rate;
}

run(async () => {
  const batchedPerSecond = await processed("batched", options.jobs, options.batch);
  const singlePerSecond = await processed("single", options.single, options.workers);
  const delays = waiting();
  const queue = new Queue("wait", { connection, defaultJobOptions: removed });
  const worker = new Worker("wait", async (job) => delays.had(job.data.i), { connection });
  await worker.waitUntilReady();
  const late = await delays.measure(options.waits, (i) => queue.add("wait", { i }));
  await worker.close();
  await queue.close();
  answer("bullmq", {
    settings: `${options.batch} or ${options.workers} jobs at once`,
    batchedPerSecond,
    singlePerSecond,
    ...late,
  });
});
