// What people do: create with a preview, edit with the difference, pause, change many, backfill, decide, ask why.
import { BelfryClient } from "belfry";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Visit } from "./support/browser.js";
import { launch, open, shot, visit } from "./support/browser.js";
import { seed, work } from "./support/seed.js";
import { Server, until } from "./support/server.js";

let server: Server;
let browser: Browser;
let client: BelfryClient;
let seen: Visit;
let page: Page;
beforeAll(async () => {
  server = await Server.start();
  client = new BelfryClient({ url: server.url });
  await seed(server.url);
  browser = await launch();
});
beforeEach(async () => {
  seen = await visit(browser, server.url);
  page = seen.page;
});
afterEach(async () => {
  expect(seen.faults).toEqual([]);
  await seen.context.close();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const button = (name: string | RegExp): ReturnType<Page["getByRole"]> => page.getByRole("button", { name });
const dialog = (): ReturnType<Page["getByRole"]> => page.getByRole("dialog");

test("create: the server's sentence while typing, its errors at their fields, then the schedule", async () => {
  await open(page, "/new");
  await page.getByLabel("Name").fill("fresh-report");
  await page.getByLabel("Task kind").fill("report");
  await page.getByLabel("hour").fill("24");
  await page
    .getByText(/hour "24".*use 0-23/)
    .first()
    .waitFor();
  expect(await page.getByLabel("hour").getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("hour").fill("6");
  await page.getByLabel("weekday").fill("1-5");
  await page.getByText(/6:00 AM.*in Europe\/Berlin/).waitFor();
  expect(
    await page.getByRole("table", { name: "Next ten runs in two zones" }).locator("tbody tr").count(),
  ).toBeGreaterThanOrEqual(10);
  await page.getByRole("radio", { name: /Queue one/ }).click();
  await button("Create schedule").click();
  await page.getByRole("heading", { name: "fresh-report", level: 1 }).waitFor();
  expect(await client.getSchedule("fresh-report")).toMatchObject({
    overlapPolicy: "buffer_one",
    spec: { cron: ["0 6 * * 1-5"], timezone: "Europe/Berlin" },
  });
});

test("create: a name that is taken is an error", async () => {
  await open(page, "/new");
  await page.getByLabel("Name").fill("fx-rates");
  await page.getByLabel("Task kind").fill("x");
  await button("Create schedule").click();
  await page
    .getByRole("alert")
    .getByText(/fx-rates/)
    .waitFor();
});

test("create: the zone is searched by the server", async () => {
  await open(page, "/new");
  const zone = page.getByRole("combobox", { name: "Zone" });
  await zone.fill("new york");
  await page.getByRole("option", { name: /America\/New_York/ }).click();
  await page.getByText(/in America\/New_York/).waitFor();
});

test("edit: what changes among the next ten, and the version is checked", async () => {
  await client.createSchedule({
    name: "to-edit",
    spec: { cron: ["30 2 * * *"], timezone: "Europe/Berlin" },
    target: { type: "task", taskKind: "x" },
  });
  await open(page, "/schedule/to-edit/edit");
  await page.getByText("The next ten times stay as they are").waitFor();
  await page.getByLabel("hour").fill("2,14");
  await page.getByText(/\d new, 0 gone/).waitFor();
  await page.getByRole("cell", { name: "new" }).first().waitFor();
  await shot(page, "edit-difference", false);
  await client.patchSchedule("to-edit", { description: "changed by another person" });
  await button("Save as version 2").click();
  await page
    .getByRole("alert")
    .getByText(/Another person saved/)
    .waitFor();
  await page.reload();
  await page.getByLabel("hour").fill("2,14");
  await button("Save as version 3").click();
  await page.getByRole("heading", { name: "to-edit", level: 1 }).waitFor();
  expect((await client.getSchedule("to-edit")).spec.cron).toEqual(["30 2,14 * * *"]);
});

test("edit: YAML and the form are the same", async () => {
  await open(page, "/schedule/fx-rates/edit");
  await page.getByRole("radio", { name: "YAML, JSON" }).click();
  const text = page.getByLabel("Definition", { exact: true });
  expect(await text.inputValue()).toContain("timezone: Europe/London");
  await text.fill((await text.inputValue()).replace("overlapPolicy: skip", "overlapPolicy: allow_all"));
  await page.getByRole("radio", { name: "Form" }).click();
  expect(await page.getByRole("radio", { name: /Allow both/ }).getAttribute("aria-checked")).toBe("true");
});

test("pause with reason and end shows what will not run, and resume ends it", async () => {
  await open(page, "/schedule/export-warehouse");
  await button("Pause").click();
  await dialog().getByLabel(/Why/).fill("Mail relay maintenance");
  await dialog().getByRole("radio", { name: "A date" }).click();
  await dialog()
    .getByText(/occurrences? will not run/)
    .waitFor();
  await shot(page, "pause", false);
  await button("Pause 1 schedule").click();
  await page.getByText(/Paused since .* “Mail relay maintenance”/).waitFor();
  const paused = await client.getSchedule("export-warehouse");
  expect(paused).toMatchObject({ status: "paused", pauseReason: "Mail relay maintenance" });
  expect(paused.pausedUntil).not.toBeNull();
  await page
    .getByText(/would next run/)
    .first()
    .waitFor();
  await button("Resume").click();
  await until("the schedule is active", async () => (await client.getSchedule("export-warehouse")).status === "active");
  await button("Pause").waitFor();
});

test("run now reports what happened, and why answers for the moment", async () => {
  await open(page, "/schedule/rebuild-search");
  await button("Run now").click();
  await page.getByText("Started rebuild-search").waitFor();
  await button("Run now").click();
  await page.getByText("rebuild-search was not started").waitFor();
});

test("why: two clicks from the list to the reason, and an answer for any moment", async () => {
  await client.createSchedule({
    name: "too-slow",
    spec: { intervals: [{ every: "1s" }], timezone: "Europe/Berlin" },
    target: { type: "task", taskKind: "slow", queue: "no-worker" },
  });
  const skipped = await until(
    "an occurrence is skipped",
    async () => (await client.listScheduleRuns("too-slow", { status: "skipped", limit: 1 })).items.length > 0,
  );
  expect(skipped).toBe(true);
  await client.patchSchedule("too-slow", { spec: { intervals: [], cron: ["0 10 * * 1-5"] } });
  await open(page, "/schedule");
  await page.getByRole("link", { name: "too-slow" }).click();
  const why = page.getByRole("region", { name: "Why?" });
  await why.getByText("overlap_in_flight").waitFor();
  await why.getByRole("img", { name: "8 checks passed, the 9th refused" }).waitFor();
  await why.getByText("Not looked at: calendar, condition, breaker.").waitFor();
  await why.getByRole("button", { name: "Run this moment" }).waitFor();
  await shot(page, "why", false);
  await page.getByLabel("Moment, in Europe/Berlin").fill("2026-11-21T10:00");
  await button("Ask").click();
  await page.getByRole("region", { name: "Why?" }).getByText("No occurrence").waitFor();
  expect(page.url()).toContain("at=2026-11-21T09");
});

test("backfill counts before it starts, and its progress is live", async () => {
  await open(page, "/schedule/purge-carts");
  await button("Backfill").click();
  await dialog().getByLabel(/From/).fill("2026-11-10T10:00");
  await dialog().getByLabel(/To/).fill("2026-11-10T11:00");
  await button("Start 7 runs").waitFor();
  await shot(page, "backfill", false);
  await button("Start 7 runs").click();
  await until("the worker has done them", async () => {
    await work(client);
    return (await client.listBackfills("purge-carts")).items[0]?.status === "completed";
  });
  await page.getByText("7 dispatched, 0 skipped").waitFor();
  await page.getByRole("region", { name: "Backfills" }).getByText("completed").waitFor();
});

test("filters are in the address, and many schedules change at once", async () => {
  await open(page, "/schedule");
  await page.getByLabel("Label").fill("team:growth");
  await page.waitForURL(/label=team%3Agrowth/);
  await page.getByText("3 match").waitFor();
  await page.reload();
  await page.getByText("3 match").waitFor();
  await page.getByLabel("Select campaign-publish").check();
  await page.getByLabel("Select digest-weekly").check();
  await page.getByRole("status").getByText("2 selected").waitFor();
  await page
    .getByRole("region", { name: /selected schedules/ })
    .getByRole("button", { name: "Pause" })
    .click();
  await dialog().getByText("campaign-publish, digest-weekly.").waitFor();
  await dialog().getByLabel(/Why/).fill("freeze");
  await button("Pause 2 schedules").click();
  await page.getByText("Paused 2 schedules").waitFor();
  expect((await client.listSchedules({ status: "paused", label: "team:growth" })).items.map((one) => one.name)).toEqual(
    ["campaign-publish", "digest-weekly", "sitemap-refresh"],
  );
  await page.getByLabel("State").selectOption("active");
  await page.getByText("Nothing matches").waitFor();
  await button("Clear filters").first().click();
  await page.getByRole("link", { name: "backup-db" }).waitFor();
});

test("approve in the inbox starts the run", async () => {
  await open(page, "/approvals");
  await page.getByRole("button", { name: "ledger-close" }).click();
  await page.getByLabel(/Comment/).fill("checked");
  await button("Approve").click();
  await page.getByText("Approved ledger-close").waitFor();
  const [run] = (await client.listRuns({ schedule: "ledger-close", limit: 1 })).items;
  expect(run?.approvalStatus).toBe("approved");
});

test("a run shows its nodes, and ends when it is cancelled", async () => {
  const [run] = (await client.listRuns({ schedule: "partner-payouts", limit: 1 })).items;
  await open(page, `/run/${run?.id}`);
  await page
    .getByRole("button", { name: /^ledger/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "ledger", level: 2 }).waitFor();
  expect(page.url()).toContain("node=ledger");
  await button("Cancel run").click();
  await dialog().getByRole("button", { name: "Terminate at once" }).click();
  await page.getByText("Terminated").first().waitFor();
});

test("a change by another client appears without a reload", async () => {
  await open(page, "/schedule/payroll-eu");
  await client.pauseSchedule("payroll-eu", { reason: "from elsewhere" });
  await page.getByText(/“from elsewhere”/).waitFor();
  await open(page, "/schedule");
  await client.resumeSchedule("payroll-eu");
  await button(/1 update – refresh/).click();
  await page.getByText(/updates? – refresh/).waitFor({ state: "hidden" });
});

test("the keyboard alone finds, opens and closes", async () => {
  await open(page, "/");
  await page.keyboard.press("?");
  await dialog().getByText("Keyboard shortcuts").waitFor();
  await page.keyboard.press("Escape");
  await dialog().waitFor({ state: "hidden" });
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.getByRole("heading", { name: "Schedules", level: 1 }).waitFor();
  await page.getByRole("link", { name: "backup-db" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "backup-db", level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Name of a schedule or a place" }).waitFor();
  await page.keyboard.type("sync-c");
  await page.getByRole("option", { name: /sync-crm/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "sync-crm", level: 1 }).waitFor();
});

test("delete asks first, and the schedule is gone", async () => {
  await client.createSchedule({
    name: "to-delete",
    spec: { cron: ["0 0 1 1 *"] },
    target: { type: "task", taskKind: "x" },
  });
  await open(page, "/schedule/to-delete");
  await button("Delete").click();
  await button("Delete 1 schedule").click();
  await page.getByRole("heading", { name: "Schedules", level: 1 }).waitFor();
  await open(page, "/schedule?q=to-delete");
  await page.getByText("Nothing matches").waitFor();
});

test("the history loads 100 events at a time", async () => {
  await open(page, "/schedule/sync-crm?tab=history");
  await page.getByText("100 events").waitFor();
  await button("Load more").click();
  await page.getByText(/^1\d\d events, no more/).waitFor();
});
