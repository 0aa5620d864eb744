"""The cron service's clients against Belfry: requests, answers and refusals as its specification has them."""

import hashlib
import http.server
import json
import os
import tempfile
import threading
import unittest
from datetime import datetime, timezone

from client import Client, send
from conversation import replay
from place import HERE
from served import Served, eventually

NIGHTLY = {"schedule_id": "nightly", "workflow_id": "invoices", "version": 1, "user_id": "u-17",
           "cron_expr": "0 2 * * *", "timezone": "America/New_York"}
WORKFLOW = {"nodes": [{"id": "fetch", "taskKind": "fetch"}]}


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class CronService(Served):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client.call("deployWorkflow", WORKFLOW, 201, workflow="invoices")

    def upsert(self, **more):
        return self.client.json("cronServiceUpsert", {**NIGHTLY, **more})

    def get(self, name):
        return self.client.json("cronServiceGet", schedule_id=name)

    def refused(self, status, body, operation="cronServiceUpsert", **parts):
        return self.client.call(operation, body, status, **parts).json

    def test_an_upsert_creates_and_replaces(self):
        made = self.upsert(schedule_id="first")
        self.assertEqual(made.keys(), {"schedule_id", "next_run_at"})
        self.assertEqual(made["schedule_id"], "first")
        one = self.get("first")
        self.assertEqual(one["next_run_at"], made["next_run_at"])
        self.assertEqual(one["next_fire_times"][0], made["next_run_at"])
        updated_at = one.pop("updated_at")
        times = one.pop("next_fire_times")
        self.assertEqual([instant(time).minute for time in times], [0] * 5)
        self.assertEqual(len({instant(time) for time in times}), 5)
        inside = one.pop("schedule")
        self.assertEqual(inside, {**one, "updated_at": updated_at}, "as the service nests it")
        one.pop("next_run_at")
        self.assertEqual(one, {"schedule_id": "first", "workflow_id": "invoices", "version": 1, "user_id": "u-17",
                               "cron_expr": "0 2 * * *",
                               "timezone": "America/New_York", "start_at": None, "end_at": None, "paused": False,
                               "jitter_ms": 0,
                               "overlap_policy": "skip", "catchup_policy": "none"}, "the defaults of the cron service")
        changed = self.upsert(schedule_id="first", cron_expr="30 3 * * *", timezone="UTC", jitter_ms=250,
                              overlap_policy="queue",
                              catchup_policy="fire_immediately", start_at="2030-01-01T00:00:00Z",
                              end_at="2031-01-01T00:00:00Z", user_id="u-18")
        self.assertEqual(changed["next_run_at"], "2030-01-01T03:30:00Z", "from the later of now and start_at")
        again = self.get("first")
        self.assertGreater(instant(again["updated_at"]), instant(updated_at))
        for name, value in {"cron_expr": "30 3 * * *", "timezone": "UTC", "jitter_ms": 250, "overlap_policy": "queue",
                            "user_id": "u-18",
                            "catchup_policy": "fire_immediately", "start_at": "2030-01-01T00:00:00Z",
                            "end_at": "2031-01-01T00:00:00Z"}.items():
            self.assertEqual(again[name], value, name)
        self.upsert(schedule_id="first")
        back = self.get("first")
        self.assertEqual((back["jitter_ms"], back["overlap_policy"], back["catchup_policy"], back["start_at"],
                          back["end_at"]), (0, "skip", "none", None, None),
                         "the row is replaced as a whole")

    def test_without_an_id_one_is_made(self):
        body = {key: value for key, value in NIGHTLY.items() if key != "schedule_id"}
        first, second = (self.client.json("cronServiceUpsert", body)["schedule_id"] for _ in range(2))
        self.assertNotEqual(first, second)
        self.assertRegex(first, r"^invoices-[0-9a-f]{8}$")
        self.assertEqual(self.get(first)["workflow_id"], "invoices")

    def test_policies_in_both_vocabularies(self):
        native = {"allow": "allow_all", "skip": "skip", "queue": "buffer_all"}
        missed = {"none": "skip", "fire_immediately": "fire_all", "spread": "spread"}
        for theirs, ours in native.items():
            self.upsert(schedule_id="words", overlap_policy=theirs)
            self.assertEqual(self.client.json("getSchedule", schedule="words")["overlapPolicy"], ours)
            self.assertEqual(self.get("words")["overlap_policy"], theirs)
        for theirs, ours in missed.items():
            self.upsert(schedule_id="words", catchup_policy=theirs)
            self.assertEqual(self.client.json("getSchedule", schedule="words")["missedRunPolicy"], ours)
            self.assertEqual(self.get("words")["catchup_policy"], theirs)

    def test_pausing(self):
        self.upsert(schedule_id="naps")
        for _ in range(2):
            self.assertEqual(self.client.json("cronServicePause", {"schedule_id": "naps", "paused": True}),
                             {"message": "Schedule naps is paused", "schedule_id": "naps", "paused": True})
            paused = self.get("naps")
            self.assertEqual((paused["paused"], paused["next_run_at"], paused["next_fire_times"]), (True, None, []))
        for _ in range(2):
            self.client.call("cronServicePauseOne", {"paused": False}, 200, schedule_id="naps")
            self.assertFalse(self.get("naps")["paused"])
        self.client.call("cronServicePauseOne", None, 200, schedule_id="naps")
        self.assertTrue(self.get("naps")["paused"])
        self.assertIsNotNone(self.upsert(schedule_id="naps")["next_run_at"])
        self.assertFalse(self.get("naps")["paused"], "an upsert lets it go on")

    def test_an_upsert_resets_the_pause_and_the_time_of_the_update(self):
        self.upsert(schedule_id="reset")
        before = self.get("reset")
        self.client.call("cronServicePause", {"schedule_id": "reset", "paused": True}, 200)
        self.assertTrue(self.get("reset")["paused"])
        self.assertIsNotNone(self.upsert(schedule_id="reset")["next_run_at"])
        after = self.get("reset")
        self.assertFalse(after["paused"])
        self.assertGreater(instant(after["updated_at"]), instant(before["updated_at"]), "although nothing else changed")
        self.assertEqual({**after["schedule"], "updated_at": None}, {**before["schedule"], "updated_at": None})
        self.upsert(schedule_id="reset")
        self.assertGreater(instant(self.get("reset")["updated_at"]), instant(after["updated_at"]), "every time")

    def test_deleting(self):
        self.upsert(schedule_id="gone")
        run = self.client.json("triggerSchedule", schedule="gone")
        self.client.call("cronServiceDelete", None, 200, schedule_id="gone")
        for operation, body in (("cronServiceGet", None), ("cronServiceDelete", None),
                                ("cronServicePauseOne", {"paused": True})):
            self.assertEqual(self.refused(404, body, operation, schedule_id="gone")["error"], "not_found", operation)
        self.assertEqual([row["run_id"] for row in self.client.json("cronServiceRuns", schedule_id="gone")["runs"]],
                         [run["id"]], "its runs stay")
        self.upsert(schedule_id="gone")
        self.assertEqual(self.client.json("cronServiceRuns", schedule_id="gone")["runs"], [],
                         "the name is free for another")

    def test_runs_in_its_words(self):
        self.upsert(schedule_id="words-of-runs", overlap_policy="skip")
        first = self.client.json("triggerSchedule", schedule="words-of-runs")
        self.client.json("triggerSchedule", schedule="words-of-runs")
        self.assertEqual([row["status"] for row in self.runs()], ["SKIPPED", "ENQUEUED"])
        task = self.client.json("claimTasks", {"worker": "w", "queue": "default", "limit": 100})["items"]
        task = next(item for item in task if item["runId"] == first["id"])
        self.assertEqual(self.runs()[1]["status"], "STARTED")
        self.assertEqual(task["target"]["metadata"]["user_id"], "u-17")
        lease = {"runId": task["runId"], "attempt": task["attempt"], "node": task["node"]}
        self.client.json("completeTasks", {"items": [{**lease, "status": "failed", "error": "no"}]})
        last = self.runs()[1]
        self.assertEqual(last["status"], "FAILED")
        self.assertEqual(last, {"idempotency_key": first["idempotencyKey"], "schedule_id": "words-of-runs",
                                "run_at": first["scheduledAt"], "status": "FAILED",
                                "run_id": first["id"], "created_at": first["decidedAt"],
                                "updated_at": self.client.json("getRun", run=first["id"])["completedAt"]})
        second = self.client.json("triggerSchedule", schedule="words-of-runs")["id"]
        tasks = self.client.json("claimTasks", {"worker": "w", "queue": "default", "limit": 100})["items"]
        lease = next({"runId": item["runId"], "attempt": item["attempt"], "node": item["node"]} for item in tasks
                     if item["runId"] == second)
        self.client.json("completeTasks", {"items": [{**lease, "status": "succeeded"}]})
        self.assertEqual([row["status"] for row in self.runs()], ["SUCCESS", "SKIPPED", "FAILED"])
        self.assertEqual(len(self.client.json("cronServiceRuns", schedule_id="words-of-runs", limit=1)["runs"]), 1)
        self.assertEqual(self.refused(400, None, "cronServiceRuns", schedule_id="words-of-runs", limit=501)["field"],
                         "limit")

    def runs(self):
        return self.client.json("cronServiceRuns", schedule_id="words-of-runs")["runs"]

    def test_a_tick_has_the_key_of_the_specification(self):
        soon = datetime.now(timezone.utc)
        self.upsert(schedule_id="ticks", cron_expr="* * * * * *", timezone="UTC", overlap_policy="allow")
        rows = eventually(lambda: self.client.json("cronServiceRuns", schedule_id="ticks")["runs"])
        self.client.call("cronServiceDelete", None, 200, schedule_id="ticks")
        at = instant(rows[-1]["run_at"])
        self.assertGreaterEqual(at, soon.replace(microsecond=0))
        expected = hashlib.sha256(f"ticks:{int(at.timestamp())}".encode()).hexdigest()
        self.assertEqual(rows[-1]["idempotency_key"], expected, "of what the client knows alone")
        run = self.client.json("getRun", run=rows[-1]["run_id"])
        self.assertEqual(run["idempotencyKey"], expected, "the native API shows the same key")
        task = next(item for item in self.client.json("claimTasks", {"worker": "w", "limit": 100})["items"]
                    if item["runId"] == run["id"])
        self.assertEqual(task["idempotencyKey"].split(":")[0], expected)

    def test_a_schedule_of_another_client_gets_such_keys_with_its_first_upsert(self):
        self.client.call("createSchedule", {"name": "taken-over", "spec": {"cron": ["0 9 * * *"]},
                                            "overlapPolicy": "allow_all", "target": {"workflowKind": "invoices"}}, 201)
        before = self.client.json("triggerSchedule", schedule="taken-over")
        self.upsert(schedule_id="taken-over", overlap_policy="allow")
        after = self.client.json("triggerSchedule", schedule="taken-over")
        rows = self.client.json("cronServiceRuns", schedule_id="taken-over")["runs"]
        self.assertEqual([row["idempotency_key"] for row in rows], [after["idempotencyKey"], before["idempotencyKey"]],
                         "the key of a run never changes")
        slot = f"trigger:{round(instant(after['scheduledAt']).timestamp() * 1000)}"
        self.assertEqual(after["idempotencyKey"], hashlib.sha256(f"taken-over:{slot}".encode()).hexdigest())
        native = self.client.json("getSchedule", schedule="taken-over")
        self.assertEqual(native["runKeyName"], "taken-over")
        self.client.json("replaceSchedule", {**native, "description": "changed"}, schedule="taken-over")
        self.assertEqual(self.client.json("getSchedule", schedule="taken-over")["runKeyName"], "taken-over")

    def test_refusals_name_the_field(self):
        for change, field in (({"cron_expr": "61 * * * *"}, "cron_expr"), ({"cron_expr": "0 0 30 2 *"}, "cron_expr"),
                              ({"timezone": "Mars/Base"}, "timezone"),
                              ({"version": 0}, "version"), ({"jitter_ms": -1}, "jitter_ms"),
                              ({"overlap_policy": "sometimes"}, "overlap_policy"),
                              ({"catchup_policy": "later"}, "catchup_policy"), ({"start_at": "tomorrow"}, "start_at"),
                              ({"end_at": "2000-01-01T00:00:00Z"}, "cron_expr"), ({"schedule_id": ""}, "schedule_id"),
                              ({"color": "red"}, "color")):
            with self.subTest(change):
                refused = self.refused(400, {**NIGHTLY, "schedule_id": "never", **change})
                self.assertEqual(refused.keys(), {"detail", "error", "message", "field"})
                self.assertEqual((refused["error"], refused["field"]), ("invalid_argument", field), refused["message"])
                self.assertEqual(refused["detail"], refused["message"])
        for missing in ("workflow_id", "version", "user_id", "cron_expr", "timezone"):
            refused = self.refused(400, {key: value for key, value in NIGHTLY.items() if key != missing})
            self.assertEqual(refused["field"], missing)
        self.assertEqual(self.refused(404, None, "cronServiceGet", schedule_id="never")["error"], "not_found",
                         "nothing was made")
        self.assertEqual(self.refused(404, {"schedule_id": "never", "paused": True}, "cronServicePause")["field"], None)
        broken = send(self.server.url, "POST", "/schedules/upsert", "{", {"Content-Type": "application/json"})
        self.assertEqual((broken.status, broken.json["error"]), (400, "malformed_json"))

    def test_another_namespace_is_another_world(self):
        self.client.call("createTenant", {"name": "billing"}, 201)
        billing = Client(self.server.url, "billing", seen=self.seen)
        billing.json("cronServiceUpsert", {**NIGHTLY, "schedule_id": "theirs"})
        self.assertEqual(self.refused(404, None, "cronServiceGet", schedule_id="theirs")["error"], "not_found")
        self.assertEqual(billing.json("getSchedule", schedule="theirs")["name"], "theirs")
        nowhere = Client(self.server.url, "nowhere", seen=self.seen).call("cronServiceUpsert", NIGHTLY, 404).json
        self.assertIn("nowhere", nowhere["message"])
        default = send(self.server.url, "GET", "/schedules/theirs")
        self.assertEqual(default.status, 404, "without the header it is the default tenant")

    def test_what_it_has_no_word_for_stays(self):
        body = {"name": "native", "spec": {"intervals": [{"every": "PT6H"}]}, "labels": {"team": "a"},
                "calendars": ["weekends-only"], "overlapPolicy": "cancel_other",
                "missedRunPolicy": "fire_once",
                "target": {"workflowKind": "invoices", "input": {"a": 1}, "metadata": {"trace": "on"}}}
        self.client.call("createSchedule", body, 201)
        read = self.get("native")
        self.assertEqual((read["cron_expr"], read["version"], read["overlap_policy"], read["catchup_policy"],
                          read["user_id"]),
                         (None, None, "cancel_other", "fire_once",
                          self.client.json("getSchedule", schedule="native")["createdBy"]))
        self.upsert(schedule_id="native")
        after = self.client.json("getSchedule", schedule="native")
        self.assertEqual((after["labels"], after["calendars"], after["target"]["input"], after["target"]["metadata"]),
                         ({"team": "a"}, ["weekends-only"], {"a": 1}, {"trace": "on", "user_id": "u-17"}))
        self.assertEqual((after["spec"]["cron"], after["spec"]["intervals"]), (["0 2 * * *"], []))

    def test_the_launcher(self):
        body = {"workflow_id": "invoices", "version": 1, "user_id": "u-17", "scheduled_for": "2026-01-01T00:00:00Z",
                "idempotency_key": "k-1"}
        first = self.client.json("cronServiceLaunch", body)
        self.assertEqual((first["started"], first["reason"]), (True, None))
        self.assertEqual(self.client.json("cronServiceLaunch", body), first, "once, however often")
        run = self.client.json("getRun", run=first["run_id"])
        self.assertEqual((run["targetType"], run["status"]), ("workflow", "queued"))
        other = self.refused(400, {**body, "scheduled_for": "2026-01-02T00:00:00Z"}, "cronServiceLaunch")
        self.assertEqual(other["field"], "idempotency_key")
        absent = self.client.json("cronServiceLaunch", {**body, "workflow_id": "unknown", "idempotency_key": "k-2"})
        self.assertEqual((absent["started"], absent["run_id"]), (False, None))
        self.assertIn("unknown", absent["reason"])
        old = self.client.json("cronServiceLaunch", {**body, "version": 7, "idempotency_key": "k-3"})
        self.assertFalse(old["started"])
        self.assertEqual(self.refused(400, {**body, "idempotency_key": "a b"}, "cronServiceLaunch")["field"],
                         "idempotency_key")
        whole = {**body, "idempotency_key": "k-4", "meta": {"source": "schedule"}, "tenant": "far", "runId": "x",
                 "attempt": 1, "input": {"n": 7}, "callback": None}
        self.assertEqual(self.client.json("getRun", run=self.client.json("cronServiceLaunch", whole)["run_id"])[
            "input"], {"n": 7}, "a hand-over of another Belfry")

    def test_the_launcher_with_arguments_in_the_query(self):
        arguments = {"workflow_id": "invoices", "version": 1, "user_id": "u-17",
                     "scheduled_for": "2026-01-01T00:00:00", "idempotency_key": "q-1"}
        first = self.client.json("cronServiceLaunch", **arguments)
        self.assertEqual((first["started"], first["message"]), (True, "Workflow started successfully"))
        self.assertEqual(self.client.json("cronServiceLaunch", **arguments), first)
        self.assertEqual(self.refused(404, None, "cronServiceLaunch",
                                      **{**arguments, "workflow_id": "unknown", "idempotency_key": "q-2"})["field"],
                         "workflow_id", "its command line reads the status only")
        self.assertEqual(self.refused(400, None, "cronServiceLaunch", **{**arguments, "version": "x"})["field"],
                         "version")
        self.assertEqual(self.refused(400, None, "cronServiceLaunch", **{**arguments, "scheduled_for": "soon"})[
            "field"], "scheduled_for")
        self.assertEqual(self.refused(400, {"workflow_id": "invoices"}, "cronServiceLaunch", **arguments)["field"],
                         "workflow_id", "not in both")
        self.assertEqual(self.refused(400, None, "cronServiceLaunch")["field"], "workflow_id")

    def test_lists(self):
        for user in ("list-1", "list-2"):
            for number in range(3):
                self.upsert(schedule_id=f"{user}-{number}", user_id=user)
        names = lambda **query: [row["schedule_id"]  # noqa: E731
                                 for row in self.client.json("cronServiceList", **query)["schedules"]]
        self.assertEqual(names(user_id="list-1"), ["list-1-0", "list-1-1", "list-1-2"])
        self.assertEqual(names(user_id="list-1", limit=1, offset=1), ["list-1-1"])
        self.assertEqual(names(user_id="list-1", offset=3), [])
        self.assertEqual(names(workflow_id="nothing"), [])
        self.assertLessEqual({"list-1-0", "list-2-2"}, set(names(workflow_id="invoices", limit=500)))
        self.assertEqual(self.client.json("cronServiceList", user_id="list-2", limit=1)["schedules"],
                         [self.get("list-2-0")["schedule"]])
        everything = names(limit=500)
        self.assertEqual(names(limit=2, offset=1), everything[1:3])
        for query in ({"limit": 0}, {"limit": 501}, {"offset": -1}, {"limit": "many"}, {"offset": 10001}):
            self.assertIn(self.refused(400, None, "cronServiceList", **query)["field"], query)

    def test_the_worker(self):
        self.client.call("createTenant", {"name": "stopped"}, 201)
        client = Client(self.server.url, "stopped", seen=self.seen)
        status = client.json("cronServiceWorkerStatus")
        self.assertEqual((status["status"], status["worker_status"]["running"]), ("running", True))
        self.assertEqual({key: status["worker_status"][key] for key in ("tick_ms", "lookahead_ms",
                                                                        "max_catchup_per_tick")},
                         {"tick_ms": 1000, "lookahead_ms": 60000, "max_catchup_per_tick": 100})
        client.json("cronServiceUpsert", {**NIGHTLY, "schedule_id": "idle"})
        for _ in range(2):
            self.assertEqual(client.json("cronServiceWorkerStop"), {"message": "Worker is stopped"})
            self.assertEqual(client.json("cronServiceWorkerStatus")["status"], "stopped")
        self.assertEqual(client.json("triggerSchedule", schedule="idle")["reason"], "dispatch_disabled")
        self.assertEqual(self.client.json("cronServiceWorkerStatus")["status"], "running", "one tenant alone")
        for _ in range(2):
            self.assertEqual(client.json("cronServiceWorkerStart"), {"message": "Worker is running"})
        self.assertEqual(client.json("cronServiceWorkerStatus")["status"], "running")
        self.assertEqual(client.json("triggerSchedule", schedule="idle")["reason"], None)

    def test_times_without_an_offset_are_utc(self):
        self.upsert(schedule_id="naive", timezone="UTC", start_at="2030-01-01T00:00:00", end_at="2031-01-01T00:00:00Z")
        self.assertEqual(self.get("naive")["start_at"], "2030-01-01T00:00:00Z")

    def test_yy_the_recorded_conversations(self):
        for name in ("cron_service", "cron_service_cli"):
            self.assertGreater(replay(self.server.url, os.path.join(HERE, "conversations", name + ".json")), 10)

    def test_zz_every_operation_was_called(self):
        self.expect_all_called(lambda operation: operation["tags"] == ["Cron service dialect"])


