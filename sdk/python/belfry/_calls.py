"""The request of every operation. Written by tools/generate.py from docs/reference/openapi.json: do not edit."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, Literal, Mapping, Optional, Sequence, Union

from belfry import models
from belfry._call import Call, body_of, idempotency
from belfry._call import if_match as if_match_header
from belfry._call import json_body, query_of, segment, text_body

Json = Mapping[str, Any]


def approve_run(
    tenant: str, run_id: str, *, node: Optional[str] = None, comment: Optional[str] = None,
    reason: Optional[str] = None,
) -> Call[models.Run]:
    content, sent = body_of({"node": node, "comment": comment, "reason": reason})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/runs/{segment(run_id)}/approve", {200: models.Run}, headers={**sent},
        content=content, resource="run",
    )


def attach_calendar(
    tenant: str, schedule_id: str, calendar: str, *, reason: Optional[str] = None,
) -> Call[models.Schedule]:
    content, sent = body_of({"reason": reason})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/calendars/{segment(calendar)}",
        {200: models.Schedule}, headers={**sent}, content=content, resource="calendar",
    )


def backfill_schedule(
    tenant: str, schedule_id: str, *, from_: Union[datetime, str], to: Union[datetime, str],
    concurrency: Optional[int] = None, overlap_policy: Optional[models.OverlapPolicy] = None,
    rerun: Optional[Literal["missing", "failed", "all"]] = None, dry_run: Optional[bool] = None,
    idempotency_key: Optional[str] = None,
) -> Call[Union[models.Backfill, models.BackfillDryRun]]:
    content, sent = body_of({
        "from": from_, "to": to, "concurrency": concurrency, "overlapPolicy": overlap_policy, "rerun": rerun,
        "dryRun": dry_run,
    })
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/backfill",
        {202: models.Backfill, 200: models.BackfillDryRun}, headers={**sent, **idempotency(idempotency_key)},
        content=content, resource="schedule", repeatable=True,
    )


def cancel_backfill(tenant: str, backfill_id: str) -> Call[models.Backfill]:
    content, sent = body_of({})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/backfills/{segment(backfill_id)}/cancel", {200: models.Backfill},
        headers={**sent}, content=content, resource="backfill",
    )


def cancel_run(tenant: str, run_id: str, *, reason: Optional[str] = None) -> Call[models.Run]:
    content, sent = body_of({"reason": reason})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/runs/{segment(run_id)}/cancel", {200: models.Run}, headers={**sent},
        content=content, resource="run",
    )


def change_schedules(
    tenant: str, *, items: Optional[Sequence[Union[models.ScheduleOperation, Json]]] = None,
    operation: Optional[Literal["pause", "resume", "delete"]] = None,
    filter: Optional[Union[models.ScheduleFilter, Json]] = None, cursor: Optional[str] = None,
    until: Optional[Union[datetime, str]] = None, reason: Optional[str] = None,
) -> Call[models.ChangedSchedules]:
    content, sent = body_of({
        "items": items, "operation": operation, "filter": filter, "cursor": cursor, "until": until, "reason": reason,
    })
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/schedules/batch", {200: models.ChangedSchedules}, headers={**sent},
        content=content,
    )


def check_condition(
    tenant: str, *, condition: Any = None, context: Optional[Mapping[str, Any]] = None,
) -> Call[models.ConditionVerdict]:
    content, sent = body_of({"condition": condition, "context": context})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/condition/check", {200: models.ConditionVerdict}, headers={**sent},
        content=content, repeatable=True,
    )


def claim_tasks(
    tenant: str, *, worker: str, queue: Optional[str] = None, assignee: Optional[str] = None,
    limit: Optional[int] = None, lease_ms: Optional[int] = None, wait_ms: Optional[int] = None,
) -> Call[models.ClaimedTasks]:
    content, sent = body_of({
        "worker": worker, "queue": queue, "assignee": assignee, "limit": limit, "leaseMs": lease_ms, "waitMs": wait_ms,
    })
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/tasks/claim", {200: models.ClaimedTasks}, headers={**sent},
        content=content, repeatable=True, waits_s=(wait_ms or 0) / 1000,
    )


def clear_condition(
    tenant: str, schedule_id: str, *, if_match: Union[int, str, None] = None,
) -> Call[models.ConditionNow]:
    return Call(
        "DELETE", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/condition",
        {200: models.ConditionNow}, headers={**if_match_header(if_match)}, resource="schedule",
        repeatable=if_match is None,
    )


def clear_rotation(tenant: str, schedule_id: str, *, if_match: Union[int, str, None] = None) -> Call[models.Rotation]:
    return Call(
        "DELETE", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/rotation", {200: models.Rotation},
        headers={**if_match_header(if_match)}, resource="schedule", repeatable=if_match is None,
    )


def clone_calendar(tenant: str, calendar: str, *, name: str) -> Call[models.Calendar]:
    content, sent = body_of({"name": name})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/calendars/{segment(calendar)}/clone", {201: models.Calendar},
        headers={**sent}, content=content, resource="calendar",
    )


def complete_run(
    tenant: str, run_id: str, *, status: Literal["succeeded", "failed", "timed_out", "cancelled", "terminated"],
    category: Optional[Literal["timeout", "provider_error", "rate_limit", "contract_violated"]] = None,
    result: Any = None, error: Optional[str] = None, retry_after_ms: Optional[int] = None,
    usage: Optional[Union[models.UsageReport, Json]] = None, attempt: Optional[int] = None, node: Optional[str] = None,
) -> Call[models.Run]:
    content, sent = body_of({
        "status": status, "category": category, "result": result, "error": error, "retryAfterMs": retry_after_ms,
        "usage": usage, "attempt": attempt, "node": node,
    })
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/runs/{segment(run_id)}/complete", {200: models.Run}, headers={**sent},
        content=content, resource="run",
    )


def complete_tasks(tenant: str, *, items: Sequence[Union[models.TaskCompletion, Json]]) -> Call[models.TaskOutcomes]:
    content, sent = body_of({"items": items})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/tasks/complete", {200: models.TaskOutcomes}, headers={**sent},
        content=content, repeatable=True,
    )


def create_assignment(
    tenant: str, *, workflow: str, assignee: Union[models.Assignee, Json],
    approval_policy: Optional[Union[models.ApprovalPolicy, Json]] = None,
    retry_policy: Optional[Union[models.RetryPolicy, Json]] = None,
    failure_policy: Optional[Union[models.FailurePolicy, Json]] = None,
    queue_policy: Optional[Union[models.QueuePolicy, Json]] = None,
) -> Call[models.WorkflowAssignment]:
    content, sent = body_of({
        "workflow": workflow, "assignee": assignee, "approvalPolicy": approval_policy, "retryPolicy": retry_policy,
        "failurePolicy": failure_policy, "queuePolicy": queue_policy,
    })
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/assignments", {201: models.WorkflowAssignment}, headers={**sent},
        content=content,
    )


def create_calendar(
    tenant: str, *, name: str, dates: Sequence[str], kind: Optional[Literal["skip_dates", "only_dates"]] = None,
    timezone: Optional[str] = None,
) -> Call[models.Calendar]:
    content, sent = body_of({"name": name, "dates": dates, "kind": kind, "timezone": timezone})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/calendars", {201: models.Calendar}, headers={**sent}, content=content,
    )


def create_key(
    *, name: str, roles: Mapping[str, Sequence[Literal["viewer", "operator", "approver", "worker", "admin"]]],
    lifetime: Optional[str] = None,
) -> Call[models.NewApiKey]:
    content, sent = body_of({"name": name, "roles": roles, "lifetime": lifetime})
    return Call("POST", "/api/keys", {201: models.NewApiKey}, headers={**sent}, content=content)


def create_schedule(
    tenant: str, *, name: str, target: Union[models.TargetRequest, Json], description: Optional[str] = None,
    notes: Optional[str] = None, labels: Optional[Mapping[str, str]] = None, memo: Optional[Mapping[str, Any]] = None,
    search_attributes: Optional[Mapping[str, Any]] = None, spec: Optional[Union[models.Spec, Json]] = None,
    schedule_type: Optional[Union[models.ScheduleType, Json]] = None,
    assignee: Optional[Union[models.Assignee, Json]] = None, overlap_policy: Optional[models.OverlapPolicy] = None,
    max_concurrency: Optional[int] = None,
    missed_run_policy: Optional[Literal["skip", "fire_once", "fire_all", "spread"]] = None,
    max_backfill: Optional[int] = None, missed_grace: Optional[str] = None, missed_while_paused: Optional[bool] = None,
    worker_lost_policy: Optional[Literal["redeliver", "fail"]] = None,
    retry_policy: Optional[Union[models.RetryPolicy, Json]] = None,
    failure_policy: Optional[Union[models.FailurePolicy, Json]] = None,
    approval_policy: Optional[Union[models.ApprovalPolicy, Json]] = None, max_runs: Optional[int] = None,
    calendars: Optional[Sequence[str]] = None, pre_dispatch_condition: Any = None, inputs_template: Any = None,
    inputs_rotation: Optional[Sequence[Any]] = None, signal: Optional[Union[models.Signal, Json]] = None,
    breaker: Optional[Union[models.Breaker, Json]] = None, workflow_assignment_id: Optional[str] = None,
    status: Optional[Literal["active", "paused", "completed", "deleted"]] = None, enabled: Optional[bool] = None,
    idempotency_key: Optional[str] = None,
) -> Call[models.Schedule]:
    content, sent = body_of({
        "name": name, "target": target, "description": description, "notes": notes, "labels": labels, "memo": memo,
        "searchAttributes": search_attributes, "spec": spec, "scheduleType": schedule_type, "assignee": assignee,
        "overlapPolicy": overlap_policy, "maxConcurrency": max_concurrency, "missedRunPolicy": missed_run_policy,
        "maxBackfill": max_backfill, "missedGrace": missed_grace, "missedWhilePaused": missed_while_paused,
        "workerLostPolicy": worker_lost_policy, "retryPolicy": retry_policy, "failurePolicy": failure_policy,
        "approvalPolicy": approval_policy, "maxRuns": max_runs, "calendars": calendars,
        "preDispatchCondition": pre_dispatch_condition, "inputsTemplate": inputs_template,
        "inputsRotation": inputs_rotation, "signal": signal, "breaker": breaker,
        "workflowAssignmentId": workflow_assignment_id, "status": status, "enabled": enabled,
    })
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/schedules", {201: models.Schedule},
        headers={**sent, **idempotency(idempotency_key)}, content=content, resource="schedule", repeatable=True,
    )


def create_tenant(
    *, name: str, description: Optional[str] = None, dispatch_enabled: Optional[bool] = None,
    schedules_max: Optional[int] = None, runs_per_day: Optional[int] = None, stored_bytes_max: Optional[int] = None,
) -> Call[models.Tenant]:
    content, sent = body_of({
        "name": name, "description": description, "dispatchEnabled": dispatch_enabled, "schedulesMax": schedules_max,
        "runsPerDay": runs_per_day, "storedBytesMax": stored_bytes_max,
    })
    return Call("POST", "/api/tenants", {201: models.Tenant}, headers={**sent}, content=content)


def create_webhook(
    tenant: str, *, url: str, description: Optional[str] = None, events: Optional[Sequence[str]] = None,
    enabled: Optional[bool] = None,
) -> Call[models.WebhookWithSecret]:
    content, sent = body_of({"url": url, "description": description, "events": events, "enabled": enabled})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/webhooks", {201: models.WebhookWithSecret}, headers={**sent},
        content=content,
    )


def delete_assignee(tenant: str, assignee: str) -> Call[None]:
    return Call(
        "DELETE", f"/api/tenants/{segment(tenant)}/assignees/{segment(assignee)}", {204: None}, resource="assignee",
        repeatable=True,
    )


def delete_assignment(tenant: str, assignment_id: str) -> Call[None]:
    return Call(
        "DELETE", f"/api/tenants/{segment(tenant)}/assignments/{segment(assignment_id)}", {204: None},
        resource="assignment", repeatable=True,
    )


def delete_calendar(tenant: str, calendar: str) -> Call[None]:
    return Call(
        "DELETE", f"/api/tenants/{segment(tenant)}/calendars/{segment(calendar)}", {204: None}, resource="calendar",
        repeatable=True,
    )


def delete_schedule(
    tenant: str, schedule_id: str, *, reason: Optional[str] = None, purge: Optional[bool] = None,
) -> Call[models.Schedule]:
    sent_query = query_of({"reason": reason, "purge": purge})
    return Call(
        "DELETE", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}", {200: models.Schedule},
        query=sent_query, resource="schedule", repeatable=True,
    )


def delete_webhook(tenant: str, webhook_id: str) -> Call[None]:
    return Call(
        "DELETE", f"/api/tenants/{segment(tenant)}/webhooks/{segment(webhook_id)}", {204: None}, resource="webhook",
        repeatable=True,
    )


def deploy_workflow(
    tenant: str, workflow: str, *, nodes: Sequence[Union[models.WorkflowNode, Json]], name: Optional[str] = None,
    description: Optional[str] = None, queue: Optional[str] = None, connection: Optional[str] = None,
    timeout_ms: Optional[int] = None, approval_policy: Optional[Union[models.ApprovalPolicy, Json]] = None,
    triggers: Optional[Sequence[Mapping[str, Any]]] = None, if_match: Union[int, str, None] = None,
) -> Call[models.DeployedWorkflow]:
    content, sent = body_of({
        "nodes": nodes, "name": name, "description": description, "queue": queue, "connection": connection,
        "timeoutMs": timeout_ms, "approvalPolicy": approval_policy, "triggers": triggers,
    })
    return Call(
        "PUT", f"/api/tenants/{segment(tenant)}/workflows/{segment(workflow)}",
        {200: models.DeployedWorkflow, 201: models.DeployedWorkflow}, headers={**sent, **if_match_header(if_match)},
        content=content, resource="workflow", repeatable=if_match is None,
    )


def deploy_workflow_yaml(
    tenant: str, workflow: str, content: str, *, if_match: Union[int, str, None] = None,
) -> Call[models.DeployedWorkflow]:
    content_, sent = text_body(content, "application/yaml")
    return Call(
        "PUT", f"/api/tenants/{segment(tenant)}/workflows/{segment(workflow)}/definition.yaml",
        {200: models.DeployedWorkflow, 201: models.DeployedWorkflow}, headers={**sent, **if_match_header(if_match)},
        content=content_, resource="workflow", repeatable=if_match is None,
    )


def detach_calendar(tenant: str, schedule_id: str, calendar: str) -> Call[models.Schedule]:
    return Call(
        "DELETE", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/calendars/{segment(calendar)}",
        {200: models.Schedule}, resource="calendar", repeatable=True,
    )


def dismiss_dead_letter(tenant: str, run_id: str) -> Call[None]:
    return Call(
        "DELETE", f"/api/tenants/{segment(tenant)}/dead-letters/{segment(run_id)}", {204: None}, resource="run",
        repeatable=True,
    )


def exchange_tasks(
    tenant: str, *, claim: Union[models.ClaimRequest, Json],
    completions: Optional[Sequence[Union[models.TaskCompletion, Json]]] = None,
) -> Call[models.ExchangedTasks]:
    content, sent = body_of({"claim": claim, "completions": completions})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/tasks/exchange", {200: models.ExchangedTasks}, headers={**sent},
        content=content,
    )


def export_calendar(tenant: str, calendar: str) -> Call[str]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/calendars/{segment(calendar)}/export.ics", {200: str},
        resource="calendar", repeatable=True,
    )


def get_assignee(tenant: str, assignee: str) -> Call[models.RegisteredAssignee]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/assignees/{segment(assignee)}", {200: models.RegisteredAssignee},
        resource="assignee", repeatable=True,
    )


def get_assignment(tenant: str, assignment_id: str) -> Call[models.WorkflowAssignment]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/assignments/{segment(assignment_id)}",
        {200: models.WorkflowAssignment}, resource="assignment", repeatable=True,
    )


def get_backfill(tenant: str, backfill_id: str) -> Call[models.Backfill]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/backfills/{segment(backfill_id)}", {200: models.Backfill},
        resource="backfill", repeatable=True,
    )


def get_calendar(tenant: str, calendar: str) -> Call[models.Calendar]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/calendars/{segment(calendar)}", {200: models.Calendar},
        resource="calendar", repeatable=True,
    )


def get_condition(tenant: str, schedule_id: str) -> Call[models.ConditionNow]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/condition",
        {200: models.ConditionNow}, resource="schedule", repeatable=True,
    )


def get_docs() -> Call[str]:
    return Call("GET", "/api/docs", {200: str}, repeatable=True)


def get_health() -> Call[models.Health]:
    return Call("GET", "/health", {200: models.Health, 503: models.Health}, repeatable=True)


def get_liveness() -> Call[str]:
    return Call("GET", "/healthz", {200: str}, repeatable=True)


def get_load(
    tenant: str, *, from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
    bucket: Optional[str] = None,
) -> Call[models.Load]:
    sent_query = query_of({"from": from_, "to": to, "bucket": bucket})
    return Call("GET", f"/api/tenants/{segment(tenant)}/load", {200: models.Load}, query=sent_query, repeatable=True)


def get_metrics() -> Call[str]:
    return Call("GET", "/metrics", {200: str}, repeatable=True)


def get_open_api() -> Call[Dict[str, Any]]:
    return Call("GET", "/api/openapi.json", {200: Dict[str, Any]}, repeatable=True)


def get_readiness() -> Call[models.Readiness]:
    return Call("GET", "/readyz", {200: models.Readiness, 503: models.Readiness}, repeatable=True)


def get_rotation(tenant: str, schedule_id: str) -> Call[models.Rotation]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/rotation", {200: models.Rotation},
        resource="schedule", repeatable=True,
    )


def get_run(tenant: str, run_id: str) -> Call[models.Run]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/runs/{segment(run_id)}", {200: models.Run}, resource="run",
        repeatable=True,
    )


def get_run_nodes(tenant: str, run_id: str) -> Call[models.Walk]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/runs/{segment(run_id)}/nodes", {200: models.Walk}, resource="run",
        repeatable=True,
    )


def get_schedule(tenant: str, schedule_id: str) -> Call[models.Schedule]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}", {200: models.Schedule},
        resource="schedule", repeatable=True,
    )


def get_schedule_health(tenant: str, schedule_id: str) -> Call[models.ScheduleHealth]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/health", {200: models.ScheduleHealth},
        resource="schedule", repeatable=True,
    )


def get_schedule_history(
    tenant: str, schedule_id: str, *, limit: Optional[int] = None, after_sequence: Optional[int] = None,
    cursor: Optional[str] = None,
) -> Call[models.ScheduleHistoryPage]:
    sent_query = query_of({"limit": limit, "after_sequence": after_sequence, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/history",
        {200: models.ScheduleHistoryPage}, query=sent_query, resource="schedule", repeatable=True,
    )


def get_schedule_version(tenant: str, schedule_id: str, version: int) -> Call[models.ScheduleVersion]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/versions/{segment(version)}",
        {200: models.ScheduleVersion}, resource="version", repeatable=True,
    )


def get_task_execution(tenant: str, run_id: str) -> Call[models.Run]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/task-executions/{segment(run_id)}", {200: models.Run}, resource="run",
        repeatable=True,
    )


def get_tenant(tenant: str) -> Call[models.TenantWithUsage]:
    return Call("GET", f"/api/tenants/{segment(tenant)}", {200: models.TenantWithUsage}, repeatable=True)


def get_timezone(zone: str) -> Call[models.TimezoneDetails]:
    return Call(
        "GET", f"/api/timezones/{segment(zone)}", {200: models.TimezoneDetails}, resource="zone", repeatable=True,
    )


def get_version() -> Call[models.Version]:
    return Call("GET", "/api/version", {200: models.Version}, repeatable=True)


def get_webhook(tenant: str, webhook_id: str) -> Call[models.Webhook]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/webhooks/{segment(webhook_id)}", {200: models.Webhook},
        resource="webhook", repeatable=True,
    )


def get_workflow(tenant: str, workflow: str, *, version: Optional[int] = None) -> Call[models.Workflow]:
    sent_query = query_of({"version": version})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/workflows/{segment(workflow)}", {200: models.Workflow},
        query=sent_query, resource="workflow", repeatable=True,
    )


def get_workflow_execution(tenant: str, run_id: str) -> Call[models.Run]:
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/workflow-executions/{segment(run_id)}", {200: models.Run},
        resource="run", repeatable=True,
    )


def heartbeat_tasks(
    tenant: str, *, leases: Sequence[Union[models.HeldLease, Json]], lease_ms: Optional[int] = None,
) -> Call[models.Leases]:
    content, sent = body_of({"leases": leases, "leaseMs": lease_ms})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/tasks/heartbeat", {200: models.Leases}, headers={**sent},
        content=content, repeatable=True,
    )


def import_calendar(
    tenant: str, calendar: str, content: str, *, mode: Optional[Literal["merge", "replace"]] = None,
    kind: Optional[Literal["skip_dates", "only_dates"]] = None, timezone: Optional[str] = None,
) -> Call[models.CalendarImport]:
    sent_query = query_of({"mode": mode, "kind": kind, "timezone": timezone})
    content_, sent = text_body(content, "text/calendar")
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/calendars/{segment(calendar)}/import",
        {200: models.CalendarImport, 201: models.CalendarImport}, query=sent_query, headers={**sent}, content=content_,
        resource="calendar",
    )


def list_approvals(
    tenant: str, *, status: Optional[Literal["pending", "approved", "rejected", "expired", "void"]] = None,
    limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.ApprovalPage]:
    sent_query = query_of({"status": status, "limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/approvals", {200: models.ApprovalPage}, query=sent_query,
        repeatable=True,
    )


def list_assignees(
    tenant: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.ListedAssigneePage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/assignees", {200: models.ListedAssigneePage}, query=sent_query,
        repeatable=True,
    )


def list_assignments(
    tenant: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.WorkflowAssignmentPage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/assignments", {200: models.WorkflowAssignmentPage}, query=sent_query,
        repeatable=True,
    )


def list_backfills(
    tenant: str, schedule_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.BackfillPage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/backfills",
        {200: models.BackfillPage}, query=sent_query, resource="schedule", repeatable=True,
    )


def list_calendars(
    tenant: str, *, q: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.CalendarSummaryPage]:
    sent_query = query_of({"q": q, "limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/calendars", {200: models.CalendarSummaryPage}, query=sent_query,
        repeatable=True,
    )


def list_connections(*, limit: Optional[int] = None, cursor: Optional[str] = None) -> Call[models.ConnectionPage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call("GET", "/api/connections", {200: models.ConnectionPage}, query=sent_query, repeatable=True)


def list_dead_letters(
    tenant: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.RunPage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/dead-letters", {200: models.RunPage}, query=sent_query, repeatable=True,
    )


def list_deliveries(
    tenant: str, webhook_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.DeliveryPage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/webhooks/{segment(webhook_id)}/deliveries", {200: models.DeliveryPage},
        query=sent_query, resource="webhook", repeatable=True,
    )


def list_keys(*, limit: Optional[int] = None, cursor: Optional[str] = None) -> Call[models.ApiKeyPage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call("GET", "/api/keys", {200: models.ApiKeyPage}, query=sent_query, repeatable=True)


def list_run_approvals(
    tenant: str, run_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.ApprovalPage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/runs/{segment(run_id)}/approvals", {200: models.ApprovalPage},
        query=sent_query, resource="run", repeatable=True,
    )


def list_run_events(
    tenant: str, run_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    after_sequence: Optional[int] = None,
) -> Call[models.RunEvents]:
    sent_query = query_of({"limit": limit, "cursor": cursor, "afterSequence": after_sequence})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/runs/{segment(run_id)}/events", {200: models.RunEvents},
        query=sent_query, resource="run", repeatable=True,
    )


def list_runs(
    tenant: str, *, status: Optional[models.RunStatus] = None, state: Optional[models.RunStatus] = None,
    from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
    schedule: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.RunPage]:
    sent_query = query_of({
        "status": status, "state": state, "from": from_, "to": to, "schedule": schedule, "limit": limit,
        "cursor": cursor,
    })
    return Call("GET", f"/api/tenants/{segment(tenant)}/runs", {200: models.RunPage}, query=sent_query, repeatable=True)


def list_schedule_runs(
    tenant: str, schedule_id: str, *, status: Optional[models.RunStatus] = None,
    state: Optional[models.RunStatus] = None, from_: Optional[Union[datetime, str]] = None,
    to: Optional[Union[datetime, str]] = None, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.RunPage]:
    sent_query = query_of({"status": status, "state": state, "from": from_, "to": to, "limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/runs", {200: models.RunPage},
        query=sent_query, resource="schedule", repeatable=True,
    )


def list_schedules(
    tenant: str, *, status: Optional[Literal["active", "paused", "completed", "deleted"]] = None,
    name_prefix: Optional[str] = None, label: Optional[str] = None,
    target: Optional[Literal["workflow", "task"]] = None, target_kind: Optional[str] = None,
    queue: Optional[str] = None, q: Optional[str] = None, next_from: Optional[Union[datetime, str]] = None,
    next_to: Optional[Union[datetime, str]] = None,
    sort: Optional[Literal["name", "-name", "-createdAt", "nextRunAt"]] = None, limit: Optional[int] = None,
    cursor: Optional[str] = None,
) -> Call[models.SchedulePage]:
    sent_query = query_of({
        "status": status, "namePrefix": name_prefix, "label": label, "target": target, "targetKind": target_kind,
        "queue": queue, "q": q, "nextFrom": next_from, "nextTo": next_to, "sort": sort, "limit": limit,
        "cursor": cursor,
    })
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules", {200: models.SchedulePage}, query=sent_query,
        repeatable=True,
    )


def list_team_run_events(
    tenant: str, team: str, run_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    after_sequence: Optional[int] = None,
) -> Call[models.RunEvents]:
    sent_query = query_of({"limit": limit, "cursor": cursor, "afterSequence": after_sequence})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/teams/{segment(team)}/runs/{segment(run_id)}/events",
        {200: models.RunEvents}, query=sent_query, resource="run", repeatable=True,
    )


def list_team_runs(
    tenant: str, team: str, *, from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
    limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.RunPage]:
    sent_query = query_of({"from": from_, "to": to, "limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/teams/{segment(team)}/runs", {200: models.RunPage}, query=sent_query,
        resource="team", repeatable=True,
    )


def list_tenants(*, limit: Optional[int] = None, cursor: Optional[str] = None) -> Call[models.TenantPage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call("GET", "/api/tenants", {200: models.TenantPage}, query=sent_query, repeatable=True)


def list_timezones(
    *, query: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.TimezonePage]:
    sent_query = query_of({"query": query, "limit": limit, "cursor": cursor})
    return Call("GET", "/api/timezones", {200: models.TimezonePage}, query=sent_query, repeatable=True)


def list_webhooks(
    tenant: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.WebhookPage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/webhooks", {200: models.WebhookPage}, query=sent_query, repeatable=True,
    )


def list_workflow_versions(
    tenant: str, workflow: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    before: Optional[int] = None,
) -> Call[models.WorkflowVersions]:
    sent_query = query_of({"limit": limit, "cursor": cursor, "before": before})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/workflows/{segment(workflow)}/versions",
        {200: models.WorkflowVersions}, query=sent_query, resource="workflow", repeatable=True,
    )


def list_workflows(
    tenant: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.WorkflowHeadPage]:
    sent_query = query_of({"limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/workflows", {200: models.WorkflowHeadPage}, query=sent_query,
        repeatable=True,
    )


def patch_schedule(
    tenant: str, schedule_id: str, patch: Json, *, if_match: Union[int, str, None] = None,
) -> Call[models.Schedule]:
    content, sent = json_body(patch)
    return Call(
        "PATCH", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}", {200: models.Schedule},
        headers={**sent, **if_match_header(if_match)}, content=content, resource="schedule",
        repeatable=if_match is None,
    )


def pause_backfill(tenant: str, backfill_id: str) -> Call[models.Backfill]:
    content, sent = body_of({})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/backfills/{segment(backfill_id)}/pause", {200: models.Backfill},
        headers={**sent}, content=content, resource="backfill",
    )


def pause_schedule(
    tenant: str, schedule_id: str, *, reason: Optional[str] = None, until: Optional[Union[datetime, str]] = None,
) -> Call[models.Schedule]:
    content, sent = body_of({"reason": reason, "until": until})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/pause", {200: models.Schedule},
        headers={**sent}, content=content, resource="schedule",
    )


def preview_draft(
    tenant: str, *, schedule: Union[models.ScheduleDraft, Json], limit: Optional[int] = None,
    cursor: Optional[str] = None, n: Optional[int] = None, from_: Optional[Union[datetime, str]] = None,
    to: Optional[Union[datetime, str]] = None,
) -> Call[models.Forecast]:
    content, sent = body_of({"schedule": schedule, "limit": limit, "cursor": cursor, "n": n, "from": from_, "to": to})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/schedules/preview", {200: models.Forecast}, headers={**sent},
        content=content, repeatable=True,
    )


def preview_schedule(
    tenant: str, schedule_id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None,
    n: Optional[int] = None, from_: Optional[Union[datetime, str]] = None, to: Optional[Union[datetime, str]] = None,
) -> Call[models.Forecast]:
    sent_query = query_of({"limit": limit, "cursor": cursor, "n": n, "from": from_, "to": to})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/preview", {200: models.Forecast},
        query=sent_query, resource="schedule", repeatable=True,
    )


def put_assignee(
    tenant: str, assignee: str, *, type: Literal["agent", "team"], id: Optional[str] = None,
    display_name: Optional[str] = None, policies: Optional[Union[models.AssigneePoliciesRequest, Json]] = None,
    if_match: Union[int, str, None] = None,
) -> Call[models.RegisteredAssignee]:
    content, sent = body_of({"type": type, "id": id, "displayName": display_name, "policies": policies})
    return Call(
        "PUT", f"/api/tenants/{segment(tenant)}/assignees/{segment(assignee)}",
        {200: models.RegisteredAssignee, 201: models.RegisteredAssignee},
        headers={**sent, **if_match_header(if_match)}, content=content, resource="assignee",
        repeatable=if_match is None,
    )


def redeliver(tenant: str, webhook_id: str, position: int) -> Call[models.Delivery]:
    content, sent = body_of({})
    return Call(
        "POST",
        f"/api/tenants/{segment(tenant)}/webhooks/{segment(webhook_id)}/deliveries/{segment(position)}/redeliver",
        {202: models.Delivery}, headers={**sent}, content=content, resource="position",
    )


def reject_run(
    tenant: str, run_id: str, *, node: Optional[str] = None, comment: Optional[str] = None,
    reason: Optional[str] = None,
) -> Call[models.Run]:
    content, sent = body_of({"node": node, "comment": comment, "reason": reason})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/runs/{segment(run_id)}/reject", {200: models.Run}, headers={**sent},
        content=content, resource="run",
    )


def remove_workflow(tenant: str, workflow: str, *, force: Optional[bool] = None) -> Call[None]:
    sent_query = query_of({"force": force})
    return Call(
        "DELETE", f"/api/tenants/{segment(tenant)}/workflows/{segment(workflow)}", {204: None}, query=sent_query,
        resource="workflow", repeatable=True,
    )


def replace_assignment(
    tenant: str, assignment_id: str, *, workflow: str, assignee: Union[models.Assignee, Json],
    approval_policy: Optional[Union[models.ApprovalPolicy, Json]] = None,
    retry_policy: Optional[Union[models.RetryPolicy, Json]] = None,
    failure_policy: Optional[Union[models.FailurePolicy, Json]] = None,
    queue_policy: Optional[Union[models.QueuePolicy, Json]] = None, if_match: Union[int, str, None] = None,
) -> Call[models.WorkflowAssignment]:
    content, sent = body_of({
        "workflow": workflow, "assignee": assignee, "approvalPolicy": approval_policy, "retryPolicy": retry_policy,
        "failurePolicy": failure_policy, "queuePolicy": queue_policy,
    })
    return Call(
        "PUT", f"/api/tenants/{segment(tenant)}/assignments/{segment(assignment_id)}",
        {200: models.WorkflowAssignment}, headers={**sent, **if_match_header(if_match)}, content=content,
        resource="assignment", repeatable=if_match is None,
    )


def replace_calendar(
    tenant: str, calendar: str, *, dates: Sequence[str], name: Optional[str] = None,
    kind: Optional[Literal["skip_dates", "only_dates"]] = None, timezone: Optional[str] = None,
    if_match: Union[int, str, None] = None,
) -> Call[models.Calendar]:
    content, sent = body_of({"dates": dates, "name": name, "kind": kind, "timezone": timezone})
    return Call(
        "PUT", f"/api/tenants/{segment(tenant)}/calendars/{segment(calendar)}", {200: models.Calendar},
        headers={**sent, **if_match_header(if_match)}, content=content, resource="calendar",
        repeatable=if_match is None,
    )


def replace_schedule(
    tenant: str, schedule_id: str, *, target: Union[models.TargetRequest, Json], name: Optional[str] = None,
    description: Optional[str] = None, notes: Optional[str] = None, labels: Optional[Mapping[str, str]] = None,
    memo: Optional[Mapping[str, Any]] = None, search_attributes: Optional[Mapping[str, Any]] = None,
    spec: Optional[Union[models.Spec, Json]] = None, schedule_type: Optional[Union[models.ScheduleType, Json]] = None,
    assignee: Optional[Union[models.Assignee, Json]] = None, overlap_policy: Optional[models.OverlapPolicy] = None,
    max_concurrency: Optional[int] = None,
    missed_run_policy: Optional[Literal["skip", "fire_once", "fire_all", "spread"]] = None,
    max_backfill: Optional[int] = None, missed_grace: Optional[str] = None, missed_while_paused: Optional[bool] = None,
    worker_lost_policy: Optional[Literal["redeliver", "fail"]] = None,
    retry_policy: Optional[Union[models.RetryPolicy, Json]] = None,
    failure_policy: Optional[Union[models.FailurePolicy, Json]] = None,
    approval_policy: Optional[Union[models.ApprovalPolicy, Json]] = None, max_runs: Optional[int] = None,
    calendars: Optional[Sequence[str]] = None, pre_dispatch_condition: Any = None, inputs_template: Any = None,
    inputs_rotation: Optional[Sequence[Any]] = None, signal: Optional[Union[models.Signal, Json]] = None,
    breaker: Optional[Union[models.Breaker, Json]] = None, workflow_assignment_id: Optional[str] = None,
    status: Optional[Literal["active", "paused", "completed", "deleted"]] = None, enabled: Optional[bool] = None,
    if_match: Union[int, str, None] = None,
) -> Call[models.Schedule]:
    content, sent = body_of({
        "target": target, "name": name, "description": description, "notes": notes, "labels": labels, "memo": memo,
        "searchAttributes": search_attributes, "spec": spec, "scheduleType": schedule_type, "assignee": assignee,
        "overlapPolicy": overlap_policy, "maxConcurrency": max_concurrency, "missedRunPolicy": missed_run_policy,
        "maxBackfill": max_backfill, "missedGrace": missed_grace, "missedWhilePaused": missed_while_paused,
        "workerLostPolicy": worker_lost_policy, "retryPolicy": retry_policy, "failurePolicy": failure_policy,
        "approvalPolicy": approval_policy, "maxRuns": max_runs, "calendars": calendars,
        "preDispatchCondition": pre_dispatch_condition, "inputsTemplate": inputs_template,
        "inputsRotation": inputs_rotation, "signal": signal, "breaker": breaker,
        "workflowAssignmentId": workflow_assignment_id, "status": status, "enabled": enabled,
    })
    return Call(
        "PUT", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}", {200: models.Schedule},
        headers={**sent, **if_match_header(if_match)}, content=content, resource="schedule",
        repeatable=if_match is None,
    )


def replace_tenant(
    tenant: str, *, name: Optional[str] = None, description: Optional[str] = None,
    dispatch_enabled: Optional[bool] = None, schedules_max: Optional[int] = None, runs_per_day: Optional[int] = None,
    stored_bytes_max: Optional[int] = None, if_match: Union[int, str, None] = None,
) -> Call[models.Tenant]:
    content, sent = body_of({
        "name": name, "description": description, "dispatchEnabled": dispatch_enabled, "schedulesMax": schedules_max,
        "runsPerDay": runs_per_day, "storedBytesMax": stored_bytes_max,
    })
    return Call(
        "PUT", f"/api/tenants/{segment(tenant)}", {200: models.Tenant}, headers={**sent, **if_match_header(if_match)},
        content=content, repeatable=if_match is None,
    )


def replace_webhook(
    tenant: str, webhook_id: str, *, url: str, description: Optional[str] = None,
    events: Optional[Sequence[str]] = None, enabled: Optional[bool] = None, if_match: Union[int, str, None] = None,
) -> Call[models.Webhook]:
    content, sent = body_of({"url": url, "description": description, "events": events, "enabled": enabled})
    return Call(
        "PUT", f"/api/tenants/{segment(tenant)}/webhooks/{segment(webhook_id)}", {200: models.Webhook},
        headers={**sent, **if_match_header(if_match)}, content=content, resource="webhook", repeatable=if_match is None,
    )


def replay_dead_letter(tenant: str, run_id: str, *, idempotency_key: Optional[str] = None) -> Call[models.Run]:
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/dead-letters/{segment(run_id)}/replay",
        {201: models.Run, 200: models.Run}, headers={**idempotency(idempotency_key)}, resource="run", repeatable=True,
    )


def report_event(
    tenant: str, event: str, *, payload: Any = None, id: Optional[str] = None, cursor: Optional[str] = None,
    idempotency_key: Optional[str] = None,
) -> Call[models.EventAnswer]:
    sent_query = query_of({"id": id, "cursor": cursor})
    content, sent = json_body({} if payload is None else payload)
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/events/{segment(event)}", {200: models.EventAnswer}, query=sent_query,
        headers={**sent, **idempotency(idempotency_key)}, content=content, resource="event", repeatable=True,
    )


def resume_backfill(tenant: str, backfill_id: str) -> Call[models.Backfill]:
    content, sent = body_of({})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/backfills/{segment(backfill_id)}/resume", {200: models.Backfill},
        headers={**sent}, content=content, resource="backfill",
    )


def resume_schedule(tenant: str, schedule_id: str, *, reason: Optional[str] = None) -> Call[models.Schedule]:
    content, sent = body_of({"reason": reason})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/resume", {200: models.Schedule},
        headers={**sent}, content=content, resource="schedule",
    )


def revoke_key(key_id: str) -> Call[models.ApiKey]:
    return Call("DELETE", f"/api/keys/{segment(key_id)}", {200: models.ApiKey}, resource="key", repeatable=True)


def rotate_webhook_secret(tenant: str, webhook_id: str) -> Call[models.WebhookWithSecret]:
    content, sent = body_of({})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/webhooks/{segment(webhook_id)}/rotate-secret",
        {200: models.WebhookWithSecret}, headers={**sent}, content=content, resource="webhook",
    )


def set_condition(
    tenant: str, schedule_id: str, *, condition: Any = None, if_match: Union[int, str, None] = None,
) -> Call[models.ConditionNow]:
    content, sent = body_of({"condition": condition})
    return Call(
        "PUT", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/condition",
        {200: models.ConditionNow}, headers={**sent, **if_match_header(if_match)}, content=content,
        resource="schedule", repeatable=if_match is None,
    )


def set_rotation(
    tenant: str, schedule_id: str, *, entries: Sequence[Any], if_match: Union[int, str, None] = None,
) -> Call[models.Rotation]:
    content, sent = body_of({"entries": entries})
    return Call(
        "PUT", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/rotation", {200: models.Rotation},
        headers={**sent, **if_match_header(if_match)}, content=content, resource="schedule",
        repeatable=if_match is None,
    )


def simulate_draft(
    tenant: str, *, schedule: Union[models.ScheduleDraft, Json], to: Union[datetime, str],
    from_: Optional[Union[datetime, str]] = None, runs: Optional[Sequence[Union[models.AssumedRun, Json]]] = None,
) -> Call[models.Simulation]:
    content, sent = body_of({"schedule": schedule, "to": to, "from": from_, "runs": runs})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/schedules/simulate", {200: models.Simulation}, headers={**sent},
        content=content, repeatable=True,
    )


def simulate_schedule(
    tenant: str, schedule_id: str, *, to: Union[datetime, str], from_: Optional[Union[datetime, str]] = None,
    runs: Optional[Sequence[Union[models.AssumedRun, Json]]] = None,
) -> Call[models.Simulation]:
    content, sent = body_of({"to": to, "from": from_, "runs": runs})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/simulate", {200: models.Simulation},
        headers={**sent}, content=content, resource="schedule", repeatable=True,
    )


def start_task(
    tenant: str, *, task_kind: str, input: Any = None, metadata: Optional[Mapping[str, str]] = None,
    queue: Optional[str] = None, connection: Optional[str] = None, priority: Optional[int] = None,
    max_retries: Optional[int] = None, labels: Optional[Mapping[str, str]] = None,
    retry_policy: Optional[Union[models.RetryPolicy, Json]] = None, idempotency_key: Optional[str] = None,
) -> Call[models.Run]:
    content, sent = body_of({
        "taskKind": task_kind, "input": input, "metadata": metadata, "queue": queue, "connection": connection,
        "priority": priority, "maxRetries": max_retries, "labels": labels, "retryPolicy": retry_policy,
    })
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/task-executions", {201: models.Run},
        headers={**sent, **idempotency(idempotency_key)}, content=content, repeatable=True,
    )


def start_tasks(tenant: str, *, items: Sequence[Union[models.TaskStartItem, Json]]) -> Call[models.StartedTasks]:
    content, sent = body_of({"items": items})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/task-executions/batch", {200: models.StartedTasks}, headers={**sent},
        content=content,
    )


def start_workflow(
    tenant: str, *, workflow_kind: str, version: Optional[int] = None, input: Any = None,
    metadata: Optional[Mapping[str, str]] = None, queue: Optional[str] = None, connection: Optional[str] = None,
    priority: Optional[int] = None, max_retries: Optional[int] = None, labels: Optional[Mapping[str, str]] = None,
    retry_policy: Optional[Union[models.RetryPolicy, Json]] = None, idempotency_key: Optional[str] = None,
) -> Call[models.Run]:
    content, sent = body_of({
        "workflowKind": workflow_kind, "version": version, "input": input, "metadata": metadata, "queue": queue,
        "connection": connection, "priority": priority, "maxRetries": max_retries, "labels": labels,
        "retryPolicy": retry_policy,
    })
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/workflow-executions", {201: models.Run},
        headers={**sent, **idempotency(idempotency_key)}, content=content, repeatable=True,
    )


def start_workflows(
    tenant: str, *, items: Sequence[Union[models.WorkflowStartItem, Json]],
) -> Call[models.StartedWorkflows]:
    content, sent = body_of({"items": items})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/workflow-executions/batch", {200: models.StartedWorkflows},
        headers={**sent}, content=content,
    )


def tell_status(
    tenant: str, run_id: str, *, status: Literal["STARTED", "SUCCESS", "FAILED"], node: Optional[str] = None,
    attempt: Optional[int] = None, result: Any = None, error: Optional[str] = None,
    category: Optional[Literal["timeout", "provider_error", "rate_limit", "contract_violated"]] = None,
    callback_token: Optional[str] = None,
) -> Call[models.Run]:
    content, sent = body_of({
        "status": status, "node": node, "attempt": attempt, "result": result, "error": error, "category": category,
    })
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/runs/{segment(run_id)}/callback", {200: models.Run},
        headers={**sent, **({"Belfry-Callback-Token": callback_token} if callback_token else {})}, content=content,
        resource="run",
    )


def terminate_run(tenant: str, run_id: str, *, reason: Optional[str] = None) -> Call[models.Run]:
    content, sent = body_of({"reason": reason})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/runs/{segment(run_id)}/terminate", {200: models.Run},
        headers={**sent}, content=content, resource="run",
    )


def test_webhook(tenant: str, webhook_id: str) -> Call[models.WebhookTest]:
    content, sent = body_of({})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/webhooks/{segment(webhook_id)}/test", {200: models.WebhookTest},
        headers={**sent}, content=content, resource="webhook", repeatable=True,
    )


def trigger_schedule(
    tenant: str, schedule_id: str, *, input: Any = None, overlap_policy: Optional[models.OverlapPolicy] = None,
    reason: Optional[str] = None, idempotency_key: Optional[str] = None,
) -> Call[models.Run]:
    content, sent = body_of({"input": input, "overlapPolicy": overlap_policy, "reason": reason})
    return Call(
        "POST", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/trigger", {200: models.Run},
        headers={**sent, **idempotency(idempotency_key)}, content=content, resource="schedule", repeatable=True,
    )


def verify_audit(
    tenant: str, *, schedule: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None,
) -> Call[models.AuditVerification]:
    sent_query = query_of({"schedule": schedule, "limit": limit, "cursor": cursor})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/audit/verify", {200: models.AuditVerification}, query=sent_query,
        repeatable=True,
    )


def why_schedule(tenant: str, schedule_id: str, *, at: Union[datetime, str]) -> Call[models.Why]:
    sent_query = query_of({"at": at})
    return Call(
        "GET", f"/api/tenants/{segment(tenant)}/schedules/{segment(schedule_id)}/why", {200: models.Why},
        query=sent_query, resource="schedule", repeatable=True,
    )
