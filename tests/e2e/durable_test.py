"""The dialect of the durable-workflow server through real HTTP, with the tests of durable_definitions.py,
durable_actions.py, durable_runs.py and durable_console.py."""

import json
import os
import unittest

from client import Client, send
from conversation import replay
from document import TENANT_HEADER
from durable_actions import Actions, Backfills, Histories, Lists
from durable_base import HOURLY, Dialect
from durable_console import Waterline
from durable_definitions import Definitions
from durable_runs import Runs, Server
from place import HERE, running_server
from server import belfry

VERSION = "X-Durable-Workflow-Control-Plane-Version"
TAG = "Durable dialect"


class Requests(Dialect):
    def test_the_version_comes_back_and_is_not_asked_for(self):
        for headers in ({}, {VERSION: "2"}):
            answer = self.client.call("durableListSchedules", expect=200, headers=headers)
            self.assertEqual(answer.headers.get(VERSION), headers.get(VERSION))
        missing = self.client.call("durableDescribeSchedule", expect=404, schedule_id="nobody", headers={VERSION: "2"})
        self.assertEqual((missing.headers[VERSION], missing.json["reason"]), ("2", "schedule_not_found"))

    def test_an_unknown_namespace_is_told_as_one(self):
        nowhere = {TENANT_HEADER: "nowhere"}
        body = {"spec": HOURLY, "action": {"workflow_type": "w"}}
        for name, sent, arguments in (("durableListSchedules", None, {}), ("durableCreateSchedule", body, {}),
                                      ("durableDescribeSchedule", None, {"schedule_id": "s"}),
                                      ("durableGetScheduleHistory", None, {"schedule_id": "s"}),
                                      ("durableWaterlineListSchedules", None, {}),
                                      ("durableListSchedules", None,
                                       {"query": 'ScheduleId = "a" AND ScheduleId = "b"'})):
            with self.subTest(name):
                self.refused(name, 404, "namespace_not_found", sent, headers=nowhere, **arguments)

    def test_an_empty_body_may_be_an_empty_list_as_php_writes_it(self):
        self.create("php")
        for name, outcome in (("durablePauseSchedule", "paused"), ("durableResumeSchedule", "resumed"),
                              ("durableTriggerSchedule", "triggered"),
                              ("durableUpdateSchedule", "updated")):
            self.assertEqual(self.client.json(name, [], schedule_id="php")["outcome"], outcome)
        self.refused("durableTriggerSchedule", 422, "validation_failed", [1], schedule_id="php")

    def test_bodies_that_are_none(self):
        self.assertEqual(self.client.call("durableCreateSchedule", text="{", media="application/json",
                                          expect=400).json["reason"], "malformed_json")
        self.assertEqual(self.client.call("durableCreateSchedule", text="{}", media="text/plain",
                                          expect=415).json["reason"], "unsupported_media_type")

    def test_who_may_not_is_told_so_and_who_may_is_remembered(self):
        with running_server("--auth", "required") as server:
            client = Client(server.url)
            for headers in ({}, {"Authorization": "Bearer nonsense"}):
                answer = client.call("durableListSchedules", expect=401, headers=headers)
                self.assertEqual((answer.json["reason"], answer.headers["WWW-Authenticate"]),
                                 ("unauthorized", "Bearer"))
            keys = {}
            for role in ("viewer", "operator"):
                made = belfry("token", "create", f"the {role}", "--role", role, "--tenant", "default", "-o", "json",
                              *server.store_flags)
                keys[role] = client.having({"Authorization": "Bearer " + json.loads(made.stdout)["secret"]})
            body = {"schedule_id": "s", "spec": HOURLY, "action": {"workflow_type": "w"}}
            self.assertEqual(keys["viewer"].call("durableCreateSchedule", body, 403).json["reason"], "forbidden")
            self.assertEqual(keys["viewer"].json("durableListSchedules", headers={TENANT_HEADER: "other"},
                                                 expect=404)["reason"], "namespace_not_found")
            keys["operator"].call("durableCreateSchedule", body, 201, headers={"X-Request-Id": "asked"})
            event = keys["viewer"].json("durableGetScheduleHistory", schedule_id="s")["events"][0]
            self.assertEqual(event["payload"]["command_context"],
                             {"principal": "key:the operator", "request_id": "asked", "source": "api"})

    def test_every_map_may_be_an_empty_list_as_php_writes_it(self):
        self.create("maps", memo=[], search_attributes=[], labels=[])
        told = self.describe("maps")
        self.assertEqual((told["memo"], told["search_attributes"], told["labels"]), ({}, {}, {}))
        self.client.call("durableUpdateSchedule", {"memo": {"a": 1}, "labels": {"b": "c"}}, 200, schedule_id="maps")
        self.client.call("durableUpdateSchedule", {"memo": [], "action": [], "labels": []}, 200, schedule_id="maps")
        self.assertEqual((self.describe("maps")["memo"], self.describe("maps")["labels"]), ({}, {}))

    def test_numbers_and_booleans_may_be_what_a_form_sends(self):
        self.create("coerced", jitter_seconds="30", max_runs="5", paused=1, action={"run_timeout_seconds": "60"})
        told = self.describe("coerced")
        self.assertEqual((told["jitter_seconds"], told["max_runs"], told["paused"],
                          told["action"]["run_timeout_seconds"]), (30, 5, True, 60))
        for member, value in (("jitter_seconds", "soon"), ("jitter_seconds", "3601"), ("paused", 2), ("max_runs", "")):
            with self.subTest(member=member, value=value):
                self.refused("durableCreateSchedule", 422, "validation_failed",
                             {"spec": HOURLY, "action": {"workflow_type": "w"}, member: value})

    def test_what_the_dialect_does_not_know_is_ignored_and_named(self):
        body = {"schedule_id": "ignoring", "spec": {**HOURLY, "calendars": []}, "colour\r\nX: y": 1,
                "action": {"workflow_type": "w", "priority": 3}}
        made = self.client.call("durableCreateSchedule", body, 201)
        self.assertEqual(set(made.headers["Belfry-Ignored"].split(", ")),
                         {"/spec/calendars", "/action/priority", "/colour%0D%0AX%3A%20y"})
        self.assertIsNone(self.client.call("durableDescribeSchedule", expect=200,
                                           schedule_id="ignoring").headers.get("Belfry-Ignored"))
        asked = send(self.server.url, "GET", "/api/schedules/ignoring?verbose=1")
        self.assertEqual((asked.status, asked.headers["Belfry-Ignored"]), (200, "?verbose"))
        native = {"name": "strict", "spec": {"cron": ["0 0 * * *"]}, "target": {"workflowKind": "w"}}
        for wrong in ({"colour": 1}, {"maxRuns": "5"}, {"memo": []}):
            self.client.call("createSchedule", {**native, **wrong}, 422)

    def test_recorded_conversations(self):
        for name, least in (("recorded", 20), ("dw", 30), ("php", 20), ("waterline", 12)):
            with self.subTest(name):
                self.client.call("createTenant", {"name": name}, 201)
                file = "durable.json" if name == "recorded" else f"durable_{name}.json"
                self.assertGreaterEqual(replay(self.server.url, os.path.join(HERE, "conversations", file)), least)


class Conclusion(Dialect):
    def test_every_operation_of_the_dialect_was_called(self):
        described = {name
                     for name, (_, _, operation) in self.client.document.operations.items()
                     if operation["tags"] == [TAG]}
        self.assertEqual(len(described), 32)
        self.assertEqual(described - set(self.client.seen), set())


def load_tests(loader, *_):
    """In this order: the last looks at what the others have called."""
    classes = (Definitions, Requests, Actions, Backfills, Lists, Histories, Runs, Server, Waterline, Conclusion)
    return unittest.TestSuite(loader.loadTestsFromTestCase(each) for each in classes)


if __name__ == "__main__":
    with running_server("--auth", "off") as Dialect.server:
        Dialect.client = Client(Dialect.server.url)
        unittest.main()
