"""The RPC dialect: a PostgREST client's calls, field by field, and what the native API makes of them and the other way
round."""

import contextlib
import os
import re
import sqlite3
import subprocess
import tempfile
import unittest

from client import Client, send
from conversation import replay
from place import HERE, STORE, running_server
from postgrest_ways import PostgrestWays
from second_generation import SecondGeneration
from served import Served, eventually
from cluster import programs  # place.py knows where it is

NOWHERE = "00000000-0000-4000-8000-000000000000"
GRAPH = {"nodes": [{"id": "collect"}, {"id": "write", "dependsOn": ["collect"]}]}
DEFAULTS = {
    "workflow_id": "digest",
    "workflow_title": "digest",
    "description": None,
    "cron_expr": "* * * * *",
    "timezone": "UTC",
    "is_active": True,
    "assignee_type": "agent",
    "assignee_id": None,
    "workflow_assignment_id": None,
    "approval_policy": {"requiresApproval": True},
    "retry_policy": {"maxRetries": 1},
    "failure_policy": {"mode": "isolate"},
    "queue_policy": {"mode": "parallel"},
    "inputs_template": {},
    "global_model_id": None,
    "last_run_at": None,
    "last_run_id": None,
    "last_dispatch_status": None,
    "last_error_at": None,
    "last_error_message": None,
    "last_completed_at": None,
    "last_result": None,
    "calendars": [],
    "pre_dispatch_condition": None,
    "inputs_rotation": [],
    "last_rotation_index": 0,
}
NEVER = "0 0 29 2 *"  # nothing fires while a test looks
FREE = {"requiresApproval": False}
# What is not there and what is somebody else's: nobody can tell which.
NOT_YOURS = {"code": "42501", "details": None, "hint": None, "message": "not in this workspace, or not yours"}


class RowClient(Client):
    """Takes the only row out of the answer of a function that changes a schedule."""

    CHANGES = re.compile(r"fn_(upsert|pause|resume|toggle|delete)_workflow_schedule|fn_set_schedule_\w+")

    def json(self, name, body=None, expect=200, **arguments):
        answer = super().json(name, body, expect, **arguments)
        if expect != 200 or not self.CHANGES.fullmatch(name):
            return answer
        row, = answer
        return row


