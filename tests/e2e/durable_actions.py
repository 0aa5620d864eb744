"""What clients of the durable dialect ask of a schedule, how they list them and look back, and what the console
reads."""

from client import send
from document import TENANT_HEADER
from durable_base import HOURLY, Dialect

MIDNIGHT = "2026-04-10T00:00:00Z"


class Actions(Dialect):
    def test_a_trigger_starts_a_run_that_the_native_api_shows(self):
        self.create("started", action={"task_queue": "started"})
        outcome = self.trigger("started")
        self.assertEqual(set(outcome), {"schedule_id", "outcome", "workflow_id", "run_id"})
        self.assertEqual(outcome["outcome"], "triggered")
        self.assertRegex(outcome["workflow_id"], r"^schedule:started:\d{13}$")
        run = self.client.json("getRun", run=outcome["run_id"])
        self.assertEqual((run["instanceId"], run["cause"], run["input"]), (outcome["workflow_id"], "trigger", []))
        told = self.describe("started")
        self.assertEqual((told["latest_instance_id"], told["latest_workflow_instance_id"], told["fires_count"]),
                         (outcome["workflow_id"], outcome["workflow_id"], 1))
        recent = told["info"]["recent_actions"]
        self.assertEqual([(each["workflow_id"], each["run_id"], each["outcome"]) for each in recent],
                         [(outcome["workflow_id"], outcome["run_id"], "scheduled")])

    def test_overlapping_triggers_follow_the_policy(self):
        self.create("busy", action={"task_queue": "busy"})
        first = self.trigger("busy")
        self.assertEqual(self.trigger("busy"),
                         {"schedule_id": "busy", "outcome": "skipped", "reason": "overlap_policy_skip"})
        told = self.describe("busy")
        self.assertEqual((told["skipped_trigger_count"], told["last_skip_reason"]), (1, "overlap_policy_skip"))
        self.assertIsNotNone(told["last_skipped_at"])
        for member in ("skipped_trigger_count", "last_skip_reason", "last_skipped_at"):
            self.assertEqual(told["info"][member], told[member])
        self.assertEqual(self.trigger("busy", overlap_policy="buffer_one"),
                         {"schedule_id": "busy", "outcome": "buffered", "buffer_depth": 1})
        full = self.trigger("busy", overlap_policy="buffer_one")
        self.assertEqual((full["outcome"], set(full)), ("buffer_full", {"schedule_id", "outcome", "reason"}))
        self.assertEqual(self.trigger("busy", overlap_policy="buffer_all")["buffer_depth"], 2)
        told = self.describe("busy")["info"]
        self.assertEqual((told["buffer_depth"], len(told["buffered_actions"])), (2, 2))
        self.assertLess(told["buffered_actions"][0]["occurrence_time"], told["buffered_actions"][1]["occurrence_time"])
        self.assertEqual(self.end("busy")["runId"], first["run_id"])
        self.assertEqual(self.describe("busy")["info"]["buffer_depth"], 1)
        self.assertEqual(self.trigger("busy", overlap_policy="allow_all")["outcome"], "triggered")
        for policy, status in (("cancel_other", "cancelled"), ("terminate_other", "terminated")):
            before = self.describe("busy")["info"]["recent_actions"][-1]["run_id"]
            self.assertEqual(self.trigger("busy", overlap_policy=policy)["outcome"], "triggered")
            self.assertEqual(self.client.json("getRun", run=before)["status"], status)
        self.refused("durableTriggerSchedule", 422, "validation_failed", {"overlap_policy": "queue"},
                     schedule_id="busy")
        self.refused("durableTriggerSchedule", 404, "schedule_not_found", {}, schedule_id="nobody")

    def test_recent_actions_are_the_last_ten(self):
        self.create("often", overlap_policy="allow_all")
        runs = [self.trigger("often")["run_id"] for _ in range(12)]
        self.assertEqual([each["run_id"] for each in self.describe("often")["info"]["recent_actions"]], runs[2:])

    def test_pausing_and_resuming(self):
        self.create("pausing", note="mine")
        paused = self.outcome(("pausing", "paused"), "durablePauseSchedule", {"note": "upkeep"}, schedule_id="pausing")
        self.assertEqual(paused["note"], "upkeep")
        told = self.describe("pausing")
        self.assertEqual((told["status"], told["next_fire_at"], told["note"], told["state"]["note"]),
                         ("paused", None, "mine", "upkeep"))
        self.assertEqual(self.native("pausing")["pauseReason"], "upkeep")
        self.assertEqual(self.client.json("durablePauseSchedule", {"reason": "again"},
                                          schedule_id="pausing")["outcome"], "paused")
        self.assertEqual(self.trigger("pausing"),
                         {"schedule_id": "pausing", "outcome": "skipped", "reason": "status_not_triggerable"})
        self.refused("durableBackfillSchedule", 422, "status_not_triggerable",
                     {"start_time": MIDNIGHT, "end_time": "2026-04-11"}, schedule_id="pausing")
        self.assertIsNone(self.describe("pausing")["resumed_at"])
        resumed = self.outcome(("pausing", "resumed"), "durableResumeSchedule", {"note": "done"},
                               schedule_id="pausing")
        self.assertEqual((resumed["note"], resumed["resumed_at"]),
                         ("mine", self.describe("pausing")["resumed_at"]))
        self.assertGreater(resumed["resumed_at"], paused["paused_at"])
        self.assertIsNotNone(self.describe("pausing")["next_fire_at"])
        self.refused("durableResumeSchedule", 422, "schedule_not_paused", {}, schedule_id="pausing")
        self.assertEqual([kind for _, kind in self.events("pausing")],
                         ["ScheduleCreated", "SchedulePaused", "ScheduleTriggerSkipped", "ScheduleResumed"])
        self.client.call("durablePauseSchedule", expect=200, schedule_id="pausing")
        self.refused("durablePauseSchedule", 422, "validation_failed", {"note": "n" * 1001}, schedule_id="pausing")

    def test_the_last_allowed_run_deletes_the_schedule(self):
        self.create("thrice", overlap_policy="allow_all", max_runs=3)
        self.assertEqual([self.trigger("thrice")["outcome"] for _ in range(3)], ["triggered"] * 3)
        self.assertEqual(self.trigger("thrice")["reason"], "status_not_triggerable")
        last = self.history("thrice")["events"][-2]
        self.assertEqual((last["event_type"], last["payload"]["reason"]), ("ScheduleDeleted", "max_runs_exhausted"))
        told = self.client.json("durableWaterlineDescribeSchedule", schedule_id="thrice")
        self.assertEqual((told["status"], told["remaining_actions"], told["fires_count"],
                          told["skipped_trigger_count"]), ("deleted", 0, 3, 1))
        self.assertIsNotNone(told["deleted_at"])


