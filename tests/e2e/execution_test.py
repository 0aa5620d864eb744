"""Workflows and tasks with real workers: retries, fallbacks, cancellation, workers that die or freeze, calls and
commands."""

import contextlib
import http.server
import json
import os
import signal
import sys
import tempfile
import threading
import unittest

from client import Client
from place import running_server
from server import eventually
from worker import Worker

SCRIPT = """
import json, os, sys, time
folder, node, attempt = sys.argv[1], os.environ["BELFRY_NODE"], os.environ["BELFRY_ATTEMPT"]
task = json.load(sys.stdin)
open(os.path.join(folder, f"{node or 'task'}-{attempt}-{os.environ['BELFRY_RUN_ID']}"), "w").close()
wish = (task or {}).get("wish") if isinstance(task, dict) else None
if wish == "fail once" and attempt == "1" or wish == "fail":
    sys.exit("as it was asked to")
if wish == "hang" and attempt == "1":
    time.sleep(600)
print(json.dumps({"node": node, "got": task}))
"""


class Receiver(http.server.BaseHTTPRequestHandler):
    """What http tasks call: the path says how it behaves."""

    seen = []

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.seen.append((self.path, self.headers.get("Idempotency-Key"), body))
        times = sum(1 for path, _, _ in self.seen if path == self.path)
        if self.path.startswith("/slow"):
            self.server.released.wait(30)
        status = 503 if self.path.startswith("/failing") and times == 1 else 302 if self.path.startswith(
            "/redirect") else 200
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()
        with contextlib.suppress(BrokenPipeError):  # whoever called has gone
            self.wfile.write(b'{"ok": true}')

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Execution(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        commands = os.path.join(cls.folder.name, "commands.toml")
        with open(commands, "w", encoding="utf-8") as file:
            file.write('[[command]]\nname = "flood"\nargv = ["/bin/sh", "-c", "yes | head -n 100000"]\n'
                       'environment = ["PATH"]\noutput_max = 1000\n')
        cls.context = running_server("--auth", "off", "--outgoing-allow", "127.0.0.0/8", "--commands-file", commands)
        cls.server = cls.context.__enter__()
        cls.client = Client(cls.server.url)
        cls.receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        cls.receiver.released = threading.Event()
        threading.Thread(target=cls.receiver.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.receiver.released.set()
        cls.receiver.shutdown()
        cls.receiver.server_close()
        cls.context.__exit__(None, None, None)
        cls.folder.cleanup()

    def worker(self, *flags):
        worker = Worker(self.server.url, flags, [sys.executable, "-c", SCRIPT, self.folder.name])
        self.addCleanup(worker.__exit__)
        return worker

    def schedule(self, name, target, **more):
        return self.client.json("createSchedule",
                                {"name": name, "spec": {"cron": ["0 9 * * *"]}, "target": target, **more}, 201)

    def over(self, run, *states):
        def look():
            found = self.client.json("getRun", run=run)
            return found if found["status"] in states else None
        return eventually(f"run {run} to be one of {states}", look)

    def test_a_graph_with_a_retry_and_a_fallback(self):
        graph = {"queue": "graph", "nodes": [
            {"id": "first", "input": {"wish": "fail once"}},
            {"id": "left", "dependsOn": ["first"], "input": {"from": "${nodes.first.output/node}"}},
            {"id": "right", "dependsOn": ["first"], "input": {"wish": "fail"}},
            {"id": "last", "dependsOn": ["left"], "input": "${nodes.left.output/got/from}"}]}
        self.client.call("deployWorkflow", graph, 201, workflow="graph")
        self.schedule("graph", {"type": "workflow", "workflowKind": "graph"},
                      retryPolicy={"maxRetries": 1, "backoffMs": 10},
                      failurePolicy={"mode": "fallback", "fallbackAssigneeId": "night-shift"})
        self.worker("--queue", "graph", "--concurrency", "2")
        run = self.client.json("triggerSchedule", schedule="graph")["id"]
        nodes = lambda: {node["node"]: node for node in self.client.json("getRunNodes", run=run)["nodes"]}
        eventually("the fallback", lambda: nodes()["right"]["assignee"] == "night-shift")
        self.worker("--queue", "graph", "--assignee", "night-shift")
        ended = self.over(run, "failed", "succeeded")
        found = nodes()
        self.assertEqual(ended["status"], "failed", "the fallback fails, too")
        self.assertEqual([(name, found[name]["status"], found[name]["attempts"])
                          for name in ("first", "left", "right", "last")],
                         [("first", "succeeded", 2), ("left", "succeeded", 1), ("right", "failed", 4),
                          ("last", "succeeded", 1)])
        self.assertEqual(found["last"]["input"], "first")
        types = [event["type"] for event in self.client.json("listRunEvents", run=run)["items"]]
        self.assertEqual((types[0], types[1], types[-1]), ("ScheduleTriggered", "run.started", "run.failed"))
        self.assertEqual((types.count("node.failed"), types.count("node.reassigned")), (5, 1))
        self.assertIn(run, [item["id"] for item in self.client.json("listDeadLetters")["items"]])

    def test_a_worker_that_dies_or_freezes_loses_its_task(self):
        for name, number in (("dies", signal.SIGKILL), ("freezes", signal.SIGSTOP)):
            with self.subTest(name):
                target = {"type": "task", "taskKind": "hang", "queue": name, "input": {"wish": "hang"}}
                self.schedule(name, target)  # it needs no retries: that a worker is lost is no failure
                first = self.worker("--queue", name, "--lease", "2s", "--name", name)
                run = self.client.json("triggerSchedule", schedule=name)["id"]
                self.over(run, "running")
                first.send(number)
                self.worker("--queue", name, "--name", "the other")
                ended = self.over(run, "succeeded", "failed")
                self.assertEqual((ended["status"], ended["attempts"]), ("succeeded", 2))
                self.assertIn("node.redelivered",
                              [event["type"] for event in self.client.json("listRunEvents", run=run)["items"]])
                late = self.client.json("completeTasks",
                                        {"items": [{"runId": run, "attempt": 1, "status": "failed"}]})["items"][0]
                self.assertEqual((late["ok"], late["problem"]["status"]), (False, 409))
                self.assertEqual(self.client.json("getRun", run=run)["status"], "succeeded", "and changes nothing")

    def test_cancelling_ends_the_command(self):
        self.schedule("stop", {"type": "task", "taskKind": "hang", "queue": "stop", "input": {"wish": "hang"}})
        worker = self.worker("--queue", "stop", "--lease", "2s")
        run = self.client.json("triggerSchedule", schedule="stop")["id"]
        self.over(run, "running")
        self.client.json("cancelRun", {"reason": "enough"}, run=run)
        worker.said("(?i)lease|cancel|lost")
        self.assertEqual(self.client.json("getRun", run=run)["status"], "cancelled")

    def test_overlap_with_work_that_really_runs(self):
        target = {"type": "task", "taskKind": "hang", "queue": "overlap", "input": {"wish": "hang"}}
        self.worker("--queue", "overlap", "--concurrency", "4", "--lease", "2s")
        for policy, first, second in (("skip", "running", "skipped"), ("buffer_one", "running", "buffered"),
                                      ("cancel_other", "cancelled", "running"),
                                      ("terminate_other", "terminated", "running"),
                                      ("allow_all", "running", "running")):
            with self.subTest(policy):
                name = f"overlap-{policy}"
                self.schedule(name, target, overlapPolicy=policy)
                one = self.client.json("triggerSchedule", schedule=name)["id"]
                self.over(one, "running")
                two = self.client.json("triggerSchedule", schedule=name)["id"]
                self.over(one, first)
                self.over(two, second)
                if policy == "buffer_one":
                    self.client.json("cancelRun", run=one)
                    self.over(two, "running")
                self.client.json("deleteSchedule", schedule=name)
                for run in (one, two):
                    self.client.call("cancelRun", run=run)

    def test_http_tasks(self):
        url = f"http://127.0.0.1:{self.receiver.server_port}"
        for path, more, status, attempts in (("/failing", {"maxRetries": 2, "backoffMs": 10}, "succeeded", 2),
                                             ("/redirect", {}, "failed", 1),
                                             ("/slow", {"timeoutMs": 500}, "timed_out", 1)):
            with self.subTest(path):
                name = "http" + path.replace("/", "-")
                self.schedule(name, {"type": "task", "taskKind": "http", "input": {"method": "POST", "url": url + path,
                                                                                   "body": {"a": 1}}}, retryPolicy=more)
                run = self.client.json("triggerSchedule", schedule=name)
                ended = self.over(run["id"], "succeeded", "failed", "timed_out")
                self.assertEqual((ended["status"], ended["attempts"]), (status, attempts), ended["error"])
                calls = [call for call in Receiver.seen if call[0] == path]
                self.assertEqual({call[1] for call in calls}, {run["idempotencyKey"]}, "one key for all attempts")
                self.assertEqual(json.loads(calls[0][2]), {"a": 1})
        self.assertNotIn("/elsewhere", [call[0] for call in Receiver.seen])

    def test_a_command_that_floods_and_one_that_nobody_registered(self):
        self.client.call("deployWorkflow", {"nodes": [{"id": "flood", "kind": "command",
                                                       "input": {"command": "flood"}}]}, 201, workflow="flood")
        run = self.client.json("startWorkflow", {"workflowKind": "flood"}, 201)["id"]
        ended = self.over(run, "succeeded", "failed")
        self.assertEqual(ended["status"], "succeeded", ended["error"])
        self.assertTrue(ended["result"]["cut"])
        self.assertLessEqual(len(ended["result"]["stdout"]), 1000)
        refused = self.client.call("startTask", {"taskKind": "command", "input": {"command": "floood"}},
                                   422).json["errors"][0]
        self.assertEqual(refused,
                         {"pointer": "/input/command", "detail": 'there is no command "floood"; did you mean "flood"?'})
        made = self.client.json("createSchedule", {"name": "short", "spec": {"cron": ["0 0 29 2 *"]},
                                                   "target": {"type": "command", "command": "flood"}}, 201)
        self.assertEqual(made["target"]["taskKind"], "command")
        short = self.client.json("triggerSchedule", schedule="short")["id"]
        self.assertEqual(self.over(short, "succeeded", "failed")["status"], "succeeded",
                         "as the node of a workflow does")

    def test_a_target_that_is_an_http_call_written_short(self):
        url = f"http://127.0.0.1:{self.receiver.server_port}"
        self.schedule("short-http", {"type": "http", "method": "POST", "url": url + "/ok", "body": {"a": 1}})
        run = self.client.json("triggerSchedule", schedule="short-http")
        self.assertEqual(self.over(run["id"], "succeeded", "failed")["status"], "succeeded")
        self.assertEqual([json.loads(call[2]) for call in Receiver.seen if call[1] == run["idempotencyKey"]],
                         [{"a": 1}])


if __name__ == "__main__":
    unittest.main()
