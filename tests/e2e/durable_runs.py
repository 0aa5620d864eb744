"""What clients of the durable dialect read of the runs that schedules started, and of the server itself."""

import json

from client import Client, send
from document import TENANT_HEADER
from durable_base import Dialect
from place import running_server

VERSION = "X-Durable-Workflow-Control-Plane-Version"


class Runs(Dialect):
    def start(self, name, **action):
        self.create(name, overlap_policy="allow_all", action={"task_queue": name, **action})
        return self.trigger(name)

    def workflow(self, workflow_id):
        return self.client.json("durableDescribeWorkflow", workflow_id=workflow_id)

    def test_the_id_of_a_trigger_leads_to_its_run(self):
        started = self.start("leads:to", input=["a", 1], execution_timeout_seconds=60, run_timeout_seconds=30)
        told = self.workflow(started["workflow_id"])
        self.assertEqual((told["workflow_id"], told["run_id"], told["schedule_id"], told["namespace"]),
                         (started["workflow_id"], started["run_id"], "leads:to", "default"))
        self.assertEqual((told["status"], told["status_bucket"], told["is_terminal"], told["closed_at"]),
                         ("pending", "running", False, None))
        self.assertEqual((told["workflow_type"], told["task_queue"], told["input"], told["payload_codec"]),
                         ("sync", "leads:to", ["a", 1], "json"))
        self.assertEqual((told["execution_timeout_seconds"], told["run_timeout_seconds"]), (60, 30))
        self.assertEqual(told["control_plane"]["operation"], "describe")
        run = self.client.json("durableDescribeWorkflowRun", workflow_id=started["workflow_id"],
                               run_id=started["run_id"])
        self.assertEqual({**run, "control_plane": told["control_plane"]}, told)
        self.assertEqual(self.workflow(started["run_id"]), told, "the id of the run works, too")
        runs = self.client.json("durableListWorkflowRuns", workflow_id=started["workflow_id"])
        self.assertEqual((runs["run_count"], [each["run_id"] for each in runs["runs"]]), (1, [started["run_id"]]))

    def test_the_history_ends_with_the_output(self):
        started = self.start("ends")
        task = self.client.json("claimTasks", {"queue": "ends", "worker": "w"})["items"][0]
        self.assertEqual(self.workflow(started["workflow_id"])["status"], "running")
        self.client.json("completeTasks", {"items": [{"runId": task["runId"], "attempt": task["attempt"],
                                                      "status": "succeeded", "result": {"rows": 3}}]})
        told = self.workflow(started["workflow_id"])
        self.assertEqual((told["status"], told["status_bucket"], told["output"], told["closed_reason"]),
                         ("completed", "completed", {"rows": 3}, "completed"))
        ids = {"workflow_id": started["workflow_id"], "run_id": started["run_id"]}
        page = self.client.json("durableGetWorkflowHistory", **ids, wait_new_event="0")
        self.assertEqual([event["event_type"] for event in page["events"]],
                         ["ScheduleTriggered", "WorkflowStarted", "WorkflowCompleted"])
        self.assertEqual((page["events"][-1]["payload"]["output"], page["next_page_token"]), ({"rows": 3}, None))
        found, token = [], {}
        for _ in range(3):
            part = self.client.json("durableGetWorkflowHistory", **ids, page_size=1, **token)
            found += part["events"]
            token = {"next_page_token": part["next_page_token"]}
        self.assertEqual((found, token), (page["events"], {"next_page_token": None}))
        for query in ({"page_size": 0}, {"next_page_token": "x"}, {"wait_new_event": "maybe"}):
            self.refused("durableGetWorkflowHistory", 422, "validation_failed", **ids, **query)

    def test_envelopes_are_passed_on_and_shown_decoded_where_they_are_json(self):
        for codec, blob, shown in (("json", '["a",{"b":1.50}]', ["a", {"b": 1.5}]), ("avro", "AAE=", None),
                                   ("json", "no json", None)):
            with self.subTest(codec=codec, blob=blob):
                envelope = {"codec": codec, "blob": blob}
                name = f"sealed-{codec}-{len(blob)}"
                started = self.start(name, input=envelope)
                self.assertEqual(self.client.json("claimTasks", {"queue": name, "worker": "w"})["items"][0]["input"],
                                 envelope)
                told = self.workflow(started["workflow_id"])
                self.assertEqual(told["payload_codec"], codec)
                self.assertEqual((told["input"], told["input_envelope"]),
                                 (shown, None) if shown else (envelope, envelope))

    def test_runs_are_cancelled_and_terminated(self):
        for verb, outcome in (("Cancel", "cancelled"), ("Terminate", "terminated")):
            for path in ("Workflow", "Run"):
                with self.subTest(verb=verb, path=path):
                    started = self.start(f"{verb}-{path}")
                    ids = {"workflow_id": started["workflow_id"]}
                    if path == "Run":
                        ids["run_id"] = started["run_id"]
                    stopped = self.client.json(f"durable{verb}{path}", {"reason": "enough"}, **ids)
                    self.assertEqual((stopped["workflow_id"], stopped["outcome"], stopped["command_status"]),
                                     (started["workflow_id"], outcome, "accepted"))
                    told = self.workflow(started["workflow_id"])
                    self.assertEqual((told["status"], told["status_bucket"], told["error"]),
                                     (outcome, "failed", "enough"))
                    events = self.client.json("durableGetWorkflowHistory", workflow_id=started["workflow_id"],
                                              run_id=started["run_id"])["events"]
                    self.assertEqual((events[-1]["event_type"], events[-1]["payload"]["reason"]),
                                     ("Workflow" + outcome.capitalize(), "enough"))
                    again = self.refused(f"durable{verb}{path}", 409, "run_not_active", [], **ids)
                    self.assertEqual(again["control_plane"]["operation"], verb.lower())

    def test_lists_and_their_filters(self):
        self.client.call("createTenant", {"name": "running"}, 201)
        headers = {TENANT_HEADER: "running"}
        started = []
        for index in range(4):
            body = {"schedule_id": f"r{index}", "spec": {"cron_expressions": ["0 0 29 2 *"]},
                    "action": {"workflow_type": "even" if index % 2 == 0 else "odd"},
                    "search_attributes": {"Number": index}}
            self.client.call("durableCreateSchedule", body, 201, headers=headers)
            started.append(self.client.json("durableTriggerSchedule", schedule_id=f"r{index}", headers=headers))
            self.client.json("durableTriggerSchedule", schedule_id=f"r{index}", headers=headers)  # skipped
        self.client.call("durableCancelWorkflow", {}, 200, workflow_id=started[3]["workflow_id"], headers=headers)

        def ids(**query):
            page = self.client.json("durableListWorkflows", headers=headers, **query)
            self.assertEqual(page["workflow_count"], len(page["workflows"]))
            return sorted(int(each["schedule_id"][1]) for each in page["workflows"])

        self.assertEqual(ids(), [0, 1, 2, 3])
        rows = (({"workflow_type": "odd"}, [1, 3]), ({"status": "running"}, [0, 1, 2]), ({"status": "failed"}, [3]),
                ({"status": "completed"}, []), ({"query": "Number = 2"}, [2]), ({"query": 'Status = "cancelled"'}, [3]),
                ({"query": f'WorkflowId = "{started[1]["workflow_id"]}"'}, [1]), ({"query": 'WorkflowId = "x"'}, []),
                ({"query": 'ScheduleId = "r0" AND WorkflowType = "even"'}, [0]))
        for query, found in rows:
            with self.subTest(query):
                self.assertEqual(ids(**query), found)
        found, token = [], {}
        for _ in range(20):
            page = self.client.json("durableListWorkflows", headers=headers, page_size=1, **token)
            found += [each["run_id"] for each in page["workflows"]]
            token = {"next_page_token": page["next_page_token"]}
            if page["next_page_token"] is None:
                break
        self.assertEqual(sorted(found), sorted(each["run_id"] for each in started))
        unknown = send(self.server.url, "GET", "/api/workflows?owner=me", headers=headers)
        self.assertEqual((unknown.status, unknown.json["reason"]), (422, "validation_failed"))
        for query, status, reason in (({"query": "Number > 1"}, 422, "invalid_workflow_visibility_query"),
                                      ({"status": "paused"}, 422, "validation_failed"),
                                      ({"next_page_token": "!"}, 400, "malformed_schedule_page_token")):
            wrong = self.refused("durableListWorkflows", status, reason, headers=headers, **query)
            self.assertEqual(wrong["control_plane"]["operation"], "list")

    def test_ids_that_lead_nowhere(self):
        started = self.start("nowhere")
        self.client.call("durablePauseSchedule", {}, 200, schedule_id="nowhere")
        for workflow_id in ("x", "schedule:nowhere", "schedule:nowhere:x", "schedule:nowhere:1", "schedule::1",
                            "schedule:nowhere:99999999999999999999", "schedule:nowhere:backfill:1:1",
                            "00000000-0000-8000-8000-000000000000", started["workflow_id"] + "0"):
            with self.subTest(workflow_id):
                wrong = self.refused("durableDescribeWorkflow", 404, "instance_not_found", workflow_id=workflow_id,
                                     headers={VERSION: "2"})
                self.assertEqual(wrong["control_plane"]["operation"], "describe")
        other = self.start("other")
        self.refused("durableDescribeWorkflowRun", 404, "instance_not_found", workflow_id=other["workflow_id"],
                     run_id=started["run_id"])
        self.refused("durableDescribeWorkflow", 404, "namespace_not_found", workflow_id="x",
                     headers={TENANT_HEADER: "nirvana"})


