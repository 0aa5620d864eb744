// What all drivers share: their options, their clock and their answer.
"use strict";

// One JSON object as the only argument: {"url", "jobs", "single", "waits", "batch", "workers"}.
const options = JSON.parse(process.argv[2]);

const now = () => Number(process.hrtime.bigint()) / 1e6; // milliseconds

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const atShare = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

// Enqueues one job after the other for a worker that waits: `enqueue(i)` sends job i, and the worker calls `had(i)`.
function waiting() {
  const begun = new Map();
  let arrived = () => {};
  return {
    had: (i) => arrived(i, now() - begun.get(i)),
    async measure(times, enqueue) {
      const late = [];
      for (let i = 0; i < times; ++i) {
        const come = new Promise((resolve) => {
          arrived = (which, ms) => which === i && resolve(ms);
        });
        await sleep(5 + (i % 7)); // the worker is idle again, and not in step with any timer
        begun.set(i, now());
        await Promise.all([enqueue(i), come]);
        late.push(await come);
      }
      late.sort((a, b) => a - b);
      return { waitP50Ms: atShare(late, 0.5), waitP99Ms: atShare(late, 0.99) };
    },
  };
}

// Counts jobs until all are done; `rate()` is jobs per second from the first begin to the last end.
function counting(jobs) {
  let left = jobs;
  let finish;
  const done = new Promise((resolve) => (finish = resolve));
  const begun = now();
  return {
    add(count = 1) {
      left -= count;
      if (left <= 0) finish();
    },
    left: () => left,
    async rate() {
      await done;
      return (jobs * 1000) / (now() - begun);
    },
  };
}

function answer(name, figures) {
  const { version } = require(`${name}/package.json`);
  process.stdout.write(JSON.stringify({ peer: name, version, node: process.version, ...figures }) + "\n");
}

function run(measure) {
  measure().then(
    () => process.exit(0),
    (error) => {
      process.stderr.write(`${error.stack || error}\n`);
      process.exit(1);
    },
  );
}

module.exports = { options, counting, waiting, answer, run };
