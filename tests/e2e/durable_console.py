"""What Waterline, the console, reads and does: rows in `data`, pages by number, errors in `error`."""

from client import send
from document import TENANT_HEADER
from durable_base import HOURLY, Dialect


class Waterline(Dialect):
    def test_the_console_reads_the_same(self):
        self.create("watched", action={"workflow_class": "App\\Watched"})
        self.trigger("watched")
        told, row = self.describe("watched"), self.client.json("durableWaterlineDescribeSchedule",
                                                               schedule_id="watched")
        self.assertEqual({**row, **told, "id": row["id"], "spec": row["spec"]}, row)
        self.assertEqual((row["id"], row["workflow_class"], row["last_fire_at"], row["last_fire_result"]),
                         ("watched", "App\\Watched", told["last_fired_at"], "started"))
        self.assertEqual(row["spec"], {**told["spec"], "cron": HOURLY["cron_expressions"][0], "interval": None})
        for query in ({}, {"limit": 1}, {"after_sequence": 1}, {"limit": 900}):
            self.assertEqual(self.client.json("durableWaterlineGetScheduleHistory", schedule_id="watched", **query),
                             self.history("watched", **query))
        self.client.call("durableDeleteSchedule", expect=200, schedule_id="watched")
        self.assertEqual(self.client.json("durableWaterlineDescribeSchedule", schedule_id="watched")["status"],
                         "deleted")

    def test_the_console_sees_its_own_namespace(self):
        self.client.call("createTenant", {"name": "console"}, 201)
        self.create("hidden")
        elsewhere = {TENANT_HEADER: "console"}
        for name in ("durableWaterlineDescribeSchedule", "durableWaterlineGetScheduleHistory"):
            wrong = self.refused(name, 404, "schedule_not_found", schedule_id="hidden", headers=elsewhere)
            self.assertEqual(wrong["error"], wrong["message"])
        self.assertEqual(self.client.json("durableWaterlineListSchedules", headers=elsewhere)["data"], [])

    def test_pages_have_numbers(self):
        self.client.call("createTenant", {"name": "paged"}, 201)
        headers = {TENANT_HEADER: "paged"}
        for index in range(51):
            self.client.call("durableCreateSchedule", {"schedule_id": f"p{index}", "spec": {
                "intervals": [{"every": "PT2H"}]}, "action": {"workflow_type": "w"}}, 201, headers=headers)
        pages = [self.client.json("durableWaterlineListSchedules", headers=headers, page=page) for page in (1, 2, 3)]
        self.assertEqual([(len(page["data"]), page["current_page"], page["last_page"], page["per_page"],
                           page["total"]) for page in pages],
                         [(50, 1, 2, 50, 51), (1, 2, 2, 50, 51), (0, 3, 2, 50, 51)])
        self.assertEqual((pages[0]["data"][0]["id"], pages[1]["data"][0]["id"]), ("p50", "p0"))
        self.assertEqual((pages[0]["data"][0]["spec"]["cron"], pages[0]["data"][0]["spec"]["interval"]), (None, 7200))
        for wrong in ("0", "201", "x"):
            answer = send(self.server.url, "GET", f"/waterline/api/v2/schedules?page={wrong}", headers=headers)
            self.assertEqual((answer.status, bool(answer.json["error"])), (422, True))

    def test_the_console_acts(self):
        self.create("handled", action={"task_queue": "handled"})
        paused = self.client.json("durableWaterlinePauseSchedule", schedule_id="handled")
        self.assertEqual((paused["id"], paused["status"], paused["operator_scope"]),
                         ("handled", "paused", {"namespace": "default"}))
        skipped = self.client.json("durableWaterlineTriggerSchedule", schedule_id="handled")
        self.assertEqual((skipped["triggered"], skipped["instance_id"], skipped["reason"]),
                         (False, None, "status_not_triggerable"))
        self.assertEqual(self.client.json("durableWaterlineResumeSchedule", {}, schedule_id="handled")["status"],
                         "active")
        again = self.refused("durableWaterlineResumeSchedule", 422, "schedule_not_paused", schedule_id="handled")
        self.assertEqual(again["error"], again["message"])
        started = self.client.json("durableWaterlineTriggerSchedule", [], schedule_id="handled")
        self.assertTrue(started["triggered"])
        self.assertEqual(self.client.json("durableDescribeWorkflow", workflow_id=started["instance_id"])["run_id"],
                         started["run_id"])
        self.end("handled")
        filled = self.client.json("durableWaterlineBackfillSchedule",
                                  {"from": "2026-04-10T00:00:00.000Z", "to": "2026-04-10T02:00",
                                   "overlap_policy": "allow_all"}, schedule_id="handled")
        self.assertEqual([row["outcome"] for row in filled["results"]], ["started", "started"])
        for body in ({"from": "2026-04-10"}, {"from": "2026-04-11", "to": "2026-04-10"}):
            wrong = self.client.json("durableWaterlineBackfillSchedule", body, 422, schedule_id="handled")
            self.assertEqual(wrong["error"], wrong["message"])
        self.assertEqual(self.client.json("durableWaterlineDeleteSchedule", schedule_id="handled")["status"],
                         "deleted")
        self.refused("durableWaterlineDeleteSchedule", 404, "schedule_not_found", schedule_id="handled")

    def test_health_and_numbers(self):
        health = self.client.json("durableWaterlineGetHealth")
        self.assertEqual((health["status"], health["healthy"], health["namespace"]), ("ok", True, "default"))
        self.assertEqual({check["status"] for check in health["checks"]}, {"ok"})
        before = self.client.json("durableWaterlineGetStats")
        self.assertLessEqual({"flows", "schedules", "operator_metrics", "needs_attention"}, set(before))
        self.create("counted")
        self.assertEqual(self.client.json("durableWaterlineGetStats")["schedules"], before["schedules"] + 1)
