"""What the tests of the durable dialect share: a client of one server, and short ways to ask it."""

import unittest

# In April only, of which there is one to look back at: none of them fires while a test runs.
HOURLY = {"cron_expressions": ["0 * * 4 *"], "timezone": "UTC"}


class Dialect(unittest.TestCase):
    """`server` and `client` are set by durable_test.py; the client counts which operations were called."""

    server = None
    client = None

    def create(self, name, spec=None, expect=201, action=None, **members):
        body = {"schedule_id": name, "spec": spec or HOURLY, "action": {"workflow_type": "sync", **(action or {})},
                **members}
        return self.client.call("durableCreateSchedule", body, expect).json

    def describe(self, name):
        return self.client.json("durableDescribeSchedule", schedule_id=name)

    def native(self, name):
        return self.client.json("getSchedule", schedule=name)

    def trigger(self, name, **body):
        return self.client.json("durableTriggerSchedule", body, schedule_id=name)

    def history(self, name, **query):
        return self.client.json("durableGetScheduleHistory", schedule_id=name, **query)

    def events(self, name):
        return [(event["sequence"], event["event_type"]) for event in self.history(name)["events"]]

    def end(self, queue):
        """A worker takes the task that waits there, and is done with it."""
        task = self.client.json("claimTasks", {"queue": queue, "worker": "w"})["items"][0]
        self.client.json("completeTasks", {"items": [{"runId": task["runId"], "attempt": task["attempt"],
                                                      "node": task["node"], "status": "succeeded"}]})
        return task

    def outcome(self, expected, name, body=None, expect=200, /, **arguments):
        """Of a change: what happened, and to which schedule, in which state."""
        answer = self.client.json(name, body, expect, **arguments)
        self.assertEqual((answer["schedule_id"], answer["outcome"]), expected)
        self.assertEqual(answer["paused"], answer["status"] == "paused")
        self.assertEqual((answer["paused_at"] is not None, answer["deleted_at"] is not None),
                         (answer["status"] == "paused", answer["status"] == "deleted"))
        self.assertLessEqual({"namespace", "note", "updated_at"}, set(answer))
        return answer

    def refused(self, name, status, reason, body=None, /, **arguments):
        answer = self.client.call(name, body, status, **arguments).json
        self.assertEqual(answer["reason"], reason, answer)
        self.assertTrue(answer["message"])
        return answer
