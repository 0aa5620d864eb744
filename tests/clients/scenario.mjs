// Calls every function of the RPC dialect as applications do. Runs in Node and in a browser: it imports nothing.
//
// `db` has rpc() of supabase-js or postgrest-js. `setUp(body)` does what these clients cannot: it deploys a workflow and
// triggers a schedule by the native API. `hasTables` says whether the paths of tables are below /rest/v1. Returns the
// number of checks.

const NEVER = "0 0 29 2 *"; // nothing fires while a test looks
const FREE = { requiresApproval: false };

export async function run(db, setUp, hasTables = true) {
  let checks = 0;
  const same = (found, expected, what) => {
    checks += 1;
    const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
    if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
  };
  const rows = async (call, what) => {
    const { data, error, status } = await call;
    if (error) throw new Error(`${what}: ${status} ${JSON.stringify(error)}`);
    return data;
  };
  const refused = async (call, status, code, what) => {
    const answer = await call;
    same([answer.status, answer.error?.code, answer.data], [status, code, null], what ?? code);
    same(Object.keys(answer.error).filter((key) => key !== "name").sort(), ["code", "details", "hint", "message"], code);
    return answer.error;
  };

  // -- Every function.

  const workflow = await setUp({ deploy: {} });
  const upsert = (more) =>
    db.rpc("fn_upsert_workflow_schedule", {
      p_workflow_id: workflow, p_cron_expr: NEVER, p_approval_policy: FREE, ...more,
    });
  const made = await rows(upsert({ p_description: "letter" }), "upsert");
  same([made.length, made[0].workflow_title, made[0].description], [1, workflow, "letter"], "upsert");
  const id = made[0].id;
  const of = { p_schedule_id: id };
  const changed = await rows(upsert({ p_schedule_id: id, p_timezone: "Europe/Istanbul" }), "change");
  same([changed[0].id, changed[0].timezone], [id, "Europe/Istanbul"], "change");
  for (const name of ["fn_workflow_get_schedules", "fn_get_workflow_schedules"]) {
    same((await rows(db.rpc(name, { p_workflow_id: workflow }), name)).map((row) => row.id), [id], name);
  }
  const oneRow = async (name, more, column, expected) => {
    const found = await rows(db.rpc(name, { ...of, ...more }), name);
    same([found.length, found[0][column]], [1, expected], name);
  };
  await oneRow("fn_pause_workflow_schedule", {}, "is_active", false);
  await oneRow("fn_resume_workflow_schedule", {}, "is_active", true);
  await oneRow("fn_toggle_workflow_schedule", { p_is_active: false }, "is_active", false);
  await oneRow("fn_toggle_workflow_schedule", { p_is_active: "true" }, "is_active", true);
  await oneRow("fn_set_schedule_condition", { p_condition: { "/prior_run_result": { neq: "x" } } },
    "pre_dispatch_condition", { "/prior_run_result": { neq: "x" } });
  await oneRow("fn_set_schedule_condition", { p_condition: null }, "pre_dispatch_condition", null);
  await oneRow("fn_set_schedule_inputs_rotation", { p_rotation: [{ n: 1 }] }, "inputs_rotation", [{ n: 1 }]);
  const calendar = { p_name: `days off of ${workflow}`, p_kind: "skip_dates", p_dates: ["2027-01-01"] };
  same(await rows(db.rpc("fn_create_schedule_calendar", calendar), "calendar"), calendar.p_name, "calendar");
  const calendars = await rows(db.rpc("fn_get_schedule_calendars"), "calendars");
  same(calendars.filter((row) => row.id === calendar.p_name).map((row) => [row.dates, row.is_seed]),
    [[["2027-01-01"], false]], "calendars");
  await oneRow("fn_set_schedule_calendar", { p_calendar_id: calendar.p_name }, "calendars", [calendar.p_name]);
  await oneRow("fn_set_schedule_calendar", { p_calendar_id: null }, "calendars", []);
  const daily = (await rows(upsert({ p_cron_expr: "0 0 * * *", p_is_active: false }), "daily"))[0].id;
  const since = new Date(Date.now() - 2 * 86400000).toISOString();
  const backfill = { p_schedule_id: daily, p_since: since };
  const planned = await rows(db.rpc("fn_backfill_schedule", { ...backfill, p_dry_run: true }), "dry run");
  same([planned.would_dispatch, planned.ticks.length], [2, 2], "dry run");
  const filled = await rows(db.rpc("fn_backfill_schedule", backfill), "backfill");
  same([filled.dispatched, filled.skipped_existing], [2, 0], "backfill");
  const runs = [await setUp({ trigger: id }), await setUp({ trigger: id })].reverse();
  for (const [name, column] of [["fn_workflow_schedule_history", "run_id"], ["fn_get_workflow_schedule_history", "id"],
    ["fn_get_schedule_run_history", "id"]]) {
    same((await rows(db.rpc(name, of), name)).map((row) => row[column]), runs, name);
  }
  const feed = await rows(db.rpc("fn_get_automation_feed", { p_limit: 200 }), "feed");
  same(runs.every((run) => feed.some((item) => item.id === run)), true, "feed");
  same(await rows(db.rpc("fn_get_agent_automation_feed", { p_ai_lenser_id: "none" }), "agent feed"), [], "agent feed");
  const log = await rows(db.rpc("fn_get_schedule_action_logs", of), "log");
  same(log.filter((row) => row.action_type === "dispatch_schedule").length, 2, "log");
  const ticks = await rows(db.rpc("fn_preview_schedule_ticks", { p_schedule_id: daily, p_n: 2 }), "preview");
  same(ticks.map((tick) => tick.decision), ["skip", "skip"], "preview of a paused schedule");

  // -- What the clients do with rows.

  const list = (options) => db.rpc("fn_get_workflow_schedules", { p_workflow_id: workflow }, options);
  const one = await list().eq("id", id).single();
  same([one.status, one.error, one.data.id], [200, null, id], "single");
  const error = await refused(list().single(), 406, "PGRST116");
  same(error.details, "The result contains 2 rows", "single of two");
  await refused(list().eq("id", "00000000-0000-4000-8000-000000000000").single(), 406, "PGRST116");
  const none = await list().eq("workflow_id", "x").maybeSingle();
  same([none.status, none.error, none.data], [200, null, null], "maybeSingle of none");
  same((await list().eq("id", id).maybeSingle()).data.id, id, "maybeSingle of one");
  await refused(list().maybeSingle(), 406, "PGRST116", "maybeSingle of two");
  same((await list({ get: true }).eq("id", id).maybeSingle()).data.id, id, "maybeSingle by GET");
  same((await upsert({ p_schedule_id: id }).single()).data.id, id, "single of a change");

  const counted = await list({ count: "exact" }).range(0, 0);
  same([counted.status, counted.count, counted.data.map((row) => row.id)], [206, 2, [daily]], "range and count");
  same((await list({ count: "exact" })).count, 2, "count");
  const rest = await list({ get: true, count: "exact" }).range(1, 5);
  same([rest.count, rest.data.map((row) => row.id)], [2, [id]], "range by GET");
  const head = await list({ head: true, count: "exact" });
  same([head.status, head.count, head.data, head.error], [200, 2, null, null], "head");
  await refused(list({ count: "exact" }).range(7, 9), 416, "PGRST103");

  const columns = await rows(list().select("id,mode:queue_policy->>mode").order("created_at"), "select");
  same(columns, [{ id, mode: "parallel" }, { id: daily, mode: "parallel" }], "select and order");
  const ids = async (call) => (await rows(call.select("id"), "filter")).map((row) => row.id);
  same(await ids(list().order("created_at", { ascending: false }).limit(1)), [daily], "descending");
  same(await ids(list().order("description", { nullsFirst: true })), [daily, id], "nulls first");
  same(await ids(list().eq("is_active", true)), [id], "eq");
  same(await ids(list().neq("id", id)), [daily], "neq");
  same(await ids(list().in("id", [id, "11111111-1111-4111-8111-111111111111"])), [id], "in");
  same(await ids(list().is("is_active", false)), [daily], "is");
  same(await ids(list().not("description", "is", null)), [id], "not");
  same(await ids(list().gt("created_at", made[0].created_at)), [daily], "gt");
  same(await ids(list().gte("created_at", made[0].created_at).lte("created_at", made[0].created_at)), [id], "gte, lte");
  same(await ids(list().lt("created_at", made[0].created_at)), [], "lt");
  same(await ids(list().like("description", "let%")), [id], "like");
  same(await ids(list().ilike("description", "LET*")), [id], "ilike");
  same(await ids(list().filter("queue_policy->>mode", "eq", "parallel")), [daily, id], "filter");
  same(await ids(list().match({ is_active: true, timezone: "UTC" })), [id], "match");
  same(await rows(list().select("id,is_active").eq("id", id).csv(), "csv"), `id,is_active\n${id},t`, "csv");

  // -- Errors.

  await refused(db.rpc("fn_nothing"), 404, "PGRST202");
  await refused(db.rpc("fn_get_workflow_schedules", { p_colour: 1 }), 404, "PGRST202");
  await refused(db.rpc("fn_get_workflow_schedules", { p_limit: "many" }), 400, "22P02");
  await refused(db.rpc("fn_delete_workflow_schedule", of, { get: true }), 405, "25006");
  await refused(upsert({ p_cron_expr: "61 * * * *" }), 400, "22023");
  await refused(upsert({ p_workflow_id: "never-was" }), 403, "42501");
  await refused(list().eq("colour", "red"), 400, "42703");
  await refused(list().select("id,workflows(title)"), 400, "PGRST200");
  await refused(list().or("id.eq.1,id.eq.2"), 400, "PGRST100");
  await refused(list().contains("calendars", ["x"]), 400, "PGRST100");
  await refused(db.rpc("fn_create_schedule_calendar", calendar), 409, "23505");
  await refused(db.rpc("fn_create_schedule_calendar", { ...calendar, p_name: "csv" }).csv(), 406, "PGRST107");
  if (hasTables) {
    await refused(db.from("workflow_schedules").select(), 404, "PGRST125");
    await refused(db.from("workflow_schedules").delete().eq("id", id), 404, "PGRST125");
  }
  await oneRow("fn_delete_workflow_schedule", {}, "id", id);
  await refused(db.rpc("fn_delete_workflow_schedule", of), 403, "42501");
  await rows(db.rpc("fn_delete_workflow_schedule", { p_schedule_id: daily }), "delete");
  same(await rows(list(), "list"), [], "nothing is left");
  return checks;
}
