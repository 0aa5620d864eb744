"""One engine behind every dialect: what one writes, each of the others reads, changes, pauses, triggers and deletes."""

import itertools
import unittest

from served import Served


class Native:
    """A schedule is created under a name and used by it; the others answer to the same methods in their own words."""

    def __init__(self, client):
        self.client = client

    def create(self, name):
        self.client.call("createSchedule", {"name": name, "spec": {"cron": ["0 2 * * *"], "timezone": "Europe/Paris"},
                                            "target": {"workflowKind": "flow"}}, 201)
        return name

    def read(self, name):
        found = self.client.json("getSchedule", schedule=name)
        return {"cron": found["spec"]["cron"], "timezone": found["spec"]["timezone"],
                "workflow": found["target"]["workflowKind"],
                "overlap": found["overlapPolicy"], "missed": found["missedRunPolicy"],
                "paused": found["status"] == "paused", "next": found["nextOccurrence"]}

    def change(self, name, cron):
        self.client.json("patchSchedule", {"spec": {"cron": [cron]}}, schedule=name)

    def pause(self, name):
        self.client.json("pauseSchedule", {}, schedule=name)

    def resume(self, name):
        self.client.json("resumeSchedule", {}, schedule=name)

    def delete(self, name):
        self.client.json("deleteSchedule", schedule=name)

    def runs(self, name):
        return [run["id"] for run in self.client.json("listScheduleRuns", schedule=name)["items"]]

    def gone(self, name):
        return self.client.call("getSchedule", schedule=name).status == 404


class Durable(Native):
    def create(self, name):
        body = {"schedule_id": name, "spec": {"cron_expressions": ["0 2 * * *"], "timezone": "Europe/Paris"},
                "action": {"workflow_type": "flow"}}
        self.client.call("durableCreateSchedule", body, 201)
        return name

    def read(self, name):
        found = self.client.json("durableDescribeSchedule", schedule_id=name)
        return {"cron": found["spec"]["cron_expressions"], "timezone": found["spec"]["timezone"],
                "workflow": found["action"]["workflow_type"],
                "overlap": found["overlap_policy"], "paused": found["status"] == "paused",
                "next": found["next_fire_at"]}

    def change(self, name, cron):
        self.client.json("durableUpdateSchedule", {"spec": {"cron_expressions": [cron]}}, schedule_id=name)

    def pause(self, name):
        self.client.json("durablePauseSchedule", {}, schedule_id=name)

    def resume(self, name):
        self.client.json("durableResumeSchedule", {}, schedule_id=name)

    def delete(self, name):
        self.client.json("durableDeleteSchedule", schedule_id=name)

    def runs(self, name):
        return [action["run_id"] for action in reversed(self.client.json("durableDescribeSchedule",
                                                                         schedule_id=name)["info"]["recent_actions"])]

    def gone(self, name):
        return self.client.call("durableDescribeSchedule", schedule_id=name).status == 404


class CronService(Native):
    def create(self, name):
        self.client.json("cronServiceUpsert", {"schedule_id": name, "workflow_id": "flow", "version": 1, "user_id": "u",
                                               "cron_expr": "0 2 * * *",
                                               "timezone": "Europe/Paris"})
        return name

    def read(self, name):
        found = self.client.json("cronServiceGet", schedule_id=name)
        overlap = {"allow": "allow_all", "queue": "buffer_all"}.get(found["overlap_policy"], found["overlap_policy"])
        return {"cron": [found["cron_expr"]], "timezone": found["timezone"], "workflow": found["workflow_id"],
                "overlap": overlap, "paused": found["paused"],
                "next": found["next_run_at"]}

    def change(self, name, cron):
        found = self.client.json("cronServiceGet", schedule_id=name)
        self.client.json("cronServiceUpsert",
                         {"schedule_id": name, "workflow_id": "flow", "version": 1, "user_id": "u", "cron_expr": cron,
                          "timezone": found["timezone"]})

    def pause(self, name):
        self.client.call("cronServicePause", {"schedule_id": name, "paused": True}, 200)

    def resume(self, name):
        self.client.call("cronServicePause", {"schedule_id": name, "paused": False}, 200)

    def delete(self, name):
        self.client.call("cronServiceDelete", None, 200, schedule_id=name)

    def runs(self, name):
        return [run["run_id"] for run in self.client.json("cronServiceRuns", schedule_id=name)["runs"]]

    def gone(self, name):
        return self.client.call("cronServiceGet", schedule_id=name).status == 404


