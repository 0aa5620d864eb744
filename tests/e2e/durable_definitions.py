"""Definitions in the durable dialect: what its clients send, what they read, and that the native API sees the same."""

import json

from client import Client, send
from document import TENANT_HEADER
from durable_base import HOURLY, Dialect
from place import running_server

NOON = {"cron_expressions": ["0 12 * * *"]}


class Definitions(Dialect):
    def test_everything_that_can_be_said_is_read_back_in_both_apis(self):
        said = {"schedule_id": "whole", "spec": {"cron_expressions": ["0 2 * * *", "0 12 * * *"],
                                                 "intervals": [{"every": "PT6H"}, {"every": "PT1H", "offset": "PT5M"}],
                                                 "timezone": "America/New_York"},
                "action": {"workflow_type": "invoice-sync", "workflow_class": "App\\InvoiceSync",
                           "task_queue": "billing", "input": ["nightly", 1.50],
                           "execution_timeout_seconds": 7200, "run_timeout_seconds": 600},
                "overlap_policy": "buffer_all", "jitter_seconds": 300, "max_runs": 3, "memo": {"origin": "scheduled"},
                "search_attributes": {"tenant_id": "42"},
                "labels": {"team": "billing"}, "note": "Runs every night.", "paused": False}
        made = self.outcome(("whole", "created"), "durableCreateSchedule", said, 201)
        self.assertEqual((made["namespace"], made["note"]), ("default", said["note"]))
        told = self.describe("whole")
        self.assertEqual(told["spec"], {**said["spec"], "intervals": [{"every": "PT6H", "offset": None},
                                                                      {"every": "PT1H", "offset": "PT5M"}]})
        self.assertEqual(told["action"], said["action"])
        for member in ("overlap_policy", "jitter_seconds", "max_runs", "memo", "search_attributes", "labels", "note"):
            self.assertEqual(told[member], said[member], member)
        self.assertEqual((told["schedule_id"], told["namespace"], told["status"], told["paused"]),
                         ("whole", "default", "active", False))
        self.assertEqual((told["fires_count"], told["failures_count"], told["remaining_actions"],
                          told["last_fired_at"]), (0, 0, 3, None))
        self.assertEqual((told["latest_instance_id"], told["latest_workflow_instance_id"]), (None, None))
        self.assertEqual((told["skipped_trigger_count"], told["last_skip_reason"], told["last_skipped_at"]),
                         (0, None, None))
        self.assertEqual(told["state"], {"status": "active", "paused": False, "note": said["note"]})
        self.assertEqual((told["queue"], told["connection"], told["next_fire"]),
                         ("billing", None, told["next_fire_at"]))
        native = self.native("whole")
        self.assertEqual(told["next_fire_at"], native["nextRunAt"])
        self.assertEqual(native["spec"]["jitter"], {"before": None, "after": "PT5M"})
        self.assertEqual(native["target"]["metadata"],
                         {"workflow_class": "App\\InvoiceSync", "execution_timeout_seconds": "7200"})
        self.assertEqual((native["target"]["workflowKind"], native["target"]["queue"],
                          native["retryPolicy"]["timeoutMs"]), ("invoice-sync", "billing", 600_000))
        self.assertEqual((native["notes"], native["labels"], native["memo"], native["searchAttributes"],
                          native["maxRuns"]),
                         (said["note"], said["labels"], said["memo"], said["search_attributes"], 3))

    def test_what_is_not_said_has_the_defaults_of_the_dialect(self):
        self.create("plain", {"cron_expressions": ["0 2 * * *"]})
        told = self.describe("plain")
        self.assertEqual((told["overlap_policy"], told["jitter_seconds"], told["max_runs"], told["memo"],
                          told["labels"]), ("skip", 0, None, {}, {}))
        self.assertEqual((told["spec"]["timezone"], told["action"]["input"], told["action"]["task_queue"],
                          told["note"]), ("UTC", [], "default", None))
        native = self.native("plain")
        self.assertEqual((native["missedRunPolicy"], native["approvalPolicy"]["requiresApproval"],
                          native["retryPolicy"]["maxRetries"]), ("fire_once", False, 0))

    def test_operators_defaults_are_not_those_of_the_dialect(self):
        with running_server("--auth", "off", "--default-overlap-policy", "allow_all", "--default-catchup-policy",
                            "fire_all", "--default-jitter-ms", "5000",
                            "--default-tenant", "team") as server:
            client = Client(server.url)
            client.call("createTenant", {"name": "team"}, 201)
            body = json.dumps({"schedule_id": "s", "spec": HOURLY, "action": {"workflow_type": "w"}})
            made = send(server.url, "POST", "/api/schedules", body, {"Content-Type": "application/json"})
            self.assertEqual(made.status, 201, made)
            native = client.json("getSchedule", schedule="s", tenant="team")
            self.assertEqual((native["overlapPolicy"], native["missedRunPolicy"], native["spec"]["jitter"]["after"]),
                             ("skip", "fire_once", None))

    def test_older_names_of_timeouts_and_a_schedule_without_an_id(self):
        action = {"workflow_type": "sync", "workflow_execution_timeout": 60, "workflow_run_timeout": 30}
        made = self.client.json("durableCreateSchedule",
                                {"schedule_id": None, "spec": HOURLY, "action": action, "note": None}, 201)
        self.assertRegex(made["schedule_id"], r"^sync-[0-9a-f]{8}$")
        told = self.describe(made["schedule_id"])["action"]
        self.assertEqual((told["execution_timeout_seconds"], told["run_timeout_seconds"]), (60, 30))

    def test_the_queue_of_the_schedule_comes_before_that_of_the_action(self):
        self.create("routed", action={"task_queue": "low"}, queue="high")
        self.assertEqual(self.describe("routed")["action"]["task_queue"], "high")
        self.assertEqual(self.trigger("routed")["outcome"], "triggered")
        self.assertEqual(self.end("high")["input"], [])

    def test_a_schedule_may_begin_paused(self):
        self.create("sleeping", paused=True)
        self.assertEqual(self.events("sleeping"), [(1, "ScheduleCreated"), (2, "SchedulePaused")])
        told = self.describe("sleeping")
        self.assertEqual((told["status"], told["paused"], told["next_fire_at"]), ("paused", True, None))
        self.assertIsNotNone(told["paused_at"])

    def test_an_update_replaces_the_spec_and_keeps_what_it_does_not_name(self):
        self.create("changing", {"cron_expressions": ["0 2 * * *"], "timezone": "America/New_York"}, jitter_seconds=60,
                    note="first",
                    action={"task_queue": "billing", "input": [1]}, memo={"a": 1})
        before = self.describe("changing")
        changed = self.outcome(("changing", "updated"), "durableUpdateSchedule",
                               {"spec": {"intervals": [{"every": "P1D"}]}, "action": {"workflow_type": "other"}},
                               schedule_id="changing")
        self.assertGreater(changed["updated_at"], before["updated_at"])
        after = self.describe("changing")
        self.assertEqual(after["spec"], {"cron_expressions": [], "intervals": [{"every": "P1D", "offset": None}],
                                         "timezone": "America/New_York"})
        self.assertEqual(after["action"], {"workflow_type": "other", "task_queue": "billing", "input": [1]})
        for member in ("jitter_seconds", "note", "memo", "overlap_policy", "created_at"):
            self.assertEqual(after[member], before[member], member)
        self.client.json("durableUpdateSchedule", {"note": "second", "overlap_policy": "allow_all", "jitter_seconds": 0,
                                                   "memo": {}, "max_runs": 5,
                                                   "spec": {"cron_expressions": ["30 3 * * *"],
                                                            "timezone": "America/Chicago"}}, schedule_id="changing")
        last = self.describe("changing")
        self.assertEqual((last["note"], last["overlap_policy"], last["jitter_seconds"], last["memo"],
                          last["remaining_actions"]), ("second", "allow_all", 0, {}, 5))
        self.assertEqual(last["spec"]["timezone"], "America/Chicago")
        self.assertEqual(self.client.json("durableUpdateSchedule", {}, schedule_id="changing")["outcome"], "updated")

    def test_a_native_schedule_is_read_and_changed_here(self):
        self.client.call("createSchedule", {"name": "native", "spec": {
            "cron": ["0 9 * * *"], "at": ["2099-01-01T00:00:00Z"], "jitter": {"after": "PT90S"}},
                                            "target": {"type": "task", "taskKind": "greet", "input": {"a": 1}},
                                            "calendars": ["weekends-only"]}, 201)
        told = self.describe("native")
        self.assertEqual((told["workflow_type"], told["spec"]["at"], told["jitter_seconds"], told["action"]["input"]),
                         ("greet", ["2099-01-01T00:00:00Z"], 90, {"a": 1}))
        self.client.json("durableUpdateSchedule", {"note": "seen"}, schedule_id="native")
        native = self.native("native")
        self.assertEqual((native["notes"], native["calendars"], native["target"]["type"], native["missedRunPolicy"]),
                         ("seen", ["weekends-only"], "task", "skip"))

    def test_limits_hold_at_their_bounds(self):
        accepted = (("schedule_id", "n" * 128), ("note", "é" * 1000), ("jitter_seconds", 3600), ("jitter_seconds", 0),
                    ("max_runs", 1),
                    ("memo", {"m": "x" * (255 * 1024)}))
        for index, (member, value) in enumerate(accepted):
            with self.subTest(member=member, accepted=True):
                self.create(value if member == "schedule_id" else f"bound-{index}",
                            **({} if member == "schedule_id" else {member: value}))
        refused = (("schedule_id", "n" * 129), ("schedule_id", ""), ("note", "é" * 1001), ("jitter_seconds", 3601),
                   ("jitter_seconds", -1), ("max_runs", 0),
                   ("overlap_policy", "queue"), ("paused", "yes"), ("memo", [1]), ("labels", ["a"]))
        for member, value in refused:
            with self.subTest(member=member, value=str(value)[:10]):
                body = {"schedule_id": "beyond", "spec": HOURLY, "action": {"workflow_type": "w"}, member: value}
                answer = self.refused("durableCreateSchedule", 422, "validation_failed", body)
                self.assertEqual((list(answer["errors"]), answer["validation_errors"]), ([member], answer["errors"]))
        large = self.refused("durableCreateSchedule", 422, "memo_too_large",
                             {"spec": HOURLY, "action": {"workflow_type": "w"},
                              "memo": {"m": "x" * (256 * 1024 - len('{"m":""}') + 1)}})
        self.assertEqual(large["limit"], 256 * 1024)
        self.create("memo-later")
        self.refused("durableUpdateSchedule", 422, "memo_too_large", {"memo": {"m": "x" * 300_000}},
                     schedule_id="memo-later")

    def test_what_is_wrong_is_told_by_member(self):
        action = {"workflow_type": "w"}
        rows = (({}, "validation_failed", {"spec", "action"}),
                ({"spec": {}, "action": {}}, "validation_failed", {"action.workflow_type"}),
                ({"spec": {}, "action": action}, "invalid_schedule_spec", {"spec"}),
                ({"spec": {"cron_expressions": ["61 * * * *"]}, "action": action}, "invalid_cron_expression",
                 {"spec.cron_expressions.0"}),
                ({"spec": {"cron_expressions": ["0 0 30 2 *"]}, "action": action}, "invalid_cron_expression",
                 {"spec.cron_expressions.0"}),
                ({"spec": {"cron_expressions": [5]}, "action": action}, "validation_failed",
                 {"spec.cron_expressions.0"}),
                ({"spec": {"intervals": [{"offset": "PT1M"}]}, "action": action}, "validation_failed",
                 {"spec.intervals.0.every"}),
                ({"spec": {"intervals": [{"every": "PT0S"}]}, "action": action}, "invalid_schedule_spec",
                 {"spec.intervals.0.every"}),
                ({"spec": {"intervals": [{"every": "soon"}]}, "action": action}, "invalid_schedule_spec",
                 {"spec.intervals.0.every"}),
                ({"spec": {**NOON, "timezone": "Mars/Base"}, "action": action}, "invalid_schedule_spec",
                 {"spec.timezone"}),
                ({"spec": NOON, "action": action, "connection": "nowhere"}, "validation_failed", {"connection"}),
                ({"spec": NOON, "action": {**action, "run_timeout_seconds": 0}}, "validation_failed",
                 {"action.run_timeout_seconds"}),
                ({"spec": NOON, "action": {**action, "task_queue": "@own"}}, "validation_failed",
                 {"action.task_queue"}))
        for body, reason, fields in rows:
            with self.subTest(body):
                self.assertEqual(set(self.refused("durableCreateSchedule", 422, reason, body)["errors"]), fields)
        self.create("steady")
        wrong = self.refused("durableUpdateSchedule", 422, "invalid_cron_expression",
                             {"spec": {"cron_expressions": ["x"]}}, schedule_id="steady")
        self.assertEqual(wrong["schedule_id"], "steady")
        self.assertEqual(self.describe("steady")["spec"]["cron_expressions"], HOURLY["cron_expressions"])

    def test_an_id_is_taken_inside_its_namespace_until_it_is_deleted(self):
        self.create("taken")
        again = self.refused("durableCreateSchedule", 409, "schedule_already_exists",
                             {"schedule_id": "taken", "spec": HOURLY, "action": {"workflow_type": "w"}})
        self.assertEqual(again["schedule_id"], "taken")
        self.client.call("createTenant", {"name": "elsewhere"}, 201)
        self.client.call("durableCreateSchedule", {"schedule_id": "taken", "spec": NOON, "action": {
            "workflow_type": "w"}}, 201, headers={TENANT_HEADER: "elsewhere"})
        self.outcome(("taken", "deleted"), "durableDeleteSchedule", schedule_id="taken")
        for name, body in (("durableDescribeSchedule", None), ("durableUpdateSchedule", {"note": "n"}),
                           ("durableDeleteSchedule", None), ("durablePauseSchedule", {}),
                           ("durableResumeSchedule", {}),
                           ("durableBackfillSchedule", {"start_time": "2026-04-10", "end_time": "2026-04-11"})):
            with self.subTest(name):
                self.refused(name, 404, "schedule_not_found", body, schedule_id="taken")
        self.assertEqual(self.trigger("taken"),
                         {"schedule_id": "taken", "outcome": "skipped", "reason": "status_not_triggerable"})
        self.assertEqual(self.events("taken"),
                         [(1, "ScheduleCreated"), (2, "ScheduleDeleted"), (3, "ScheduleTriggerSkipped")])
        self.create("taken")
        self.assertEqual(self.events("taken"), [(1, "ScheduleCreated")])