class Backfills(Dialect):
    def backfill(self, name, start, end, **more):
        return self.client.json("durableBackfillSchedule", {"start_time": start, "end_time": end, **more},
                                schedule_id=name)

    def test_every_occurrence_before_the_end_is_run_and_told(self):
        self.create("hourly", overlap_policy="allow_all", jitter_seconds=300)
        answer = self.backfill("hourly", MIDNIGHT, "2026-04-10T03:00:00Z")
        self.assertEqual((answer["schedule_id"], answer["outcome"], answer["fires_attempted"]),
                         ("hourly", "backfill_started", 3))
        for hour, row in enumerate(answer["results"]):
            instance = f"schedule:hourly:backfill:{1775779200 + 3600 * hour}"
            time = f"2026-04-10T0{hour}:00:00Z"
            self.assertEqual(row, {"schedule_id": "hourly", "fire_time": time, "cron_time": time,
                                   "workflow_id": instance, "instance_id": instance, "outcome": "started"})
        runs = self.client.json("listScheduleRuns", schedule="hourly")["items"]
        self.assertEqual([(run["instanceId"], run["cause"]) for run in reversed(runs)],
                         [(row["workflow_id"], "backfill") for row in answer["results"]])
        self.assertEqual({each["outcome"] for each in self.describe("hourly")["info"]["recent_actions"]},
                         {"backfilled"})

    def test_what_has_run_is_not_run_again(self):
        self.create("again", overlap_policy="buffer_one")
        self.assertEqual([row["outcome"] for row in self.backfill("again", MIDNIGHT, "2026-04-10T02:00:00Z")[
            "results"]], ["started", "started"])
        rows = self.backfill("again", "2026-04-10 01:00:00", "2026-04-10T05:00:00+02:00")["results"]
        self.assertEqual([(row["fire_time"], row["outcome"], row.get("reason")) for row in rows],
                         [("2026-04-10T01:00:00Z", "skipped", "schedule_slot_exists"),
                          ("2026-04-10T02:00:00Z", "started", None)])
        self.assertEqual((rows[0]["workflow_id"], rows[0]["instance_id"]), (None, None))

    def test_the_overlap_policy_applies_and_can_be_replaced(self):
        self.create("serial")
        rows = self.backfill("serial", MIDNIGHT, "2026-04-10T02:00:00Z")["results"]
        self.assertEqual([(row["outcome"], row.get("reason")) for row in rows],
                         [("started", None), ("skipped", "overlap_policy_skip")])
        rows = self.backfill("serial", "2026-04-11", "2026-04-11T02:00:00Z", overlap_policy="allow_all")["results"]
        self.assertEqual([row["outcome"] for row in rows], ["started", "started"])

    def test_it_ends_with_the_last_allowed_run(self):
        self.create("few", overlap_policy="allow_all", max_runs=2)
        self.assertEqual(self.backfill("few", MIDNIGHT, "2026-04-11")["fires_attempted"], 2)
        self.assertEqual([kind for _, kind in self.events("few")],
                         ["ScheduleCreated", "ScheduleTriggered", "ScheduleTriggered", "ScheduleDeleted"])

    def test_ranges_that_are_none(self):
        self.create("ranges", {"cron_expressions": ["* * * 4 *"]}, overlap_policy="allow_all")
        self.assertEqual(self.backfill("ranges", "2026-04-10T00:00:30Z", "2026-04-10T00:01:00Z")["results"], [])
        rows = ((MIDNIGHT, MIDNIGHT, "end_time"), (MIDNIGHT, "2026-04-09", "end_time"),
                (MIDNIGHT, "2999-01-01T00:00:00Z", "end_time"),
                (MIDNIGHT, "2026-04-10T16:41:00Z", "start_time"))
        for start, end, member in rows:
            with self.subTest(end):
                answer = self.refused("durableBackfillSchedule", 422, "invalid_time_range",
                                      {"start_time": start, "end_time": end}, schedule_id="ranges")
                self.assertEqual(list(answer["errors"]), [member])
        self.assertIn("1000", answer["message"])
        self.assertEqual(self.backfill("ranges", MIDNIGHT, "2026-04-10T16:40:00Z")["fires_attempted"], 1000)
        for body, member in (({"start_time": MIDNIGHT}, "end_time"),
                             ({"start_time": "then", "end_time": MIDNIGHT}, "start_time")):
            answer = self.refused("durableBackfillSchedule", 422, "validation_failed", body, schedule_id="ranges")
            self.assertEqual(list(answer["errors"]), [member])


