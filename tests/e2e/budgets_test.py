"""Limits and budgets through real HTTP: what a report beyond each limit does, and what it leaves."""

import unittest

from client import Client
from place import running_server


class Limits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = running_server("--auth", "off", "--run-tokens-max", "1000")
        cls.server = cls.context.__enter__()
        cls.client = Client(cls.server.url)

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    def begin(self, name, policies, **more):
        """A run of a single task that is claimed: its lease."""
        client = self.client
        client.call("putAssignee", {"type": "agent", "policies": policies}, 201, assignee=name)
        client.call("createSchedule", {"name": name, "spec": {"cron": ["0 9 * * *"]},
                                       "target": {"type": "task", "taskKind": "think", "queue": name},
                                       "assignee": {"type": "agent", "id": name},
                                       "approvalPolicy": {"requiresApproval": False}, **more}, 201)
        run = client.json("triggerSchedule", schedule=name)["id"]
        task = client.json("claimTasks", {"queue": name, "worker": "w1", "assignee": name})["items"][0]
        self.assertEqual(task["runId"], run)
        return {"runId": run, "attempt": 1, "node": None}

    def test_each_limit_ends_the_attempt_with_its_cause(self):
        rows = (("credits", {"spendingLimitCredits": 1.5}, {"credits": 1.500001}, "spendingLimitCredits", 1.5, 1.500001,
                 None),
                ("tokens", {"maxTokens": 10}, {"tokens": 11}, "maxTokens", 10, 11, None),
                ("calls", {"maxToolCalls": 2}, {"toolCalls": 3}, "maxToolCalls", 2, 3, None),
                ("tools", {"allowTools": ["search"]}, {"tools": ["search", "shell"]}, "allowTools", ["search"], "shell",
                 "shell"),
                ("everybody", {}, {"tokens": 1001}, "run_tokens_max", 1000, 1001, None))
        for name, policies, usage, limit, allowed, used, tool in rows:
            with self.subTest(name):
                lease = self.begin(name, policies, retryPolicy={"maxRetries": 5, "backoffMs": 1})
                beat = self.client.json("heartbeatTasks", {"leases": [{**lease, "usage": usage}]})
                self.assertEqual(beat["items"], [])
                cause = {"limit": limit, "assignee": None if name == "everybody" else name, "allowed": allowed,
                         "used": used, "tool": tool}
                self.assertEqual(beat["lost"][0]["limit"], cause)
                self.assertEqual(beat["lost"][0]["runStatus"], "failed")
                self.assertIn(limit, beat["lost"][0]["reason"])
                run = self.client.json("getRun", run=lease["runId"])
                self.assertEqual((run["status"], run["attempts"]), ("failed", 1), "nobody tries it again")
                self.assertIn(limit, run["error"])
                events = self.client.json("listRunEvents", run=lease["runId"])["items"]
                self.assertEqual([event["type"] for event in events],
                                 ["ScheduleTriggered", "run.started", "run.failed"])
                self.assertEqual((events[-1]["payload"]["cause"], events[-1]["payload"]["limit"]),
                                 ("contract_violated", cause))
                late = self.client.json(
                    "completeTasks", {"items": [{**lease, "status": "succeeded", "usage": {"credits": 9}}]})["items"][0]
                self.assertEqual((late["ok"], late["problem"]["status"]), (False, 409))

    def test_a_success_that_has_used_too_much_is_a_failure(self):
        lease = self.begin("proud", {"spendingLimitCredits": 1, "creditsPerDay": 5})
        ended = self.client.json("completeTasks", {"items": [{**lease, "status": "succeeded", "result": 1,
                                                              "usage": {"credits": 2}}]})["items"][0]
        self.assertEqual((ended["ok"], ended["limit"]["limit"]), (True, "spendingLimitCredits"))
        self.assertEqual(self.client.json("getRun", run=lease["runId"])["status"], "failed")
        self.assertEqual(self.client.json("getAssignee", assignee="proud")["today"],
                         {"runs": 1, "spent": 2, "reserved": 0, "runsLeft": None, "creditsLeft": 3})

    def test_a_node_beyond_its_limit_leaves_the_rest_to_the_failure_policy(self):
        client = self.client
        client.call("putAssignee", {"type": "agent", "policies": {"maxTokens": 5}}, 201, assignee="node-agent")
        for mode, status in (("isolate", "running"), ("halt", "failed")):
            with self.subTest(mode):
                name = "walk-" + mode
                client.call("deployWorkflow", {"queue": name, "nodes": [{"id": "costly", "assignee": "node-agent"},
                                                                        {"id": "cheap"}]}, 201, workflow=name)
                client.call("createSchedule", {"name": name, "spec": {"cron": ["0 9 * * *"]},
                                               "target": {"type": "workflow", "workflowKind": name},
                                               "retryPolicy": {"maxRetries": 3}, "failurePolicy": {"mode": mode}}, 201)
                run = client.json("triggerSchedule", schedule=name)["id"]
                client.json("claimTasks", {"queue": name, "worker": "w1"})
                client.json("claimTasks", {"queue": name, "worker": "w1", "assignee": "node-agent"})
                lost = client.json("heartbeatTasks", {"leases": [{"runId": run, "attempt": 1, "node": "costly",
                                                                  "usage": {"tokens": 6}}]})["lost"]
                self.assertEqual((lost[0]["limit"]["limit"], lost[0]["runStatus"]), ("maxTokens", status))
                nodes = {node["node"]: node for node in client.json("getRunNodes", run=run)["nodes"]}
                self.assertEqual((nodes["costly"]["status"], nodes["costly"]["category"],
                                  nodes["costly"]["cost"]["tokens"]),
                                 ("failed", "contract_violated", 6))
                failed = [event for event in client.json("listRunEvents", run=run)["items"]
                          if event["type"] == "node.failed"]
                self.assertEqual((failed[0]["node"], failed[0]["payload"]["retryAt"],
                                  failed[0]["payload"]["limit"]["used"]), ("costly", None, 6))

    def test_usage_needs_an_attempt(self):
        lease = self.begin("nameless", {})
        wrong = self.client.call("completeRun", {"status": "succeeded", "usage": {"credits": 1}}, 422,
                                 run=lease["runId"]).json
        self.assertEqual(wrong["errors"][0]["pointer"], "/attempt")
        done = self.client.json("completeRun", {"status": "succeeded", "attempt": 1, "usage": {"credits": 1}},
                                run=lease["runId"])
        self.assertEqual((done["status"], done["cost"]["credits"]), ("succeeded", 1))


if __name__ == "__main__":
    unittest.main()
