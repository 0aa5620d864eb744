// graphile-worker on PostgreSQL. "In batches": its batch jobs, one job for an array of 100 payloads. "One by one": one
// payload per job, 24 at once on 8 connections, as its own performance test runs it.
"use strict";

const { Logger, run: start, makeWorkerUtils } = require("graphile-worker");
const { options, counting, waiting, answer, run } = require("./measuring");

const CONCURRENCY = 24;
const quiet = new Logger(() => () => {});
const connection = { connectionString: options.url, maxPoolSize: options.workers, logger: quiet };

async function processed(utils, jobs, payloads) {
  const addJobs = `select count(graphile_worker.add_job('count', '${JSON.stringify(payloads)}'::json))
                   from generate_series(1, $1)`;
  await utils.withPgClient((client) => client.query(addJobs, [jobs]));
  const size = Array.isArray(payloads) ? payloads.length : 1;
  const counted = counting(jobs * size);
  const runner = await start({
    ...connection,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    taskList: { count: async () => counted.add(size) },
  });
  const rate = await counted.rate();
  await runner.stop();
  return rate;
}

async function waits(utils, times) {
  const delays = waiting();
  const runner = await start({
    ...connection,
    concurrency: 1,
    noHandleSignals: true,
    taskList: { wait: async ({ i }) => delays.had(i) },
  });
  const late = await delays.measure(times, (i) => utils.addJob("wait", { i }));
  await runner.stop();
  return late;
}

run(async () => {
  const utils = await makeWorkerUtils(connection);
  await utils.migrate();
  const batch = Array.from({ length: options.batch }, (_, i) => ({ i }));
  const batchedPerSecond = await processed(utils, Math.ceil(options.jobs / options.batch), batch);
  const singlePerSecond = await processed(utils, options.single, { i: 0 });
  const late = await waits(utils, options.waits);
  await utils.release();
  answer("graphile-worker", {
    settings: `batch jobs of ${options.batch}; else ${CONCURRENCY} at once on ${options.workers} connections`,
    batchedPerSecond,
    singlePerSecond,
    ...late,
  });
});
