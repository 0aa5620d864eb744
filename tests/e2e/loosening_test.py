"""Whoever may not approve loosens no approvals: schedules, assignments, workflows, natively and in every dialect."""

import json
import unittest

from client import Client
from place import running_server
from server import belfry

FREE = {"requiresApproval": False}
ASKS = {"requiresApproval": True}
AGENT = {"type": "agent", "id": "bo"}
HOW = "loosened_without_role"


def scheduled(name, **more):
    return {"name": name, "spec": {"cron": ["0 0 1 1 *"]}, "target": {"taskKind": "t"}, **more}


def nodes(action="publish"):
    return [{"id": "draft"}, {"id": "send", "dependsOn": ["draft"], "action": action}]


class Loosening(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = running_server("--auth", "required")
        cls.server = cls.context.__enter__()
        cls.root = cls.client("root", "admin", "*")
        cls.root.call("createTenant", {"name": "own"}, 201)
        cls.operator = cls.client("operator", "operator", "own")
        cls.admin = cls.client("boss", "admin", "own")

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    @classmethod
    def client(cls, name, role, tenant):
        made = belfry("token", "create", name, "--role", role, "--tenant", tenant, "-o", "json",
                      *cls.server.store_flags)
        if made.returncode != 0:
            raise AssertionError(made.stderr)
        return Client(cls.server.url, "own", {"Authorization": "Bearer " + json.loads(made.stdout)["secret"]})

    def attempts(self, schedule):
        events = self.admin.json("getScheduleHistory", schedule=schedule)["items"]
        return [event["payload"] for event in events if event["type"] == "approval_bypass_attempt"]

    def refused(self, name, body, field="/approvalPolicy", **arguments):
        """Twice, as an operator: 403 with the field and the permission, and one record."""
        answers = [self.operator.call(name, body, 403, **arguments) for _ in range(2)]
        text = answers[0].body.decode()
        self.assertIn("permission approve", text)
        problem = answers[0].json
        if "errors" in problem:
            self.assertEqual([error["pointer"] for error in problem["errors"]], [field])
        detail = json.dumps(problem)
        recorded = detail.split("history of schedule ")[1][:36]
        self.assertIn(recorded, answers[1].body.decode(), "the record of the first time")
        attempts = self.attempts(recorded)
        self.assertEqual([(each["how"], each["principal"]) for each in attempts], [(HOW, "key:operator")])
        return recorded, attempts[0]

    def test_a_schedule(self):
        made = self.operator.json("createSchedule", scheduled("strict", approvalPolicy={**ASKS, "gates": ["publish"]}),
                                  201)
        weaker = {"approvalPolicy": {**ASKS, "gates": []}}
        recorded, _ = self.refused("patchSchedule", weaker, schedule="strict")
        self.assertEqual(recorded, made["id"])
        self.operator.call("replaceSchedule", scheduled("strict"), 403, schedule="strict")
        self.operator.call("patchSchedule", {"approvalPolicy": {"expiresAfterMs": 172_800_000}}, 403, schedule="strict")
        self.assertEqual(len(self.attempts("strict")), 1, "once for each caller, schedule and way")
        kept = self.operator.json("getSchedule", schedule="strict")
        self.assertEqual((kept["version"], kept["approvalPolicy"]["gates"]), (1, ["publish"]),
                         "and nothing was changed")
        # Asking for more, or for something else, takes nothing.
        self.operator.json("patchSchedule", {"description": "d", "approvalPolicy": {"mode": "every_node", "gates": []}},
                           schedule="strict")
        self.admin.json("patchSchedule", {"approvalPolicy": {**FREE, "mode": None, "gates": []}}, schedule="strict")
        self.operator.json("patchSchedule", {"description": "e"}, schedule="strict")

    def test_an_assignee(self):
        """For agents and teams approval is the default: what is new has a floor, too."""
        _, attempt = self.refused("createSchedule", scheduled("agent", assignee=AGENT, approvalPolicy=FREE))
        self.assertNotIn("subject", attempt)
        self.assertEqual(self.operator.call("getSchedule", schedule="agent").status, 404)
        self.operator.json("createSchedule", scheduled("agent", assignee=AGENT), 201)
        self.operator.call("patchSchedule", {"assignee": None, "approvalPolicy": FREE}, 403, schedule="agent")
        self.operator.json("createSchedule", scheduled("nobody", approvalPolicy=FREE), 201)
        self.operator.call("patchSchedule", {"assignee": AGENT, "approvalPolicy": FREE}, 403, schedule="nobody")
        # Whoever may approve has said that this one needs none; another agent is another matter.
        self.admin.json("createSchedule", scheduled("trusted", assignee=AGENT, approvalPolicy=FREE), 201)
        self.operator.json("patchSchedule", {"description": "d"}, schedule="trusted")
        self.operator.call("patchSchedule", {"assignee": {"type": "agent", "id": "eve"}}, 403, schedule="trusted")

    def test_an_assignment(self):
        wanted = {"workflow": "letters", "assignee": AGENT, "approvalPolicy": {**FREE, "gates": ["publish"]}}
        _, attempt = self.refused("createAssignment", wanted)
        self.assertIn("letters", attempt["subject"])
        strict = self.operator.json("createAssignment", {**wanted, "approvalPolicy": {**ASKS, "gates": ["publish"]}},
                                    201)
        _, attempt = self.refused("replaceAssignment", {**wanted, "approvalPolicy": ASKS}, assignment=strict["id"])
        self.assertEqual(attempt["subject"], "assignment " + strict["id"])
        self.assertEqual(self.operator.json("getAssignment", assignment=strict["id"])["version"], 1)
        # A schedule on it: the floor holds, so saying less oneself loosens nothing; leaving the assignment does.
        target = {"workflowKind": "letters"}
        self.operator.json("createSchedule", scheduled("letters", target=target, workflowAssignmentId=strict["id"],
                                                       approvalPolicy=FREE), 201)
        self.operator.call("patchSchedule", {"workflowAssignmentId": None}, 403, schedule="letters")
        self.assertEqual([each["how"] for each in self.attempts("letters")], [HOW])
        loose = self.admin.json("createAssignment", wanted, 201)
        self.operator.call("patchSchedule", {"workflowAssignmentId": loose["id"], "approvalPolicy": FREE}, 403,
                           schedule="letters")
        self.operator.json("createSchedule", scheduled("free", target=target, workflowAssignmentId=loose["id"]), 201)

    def test_a_workflow(self):
        gated = {"nodes": nodes(), "approvalPolicy": {"gates": ["publish"]}}
        self.operator.call("deployWorkflow", gated, 201, workflow="press")
        _, attempt = self.refused("deployWorkflow", {"nodes": nodes()}, workflow="press")
        self.assertEqual(attempt["subject"], "workflow press")
        # the node's action is what the gate knows
        self.operator.call("deployWorkflow", {**gated, "nodes": nodes("look")}, 403, workflow="press")
        self.operator.call("deployWorkflowYaml", None, 403, text="nodes: [{id: draft}]\n", media="application/yaml",
                           workflow="press")
        # nor under another id
        self.operator.call("deployWorkflow", {**gated, "nodes": [{"id": "another"}]}, 403, workflow="press")
        self.assertEqual(self.operator.json("getWorkflow", workflow="press")["version"], 1)
        # Removing it first changes nothing.
        self.operator.call("removeWorkflow", expect=204, workflow="press")
        self.operator.call("deployWorkflow", {"nodes": nodes()}, 403, workflow="press")
        self.operator.json("deployWorkflow", {**gated, "description": "stricter",
                                              "approvalPolicy": {**ASKS, "gates": ["publish"]}}, workflow="press")
        self.assertEqual(self.admin.json("deployWorkflow", gated, workflow="press")["approvalPolicy"]["gates"],
                         ["publish"])

    def test_a_workflow_whose_schedule_has_the_gate(self):
        """The gate names the action of a node, so a version without the action would free the node."""
        self.operator.call("deployWorkflow", {"nodes": nodes()}, 201, workflow="news")
        gated = {"target": {"type": "workflow", "workflowKind": "news"}, "approvalPolicy": {"gates": ["publish"]}}
        self.operator.json("createSchedule", scheduled("news-daily", **gated), 201)
        # A schedule of the same workflow that holds every node back does not hide it.
        self.operator.json("createSchedule",
                           scheduled("news-strict", **{**gated, "approvalPolicy": {"mode": "every_node"}}), 201)
        self.refused("deployWorkflow", {"nodes": nodes("")}, workflow="news")
        self.operator.call("deployWorkflow", {"nodes": [{"id": "draft"}]}, 403, workflow="news")
        self.operator.json("deployWorkflow", {"nodes": nodes(), "description": "as strict"}, workflow="news")
        self.admin.json("deployWorkflow", {"nodes": nodes("")}, workflow="news")

    def test_a_workflow_whose_assignment_has_the_gate(self):
        self.operator.call("deployWorkflow", {"nodes": nodes()}, 201, workflow="circulars")
        policy = {**ASKS, "gates": ["publish"]}
        self.operator.json("createAssignment", {"workflow": "circulars", "assignee": AGENT, "approvalPolicy": policy},
                           201)
        self.refused("deployWorkflow", {"nodes": nodes("")}, workflow="circulars")

    def test_schedules_of_triggers(self):
        trigger = {"type": "schedule_based", "cron": "0 0 1 1 *", "assignee": AGENT, "approvalPolicy": FREE}
        self.operator.call("deployWorkflow", {"nodes": nodes(), "triggers": [trigger]}, 403, workflow="by-trigger")
        self.assertEqual(self.operator.call("getWorkflow", workflow="by-trigger").status, 404,
                         "it is not half deployed")
        self.operator.call("deployWorkflow", {"nodes": nodes(), "triggers": [{**trigger, "approvalPolicy": ASKS}]}, 201,
                           workflow="by-trigger")
        self.operator.call("deployWorkflow", {"nodes": nodes(), "triggers": [trigger]}, 403, workflow="by-trigger")
        self.assertEqual(len(self.attempts("by-trigger")), 1)

    def claim(self):
        return [task["node"] for task in self.admin.json("claimTasks", {"worker": "w", "limit": 10})["items"]]

    def test_the_floor_of_a_workflow_holds_whatever_starts_it(self):
        self.admin.call("deployWorkflow", {"nodes": [{"id": "send", "action": "publish"}]}, 201, workflow="floor")
        self.admin.json("deployWorkflow", {"nodes": [{"id": "send", "action": "publish"}],
                                           "approvalPolicy": {"gates": ["publish"]}}, workflow="floor")
        started = self.operator.json("startWorkflow", {"workflowKind": "floor"}, 201)
        self.assertEqual(self.claim(), [])
        waiting = self.admin.json("listApprovals")["items"]
        self.assertIn((started["id"], "send"), [(each["runId"], each["node"]) for each in waiting])
        self.operator.json("createSchedule", scheduled("by-hand", target={"workflowKind": "floor"}), 201)
        self.operator.json("triggerSchedule", {}, schedule="by-hand")
        launch = {"workflow_id": "floor", "scheduled_for": "2026-01-01T00:00:00Z", "user_id": "u"}
        self.operator.json("cronServiceLaunch", {**launch, "version": 2, "idempotency_key": "two"})
        self.assertEqual(self.claim(), [])
        self.assertEqual(len(self.admin.json("listApprovals")["items"]), len(waiting) + 2)
        self.admin.json("approveRun", {"node": "send"}, run=started["id"])
        self.assertEqual(self.claim(), ["send"])
        # Nor does an older version, which knows no gate.
        self.refused("createSchedule", scheduled("old", target={"workflowKind": "floor", "version": 1}),
                     "/target/version")
        self.operator.call("startWorkflow", {"workflowKind": "floor", "version": 1}, 403)
        self.operator.call("cronServiceUpsert", {"workflow_id": "floor", "version": 1, "user_id": "u",
                                                 "cron_expr": "0 0 1 1 *", "timezone": "UTC"}, 403)
        self.operator.call("cronServiceLaunch", {**launch, "version": 1, "idempotency_key": "one"}, 403)
        self.assertEqual(self.claim(), [])

    def test_dialects(self):
        """What has no word for approvals leaves them as they are; what has one is refused."""
        self.operator.call("deployWorkflow", {"nodes": [{"id": "only"}]}, 201, workflow="flow")
        target = {"workflowKind": "flow"}
        made = self.operator.json("createSchedule",
                                  scheduled("shared", target=target, approvalPolicy=ASKS, assignee=AGENT), 201)
        self.operator.json("durableUpdateSchedule", {"spec": {"cron_expressions": ["0 1 1 1 *"]}}, schedule_id="shared")
        self.operator.json("cronServiceUpsert", {"schedule_id": "shared", "workflow_id": "flow", "version": 1,
                                                 "user_id": "u", "cron_expr": "0 2 1 1 *",
                                                 "timezone": "UTC"})
        asked = {"p_workflow_id": "flow", "p_schedule_id": made["id"], "p_cron_expr": "0 3 1 1 *", "p_timezone": "UTC",
                 "p_is_active": False}
        self.operator.call("fn_upsert_workflow_schedule", {**asked, "p_approval_policy": FREE}, 403)
        self.operator.call("fn_upsert_workflow_schedule", {**asked, "p_approval_policy": FREE}, 403)
        self.assertEqual([each["how"] for each in self.attempts("shared")], [HOW])
        now = self.operator.json("getSchedule", schedule="shared")
        self.assertEqual((now["approvalPolicy"]["requiresApproval"], now["spec"]["cron"], now["status"]),
                         (True, ["0 2 1 1 *"], "active"))
        new = {"p_workflow_id": "flow", "p_cron_expr": "0 3 1 1 *", "p_timezone": "UTC", "p_is_active": False,
               "p_assignee_id": "bo"}
        self.operator.call("fn_upsert_workflow_schedule", {**new, "p_approval_policy": FREE}, 403)
        self.admin.call("fn_upsert_workflow_schedule", {**new, "p_approval_policy": FREE}, 200)

    def test_what_waits_when_its_schedule_is_purged_or_dispatch_is_off(self):
        self.operator.json("createSchedule", scheduled("waits", approvalPolicy=ASKS), 201)
        run = self.operator.json("triggerSchedule", {}, schedule="waits")["id"]
        tenant = self.root.json("getTenant", tenant="own")
        self.root.json("replaceTenant", {**tenant, "dispatchEnabled": False}, tenant="own")
        self.assertIn("dispatch", self.admin.call("approveRun", {}, 409, run=run).json["detail"])
        self.assertEqual(self.admin.json("getRun", run=run)["status"], "awaiting_approval")
        self.root.json("replaceTenant", tenant, tenant="own")
        self.operator.json("deleteSchedule", schedule="waits", purge="true")
        self.assertIn(self.admin.call("approveRun", {}, run=run).status, (404, 409))
        self.assertNotIn(run, [task["runId"]
                               for task in self.admin.json("claimTasks", {"worker": "w", "limit": 10})["items"]])


if __name__ == "__main__":
    unittest.main()
