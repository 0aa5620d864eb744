"""Every operation of the API through real HTTP, each answer held against the API's own description."""

import json
import subprocess
import unittest

from client import send
from document import filled, is_dialect
from served import Served, eventually

DAILY = {
    "name": "daily-report",
    "description": "The numbers of yesterday",
    "labels": {"team": "billing"},
    "spec": {"cron": ["0 9 * * *"], "timezone": "America/New_York"},
    "target": {"type": "workflow", "workflowKind": "report", "input": {"region": "us"}, "metadata": {"trace": "on"}},
}


def named(name, **more):
    return {**DAILY, "name": name, **more}


class EveryOperation(Served):
    def test_schedules(self):
        client = self.client
        made = client.call("createSchedule", DAILY, 201)
        schedule = made.json
        self.assertEqual(made.headers["Location"], f"/api/tenants/default/schedules/{schedule['id']}")
        self.assertEqual(schedule["scheduleType"]["description"], "At 9:00 AM every day")
        self.assertEqual(client.call("createSchedule", DAILY, 409).json["code"], "already_exists")
        one = client.call("getSchedule", schedule=schedule["id"], expect=200)
        self.assertEqual(one.headers["ETag"], made.headers["ETag"])
        self.assertEqual(one.json, client.json("getSchedule", schedule="daily-report"), "by its name")
        changed = client.json("replaceSchedule", named("daily-report", notes="new"), schedule=schedule["id"],
                              headers={"If-Match": one.headers["ETag"]})
        self.assertEqual((changed["notes"], changed["version"]), ("new", 2))
        client.call("replaceSchedule", DAILY, 409, schedule=schedule["id"], headers={"If-Match": '"1"'})
        paused = client.json("pauseSchedule", {"reason": "holiday"}, schedule="daily-report")
        self.assertEqual((paused["status"], paused["nextRunAt"], paused["pauseReason"]), ("paused", None, "holiday"))
        self.assertEqual(client.json("pauseSchedule", schedule="daily-report")["status"], "paused", "again is fine")
        self.assertEqual(client.json("resumeSchedule", schedule="daily-report")["status"], "active")
        client.call("resumeSchedule", schedule="daily-report", expect=422)
        rows = client.json("previewSchedule", schedule="daily-report", n=3)["items"]
        self.assertEqual([row["local"][11:] for row in rows], ["09:00:00"] * 3)
        types = [event["type"] for event in client.json("getScheduleHistory", schedule="daily-report")["items"]]
        self.assertEqual(types, ["ScheduleCreated", "ScheduleUpdated", "SchedulePaused", "ScheduleResumed"])
        page = client.json("getScheduleHistory", schedule="daily-report", limit=1, after_sequence=1)
        self.assertEqual((page["items"][0]["sequence"], page["nextCursor"]), (2, "2"))
        client.json("deleteSchedule", schedule="daily-report", reason="done", purge="true")
        client.call("getSchedule", schedule="daily-report", expect=404)
        self.assertEqual(client.json("getSchedule", schedule=schedule["id"])["status"], "deleted")
        verified = client.json("verifyAudit", schedule=schedule["id"])
        self.assertEqual((verified["verified"], verified["events"], verified["schedules"]), (True, 5, 1))
        self.assertEqual(len(client.json("getScheduleHistory", schedule=schedule["id"])["items"]), 5,
                         "history outlives it")

    def test_lists(self):
        client = self.client
        for number in range(5):
            client.call("createSchedule",
                        named(f"list-{number}", labels={"half": "even" if number % 2 == 0 else "odd"}), 201)
        first = client.json("listSchedules", namePrefix="list-", limit=2)
        self.assertEqual([item["name"] for item in first["items"]], ["list-0", "list-1"])
        second = client.json("listSchedules", namePrefix="list-", limit=2, cursor=first["nextCursor"])
        self.assertEqual([item["name"] for item in second["items"]], ["list-2", "list-3"])
        even = client.json("listSchedules", label="half:even")
        self.assertEqual([item["name"] for item in even["items"]], ["list-0", "list-2", "list-4"])
        self.assertEqual(client.call("listSchedules", limit=0, expect=422).json["errors"][0]["parameter"], "limit")
        self.assertEqual(client.call("listSchedules", cursor="zz", expect=422).json["errors"][0]["parameter"], "cursor")

    def test_runs_and_tasks(self):
        client = self.client
        client.call("createSchedule", named("runs", target={"type": "task", "taskKind": "greet", "queue": "greeting"},
                                            overlapPolicy="allow_all"), 201)
        run = client.json("triggerSchedule", {"input": {"n": 1}, "reason": "because"}, schedule="runs")
        self.assertEqual((run["status"], run["cause"], run["input"]), ("queued", "trigger", {"n": 1}))
        tasks = client.json("claimTasks", {"queue": "greeting", "worker": "w1"})["items"]
        self.assertEqual([task["runId"] for task in tasks], [run["id"]])
        self.assertEqual((tasks[0]["taskKind"], tasks[0]["node"]), ("greet", None))
        lease = {"runId": run["id"], "attempt": tasks[0]["attempt"], "node": None}
        beat = client.json("heartbeatTasks", {"leases": [lease, {**lease, "attempt": 2}]})
        self.assertEqual((beat["items"], beat["lost"]),
                         ([lease], [{**lease, "attempt": 2, "runStatus": "running", "reason": None, "limit": None}]))
        client.call("claimTasks", {"queue": "@http", "worker": "w1"}, 422)
        ended = client.json("completeTasks",
                            {"items": [{**lease, "status": "succeeded", "result": {"said": "hello"}}]})["items"]
        self.assertEqual((ended[0]["ok"], ended[0]["retryAt"]), (True, None))
        late = client.json("completeTasks", {"items": [{**lease, "status": "failed"}]})["items"]
        self.assertEqual((late[0]["ok"], late[0]["problem"]["status"]), (False, 409))
        self.assertEqual(client.json("getRun", run=run["id"])["result"], {"said": "hello"})
        self.assertEqual(client.json("getSchedule", schedule="runs")["lastResult"], {"said": "hello"})
        swapped = client.json("triggerSchedule", schedule="runs")
        begun = client.json("exchangeTasks", {"claim": {"queue": "greeting", "worker": "w1"}})
        self.assertEqual((begun["outcomes"], [task["runId"] for task in begun["tasks"]]), ([], [swapped["id"]]))
        done = {"runId": swapped["id"], "attempt": begun["tasks"][0]["attempt"], "status": "succeeded"}
        last = client.json("exchangeTasks",
                           {"completions": [done], "claim": {"queue": "greeting", "worker": "w1"}})
        self.assertEqual((last["outcomes"][0]["ok"], last["tasks"]), (True, []))
        other = client.json("triggerSchedule", schedule="runs")
        self.assertEqual(client.json("completeRun", {"status": "failed", "error": "no"}, run=other["id"])["status"],
                         "failed")
        third = client.json("triggerSchedule", schedule="runs")
        self.assertEqual(client.json("cancelRun", {"reason": "why not"}, run=third["id"])["status"], "cancelled")
        fourth = client.json("triggerSchedule", schedule="runs")
        self.assertEqual(client.json("terminateRun", {"reason": "now"}, run=fourth["id"])["status"], "terminated")
        history = client.json("listRunEvents", run=run["id"])
        self.assertEqual([event["type"] for event in history["items"]],
                         ["ScheduleTriggered", "run.started", "run.succeeded"])
        self.assertEqual(client.json("getRunNodes", run=run["id"])["workflow"], None)
        listed = client.json("listScheduleRuns", schedule="runs", state="failed")["items"]
        self.assertEqual([item["id"] for item in listed], [other["id"]])
        client.call("getRun", run="nobody", expect=404)
        together = client.json("listRuns", schedule="runs", state="failed")["items"]
        self.assertEqual([(item["id"], item["scheduleName"]) for item in together], [(other["id"], "runs")])
        client.call("listRuns", schedule="nobody", expect=404)

    def test_the_approval_of_a_node_shows_what_it_starts(self):
        client = self.client
        nodes = [{"id": "publish", "action": "publish", "input": {"text": "to ${input/who}"}}]
        client.json("deployWorkflow", {"nodes": nodes}, 201, workflow="gated")
        client.json("createSchedule", named("gate", target={"workflowKind": "gated", "input": {"who": "all"}},
                                            approvalPolicy={"gates": ["publish"]}), 201)
        run = client.json("triggerSchedule", schedule="gate")
        client.json("deployWorkflow", {"nodes": nodes, "description": "newer"}, workflow="gated")
        waiting = client.json("listRunApprovals", run=run["id"])["items"][0]
        self.assertEqual((waiting["node"], waiting["target"]["version"], waiting["input"]),
                         ("publish", 1, {"text": "to all"}))

    def test_a_run_keeps_what_it_was_decided_by(self):
        client = self.client
        harmless = {"type": "task", "taskKind": "report", "queue": "kept", "input": {"harmless": True}}
        tags = {"labels": {"team": "a"}, "memo": {"why": "audit"}, "searchAttributes": {"tier": 1}}
        made = client.json("createSchedule",
                           named("kept", target=harmless, approvalPolicy={"requiresApproval": True}, **tags), 201)
        run = client.json("triggerSchedule", schedule="kept")
        dangerous = {"type": "task", "taskKind": "drop-database", "queue": "kept", "input": {"harmless": False}}
        client.json("patchSchedule", {"name": "renamed", "target": dangerous, "labels": {"team": "b"}, "memo": None},
                    schedule="kept")
        waiting = client.json("listRunApprovals", run=run["id"])["items"][0]
        self.assertEqual((waiting["target"]["taskKind"], waiting["input"], waiting["scheduleVersion"]),
                         ("report", {"harmless": True}, 1))
        self.assertTrue(waiting["definitionChanged"], "and the approval says so")
        self.assertEqual([item for item in client.json("listApprovals")["items"] if item["runId"] == run["id"]],
                         [waiting])
        client.json("approveRun", run=run["id"])
        tasks = client.json("claimTasks", {"queue": "kept", "worker": "w1"})["items"]
        self.assertEqual([(task["taskKind"], task["input"]) for task in tasks], [("report", {"harmless": True})])
        kept = client.json("getRun", run=run["id"])
        self.assertEqual((kept["instanceId"], kept["scheduleName"]), (run["instanceId"], "kept"))
        self.assertEqual({name: kept[name] for name in tags}, tags)
        self.assertEqual(client.json("listScheduleRuns", schedule="renamed")["items"][0], kept)
        first = client.json("getScheduleVersion", schedule="renamed", version=kept["scheduleVersion"])
        self.assertEqual((first["name"], first["target"], first["version"]), ("kept", made["target"], 1))
        self.assertEqual(client.json("getScheduleVersion", schedule="renamed", version=2)["target"]["taskKind"],
                         "drop-database")
        for nonsense in (0, 3, "newest"):
            client.call("getScheduleVersion", schedule="renamed", version=nonsense, expect=404)

    def test_connections(self):
        client = self.client
        self.assertEqual(client.json("listConnections")["items"], [])
        unknown = named("elsewhere", target={"type": "task", "taskKind": "tell", "connection": "nowhere"})
        self.assertEqual(client.call("createSchedule", unknown, 422).json["errors"][0]["pointer"], "/target/connection")
        client.call("createSchedule", named("told", target={"type": "task", "taskKind": "tell", "queue": "telling",
                                                            "connection": "builtin"}), 201)
        run = client.json("triggerSchedule", schedule="told")["id"]
        client.call("tellStatus", {"status": "SUCCESS"}, 409, run=run)
        task = client.json("claimTasks", {"queue": "telling", "worker": "w1"})["items"][0]
        client.json("completeTasks", {"items": [{"runId": run, "attempt": task["attempt"], "status": "succeeded"}]})
        client.call("tellStatus", {"status": "SUCCESS"}, 200, run=run)
        client.call("tellStatus", {"status": "FAILED"}, 409, run=run)
        client.call("tellStatus", {"status": "SUCCESS"}, 403, run=run, headers={"Belfry-Callback-Token": "a guess"})
        client.call("tellStatus", {"status": "DONE"}, 422, run=run)
        client.call("claimTasks", {"queue": "telling", "worker": "@courier:x"}, 422)

    def test_dead_letters(self):
        client = self.client
        client.call("createSchedule", named("broken", target={"type": "task", "taskKind": "break", "queue": "breaking"},
                                            overlapPolicy="allow_all"), 201)
        run = client.json("triggerSchedule", {"input": {"n": 7}}, schedule="broken")
        client.json("completeRun", {"status": "failed", "error": "it broke"}, run=run["id"])
        dead = [item["id"] for item in client.json("listDeadLetters")["items"]]
        self.assertIn(run["id"], dead)
        again = client.json("replayDeadLetter", run=run["id"], expect=201)
        self.assertEqual((again["input"], again["status"], again["cause"]), ({"n": 7}, "queued", "trigger"))
        client.call("replayDeadLetter", run=run["id"], expect=409)
        client.json("completeRun", {"status": "timed_out"}, run=again["id"])
        client.call("dismissDeadLetter", run=again["id"], expect=204)
        client.call("dismissDeadLetter", run=again["id"], expect=404)
        left = [item["id"] for item in client.json("listDeadLetters")["items"]]
        self.assertFalse({run["id"], again["id"]} & set(left))
        started = client.json("startTask", {"taskKind": "break", "queue": "breaking", "input": 1}, 201)
        client.call("replayDeadLetter", run=started["id"], expect=404)
        client.json("completeRun", {"status": "failed"}, run=started["id"])
        second = client.json("replayDeadLetter", run=started["id"], expect=201)
        self.assertEqual((second["input"], second["status"]), (1, "queued"))

    def test_workflows(self):
        client = self.client
        graph = {"nodes": [{"id": "a"}, {"id": "b", "dependsOn": ["a"], "input": "${nodes.a.output/x}"}]}
        made = client.call("deployWorkflow", graph, 201, workflow="two-steps")
        self.assertEqual((made.json["version"], made.json["schedules"]), (1, []))
        self.assertEqual(client.json("deployWorkflow", graph, workflow="two-steps")["version"], 1,
                         "the same is no new version")
        text = ("description: again\nnodes:\n  - id: a\n    queue: steps\n"
                "  - id: b\n    dependsOn: [a]\n    queue: steps\n    input: ${nodes.a.output/x}\n")
        yaml = {"text": text, "media": "application/yaml", "workflow": "two-steps"}
        second = client.call("deployWorkflowYaml", expect=200, headers={"If-Match": made.headers["ETag"]}, **yaml).json
        self.assertEqual((second["version"], second["description"]), (2, "again"))
        client.call("deployWorkflowYaml", expect=409, headers={"If-Match": made.headers["ETag"]}, **yaml)
        client.call("deployWorkflowYaml", expect=422, **{**yaml, "text": "nodes: [\n"})
        cycle = client.call("deployWorkflow", {"nodes": [{"id": "a", "dependsOn": ["b"]},
                                                         {"id": "b", "dependsOn": ["a"]}]}, 422, workflow="loop").json
        self.assertEqual(cycle["code"], "cycle_detected")
        self.assertIn("a -> b -> a", cycle["detail"])
        client.call("deployWorkflow", {"nodes": [{"id": "a", "input": "${nodes.z.output}"}]}, 422, workflow="loop")
        self.assertIn({"name": "two-steps", "version": 2}, client.json("listWorkflows")["items"])
        self.assertEqual(client.json("getWorkflow", workflow="two-steps", version=1)["nodes"][0]["queue"], None)
        self.assertEqual([item["version"]
                          for item in client.json("listWorkflowVersions", workflow="two-steps")["items"]], [2, 1])
        client.call("createSchedule", named("walker", target={"type": "workflow", "workflowKind": "two-steps"}), 201)
        client.call("removeWorkflow", workflow="two-steps", expect=409)
        run = client.json("triggerSchedule", schedule="walker")
        for node, result in (("a", {"x": "from a"}), ("b", "done")):
            task = client.json("claimTasks", {"queue": "steps", "worker": "w", "waitMs": 10000})["items"][0]
            self.assertEqual((task["runId"], task["node"], task["workflowVersion"]), (run["id"], node, 2))
            if node == "b":
                self.assertEqual(task["input"], "from a")
            lease = {"runId": run["id"], "attempt": task["attempt"], "node": node}
            self.assertTrue(client.json(
                "completeTasks", {"items": [{**lease, "status": "succeeded", "result": result}]})["items"][0]["ok"])
        self.assertEqual(client.json("getRun", run=run["id"])["result"], "done")
        walk = client.json("getRunNodes", run=run["id"])
        self.assertEqual([(node["node"], node["status"]) for node in walk["nodes"]],
                         [("a", "succeeded"), ("b", "succeeded")])
        page = client.json("listRunEvents", run=run["id"], limit=2)
        self.assertEqual(([event["sequence"] for event in page["items"]], page["hasMore"]), ([1, 2], True))
        client.call("removeWorkflow", workflow="two-steps", force="true", expect=204)
        client.call("getWorkflow", workflow="two-steps", expect=404)
        skipped = client.json("triggerSchedule", schedule="walker")
        self.assertEqual((skipped["status"], skipped["reason"]), ("skipped", "validation_failed"))

    def test_deployed_schedules(self):
        client = self.client
        graph = {"nodes": [{"id": "a"}],
                 "triggers": [{"type": "schedule_based", "cron": "0 6 * * *", "timezone": "Europe/Berlin"}]}
        self.assertEqual(client.json("deployWorkflow", graph, 201, workflow="reports")["schedules"], ["reports"])
        made = client.json("getSchedule", schedule="reports")
        self.assertEqual((made["spec"]["cron"], made["target"]["workflowKind"]), (["0 6 * * *"], "reports"))
        graph["triggers"][0]["cron"] = "0 7 * * *"
        client.json("deployWorkflow", graph, workflow="reports")
        changed = client.json("getSchedule", schedule="reports")
        self.assertEqual((changed["id"], changed["spec"]["cron"]), (made["id"], ["0 7 * * *"]))
        for enabled, status in ((False, "paused"), (True, "active"), (False, "paused")):
            graph["triggers"][0]["enabled"] = enabled
            client.json("deployWorkflow", graph, workflow="reports")
            self.assertEqual(client.json("getSchedule", schedule="reports")["status"], status)
        wrong = {"nodes": [{"id": "a"}], "triggers": [{"type": "schedule_based", "cron": "99 * * * *"}]}
        self.assertTrue(client.call("deployWorkflow", wrong, 422,
                                    workflow="reports").json["errors"][0]["pointer"].startswith("/triggers/0"))
        gone = client.json("deployWorkflow", {"nodes": [{"id": "a"}]}, workflow="reports")
        self.assertEqual(gone["schedulesRemoved"], ["reports"])
        client.call("getSchedule", schedule="reports", expect=404)

    def test_approvals(self):
        client = self.client
        client.call("createSchedule",
                    named("gated", approvalPolicy={"requiresApproval": True}, overlapPolicy="allow_all"), 201)
        run = client.json("triggerSchedule", schedule="gated")
        self.assertEqual(run["status"], "awaiting_approval")
        waiting = [item for item in client.json("listApprovals")["items"] if item["runId"] == run["id"]]
        self.assertEqual([(item["scheduleName"], item["node"], item["why"]) for item in waiting],
                         [("gated", None, "run")])
        self.assertEqual(client.json("approveRun", {"reason": "fine"}, run=run["id"])["status"], "queued")
        other = client.json("triggerSchedule", schedule="gated")
        self.assertEqual(client.json("rejectRun", run=other["id"])["status"], "cancelled")
        said = client.json("listRunApprovals", run=run["id"])["items"]
        self.assertEqual([(item["status"], item["comment"]) for item in said], [("approved", "fine")])

    def test_backfills(self):
        client = self.client
        client.call("createSchedule", named("past", spec={"cron": ["0 * * * *"]}, overlapPolicy="allow_all"), 201)
        window = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T05:00:00Z", "concurrency": 10}
        dry = client.json("backfillSchedule", {**window, "dryRun": True}, schedule="past")
        self.assertEqual((len(dry["items"]), dry["leftAlone"], dry["more"]), (6, [], False))
        started = client.json("backfillSchedule", window, 202, schedule="past")
        done = eventually(lambda: (found := client.json("getBackfill", backfill=started["id"]))["status"] == "completed"
                          and found)
        self.assertEqual((done["dispatched"], done["skipped"]), (6, 0))
        self.assertEqual([item["id"] for item in client.json("listBackfills", schedule="past")["items"]],
                         [started["id"]])
        for verb in ("pauseBackfill", "resumeBackfill", "cancelBackfill"):
            client.call(verb, backfill=started["id"], expect=409 if verb != "cancelBackfill" else None)

    def test_calendars(self):
        client = self.client
        made = client.call("createCalendar",
                           {"name": "plant", "timezone": "Europe/Berlin", "dates": ["2030-12-31", "2030-12-24"]}, 201)
        self.assertEqual(made.json["dates"], ["2030-12-24", "2030-12-31"])
        client.call("createCalendar", {"name": "plant", "dates": []}, 409)
        self.assertEqual(client.json("getCalendar", calendar="plant"), made.json)
        names = [item["name"] for item in client.json("listCalendars", q="HOLI")["items"]]
        self.assertEqual(names, ["us-federal-holidays-2026", "tr-public-holidays-2026",
                                 "us-federal-holidays-2026-2030"])
        changed = {**made.json, "kind": "only_dates"}
        self.assertEqual(client.json("replaceCalendar", changed, calendar="plant",
                                     headers={"If-Match": made.headers["ETag"]})["version"], 2)
        client.call("replaceCalendar", changed, 409, calendar="plant", headers={"If-Match": made.headers["ETag"]})
        client.call("replaceCalendar", {"dates": []}, 403, calendar="weekends-only")
        self.assertFalse(client.json("cloneCalendar", {"name": "ours"}, 201,
                                     calendar="us-federal-holidays-2026")["builtIn"])
        client.call("createSchedule", named("with-calendar"), 201)
        for _ in range(2):
            self.assertEqual(client.json("attachCalendar", schedule="with-calendar", calendar="ours")["calendars"],
                             ["ours"])
        self.assertIn("with-calendar", client.call("deleteCalendar", calendar="ours", expect=409).json["detail"])
        for _ in range(2):
            self.assertEqual(client.json("detachCalendar", schedule="with-calendar", calendar="ours")["calendars"], [])
        client.call("deleteCalendar", calendar="ours", expect=204)
        file = client.call("exportCalendar", calendar="tr-public-holidays-2026", expect=200)
        read = client.call("importCalendar", text=file.body, media="text/calendar", calendar="copy", expect=201).json
        self.assertEqual((read["datesRead"], read["ignoredCount"], read["calendar"]["timezone"]),
                         (16, 0, "Europe/Istanbul"))
        again = client.call("importCalendar", text=file.body, media="text/calendar", calendar="copy", mode="replace",
                            expect=200).json
        self.assertEqual(again["datesAdded"], 0)
        client.call("importCalendar", text="<html>", media="text/calendar", calendar="copy", expect=422)

    def test_events(self):
        client = self.client
        client.call("createSchedule", named("watched"), 201)
        with client.stream("streamEvents", types="run.*", schedule="watched") as lines:
            self.assertEqual([next(lines), next(lines)[:4], next(lines)], ["retry: 2000", "id: ", ""])
            run = client.json("triggerSchedule", schedule="watched")
            place, kind, data, end = (next(lines) for _ in range(4))
        self.assertEqual((kind, end), ("event: run.dispatched", ""))
        self.assertIn(run["id"], data)
        cancelled = client.json("cancelRun", run=run["id"])
        self.assertEqual(cancelled["status"], "cancelled")
        with client.stream("streamEvents", headers={"Last-Event-ID": place[4:]}) as lines:
            seen = [next(lines) for _ in range(6)]
        self.assertIn("event: run.cancelled", seen, "what happened while nobody read")
        with client.stream("streamEvents", after=0) as lines:
            self.assertIn("event: reset", [next(lines) for _ in range(4)])
        client.call("streamEvents", types="run", expect=422)

    def test_workflow_assignments(self):
        client = self.client
        wanted = {"workflow": "newsletter", "assignee": {"type": "agent", "id": "ed"},
                  "approvalPolicy": {"requiresApproval": False, "gates": ["publish"]},
                  "retryPolicy": {"maxRetries": 4}, "queuePolicy": {"mode": "allow_all", "priority": 7}}
        made = client.call("createAssignment", wanted, 201)
        one = made.json
        self.assertEqual(made.headers["Location"], f"/api/tenants/default/assignments/{one['id']}")
        self.assertEqual(client.json("getAssignment", assignment=one["id"]), one)
        self.assertEqual((one["retryPolicy"]["maxRetries"], one["failurePolicy"]["mode"],
                          one["queuePolicy"]["maxConcurrency"]), (4, "isolate", None))
        careful = client.call("createAssignment", {"workflow": "newsletter", "assignee": {"type": "team", "id": "all"}},
                              201).json
        self.assertEqual((careful["approvalPolicy"]["requiresApproval"], careful["retryPolicy"]["maxRetries"]),
                         (True, 1), "nobody said otherwise")
        page = client.json("listAssignments", limit=1)
        rest = client.json("listAssignments", cursor=page["nextCursor"])["items"]
        self.assertEqual([page["items"][0]["id"], rest[0]["id"]], [one["id"], careful["id"]])
        again = client.json("replaceAssignment", {**one, "assignee": {"type": "agent", "id": "flo"}},
                            assignment=one["id"], headers={"If-Match": '"1"'})
        self.assertEqual((again["version"], again["assignee"]["id"], again["createdAt"]), (2, "flo", one["createdAt"]))
        client.call("replaceAssignment", one, 409, assignment=one["id"], headers={"If-Match": '"1"'})
        client.call("replaceAssignment", one, 404, assignment="nobody")
        for wrong, field in [({**one, "workflow": "other"}, "/workflow"),
                             ({**one, "failurePolicy": {"mode": "fallback"}}, "/failurePolicy/fallbackAssigneeId"),
                             ({**one, "queuePolicy": {"priority": "high"}}, "/queuePolicy/priority")]:
            self.assertEqual(client.call("replaceAssignment", wrong, 422,
                                         assignment=one["id"]).json["errors"][0]["pointer"], field)

        # What a schedule leaves out is the assignment's.
        publish = {"nodes": [{"id": "write", "taskKind": "write", "queue": "newsroom"},
                             {"id": "send", "taskKind": "send", "queue": "newsroom", "action": "publish",
                              "dependsOn": ["write"]}]}
        client.call("deployWorkflow", publish, 201, workflow="newsletter")
        target = {"type": "workflow", "workflowKind": "newsletter"}
        schedule = client.call("createSchedule", named("letter", target=target, workflowAssignmentId=one["id"]),
                               201).json
        self.assertEqual((schedule["workflowAssignmentId"], schedule["assignee"]["id"], schedule["overlapPolicy"]),
                         (one["id"], "flo", "allow_all"))
        self.assertEqual((schedule["retryPolicy"]["maxRetries"], schedule["target"]["priority"],
                          schedule["approvalPolicy"]["gates"]), (4, 7, ["publish"]))
        other = named("letter-2", target={"type": "workflow", "workflowKind": "report"}, workflowAssignmentId=one["id"])
        for wrong in (other, {**other, "workflowAssignmentId": "nobody"}):
            self.assertEqual(client.call("createSchedule", wrong, 422).json["errors"][0]["pointer"],
                             "/workflowAssignmentId")
            self.assertEqual(client.call("previewDraft", {"schedule": wrong}, 422).json["errors"][0]["pointer"],
                             "/schedule/workflowAssignmentId")
        client.call("deleteAssignment", assignment=one["id"], expect=409)

        # The schedule says that nothing needs approval; the gate of the assignment holds all the same.
        autonomous = client.json("patchSchedule", {"approvalPolicy": {"requiresApproval": False, "gates": []},
                                                   "retryPolicy": {"maxRetries": 2}}, schedule="letter")
        self.assertEqual((autonomous["approvalPolicy"]["gates"], autonomous["retryPolicy"]["maxRetries"]), ([], 2))
        run = client.json("triggerSchedule", {}, schedule="letter")
        task = client.json("claimTasks", {"queue": "newsroom", "worker": "w1", "assignee": "flo"})["items"][0]
        lease = {"runId": run["id"], "attempt": task["attempt"], "node": task["node"]}
        self.assertTrue(client.json("completeTasks", {"items": [{**lease, "status": "succeeded"}]})["items"][0]["ok"])
        waiting = [item for item in client.json("listApprovals")["items"] if item["runId"] == run["id"]]
        self.assertEqual([(item["node"], item["why"]) for item in waiting], [("send", "gate")])

        # The assignment becomes stricter, and the next run waits as a whole. A slot that is null is the assignment's
        # again.
        client.json("replaceAssignment", {**one, "approvalPolicy": {"requiresApproval": True}}, assignment=one["id"])
        self.assertEqual(client.json("triggerSchedule", {}, schedule="letter")["status"], "awaiting_approval")
        self.assertEqual(client.json("patchSchedule", {"retryPolicy": None},
                                     schedule="letter")["retryPolicy"]["maxRetries"], 4)
        client.json("deleteSchedule", schedule="letter")
        client.call("deleteAssignment", assignment=one["id"], expect=204)
        client.call("getAssignment", assignment=one["id"], expect=404)

    def test_assignees(self):
        client = self.client
        wanted = {"type": "agent", "displayName": "Bo",
                  "policies": {"spendingLimitCredits": 0.1, "maxRunsPerDay": 1, "allowTools": ["search"]}}
        made = client.call("putAssignee", wanted, 201, assignee="bo")
        self.assertEqual(made.headers["Location"], "/api/tenants/default/assignees/bo")
        self.assertEqual(made.json["policies"]["spendingLimitCredits"], 0.1)
        self.assertEqual(made.json["today"], {"runs": 0, "spent": 0, "reserved": 0, "runsLeft": 1, "creditsLeft": None})
        self.assertEqual(client.json("getAssignee", assignee="bo"), made.json)
        again = client.json("putAssignee", {**made.json, "displayName": "Bo the agent"}, assignee="bo",
                            headers={"If-Match": '"1"'})
        self.assertEqual((again["version"], again["displayName"], again["policies"]),
                         (2, "Bo the agent", made.json["policies"]))
        client.call("putAssignee", wanted, 409, assignee="bo", headers={"If-Match": '"1"'})
        for wrong, field in (({"type": "robot"}, "/type"),
                             ({"type": "team", "policies": {"creditsPerDay": 0.1234567}}, "/policies/creditsPerDay"),
                             ({"type": "team", "policies": {"creditsPerDay": -1}}, "/policies/creditsPerDay"),
                             ({"type": "team", "id": "other"}, "/id")):
            self.assertEqual(client.call("putAssignee", wrong, 422, assignee="bo").json["errors"][0]["pointer"], field)
        client.call("putAssignee", {"type": "team"}, 201, assignee="al")
        page = client.json("listAssignees", limit=1)
        self.assertEqual(([item["id"] for item in page["items"]],
                          client.json("listAssignees", cursor=page["nextCursor"])["items"][0]["id"]), (["al"], "bo"))
        client.call("createSchedule", named("spender", target={"type": "task", "taskKind": "think",
                                                               "queue": "thinking"}, overlapPolicy="allow_all",
                                            assignee={"type": "agent", "id": "bo"},
                                            approvalPolicy={"requiresApproval": False}), 201)
        run = client.json("triggerSchedule", schedule="spender")
        self.assertEqual(client.json("getAssignee", assignee="bo")["today"],
                         {"runs": 1, "spent": 0, "reserved": 0.1, "runsLeft": 0, "creditsLeft": None})
        refused = client.json("triggerSchedule", schedule="spender")
        self.assertEqual((refused["status"], refused["reason"], refused["detail"]),
                         ("skipped", "budget_exceeded", "maxRunsPerDay of bo: 1 of 1"))
        client.json("claimTasks", {"queue": "thinking", "worker": "w1", "assignee": "bo"})
        lease = {"runId": run["id"], "attempt": 1, "node": None}
        beat = client.json("heartbeatTasks",
                           {"leases": [{**lease, "usage": {"credits": 0.05, "tokens": 7, "tools": ["search"]}}]})
        self.assertEqual((beat["items"], beat["lost"]), ([lease], []))
        self.assertEqual(client.json("getRun", run=run["id"])["cost"],
                         {"credits": 0.05, "tokens": 7, "toolCalls": 0, "tools": ["search"]})
        ended = client.json("completeTasks",
                            {"items": [{**lease, "status": "succeeded", "usage": {"credits": 0.08}}]})["items"][0]
        self.assertEqual((ended["ok"], ended["limit"]), (True, None))
        self.assertEqual(client.json("getAssignee", assignee="bo")["today"]["spent"], 0.08)
        client.call("deleteAssignee", assignee="al", expect=204)
        client.call("getAssignee", assignee="al", expect=404)

    def test_tenants(self):
        client = self.client
        made = client.call("createTenant", {"name": "team-a", "schedulesMax": 1}, 201)
        self.assertEqual(made.headers["Location"], "/api/tenants/team-a")
        client.call("createTenant", {"name": "Team A"}, 422)
        self.assertIn("team-a", [item["name"] for item in client.json("listTenants")["items"]])
        read = client.json("getTenant", tenant="team-a")
        self.assertEqual((read["limits"]["schedules"], read["usage"]["schedules"]), (1, 0))
        self.assertEqual({name: read[name] for name in made.json}, made.json)
        off = client.json("replaceTenant", {"dispatchEnabled": False}, tenant="team-a", headers={"If-Match": '"1"'})
        self.assertEqual((off["dispatchEnabled"], off["schedulesMax"], off["version"]), (False, None, 2))
        client.call("replaceTenant", {}, 409, tenant="team-a", headers={"If-Match": '"1"'})
        client.call("getTenant", tenant="nobody", expect=404)

    def test_keys(self):
        client = self.client
        made = client.json("createKey", {"name": "ci", "roles": {"default": ["operator"]}, "lifetime": "P90D"}, 201)
        self.assertTrue(made["secret"].startswith("bfk_" + made["id"]))
        client.call("createKey", {"name": "ci", "roles": {"default": ["viewer"]}}, 409)
        client.call("createKey", {"name": "other", "roles": {"default": ["king"]}}, 422)
        listed = next(key for key in client.json("listKeys")["items"] if key["id"] == made["id"])
        self.assertEqual(listed, {name: value for name, value in made.items() if name != "secret"})
        for _ in range(2):
            self.assertEqual(client.json("revokeKey", key=made["id"])["state"], "revoked")
        client.call("revokeKey", key="nobody", expect=404)

    def test_webhooks(self):
        client = self.client
        made = client.call("createWebhook", {"url": "https://example.com/hook", "events": ["run.failed"]}, 201)
        webhook = {name: value for name, value in made.json.items() if name != "secret"}
        self.assertTrue(made.json["secret"].startswith("whsec_"))
        client.call("createWebhook", {"url": "http://127.0.0.1/"}, 422)
        self.assertEqual(client.json("getWebhook", webhook=webhook["id"]), webhook)
        self.assertEqual(client.json("listWebhooks")["items"], [webhook])
        off = client.json("replaceWebhook", {**webhook, "enabled": False}, webhook=webhook["id"],
                          headers={"If-Match": made.headers["ETag"]})
        self.assertEqual((off["enabled"], off["version"]), (False, 2))
        self.assertNotEqual(client.json("rotateWebhookSecret", webhook=webhook["id"])["secret"], made.json["secret"])
        self.assertEqual(client.json("listDeliveries", webhook=webhook["id"])["items"], [])
        client.call("redeliver", webhook=webhook["id"], position=1, expect=404)
        client.call("testWebhook", webhook="nobody", expect=404)
        client.call("deleteWebhook", webhook=webhook["id"], expect=204)
        client.call("getWebhook", webhook=webhook["id"], expect=404)

    def test_time_zones(self):
        found = self.client.json("listTimezones", query="new york")
        self.assertEqual(found["items"][0]["name"], "America/New_York")
        self.assertEqual(self.client.json("getTimezone", zone="US/Eastern")["aliasOf"], "America/New_York")
        self.client.call("getTimezone", zone="Nowhere/Land", expect=404)

    def test_parts_of_schedules(self):
        client = self.client
        client.call("createSchedule", named("parts", inputsRotation=["a", "b"], overlapPolicy="allow_all"), 201)
        patched = client.json("patchSchedule", {"notes": "new", "labels": None}, schedule="parts")
        self.assertEqual((patched["notes"], patched["labels"], patched["version"]), ("new", {}, 2))
        self.assertEqual(client.call("patchSchedule", {"notes": "x"}, 204, schedule="parts",
                                     headers={"Prefer": "return=minimal"}).body, b"")
        client.json("triggerSchedule", schedule="parts")
        self.assertEqual(client.json("getRotation", schedule="parts")["nextIndex"], 1)
        self.assertEqual(client.json("setRotation", {"entries": [1, 2, 3]}, schedule="parts")["nextIndex"], 0)
        self.assertEqual(client.json("clearRotation", schedule="parts")["entries"], [])
        condition = {"/last_24h_stats/failed": {"lt": 3}}
        self.assertTrue(client.json("setCondition", {"condition": condition}, schedule="parts")["holds"])
        self.assertEqual(client.json("getCondition", schedule="parts")["condition"], condition)
        self.assertIsNone(client.json("clearCondition", schedule="parts")["condition"])
        judged = client.json("checkCondition", {"condition": condition, "context": {"last_24h_stats": {"failed": 5}}})
        self.assertEqual([clause["holds"] for clause in judged["clauses"]], [False])

    def test_looking_ahead_and_back(self):
        client = self.client
        client.call("createSchedule", named("ahead", spec={"cron": ["0 * * * *"]}), 201)
        draft = {"spec": {"cron": ["0 * * * *"]}}
        self.assertEqual(len(client.json("previewDraft", {"schedule": draft, "n": 4})["items"]), 4)
        window = {"from": "2030-01-01T00:00:00Z", "to": "2030-01-01T02:00:00Z", "runs": [{"duration": "PT90M"}]}
        for rows in (client.json("simulateSchedule", window, schedule="ahead"),
                     client.json("simulateDraft", {**window, "schedule": draft})):
            self.assertEqual([row["decision"] for row in rows["items"]], ["dispatched", "skipped", "dispatched"])
        self.assertEqual(client.json("whySchedule", schedule="ahead", at="2030-01-01T00:00:00Z")["verdict"],
                         "will_dispatch")
        self.assertEqual(client.json("getScheduleHealth", schedule="ahead")["verdict"], "ok")
        self.assertEqual(len(client.json("getLoad")["buckets"]), 60)

    def test_starts(self):
        client = self.client
        workflow = client.json("startWorkflow", {"workflowKind": "report", "input": 1}, 201)
        self.assertEqual(client.json("getWorkflowExecution", run=workflow["id"])["input"], 1)
        task = client.json("startTask", {"taskKind": "mail", "queue": "nobody-looks-here"}, 201)
        self.assertEqual(client.json("getTaskExecution", run=task["id"])["status"], "queued")
        later = client.call("startTask", {"taskKind": "mail", "scheduledAt": "2030-01-01T00:00:00Z"}, 422).json
        self.assertEqual(later["errors"][0]["pointer"], "/scheduledAt")
        both = client.json("startTasks", {"items": [{"taskKind": "mail", "queue": "nobody-looks-here"}, {}]})["items"]
        self.assertEqual([item["status"] for item in both], [201, 422])
        self.assertEqual(both[1]["problem"]["errors"][0]["pointer"], "/items/1/taskKind")
        started = client.json("startWorkflows", {"items": [{"workflowKind": "report"}]})["items"][0]
        self.assertEqual(started["run"]["cause"], "start")

    def test_many_schedules(self):
        client = self.client
        items = [{"operation": "create", "definition": named(f"many-{number}")} for number in range(3)]
        items.append({"operation": "pause", "schedule": "many-0"})
        answers = client.json("changeSchedules", {"items": items, "reason": "all at once"})["items"]
        self.assertEqual([item["status"] for item in answers], [201, 201, 201, 200])
        gone = client.json("changeSchedules", {"operation": "delete", "filter": {"namePrefix": "many-"}})
        self.assertEqual(([item["schedule"]["status"] for item in gone["items"]], gone["nextCursor"]),
                         (["deleted"] * 3, None))

    def test_events_and_teams(self):
        client = self.client
        client.call("createSchedule", named("listens", spec={"events": [{"name": "door.opened"}]}), 201)
        started = client.json("reportEvent", {"by": "ann"}, event="door.opened", id="1")["items"]
        self.assertEqual([each["outcome"] for each in started], ["started"])
        client.call("reportEvent", {}, 422, event="door.opened", cursor="odd")
        self.assertEqual(client.json("listTeamRuns", team="blue")["items"], [])
        client.call("listTeamRunEvents", expect=404, team="blue", run=started[0]["runId"])

    def test_probes_and_figures(self):
        self.client.call("getLiveness", expect=200)
        self.client.call("getReadiness", expect=200)
        self.assertIn(b"belfry_runs_emitted_total", self.client.call("getMetrics", expect=200).body)
        # Schedules are counted beside the scrapes, which never wait for the store.
        eventually(lambda: b'belfry_schedules{' in self.client.call("getMetrics", expect=200).body)
        figures = self.client.call("getMetrics", expect=200).body
        for family in ("queue_tasks", "store_duration_seconds_bucket", "http_requests_total"):
            self.assertIn(b"belfry_" + family.encode() + b"{", figures)
        checked = subprocess.run(["promtool", "check", "metrics"], input=figures, capture_output=True, timeout=60,
                                 check=False)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, b"", b""))
        counts = self.client.call("getMetrics", expect=200, headers={"Accept": "application/json"}).json
        self.assertGreater(counts["total_schedules"], 0)

    def objects_in(self, schema, pointer=""):
        """The places of objects in a request, by the document."""
        if "$ref" in schema:
            schema = self.client.document.json["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        for choice in schema.get("anyOf", []) + schema.get("oneOf", []):
            yield from self.objects_in(choice, pointer)
        if "object" not in schema.get("type", ""):
            return
        yield pointer
        if pointer.count("/") < 2:
            for name, member in schema.get("properties", {}).items():
                yield from self.objects_in(member, f"{pointer}/{name}")

    def test_an_empty_list_is_no_object(self):
        places = 0
        for name, (method, pattern, operation) in self.client.document.operations.items():
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if schema is None or is_dialect(operation):
                continue
            parts = {part: "default" if part == "tenant" else "none" for part in
                     (each["name"] for each in operation["parameters"] if each["in"] == "path")}
            for pointer in self.objects_in(schema):
                body = []
                for step in reversed(pointer.split("/")[1:]):
                    body = {step: body}
                with self.subTest(name, pointer=pointer):
                    answer = send(self.server.url, method, filled(pattern, parts), json.dumps(body),
                                  {"Content-Type": "application/json"})
                    self.assertEqual(answer.status, 422, answer)
                    if pointer:
                        self.assertIn(pointer, [error.get("pointer") for error in answer.json["errors"]])
                    places += 1
        self.assertGreater(places, 50)

    def test_answers_have_the_formats_of_their_description(self):
        self.assertNotIn('"format": "duration"', json.dumps(self.client.document.json),
                         "JSON Schema's durations have no fractions")
        body = named("fraction", breaker={"maxConsecutiveFailures": 3, "retryAfter": "1500ms"})
        self.assertEqual(self.client.call("createSchedule", body, 201).json["breaker"]["retryAfter"], "PT1.5S")
        body = named("last", spec={"at": ["9999-12-31T23:59:59Z"], "timezone": "Pacific/Kiritimati",
                                   "jitter": {"after": "PT5M"}})
        answers = [self.client.call("createSchedule", body, 201), self.client.call("getSchedule", schedule="last"),
                   self.client.call("previewSchedule", schedule="last", **{"from": "9999-12-31T00:00:00Z"})]
        for answer in answers:
            self.assertNotIn(b"10000", answer.body)

    def test_server(self):
        self.assertEqual(self.client.json("getHealth")["status"], "ok")
        self.assertIn("tzdata", self.client.json("getVersion"))
        self.assertEqual(self.client.json("getOpenApi")["openapi"], "3.1.0")
        page = self.client.call("getDocs", expect=200)
        self.assertIn(b"createSchedule", page.body)

    def test_zz_every_operation_was_called(self):
        self.expect_all_called(lambda operation: not is_dialect(operation))


if __name__ == "__main__":
    unittest.main()