class Rpc(Native):
    """Here a schedule is known by its id, which the native API tells."""

    def id_of(self, name):
        return self.client.json("getSchedule", schedule=name)["id"]

    def row(self, name):
        wanted = self.id_of(name)
        return next((row for row in self.client.json("fn_workflow_get_schedules", {}) if row["id"] == wanted), None)

    def create(self, name):
        row, = self.client.json("fn_upsert_workflow_schedule",
                                {"p_workflow_id": "flow", "p_cron_expr": "0 2 * * *", "p_timezone": "Europe/Paris",
                                 "p_approval_policy": {"requiresApproval": False}})
        return self.client.json("getSchedule", schedule=row["id"])["name"]

    def read(self, name):
        found = self.row(name)
        overlap = {"parallel": "allow_all", "serial": "skip"}[found["queue_policy"]["mode"]]
        return {"cron": [found["cron_expr"]], "timezone": found["timezone"], "workflow": found["workflow_id"],
                "overlap": overlap, "paused": not found["is_active"],
                "next": found["next_run_at"]}

    def change(self, name, cron):
        found = self.row(name)
        self.client.json("fn_upsert_workflow_schedule", {"p_workflow_id": "flow", "p_schedule_id": found["id"],
                                                         "p_cron_expr": cron, "p_timezone": found["timezone"],
                                                         "p_approval_policy": {"requiresApproval": False}})

    def pause(self, name):
        self.client.call("fn_pause_workflow_schedule", {"p_schedule_id": self.id_of(name)})

    def resume(self, name):
        self.client.call("fn_resume_workflow_schedule", {"p_schedule_id": self.id_of(name)})

    def delete(self, name):
        self.client.call("fn_delete_workflow_schedule", {"p_schedule_id": self.id_of(name)})

    def runs(self, name):
        return [run["run_id"]
                for run in self.client.json("fn_workflow_schedule_history", {"p_schedule_id": self.id_of(name)})]

    def gone(self, name):
        return self.client.call("getSchedule", schedule=name).status == 404 or self.row(name) is None


DIALECTS = (Native, Durable, CronService, Rpc)
# What a schedule gets when whoever creates it says nothing about it.
DEFAULTS = {Native: ("skip", "skip", False, 0), Durable: ("skip", "fire_once", False, 0),
            CronService: ("skip", "skip", False, 0),
            Rpc: ("allow_all", "skip", True, 1)}


class Dialects(Served):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client.call("deployWorkflow", {"nodes": [{"id": "only", "taskKind": "work"}]}, 201, workflow="flow")
        cls.native = Native(cls.client)

    def test_every_pair(self):
        for writer, reader in itertools.product(DIALECTS, DIALECTS):
            with self.subTest(writer=writer.__name__, reader=reader.__name__):
                made_by, used_by = writer(self.client), reader(self.client)
                name = made_by.create(f"{writer.__name__}-{reader.__name__}")
                first = used_by.read(name)
                self.assertEqual((first["cron"], first["timezone"], first["workflow"], first["paused"]),
                                 (["0 2 * * *"], "Europe/Paris", "flow", False))
                self.assertEqual((first["overlap"], first["next"]),
                                 (DEFAULTS[writer][0], self.native.read(name)["next"]))
                used_by.change(name, "30 3 * * *")
                second = made_by.read(name)
                self.assertEqual((second["cron"], second["timezone"]), (["30 3 * * *"], "Europe/Paris"))
                self.assertNotEqual(second["next"], first["next"])
                self.assertEqual(self.native.read(name)["next"], second["next"])
                used_by.pause(name)
                self.assertEqual((made_by.read(name)["paused"], made_by.read(name)["next"]), (True, None))
                made_by.resume(name)
                self.assertEqual(used_by.read(name)["paused"], False)
                run = self.client.json("triggerSchedule", schedule=name)["id"]
                self.assertEqual((used_by.runs(name), made_by.runs(name)), ([run], [run]))
                used_by.delete(name)
                self.assertTrue(made_by.gone(name) and used_by.gone(name))

    def test_defaults(self):
        for dialect, (overlap, missed, approval, retries) in DEFAULTS.items():
            with self.subTest(dialect.__name__):
                name = dialect(self.client).create(f"default-{dialect.__name__}")
                if dialect is Rpc:  # without saying anything about approvals
                    row, = self.client.json("fn_upsert_workflow_schedule",
                                           {"p_workflow_id": "flow", "p_cron_expr": "0 2 * * *"})
                    name = self.client.json("getSchedule", schedule=row["id"])["name"]
                made = self.client.json("getSchedule", schedule=name)
                self.assertEqual((made["overlapPolicy"], made["missedRunPolicy"],
                                  made["approvalPolicy"]["requiresApproval"], made["retryPolicy"]["maxRetries"]),
                                 (overlap, missed, approval, retries))

    def test_the_audit_is_the_same_everywhere(self):
        name = Durable(self.client).create("audited")
        CronService(self.client).pause(name)
        Native(self.client).resume(name)
        self.client.json("durableTriggerSchedule", {}, schedule_id=name)
        CronService(self.client).change(name, "1 1 * * *")
        Durable(self.client).delete(name)
        identity = self.client.json("durableGetScheduleHistory", schedule_id=name)
        native = next(item for item in self.client.json("listSchedules", status="deleted",
                                                        namePrefix="audited")["items"] if item["name"] == name)
        events = self.client.json("getScheduleHistory", schedule=native["id"])["items"]
        waterline = self.client.json("durableWaterlineGetScheduleHistory", schedule_id=name)
        self.assertEqual([event["type"] for event in events],
                         ["ScheduleCreated", "SchedulePaused", "ScheduleResumed", "ScheduleTriggered",
                          "ScheduleUpdated", "ScheduleDeleted"])
        self.assertEqual([(event["sequence"], event["event_type"], set(event["payload"]))
                          for event in identity["events"]],
                         [(event["sequence"], event["type"], set(event["payload"])) for event in events])
        self.assertEqual(waterline["events"], identity["events"])
        logs = self.client.json("fn_get_schedule_action_logs", {"p_schedule_id": native["id"]})
        self.assertEqual(len(logs), len(events))


