"""Events that other systems report, what they start, and the runs of a team, through a real server."""

import unittest

from client import Client
from place import running_server

ORDERS = {"name": "order.created", "filter": {"/amount": {"gt": 100}}}


class Events(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = running_server()
        cls.client = Client(cls.server.__enter__().url)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None, None, None)

    def create(self, name, **members):
        target = {"type": "task", "taskKind": "ship", "queue": name, "input": {"region": "us"}}
        return self.client.json("createSchedule", {"name": name, "target": target, **members}, expect=201)

    def report(self, payload, **arguments):
        return self.client.json("reportEvent", payload, **arguments)

    def test_an_event_starts_what_waits_for_it_once(self):
        schedule = self.create("ship", spec={"events": [ORDERS]})
        self.assertEqual((schedule["status"], schedule["nextRunAt"], schedule["scheduleType"]), ("active", None, None))
        self.assertEqual(schedule["spec"]["events"], [ORDERS])
        first = self.report({"amount": 120, "customer": "ann"}, event="order.created", id="o-1")
        self.assertEqual([(each["scheduleId"], each["outcome"], each["repeated"]) for each in first["items"]],
                         [(schedule["id"], "started", False)])
        again = self.report({"amount": 120, "customer": "ann"}, event="order.created", id="o-1")
        self.assertEqual([(each["runId"], each["repeated"]) for each in again["items"]],
                         [(first["items"][0]["runId"], True)])
        run = self.client.json("getRun", run=first["items"][0]["runId"])
        self.assertEqual(run["cause"], "event")
        self.assertEqual(run["input"], {"region": "us", "event": {"name": "order.created", "id": "o-1",
                                                                  "payload": {"amount": 120, "customer": "ann"}}})
        tasks = self.client.json("claimTasks", {"queue": "ship", "worker": "w"})["items"]
        self.assertEqual([(task["input"], task["cause"]) for task in tasks], [(run["input"], "event")])
        small = self.report({"amount": 100}, event="order.created", headers={"Idempotency-Key": "o-2"})
        self.assertEqual((small["id"], [each["outcome"] for each in small["items"]]), ("o-2", ["filtered"]))
        busy = self.report({"amount": 300}, event="order.created")
        self.assertEqual([(each["outcome"], each["reason"]) for each in busy["items"]],
                         [("skipped", "overlap_in_flight")])
        self.assertEqual(self.report({}, event="order.paid")["items"], [])

    def test_a_filter_is_checked_when_it_is_written(self):
        events = [ORDERS, {"name": "order.paid", "filter": {"/amount": {"near": 1}}}]
        refused = self.client.call("createSchedule", {"name": "bad", "spec": {"events": events},
                                                      "target": {"taskKind": "x"}}, expect=422).json
        self.assertTrue(refused["errors"][0]["pointer"].startswith("/spec/events/1/filter"), refused)

    def test_the_runs_of_a_team_have_a_list_and_a_stream(self):
        self.client.call("deployWorkflow",
                         {"name": "two-steps", "nodes": [{"id": "a"}, {"id": "b", "dependsOn": ["a"]}]}, expect=201,
                         workflow="two-steps")
        self.client.json("createSchedule", {"name": "of-team", "spec": {"cron": ["0 0 29 2 *"]},
                                            "assignee": {"type": "team", "id": "blue"},
                                            "approvalPolicy": {"requiresApproval": False},
                                            "target": {"workflowKind": "two-steps"}}, expect=201)
        run = self.client.json("triggerSchedule", {}, schedule="of-team")
        self.assertEqual((run["outcome"], run["input"]), ("running", {}))
        self.assertEqual([each["id"] for each in self.client.json("listTeamRuns", team="blue")["items"]], [run["id"]])
        for _ in range(2):
            task = self.client.json("claimTasks", {"worker": "w", "assignee": "blue"})["items"][0]
            self.client.call("completeTasks",
                             {"items": [{"runId": run["id"], "attempt": task["attempt"], "node": task["node"],
                                         "status": "succeeded"}]}, expect=200)
        steps = [(each["type"], each["node"])
                 for each in self.client.json("listTeamRunEvents", team="blue", run=run["id"])["items"]]
        for step in [("node.started", "a"), ("node.succeeded", "a"), ("node.started", "b"), ("node.succeeded", "b")]:
            self.assertIn(step, steps)
        self.client.call("listTeamRunEvents", expect=404, team="red", run=run["id"])
        self.assertEqual(self.client.json("listTeamRuns", team="red")["items"], [])
        done = self.client.json("listRuns", state="completed", schedule="of-team")["items"]
        self.assertEqual([(each["status"], each["outcome"]) for each in done], [("succeeded", "completed")])

    def test_a_target_may_say_how_often_it_is_tried_again(self):
        made = self.client.json("createSchedule", {"name": "tried", "spec": {"cron": ["@yearly"]},
                                                   "target": {"taskKind": "x", "maxRetries": 4}}, expect=201)
        self.assertEqual((made["retryPolicy"]["maxRetries"], made["target"]["input"]), (4, {}))
        changed = self.client.json("patchSchedule", {"target": {"maxRetries": 2}}, schedule="tried")
        self.assertEqual(changed["retryPolicy"]["maxRetries"], 2)
        self.client.call("createSchedule",
                         {"name": "torn", "spec": {"cron": ["@yearly"]}, "retryPolicy": {"maxRetries": 1},
                          "target": {"taskKind": "x", "maxRetries": 4}}, expect=422)
        started = self.client.json("startTask", {"taskKind": "x", "queue": "once", "maxRetries": 3}, expect=201)
        schedule = self.client.json("getSchedule", schedule=started["scheduleId"])
        self.assertEqual(schedule["retryPolicy"]["maxRetries"], 3)


if __name__ == "__main__":
    unittest.main()
