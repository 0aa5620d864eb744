// Debian's Chromium, driven by Playwright, and what every page must hold: no errors, nothing from elsewhere, axe.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { until } from "./server.js";

const PROGRAM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SHOTS = process.env.BELFRY_SHOTS;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 360, height: 780 };

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: PROGRAM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts, refusals of the page's policy, and requests to other origins. */
  faults: string[];
}

export async function visit(
  browser: Browser,
  url: string,
  viewport = DESKTOP,
  theme: "light" | "dark" = "light",
): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: url,
    viewport,
    colorScheme: theme,
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(12_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && /Content Security Policy|Warning:|violat/i.test(message.text()))
      faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:"))
      faults.push(`request to ${request.url()}`);
  });
  return { page, context, faults };
}

/** Goes to an address and waits until everything that the page asked for is there. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator("main h1").first().waitFor();
  // The policy of the page forbids the evaluation of text, and so Playwright's waitForFunction.
  await until("everything is loaded", async () => (await page.locator('[aria-label^="Loading"]').count()) === 0);
}

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Serious and critical findings of axe. */
export async function findings(page: Page): Promise<string[]> {
  // A script tag would need the page's policy to allow it; evaluating does not.
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { axe: tool } = window as unknown as {
      axe: { run: (what: Document, how: object) => Promise<{ violations: Finding[] }> };
    };
    return (await tool.run(document, { resultTypes: ["violations"] })).violations;
  });
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map((node) => `${node.html.slice(0, 160)} – ${node.failureSummary.split("\n").slice(1, 3).join(" ")}`)
          .join(" | ")}`,
    );
}

/** Keeps a picture if BELFRY_SHOTS names a folder. */
export async function shot(page: Page, name: string, fullPage = true): Promise<void> {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage });
}
