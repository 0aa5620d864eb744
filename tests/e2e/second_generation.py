"""The functions that LenserFight's command line and web app call, beside those of rpc_test.py."""

from datetime import datetime, timedelta, timezone

from served import eventually

NOWHERE = "00000000-0000-4000-8000-000000000000"
FREE = {"requiresApproval": False}


def days_ago(days):
    return (datetime.now(timezone.utc) - timedelta(days=days)).isoformat()


class SecondGeneration:
    """Tests for a class that has `client`, `other` and `upsert`."""

    def call(self, function, expect=200, **arguments):
        return self.client.json(function, arguments, expect)

    def test_schedules_are_listed_newest_first_up_to_a_limit(self):
        self.client.call("deployWorkflow", {"nodes": [{"id": "only"}]}, 201, workflow="newest")
        made = [self.upsert(p_workflow_id="newest")["id"] for _ in range(3)]
        rows = self.call("fn_get_workflow_schedules", p_workflow_id="newest")
        self.assertEqual([row["id"] for row in rows], made[::-1])
        self.assertEqual({(row["workflow_title"], row["description"]) for row in rows}, {("newest", None)})
        for limit, ids in ((2, made[:0:-1]), ("2", made[:0:-1]), (0, made[:1:-1]), (None, made[::-1])):
            rows = self.call("fn_get_workflow_schedules", p_workflow_id="newest", p_limit=limit)
            self.assertEqual([row["id"] for row in rows], ids, limit)

    def test_a_description_is_kept_until_it_is_replaced(self):
        row = self.upsert(p_description="the weekly letter")
        self.assertEqual(row["description"], "the weekly letter")
        self.assertEqual(self.client.json("getSchedule", schedule=row["id"])["description"], "the weekly letter")
        self.assertEqual(self.upsert(p_schedule_id=row["id"], p_description=None)["description"], "the weekly letter")
        self.assertIsNone(self.upsert(p_schedule_id=row["id"], p_description="")["description"])

    def test_policies_in_the_spelling_of_the_command_line(self):
        row = self.upsert(p_approval_policy={"requires_approval": False}, p_retry_policy={"max_retries": 3,
                                                                                          "backoff_ms": 7},
                          p_queue_policy={"mode": "serial", "on_missed": "run_once", "max_concurrency": 2})
        self.assertEqual((row["approval_policy"], row["retry_policy"]), (FREE, {"maxRetries": 3, "backoffMs": 7}))
        self.assertEqual(row["queue_policy"], {"mode": "serial", "maxConcurrency": 2, "onMissed": "run_once"})
        refused = self.upsert(400, p_retry_policy={"max_tries": 3})
        self.assertTrue(refused["message"].startswith("p_retry_policy.max_tries: "), refused)

    def test_arguments_are_cast_as_postgresql_casts_them(self):
        for off in ("false", "f", " OFF ", "no", "0", 0):
            self.assertFalse(self.upsert(p_is_active=off)["is_active"], off)
        for on in ("true", "T", "yes", "on", "1", 1):
            self.assertTrue(self.upsert(p_is_active=on)["is_active"], on)
        row = self.upsert(p_cron_expr="0 * * * *")
        self.assertEqual(len(self.call("fn_preview_schedule_ticks", p_schedule_id=row["id"].upper(), p_n=" 3 ")), 3)
        for wrong in ("maybe", "", "o", 2):
            self.assertEqual(self.upsert(400, p_is_active=wrong)["code"], "22P02", wrong)
        for wrong in ("5.0", "five", "", 5.5, True):
            self.assertEqual(self.call("fn_preview_schedule_ticks", 400, p_schedule_id=row["id"], p_n=wrong)["code"],
                             "22P02", wrong)

    def test_a_schedule_is_switched_off_and_on(self):
        row = self.upsert()["id"]
        for active in (False, "false", True, True):
            shown = self.call("fn_toggle_workflow_schedule", p_schedule_id=row, p_is_active=active)
            self.assertEqual(shown["is_active"], active is True)
        refused = self.call("fn_toggle_workflow_schedule", 400, p_schedule_id=row, p_is_active=None)
        self.assertEqual((refused["code"], refused["message"]), ("22023", "p_is_active: must be true or false"))
        self.assertEqual(self.call("fn_toggle_workflow_schedule", 404, p_schedule_id=row)["code"], "PGRST202")
        unwatched = self.upsert(p_assignee_id="unlimited", p_approval_policy=FREE, p_is_active=False)["id"]
        refused = self.call("fn_toggle_workflow_schedule", 403, p_schedule_id=unwatched, p_is_active=True)
        self.assertEqual(refused["code"], "42501")

    def test_calendars_are_created_listed_and_attached(self):
        made = self.call("fn_create_schedule_calendar", p_name="Our holidays", p_kind="skip_dates",
                         p_dates=["2027-01-02", "2027-01-01"], p_timezone="Europe/Istanbul")
        self.assertEqual(made, "Our holidays")
        rows = {row["id"]: row for row in self.call("fn_get_schedule_calendars")}
        self.assertEqual(rows[made], {"id": made, "name": made, "kind": "skip_dates", "is_seed": False,
                                      "dates": ["2027-01-01", "2027-01-02"], "timezone": "Europe/Istanbul",
                                      "created_at": None})
        self.assertTrue(rows["weekends-only"]["is_seed"])
        self.assertEqual(self.client.json("getCalendar", calendar=made)["dates"], ["2027-01-01", "2027-01-02"])
        schedule = self.upsert()["id"]
        for calendar, shown in ((made, [made]), ("weekends-only", ["weekends-only"]), (None, [])):
            row = self.call("fn_set_schedule_calendar", p_schedule_id=schedule, p_calendar_id=calendar)
            self.assertEqual(row["calendars"], shown)
        self.assertEqual(self.call("fn_set_schedule_calendar", 403, p_schedule_id=schedule,
                                   p_calendar_id="nowhere")["code"], "42501")
        again = self.call("fn_create_schedule_calendar", 409, p_name=made, p_kind="skip_dates")
        self.assertEqual(again["code"], "23505")
        for arguments, place in (({"p_kind": "some_dates"}, "p_kind: "), ({"p_name": ""}, "p_name: "),
                                 ({"p_dates": ["2027-02-30"]}, "p_dates.0: "), ({"p_kind": None}, "p_kind: "),
                                 ({"p_timezone": "Mars/Base"}, "p_timezone: ")):
            refused = self.call("fn_create_schedule_calendar", 400,
                                **{"p_name": "wrong", "p_kind": "only_dates", **arguments})
            self.assertEqual((refused["code"], refused["message"][:len(place)]), ("22023", place))

    def test_a_condition_and_a_rotation_are_set_and_removed(self):
        schedule = self.upsert()["id"]
        condition = {"/last_24h_stats/failed": {"lt": 3}}
        row = self.call("fn_set_schedule_condition", p_schedule_id=schedule, p_condition=condition)
        self.assertEqual(row["pre_dispatch_condition"], condition)
        refused = self.call("fn_set_schedule_condition", 400, p_schedule_id=schedule, p_condition={"/x": {"near": 1}})
        self.assertEqual((refused["code"], refused["message"][:12]), ("22023", "p_condition."))
        self.assertEqual(self.call("fn_set_schedule_condition", 400, p_schedule_id=schedule, p_condition=[])["code"],
                         "22P02")
        row = self.call("fn_set_schedule_condition", p_schedule_id=schedule, p_condition=None)
        self.assertIsNone(row["pre_dispatch_condition"])
        row = self.call("fn_set_schedule_inputs_rotation", p_schedule_id=schedule, p_rotation=[{"n": 1}, {"n": 2}])
        self.assertEqual(row["inputs_rotation"], [{"n": 1}, {"n": 2}])
        row = self.call("fn_set_schedule_inputs_rotation", p_schedule_id=schedule, p_rotation=None)
        self.assertEqual(row["inputs_rotation"], [])
        for function, name in (("fn_set_schedule_condition", "p_condition"),
                               ("fn_set_schedule_inputs_rotation", "p_rotation"),
                               ("fn_set_schedule_calendar", "p_calendar_id")):
            self.assertEqual(self.call(function, 403, **{"p_schedule_id": NOWHERE, name: None})["code"], "42501")

    def test_a_backfill_runs_what_has_no_run_once(self):
        schedule = self.upsert(p_cron_expr="0 0 * * *", p_approval_policy=FREE)["id"]
        arguments = {"p_schedule_id": schedule, "p_since": days_ago(3)}
        planned = self.call("fn_backfill_schedule", **arguments, p_dry_run=True)
        self.assertEqual((planned["would_dispatch"], planned["dispatched"], planned["dry_run"]), (3, 0, True))
        self.assertEqual([set(tick) for tick in planned["ticks"]], [{"fire_at", "status"}] * 3)
        self.assertEqual(self.call("fn_get_workflow_schedule_history", p_schedule_id=schedule), [])
        done = self.call("fn_backfill_schedule", **arguments, p_dry_run="false")
        self.assertEqual((done["dispatched"], done["skipped_existing"], done["would_dispatch"]), (3, 0, None))
        self.assertEqual([tick["fire_at"] for tick in done["ticks"]], [tick["fire_at"] for tick in planned["ticks"]])
        again = self.call("fn_backfill_schedule", **arguments)
        self.assertEqual((again["dispatched"], again["skipped_existing"]), (0, 3))
        self.assertEqual({tick["status"] for tick in again["ticks"]}, {"exists"})
        minutely = self.upsert(p_cron_expr="* * * * *")["id"]
        for wrong in ({"p_since": "2999-01-01"}, {"p_since": None}, {"p_schedule_id": minutely},
                      {"p_schedule_id": minutely, "p_dry_run": True}):
            refused = self.call("fn_backfill_schedule", 400, **{**arguments, **wrong})
            self.assertEqual((refused["code"], refused["message"][:9]), ("22023", "p_since: "), wrong)
        self.client.json("fn_pause_workflow_schedule", {"p_schedule_id": minutely})
        self.assertEqual(self.call("fn_backfill_schedule", 400, **{**arguments, "p_since": "soon"})["code"], "22P02")

    def test_histories_of_runs(self):
        self.client.call("deployWorkflow", {"nodes": [{"id": "only"}]}, 201, workflow="past")
        schedule = self.upsert(p_workflow_id="past", p_approval_policy=FREE)["id"]
        runs = [self.client.json("triggerSchedule", schedule=schedule)["id"] for _ in range(2)][::-1]
        self.client.json("completeRun", {"status": "failed", "error": "no ink"}, run=runs[0])
        rows = self.call("fn_get_workflow_schedule_history", p_schedule_id=schedule)
        self.assertEqual([row["id"] for row in rows], runs)
        self.assertEqual(set(rows[0]), {"id", "workflow_id", "schedule_id", "status", "scheduled_for", "started_at",
                                        "completed_at", "error_message", "created_at"})
        self.assertEqual((rows[0]["error_message"], rows[0]["workflow_id"], rows[0]["schedule_id"]),
                         ("no ink", "past", schedule))
        for arguments in ({"p_schedule_id": schedule}, {"p_workflow_id": "past"},
                          {"p_schedule_id": schedule, "p_workflow_id": "past", "p_cursor": None, "p_limit": "5"}):
            self.assertEqual(self.call("fn_get_schedule_run_history", **arguments), rows, arguments)
        before = self.call("fn_get_schedule_run_history", p_schedule_id=schedule, p_cursor=rows[0]["created_at"])
        self.assertEqual(before, rows[1:])
        for workflow in ("never-was", ""):
            self.assertEqual(self.call("fn_get_schedule_run_history", p_workflow_id=workflow), [])
        self.assertEqual(self.call("fn_get_schedule_run_history", 404, p_limit=5)["code"], "PGRST202")
        self.assertEqual(self.call("fn_get_schedule_run_history", 403, p_schedule_id=NOWHERE)["code"], "42501")

    def test_the_feed_of_one_assignee(self):
        self.client.call("putAssignee", {"type": "agent", "policies": {"spendingLimitCredits": 5}}, 201,
                         assignee="reporter")
        mine = self.upsert(p_assignee_id="reporter", p_approval_policy=FREE)["id"]
        other = self.upsert(p_approval_policy=FREE)["id"]
        runs = [self.client.json("triggerSchedule", schedule=mine)["id"] for _ in range(3)][::-1]
        self.client.json("triggerSchedule", schedule=other)
        items = self.call("fn_get_agent_automation_feed", p_ai_lenser_id="reporter")
        self.assertEqual([(item["run_id"], item["kind"], item["schedule_id"]) for item in items],
                         [(run, "schedule_dispatch", mine) for run in runs])
        self.assertEqual(set(items[0]), {"id", "kind", "occurred_at", "title", "result", "workflow_id",
                                         "workflow_title", "run_id", "schedule_id", "action_type", "event_type",
                                         "payload"})
        part = self.call("fn_get_agent_automation_feed", p_ai_lenser_id="reporter", p_limit=1, p_offset=1)
        self.assertEqual(part, items[1:2])
        self.assertEqual(self.call("fn_get_agent_automation_feed", p_ai_lenser_id="never-was"), [])

    def test_functions_that_read_are_called_by_get_as_well(self):
        schedule = self.upsert(p_cron_expr="0 * * * *", p_approval_policy=FREE)["id"]
        self.client.json("triggerSchedule", schedule=schedule)
        eventually(lambda: self.call("fn_get_workflow_schedule_history", p_schedule_id=schedule))
        calls = {"fn_workflow_get_schedules": {"p_workflow_id": "digest"},
                 "fn_get_workflow_schedules": {"p_limit": 3},
                 "fn_preview_schedule_ticks": {"p_schedule_id": schedule, "p_n": 2},
                 "fn_workflow_schedule_history": {"p_schedule_id": schedule},
                 "fn_get_workflow_schedule_history": {"p_schedule_id": schedule, "p_limit": 1},
                 "fn_get_schedule_run_history": {"p_schedule_id": schedule},
                 "fn_get_schedule_action_logs": {"p_schedule_id": schedule},
                 "fn_get_schedule_calendars": {},
                 "fn_get_automation_feed": {"p_limit": 2},
                 "fn_get_agent_automation_feed": {"p_ai_lenser_id": "reporter"}}
        for function, arguments in calls.items():
            self.assertEqual(self.client.json(f"{function}_by_get", **arguments), self.call(function, **arguments),
                             function)
        unknown = self.client.json("fn_unknown_by_get", None, 404, function="fn_nothing")
        self.assertEqual(unknown["code"], "PGRST202")
