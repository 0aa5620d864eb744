// Every page, in both themes and on a phone: it shows its data, axe finds nothing serious, and it fits.
import { BelfryClient } from "belfry";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Visit } from "./support/browser.js";
import { DESKTOP, findings, launch, open, PHONE, shot, visit } from "./support/browser.js";
import { seed } from "./support/seed.js";
import { Server, until } from "./support/server.js";

let server: Server;
let browser: Browser;
let payouts = "";
const themes: Partial<Record<"light" | "dark", Visit>> = {};
beforeAll(async () => {
  server = await Server.start();
  await seed(server.url);
  const runs = await new BelfryClient({ url: server.url }).listRuns({ schedule: "partner-payouts", limit: 1 });
  payouts = runs.items[0]?.id ?? "";
  browser = await launch();
  for (const theme of ["light", "dark"] as const) themes[theme] = await visit(browser, server.url, DESKTOP, theme);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const PAGES: readonly (readonly [string, () => string, string])[] = [
  ["now", () => "/", "pg_dump could not reach db-2:5432"],
  ["schedules", () => "/schedule", "nightly-invoices"],
  ["schedule", () => "/schedule/nightly-invoices", "skipped – 20 Nov (company-days)"],
  ["schedule-runs", () => "/schedule/backup-db?tab=runs", "pg_dump could not reach db-2:5432"],
  ["schedule-configuration", () => "/schedule/fx-rates?tab=configuration", "5,35 7-19 * * 1-5"],
  ["schedule-history", () => "/schedule/sitemap-refresh?tab=history", "Site moves to the new host"],
  ["edit", () => "/schedule/nightly-invoices/edit", "The next ten times stay as they are"],
  ["new", () => "/new", "Every missed run, spread"],
  ["runs", () => "/runs", "overlap_in_flight"],
  ["run", () => `/run/${payouts}`, "Approve release?"],
  ["approvals", () => "/approvals", "Start task close-month"],
  ["calendars", () => "/calendars?name=company-days&year=2026", "4 dates of 2026"],
  ["workflow", () => "/workflow/payouts", "Pays the partners"],
  ["webhooks", () => "/webhooks", "No webhooks yet"],
  ["settings", () => "/settings", "14 of 10,000"],
];

describe.each(["light", "dark"] as const)("%s theme", (theme) => {
  test.each(PAGES)("%s", async (name, path, text) => {
    const { page, faults } = themes[theme] as Visit;
    await page.setViewportSize(DESKTOP);
    await open(page, path());
    await page.getByText(text).first().waitFor();
    expect(await findings(page)).toEqual([]);
    await shot(page, theme === "dark" ? `${name}-dark` : name);
    if (theme === "light") {
      await page.setViewportSize(PHONE);
      const width = await until("the page fits", async () => page.evaluate(() => document.documentElement.scrollWidth));
      expect(width).toBeLessThanOrEqual(PHONE.width);
      expect(await findings(page)).toEqual([]);
      await shot(page, `${name}-phone`);
    }
    expect(faults).toEqual([]);
  });
});
