// pg-boss on PostgreSQL. "In batches": fetch 100, complete 100, in a loop. "One by one": the same with one job, in
// several loops. A worker of pg-boss polls; its shortest interval is 100 ms, and the delay shows it.
"use strict";

const PgBoss = require("pg-boss");
const { options, counting, waiting, answer, run } = require("./measuring");

const POLL_MS = 100;
const INSERTED_AT_ONCE = 5000;

async function processed(boss, queue, jobs, batch, loops) {
  for (let left = jobs; left > 0; left -= INSERTED_AT_ONCE) {
    const some = Math.min(left, INSERTED_AT_ONCE);
    await boss.insert(Array.from({ length: some }, () => ({ name: queue, data: { i: 0 } })));
  }
  const counted = counting(jobs);
  const loop = async () => {
    for (;;) {
      const found = await boss.fetch(queue, batch);
      if (!found || found.length === 0) return;
      await boss.complete(found.map((job) => job.id));
      counted.add(found.length);
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  return counted.rate();
}

run(async () => {
  const boss = new PgBoss({ connectionString: options.url, max: options.workers, noSupervisor: true });
  boss.on("error", (error) => process.stderr.write(`${error}\n`));
  await boss.start();
  const batchedPerSecond = await processed(boss, "batched", options.jobs, options.batch, 1);
  const singlePerSecond = await processed(boss, "single", options.single, 1, options.workers);
  const delays = waiting();
  await boss.work("wait", { newJobCheckInterval: POLL_MS }, async (job) => delays.had(job.data.i));
  const late = await delays.measure(Math.min(options.waits, 100), (i) => boss.send("wait", { i }));
  answer("pg-boss", {
    settings: `fetch and complete ${options.batch}, or one in ${options.workers} loops; polls every ${POLL_MS} ms`,
    batchedPerSecond,
    singlePerSecond,
    ...late,
  });
});
