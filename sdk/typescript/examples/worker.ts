import { TaskFailure, Worker } from "belfry/worker";

const worker = new Worker({ queue: "reports", concurrency: 5 });

worker.task("send-report", async (input: { region: string }, ctx) => {
  const answer = await fetch(`https://reports.example.com/${input.region}`, {
    headers: { "Idempotency-Key": ctx.idempotencyKey },
    signal: ctx.signal,
  });
  if (answer.status === 429) throw new TaskFailure("slow down", { category: "rate_limit", retryAfterMs: 5000 });
  return { status: answer.status };
});
worker.schedule("nightly", { cron: "0 2 * * *", timezone: "Europe/Berlin", input: { region: "eu" } });

await worker.run();
