// How the program serves the console.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, open, visit } from "./support/browser.js";
import { Server } from "./support/server.js";

let server: Server;
let browser: Browser;
beforeAll(async () => {
  server = await Server.start();
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, { headers });

test("the page has a strict policy and is never cached unseen", async () => {
  for (const path of ["/", "/schedule", "/schedule/a%2Fb/edit", "/run/x", "/settings"]) {
    const response = await get(path);
    expect(response.status, path).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  }
});

test("assets are immutable, compressed, and the same without compression", async () => {
  const page = await (await get("/")).text();
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? "";
  const packed = await get(script, { "Accept-Encoding": "gzip" });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(packed.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(packed.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  const plain = await get(script, { "Accept-Encoding": "identity" });
  expect(plain.headers.get("content-encoding")).not.toBe("gzip");
  expect(await plain.text()).toBe(await packed.text());
});

test("other paths stay errors in JSON", async () => {
  for (const path of ["/nothing", "/api/nothing", "/assets/nothing.js", "/run"]) {
    const response = await get(path);
    expect(response.status, path).toBe(404);
    expect(response.headers.get("content-type")).toContain("application/problem+json");
  }
  expect((await fetch(`${server.url}/`, { method: "POST" })).status).toBe(405);
});

test("the first load has less than 250 kB of compressed script, and nothing comes from elsewhere", async () => {
  const { page, faults } = await visit(browser, server.url);
  let bytes = 0;
  page.on("response", (response) => {
    if (response.url().endsWith(".js")) bytes += Number(response.headers()["content-length"] ?? Infinity);
  });
  await open(page, "/");
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(250_000);
  expect(faults).toEqual([]);
});
