// Real data: schedules that run, fail, skip, wait for approval and pause, with a worker that does their tasks.
import type { ScheduleRequest } from "belfry";
import { BelfryClient } from "belfry";
import { until } from "./server.js";

const task = (kind: string, input: object = {}): ScheduleRequest["target"] => ({ type: "task", taskKind: kind, input });

const SCHEDULES: ScheduleRequest[] = [
  {
    name: "nightly-invoices",
    labels: { team: "billing", tier: "1" },
    spec: { cron: ["30 2 * * *"], timezone: "Europe/Berlin", jitter: { after: "5m" } },
    target: task("invoice-run"),
    calendars: ["company-days"],
  },
  {
    name: "backup-db",
    labels: { team: "platform", tier: "1" },
    spec: { cron: ["15 1 * * *"] },
    target: task("backup-postgres"),
    retryPolicy: { maxRetries: 0 },
  },
  {
    name: "campaign-publish",
    labels: { team: "growth" },
    spec: { cron: ["0 9-17 * * 1-5"], timezone: "Europe/Berlin" },
    target: task("campaign"),
  },
  {
    name: "digest-weekly",
    labels: { team: "growth" },
    spec: { cron: ["0 8 * * 1"], timezone: "America/New_York" },
    target: task("digest"),
  },
  { name: "export-warehouse", labels: { team: "data" }, spec: { cron: ["0 * * * *"] }, target: task("export") },
  {
    name: "fx-rates",
    labels: { team: "finance", tier: "1" },
    spec: { cron: ["5,35 7-19 * * 1-5"], timezone: "Europe/London" },
    target: task("fx"),
  },
  {
    name: "ledger-close",
    labels: { team: "finance" },
    spec: { cron: ["0 18 LW * *"], timezone: "Europe/Berlin" },
    target: task("close-month"),
    approvalPolicy: { requiresApproval: true },
  },
  {
    name: "partner-payouts",
    labels: { team: "finance", tier: "1" },
    spec: { cron: ["30 10 * * 1-5"], timezone: "Europe/Berlin" },
    target: { type: "workflow", workflowKind: "payouts", input: { batch: "2026-11-16/eur" } },
  },
  {
    name: "payroll-eu",
    labels: { team: "people" },
    spec: { cron: ["0 6 25W * *"], timezone: "Europe/Berlin" },
    target: task("payroll"),
  },
  { name: "probe-checkout", labels: { team: "platform" }, spec: { cron: ["* * * * *"] }, target: task("probe") },
  { name: "purge-carts", labels: { team: "platform" }, spec: { cron: ["*/10 * * * *"] }, target: task("purge") },
  { name: "rebuild-search", labels: { team: "data" }, spec: { cron: ["0 3 * * 0"] }, target: task("reindex") },
  {
    name: "sitemap-refresh",
    labels: { team: "growth" },
    spec: { cron: ["10 4 * * *"], timezone: "Europe/Berlin" },
    target: task("sitemap"),
  },
  {
    name: "sync-crm",
    labels: { team: "sales" },
    spec: { cron: ["*/15 * * * *"], timezone: "Europe/Berlin" },
    target: task("crm-sync"),
  },
];

const PAYOUTS = {
  description: "Pays the partners, after a person has seen the amount",
  approvalPolicy: { gates: ["spend"] },
  nodes: [
    { id: "collect" },
    { id: "limits", dependsOn: ["collect"] },
    { id: "fx-rates", dependsOn: ["collect"] },
    { id: "compute", dependsOn: ["limits", "fx-rates"] },
    { id: "statements", dependsOn: ["compute"] },
    { id: "ledger", dependsOn: ["compute"] },
    { id: "release", dependsOn: ["ledger"], action: "spend" },
    { id: "notify", dependsOn: ["statements", "release"] },
  ],
};

/** Does every task that waits; every ninth backup fails. Returns how many tasks it ended. */
export async function work(client: BelfryClient): Promise<number> {
  const { items } = await client.claimTasks({ worker: "seed", limit: 50 });
  if (items.length === 0) return 0;
  const { items: done } = await client.completeTasks({
    items: items.map(({ runId, attempt, node, taskKind, scheduledAt }) => {
      const fails = taskKind === "backup-postgres" && new Date(scheduledAt).getUTCDate() % 9 === 0;
      return fails
        ? { runId, attempt, node, status: "failed", error: "pg_dump could not reach db-2:5432, timed out after 30 s" }
        : { runId, attempt, node, status: "succeeded", result: { rows: 812 } };
    }),
  });
  return done.length;
}

export async function seed(url: string): Promise<void> {
  const client = new BelfryClient({ url });
  await client.createCalendar({
    name: "company-days",
    kind: "skip_dates",
    timezone: "Europe/Berlin",
    dates: ["2026-11-20", "2026-12-24", "2026-12-25", "2026-12-31", "2027-01-01"],
  });
  await client.deployWorkflow("payouts", PAYOUTS);
  for (const schedule of SCHEDULES) await client.createSchedule(schedule);
  const day = 86_400_000;
  const past = (days: number): string => new Date(Date.now() - days * day).toISOString();
  for (const [name, days] of [
    ["nightly-invoices", 60],
    ["backup-db", 30],
    ["export-warehouse", 2],
    ["digest-weekly", 90],
    ["sync-crm", 1.3],
  ] as const)
    await client.backfillSchedule(name, { from: past(days), to: past(0), concurrency: 50 });
  await client.triggerSchedule("partner-payouts");
  await client.triggerSchedule("ledger-close");
  await client.pauseSchedule("sitemap-refresh", {
    reason: "Site moves to the new host",
    until: new Date(Date.now() + 3 * day).toISOString(),
  });
  let idle = 0;
  await until("the worker has nothing to do", async () => {
    idle = (await work(client)) === 0 ? idle + 1 : 0;
    return idle > 20;
  });
  // A run that no worker claims makes the next trigger skip.
  await client.triggerSchedule("campaign-publish");
  await client.triggerSchedule("campaign-publish");
}