class Rpc(SecondGeneration, PostgrestWays, Served):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        connections = os.path.join(folder.name, "connections.toml")
        with open(os.open(connections, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
            # Nobody listens on port 1.
            file.write('[connections.away]\nkind = "http"\nurl = "http://127.0.0.1:1/"\nretry_for = "PT0.1S"\n'
                       'allow_private = true\n')
        cls.flags = (*Served.flags, "--connections-file", connections)
        super().setUpClass()
        cls.client = RowClient(cls.server.url, seen=cls.seen)
        cls.client.call("createTenant", {"name": "other"}, 201)
        cls.other = RowClient(cls.server.url, "other", seen=cls.seen)
        for client in (cls.client, cls.other):
            client.call("deployWorkflow", GRAPH, 201, workflow="digest")

    def upsert(self, expect=200, **arguments):
        return self.client.json("fn_upsert_workflow_schedule",
                                {"p_workflow_id": "digest", "p_cron_expr": NEVER, **arguments}, expect)

    def rows(self, **arguments):
        return {row["id"]: row for row in self.client.json("fn_workflow_get_schedules", arguments)}

    def row(self, schedule):
        return self.rows()[schedule]

    def logs(self, schedule, **more):
        return self.client.json("fn_get_schedule_action_logs", {"p_schedule_id": schedule, **more})

    def finish(self, run, **ending):
        """Both nodes, one after the other; the task of the run when it has no nodes."""
        while tasks := [task for task in self.client.json("claimTasks", {"worker": "w", "limit": 50})["items"]
                        if task["runId"] == run]:
            items = [{"runId": run, "attempt": task["attempt"], "node": task["node"], **ending} for task in tasks]
            self.client.json("completeTasks", {"items": items})

    # -- fn_upsert_workflow_schedule.

    def test_a_new_schedule_has_the_defaults_of_the_function(self):
        row = self.client.json("fn_upsert_workflow_schedule", {"p_workflow_id": "digest"})
        self.client.json("fn_pause_workflow_schedule", {"p_schedule_id": row["id"]})  # it would fire every minute
        self.assertEqual({name: row[name] for name in DEFAULTS}, DEFAULTS)
        self.assertEqual(set(row) - set(DEFAULTS), {"id", "next_run_at", "created_at", "updated_at"})
        self.assertRegex(row["next_run_at"], r":00Z$")
        native = self.client.json("getSchedule", schedule=row["id"])
        self.assertRegex(native["name"], r"^digest-[0-9a-f]{8}$")
        self.assertEqual((native["overlapPolicy"], native["missedRunPolicy"], native["maxBackfill"]),
                         ("allow_all", "skip", 100))
        self.assertEqual((native["approvalPolicy"]["requiresApproval"], native["retryPolicy"]["maxRetries"]), (True, 1))
        self.assertEqual((native["failurePolicy"]["mode"], native["assignee"], native["inputsTemplate"]),
                         ("isolate", None, {}))
        self.assertEqual((native["target"]["type"], native["target"]["workflowKind"], native["target"]["priority"]),
                         ("workflow", "digest", 0))
        run = self.client.json("triggerSchedule", schedule=self.upsert()["id"])
        self.assertEqual((run["status"], run["approvalStatus"]), ("awaiting_approval", "pending"))

    def test_every_argument_is_kept_and_read_natively(self):
        self.client.call("putAssignee", {"type": "team", "policies": {"spendingLimitCredits": 2}}, 201,
                         assignee="writers")
        policies = {
            "approval_policy": {"requiresApproval": False, "mode": "sensitive_actions",
                                "gates": ["publish", "spend", "anything"]},
            "retry_policy": {"maxRetries": 4, "backoffMs": 250, "retryOn": ["timeout", "rate_limit"],
                             "timeoutMs": 9000},
            "failure_policy": {"mode": "fallback", "fallbackAssigneeId": "editors"},
            "queue_policy": {"mode": "serial", "maxConcurrency": 3, "priority": 7, "onMissed": "backfill",
                             "maxBackfill": 12},
        }
        row = self.upsert(p_cron_expr="5 4 * * 1-5", p_timezone="Europe/Istanbul", p_global_model_id="gpt-x",
                          p_inputs_template={"a": [1]},
                          p_assignee_type="team", p_assignee_id="writers",
                          **{f"p_{name}": policy for name, policy in policies.items()})
        expected = {"cron_expr": "5 4 * * 1-5", "timezone": "Europe/Istanbul", "global_model_id": "gpt-x",
                    "inputs_template": {"a": [1]},
                    "assignee_type": "team", "assignee_id": "writers", **policies}
        self.assertEqual({name: row[name] for name in expected}, expected)
        native = self.client.json("getSchedule", schedule=row["id"])
        self.assertEqual((native["spec"]["cron"], native["spec"]["timezone"]), (["5 4 * * 1-5"], "Europe/Istanbul"))
        self.assertEqual(native["assignee"], {"type": "team", "id": "writers"})
        self.assertEqual(native["approvalPolicy"], {**policies["approval_policy"], "expiresAfterMs": None})
        self.assertEqual(native["retryPolicy"], policies["retry_policy"])
        self.assertEqual(native["failurePolicy"], policies["failure_policy"])
        self.assertEqual((native["overlapPolicy"], native["maxConcurrency"], native["target"]["priority"]),
                         ("skip", 3, 7))
        self.assertEqual((native["missedRunPolicy"], native["maxBackfill"], native["inputsTemplate"]),
                         ("fire_all", 12, {"a": [1]}))
        self.assertEqual(native["target"]["metadata"], {"global_model_id": "gpt-x"})
        once = self.upsert(p_queue_policy={"onMissed": "run_once"})
        self.assertEqual(once["queue_policy"], {"mode": "parallel", "onMissed": "run_once"})
        self.assertEqual(self.client.json("getSchedule", schedule=once["id"])["missedRunPolicy"], "fire_once")

    def test_an_assignment_says_what_the_arguments_leave_out(self):
        wanted = {"workflow": "digest", "assignee": {"type": "team", "id": "press"},
                  "approvalPolicy": {"requiresApproval": False, "gates": ["publish"]},
                  "retryPolicy": {"maxRetries": 5}, "failurePolicy": {"mode": "halt"},
                  "queuePolicy": {"mode": "serial", "priority": 4}}
        assignment = self.client.json("createAssignment", wanted, 201)["id"]
        self.client.call("putAssignee", {"type": "team", "policies": {"spendingLimitCredits": 1}}, 201,
                         assignee="press")
        row = self.upsert(p_workflow_assignment_id=assignment)
        expected = {"workflow_assignment_id": assignment, "assignee_type": "team", "assignee_id": "press",
                    "retry_policy": {"maxRetries": 5},
                    "approval_policy": {"requiresApproval": False, "gates": ["publish"]},
                    "failure_policy": {"mode": "halt"},
                    "queue_policy": {"mode": "serial", "priority": 4}}
        self.assertEqual({name: row[name] for name in expected}, expected)
        self.assertEqual(self.client.json("getSchedule", schedule=row["id"])["workflowAssignmentId"], assignment)
        own = self.upsert(p_workflow_assignment_id=assignment, p_retry_policy={"maxRetries": 2}, p_queue_policy={},
                          p_assignee_id="bo", p_approval_policy={})
        expected = {"workflow_assignment_id": assignment, "assignee_type": "agent", "assignee_id": "bo",
                    "retry_policy": {"maxRetries": 2},
                    "approval_policy": {"requiresApproval": True}, "queue_policy": {"mode": "parallel"}}
        self.assertEqual({name: own[name] for name in expected}, expected)
        without = self.upsert(p_schedule_id=row["id"])
        self.assertEqual({name: without[name] for name in DEFAULTS}, {**DEFAULTS, "cron_expr": NEVER},
                         "and a change without it has the defaults again")
        strict = self.client.json("createAssignment", {**wanted, "approvalPolicy": {"requiresApproval": True}},
                                  201)["id"]
        watched = self.upsert(p_workflow_assignment_id=strict, p_assignee_id="nobody-limits-me", p_approval_policy=FREE)
        self.assertTrue(watched["is_active"], "what the assignment wants approved holds")
        theirs = self.other.json("createAssignment", wanted, 201)["id"]
        for foreign in (theirs, NOWHERE, "nothing"):
            self.assertEqual(self.upsert(403, p_workflow_assignment_id=foreign), NOT_YOURS)
        self.client.call("deployWorkflow", GRAPH, 201, workflow="another")
        refused = self.upsert(400, p_workflow_id="another", p_workflow_assignment_id=assignment)
        self.assertEqual((refused["code"], refused["message"][:26]), ("22023", "p_workflow_assignment_id: "))

    def test_the_model_reaches_every_task(self):
        row = self.upsert(p_global_model_id="gpt-y", p_approval_policy=FREE, p_inputs_template={"topic": "tea"})
        run = self.client.json("triggerSchedule", schedule=row["id"])["id"]
        task = eventually(lambda: [one for one in self.client.json("claimTasks", {"worker": "w", "limit": 50})["items"]
                                   if one["runId"] == run])[0]
        self.assertEqual((task["target"]["metadata"], task["node"]), ({"global_model_id": "gpt-y"}, "collect"))
        self.assertEqual(self.client.json("getRun", run=run)["input"], {"topic": "tea"})

    def test_null_and_blank_mean_the_default(self):
        nothing = {name: None for name in ("p_schedule_id", "p_timezone", "p_global_model_id", "p_inputs_template",
                                           "p_is_active", "p_assignee_type",
                                           "p_assignee_id", "p_workflow_assignment_id", "p_approval_policy",
                                           "p_retry_policy", "p_failure_policy", "p_queue_policy")}
        row = self.upsert(**nothing)
        expected = {**DEFAULTS, "cron_expr": NEVER}
        self.assertEqual({name: row[name] for name in expected}, expected)
        for blank in ("", "  "):
            self.assertEqual(self.upsert(p_timezone=blank)["timezone"], "UTC")
        partly = self.upsert(p_approval_policy={"mode": "on_block"}, p_retry_policy={"backoffMs": 5},
                             p_failure_policy={}, p_queue_policy={"priority": 1})
        self.assertEqual(partly["approval_policy"], {"requiresApproval": True, "mode": "on_block"})
        self.assertEqual(partly["retry_policy"], {"maxRetries": 1, "backoffMs": 5})
        self.assertEqual((partly["failure_policy"], partly["queue_policy"]),
                         ({"mode": "isolate"}, {"mode": "parallel", "priority": 1}))

    def test_a_change_has_the_defaults_again_and_keeps_what_it_has_no_argument_for(self):
        row = self.upsert(p_timezone="Europe/Berlin", p_global_model_id="m", p_inputs_template={"x": 1},
                          p_retry_policy={"maxRetries": 9},
                          p_queue_policy={"mode": "serial"})
        kept = {"labels": {"team": "ink"}, "calendars": ["weekends-only"],
                "preDispatchCondition": {"/last_24h_stats/failed": {"lt": 3}},
                "inputsRotation": [{"n": 1}, {"n": 2}], "description": "kept", "maxRuns": 50,
                "target": {"metadata": {"own": "stays"}, "queue": "ink"},
                "spec": {"endAt": "2090-01-01T00:00:00Z", "jitter": {"after": "PT5S"}}}
        self.client.json("patchSchedule", kept, schedule=row["id"])
        shown = self.row(row["id"])
        self.assertEqual((shown["calendars"], shown["inputs_rotation"]), (["weekends-only"], [{"n": 1}, {"n": 2}]))
        self.assertEqual(shown["pre_dispatch_condition"], {"/last_24h_stats/failed": {"lt": 3}})
        changed = self.upsert(p_schedule_id=row["id"], p_cron_expr="0 8 * * *")
        expected = {**DEFAULTS, "cron_expr": "0 8 * * *", "description": "kept", "id": row["id"],
                    **{name: shown[name] for name in
                    ("calendars", "inputs_rotation", "pre_dispatch_condition", "created_at")}}
        self.assertEqual({name: changed[name] for name in expected}, expected)
        native = self.client.json("getSchedule", schedule=row["id"])
        for name in ("labels", "calendars", "preDispatchCondition", "inputsRotation", "description", "maxRuns"):
            self.assertEqual(native[name], kept[name], name)
        self.assertEqual((native["target"]["metadata"], native["target"]["queue"]), ({"own": "stays"}, "ink"))
        self.assertEqual((native["spec"]["endAt"], native["spec"]["jitter"]["after"]), ("2090-01-01T00:00:00Z", "PT5S"))
        self.assertEqual((native["spec"]["cron"], native["spec"]["timezone"], native["version"]),
                         (["0 8 * * *"], "UTC", 3))

    def test_what_was_made_natively_is_a_row_and_can_be_changed(self):
        native = self.client.json("createSchedule", {"name": "natively",
                                                     "spec": {"intervals": [{"every": "PT6H"}], "cron": ["0 0 1 1 *"]},
                                                     "target": {"type": "task", "taskKind": "mail",
                                                                "input": {"to": "x"}}, "overlapPolicy": "buffer_all",
                                                     "missedRunPolicy": "spread"}, 201)
        row = self.row(native["id"])
        self.assertEqual((row["cron_expr"], row["workflow_id"], row["is_active"]), (None, "mail", True))
        self.assertEqual((row["queue_policy"], row["approval_policy"]),
                         ({"mode": "buffer_all", "onMissed": "spread"}, FREE))
        self.assertEqual(row["next_run_at"], native["nextRunAt"])
        again = self.upsert(p_schedule_id=native["id"], p_queue_policy=row["queue_policy"])
        self.assertEqual((again["cron_expr"], again["workflow_id"], again["queue_policy"]),
                         (NEVER, "digest", row["queue_policy"]))
        changed = self.client.json("getSchedule", schedule="natively")
        self.assertEqual((changed["spec"]["intervals"], changed["overlapPolicy"], changed["target"]["type"]),
                         ([], "buffer_all", "workflow"))

    def test_switching_on_and_off(self):
        off = self.upsert(p_is_active=False)
        self.assertEqual((off["is_active"], off["next_run_at"], off["last_dispatch_status"]), (False, None, "paused"))
        events = self.client.json("getScheduleHistory", schedule=off["id"])["items"]
        self.assertEqual([event["type"] for event in events], ["ScheduleCreated", "SchedulePaused"])
        self.assertFalse(self.upsert(p_schedule_id=off["id"], p_is_active=False, p_cron_expr="0 1 * * *")["is_active"],
                         "it stays so")
        on = self.upsert(p_schedule_id=off["id"])
        self.assertTrue(on["is_active"] and on["next_run_at"], "true is the default")
        self.assertFalse(self.upsert(p_schedule_id=off["id"], p_is_active=False)["is_active"])
        self.assertEqual(self.client.json("getSchedule", schedule=off["id"])["status"], "paused")
        resumed = self.client.json("fn_resume_workflow_schedule", {"p_schedule_id": off["id"]})
        self.assertTrue(resumed["is_active"] and resumed["next_run_at"])
        twice = self.client.json("fn_resume_workflow_schedule", {"p_schedule_id": off["id"]}, 400)
        self.assertEqual((twice["code"], twice["message"]), ("22023", "cannot resume a schedule that is active"))
        for _ in range(2):
            paused = self.client.json("fn_pause_workflow_schedule", {"p_schedule_id": off["id"]})
            self.assertEqual((paused["is_active"], paused["last_dispatch_status"]), (False, "paused"))
        self.assertEqual({**paused, "is_active": True}, {**self.row(off["id"]), "is_active": True})
        gone = self.client.json("fn_delete_workflow_schedule", {"p_schedule_id": off["id"]})
        self.assertEqual((gone["id"], gone["is_active"]), (off["id"], False))
        self.assertNotIn(off["id"], self.rows())
        self.assertEqual(self.client.json("getSchedule", schedule=off["id"])["status"], "deleted")
        for function in ("fn_pause_workflow_schedule", "fn_resume_workflow_schedule", "fn_delete_workflow_schedule",
                         "fn_preview_schedule_ticks"):
            self.assertEqual(self.client.json(function, {"p_schedule_id": off["id"]}, 403), NOT_YOURS, function)
        self.assertEqual(self.upsert(403, p_schedule_id=off["id"]), NOT_YOURS)
        self.assertEqual([row["action_type"] for row in self.logs(off["id"])][-1], "schedule_deleted")

    # -- Refusals.

    def test_arguments_that_are_wrong(self):
        rows = (
            ({"p_cron_expr": "* * * *"}, "p_cron_expr: has 4 fields"),
            ({"p_cron_expr": "0 * * * * *"}, "p_cron_expr: has 6 fields"),
            ({"p_cron_expr": "@daily"}, "p_cron_expr: has 1 fields"),
            ({"p_cron_expr": ""}, "p_cron_expr: has 0 fields"),
            ({"p_cron_expr": "61 * * * *"}, "p_cron_expr: "),
            ({"p_cron_expr": "0 0 30 2 *"}, "p_cron_expr: "),
            ({"p_timezone": "Mars/Base"}, "p_timezone: "),
            ({"p_assignee_type": "robot"}, 'p_assignee_type: "robot" is none of agent, team'),
            ({"p_queue_policy": {"mode": "sideways"}}, "p_queue_policy.mode: "),
            ({"p_queue_policy": {"onMissed": "cry"}}, "p_queue_policy.onMissed: "),
            ({"p_queue_policy": {"maxConcurrency": 0}}, "p_queue_policy.maxConcurrency: "),
            ({"p_queue_policy": {"colour": "red"}}, "p_queue_policy.colour: "),
            ({"p_retry_policy": {"maxRetries": -1}}, "p_retry_policy.maxRetries: "),
            ({"p_retry_policy": {"retryOn": ["monday"]}}, "p_retry_policy.retryOn.0: "),
            ({"p_failure_policy": {"mode": "fallback"}}, "p_failure_policy.fallbackAssigneeId: "),
            ({"p_approval_policy": {"mode": "never"}}, "p_approval_policy.mode: "),
            ({"p_approval_policy": {"requiresApproval": "no"}}, "p_approval_policy.requiresApproval: "),
            ({"p_inputs_template": {"x": "y" * 300_000}}, "p_inputs_template: "),
        )
        before = len(self.rows())
        for arguments, message in rows:
            with self.subTest(arguments if len(str(arguments)) < 200 else "long"):
                refused = self.upsert(400, **arguments)
                self.assertEqual((refused["code"], set(refused)), ("22023", {"code", "message", "details", "hint"}))
                self.assertTrue(refused["message"].startswith(message), refused)
        several = self.upsert(400, p_cron_expr="61 * * * *", p_timezone="Mars/Base")
        self.assertIn("p_timezone: ", several["message"] + str(several["details"]))
        self.assertEqual(len(self.rows()), before, "nothing was made")

    def test_values_of_the_wrong_type(self):
        for arguments, kind in (({"p_is_active": "maybe"}, "boolean"), ({"p_cron_expr": 5}, "text"),
                                ({"p_retry_policy": []}, "jsonb"),
                                ({"p_schedule_id": "not-a-uuid"}, "uuid")):
            with self.subTest(arguments):
                refused = self.upsert(400, **arguments)
                self.assertEqual(refused["code"], "22P02")
                self.assertTrue(refused["message"].endswith(f" is not of type {kind}"), refused)
        refused = self.client.json("fn_preview_schedule_ticks", {"p_schedule_id": NOWHERE, "p_n": "many"}, 400)
        self.assertEqual(refused["message"], '"many" is not of type integer')

    def test_functions_and_arguments_that_there_are_none_of(self):
        answer = self.client.json("fn_pause_workflow_schedule", {"p_schedule_id": NOWHERE, "p_reason": "x"}, 404)
        self.assertEqual(answer, {
            "code": "PGRST202",
            "details": "A function is known by its name and by the names of its arguments.",
            "hint": "call public.fn_pause_workflow_schedule(p_schedule_id)",
            "message": "there is no function public.fn_pause_workflow_schedule(p_reason, p_schedule_id)"})
        for function in ("fn_upsert_workflow_schedule", "fn_delete_workflow_schedule", "fn_resume_workflow_schedule",
                         "fn_preview_schedule_ticks",
                         "fn_workflow_schedule_history", "fn_get_schedule_action_logs"):
            for body in (None, {}):
                missing = self.client.json(function, body, 404)
                self.assertEqual(missing["code"], "PGRST202", function)
                self.assertEqual(missing["message"], f"there is no function public.{function}()")
        unknown = self.client.json("fn_unknown", {"a": 1}, 404, function="fn_pause_workflow_schedul")
        self.assertEqual((unknown["code"], unknown["hint"]),
                         ("PGRST202", "call public.fn_pause_workflow_schedule"))
        self.assertEqual(unknown["message"], "there is no function public.fn_pause_workflow_schedul(a)")
        self.assertIsNone(self.client.json("fn_unknown", None, 404, function="something_else")["hint"])
        broken = self.client.call("fn_workflow_get_schedules", text="{", media="application/json", expect=400).json
        self.assertEqual((broken["code"], set(broken)), ("PGRST102", {"code", "message", "details", "hint"}))
        self.assertEqual(self.client.call("fn_workflow_get_schedules", text="x", media="text/plain",
                                          expect=415).json["code"], "PGRST107")
        self.assertEqual(self.client.call("fn_workflow_get_schedules", text="[1]", media="application/json",
                                          expect=400).json["code"], "22023")

    def test_what_is_somebody_elses(self):
        theirs = self.other.json("fn_upsert_workflow_schedule", {"p_workflow_id": "digest", "p_cron_expr": NEVER})["id"]
        self.other.call("deployWorkflow", GRAPH, 201, workflow="secret")
        for schedule in (theirs, NOWHERE):
            for function in ("fn_pause_workflow_schedule", "fn_resume_workflow_schedule", "fn_delete_workflow_schedule",
                             "fn_preview_schedule_ticks",
                             "fn_workflow_schedule_history", "fn_get_schedule_action_logs"):
                self.assertEqual(self.client.json(function, {"p_schedule_id": schedule}, 403), NOT_YOURS, function)
            self.assertEqual(self.upsert(403, p_schedule_id=schedule), NOT_YOURS)
        for workflow in ("secret", "never-was", "", None):
            self.assertEqual(self.upsert(403, p_workflow_id=workflow), NOT_YOURS, workflow)
            self.assertEqual(self.rows(p_workflow_id=workflow or "") if workflow is not None else {}, {}, workflow)
        self.assertNotIn(theirs, self.rows())
        self.assertIn(theirs, [row["id"] for row in self.other.json("fn_workflow_get_schedules")])
        self.assertEqual(self.other.json("getSchedule", schedule=theirs)["version"], 1, "nothing was changed")
        nowhere = Client(self.server.url, "never-was").json("fn_workflow_get_schedules", None, 403)
        self.assertEqual(nowhere, NOT_YOURS)

    def test_a_workflow_with_a_cycle_cannot_be_deployed_at_all(self):
        cycle = {"nodes": [{"id": "a", "dependsOn": ["b"]}, {"id": "b", "dependsOn": ["a"]}]}
        self.assertEqual(self.client.call("deployWorkflow", cycle, 422, workflow="round").json["code"],
                         "cycle_detected")
        self.assertEqual(self.upsert(403, p_workflow_id="round"), NOT_YOURS)

    def test_a_workflow_that_has_a_cycle_nevertheless_cannot_be_switched_on(self):
        self.client.call("deployWorkflow", GRAPH, 201, workflow="circle")
        # As a second version: the server knows the first one by heart.
        changed = ("""INSERT INTO workflow_versions SELECT workflow_key, 2, """
                   """replace(body, '"id":"collect"', '"id":"collect","dependsOn":["write"]') """
                   """FROM workflow_versions WHERE body LIKE '%"name":"circle"%'""",
                   "UPDATE workflows SET newest = 2 WHERE name = 'circle'")
        place = self.server.store_flags[1]
        if STORE == "sqlite":
            with contextlib.closing(sqlite3.connect(os.path.join(place, "belfry.db"),
                                                    timeout=30)) as database, database:
                self.assertEqual([database.execute(statement).rowcount for statement in changed], [1, 1])
        else:
            psql = [os.path.join(programs(), "psql"), "-X", "-d", place,
                    *(word for statement in changed for word in ("-c", statement))]
            self.assertIn("INSERT 0 1\nUPDATE 1",
                          subprocess.run(psql, check=True, capture_output=True, text=True, timeout=60, cwd="/").stdout)
        refused = self.upsert(400, p_workflow_id="circle")
        self.assertEqual((refused["code"], refused["message"][:16]), ("22023", "cycle_detected: "))
        off = self.upsert(p_workflow_id="circle", p_is_active=False)
        self.assertFalse(off["is_active"], "one that does not run may wait for a better one")
        self.assertEqual(self.upsert(400, p_workflow_id="circle", p_schedule_id=off["id"]), refused)

    # -- Reading.

    def test_lists(self):
        self.client.call("deployWorkflow", GRAPH, 201, workflow="listed")
        made = [self.upsert(p_workflow_id="listed")["id"] for _ in range(3)]
        self.assertEqual(set(self.rows(p_workflow_id="listed")), set(made))
        self.assertLessEqual(set(made), set(self.rows()))
        self.assertEqual(set(self.rows(p_workflow_id=None)), set(self.rows()))
        whole = [row["id"] for row in self.client.json("fn_workflow_get_schedules", {"p_workflow_id": "listed"})]
        part = self.client.json("fn_workflow_get_schedules", {"p_workflow_id": "listed"}, limit=1, offset=1)
        self.assertEqual([row["id"] for row in part], whole[1:2])
        self.assertEqual(self.client.json("fn_workflow_get_schedules", {"p_workflow_id": "listed"}, offset=3), [])
        self.assertEqual(self.client.call("fn_workflow_get_schedules", {}, 400, limit="x").json["code"],
                         "PGRST100")

    def test_previews(self):
        row = self.upsert(p_cron_expr="*/10 * * * *", p_inputs_template={"a": 1})
        self.client.json("setRotation", {"entries": [{"n": 0}, {"n": 1}]}, schedule=row["id"])
        ticks = self.client.json("fn_preview_schedule_ticks", {"p_schedule_id": row["id"], "p_n": 3})
        self.assertEqual([set(tick) for tick in ticks], [{"tick_at", "decision", "reason", "inputs"}] * 3)
        self.assertEqual([(tick["decision"], tick["reason"], tick["inputs"]) for tick in ticks],
                         [("dispatch", None, {"n": 0}), ("dispatch", None, {"n": 1}), ("dispatch", None, {"n": 0})])
        native = self.client.json("previewSchedule", schedule=row["id"], n=3)["items"]
        self.assertEqual([tick["tick_at"] for tick in ticks], [each["occurrence"] for each in native])
        self.assertEqual(ticks, self.client.json("fn_preview_schedule_ticks", {"schedule_id": row["id"], "n": 3}),
                         "by the other names")
        self.assertEqual(self.row(row["id"])["last_rotation_index"], 0, "nothing was changed")
        for asked, given in ((0, 1), (-5, 1), (1, 1), (200, 200), (201, 200), (10**9, 200), (None, 10)):
            self.assertEqual(len(self.client.json("fn_preview_schedule_ticks",
                                                  {"p_schedule_id": row["id"], "p_n": asked})), given, asked)
        daily = self.upsert(p_cron_expr="0 12 * * *")["id"]
        month = self.client.json("fn_preview_schedule_ticks", {"p_schedule_id": daily, "p_n": 200})
        self.assertEqual(len(month), 31, "a month is as far as it looks")
        self.client.json("fn_pause_workflow_schedule", {"p_schedule_id": daily})
        paused = self.client.json("fn_preview_schedule_ticks", {"p_schedule_id": daily, "p_n": 1})
        self.assertEqual((paused[0]["decision"], paused[0]["reason"]), ("skip", "status_not_triggerable"))

    def test_what_the_last_occurrence_came_to(self):
        row = self.upsert(p_approval_policy=FREE, p_queue_policy={"mode": "serial"})
        self.assertIsNone(row["last_dispatch_status"])
        first = self.client.json("triggerSchedule", schedule=row["id"])
        dispatched = self.row(row["id"])
        self.assertEqual((dispatched["last_dispatch_status"], dispatched["last_run_id"]), ("dispatched", first["id"]))
        self.assertEqual(dispatched["last_run_at"], self.client.json("getSchedule", schedule=row["id"])["lastRunAt"])
        self.client.json("triggerSchedule", schedule=row["id"])
        skipped = self.row(row["id"])
        self.assertEqual((skipped["last_dispatch_status"], skipped["last_run_id"]), ("skipped_overlap", first["id"]))
        self.client.json("fn_pause_workflow_schedule", {"p_schedule_id": row["id"]})
        self.assertEqual(self.row(row["id"])["last_dispatch_status"], "paused")
        self.client.json("fn_resume_workflow_schedule", {"p_schedule_id": row["id"]})
        self.finish(first["id"], status="succeeded", result={"said": "done"})
        done = self.row(row["id"])
        self.assertEqual((done["last_result"], done["last_error_message"]), ({"said": "done"}, None))
        self.assertEqual(done["last_completed_at"], self.client.json("getRun", run=first["id"])["completedAt"])
        second = self.client.json("triggerSchedule", schedule=row["id"])["id"]
        self.client.json("completeRun", {"status": "failed", "error": "no ink"}, run=second)
        failed = self.row(row["id"])
        self.assertEqual((failed["last_error_message"], failed["last_dispatch_status"]), ("no ink", "dispatched"))
        self.assertEqual((failed["last_error_at"], failed["last_result"]), (failed["last_completed_at"], None))

    def test_the_other_words_for_what_it_came_to(self):
        self.client.call("deployWorkflow", GRAPH, 201, workflow="short-lived")
        row = self.upsert(p_workflow_id="short-lived", p_approval_policy=FREE)
        self.client.call("removeWorkflow", expect=204, workflow="short-lived", force="true")
        self.client.json("triggerSchedule", schedule=row["id"])
        self.assertEqual(self.row(row["id"])["last_dispatch_status"], "validation_failed")
        self.client.call("putAssignee", {"type": "agent", "policies": {"spendingLimitCredits": 1, "maxRunsPerDay": 1}},
                         201, assignee="busy")
        row = self.upsert(p_assignee_id="busy", p_approval_policy=FREE)
        for _ in range(2):
            self.client.json("triggerSchedule", schedule=row["id"])
        self.assertEqual(self.row(row["id"])["last_dispatch_status"], "skipped_budget_exceeded")
        row = self.upsert(p_approval_policy=FREE, p_retry_policy={"maxRetries": 0})
        self.client.json("patchSchedule", {"target": {"connection": "away"}}, schedule=row["id"])
        run = self.client.json("triggerSchedule", schedule=row["id"])["id"]
        eventually(lambda: self.client.json("getRun", run=run)["status"] == "failed")
        failed = self.row(row["id"])
        self.assertEqual((failed["last_dispatch_status"], failed["last_run_id"]), ("dispatch_failed", run))
        self.assertIn("connection away", failed["last_error_message"])

    # -- Looking back.

    def test_the_action_log_has_one_row_for_everything(self):
        row = self.upsert(p_approval_policy=FREE, p_queue_policy={"mode": "serial"})["id"]
        self.client.json("setRotation", {"entries": [{"n": 0}, {"n": 1}]}, schedule=row)
        first = self.client.json("triggerSchedule", schedule=row)["id"]
        for _ in range(2):
            self.client.json("triggerSchedule", schedule=row)
        self.client.json("cancelRun", run=first)
        second = self.client.json("triggerSchedule", schedule=row)["id"]
        self.upsert(p_schedule_id=row, p_cron_expr="0 5 * * *", p_timezone="Asia/Tokyo", p_is_active=False)
        logs = self.logs(row)
        self.assertEqual([log["action_type"] for log in logs],
                         ["schedule_created", "schedule_updated", "dispatch_schedule", "schedule_skipped",
                          "schedule_skipped", "dispatch_schedule",
                          "schedule_paused", "schedule_updated"])
        self.assertEqual([set(log) for log in logs],
                         [{"id", "schedule_id", "action_type", "created_at", "payload", "snapshot"}] * 8)
        dispatches = [log["payload"] for log in logs if log["action_type"] == "dispatch_schedule"]
        self.assertEqual([(each["workflow_run_id"], each["rotation_index_used"]) for each in dispatches],
                         [(first, 0), (second, 1)])
        skips = [log["payload"] for log in logs if log["action_type"] == "schedule_skipped"]
        self.assertEqual([skip["reason"] for skip in skips], ["overlap_in_flight"] * 2)
        self.assertEqual(self.client.json("getSchedule", schedule=row)["skippedTriggerCount"], 2)
        before = {"workflow_id": "digest", "workflow_version": None, "cron_expr": NEVER, "timezone": "UTC",
                  "queue_mode": "serial", "priority": 0}
        for log in logs[:7]:
            self.assertEqual({name: log["snapshot"][name] for name in before}, before)
        self.assertEqual((logs[7]["snapshot"]["cron_expr"], logs[7]["snapshot"]["timezone"],
                          logs[7]["snapshot"]["queue_mode"]),
                         ("0 5 * * *", "Asia/Tokyo", "parallel"))
        self.assertEqual(logs[3]["snapshot"]["defined_at"], logs[1]["created_at"])
        self.assertNotIn("spec", logs[0]["payload"])
        pages, after = [], None
        while page := self.logs(row, p_limit=3, p_after=after):
            pages += page
            after = page[-1]["id"]
        self.assertEqual(pages, logs, "the same page by page, snapshots included")
        for wrong in ("x", "3", "3.9", "4.3"):
            refused = self.client.json("fn_get_schedule_action_logs", {"p_schedule_id": row, "p_after": wrong}, 400)
            self.assertEqual((refused["code"], refused["message"][:9]), ("22023", "p_after: "), wrong)
        self.assertEqual(len(self.logs(row, p_limit=0)), 1)

    def test_skips_by_calendar_and_condition_are_logged_with_their_reason(self):
        self.client.call("createCalendar", {"name": "never", "kind": "only_dates", "dates": []}, 201)
        for change, reason in (({"calendars": ["never"]}, "calendar"),
                               ({"preDispatchCondition": {"/prior_run_result": {"eq": "x"}}}, "condition_failed")):
            row = self.upsert(p_approval_policy=FREE)["id"]
            # To the second, so that the test need not wait for a minute.
            self.client.json("patchSchedule", {**change, "spec": {"cron": ["* * * * * *"]}}, schedule=row)
            skips = eventually(lambda: [log for log in self.logs(row) if log["action_type"] == "schedule_skipped"])
            self.client.json("fn_pause_workflow_schedule", {"p_schedule_id": row})
            self.assertEqual(skips[0]["payload"]["reason"], reason)
            skips = [log for log in self.logs(row) if log["action_type"] == "schedule_skipped"]
            self.assertEqual(len(skips), self.client.json("getSchedule", schedule=row)["skippedTriggerCount"])

    def test_the_history_of_dispatched_runs(self):
        self.client.call("putAssignee", {"type": "agent", "policies": {"spendingLimitCredits": 5}}, 201,
                         assignee="historian")
        row = self.upsert(p_assignee_id="historian", p_queue_policy={"mode": "serial"})["id"]
        rejected = self.client.json("triggerSchedule", schedule=row)["id"]
        self.client.json("triggerSchedule", schedule=row)  # skipped: it is not in the history
        self.client.json("rejectRun", {"comment": "no"}, run=rejected)
        approved = self.client.json("triggerSchedule", schedule=row)["id"]
        self.client.json("approveRun", run=approved)
        task = self.client.json("claimTasks", {"worker": "w", "assignee": "historian"})["items"][0]
        self.client.json("completeTasks", {"items": [{"runId": approved, "attempt": task["attempt"],
                                                      "node": task["node"], "status": "failed",
                                                      "error": "no ink", "usage": {"credits": 0.5}}]})
        runs = self.client.json("fn_workflow_schedule_history", {"p_schedule_id": row})
        self.assertEqual([(run["run_id"], run["approval_status"]) for run in runs],
                         [(approved, "approved"), (rejected, "rejected")])
        self.assertEqual((runs[1]["status"], runs[1]["cost"]), ("cancelled", None))
        self.assertEqual(runs[0]["cost"]["credits"], 0.5)
        self.assertEqual(runs[0]["scheduled_at"], self.client.json("getRun", run=approved)["scheduledAt"])
        self.assertEqual([run["run_id"] for run in self.client.json("fn_workflow_schedule_history",
                                                                    {"p_schedule_id": row, "p_limit": 1})], [approved])
        self.client.json("fn_delete_workflow_schedule", {"p_schedule_id": row})
        self.assertEqual(len(self.client.json("fn_workflow_schedule_history", {"p_schedule_id": row})), 2,
                         "it outlives the schedule")

    def test_the_feed_of_dispatches(self):
        other = self.other
        row = other.json("fn_upsert_workflow_schedule",
                         {"p_workflow_id": "digest", "p_cron_expr": NEVER, "p_queue_policy": {"mode": "serial"}})["id"]
        runs = []
        for _ in range(3):
            runs.insert(0, other.json("triggerSchedule", schedule=row)["id"])
            other.json("triggerSchedule", schedule=row)  # skipped
            other.json("cancelRun", run=runs[0])
        items = other.json("fn_get_automation_feed")
        self.assertEqual([(item["kind"], item["workflow_run_id"]) for item in items],
                         [("schedule_dispatch", run) for run in runs])
        self.assertEqual({(item["schedule_id"], item["status"], item["approval_status"], item["trigger"])
                          for item in items},
                         {(row, "cancelled", "void", "trigger")})
        first = other.json("fn_get_automation_feed", {"p_limit": 2})
        rest = other.json("fn_get_automation_feed", {"p_limit": 2, "p_after": first[-1]["id"]})
        self.assertEqual(first + rest, items)
        self.assertEqual(other.json("fn_get_automation_feed", {"p_after": "x"}, 400)["code"], "22023")
        self.assertNotIn(runs[0], [item["id"] for item in self.client.json("fn_get_automation_feed", {"p_limit": 200})])

    # -- Nobody works unwatched.

    def test_nothing_is_switched_on_without_approval_and_without_a_limit(self):
        self.client.call("putAssignee", {"type": "agent", "policies": {}}, 201, assignee="spender")
        before = set(self.rows())
        bodies = [self.upsert(403, p_assignee_id="spender", p_approval_policy=FREE) for _ in range(2)]
        self.assertEqual(bodies[0], bodies[1])
        self.assertEqual((bodies[0]["code"], set(self.rows())), ("42501", before))
        kept = re.search(r"[0-9a-f-]{36}$", bodies[0]["message"])[0]
        logs = self.logs(kept)
        self.assertEqual([log["action_type"] for log in logs],
                         ["schedule_created", "approval_bypass_attempt", "schedule_deleted"])
        self.assertEqual((logs[1]["payload"]["how"], logs[1]["payload"]["run"]), ("activated_unsupervised", None))
        self.assertEqual(self.client.json("getSchedule", schedule=kept)["status"], "deleted")
        nobody = self.upsert(403, p_assignee_id="nobody-knows", p_approval_policy=FREE)
        self.assertNotIn(kept, nobody["message"], "another assignee is another attempt")
        off = self.upsert(p_assignee_id="spender", p_approval_policy=FREE, p_is_active=False)
        self.assertFalse(off["is_active"], "as long as it does not run")
        for _ in range(2):
            refused = self.client.json("fn_resume_workflow_schedule", {"p_schedule_id": off["id"]}, 403)
            self.assertEqual((refused["code"], refused["message"][-36:]), ("42501", off["id"]))
        self.upsert(403, p_schedule_id=off["id"], p_assignee_id="spender", p_approval_policy=FREE)
        self.assertFalse(self.row(off["id"])["is_active"])
        attempts = [log for log in self.logs(off["id"]) if log["action_type"] == "approval_bypass_attempt"]
        self.assertEqual(len(attempts), 1, "once for whoever tries it")
        self.client.json("putAssignee", {"type": "agent", "policies": {"spendingLimitCredits": 1}}, assignee="spender")
        self.assertTrue(self.client.json("fn_resume_workflow_schedule", {"p_schedule_id": off["id"]})["is_active"])
        self.assertTrue(self.upsert(p_assignee_id="spender", p_approval_policy=FREE)["is_active"])
        self.assertTrue(self.upsert(p_assignee_id="nobody-knows")["is_active"], "with approval it may")
        self.assertTrue(self.upsert(p_approval_policy=FREE)["is_active"], "without an assignee nobody spends")

    # -- As the clients come.

    def test_supabase_clients_come_by_another_path(self):
        headers = {"Content-Type": "application/json", "apikey": "k", "Authorization": "Bearer k",
                   "Content-Profile": "public", "X-Client-Info": "x"}
        answer = send(self.server.url, "POST", "/rest/v1/rpc/fn_workflow_get_schedules", "{}", headers)
        self.assertEqual((answer.status, answer.json), (200, self.client.json("fn_workflow_get_schedules")))
        self.assertEqual(send(self.server.url, "POST", "/rest/v1/rpc/nothing", "{}", headers).json["code"], "PGRST202")
        other = send(self.server.url, "POST", "/rpc/fn_workflow_get_schedules", None, {"X-Namespace": "other"})
        self.assertEqual(other.json, self.other.json("fn_workflow_get_schedules"))
        wrong = send(self.server.url, "GET", "/rpc/fn_upsert_workflow_schedule?p_workflow_id=digest")
        self.assertEqual((wrong.status, wrong.headers["Allow"], wrong.json["code"]), (405, "POST, OPTIONS", "25006"))

    def test_recorded_conversations(self):
        for name in ("rpc", "lenserfight_cli", "lenserfight_web"):
            with self.subTest(name):
                tenant = name.replace("_", "-")
                self.client.call("createTenant", {"name": tenant}, 201)
                self.assertGreater(replay(self.server.url, os.path.join(HERE, "conversations", f"{name}.json"),
                                          {"X-Namespace": tenant}), 10)

    def test_zz_every_function_was_called(self):
        self.expect_all_called(lambda operation: operation["tags"] == ["RPC dialect"])


class Credentials(unittest.TestCase):
    def test_nobody_in_particular_is_told_to_say_who_they_are(self):
        with running_server("--auth", "required") as server:
            client = Client(server.url)
            answer = client.call("fn_workflow_get_schedules", expect=401)
            self.assertEqual((answer.json["code"], set(answer.json)), ("42501", {"code", "message", "details", "hint"}))
            self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")


if __name__ == "__main__":
    unittest.main()
