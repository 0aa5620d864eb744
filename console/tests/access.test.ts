// Who may do what: an open server, sign-in, a key without the permission, and a server that restarts.
import { BelfryClient } from "belfry";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findings, launch, open, shot, visit } from "./support/browser.js";
import { Server, until } from "./support/server.js";

let server: Server;
let browser: Browser;
beforeAll(async () => {
  server = await Server.start();
  const client = new BelfryClient({ url: server.url });
  await client.createSchedule({
    name: "hourly",
    spec: { cron: ["0 * * * *"] },
    target: { type: "task", taskKind: "x" },
  });
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function key(name: string, role: string): Promise<string> {
  const made = JSON.parse(await server.command("token", "create", name, "--role", role, "-o", "json")) as Record<
    string,
    string
  >;
  return made.secret ?? made.token ?? made.key ?? "";
}

test("a server that restarts: the console says so, and continues by itself", async () => {
  const { page, context } = await visit(browser, server.url);
  await open(page, "/schedule");
  await page.getByText("This server is open.").waitFor();
  await server.halt();
  await page.getByText(/Not live since/).waitFor();
  await server.resume();
  await page.getByText(/Not live since/).waitFor({ state: "hidden" });
  await new BelfryClient({ url: server.url }).pauseSchedule("hourly");
  await page.getByText(/update – refresh/).click();
  await page.getByRole("cell", { name: "Paused" }).first().waitFor();
  await context.close();
});

test("a server with keys asks for one, and refuses a wrong one", async () => {
  const admin = await key("admin", "admin");
  // A server remembers for a second that it is open. A page of that second asks for a key only with its next request.
  await until("the server asks for a key", async () => {
    const answer = await fetch(`${server.url}/api/tenants/default/schedules`);
    return answer.status === 401;
  });
  const { page, context, faults } = await visit(browser, server.url);
  await page.goto("/schedule");
  await page.getByRole("heading", { name: "Sign in to Belfry" }).waitFor();
  expect(await findings(page)).toEqual([]);
  await shot(page, "sign-in", false);
  await page.getByLabel("API key").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("This key is not accepted").waitFor();
  await page.getByLabel("API key").fill(admin);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "hourly" }).waitFor();
  expect(await page.getByText("This server is open.").count()).toBe(0);
  await page.reload();
  await page.getByRole("link", { name: "hourly" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Belfry" }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test("a key without the permission sees why", async () => {
  const viewer = await key("viewer", "viewer");
  const { page, context } = await visit(browser, server.url);
  await page.goto("/schedule/hourly");
  await page.getByLabel("API key").fill(viewer);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "hourly", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("alert").getByText("hourly was not started").waitFor();
  await page
    .getByRole("alert")
    .getByText(/operate|permission|role/)
    .first()
    .waitFor();
  await page.goto("/settings");
  await page.getByRole("heading", { name: "No permission" }).first().waitFor();
  await context.close();
});