class Launcher(http.server.BaseHTTPRequestHandler):
    """An executor that starts everything and names its own runs."""

    got = []

    def do_POST(self):  # noqa: N802  pylint: disable=invalid-name
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.got.append({**body, "header": self.headers["Idempotency-Key"]})
        answer = json.dumps({"started": True, "run_id": "exec-" + body["scheduled_for"]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):  # pylint: disable=arguments-differ
        pass


class Launches(Served):
    """The workflows run elsewhere: a launcher gets their keys and names its runs."""

    @classmethod
    def setUpClass(cls):
        cls.executor = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Launcher)
        threading.Thread(target=cls.executor.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.executor.server_close)
        cls.addClassCleanup(cls.executor.shutdown)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = os.path.join(folder.name, "connections.toml")
        place = f'url = "http://127.0.0.1:{cls.executor.server_port}/execute"\nallow_private = true\nkind = "http"\n'
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"[connections.now]\n{place}[connections.later]\n{place}callbacks = true\n")
        cls.flags = (*Served.flags, "--connections-file", path, "--default-connection", "now")
        super().setUpClass()

    def runs(self, name):
        return self.client.json("cronServiceRuns", schedule_id=name)["runs"]

    def launched(self, name):
        """The first run of a schedule that fires every second."""
        body = {**NIGHTLY, "schedule_id": name, "workflow_id": "elsewhere", "cron_expr": "* * * * * *"}
        self.client.json("cronServiceUpsert", body)
        if name == "later":
            self.client.json("patchSchedule", {"target": {"connection": "later"}}, schedule=name)
        row = eventually(lambda: next((row for row in reversed(self.runs(name))
                                       if row["run_id"].startswith("exec-")), None))
        self.client.call("cronServicePause", {"schedule_id": name, "paused": True}, 200)
        return row

    def test_the_launcher_gets_the_key_that_the_client_computes(self):
        row = self.launched("now")
        at = int(instant(row["run_at"]).timestamp())
        expected = hashlib.sha256(f"now:{at}".encode()).hexdigest()
        self.assertEqual(row["idempotency_key"], expected)
        got = next(each for each in Launcher.got
                   if (each["schedule"], each["scheduled_for"]) == ("now", row["run_at"]))
        self.assertEqual((got["idempotency_key"], got["header"], got["meta"]["idempotency_key"]), (expected,) * 3)
        self.assertEqual((got["workflow_id"], got["version"], got["user_id"]), ("elsewhere", 1, "u-17"))

    def test_the_launchers_run_id_is_kept_and_shown(self):
        row = self.launched("now-too")
        self.assertEqual(row["run_id"], "exec-" + row["run_at"])
        row = self.launched("later")
        self.assertEqual((row["run_id"], row["status"]), ("exec-" + row["run_at"], "STARTED"), "before it has ended")


if __name__ == "__main__":
    unittest.main()
