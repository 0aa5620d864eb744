"""Every method of the client, against a real server."""

from __future__ import annotations

import unittest
from datetime import datetime, timedelta, timezone
from typing import Any, List

from real_server import RecordingClient, Served, eventually

import belfry
from belfry import ApprovalPolicy, RetryPolicy, cron, every, models, task, workflow
from belfry._sync.operations import Operations

DAILY = cron("0 9 * * *", timezone="America/New_York")


class EveryMethod(Served):
    def create(self, name: str, **members: Any) -> models.Schedule:
        return self.client.create_schedule(**{"name": name, "spec": DAILY, "target": workflow("report"), **members})

    def test_schedules(self) -> None:
        client = self.client
        made = self.create("daily", labels={"team": "billing"}, retry_policy=RetryPolicy(max_retries=2))
        self.assertEqual((made.name, made.retry_policy.max_retries, made.version), ("daily", 2, 1))
        self.assertEqual(made.created_at.tzinfo, timezone.utc)
        self.assertEqual(client.get_schedule("daily"), made)
        with self.assertRaises(belfry.ScheduleAlreadyExists):
            self.create("daily")
        with self.assertRaises(belfry.InvalidArgument) as invalid:
            self.create("wrong", spec=cron("0 25 * * *", "61 * * * *"))
        self.assertEqual([each.pointer for each in invalid.exception.errors], ["/spec/cron/0", "/spec/cron/1"])
        with self.assertRaises(belfry.ScheduleNotFound):
            client.get_schedule("none")
        changed = client.replace_schedule("daily", spec=every(timedelta(hours=6)), target=task("x"), if_match=1)
        self.assertEqual((changed.version, changed.spec.intervals), (2, [models.Interval("PT6H")]))
        with self.assertRaises(belfry.Conflict):
            client.patch_schedule("daily", {"notes": "late"}, if_match=made.version)
        handle = client.schedule("daily")
        self.assertEqual(handle.patch({"notes": "new", "labels": None}).notes, "new")
        self.assertEqual(handle.pause(reason="holiday").pause_reason, "holiday")
        self.assertEqual(handle.resume().status, "active")
        self.assertEqual(len(handle.preview(3).items), 3)
        self.assertEqual(handle.health().verdict, "ok")
        self.assertEqual(client.get_schedule_version("daily", 1).version, 1)
        self.assertEqual(handle.why(datetime(2030, 1, 1, 0, 0, tzinfo=timezone.utc)).verdict, "will_dispatch")
        self.assertEqual(handle.get().name, "daily")
        self.assertIn(made.id, [each.id for each in client.workflow_schedule_records()])
        self.assertEqual(handle.delete(reason="done", purge=True).status, "deleted")
        self.assertEqual([each.type for each in client.iter_schedule_history(made.id)],
                         ["ScheduleCreated", "ScheduleUpdated", "ScheduleUpdated", "SchedulePaused", "ScheduleResumed",
                          "ScheduleDeleted"])

    def test_history_comes_in_pages(self) -> None:
        self.create("paged")
        for _ in range(3):
            self.client.pause_schedule("paged")
            self.client.resume_schedule("paged")
        handle = self.client.schedule("paged")
        first = handle.history(limit=3)
        self.assertIsInstance(first, belfry.ScheduleHistoryPage)
        self.assertEqual(([each.sequence for each in first.items], first.next_cursor), ([1, 2, 3], "3"))
        second = self.client.get_schedule_history("paged", limit=3, after_sequence=3)
        self.assertEqual([each.sequence for each in second.items], [4, 5, 6])
        self.assertEqual([each.sequence for each in handle.iter_history(limit=2)], list(range(1, 8)))
        self.assertEqual([each.sequence for each in handle.iter_history(limit=2, after_sequence=5)], [6, 7])
        self.assertEqual(len(handle.history(limit=0).items), 1, "clamped to 1")
        self.assertEqual(len(handle.history(limit=100000).items), 7, "clamped to 500")

    def test_lists(self) -> None:
        for number in range(5):
            self.create(f"list-{number}", labels={"half": "even" if number % 2 == 0 else "odd"})
        found = self.client.iter_schedules(name_prefix="list-", limit=2)
        self.assertEqual([each.name for each in found], [f"list-{number}" for number in range(5)])
        page = self.client.list_schedules(label="half:odd")
        self.assertEqual([each.name for each in page.items], ["list-1", "list-3"])

    def test_runs_and_tasks(self) -> None:
        client = self.client
        self.create("runs", target=task("greet", queue="greeting"), overlap_policy="allow_all")
        run = client.schedule("runs").trigger(input={"n": 1}, reason="because", idempotency_key="once")
        again = client.trigger_schedule("runs", input={"n": 1}, reason="because", idempotency_key="once")
        self.assertEqual(again.id, run.id, "the same key has one effect")
        claimed = client.claim_tasks(queue="greeting", worker="w1", wait_ms=1000).items
        self.assertEqual([(each.run_id, each.input) for each in claimed], [(run.id, {"n": 1})])
        beat = client.heartbeat_tasks(leases=[models.HeldLease(run.id, 1), models.HeldLease(run.id, 2)])
        self.assertEqual(([each.attempt for each in beat.items], [each.attempt for each in beat.lost]), ([1], [2]))
        outcome, = client.complete_tasks(items=[models.TaskCompletion(run.id, 1, "succeeded", result={"said": "hi"})]).items
        self.assertTrue(outcome.ok)
        self.assertEqual(run.wait().result, {"said": "hi"})
        self.assertEqual([each.type for each in run.iter_events()], ["ScheduleTriggered", "run.started", "run.succeeded"])
        self.assertIsNone(run.nodes().workflow)
        failed = client.trigger_schedule("runs")
        self.assertEqual(client.complete_run(failed.id, status="failed", error="no").status, "failed")
        self.assertEqual(client.schedule("runs").trigger().cancel(reason="why not").status, "cancelled")
        self.assertEqual(client.run(client.trigger_schedule("runs").id).terminate().status, "terminated")
        self.assertEqual([each.id for each in client.iter_schedule_runs("runs", status="failed")], [failed.id])
        self.assertEqual([each.id for each in client.schedule("runs").iter_runs(status="failed")], [failed.id])
        self.assertEqual([each.id for each in client.iter_runs(schedule="runs", status="failed")], [failed.id])
        self.assertEqual(len(client.list_schedule_runs("runs").items), 4)
        self.assertTrue(client.list_runs(limit=1).items and client.list_run_events(run.id).items)
        with self.assertRaises(belfry.RunNotFound):
            client.get_run("none")
        with self.assertRaises(belfry.RunNotOver):
            client.schedule("runs").trigger().wait(timeout=0)

    def test_dead_letters_and_starts(self) -> None:
        client = self.client
        started = client.start_task(task_kind="break", queue="breaking", input=1)
        self.assertEqual(client.get_task_execution(started.id).status, "queued")
        client.complete_run(started.id, status="failed", error="it broke")
        self.assertIn(started.id, [each.id for each in client.iter_dead_letters()])
        again = client.replay_dead_letter(started.id)
        client.complete_run(again.id, status="failed")
        client.dismiss_dead_letter(again.id)
        self.assertNotIn(again.id, [each.id for each in client.list_dead_letters().items])
        run = client.start_workflow(workflow_kind="report", input=1)
        self.assertEqual(client.get_workflow_execution(run.id).input, 1)

    def test_starts_in_batches(self) -> None:
        client = self.client
        first = models.TaskStartItem("sort", queue="batches", input=1, idempotency_key="batch-1")
        started = client.start_tasks(items=[first, {"taskKind": "sort", "queue": "batches", "input": 2}]).items
        self.assertEqual([(each.status, each.run and each.run.input) for each in started], [(201, 1), (201, 2)])
        again, wrong = client.start_tasks(items=[first, {"taskKind": ""}]).items
        assert again.run and started[0].run and wrong.problem
        self.assertEqual((again.replayed, again.run.id), (True, started[0].run.id))
        self.assertEqual((wrong.status, wrong.run), (wrong.problem.status, None))
        one, = client.start_workflows(items=[models.WorkflowStartItem("report", input=3)]).items
        assert one.run
        self.assertEqual(client.get_workflow_execution(one.run.id).input, 3)

    def test_exchanges(self) -> None:
        client = self.client
        client.start_tasks(items=[{"taskKind": "sort", "queue": "exchange", "input": number} for number in (1, 2)])
        claim = models.ClaimRequest("w1", queue="exchange")
        held, = client.exchange_tasks(claim=claim).tasks
        done = models.TaskCompletion(held.run_id, held.attempt, "succeeded", result="sorted")
        exchanged = client.exchange_tasks(claim=claim, completions=[done])
        self.assertEqual(([each.ok for each in exchanged.outcomes], len(exchanged.tasks)), ([True], 1))
        self.assertNotEqual(exchanged.tasks[0].run_id, held.run_id)
        self.assertEqual(client.get_run(held.run_id).result, "sorted")

    def test_many_schedules_at_once(self) -> None:
        client = self.client
        self.create("many-1")
        definition = {"name": "many-2", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "report"}}
        made, missing = client.change_schedules(items=[
            models.ScheduleOperation("create", definition=definition), {"operation": "pause", "schedule": "none"}]).items
        assert made.schedule and missing.problem
        self.assertEqual((made.status, made.schedule.name, missing.status), (201, "many-2", 404))
        paused = client.change_schedules(operation="pause", filter=models.ScheduleFilter(name_prefix="many-"), reason="x")
        self.assertEqual([each.schedule and each.schedule.status for each in paused.items], ["paused", "paused"])
        self.assertIsNone(paused.next_cursor)

    def test_the_audit_is_verified(self) -> None:
        self.create("audited")
        self.client.pause_schedule("audited")
        verified = self.client.verify_audit(schedule="audited")
        self.assertEqual((verified.verified, verified.events, verified.schedules), (True, 2, 1))
        self.assertEqual((verified.break_, verified.checkpoints, verified.next_cursor), (None, [], None))

    def test_workflows(self) -> None:
        client = self.client
        made = client.deploy_workflow("two-steps", nodes=[models.WorkflowNode("a"), {"id": "b", "dependsOn": ["a"]}])
        self.assertEqual(made.version, 1)
        self.assertEqual(client.deploy_workflow_yaml("two-steps", "nodes:\n  - id: a\n", if_match=1).version, 2)
        with self.assertRaises(belfry.InvalidArgument) as cycle:
            client.deploy_workflow("loop", nodes=[{"id": "a", "dependsOn": ["a"]}])
        self.assertEqual(cycle.exception.status, 422)
        self.assertIn("two-steps", [each.name for each in client.iter_workflows()])
        self.assertEqual(len(client.get_workflow("two-steps", version=1).nodes), 2)
        self.assertEqual([each.version for each in client.iter_workflow_versions("two-steps")], [2, 1])
        self.assertTrue(client.list_workflows().items and client.list_workflow_versions("two-steps").items)
        self.create("walker", target=workflow("two-steps"))
        run = client.schedule("walker").trigger()
        self.assertEqual([each.node for each in client.get_run_nodes(run.id).nodes], ["a"])
        client.remove_workflow("two-steps", force=True)
        with self.assertRaises(belfry.NotFound):
            client.get_workflow("two-steps")

    def test_approvals(self) -> None:
        client = self.client
        self.create("gated", approval_policy=ApprovalPolicy(requires_approval=True), overlap_policy="allow_all")
        run = client.schedule("gated").trigger()
        self.assertIn(run.id, [each.run_id for each in client.iter_approvals()])
        self.assertEqual(run.approve(comment="fine").status, "queued")
        self.assertEqual(client.schedule("gated").trigger().reject().status, "cancelled")
        self.assertEqual([each.comment for each in client.iter_run_approvals(run.id)], ["fine"])
        self.assertTrue(client.list_approvals().items is not None and client.list_run_approvals(run.id).items)

    def test_backfills(self) -> None:
        client = self.client
        self.create("past", spec=cron("0 * * * *"), overlap_policy="allow_all")
        start = datetime(2026, 1, 1, tzinfo=timezone.utc)
        dry = client.backfill_schedule("past", from_=start, to=start + timedelta(hours=5), dry_run=True)
        self.assertIsInstance(dry, models.BackfillDryRun)
        made = client.schedule("past").backfill(start, start + timedelta(hours=5), concurrency=10)
        eventually(lambda: client.get_backfill(made.id).status == "completed")
        self.assertEqual([each.id for each in client.iter_backfills("past")], [made.id])
        self.assertEqual(len(client.list_backfills("past").items), 1)
        for change in (client.pause_backfill, client.resume_backfill, client.cancel_backfill):
            try:
                change(made.id)
            except belfry.Conflict:
                pass

    def test_calendars(self) -> None:
        client = self.client
        made = client.create_calendar(name="plant", timezone="Europe/Berlin", dates=["2030-12-31"])
        self.assertEqual(client.get_calendar("plant"), made)
        self.assertEqual(client.replace_calendar("plant", dates=["2030-12-24"], if_match=1).version, 2)
        self.assertFalse(client.clone_calendar("plant", name="ours").built_in)
        self.create("with-calendar")
        self.assertEqual(client.attach_calendar("with-calendar", "ours").calendars, ["ours"])
        self.assertEqual(client.detach_calendar("with-calendar", "ours").calendars, [])
        text = client.export_calendar("plant")
        self.assertTrue(text.startswith("BEGIN:VCALENDAR"))
        self.assertEqual(client.import_calendar("copy", text).dates_read, 1)
        self.assertIn("plant", [each.name for each in client.iter_calendars()])
        self.assertTrue(client.list_calendars(q="plant").items)
        self.assertIsNone(client.delete_calendar("ours"))

    def test_conditions_and_rotations(self) -> None:
        client = self.client
        self.create("parts", inputs_rotation=["a", "b"])
        self.assertEqual(client.get_rotation("parts").entries, ["a", "b"])
        self.assertEqual(client.set_rotation("parts", entries=[1, 2, 3]).next_index, 0)
        self.assertEqual(client.clear_rotation("parts").entries, [])
        condition = {"/last_24h_stats/failed": {"lt": 3}}
        self.assertTrue(client.set_condition("parts", condition=condition).holds)
        self.assertEqual(client.get_condition("parts").condition, condition)
        self.assertIsNone(client.clear_condition("parts").condition)
        judged = client.check_condition(condition=condition, context={"last_24h_stats": {"failed": 5}})
        self.assertEqual([each.holds for each in judged.clauses], [False])

    def test_looking_ahead(self) -> None:
        client = self.client
        self.create("ahead", spec=cron("0 * * * *"))
        draft = {"spec": {"cron": ["0 * * * *"]}}
        self.assertEqual(len(client.preview_draft(schedule=draft, n=4).items), 4)
        window: Any = {"from_": "2030-01-01T00:00:00Z", "to": "2030-01-01T02:00:00Z", "runs": [{"duration": "PT90M"}]}
        for simulated in (client.simulate_schedule("ahead", **window), client.simulate_draft(schedule=draft, **window)):
            self.assertEqual([each.decision for each in simulated.items], ["dispatched", "skipped", "dispatched"])
        self.assertEqual(len(client.get_load().buckets), 60)

    def test_assignees_and_assignments(self) -> None:
        client = self.client
        made = client.put_assignee("bo", type="agent", display_name="Bo", policies={"maxRunsPerDay": 1})
        self.assertEqual((made.id, client.get_assignee("bo").display_name), ("bo", "Bo"))
        self.assertEqual([each.id for each in client.iter_assignees()], ["bo"])
        self.assertTrue(client.list_assignees().items)
        one = client.create_assignment(workflow="newsletter", assignee={"type": "agent", "id": "bo"})
        self.assertEqual(client.get_assignment(one.id), one)
        changed = client.replace_assignment(one.id, workflow="newsletter", assignee={"type": "agent", "id": "flo"})
        self.assertEqual((changed.version, [each.id for each in client.iter_assignments()]), (2, [one.id]))
        self.assertTrue(client.list_assignments().items)
        client.delete_assignment(one.id)
        client.delete_assignee("bo")

    def test_events_and_teams(self) -> None:
        client = self.client
        self.create("listens", spec={"events": [{"name": "door.opened"}]})
        started = client.report_event("door.opened", payload={"by": "ann"}, id="1").items
        self.assertEqual([each.outcome for each in started], ["started"])
        self.assertEqual((client.list_team_runs("blue").items, list(client.iter_team_runs("blue"))), ([], []))
        run_id = started[0].run_id
        assert run_id is not None
        for look in (client.list_team_run_events, lambda *named: list(client.iter_team_run_events(*named))):
            with self.assertRaises(belfry.RunNotFound):
                look("blue", run_id)

    def test_tenants_and_keys(self) -> None:
        client = self.client
        self.assertEqual(client.create_tenant(name="team-a", schedules_max=1).schedules_max, 1)
        other = client.with_tenant("team-a")
        self.assertEqual(other.get_tenant().limits.schedules, 1)
        self.assertFalse(other.replace_tenant(dispatch_enabled=False, if_match=1).dispatch_enabled)
        client.get_tenant()
        client.replace_tenant(description="the default")
        self.assertIn("team-a", [each.name for each in client.iter_tenants()])
        self.assertTrue(client.list_tenants().items)
        with self.assertRaises(belfry.NotFound) as missing:
            client.with_tenant("none").get_schedule("x")
        self.assertIs(type(missing.exception), belfry.NotFound)
        key = client.create_key(name="ci", roles={"default": ["viewer"]}, lifetime="P90D")
        self.assertTrue(key.secret.startswith("bfk_"))
        self.assertIn(key.id, [each.id for each in client.iter_keys()])
        self.assertTrue(client.list_keys().items)
        self.assertEqual(client.revoke_key(key.id).state, "revoked")

    def test_webhooks(self) -> None:
        client = self.client
        made = client.create_webhook(url="https://example.com/hook", events=["run.failed"])
        self.assertEqual(client.get_webhook(made.id).events, ["run.failed"])
        self.assertEqual([each.id for each in client.iter_webhooks()], [made.id])
        self.assertTrue(client.list_webhooks().items)
        self.assertFalse(client.replace_webhook(made.id, url=made.url, enabled=False).enabled)
        self.assertNotEqual(client.rotate_webhook_secret(made.id).secret, made.secret)
        self.assertEqual((client.list_deliveries(made.id).items, list(client.iter_deliveries(made.id))), ([], []))
        with self.assertRaises(belfry.NotFound):
            client.redeliver(made.id, 1)
        with self.assertRaises(belfry.NotFound):
            client.test_webhook("none")
        client.delete_webhook(made.id)

    def test_the_server(self) -> None:
        client = self.client
        self.assertEqual(client.get_liveness().strip(), "ok")
        self.assertTrue(client.get_readiness().ready)
        self.assertEqual(client.get_health().status, "ok")
        self.assertTrue(client.get_version().tzdata)
        self.assertIn("belfry_", client.get_metrics())
        self.assertIn("createSchedule", client.get_docs())
        self.assertEqual(client.get_open_api()["openapi"], "3.1.0")
        self.assertEqual((client.list_connections().items, list(client.iter_connections())), ([], []))
        self.assertEqual(client.get_timezone("US/Eastern").alias_of, "America/New_York")
        self.assertEqual(client.list_timezones(query="new york").items[0].name, "America/New_York")
        self.assertIn("Europe/Berlin", [each.name for each in client.iter_timezones(query="berlin")])
        with self.assertRaises(belfry.APIError):
            client.tell_status(client.start_task(task_kind="x", queue="unseen").id, status="SUCCESS")

    def test_zz_every_method_was_called(self) -> None:
        methods: List[str] = [name for name in vars(Operations) if not name.startswith("_") and name != "tenant"]
        self.assertEqual(sorted(set(methods) - RecordingClient.seen), [])


if __name__ == "__main__":
    unittest.main()