class OperatorsDefaults(Served):
    """What an operator sets for schedules that say nothing is for the native API: clients of other systems know what
    they get."""

    flags = (*Served.flags, "--default-jitter-ms", "5000", "--default-overlap-policy", "buffer_one",
             "--default-catchup-policy", "spread")

    def test_the_defaults_of_a_dialect_are_its_own(self):
        self.client.call("deployWorkflow", {"nodes": [{"id": "only", "taskKind": "work"}]}, 201, workflow="flow")
        for dialect in DIALECTS:
            with self.subTest(dialect.__name__):
                made = self.client.json("getSchedule", schedule=dialect(self.client).create(f"own-{dialect.__name__}"))
                jittered, overlap, missed = made["spec"]["jitter"]["after"] is not None, made["overlapPolicy"], made[
                    "missedRunPolicy"]
                expected = (True, "buffer_one", "spread") if dialect is Native else (False, *DEFAULTS[dialect][:2])
                self.assertEqual((jittered, overlap, missed), expected)


class StrictTargets(Served):
    """Where only what is deployed may be scheduled, that holds for everybody."""

    flags = (*Served.flags, "--strict-targets", "true")

    def test_what_nobody_has_deployed_is_refused(self):
        refused = self.client.call("createSchedule", {"name": "a", "spec": {"cron": ["0 2 * * *"]},
                                                      "target": {"workflowKind": "flow"}}, 422).json
        self.assertEqual([error["pointer"] for error in refused["errors"]], ["/target/workflowKind"])
        body = {"schedule_id": "b", "spec": {"cron_expressions": ["0 2 * * *"]}, "action": {"workflow_type": "flow"}}
        self.assertEqual(self.client.call("durableCreateSchedule", body, 422).json["reason"], "validation_failed")
        upsert = {"schedule_id": "c", "workflow_id": "flow", "version": 1, "user_id": "u", "cron_expr": "0 2 * * *",
                  "timezone": "UTC"}
        self.assertEqual(self.client.call("cronServiceUpsert", upsert, 400).json["field"], "workflow_id")
        self.assertEqual(self.client.call("fn_upsert_workflow_schedule", {"p_workflow_id": "flow"}, 403).json["code"],
                         "42501")
        self.assertEqual(self.client.json("listSchedules")["items"], [])
        self.client.call("deployWorkflow", {"nodes": [{"id": "only", "taskKind": "work"}]}, 201, workflow="flow")
        for dialect in DIALECTS:
            dialect(self.client).create(f"known-{dialect.__name__}")
        self.assertEqual(self.client.call("cronServiceUpsert", {**upsert, "version": 2}, 400).json["field"],
                         "workflow_id", "and every version is looked for")


if __name__ == "__main__":
    unittest.main()
