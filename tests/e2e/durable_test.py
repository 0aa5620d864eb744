"""The dialect of the durable-workflow server through real HTTP, with the tests of durable_definitions.py and
durable_actions.py."""

import json
import os
import unittest

from client import Client
from conversation import replay
from document import TENANT_HEADER
from durable_actions import Actions, Backfills, Histories, Lists, Waterline
from durable_base import HOURLY, Dialect
from durable_definitions import Definitions
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

    def test_a_recorded_conversation(self):
        self.client.call("createTenant", {"name": "recorded"}, 201)
        self.assertGreater(replay(self.server.url, os.path.join(HERE, "conversations", "durable.json")), 20)


class Conclusion(Dialect):
    def test_every_operation_of_the_dialect_was_called(self):
        described = {name
                     for name, (_, _, operation) in self.client.document.operations.items()
                     if operation["tags"] == [TAG]}
        self.assertEqual(len(described), 13)
        self.assertEqual(described - set(self.client.seen), set())


def load_tests(loader, *_):
    """In this order: the last looks at what the others have called."""
    classes = (Definitions, Requests, Actions, Backfills, Lists, Histories, Waterline, Conclusion)
    return unittest.TestSuite(loader.loadTestsFromTestCase(each) for each in classes)


if __name__ == "__main__":
    with running_server("--auth", "off") as Dialect.server:
        Dialect.client = Client(Dialect.server.url)
        unittest.main()
