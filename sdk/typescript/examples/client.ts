import { BelfryClient, ScheduleAlreadyExists } from "belfry";

const client = new BelfryClient();

try {
  await client.createSchedule({
    name: "weekly",
    spec: { cron: ["0 8 * * 1"], timezone: "Europe/Berlin" },
    target: { taskKind: "send-report", queue: "reports", input: { region: "eu" } },
  });
} catch (error) {
  if (!(error instanceof ScheduleAlreadyExists)) throw error;
}

const weekly = client.schedule("weekly");
const run = await weekly.trigger({ reason: "try it now" });
console.log("result:", await run.result({ waitMs: 60_000 }));
for await (const event of weekly.iterHistory()) console.log(event.sequence, event.type);
