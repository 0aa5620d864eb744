// node.mjs URL KEY: the clients in Node. Without a key, the server is open, and the clients send a token that it does
// not know.
import { PostgrestClient } from "@supabase/postgrest-js";
import { createClient } from "@supabase/supabase-js";
import { PostgrestClient as PostgrestClient1 } from "postgrest-js-1";

import { setUpWith } from "./native.mjs";
import { run } from "./scenario.mjs";

const [url, key] = process.argv.slice(2);
const shown = key ?? "a-token-that-no-one-issued";
const options = { auth: { persistSession: false, autoRefreshToken: false } };
const clients = {
  "supabase-js": createClient(url, shown, options),
  "postgrest-js": new PostgrestClient(url, { headers: { Authorization: `Bearer ${shown}` } }),
  "postgrest-js-with-apikey": new PostgrestClient(`${url}/rest/v1`, { headers: { apikey: shown }, schema: "public" }),
  "postgrest-js-1": new PostgrestClient1(url, { headers: { Authorization: `Bearer ${shown}`, apikey: "another" } }),
};
for (const [name, client] of Object.entries(clients)) {
  const checks = await run(client, setUpWith(url, key, name), client.url !== url);
  console.log(`${name}: ${checks} checks`);
}
if (key) {
  const { status, error } = await createClient(url, "bfy_wrong", options).rpc("fn_get_workflow_schedules");
  if (status !== 401 || error.code !== "42501") throw new Error(`a wrong key: ${status} ${JSON.stringify(error)}`);
}
