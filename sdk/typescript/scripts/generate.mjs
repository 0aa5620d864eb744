// Writes the types and the low-level calls of the SDK from the OpenAPI document of the server:
//   node scripts/generate.mjs           writes src/generated/
//   node scripts/generate.mjs --check   fails if src/generated/ is not current
import { readFileSync, writeFileSync } from "node:fs";
import { operationsSource } from "./operations.mjs";
import { schemasSource } from "./schemas.mjs";

const here = (path) => new URL(path, import.meta.url);
const document = JSON.parse(readFileSync(here("../../../docs/reference/openapi.json"), "utf8"));
const files = { "schemas.ts": schemasSource(document), "operations.ts": operationsSource(document) };

let stale = 0;
for (const [name, source] of Object.entries(files)) {
  const place = here(`../src/generated/${name}`);
  if (!process.argv.includes("--check")) {
    writeFileSync(place, source);
  } else if (readFileSync(place, "utf8") !== source) {
    console.error(`src/generated/${name} is not current: run "npm run generate"`);
    stale = 1;
  }
}
process.exitCode = stale;