class Server(Dialect):
    def test_the_command_line_finds_what_it_checks_first(self):
        info = self.client.json("durableGetClusterInfo", include="diagnostics")
        contract = info["control_plane"]["request_contract"]
        self.assertEqual((info["control_plane"]["version"], info["control_plane"]["header"]), ("2", VERSION))
        self.assertEqual((contract["schema"], contract["version"], type(contract["operations"])),
                         ("durable-workflow.v2.control-plane-request.contract", 1, dict))
        self.assertEqual((info["default_namespace"], info["namespace"]), ("default", {"name": "default"}))
        self.assertNotIn("worker_protocol", info, "there is none")
        self.refused("durableGetClusterInfo", 404, "namespace_not_found", headers={TENANT_HEADER: "nirvana"})

    def test_health_and_readiness(self):
        for name, status in (("durableGetHealth", "serving"), ("durableGetReadiness", "ready")):
            told = self.client.json(name)
            self.assertEqual((told["status"], told["checks"]["database"]), (status, "ok"))
            self.assertTrue(told["timestamp"])

    def test_health_needs_no_key_and_the_rest_does(self):
        with running_server("--auth", "required") as server:
            client = Client(server.url)
            for name in ("durableGetHealth", "durableGetReadiness"):
                client.call(name, expect=200)
            for name in ("durableGetClusterInfo", "durableListWorkflows", "durableWaterlineGetStats",
                         "durableWaterlineGetHealth"):
                self.assertEqual(client.call(name, expect=401).json["reason"], "unauthorized")
            bad = send(server.url, "POST", "/api/workflows/x/cancel", json.dumps({}),
                       {"Content-Type": "application/json"})
            self.assertEqual(bad.status, 401)