class Lists(Dialect):
    @classmethod
    def setUpClass(cls):
        cls.client.call("createTenant", {"name": "listed"}, 201)
        cls.headers = {TENANT_HEADER: "listed"}
        for index in range(5):
            body = {"schedule_id": f"list-{index}", "spec": HOURLY,
                    "action": {"workflow_type": "even" if index % 2 == 0 else "odd", "task_queue": f"q{index % 3}"},
                    "search_attributes": {"Region": "eu" if index < 3 else "us", "Priority": index,
                                          "Ready": index == 1}, "note": "it's" if index == 4 else None,
                    "paused": index == 3}
            cls.client.call("durableCreateSchedule", body, 201, headers=cls.headers)
        cls.client.call("durableDeleteSchedule", expect=200, schedule_id="list-2", headers=cls.headers)

    def list(self, operation="durableListSchedules", **query):
        return self.client.json(operation, headers=self.headers, **query)

    def ids(self, **query):
        return [int(each["schedule_id"][-1]) for each in self.list(**query)["schedules"]]

    def test_the_newest_come_first_and_deleted_ones_not_at_all(self):
        answer = self.list()
        self.assertEqual(set(answer), {"schedules", "schedule_count", "next_page_token"})
        self.assertEqual((self.ids(), answer["schedule_count"], answer["next_page_token"]), ([4, 3, 1, 0], 4, None))
        item = answer["schedules"][1]
        described = self.client.json("durableDescribeSchedule", schedule_id="list-3", headers=self.headers)
        self.assertEqual({**described, **item}, described, "an item is a part of the description")
        self.assertEqual((item["paused"], item["status"], item["workflow_type"], item["namespace"]),
                         (True, "paused", "odd", "listed"))

    def test_filters_must_all_hold(self):
        rows = ({"status": "paused"}, [3]), ({"status": "active"}, [4, 1, 0]), ({"workflow_type": "even"},
                                                                                [4, 0]), ({"workflow_type": "eve"}, [])
        queries = (('ScheduleId = "list-1"', [1]), ('ScheduleId="list"', []), ("Status = 'paused'", [3]),
                   ('WorkflowType = "odd" AND Status = "active"', [1]),
                   ('TaskQueue = "q0"', [3, 0]), (r"Note = 'it\'s'", [4]), ('Note = "it\\u0027s"', [4]),
                   ('Region = "us"', [4, 3]), ("Priority = 1", [1]),
                   ("Priority = 1.0", [1]), ("Ready = true", [1]), ("Ready = FALSE and Region = 'eu'", [0]),
                   ('Priority = "1"', []), ("Absent = 1", []),
                   ('WorkflowType = "odd" AND WorkflowType = "even"', []), ('ScheduleId = ""', []))
        for query, found in (*rows, *(({"query": query}, found) for query, found in queries)):
            with self.subTest(query):
                self.assertEqual(self.ids(**query), found)
        self.assertEqual(self.ids(workflow_type="odd", query='WorkflowType = "even"'), [])
        self.assertEqual(self.ids(workflow_type="odd", status="paused", query='Region = "us"'), [3])

    def test_pages_go_on_where_the_last_one_ended(self):
        found, token = [], None
        for _ in range(10):
            page = self.list(page_size=1, **({"next_page_token": token} if token else {}))
            found += [each["schedule_id"] for each in page["schedules"]]
            token = page["next_page_token"]
            if token is None:
                break
        self.assertEqual(found, ["list-4", "list-3", "list-1", "list-0"])
        self.assertEqual(len(self.ids(page_size=200)), 4)

    def test_a_page_token_belongs_to_its_namespace_and_filter(self):
        token = self.list(page_size=1, workflow_type="even")["next_page_token"]
        self.assertEqual(self.ids(page_size=1, workflow_type="even", next_page_token=token), [0])
        same = {"page_size": 1, "next_page_token": token}
        self.refused("durableListSchedules", 403, "schedule_page_token_namespace_mismatch", workflow_type="even",
                     **same)
        self.refused("durableListSchedules", 409, "schedule_page_token_filter_mismatch", headers=self.headers,
                     workflow_type="odd", **same)
        self.refused("durableListSchedules", 409, "schedule_page_token_filter_mismatch", headers=self.headers,
                     workflow_type="even", query="Priority = 4", **same)
        for broken in ("!", "e30", token[:-4], token + "AAAA"):
            with self.subTest(broken):
                self.refused("durableListSchedules", 400, "malformed_schedule_page_token", headers=self.headers,
                             workflow_type="even", next_page_token=broken)

    def test_what_cannot_be_asked(self):
        rows = (({"page_size": 0}, "validation_failed"), ({"page_size": 201}, "validation_failed"),
                ({"page_size": "many"}, "validation_failed"),
                ({"status": "deleted"}, "validation_failed"), ({"query": "x" * 2049}, "validation_failed"),
                ({"query": "Status"}, "invalid_schedule_visibility_query"),
                ({"query": 'Status = "gone"'}, "invalid_schedule_visibility_query"),
                ({"query": "Note = 1"}, "invalid_schedule_visibility_query"),
                ({"query": 'Note = "open'}, "invalid_schedule_visibility_query"),
                ({"query": "Region = eu"}, "invalid_schedule_visibility_query"),
                ({"query": 'Note = "a" AND'}, "invalid_schedule_visibility_query"),
                ({"query": "= 1"}, "invalid_schedule_visibility_query"),
                ({"query": "A = 1 B = 2"}, "invalid_schedule_visibility_query"),
                ({"query": "Priority > 1"}, "unsupported_schedule_visibility_predicate"),
                ({"query": "Priority != 1"}, "unsupported_schedule_visibility_predicate"),
                ({"query": "A = 1 OR B = 2"}, "unsupported_schedule_visibility_predicate"),
                ({"query": "NOT A = 1"}, "unsupported_schedule_visibility_predicate"),
                ({"query": "Note LIKE 'a'"}, "unsupported_schedule_visibility_predicate"))
        for query, reason in rows:
            with self.subTest(query):
                answer = self.refused("durableListSchedules", 422, reason, headers=self.headers, **query)
                self.assertEqual(list(answer["errors"]), list(query))
        unknown = send(self.server.url, "GET", "/api/schedules?owner=me")
        self.assertEqual((unknown.status, unknown.json["reason"]), (422, "unsupported_schedule_list_filter"))

    def test_the_console_lists_deleted_ones_when_it_asks_for_them(self):
        console = "durableWaterlineListSchedules"
        rows = self.list(console)["data"]
        self.assertEqual([{**row, **item, "spec": row["spec"]} for row, item in zip(rows, self.list()["schedules"])],
                         rows, "a row is an item with more members")
        deleted = self.list(console, status="deleted")["data"]
        self.assertEqual([each["schedule_id"] for each in deleted], ["list-2"])
        history = self.client.json("durableWaterlineGetScheduleHistory", schedule_id=deleted[0]["id"],
                                   headers=self.headers)
        self.assertEqual(history["events"][-1]["event_type"], "ScheduleDeleted")


