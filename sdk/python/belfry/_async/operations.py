"""A method for every operation. Written by tools/generate.py from docs/reference/openapi.json: do not edit."""

from __future__ import annotations

from datetime import datetime
from typing import Any, AsyncIterator, Dict, Literal, Mapping, Optional, Sequence, TypeVar, Union

from belfry import models
from belfry import _calls as calls
from belfry._async.pages import pages
from belfry._call import Call

T = TypeVar("T")
Json = Mapping[str, Any]


class Operations:
    """Every operation of the API that needs no further help."""

    tenant: str

    async def send(self, call: Call[T]) -> T:
        raise NotImplementedError

    async def approve_run(
        self, run_id: str, *, node: Optional[str] = None, comment: Optional[str] = None, reason: Optional[str] = None,
    ) -> models.Run:
        """Approve a run, or one of its nodes, that waits for approval."""
        return await self.send(calls.approve_run(self.tenant, run_id, node=node, comment=comment, reason=reason))

    async def attach_calendar(
        self, schedule_id: str, calendar: str, *, reason: Optional[str] = None,
    ) -> models.Schedule:
        """Attach a calendar to a schedule. Attaching it again has no effect."""
        return await self.send(calls.attach_calendar(self.tenant, schedule_id, calendar, reason=reason))

    async def backfill_schedule(
        self, schedule_id: str, *, from_: Union[datetime, str], to: Union[datetime, str],
        concurrency: Optional[int] = None, overlap_policy: Optional[models.OverlapPolicy] = None,
        rerun: Optional[Literal["missing", "failed", "all"]] = None, dry_run: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Union[models.Backfill, models.BackfillDryRun]:
        """Start a backfill, or preview one with `dryRun`."""
        return await self.send(calls.backfill_schedule(
            self.tenant, schedule_id, from_=from_, to=to, concurrency=concurrency, overlap_policy=overlap_policy,
            rerun=rerun, dry_run=dry_run, idempotency_key=idempotency_key,
        ))

    async def cancel_backfill(self, backfill_id: str) -> models.Backfill:
        """Cancel a backfill. Runs that it has already started continue."""
        return await self.send(calls.cancel_backfill(self.tenant, backfill_id))

    async def cancel_run(self, run_id: str, *, reason: Optional[str] = None) -> models.Run:
        """Cancel a run, even while a worker executes it."""
        return await self.send(calls.cancel_run(self.tenant, run_id, reason=reason))

    async def change_schedules(
        self, *, items: Optional[Sequence[Union[models.ScheduleOperation, Json]]] = None,
        operation: Optional[Literal["pause", "resume", "delete"]] = None,
        filter: Optional[Union[models.ScheduleFilter, Json]] = None, cursor: Optional[str] = None,
        until: Optional[Union[datetime, str]] = None, reason: Optional[str] = None,
    ) -> models.ChangedSchedules:
        """Create, update, pause, resume or delete up to 1,000 schedules."""
        return await self.send(calls.change_schedules(
            self.tenant, items=items, operation=operation, filter=filter, cursor=cursor, until=until, reason=reason,
        ))

    async def check_condition(
        self, *, condition: Any = None, context: Optional[Mapping[str, Any]] = None,
    ) -> models.ConditionVerdict:
        """Evaluate a condition against a context, clause by clause."""
        return await self.send(calls.check_condition(self.tenant, condition=condition, context=context))

    async def claim_tasks(
        self, *, worker: str, queue: Optional[str] = None, assignee: Optional[str] = None, limit: Optional[int] = None,
        lease_ms: Optional[int] = None, wait_ms: Optional[int] = None,
    ) -> models.ClaimedTasks:
        """Claim tasks from a queue under a lease."""
        return await self.send(calls.claim_tasks(
            self.tenant, worker=worker, queue=queue, assignee=assignee, limit=limit, lease_ms=lease_ms, wait_ms=wait_ms,
        ))

    async def clear_condition(self, schedule_id: str, *, if_match: Union[int, str, None] = None) -> models.ConditionNow:
        """Remove the condition of a schedule."""
        return await self.send(calls.clear_condition(self.tenant, schedule_id, if_match=if_match))

    async def clear_rotation(self, schedule_id: str, *, if_match: Union[int, str, None] = None) -> models.Rotation:
        """Remove the input rotation and reset its position."""
        return await self.send(calls.clear_rotation(self.tenant, schedule_id, if_match=if_match))

    async def clone_calendar(self, calendar: str, *, name: str) -> models.Calendar:
        """Clone a calendar, including a built-in one."""
        return await self.send(calls.clone_calendar(self.tenant, calendar, name=name))

    async def complete_run(
        self, run_id: str, *, status: Literal["succeeded", "failed", "timed_out", "cancelled", "terminated"],
        category: Optional[Literal["timeout", "provider_error", "rate_limit", "contract_violated"]] = None,
        result: Any = None, error: Optional[str] = None, retry_after_ms: Optional[int] = None,
        usage: Optional[Union[models.UsageReport, Json]] = None, attempt: Optional[int] = None,
        node: Optional[str] = None,
    ) -> models.Run:
        """Report the end of a run that no Belfry worker holds."""
        return await self.send(calls.complete_run(
            self.tenant, run_id, status=status, category=category, result=result, error=error,
            retry_after_ms=retry_after_ms, usage=usage, attempt=attempt, node=node,
        ))

    async def complete_tasks(self, *, items: Sequence[Union[models.TaskCompletion, Json]]) -> models.TaskOutcomes:
        """Complete attempts: report how each of them ended."""
        return await self.send(calls.complete_tasks(self.tenant, items=items))

    async def create_assignment(
        self, *, workflow: str, assignee: Union[models.Assignee, Json],
        approval_policy: Optional[Union[models.ApprovalPolicy, Json]] = None,
        retry_policy: Optional[Union[models.RetryPolicy, Json]] = None,
        failure_policy: Optional[Union[models.FailurePolicy, Json]] = None,
        queue_policy: Optional[Union[models.QueuePolicy, Json]] = None,
    ) -> models.WorkflowAssignment:
        """Assign a workflow to an agent or a team, with policies that schedules inherit."""
        return await self.send(calls.create_assignment(
            self.tenant, workflow=workflow, assignee=assignee, approval_policy=approval_policy,
            retry_policy=retry_policy, failure_policy=failure_policy, queue_policy=queue_policy,
        ))

    async def create_calendar(
        self, *, name: str, dates: Sequence[str], kind: Optional[Literal["skip_dates", "only_dates"]] = None,
        timezone: Optional[str] = None,
    ) -> models.Calendar:
        """Create a calendar."""
        return await self.send(calls.create_calendar(self.tenant, name=name, dates=dates, kind=kind, timezone=timezone))

    async def create_key(
        self, *, name: str,
        roles: Mapping[str, Sequence[Literal["viewer", "operator", "approver", "worker", "admin"]]],
        lifetime: Optional[str] = None,
    ) -> models.NewApiKey:
        """Create an API key. The response contains its secret, once."""
        return await self.send(calls.create_key(name=name, roles=roles, lifetime=lifetime))

    async def create_schedule(
        self, *, name: str, target: Union[models.TargetRequest, Json], description: Optional[str] = None,
        notes: Optional[str] = None, labels: Optional[Mapping[str, str]] = None,
        memo: Optional[Mapping[str, Any]] = None, search_attributes: Optional[Mapping[str, Any]] = None,
        spec: Optional[Union[models.Spec, Json]] = None,
        schedule_type: Optional[Union[models.ScheduleType, Json]] = None,
        assignee: Optional[Union[models.Assignee, Json]] = None, overlap_policy: Optional[models.OverlapPolicy] = None,
        max_concurrency: Optional[int] = None,
        missed_run_policy: Optional[Literal["skip", "fire_once", "fire_all", "spread"]] = None,
        max_backfill: Optional[int] = None, missed_grace: Optional[str] = None,
        missed_while_paused: Optional[bool] = None, worker_lost_policy: Optional[Literal["redeliver", "fail"]] = None,
        retry_policy: Optional[Union[models.RetryPolicy, Json]] = None,
        failure_policy: Optional[Union[models.FailurePolicy, Json]] = None,
        approval_policy: Optional[Union[models.ApprovalPolicy, Json]] = None, max_runs: Optional[int] = None,
        calendars: Optional[Sequence[str]] = None, pre_dispatch_condition: Any = None, inputs_template: Any = None,
        inputs_rotation: Optional[Sequence[Any]] = None, signal: Optional[Union[models.Signal, Json]] = None,
        breaker: Optional[Union[models.Breaker, Json]] = None, workflow_assignment_id: Optional[str] = None,
        status: Optional[Literal["active", "paused", "completed", "deleted"]] = None, enabled: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> models.Schedule:
        """Create a schedule."""
        return await self.send(calls.create_schedule(
            self.tenant, name=name, target=target, description=description, notes=notes, labels=labels, memo=memo,
            search_attributes=search_attributes, spec=spec, schedule_type=schedule_type, assignee=assignee,
            overlap_policy=overlap_policy, max_concurrency=max_concurrency, missed_run_policy=missed_run_policy,
            max_backfill=max_backfill, missed_grace=missed_grace, missed_while_paused=missed_while_paused,
            worker_lost_policy=worker_lost_policy, retry_policy=retry_policy, failure_policy=failure_policy,
            approval_policy=approval_policy, max_runs=max_runs, calendars=calendars,
            pre_dispatch_condition=pre_dispatch_condition, inputs_template=inputs_template,
            inputs_rotation=inputs_rotation, signal=signal, breaker=breaker,
            workflow_assignment_id=workflow_assignment_id, status=status, enabled=enabled,
            idempotency_key=idempotency_key,
        ))

    async def create_tenant(
        self, *, name: str, description: Optional[str] = None, dispatch_enabled: Optional[bool] = None,
        schedules_max: Optional[int] = None, runs_per_day: Optional[int] = None, stored_bytes_max: Optional[int] = None,
    ) -> models.Tenant:
        """Create a tenant."""
        return await self.send(calls.create_tenant(
            name=name, description=description, dispatch_enabled=dispatch_enabled, schedules_max=schedules_max,
            runs_per_day=runs_per_day, stored_bytes_max=stored_bytes_max,
        ))

    async def create_webhook(
        self, *, url: str, description: Optional[str] = None, events: Optional[Sequence[str]] = None,
        enabled: Optional[bool] = None,
    ) -> models.WebhookWithSecret:
        """Create a webhook. The response contains its secret, once."""
        return await self.send(calls.create_webhook(
            self.tenant, url=url, description=description, events=events, enabled=enabled,
        ))

    async def delete_assignee(self, assignee: str) -> None:
        """Remove an assignee's registration and its limits."""
        return await self.send(calls.delete_assignee(self.tenant, assignee))

    async def delete_assignment(self, assignment_id: str) -> None:
        """Remove a workflow assignment that no schedule refers to."""
        return await self.send(calls.delete_assignment(self.tenant, assignment_id))

    async def delete_calendar(self, calendar: str) -> None:
        """Delete a calendar that no schedule uses."""
        return await self.send(calls.delete_calendar(self.tenant, calendar))

    async def delete_schedule(
        self, schedule_id: str, *, reason: Optional[str] = None, purge: Optional[bool] = None,
    ) -> models.Schedule:
        """Delete a schedule. Its history stays readable."""
        return await self.send(calls.delete_schedule(self.tenant, schedule_id, reason=reason, purge=purge))

    async def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook and its deliveries."""
        return await self.send(calls.delete_webhook(self.tenant, webhook_id))

    async def deploy_workflow(
        self, workflow: str, *, nodes: Sequence[Union[models.WorkflowNode, Json]], name: Optional[str] = None,
        description: Optional[str] = None, queue: Optional[str] = None, connection: Optional[str] = None,
        timeout_ms: Optional[int] = None, approval_policy: Optional[Union[models.ApprovalPolicy, Json]] = None,
        triggers: Optional[Sequence[Mapping[str, Any]]] = None, if_match: Union[int, str, None] = None,
    ) -> models.DeployedWorkflow:
        """Deploy a workflow: store its next version and update the schedules of its triggers."""
        return await self.send(calls.deploy_workflow(
            self.tenant, workflow, nodes=nodes, name=name, description=description, queue=queue, connection=connection,
            timeout_ms=timeout_ms, approval_policy=approval_policy, triggers=triggers, if_match=if_match,
        ))

    async def deploy_workflow_yaml(
        self, workflow: str, content: str, *, if_match: Union[int, str, None] = None,
    ) -> models.DeployedWorkflow:
        """Deploy a workflow from a YAML definition."""
        return await self.send(calls.deploy_workflow_yaml(self.tenant, workflow, content, if_match=if_match))

    async def detach_calendar(self, schedule_id: str, calendar: str) -> models.Schedule:
        """Detach a calendar from a schedule. Detaching it again has no effect."""
        return await self.send(calls.detach_calendar(self.tenant, schedule_id, calendar))

    async def dismiss_dead_letter(self, run_id: str) -> None:
        """Dismiss a dead letter. The run itself is kept."""
        return await self.send(calls.dismiss_dead_letter(self.tenant, run_id))

    async def exchange_tasks(
        self, *, claim: Union[models.ClaimRequest, Json],
        completions: Optional[Sequence[Union[models.TaskCompletion, Json]]] = None,
    ) -> models.ExchangedTasks:
        """Complete attempts, then claim the next tasks, in one request."""
        return await self.send(calls.exchange_tasks(self.tenant, claim=claim, completions=completions))

    async def export_calendar(self, calendar: str) -> str:
        """Export a calendar as an iCalendar file."""
        return await self.send(calls.export_calendar(self.tenant, calendar))

    async def get_assignee(self, assignee: str) -> models.RegisteredAssignee:
        """Retrieve an assignee with its budget of today."""
        return await self.send(calls.get_assignee(self.tenant, assignee))

    async def get_assignment(self, assignment_id: str) -> models.WorkflowAssignment:
        """Retrieve a workflow assignment."""
        return await self.send(calls.get_assignment(self.tenant, assignment_id))

    async def get_backfill(self, backfill_id: str) -> models.Backfill:
        """Retrieve a backfill with its progress."""
        return await self.send(calls.get_backfill(self.tenant, backfill_id))

    async def get_calendar(self, calendar: str) -> models.Calendar:
        """Retrieve a calendar with its dates."""
        return await self.send(calls.get_calendar(self.tenant, calendar))

    async def get_condition(self, schedule_id: str) -> models.ConditionNow:
        """Retrieve the condition of a schedule and evaluate it now, clause by clause."""
        return await self.send(calls.get_condition(self.tenant, schedule_id))

    async def get_docs(self) -> str:
        """View the API reference as a web page."""
        return await self.send(calls.get_docs())

    async def get_health(self) -> models.Health:
        """Retrieve the health of the server."""
        return await self.send(calls.get_health())

    async def get_liveness(self) -> str:
        """Check whether the process is alive."""
        return await self.send(calls.get_liveness())

    async def get_load(
        self, *, from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
        bucket: Optional[str] = None,
    ) -> models.Load:
        """Count the planned runs of a time window, by bucket."""
        return await self.send(calls.get_load(self.tenant, from_=from_, to=to, bucket=bucket))

    async def get_metrics(self) -> str:
        """Retrieve the metrics of the server in the text format of Prometheus."""
        return await self.send(calls.get_metrics())

    async def get_open_api(self) -> Dict[str, Any]:
        """Retrieve the OpenAPI 3.1 document of this API."""
        return await self.send(calls.get_open_api())

    async def get_readiness(self) -> models.Readiness:
        """Check whether the server is ready for requests."""
        return await self.send(calls.get_readiness())

    async def get_rotation(self, schedule_id: str) -> models.Rotation:
        """Retrieve the input rotation of a schedule and its position."""
        return await self.send(calls.get_rotation(self.tenant, schedule_id))

    async def get_run(self, run_id: str) -> models.Run:
        """Retrieve a run."""
        return await self.send(calls.get_run(self.tenant, run_id))

    async def get_run_nodes(self, run_id: str) -> models.Walk:
        """Retrieve the nodes of a run and their progress."""
        return await self.send(calls.get_run_nodes(self.tenant, run_id))

    async def get_schedule(self, schedule_id: str) -> models.Schedule:
        """Retrieve a schedule."""
        return await self.send(calls.get_schedule(self.tenant, schedule_id))

    async def get_schedule_health(self, schedule_id: str) -> models.ScheduleHealth:
        """Retrieve the health of a schedule."""
        return await self.send(calls.get_schedule_health(self.tenant, schedule_id))

    async def get_schedule_version(self, schedule_id: str, version: int) -> models.ScheduleVersion:
        """Retrieve one version of a schedule's definition. Each run names the version that decided it."""
        return await self.send(calls.get_schedule_version(self.tenant, schedule_id, version))

    async def get_task_execution(self, run_id: str) -> models.Run:
        """Retrieve a task that was started."""
        return await self.send(calls.get_task_execution(self.tenant, run_id))

    async def get_tenant(self) -> models.TenantWithUsage:
        """Retrieve a tenant with its limits and usage."""
        return await self.send(calls.get_tenant(self.tenant))

    async def get_timezone(self, zone: str) -> models.TimezoneDetails:
        """Retrieve a time zone."""
        return await self.send(calls.get_timezone(zone))

    async def get_version(self) -> models.Version:
        """Retrieve the version of the server and its time zone data."""
        return await self.send(calls.get_version())

    async def get_webhook(self, webhook_id: str) -> models.Webhook:
        """Retrieve a webhook."""
        return await self.send(calls.get_webhook(self.tenant, webhook_id))

    async def get_workflow(self, workflow: str, *, version: Optional[int] = None) -> models.Workflow:
        """Retrieve a workflow."""
        return await self.send(calls.get_workflow(self.tenant, workflow, version=version))

    async def get_workflow_execution(self, run_id: str) -> models.Run:
        """Retrieve a workflow that was started."""
        return await self.send(calls.get_workflow_execution(self.tenant, run_id))

    async def heartbeat_tasks(
        self, *, leases: Sequence[Union[models.HeldLease, Json]], lease_ms: Optional[int] = None,
    ) -> models.Leases:
        """Renew leases. Returns those that are still held."""
        return await self.send(calls.heartbeat_tasks(self.tenant, leases=leases, lease_ms=lease_ms))

    async def import_calendar(
        self, calendar: str, content: str, *, mode: Optional[Literal["merge", "replace"]] = None,
        kind: Optional[Literal["skip_dates", "only_dates"]] = None, timezone: Optional[str] = None,
    ) -> models.CalendarImport:
        """Import the dates of an iCalendar file. Creates the calendar if it does not exist."""
        return await self.send(calls.import_calendar(
            self.tenant, calendar, content, mode=mode, kind=kind, timezone=timezone,
        ))

    async def list_approvals(
        self, *, status: Optional[Literal["pending", "approved", "rejected", "expired", "void"]] = None,
        limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.ApprovalPage:
        """List approvals, oldest request first."""
        return await self.send(calls.list_approvals(self.tenant, status=status, limit=limit, cursor=cursor))

    def iter_approvals(
        self, *, status: Optional[Literal["pending", "approved", "rejected", "expired", "void"]] = None,
        limit: Optional[int] = None,
    ) -> AsyncIterator[models.Approval]:
        """List approvals, oldest request first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_approvals(status=status, limit=limit, cursor=cursor))

    async def list_assignees(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.ListedAssigneePage:
        """List registered assignees, ordered by id."""
        return await self.send(calls.list_assignees(self.tenant, limit=limit, cursor=cursor))

    def iter_assignees(self, *, limit: Optional[int] = None) -> AsyncIterator[models.ListedAssignee]:
        """List registered assignees, ordered by id, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_assignees(limit=limit, cursor=cursor))

    async def list_assignments(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.WorkflowAssignmentPage:
        """List workflow assignments, oldest first."""
        return await self.send(calls.list_assignments(self.tenant, limit=limit, cursor=cursor))

    def iter_assignments(self, *, limit: Optional[int] = None) -> AsyncIterator[models.WorkflowAssignment]:
        """List workflow assignments, oldest first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_assignments(limit=limit, cursor=cursor))

    async def list_backfills(
        self, schedule_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.BackfillPage:
        """List a schedule's backfills, newest first."""
        return await self.send(calls.list_backfills(self.tenant, schedule_id, limit=limit, cursor=cursor))

    def iter_backfills(self, schedule_id: str, *, limit: Optional[int] = None) -> AsyncIterator[models.Backfill]:
        """List a schedule's backfills, newest first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_backfills(schedule_id, limit=limit, cursor=cursor))

    async def list_calendars(
        self, *, q: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.CalendarSummaryPage:
        """List the tenant's calendars and the built-in ones, ordered by name."""
        return await self.send(calls.list_calendars(self.tenant, q=q, limit=limit, cursor=cursor))

    def iter_calendars(
        self, *, q: Optional[str] = None, limit: Optional[int] = None,
    ) -> AsyncIterator[models.CalendarSummary]:
        """List the tenant's calendars and the built-in ones, ordered by name, all pages. `limit` is the size of a
        page."""
        return pages(lambda cursor: self.list_calendars(q=q, limit=limit, cursor=cursor))

    async def list_connections(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.ConnectionPage:
        """List the connections that deliver tasks, with their state."""
        return await self.send(calls.list_connections(limit=limit, cursor=cursor))

    def iter_connections(self, *, limit: Optional[int] = None) -> AsyncIterator[models.Connection]:
        """List the connections that deliver tasks, with their state, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_connections(limit=limit, cursor=cursor))

    async def list_dead_letters(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> models.RunPage:
        """List dead letters: failed runs that were neither replayed nor dismissed, newest failure first."""
        return await self.send(calls.list_dead_letters(self.tenant, limit=limit, cursor=cursor))

    def iter_dead_letters(self, *, limit: Optional[int] = None) -> AsyncIterator[models.Run]:
        """List dead letters: failed runs that were neither replayed nor dismissed, newest failure first, all pages.
        `limit` is the size of a page."""
        return pages(lambda cursor: self.list_dead_letters(limit=limit, cursor=cursor))

    async def list_deliveries(
        self, webhook_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.DeliveryPage:
        """List the deliveries of a webhook, newest first."""
        return await self.send(calls.list_deliveries(self.tenant, webhook_id, limit=limit, cursor=cursor))

    def iter_deliveries(self, webhook_id: str, *, limit: Optional[int] = None) -> AsyncIterator[models.Delivery]:
        """List the deliveries of a webhook, newest first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_deliveries(webhook_id, limit=limit, cursor=cursor))

    async def list_keys(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> models.ApiKeyPage:
        """List all API keys, oldest first."""
        return await self.send(calls.list_keys(limit=limit, cursor=cursor))

    def iter_keys(self, *, limit: Optional[int] = None) -> AsyncIterator[models.ApiKey]:
        """List all API keys, oldest first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_keys(limit=limit, cursor=cursor))

    async def list_run_approvals(
        self, run_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.ApprovalPage:
        """List all approvals of a run and their decisions."""
        return await self.send(calls.list_run_approvals(self.tenant, run_id, limit=limit, cursor=cursor))

    def iter_run_approvals(self, run_id: str, *, limit: Optional[int] = None) -> AsyncIterator[models.Approval]:
        """List all approvals of a run and their decisions, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_run_approvals(run_id, limit=limit, cursor=cursor))

    async def list_run_events(
        self, run_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
        after_sequence: Optional[int] = None,
    ) -> models.RunEvents:
        """List the events of a run, oldest first."""
        return await self.send(calls.list_run_events(
            self.tenant, run_id, limit=limit, cursor=cursor, after_sequence=after_sequence,
        ))

    def iter_run_events(
        self, run_id: str, *, limit: Optional[int] = None, after_sequence: Optional[int] = None,
    ) -> AsyncIterator[models.RunEvent]:
        """List the events of a run, oldest first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_run_events(
            run_id, limit=limit, after_sequence=after_sequence, cursor=cursor,
        ))

    async def list_runs(
        self, *, status: Optional[models.RunStatus] = None, state: Optional[models.RunStatus] = None,
        from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
        schedule: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.RunPage:
        """List the runs of all schedules, newest occurrence first."""
        return await self.send(calls.list_runs(
            self.tenant, status=status, state=state, from_=from_, to=to, schedule=schedule, limit=limit, cursor=cursor,
        ))

    def iter_runs(
        self, *, status: Optional[models.RunStatus] = None, state: Optional[models.RunStatus] = None,
        from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
        schedule: Optional[str] = None, limit: Optional[int] = None,
    ) -> AsyncIterator[models.Run]:
        """List the runs of all schedules, newest occurrence first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_runs(
            status=status, state=state, from_=from_, to=to, schedule=schedule, limit=limit, cursor=cursor,
        ))

    async def list_schedule_runs(
        self, schedule_id: str, *, status: Optional[models.RunStatus] = None, state: Optional[models.RunStatus] = None,
        from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
        limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.RunPage:
        """List the runs of a schedule, newest occurrence first."""
        return await self.send(calls.list_schedule_runs(
            self.tenant, schedule_id, status=status, state=state, from_=from_, to=to, limit=limit, cursor=cursor,
        ))

    def iter_schedule_runs(
        self, schedule_id: str, *, status: Optional[models.RunStatus] = None, state: Optional[models.RunStatus] = None,
        from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
        limit: Optional[int] = None,
    ) -> AsyncIterator[models.Run]:
        """List the runs of a schedule, newest occurrence first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_schedule_runs(
            schedule_id, status=status, state=state, from_=from_, to=to, limit=limit, cursor=cursor,
        ))

    async def list_schedules(
        self, *, status: Optional[Literal["active", "paused", "completed", "deleted"]] = None,
        name_prefix: Optional[str] = None, label: Optional[str] = None,
        target: Optional[Literal["workflow", "task"]] = None, target_kind: Optional[str] = None,
        queue: Optional[str] = None, q: Optional[str] = None, next_from: Optional[Union[datetime, str]] = None,
        next_to: Optional[Union[datetime, str]] = None,
        sort: Optional[Literal["name", "-name", "-createdAt", "nextRunAt"]] = None, limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> models.SchedulePage:
        """List schedules, ordered by name, age or next fire time."""
        return await self.send(calls.list_schedules(
            self.tenant, status=status, name_prefix=name_prefix, label=label, target=target, target_kind=target_kind,
            queue=queue, q=q, next_from=next_from, next_to=next_to, sort=sort, limit=limit, cursor=cursor,
        ))

    def iter_schedules(
        self, *, status: Optional[Literal["active", "paused", "completed", "deleted"]] = None,
        name_prefix: Optional[str] = None, label: Optional[str] = None,
        target: Optional[Literal["workflow", "task"]] = None, target_kind: Optional[str] = None,
        queue: Optional[str] = None, q: Optional[str] = None, next_from: Optional[Union[datetime, str]] = None,
        next_to: Optional[Union[datetime, str]] = None,
        sort: Optional[Literal["name", "-name", "-createdAt", "nextRunAt"]] = None, limit: Optional[int] = None,
    ) -> AsyncIterator[models.Schedule]:
        """List schedules, ordered by name, age or next fire time, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_schedules(
            status=status, name_prefix=name_prefix, label=label, target=target, target_kind=target_kind, queue=queue,
            q=q, next_from=next_from, next_to=next_to, sort=sort, limit=limit, cursor=cursor,
        ))

    async def list_team_run_events(
        self, team: str, run_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
        after_sequence: Optional[int] = None,
    ) -> models.RunEvents:
        """List the events of a team's run, one for every step of every node."""
        return await self.send(calls.list_team_run_events(
            self.tenant, team, run_id, limit=limit, cursor=cursor, after_sequence=after_sequence,
        ))

    def iter_team_run_events(
        self, team: str, run_id: str, *, limit: Optional[int] = None, after_sequence: Optional[int] = None,
    ) -> AsyncIterator[models.RunEvent]:
        """List the events of a team's run, one for every step of every node, all pages. `limit` is the size of a
        page."""
        return pages(lambda cursor: self.list_team_run_events(
            team, run_id, limit=limit, after_sequence=after_sequence, cursor=cursor,
        ))

    async def list_team_runs(
        self, team: str, *, from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
        limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.RunPage:
        """List the runs dispatched to a team, newest occurrence first."""
        return await self.send(calls.list_team_runs(self.tenant, team, from_=from_, to=to, limit=limit, cursor=cursor))

    def iter_team_runs(
        self, team: str, *, from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
        limit: Optional[int] = None,
    ) -> AsyncIterator[models.Run]:
        """List the runs dispatched to a team, newest occurrence first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_team_runs(team, from_=from_, to=to, limit=limit, cursor=cursor))

    async def list_tenants(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> models.TenantPage:
        """List all tenants, ordered by name."""
        return await self.send(calls.list_tenants(limit=limit, cursor=cursor))

    def iter_tenants(self, *, limit: Optional[int] = None) -> AsyncIterator[models.Tenant]:
        """List all tenants, ordered by name, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_tenants(limit=limit, cursor=cursor))

    async def list_timezones(
        self, *, query: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.TimezonePage:
        """Search time zones. Common zones come first."""
        return await self.send(calls.list_timezones(query=query, limit=limit, cursor=cursor))

    def iter_timezones(
        self, *, query: Optional[str] = None, limit: Optional[int] = None,
    ) -> AsyncIterator[models.Timezone]:
        """Search time zones. Common zones come first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_timezones(query=query, limit=limit, cursor=cursor))

    async def list_webhooks(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> models.WebhookPage:
        """List the webhooks of a tenant, oldest first."""
        return await self.send(calls.list_webhooks(self.tenant, limit=limit, cursor=cursor))

    def iter_webhooks(self, *, limit: Optional[int] = None) -> AsyncIterator[models.Webhook]:
        """List the webhooks of a tenant, oldest first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_webhooks(limit=limit, cursor=cursor))

    async def list_workflow_versions(
        self, workflow: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, before: Optional[int] = None,
    ) -> models.WorkflowVersions:
        """List the versions of a workflow, newest first."""
        return await self.send(calls.list_workflow_versions(
            self.tenant, workflow, limit=limit, cursor=cursor, before=before,
        ))

    def iter_workflow_versions(
        self, workflow: str, *, limit: Optional[int] = None, before: Optional[int] = None,
    ) -> AsyncIterator[models.WorkflowVersion]:
        """List the versions of a workflow, newest first, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_workflow_versions(workflow, limit=limit, before=before, cursor=cursor))

    async def list_workflows(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.WorkflowHeadPage:
        """List workflows with their newest versions, ordered by name."""
        return await self.send(calls.list_workflows(self.tenant, limit=limit, cursor=cursor))

    def iter_workflows(self, *, limit: Optional[int] = None) -> AsyncIterator[models.WorkflowHead]:
        """List workflows with their newest versions, ordered by name, all pages. `limit` is the size of a page."""
        return pages(lambda cursor: self.list_workflows(limit=limit, cursor=cursor))

    async def patch_schedule(
        self, schedule_id: str, patch: Json, *, if_match: Union[int, str, None] = None,
    ) -> models.Schedule:
        """Update parts of a schedule's definition."""
        return await self.send(calls.patch_schedule(self.tenant, schedule_id, patch, if_match=if_match))

    async def pause_backfill(self, backfill_id: str) -> models.Backfill:
        """Pause a backfill."""
        return await self.send(calls.pause_backfill(self.tenant, backfill_id))

    async def pause_schedule(
        self, schedule_id: str, *, reason: Optional[str] = None, until: Optional[Union[datetime, str]] = None,
    ) -> models.Schedule:
        """Pause a schedule, indefinitely or until a given time."""
        return await self.send(calls.pause_schedule(self.tenant, schedule_id, reason=reason, until=until))

    async def preview_draft(
        self, *, schedule: Union[models.ScheduleDraft, Json], limit: Optional[int] = None,
        cursor: Optional[str] = None, n: Optional[int] = None, from_: Optional[Union[datetime, str]] = None,
        to: Optional[Union[datetime, str]] = None,
    ) -> models.Forecast:
        """Preview the upcoming occurrences of a schedule that is not stored."""
        return await self.send(calls.preview_draft(
            self.tenant, schedule=schedule, limit=limit, cursor=cursor, n=n, from_=from_, to=to,
        ))

    async def preview_schedule(
        self, schedule_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, n: Optional[int] = None,
        from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
    ) -> models.Forecast:
        """Preview the upcoming occurrences of a schedule."""
        return await self.send(calls.preview_schedule(
            self.tenant, schedule_id, limit=limit, cursor=cursor, n=n, from_=from_, to=to,
        ))

    async def put_assignee(
        self, assignee: str, *, type: Literal["agent", "team"], id: Optional[str] = None,
        display_name: Optional[str] = None, policies: Optional[Union[models.AssigneePoliciesRequest, Json]] = None,
        if_match: Union[int, str, None] = None,
    ) -> models.RegisteredAssignee:
        """Register an assignee, or replace its limits."""
        return await self.send(calls.put_assignee(
            self.tenant, assignee, type=type, id=id, display_name=display_name, policies=policies, if_match=if_match,
        ))

    async def redeliver(self, webhook_id: str, position: int) -> models.Delivery:
        """Redeliver an event, even if it was delivered."""
        return await self.send(calls.redeliver(self.tenant, webhook_id, position))

    async def reject_run(
        self, run_id: str, *, node: Optional[str] = None, comment: Optional[str] = None, reason: Optional[str] = None,
    ) -> models.Run:
        """Reject a run, or one of its nodes, that waits for approval."""
        return await self.send(calls.reject_run(self.tenant, run_id, node=node, comment=comment, reason=reason))

    async def remove_workflow(self, workflow: str, *, force: Optional[bool] = None) -> None:
        """Remove a workflow. Runs in flight continue."""
        return await self.send(calls.remove_workflow(self.tenant, workflow, force=force))

    async def replace_assignment(
        self, assignment_id: str, *, workflow: str, assignee: Union[models.Assignee, Json],
        approval_policy: Optional[Union[models.ApprovalPolicy, Json]] = None,
        retry_policy: Optional[Union[models.RetryPolicy, Json]] = None,
        failure_policy: Optional[Union[models.FailurePolicy, Json]] = None,
        queue_policy: Optional[Union[models.QueuePolicy, Json]] = None, if_match: Union[int, str, None] = None,
    ) -> models.WorkflowAssignment:
        """Replace the assignee and the policies of a workflow assignment."""
        return await self.send(calls.replace_assignment(
            self.tenant, assignment_id, workflow=workflow, assignee=assignee, approval_policy=approval_policy,
            retry_policy=retry_policy, failure_policy=failure_policy, queue_policy=queue_policy, if_match=if_match,
        ))

    async def replace_calendar(
        self, calendar: str, *, dates: Sequence[str], name: Optional[str] = None,
        kind: Optional[Literal["skip_dates", "only_dates"]] = None, timezone: Optional[str] = None,
        if_match: Union[int, str, None] = None,
    ) -> models.Calendar:
        """Replace the kind, time zone and dates of a calendar."""
        return await self.send(calls.replace_calendar(
            self.tenant, calendar, dates=dates, name=name, kind=kind, timezone=timezone, if_match=if_match,
        ))

    async def replace_schedule(
        self, schedule_id: str, *, target: Union[models.TargetRequest, Json], name: Optional[str] = None,
        description: Optional[str] = None, notes: Optional[str] = None, labels: Optional[Mapping[str, str]] = None,
        memo: Optional[Mapping[str, Any]] = None, search_attributes: Optional[Mapping[str, Any]] = None,
        spec: Optional[Union[models.Spec, Json]] = None,
        schedule_type: Optional[Union[models.ScheduleType, Json]] = None,
        assignee: Optional[Union[models.Assignee, Json]] = None, overlap_policy: Optional[models.OverlapPolicy] = None,
        max_concurrency: Optional[int] = None,
        missed_run_policy: Optional[Literal["skip", "fire_once", "fire_all", "spread"]] = None,
        max_backfill: Optional[int] = None, missed_grace: Optional[str] = None,
        missed_while_paused: Optional[bool] = None, worker_lost_policy: Optional[Literal["redeliver", "fail"]] = None,
        retry_policy: Optional[Union[models.RetryPolicy, Json]] = None,
        failure_policy: Optional[Union[models.FailurePolicy, Json]] = None,
        approval_policy: Optional[Union[models.ApprovalPolicy, Json]] = None, max_runs: Optional[int] = None,
        calendars: Optional[Sequence[str]] = None, pre_dispatch_condition: Any = None, inputs_template: Any = None,
        inputs_rotation: Optional[Sequence[Any]] = None, signal: Optional[Union[models.Signal, Json]] = None,
        breaker: Optional[Union[models.Breaker, Json]] = None, workflow_assignment_id: Optional[str] = None,
        status: Optional[Literal["active", "paused", "completed", "deleted"]] = None, enabled: Optional[bool] = None,
        if_match: Union[int, str, None] = None,
    ) -> models.Schedule:
        """Replace the definition of a schedule."""
        return await self.send(calls.replace_schedule(
            self.tenant, schedule_id, target=target, name=name, description=description, notes=notes, labels=labels,
            memo=memo, search_attributes=search_attributes, spec=spec, schedule_type=schedule_type, assignee=assignee,
            overlap_policy=overlap_policy, max_concurrency=max_concurrency, missed_run_policy=missed_run_policy,
            max_backfill=max_backfill, missed_grace=missed_grace, missed_while_paused=missed_while_paused,
            worker_lost_policy=worker_lost_policy, retry_policy=retry_policy, failure_policy=failure_policy,
            approval_policy=approval_policy, max_runs=max_runs, calendars=calendars,
            pre_dispatch_condition=pre_dispatch_condition, inputs_template=inputs_template,
            inputs_rotation=inputs_rotation, signal=signal, breaker=breaker,
            workflow_assignment_id=workflow_assignment_id, status=status, enabled=enabled, if_match=if_match,
        ))

    async def replace_tenant(
        self, *, name: Optional[str] = None, description: Optional[str] = None,
        dispatch_enabled: Optional[bool] = None, schedules_max: Optional[int] = None,
        runs_per_day: Optional[int] = None, stored_bytes_max: Optional[int] = None,
        if_match: Union[int, str, None] = None,
    ) -> models.Tenant:
        """Replace the settings of a tenant."""
        return await self.send(calls.replace_tenant(
            self.tenant, name=name, description=description, dispatch_enabled=dispatch_enabled,
            schedules_max=schedules_max, runs_per_day=runs_per_day, stored_bytes_max=stored_bytes_max,
            if_match=if_match,
        ))

    async def replace_webhook(
        self, webhook_id: str, *, url: str, description: Optional[str] = None, events: Optional[Sequence[str]] = None,
        enabled: Optional[bool] = None, if_match: Union[int, str, None] = None,
    ) -> models.Webhook:
        """Replace the definition of a webhook. Its secrets stay."""
        return await self.send(calls.replace_webhook(
            self.tenant, webhook_id, url=url, description=description, events=events, enabled=enabled,
            if_match=if_match,
        ))

    async def replay_dead_letter(self, run_id: str, *, idempotency_key: Optional[str] = None) -> models.Run:
        """Replay a dead letter with the same input."""
        return await self.send(calls.replay_dead_letter(self.tenant, run_id, idempotency_key=idempotency_key))

    async def report_event(
        self, event: str, *, payload: Any = None, id: Optional[str] = None, cursor: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> models.EventAnswer:
        """Report an event and start the schedules that wait for it."""
        return await self.send(calls.report_event(
            self.tenant, event, payload=payload, id=id, cursor=cursor, idempotency_key=idempotency_key,
        ))

    async def resume_backfill(self, backfill_id: str) -> models.Backfill:
        """Resume a paused backfill."""
        return await self.send(calls.resume_backfill(self.tenant, backfill_id))

    async def resume_schedule(self, schedule_id: str, *, reason: Optional[str] = None) -> models.Schedule:
        """Resume a paused schedule."""
        return await self.send(calls.resume_schedule(self.tenant, schedule_id, reason=reason))

    async def revoke_key(self, key_id: str) -> models.ApiKey:
        """Revoke an API key. Revoking it again has no effect."""
        return await self.send(calls.revoke_key(key_id))

    async def rotate_webhook_secret(self, webhook_id: str) -> models.WebhookWithSecret:
        """Create a new secret. The old ones still sign for one day."""
        return await self.send(calls.rotate_webhook_secret(self.tenant, webhook_id))

    async def set_condition(
        self, schedule_id: str, *, condition: Any = None, if_match: Union[int, str, None] = None,
    ) -> models.ConditionNow:
        """Replace the condition of a schedule."""
        return await self.send(calls.set_condition(self.tenant, schedule_id, condition=condition, if_match=if_match))

    async def set_rotation(
        self, schedule_id: str, *, entries: Sequence[Any], if_match: Union[int, str, None] = None,
    ) -> models.Rotation:
        """Replace the input rotation. The next run uses the first entry."""
        return await self.send(calls.set_rotation(self.tenant, schedule_id, entries=entries, if_match=if_match))

    async def simulate_draft(
        self, *, schedule: Union[models.ScheduleDraft, Json], to: Union[datetime, str],
        from_: Optional[Union[datetime, str]] = None, runs: Optional[Sequence[Union[models.AssumedRun, Json]]] = None,
    ) -> models.Simulation:
        """Simulate a schedule that is not stored."""
        return await self.send(calls.simulate_draft(self.tenant, schedule=schedule, to=to, from_=from_, runs=runs))

    async def simulate_schedule(
        self, schedule_id: str, *, to: Union[datetime, str], from_: Optional[Union[datetime, str]] = None,
        runs: Optional[Sequence[Union[models.AssumedRun, Json]]] = None,
    ) -> models.Simulation:
        """Simulate a schedule under assumed durations and outcomes."""
        return await self.send(calls.simulate_schedule(self.tenant, schedule_id, to=to, from_=from_, runs=runs))

    async def start_task(
        self, *, task_kind: str, input: Any = None, metadata: Optional[Mapping[str, str]] = None,
        queue: Optional[str] = None, connection: Optional[str] = None, priority: Optional[int] = None,
        max_retries: Optional[int] = None, labels: Optional[Mapping[str, str]] = None,
        retry_policy: Optional[Union[models.RetryPolicy, Json]] = None, idempotency_key: Optional[str] = None,
    ) -> models.Run:
        """Start a task once, now."""
        return await self.send(calls.start_task(
            self.tenant, task_kind=task_kind, input=input, metadata=metadata, queue=queue, connection=connection,
            priority=priority, max_retries=max_retries, labels=labels, retry_policy=retry_policy,
            idempotency_key=idempotency_key,
        ))

    async def start_tasks(self, *, items: Sequence[Union[models.TaskStartItem, Json]]) -> models.StartedTasks:
        """Start up to 1,000 tasks once, now."""
        return await self.send(calls.start_tasks(self.tenant, items=items))

    async def start_workflow(
        self, *, workflow_kind: str, version: Optional[int] = None, input: Any = None,
        metadata: Optional[Mapping[str, str]] = None, queue: Optional[str] = None, connection: Optional[str] = None,
        priority: Optional[int] = None, max_retries: Optional[int] = None, labels: Optional[Mapping[str, str]] = None,
        retry_policy: Optional[Union[models.RetryPolicy, Json]] = None, idempotency_key: Optional[str] = None,
    ) -> models.Run:
        """Start a workflow once, now."""
        return await self.send(calls.start_workflow(
            self.tenant, workflow_kind=workflow_kind, version=version, input=input, metadata=metadata, queue=queue,
            connection=connection, priority=priority, max_retries=max_retries, labels=labels,
            retry_policy=retry_policy, idempotency_key=idempotency_key,
        ))

    async def start_workflows(
        self, *, items: Sequence[Union[models.WorkflowStartItem, Json]],
    ) -> models.StartedWorkflows:
        """Start up to 1,000 workflows once, now."""
        return await self.send(calls.start_workflows(self.tenant, items=items))

    async def tell_status(
        self, run_id: str, *, status: Literal["STARTED", "SUCCESS", "FAILED"], node: Optional[str] = None,
        attempt: Optional[int] = None, result: Any = None, error: Optional[str] = None,
        category: Optional[Literal["timeout", "provider_error", "rate_limit", "contract_violated"]] = None,
        callback_token: Optional[str] = None,
    ) -> models.Run:
        """Report the status of a task that a connection delivered."""
        return await self.send(calls.tell_status(
            self.tenant, run_id, status=status, node=node, attempt=attempt, result=result, error=error,
            category=category, callback_token=callback_token,
        ))

    async def terminate_run(self, run_id: str, *, reason: Optional[str] = None) -> models.Run:
        """Terminate a run immediately, without waiting for its worker."""
        return await self.send(calls.terminate_run(self.tenant, run_id, reason=reason))

    async def test_webhook(self, webhook_id: str) -> models.WebhookTest:
        """Send a `ping` to a webhook now and return the result. Also works for a disabled webhook."""
        return await self.send(calls.test_webhook(self.tenant, webhook_id))

    async def trigger_schedule(
        self, schedule_id: str, *, input: Any = None, overlap_policy: Optional[models.OverlapPolicy] = None,
        reason: Optional[str] = None, idempotency_key: Optional[str] = None,
    ) -> models.Run:
        """Start a run of a schedule now."""
        return await self.send(calls.trigger_schedule(
            self.tenant, schedule_id, input=input, overlap_policy=overlap_policy, reason=reason,
            idempotency_key=idempotency_key,
        ))

    async def verify_audit(
        self, *, schedule: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None,
    ) -> models.AuditVerification:
        """Verify the audit chains of one schedule or of all schedules."""
        return await self.send(calls.verify_audit(self.tenant, schedule=schedule, limit=limit, cursor=cursor))

    async def why_schedule(self, schedule_id: str, *, at: Union[datetime, str]) -> models.Why:
        """Explain what happened, or will happen, at a given time."""
        return await self.send(calls.why_schedule(self.tenant, schedule_id, at=at))
