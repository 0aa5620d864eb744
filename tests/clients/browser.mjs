// browser.mjs URL KEY PORT CHROMIUM FOLDER: supabase-js in Chromium, on a page of another origin, http://localhost:PORT.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { chromium } from "playwright-core";

const [url, key, port, program, folder] = process.argv.slice(2);
const here = dirname(new URL(import.meta.url).pathname);
const supabase = join(dirname(createRequire(import.meta.url).resolve("@supabase/supabase-js")), "../umd/supabase.js");
const files = {
  "/": [null, "text/html", "<!doctype html><title>client</title><script src=supabase.js></script>"],
  "/supabase.js": [supabase, "text/javascript"],
  "/scenario.mjs": [join(here, "scenario.mjs"), "text/javascript"],
  "/native.mjs": [join(here, "native.mjs"), "text/javascript"],
};
const pages = createServer(async (request, response) => {
  const [file, type, text] = files[request.url] ?? [];
  if (!type) return response.writeHead(404).end();
  response.writeHead(200, { "Content-Type": type }).end(file ? await readFile(file) : text);
});
await new Promise((resolve) => pages.listen(Number(port), "127.0.0.1", resolve));

const browser = await chromium.launchPersistentContext(folder, {
  executablePath: program,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
try {
  const page = await browser.newPage();
  await page.goto(`http://localhost:${port}/`);
  const checks = await page.evaluate(async ([to, withKey]) => {
    const { run } = await import("/scenario.mjs");
    const { setUpWith } = await import("/native.mjs");
    const db = window.supabase.createClient(to, withKey, { auth: { persistSession: false } });
    return run(db, setUpWith(to, withKey, "browser"));
  }, [url, key]);
  console.log(`supabase-js in Chromium: ${checks} checks`);
  await page.goto(`http://127.0.0.1:${port}/`); // an origin that the server does not allow
  const stranger = await page.evaluate(async ([to, withKey]) => {
    const db = window.supabase.createClient(to, withKey, { auth: { persistSession: false } });
    const { data, error } = await db.rpc("fn_get_workflow_schedules");
    return { data, failed: error !== null };
  }, [url, key]);
  if (stranger.data !== null || !stranger.failed) throw new Error("a page of an unknown origin got an answer");
} finally {
  await browser.close();
  pages.close();
}
