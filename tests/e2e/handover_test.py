"""Tasks that are handed over to real brokers, each a private one: away, frozen, killed, and servers that are killed in
between."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support", "servers"))

from brokers import Broker  # noqa: E402  pylint: disable=wrong-import-position
from place import store_flags  # noqa: E402  pylint: disable=wrong-import-position
from server import SCHEDULES, Server, eventually  # noqa: E402  pylint: disable=wrong-import-position

RUNS = "/api/tenants/default/runs"


class Reader:
    """What has arrived, in order."""

    def __init__(self, broker):
        self._broker = broker
        self._given_away = []  # RabbitMQ keeps nothing that was read

    def messages(self):
        program = os.path.join(os.path.dirname(os.environ["BELFRY"]), "broker_reader")
        read = subprocess.run([program, self._broker.url, "billing"], capture_output=True, text=True, timeout=60,
                              check=True).stdout
        found = [json.loads(json.loads(line)["body"]) for line in read.splitlines()]
        if self._broker.kind != "rabbitmq":
            return found
        self._given_away += found
        return self._given_away


class World:
    """A broker, and servers on one store that know it."""

    def __init__(self, kind, flags=(), **more):
        self.stack = contextlib.ExitStack()
        self.flags = flags
        self.kind = kind
        self.more = more

    def __enter__(self):
        self.broker = self.stack.enter_context(Broker(self.kind))
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.store = self.stack.enter_context(store_flags())
        self.reader = Reader(self.broker)
        self._write("key", os.urandom(32).hex())
        members = "".join(f"{name} = {json.dumps(value)}\n" for name, value in self.more.items())
        self._write("connections.toml",
                    f'[connections.work]\nkind = "{self.kind}"\nurl = "{self.broker.url}"\n{members}'
                                        'options = { connectTimeout = "PT2S", operationTimeout = "PT3S" }\n')
        self.server = self.start()
        return self

    def __exit__(self, *_):
        self.server.__exit__()
        self.stack.close()

    def _write(self, name, text):
        with open(os.open(os.path.join(self.folder, name), os.O_WRONLY | os.O_CREAT, 0o600), "w",
                  encoding="utf-8") as file:
            file.write(text)

    def start(self):
        server = Server(*self.store, "--auth", "off", "--secret-key-file", os.path.join(self.folder, "key"),
                        "--connections-file",
                        os.path.join(self.folder, "connections.toml"), "--lease-seconds", "5", *self.flags,
                        folder=self.folder)
        return server.wait_until_ready()

    def ask(self, method, path, body=None, status=(200, 201, 202)):
        code, answer = self.server.ask(method, path, body)
        assert code in status, (code, answer)
        return answer

    def schedule(self, name="orders"):
        self.ask("POST", SCHEDULES, {"name": name, "spec": {"cron": ["0 0 29 2 *"]}, "overlapPolicy": "allow_all",
                                     "target": {"type": "task", "taskKind": "settle", "connection": "work",
                                                "queue": "billing"}})

    def trigger(self, times, name="orders"):
        return [self.ask("POST", f"{SCHEDULES}/{name}/trigger", {})["id"] for _ in range(times)]

    def states(self, runs):
        return {self.ask("GET", f"{RUNS}/{run}")["status"] for run in runs}

    def wait_for(self, runs, state="succeeded"):
        eventually(f"all runs {state}; the connection is {self.connection()}", lambda: self.states(runs) == {state})

    def connection(self):
        return self.ask("GET", "/api/connections")["items"][0]


def first_arrivals(messages):
    """Run ids in the order in which they first came."""
    return list(dict.fromkeys(message["runId"] for message in messages))


class HandOver(unittest.TestCase):
    def check(self, world, runs):
        messages = world.reader.messages()
        arrived = first_arrivals(messages)
        self.assertEqual([run for run in arrived if run in runs], runs)
        for run in runs:
            self.assertEqual(len({message["idempotency_key"] for message in messages if message["runId"] == run}), 1)

    def test_what_a_broker_has_is_done_and_what_it_has_not_waits_in_order(self):
        for kind in ("redis", "nats", "rabbitmq"):
            with self.subTest(kind), World(kind) as world:
                world.schedule()
                before = world.trigger(20)
                world.wait_for(before)
                self.check(world, before)
                world.broker.kill()
                during = world.trigger(30)
                eventually("an unavailable connection", lambda: world.connection()["state"] == "unavailable")
                self.assertEqual(world.ask("GET", "/health")["status"], "degraded")
                self.assertNotIn("succeeded", world.states(during))
                world.broker.start()
                world.wait_for(during)
                self.check(world, (before if kind != "redis" else []) + during)
                self.assertEqual(world.connection()["state"], "ok")

    def test_a_frozen_broker_only_delays(self):
        for kind in ("redis", "nats", "rabbitmq"):
            with self.subTest(kind), World(kind) as world:
                world.schedule()
                world.wait_for(world.trigger(1))
                world.broker.freeze()
                runs = world.trigger(10)
                eventually("an unavailable connection", lambda: world.connection()["state"] == "unavailable")
                world.broker.thaw()
                world.wait_for(runs)
                self.check(world, runs)

    def test_a_server_that_is_killed_loses_nothing_and_keeps_the_order(self):
        for kind in ("redis", "nats", "rabbitmq"):
            with self.subTest(kind), World(kind) as world:
                world.schedule()
                runs = world.trigger(60)
                world.server.send(signal.SIGKILL)
                world.server.__exit__()
                world.server = world.start()
                runs += world.trigger(10)
                world.wait_for(runs)
                self.check(world, runs)

    def test_a_broker_that_stays_away_fails_the_occurrence_with_the_reason(self):
        with World("redis", retry_for="PT1S") as world:
            world.schedule()
            world.broker.kill()
            run = world.trigger(1)[0]
            world.wait_for([run], "failed")
            self.assertIn("connection work did not take it within PT1S", world.ask("GET", f"{RUNS}/{run}")["error"])

    def test_the_first_that_says_where_a_task_goes_is_heard(self):
        """The node, the schedule, the workflow, the server: S3-74 and S3-75."""
        with World("redis", ("--default-connection", "work")) as world:
            target = {"type": "task", "taskKind": "x", "queue": "billing"}
            spec = {"spec": {"cron": ["0 0 29 2 *"]}, "overlapPolicy": "allow_all"}
            world.ask("POST", SCHEDULES, {"name": "silent", "target": target, **spec})
            world.ask("POST", SCHEDULES, {"name": "stays", "target": {**target, "connection": "builtin"}, **spec})
            nodes = [{"id": "far", "queue": "billing"}, {"id": "near", "dependsOn": ["far"], "connection": "builtin"}]
            world.ask("PUT", "/api/tenants/default/workflows/both", {"nodes": nodes})
            world.ask("POST", SCHEDULES,
                      {"name": "walks", "target": {"type": "workflow", "workflowKind": "both"}, **spec})
            left, stayed, walked = (world.trigger(1, name)[0] for name in ("silent", "stays", "walks"))
            world.wait_for([left])
            claim = {"worker": "w1", "queue": "billing", "limit": 10}
            task = world.ask("POST", "/api/tenants/default/tasks/claim", claim)["items"]
            self.assertEqual([each["runId"] for each in task], [stayed])
            near = eventually("the node that stays", lambda: world.ask("POST", "/api/tenants/default/tasks/claim",
                                                                       {"worker": "w1"})["items"])[0]
            self.assertEqual((near["runId"], near["node"]), (walked, "near"))
            arrived = world.reader.messages()
            self.assertEqual({(each["runId"], each["node"]) for each in arrived}, {(left, None), (walked, "far")})
            self.assertEqual([each["workflow_id"] for each in arrived if each["runId"] == walked], ["both"])

    def test_a_receiver_tells_how_it_ended(self):
        with World("redis", callbacks=True) as world:
            world.schedule()
            run = world.trigger(1)[0]
            message = eventually("the message", world.reader.messages)[0]
            self.assertEqual(message["callback"]["path"], f"{RUNS}/{run}/callback")
            world.wait_for([run], "running")
            world.ask("POST", message["callback"]["path"], {"status": "STARTED"})
            world.ask("POST", message["callback"]["path"], {"status": "SUCCESS", "result": 7})
            self.assertEqual(world.ask("GET", f"{RUNS}/{run}")["result"], 7)
            world.ask("POST", message["callback"]["path"], {"status": "FAILED"}, (409,))


if __name__ == "__main__":
    unittest.main()