class Histories(Dialect):
    KEYS = {"ScheduleCreated": {"spec", "action", "overlap_policy", "next_fire_at"},
            "SchedulePaused": {"reason", "paused_at"}, "ScheduleResumed": {"next_fire_at"},
            "ScheduleUpdated": {"changed_fields", "spec", "action", "overlap_policy", "next_fire_at"},
            "ScheduleTriggered": {"workflow_instance_id", "workflow_run_id", "outcome", "effective_overlap_policy",
                                  "trigger_number", "occurrence_time"},
            "ScheduleTriggerSkipped": {"reason", "skipped_trigger_count", "last_skipped_at"},
            "ScheduleDeleted": {"reason", "deleted_at"}}
    EXTRA = {"command_context", "cause", "detail", "occurrence_time"}

    def make(self, name):
        self.create(name)
        for operation, body in (("durablePauseSchedule", {"note": "why"}), (
            "durableResumeSchedule", {"note": "because"}), ("durableUpdateSchedule", {"note": "n"}),
                                ("durableTriggerSchedule", {}), ("durableTriggerSchedule", {})):
            self.client.call(operation, body, 200, schedule_id=name, headers={"X-Request-Id": "asked-" + name})
        native = self.native(name)["id"]
        self.client.call("durableDeleteSchedule", expect=200, schedule_id=name)
        return native

    def test_each_event_has_its_keys_in_the_words_of_the_dialect(self):
        native = self.make("told")
        page = self.history("told")
        self.assertEqual((page["schedule_id"], page["namespace"], page["next_cursor"], page["has_more"]),
                         ("told", "default", None, False))
        self.assertEqual([(event["sequence"], event["event_type"]) for event in page["events"]],
                         list(enumerate(self.KEYS, 1)))
        events = self.client.json("getScheduleHistory", schedule=native)["items"]
        for event, other in zip(page["events"], events, strict=True):
            with self.subTest(event["event_type"]):
                self.assertEqual((event["sequence"], event["event_type"], event["recorded_at"]),
                                 (other["sequence"], other["type"], other["recordedAt"]))
                keys = set(event["payload"])
                self.assertEqual(keys, set(other["payload"]))
                self.assertLessEqual(self.KEYS[event["event_type"]], keys)
                self.assertLessEqual(keys, self.KEYS[event["event_type"]] | self.EXTRA)
        payloads = {event["event_type"]: event["payload"] for event in page["events"]}
        self.assertEqual(payloads["SchedulePaused"]["reason"], "why")
        self.assertEqual(payloads["ScheduleResumed"]["command_context"],
                         {"principal": "local", "request_id": "asked-told", "source": "api", "reason": "because"})
        self.assertEqual(payloads["ScheduleUpdated"]["changed_fields"], ["note"])
        self.assertEqual(payloads["ScheduleCreated"]["spec"], {**HOURLY, "intervals": []})
        self.assertEqual((payloads["ScheduleCreated"]["action"]["workflow_type"],
                          payloads["ScheduleCreated"]["action"]["task_queue"]), ("sync", "default"))
        self.assertEqual(payloads["ScheduleTriggerSkipped"]["reason"], "overlap_policy_skip")
        self.assertEqual(payloads["ScheduleDeleted"]["reason"], "deleted")
        started = page["events"][4]
        self.assertEqual((started["workflow_instance_id"], started["workflow_run_id"]),
                         (started["payload"]["workflow_instance_id"], started["payload"]["workflow_run_id"]))
        self.assertEqual((page["events"][0]["workflow_instance_id"], page["events"][0]["workflow_run_id"]),
                         (None, None))

    def test_pages_follow_the_sequence(self):
        self.make("paged")
        found, after = [], 0
        while after is not None:
            page = self.history("paged", limit=3, after_sequence=after)
            found += [event["sequence"] for event in page["events"]]
            after = page["next_cursor"]
            self.assertEqual(page["has_more"], after is not None)
        self.assertEqual(found, [1, 2, 3, 4, 5, 6, 7])
        self.assertEqual(self.history("paged", limit=7)["has_more"], False, "exactly as many as there are")

    def test_the_limit_is_clamped(self):
        self.create("long", {"cron_expressions": ["* * * 4 *"]}, overlap_policy="allow_all")
        self.client.call("durableBackfillSchedule", {"start_time": MIDNIGHT, "end_time": "2026-04-10T09:00:00Z"}, 200,
                         schedule_id="long")
        for query, count in (({}, 100), ({"limit": 0}, 1), ({"limit": -5}, 1), ({"limit": 1}, 1), ({"limit": 500}, 500),
                             ({"limit": 501}, 500), ({"limit": 10**9}, 500)):
            with self.subTest(query):
                page = self.history("long", **query)
                self.assertEqual((len(page["events"]), page["next_cursor"], page["has_more"]), (count, count, True))
        self.assertEqual(len(self.history("long", limit=500, after_sequence=500)["events"]), 41)
        for wrong in (-1, "first"):
            self.refused("durableGetScheduleHistory", 422, "invalid_after_sequence", schedule_id="long",
                         after_sequence=wrong)
        self.refused("durableGetScheduleHistory", 404, "schedule_not_found", schedule_id="nobody")
