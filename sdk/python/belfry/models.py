"""The values of the API. Written by tools/generate.py from docs/reference/openapi.json: do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Dict, List, Literal, Optional

from belfry._codec import Model

OverlapPolicy = Literal["skip", "buffer_one", "buffer_all", "allow_all", "cancel_other", "terminate_other"]
RunStatus = Literal[
    "awaiting_approval", "queued", "running", "succeeded", "failed", "cancelled", "terminated", "timed_out", "skipped",
    "buffered",
]

@dataclass
class ApiKey(Model):
    id: str
    """Unique identifier of the key. It is the first part of the secret."""
    name: str
    """Name of the key, unique among keys that are not revoked."""
    roles: Dict[str, List[Literal["viewer", "operator", "approver", "worker", "admin"]]]
    """Roles by tenant. `*` applies to all tenants and to requests outside of any tenant."""
    state: Literal["active", "expired", "revoked"]
    """State of the key. Only an `active` key authenticates requests."""
    created_by: Optional[str]
    """Principal that created the key."""
    created_at: datetime
    """Time at which the key was created."""
    expires_at: Optional[datetime]
    """Time at which the key expires."""
    revoked_at: Optional[datetime]
    """Time at which the key was revoked."""


@dataclass
class ApiKeyPage(Model):
    items: List[ApiKey]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class Approval(Model):
    run_id: str
    """Unique identifier of the run."""
    schedule_id: Optional[str]
    """Unique identifier of the schedule."""
    schedule_name: Optional[str]
    """Name of the schedule when the run was decided."""
    schedule_version: Optional[int]
    """Version of the definition that decided the run."""
    definition_changed: bool
    """Whether the schedule has changed since. An approval still starts what is shown here."""
    target: Optional[Dict[str, Any]]
    """Target that the approval starts. `version` is the workflow version that will run."""
    input: Any
    """Input of the run or node."""
    node: Optional[str]
    """Node that waits for approval. Null means the run as a whole."""
    action: Optional[str]
    """Action of the node, as the workflow defines it."""
    why: Literal["run", "every_node", "sensitive_action", "gate", "blocked"]
    """Why the approval is required."""
    status: Literal["pending", "approved", "rejected", "expired", "void"]
    """Status of the approval. `void` means that the run ended before a decision."""
    attempts: int
    """Number of earlier attempts of the node. Greater than 0 if the node was blocked."""
    requested_at: datetime
    """Time at which the approval was requested."""
    expires_at: datetime
    """Time after which the approval can no longer be decided."""
    decided_at: Optional[datetime]
    """Time at which the approval was decided or ended otherwise."""
    decided_by: Optional[str]
    """Principal that decided. Null if there was no decision."""
    comment: Optional[str]
    """Comment of the decision."""


@dataclass
class ApprovalPage(Model):
    items: List[Approval]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class ApprovalPolicy(Model):
    requires_approval: Optional[bool] = None
    """Whether runs wait for approval before they start."""
    mode: Optional[Literal["every_node", "sensitive_actions", "on_block"]] = None
    """Which nodes of a workflow wait for approval, even if the run was approved."""
    gates: Optional[List[str]] = None
    """Actions that always wait for approval, for example `publish`, `spend` or `delete`."""
    expires_after_ms: Optional[int] = None
    """Milliseconds after which a pending approval is rejected. Null means 24 hours."""


@dataclass
class ApprovalPolicyPatch(Model):
    requires_approval: Optional[bool] = None
    """Whether runs wait for approval before they start."""
    mode: Optional[Literal["every_node", "sensitive_actions", "on_block"]] = None
    """Which nodes of a workflow wait for approval, even if the run was approved."""
    gates: Optional[List[str]] = None
    """Actions that always wait for approval, for example `publish`, `spend` or `delete`."""
    expires_after_ms: Optional[int] = None
    """Milliseconds after which a pending approval is rejected. Null means 24 hours."""


@dataclass
class Assignee(Model):
    type: Literal["agent", "team"]
    """Whether the assignee is an `agent` or a `team`."""
    id: str
    """Identifier of the assignee."""


@dataclass
class AssigneePatch(Model):
    type: Optional[Literal["agent", "team"]] = None
    """Whether the assignee is an `agent` or a `team`."""
    id: Optional[str] = None
    """Identifier of the assignee."""


@dataclass
class AssigneePolicies(Model):
    spending_limit_credits: Optional[float]
    """Credits that one run may use. Null means no limit."""
    credits_per_day: Optional[float]
    """Credits that all runs of a UTC day may use. Null means no limit."""
    max_runs_per_day: Optional[int]
    """Number of runs that may be dispatched on a UTC day. Null means no limit."""
    max_tokens: Optional[int]
    """Model tokens that one run may use. Null means no limit."""
    max_tool_calls: Optional[int]
    """Tool calls that one run may make. Null means no limit."""
    allow_tools: Optional[List[str]]
    """Tools that runs may call. Null means all tools."""


@dataclass
class AssigneePoliciesRequest(Model):
    spending_limit_credits: Optional[float] = None
    """Credits that one run may use. Null means no limit."""
    credits_per_day: Optional[float] = None
    """Credits that all runs of a UTC day may use. Null means no limit."""
    max_runs_per_day: Optional[int] = None
    """Number of runs that may be dispatched on a UTC day. Null means no limit."""
    max_tokens: Optional[int] = None
    """Model tokens that one run may use. Null means no limit."""
    max_tool_calls: Optional[int] = None
    """Tool calls that one run may make. Null means no limit."""
    allow_tools: Optional[List[str]] = None
    """Tools that runs may call. Null means all tools."""


@dataclass
class AssumedRun(Model):
    duration_ms: Optional[int] = None
    """Assumed duration of the run, in milliseconds."""
    duration: Optional[str] = None
    """Assumed duration of the run, for example `PT5M` or `5m`. Takes precedence over `durationMs`."""
    outcome: Optional[Literal["succeeded", "failed", "timed_out", "cancelled", "terminated"]] = None
    """Assumed outcome of the run."""
    result: Any = None
    """Assumed result of the run, which the condition can read."""


@dataclass
class AuditBreak(Model):
    schedule_id: str
    """Schedule whose chain is broken."""
    sequence: int
    """Sequence number of the first event that is wrong or missing."""
    problem: str
    """What is wrong, as an English sentence."""
    expected_hash: Optional[str]
    """Hash that the chain requires. Null if the event is missing."""
    found_hash: Optional[str]
    """Hash in the store. Null if the event is missing."""


@dataclass
class AuditCheckpoint(Model):
    schedule_id: str
    """Schedule whose older events are archived."""
    sequence: int
    """Sequence number of the last archived event."""
    hash: str
    """Hash of that event."""


@dataclass
class AuditVerification(Model):
    _json_names: ClassVar[Optional[Dict[str, str]]] = {
        "break_": "break",
    }

    verified: bool
    """Whether everything that this response covers is intact."""
    events: int
    """Number of events verified in this response."""
    schedules: int
    """Number of schedules whose chains were verified to their end in this response."""
    break_: Optional[AuditBreak]
    """First break. The verification ends there. Null if there is none."""
    checkpoints: List[AuditCheckpoint]
    """Where the chains in this response begin, if not with their first event."""
    next_cursor: Optional[str]
    """Cursor to continue the verification. Null if it is complete."""


@dataclass
class Backfill(Model):
    _json_names: ClassVar[Optional[Dict[str, str]]] = {
        "from_": "from",
    }

    id: str
    """Unique identifier of the backfill."""
    schedule_id: str
    """Unique identifier of the schedule."""
    from_: datetime
    """First occurrence of the range, inclusive."""
    to: datetime
    """Last occurrence of the range, inclusive."""
    overlap_policy: Optional[OverlapPolicy]
    """Overlap policy used instead of `concurrency`."""
    concurrency: Optional[int]
    """Maximum number of its runs in flight at once. Null if an overlap policy decides."""
    rerun: Literal["missing", "failed", "all"]
    """Which occurrences the backfill runs."""
    status: Literal["running", "paused", "completed", "cancelled", "failed"]
    """Status of the backfill."""
    next_from: Optional[datetime]
    """Occurrence from which the backfill continues."""
    dispatched: int
    """Number of runs dispatched so far."""
    skipped: int
    """Number of occurrences skipped so far."""
    error: Optional[str]
    """Error message of a failed backfill."""
    created_by: Optional[str]
    """Principal that started the backfill."""
    created_at: datetime
    """Time at which the backfill was created."""
    updated_at: datetime
    """Time at which the backfill last made progress."""
    version: int
    """Version of the backfill. It increases with every step."""


@dataclass
class BackfillDryRun(Model):
    dry_run: bool
    """Always true."""
    items: List[PlannedRun]
    """Runs that the backfill would start."""
    left_alone: List[LeftAlone]
    """Occurrences in the range that the backfill would not run."""
    more: bool
    """Whether the backfill has more occurrences than the response lists."""


@dataclass
class BackfillPage(Model):
    items: List[Backfill]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class Breaker(Model):
    max_consecutive_failures: int
    """Number of consecutive failures that opens the breaker."""
    retry_after: Optional[str] = None
    """Duration after which an open breaker allows one run. Success closes the breaker, failure opens it again. Null
    keeps it open until the schedule is resumed."""


@dataclass
class BreakerPatch(Model):
    max_consecutive_failures: Optional[int] = None
    """Number of consecutive failures that opens the breaker."""
    retry_after: Optional[str] = None
    """Duration after which an open breaker allows one run. Success closes the breaker, failure opens it again. Null
    keeps it open until the schedule is resumed."""


@dataclass
class BudgetOfToday(Model):
    runs: int
    """Number of runs dispatched today (UTC)."""
    spent: float
    """Credits used by those runs that have ended."""
    reserved: float
    """Credits reserved for runs in flight."""
    runs_left: Optional[int]
    """Number of runs left today. Null means no limit."""
    credits_left: Optional[float]
    """Credits left today. Null means no limit."""


@dataclass
class Calendar(Model):
    name: str
    """Name of the calendar, unique in its tenant, 1 to 255 characters. It never changes."""
    kind: Literal["skip_dates", "only_dates"]
    """Whether schedules skip the dates, or fire only on them. Defaults to `skip_dates`."""
    timezone: str
    """IANA time zone in which the dates apply. Defaults to UTC."""
    date_count: int
    """Number of dates."""
    built_in: bool
    """Whether the calendar is built in. A built-in calendar cannot be changed; clone it instead."""
    expires_on: Optional[str]
    """Last date of the calendar. Null if it has none."""
    warning: Optional[str]
    """Set if the calendar has no dates, or none after the next 60 days."""
    version: int
    """Version of the calendar. Also sent as the ETag."""
    dates: List[str]
    """Dates in the format `YYYY-MM-DD`."""


@dataclass
class CalendarImport(Model):
    calendar: Calendar
    """The calendar after the import."""
    events_read: int
    """Number of events read."""
    dates_read: int
    """Number of dates in the file."""
    dates_added: int
    """Number of those dates that were new to the calendar."""
    ignored_count: int
    """Number of events ignored, plus one for each unknown time zone."""
    ignored: List[IgnoredEvent]
    """The first ignored events and unknown time zones, with reasons."""


@dataclass
class CalendarSummary(Model):
    name: str
    """Name of the calendar, unique in its tenant, 1 to 255 characters. It never changes."""
    kind: Literal["skip_dates", "only_dates"]
    """Whether schedules skip the dates, or fire only on them. Defaults to `skip_dates`."""
    timezone: str
    """IANA time zone in which the dates apply. Defaults to UTC."""
    date_count: int
    """Number of dates."""
    built_in: bool
    """Whether the calendar is built in. A built-in calendar cannot be changed; clone it instead."""
    expires_on: Optional[str]
    """Last date of the calendar. Null if it has none."""
    warning: Optional[str]
    """Set if the calendar has no dates, or none after the next 60 days."""
    version: int
    """Version of the calendar. Also sent as the ETag."""


@dataclass
class CalendarSummaryPage(Model):
    items: List[CalendarSummary]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class ChangedSchedules(Model):
    items: List[ChangedSchedulesItem]
    """Results of the items, in the order of the request."""
    next_cursor: Optional[str]
    """Cursor for the schedules that are left. Null if there are none."""


@dataclass
class ChangedSchedulesItem(Model):
    status: int
    """Status code of the item."""
    replayed: bool
    """Whether an earlier request with the same key did it."""
    schedule: Optional[Schedule] = None
    """The schedule after the operation."""
    problem: Optional[Problem] = None
    """Why the item was rejected."""


@dataclass
class ClaimRequest(Model):
    worker: str
    """Name of the worker. Shown with the run."""
    queue: Optional[str] = None
    """Queue to claim from. Defaults to `default`."""
    assignee: Optional[str] = None
    """Claim tasks of this agent or team. If omitted, claims tasks without an assignee."""
    limit: Optional[int] = None
    """Maximum number of tasks to claim. Defaults to 1."""
    lease_ms: Optional[int] = None
    """Length of the lease from now, in milliseconds. Defaults to 30,000."""
    wait_ms: Optional[int] = None
    """How long to wait for a task if there is none, in milliseconds. Defaults to 0."""


@dataclass
class ClaimedTasks(Model):
    items: List[Task]
    """Items of the response, in the order of the request."""


@dataclass
class ClauseVerdict(Model):
    path: str
    """JSON pointer that the clause reads."""
    clause: Any
    """Operator and the value to compare with."""
    holds: bool
    """Whether the clause holds."""
    present: bool
    """Whether the pointer resolves to a value."""
    found: Any
    """Value that the pointer resolves to."""
    detail: Optional[str]
    """Why the clause does not hold."""


@dataclass
class ConditionNow(Model):
    condition: Any
    """The condition. Null if the schedule has none."""
    holds: bool
    """Whether all clauses hold."""
    clauses: List[ClauseVerdict]
    """Result of each clause."""
    context: Dict[str, Any]
    """Context against which the clauses were evaluated."""
    version: int
    """Version of the schedule. Also sent as the ETag."""


@dataclass
class ConditionVerdict(Model):
    holds: bool
    """Whether all clauses hold."""
    clauses: List[ClauseVerdict]
    """Result of each clause."""
    context: Dict[str, Any]
    """Context against which the clauses were evaluated."""


@dataclass
class Connection(Model):
    name: str
    """Name of the connection, as nodes, schedules and workflows refer to it."""
    kind: Optional[Literal["redis", "rabbitmq", "nats", "http", "durable", "temporal"]]
    """Kind of the connection."""
    place: Optional[str]
    """Address of the connection, without secrets."""
    callbacks: bool
    """Whether a task ends when its receiver reports the result."""
    state: Literal["ok", "unavailable", "not_configured"]
    """State of the connection on this server. `not_configured` means that tasks wait for a connection that the server
    does not have."""
    since: Optional[datetime]
    """Time since which the connection is unavailable."""
    last_error: Optional[str]
    """Last error of the connection, even if it has recovered."""
    waiting: int
    """Number of tasks of all tenants that wait for delivery."""
    in_flight: int
    """Number of tasks that are being delivered or that receivers are executing."""
    last_handed_over: Optional[datetime]
    """Time at which this server last delivered a task."""


@dataclass
class ConnectionHealth(Model):
    name: str
    """Name of the connection."""
    kind: str
    """Kind of the connection."""
    ok: bool
    """Whether the connection accepted the last task."""
    error: Optional[str]
    """Why it did not."""
    since: Optional[datetime]
    """Time since which it does not."""


@dataclass
class ConnectionPage(Model):
    items: List[Connection]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class Delivery(Model):
    position: int
    """Position of the event in the feed."""
    type: str
    """Type of the event."""
    happened_at: datetime
    """Time of the event."""
    schedule_id: Optional[str]
    """Unique identifier of the schedule that the event is about."""
    run_id: Optional[str]
    """Unique identifier of the run that the event is about."""
    data: Any
    """Content that the receiver gets as `data`."""
    status: Literal["pending", "delivered", "failed"]
    """Status of the delivery. A `failed` delivery is not retried."""
    attempts: int
    """Number of attempts."""
    next_try_at: Optional[datetime]
    """Time of the next attempt, while the delivery is pending."""
    last_try_at: Optional[datetime]
    """Time of the last attempt."""
    last_http_status: Optional[int]
    """Status code of the receiver's last response. Null if it did not respond."""
    last_error: Optional[str]
    """Error of the last attempt."""


@dataclass
class DeliveryPage(Model):
    items: List[Delivery]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class DeployedWorkflow(Model):
    name: Optional[str]
    """Name of the workflow. Must match the path."""
    description: Optional[str]
    """Description of the workflow."""
    nodes: List[WorkflowNode]
    """Nodes of the graph."""
    queue: Optional[str]
    """Queue of the tasks."""
    connection: Optional[str]
    """Connection to deliver the tasks to, or `builtin`. Defaults to the server's."""
    timeout_ms: Optional[int]
    """Maximum duration of a run, in milliseconds. Defaults to one week."""
    approval_policy: Optional[ApprovalPolicy]
    """Approvals that every run needs. Schedules and assignments can require more, but not less. Deploying a version
    that requires less takes the permission `approve`."""
    triggers: Optional[List[Dict[str, Any]]]
    """Schedules that the deployment creates or updates. `type` is `schedule_based`, `name` is optional, and the other
    members are those of a schedule. `enabled: false` pauses the schedule and `true` resumes it. Without it, an
    operator's pause stays."""
    version: int
    """Number of the version: 1, 2, 3… A version never changes."""
    created_by: Optional[str]
    """Principal that deployed the version."""
    created_at: datetime
    """Time at which the version was deployed."""
    schedules: List[str]
    """Names of the schedules that the triggers created or changed."""
    schedules_removed: List[str]
    """Names of the schedules removed because no trigger defines them any more."""


@dataclass
class DstMark(Model):
    kind: Literal["shifted", "first_pass", "last_pass", "both_first", "both_second"]
    """How the clock change affects the occurrence."""
    nominal: str
    """Local time that the expression matches."""


@dataclass
class DstRules(Model):
    gap: Optional[Literal["shift", "skip"]] = None
    """What happens at a local time that does not exist."""
    repeat: Optional[Literal["auto", "first", "last", "both"]] = None
    """What happens at a local time that occurs twice."""


@dataclass
class DstRulesPatch(Model):
    gap: Optional[Literal["shift", "skip"]] = None
    """What happens at a local time that does not exist."""
    repeat: Optional[Literal["auto", "first", "last", "both"]] = None
    """What happens at a local time that occurs twice."""


@dataclass
class EventAnswer(Model):
    id: str
    """Identifier of the event, from the report or generated by the server."""
    name: str
    """Name of the event."""
    items: List[EventOutcome]
    """Outcome for each schedule, oldest schedule first."""
    next_cursor: Optional[str]
    """Set if more schedules wait for the event. Report it again with this `cursor`."""


@dataclass
class EventOutcome(Model):
    schedule_id: str
    """Unique identifier of a schedule that waits for the event."""
    outcome: Literal["started", "buffered", "skipped", "filtered", "failed"]
    """What happened to the schedule. `filtered` means that no filter matched the payload, and Belfry recorded nothing.
    After `failed`, report the event again."""
    reason: Optional[Literal[
        "dispatch_disabled", "status_not_triggerable", "outside_window", "remaining_actions_exhausted",
        "schedule_slot_exists", "missed_run", "budget_exceeded", "validation_failed", "cycle_detected",
        "overlap_in_flight", "max_concurrency_reached", "calendar", "condition_failed", "breaker_open", "buffer_full",
    ]]
    """Skip reason, if the run was skipped."""
    detail: Optional[str]
    """Explanation of the outcome."""
    run_id: Optional[str]
    """Unique identifier of the run, dispatched or not."""
    repeated: bool
    """Whether an earlier report of the same event created the run."""


@dataclass
class EventSubscription(Model):
    name: str
    """Name of the event, as clients report it."""
    filter: Any = None
    """Condition on the payload of the event, in the language of `preDispatchCondition`. Null matches every event."""


@dataclass
class ExchangedTasks(Model):
    outcomes: List[TaskOutcome]
    """Outcomes of the completions, in the order of the request."""
    tasks: List[Task]
    """Claimed tasks."""
    problem: Optional[Problem] = None
    """Why no tasks could be claimed. The outcomes are valid; claim again without the completions."""


@dataclass
class FailurePolicy(Model):
    mode: Optional[Literal["isolate", "halt", "fallback"]] = None
    """What a failed node means for the rest of its run."""
    fallback_assignee_id: Optional[str] = None
    """Assignee that takes over in the mode `fallback`."""


@dataclass
class FailurePolicyPatch(Model):
    mode: Optional[Literal["isolate", "halt", "fallback"]] = None
    """What a failed node means for the rest of its run."""
    fallback_assignee_id: Optional[str] = None
    """Assignee that takes over in the mode `fallback`."""


@dataclass
class Forecast(Model):
    items: List[PreviewRow]
    """One row for each upcoming occurrence."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null after the last row, and after 10,000 rows in all. A page ends early if the inputs
    of its rows reach 4 MiB."""
    server_time: datetime
    """Time at which the server computed the forecast."""
    tzdata: Optional[str]
    """Version of the time zone data used, for example `2026f`."""
    timezone: str
    """Time zone of the schedule, in which `local` is given."""
    description: str
    """English description of the schedule's times."""
    warnings: List[str]
    """Warnings about the forecast."""


@dataclass
class GuardStep(Model):
    guard: Literal[
        "dispatch", "status", "window", "remaining_runs", "slot", "missed_run", "budget", "target", "overlap",
        "calendar", "condition", "breaker", "buffer",
    ]
    """Name of the guard."""
    outcome: Literal["passed", "refused", "not_reached"]
    """What the guard decided."""
    text: str
    """What the guard requires. For a refusal, the reason as an English phrase."""


@dataclass
class Health(Model):
    status: Literal["ok", "degraded", "down"]
    """Overall status. `degraded` means that there is a problem, but the server still works."""
    store: Dict[str, Any]
    """State of the database."""
    ticker: Dict[str, Any]
    """State of the ticker, which fires schedules."""
    clock: Dict[str, Any]
    """State of the store's clock."""
    server: Optional[str] = None
    """Unique identifier of this server."""
    leading: Optional[bool] = None
    """Whether this server is the leader of the cluster."""
    term: Optional[int] = None
    """Term of the leader."""
    servers: Optional[int] = None
    """Number of servers that share the store."""
    schedules: Optional[int] = None
    """Number of schedules that the timer has loaded."""
    schedules_complete: Optional[bool] = None
    """Whether the timer has loaded all schedules."""
    workers: Optional[List[TroubledWorker]] = None
    """Background jobs with problems."""
    quarantined: Optional[List[QuarantinedSchedule]] = None
    """Schedules, runs and backfills that the server cannot process."""
    connections: Optional[List[ConnectionHealth]] = None
    """Connections to which this server delivers tasks."""
    version: Optional[str] = None
    """Version of the server."""


@dataclass
class HeldLease(Model):
    run_id: str
    """Unique identifier of the run."""
    attempt: int
    """Number of the attempt, as returned by the claim."""
    node: Optional[str] = None
    """Node, as returned by the claim. Null or omitted if the run has only one task."""
    usage: Optional[UsageReport] = None
    """Total usage of the attempt since it began. A report lower than an earlier one does not reduce the usage."""


@dataclass
class IgnoredEvent(Model):
    event: str
    """Summary or UID of the event."""
    reason: str
    """Why the event yields no dates."""


@dataclass
class Interval(Model):
    every: str
    """Length of the interval, for example `PT6H` or `6h`."""
    offset: Optional[str] = None
    """Duration that shifts the interval from the Unix epoch."""


@dataclass
class Jitter(Model):
    before: Optional[str] = None
    """Maximum shift before the occurrence, for example `PT90S` or `90s`."""
    after: Optional[str] = None
    """Maximum shift after the occurrence."""


@dataclass
class JitterPatch(Model):
    before: Optional[str] = None
    """Maximum shift before the occurrence, for example `PT90S` or `90s`."""
    after: Optional[str] = None
    """Maximum shift after the occurrence."""


@dataclass
class Lease(Model):
    run_id: str
    """Unique identifier of the run."""
    attempt: int
    """Number of the attempt, as returned by the claim."""
    node: Optional[str] = None
    """Node, as returned by the claim. Null or omitted if the run has only one task."""


@dataclass
class Leases(Model):
    items: List[Lease]
    """Leases that the worker still holds."""
    lost: List[LostLease]
    """Leases that the worker has lost. Stop working on their tasks."""


@dataclass
class LeftAlone(Model):
    scheduled_at: datetime
    """Time of the occurrence."""
    reason: Literal["has_run", "has_not_failed", "not_over", "not_due", "rerun_too_often"]
    """Why the backfill skips the occurrence: it already has a run (`has_run`), its newest run did not fail
    (`has_not_failed`), its newest run has not ended (`not_over`), the schedule has yet to decide it (`not_due`), or it
    was rerun 999 times (`rerun_too_often`)."""


@dataclass
class ListedAssignee(Model):
    id: str
    """Identifier of the assignee, as schedules and nodes refer to it."""
    type: Literal["agent", "team"]
    """Whether the assignee is an `agent` or a `team`."""
    display_name: str
    """Display name of the assignee."""
    policies: AssigneePolicies
    """Limits and budgets of the assignee."""
    created_at: datetime
    """Time at which the assignee was registered."""
    version: int
    """Version of the assignee. Also sent as the ETag."""


@dataclass
class ListedAssigneePage(Model):
    items: List[ListedAssignee]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class Load(Model):
    _json_names: ClassVar[Optional[Dict[str, str]]] = {
        "from_": "from",
    }

    from_: datetime
    """Start of the window."""
    to: datetime
    """End of the window, exclusive."""
    bucket: str
    """Length of a bucket."""
    buckets: List[LoadBucket]
    """All buckets of the window, in chronological order."""
    busiest: Optional[LoadBucket]
    """First bucket with the highest number of runs. Null if the window has no planned runs."""
    fires: int
    """Number of planned runs in all buckets."""
    schedules: int
    """Number of active schedules counted."""
    complete: bool
    """False if the request reached the limit of schedules or runs, so the counts are too low."""


@dataclass
class LoadBucket(Model):
    at: datetime
    """Start of the bucket."""
    fires: int
    """Number of runs planned in the bucket."""


@dataclass
class LostLease(Model):
    run_id: str
    """Unique identifier of the run."""
    attempt: int
    """Number of the attempt, as returned by the claim."""
    run_status: Optional[RunStatus]
    """State of the run. `queued` or `running` means that another worker has the task."""
    reason: Optional[str]
    """Why the run ended."""
    node: Optional[str] = None
    """Node, as returned by the claim. Null or omitted if the run has only one task."""
    limit: Optional[TrippedLimit] = None
    """Limit that the reported usage exceeds. The attempt has failed and is not retried."""


@dataclass
class NewApiKey(Model):
    id: str
    """Unique identifier of the key. It is the first part of the secret."""
    name: str
    """Name of the key, unique among keys that are not revoked."""
    roles: Dict[str, List[Literal["viewer", "operator", "approver", "worker", "admin"]]]
    """Roles by tenant. `*` applies to all tenants and to requests outside of any tenant."""
    state: Literal["active", "expired", "revoked"]
    """State of the key. Only an `active` key authenticates requests."""
    created_by: Optional[str]
    """Principal that created the key."""
    created_at: datetime
    """Time at which the key was created."""
    expires_at: Optional[datetime]
    """Time at which the key expires."""
    revoked_at: Optional[datetime]
    """Time at which the key was revoked."""
    secret: str
    """Secret of the key. Store it now: it is shown only once."""


@dataclass
class PlannedRun(Model):
    scheduled_at: datetime
    """Time of the occurrence."""
    decision: Literal["pending", "dispatched", "skipped", "buffered", "failed"]
    """Decision that the guards would make."""
    reason: Optional[Literal[
        "dispatch_disabled", "status_not_triggerable", "outside_window", "remaining_actions_exhausted",
        "schedule_slot_exists", "missed_run", "budget_exceeded", "validation_failed", "cycle_detected",
        "overlap_in_flight", "max_concurrency_reached", "calendar", "condition_failed", "breaker_open", "buffer_full",
    ]]
    """Skip reason, if the occurrence would be skipped."""
    detail: Optional[str]
    """Explanation of the decision."""
    input: Any
    """Input of the run."""


@dataclass
class PreviewRow(Model):
    occurrence: datetime
    """Time of the occurrence."""
    local: str
    """Time of the occurrence in the schedule's time zone."""
    decision: Literal["pending", "dispatched", "skipped", "buffered", "failed"]
    """Decision that the guards would make."""
    reason: Optional[Literal[
        "dispatch_disabled", "status_not_triggerable", "outside_window", "remaining_actions_exhausted",
        "schedule_slot_exists", "missed_run", "budget_exceeded", "validation_failed", "cycle_detected",
        "overlap_in_flight", "max_concurrency_reached", "calendar", "condition_failed", "breaker_open", "buffer_full",
    ]]
    """Skip reason, if the occurrence would be skipped."""
    detail: Optional[str]
    """Explanation of the decision."""
    inputs: Any
    """Input of the run."""
    dst: Optional[DstMark]
    """Effect of a clock change on the occurrence."""


@dataclass
class Problem(Model):
    type: str
    """Always `about:blank`. See `code` for the type of the error."""
    title: str
    """Name of the HTTP status."""
    status: int
    """HTTP status code."""
    code: str
    """Machine-readable error code. Codes never change."""
    detail: str
    """What went wrong, and how to fix it."""
    errors: List[ProblemPlace]
    """Locations of all errors."""


@dataclass
class ProblemPlace(Model):
    detail: str
    """What is wrong there."""
    pointer: Optional[str] = None
    """JSON pointer to a member of the request body."""
    parameter: Optional[str] = None
    """Name of a query parameter."""
    header: Optional[str] = None
    """Name of a header."""


@dataclass
class QuarantinedSchedule(Model):
    error: str
    """Description of the problem."""
    since: datetime
    """Time since which the problem exists."""
    tries: int
    """Number of attempts."""
    schedule_id: Optional[str]
    """Unique identifier of the schedule. Null if it is not known."""
    subject: Optional[str]
    """Run or backfill that cannot be processed. Null if it is the schedule itself."""
    worker: str
    """Background job that processes it."""
    next_try: datetime
    """Time of the next attempt."""


@dataclass
class QueuePolicy(Model):
    mode: Optional[OverlapPolicy] = None
    """What happens when an occurrence is due while earlier runs are in flight."""
    max_concurrency: Optional[int] = None
    """Maximum number of runs in flight at once."""
    priority: Optional[int] = None
    """Priority of the tasks. Workers claim tasks with a higher priority first."""


@dataclass
class Readiness(Model):
    ready: bool
    """Whether all checks passed."""
    checks: List[ReadinessCheck]
    """All checks."""


@dataclass
class ReadinessCheck(Model):
    name: str
    """Name of the check."""
    ok: bool
    """Whether the check passed."""
    detail: Optional[str]
    """Why the check failed."""


@dataclass
class RecentOutcome(Model):
    run_id: str
    """Unique identifier of the run."""
    scheduled_at: datetime
    """Time of the occurrence."""
    status: RunStatus
    """Current state of the run, or how it ended."""
    reason: Optional[Literal[
        "dispatch_disabled", "status_not_triggerable", "outside_window", "remaining_actions_exhausted",
        "schedule_slot_exists", "missed_run", "budget_exceeded", "validation_failed", "cycle_detected",
        "overlap_in_flight", "max_concurrency_reached", "calendar", "condition_failed", "breaker_open", "buffer_full",
    ]]
    """Skip reason, if the run was skipped."""
    lateness_ms: Optional[int]
    """Milliseconds between the fire time and the decision."""


@dataclass
class RegisteredAssignee(Model):
    id: str
    """Identifier of the assignee, as schedules and nodes refer to it."""
    type: Literal["agent", "team"]
    """Whether the assignee is an `agent` or a `team`."""
    display_name: str
    """Display name of the assignee."""
    policies: AssigneePolicies
    """Limits and budgets of the assignee."""
    created_at: datetime
    """Time at which the assignee was registered."""
    version: int
    """Version of the assignee. Also sent as the ETag."""
    today: BudgetOfToday
    """Budget used today."""


@dataclass
class RetryPolicy(Model):
    max_retries: Optional[int] = None
    """Maximum number of attempts after the first."""
    backoff_ms: Optional[int] = None
    """Delay before the first retry, in milliseconds. It doubles with each retry."""
    retry_on: Optional[List[Literal["timeout", "provider_error", "rate_limit", "contract_violated"]]] = None
    """Failure categories to retry after. An empty list retries after every failure."""
    timeout_ms: Optional[int] = None
    """Maximum duration of an attempt, in milliseconds."""


@dataclass
class RetryPolicyPatch(Model):
    max_retries: Optional[int] = None
    """Maximum number of attempts after the first."""
    backoff_ms: Optional[int] = None
    """Delay before the first retry, in milliseconds. It doubles with each retry."""
    retry_on: Optional[List[Literal["timeout", "provider_error", "rate_limit", "contract_violated"]]] = None
    """Failure categories to retry after. An empty list retries after every failure."""
    timeout_ms: Optional[int] = None
    """Maximum duration of an attempt, in milliseconds."""


@dataclass
class Rotation(Model):
    entries: List[Any]
    """Inputs that successive runs use in turn."""
    next_index: Optional[int]
    """Index of the entry that the next run uses."""
    last_index: Optional[int]
    """Index of the entry that the last run used."""
    taken: int
    """Number of runs that used an entry since the entries were set."""
    version: int
    """Version of the schedule. Also sent as the ETag."""


@dataclass
class RpcQueuePolicy(Model):
    mode: Optional[Literal["parallel", "serial", "buffer_one", "buffer_all", "cancel_other", "terminate_other"]] = None
    """Whether a run may overlap its predecessor. The other values are native overlap policies."""
    max_concurrency: Optional[int] = None
    """Maximum number of runs in flight at once."""
    priority: Optional[int] = None
    """Priority in the queue of the workers. The highest comes first."""
    on_missed: Optional[Literal["skip", "run_once", "backfill", "spread"]] = None
    """What happens to missed occurrences, including those during a pause."""
    max_backfill: Optional[int] = None
    """Maximum number of missed occurrences that `backfill` runs. The newest ones count."""


@dataclass
class Run(Model):
    id: str
    """Unique identifier of the run."""
    idempotency_key: str
    """Key that Belfry sends with every outgoing request or message for this run. Receivers use it to drop repeats."""
    instance_id: str
    """Readable name of the run: `schedule:{name}:{time}`."""
    schedule_id: str
    """Unique identifier of the schedule."""
    schedule_name: str
    """Name of the schedule when the run was decided."""
    schedule_version: int
    """Version of the definition that decided the run. The run keeps the target, policies and labels of that version."""
    labels: Dict[str, str]
    """Labels of the schedule when the run was decided."""
    memo: Any
    """Memo of the schedule when the run was decided."""
    search_attributes: Any
    """Search attributes of the schedule when the run was decided."""
    scheduled_at: datetime
    """Time of the occurrence."""
    fire_at: datetime
    """Fire time: the occurrence plus its jitter."""
    decided_at: datetime
    """Time at which the server decided the occurrence."""
    started_at: Optional[datetime]
    """Time at which a worker first claimed the run."""
    completed_at: Optional[datetime]
    """Time at which the run ended."""
    status: RunStatus
    """Current state of the run, or how it ended."""
    outcome: Literal["running", "completed", "failed", "skipped"]
    """Simplified `status`. It is `running` until the run ends."""
    dispatch_status: Literal["pending", "dispatched", "skipped", "buffered", "failed"]
    """Decision for the occurrence."""
    reason: Optional[Literal[
        "dispatch_disabled", "status_not_triggerable", "outside_window", "remaining_actions_exhausted",
        "schedule_slot_exists", "missed_run", "budget_exceeded", "validation_failed", "cycle_detected",
        "overlap_in_flight", "max_concurrency_reached", "calendar", "condition_failed", "breaker_open", "buffer_full",
    ]]
    """Skip reason, if the run was skipped."""
    detail: Optional[str]
    """Explanation of the decision."""
    cause: Literal["tick", "backfill", "trigger", "event", "start"]
    """What started the run."""
    trigger_number: Optional[int]
    """Position among the dispatched runs of the schedule."""
    target_type: Literal["workflow", "task"]
    """Type of the target."""
    target_id: Optional[str]
    """Unique identifier of the execution. Null if none was started."""
    input: Any
    """Input of the run."""
    rotation_index: Optional[int]
    """Index of the `inputsRotation` entry that the run used."""
    overlap_policy: OverlapPolicy
    """Overlap policy that decided the run."""
    result: Any
    """Result of the run."""
    error: Optional[str]
    """Error message of a failed run."""
    attempts: int
    """Number of attempts."""
    cost: Optional[Usage]
    """Usage that the workers of the run reported. Null if they reported none."""
    approval_status: Literal["pending", "approved", "rejected", "expired", "void", "not_required"]
    """Combined status of the run's approvals. It is `pending` while any of them is."""
    range: Optional[SkippedRange]
    """Set if the record covers several skipped occurrences, starting at `scheduledAt`."""


@dataclass
class RunEvent(Model):
    sequence: int
    """Position in the history of the run: 1, 2, 3…"""
    type: str
    """Type of the event, for example `ScheduleTriggered`, `run.started` or `node.failed`."""
    recorded_at: datetime
    """Time of the event."""
    node: Optional[str]
    """Node that the event is about. Null means the run as a whole."""
    payload: Dict[str, Any]
    """Details of the event."""


@dataclass
class RunEvents(Model):
    items: List[RunEvent]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""
    has_more: bool
    """Whether there is a next page."""


@dataclass
class RunPage(Model):
    items: List[Run]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class Schedule(Model):
    name: str
    """Name of the schedule, unique in its tenant, 1 to 255 characters."""
    description: str
    """Description of the schedule."""
    notes: str
    """Free-form notes for the people who operate the schedule."""
    labels: Dict[str, str]
    """Key-value pairs to filter by, for example `?label=team:billing`."""
    memo: Dict[str, Any]
    """Arbitrary data that Belfry stores and returns, but does not interpret."""
    search_attributes: Dict[str, Any]
    """Search attributes that Belfry stores and returns with the schedule."""
    spec: Spec
    """Times at which the schedule fires. Required unless `scheduleType` is set."""
    schedule_type: Optional[ScheduleType]
    """Short form of `spec`. Null in responses if the spec cannot be expressed in the short form."""
    target: Target
    """The task or workflow that the schedule starts."""
    assignee: Optional[Assignee]
    """Agent or team that does the work. If set, runs require approval and one retry is allowed, unless the schedule
    sets other values."""
    overlap_policy: OverlapPolicy
    """What happens when an occurrence is due while earlier runs are in flight."""
    max_concurrency: Optional[int]
    """Maximum number of runs in flight at once."""
    missed_run_policy: Literal["skip", "fire_once", "fire_all", "spread"]
    """What happens to missed occurrences."""
    max_backfill: int
    """Maximum number of missed occurrences that `fire_all` runs. The newest ones count."""
    missed_grace: str
    """How late an occurrence may be before it counts as missed: an ISO 8601 duration, or `auto` for half of the time to
    the next occurrence, at least a minute and at most an hour. Defaults to `auto`."""
    missed_while_paused: bool
    """Whether occurrences during a pause count as missed when the pause ends. Defaults to false."""
    worker_lost_policy: Literal["redeliver", "fail"]
    """What happens if the lease of a task ends without a report from its worker. `redeliver` queues the task again, at
    most 3 times in addition to its retries. `fail` ends the attempt as timed out."""
    retry_policy: RetryPolicy
    """What happens when an attempt fails."""
    failure_policy: FailurePolicy
    """What happens when a run fails."""
    approval_policy: ApprovalPolicy
    """Approvals that a run needs before it starts."""
    max_runs: Optional[int]
    """Number of runs after which the schedule deletes itself."""
    calendars: List[str]
    """Names of calendars. All of them must allow the date of an occurrence."""
    pre_dispatch_condition: Any
    """Condition on the last result and the last 24 hours. If it does not hold, the occurrence is skipped."""
    inputs_template: Any
    """Input of each run if there is no rotation. If null, `target.input` is used."""
    inputs_rotation: List[Any]
    """Inputs that successive runs use in turn."""
    signal: Optional[Signal]
    """Source of `signal_rpc_result` in the condition."""
    breaker: Optional[Breaker]
    """Skips occurrences after too many consecutive failures, until the schedule is resumed."""
    workflow_assignment_id: Optional[str]
    """Workflow assignment that the schedule belongs to. Omitted members take its values, and its approval requirements
    apply."""
    id: str
    """Unique identifier of the schedule. It never changes."""
    tenant: str
    """Tenant that the schedule belongs to."""
    status: Literal["active", "paused", "completed", "deleted"]
    """Status of the schedule. Only an `active` schedule fires."""
    enabled: bool
    """Whether the status is `active`."""
    unreadable: Optional[str]
    """Why the server cannot read the definition, or null. The schedule does not fire until its definition is replaced.
    If no part of the definition is readable, the other members have default values."""
    next_run_at: Optional[datetime]
    """Next fire time, including jitter. Null unless the schedule is active."""
    next_run_at_local: Optional[str]
    """Next fire time in the schedule's time zone."""
    next_occurrence: Optional[datetime]
    """Occurrence that fires next."""
    last_run_at: Optional[datetime]
    """Time at which the schedule last started a run."""
    last_run_id: Optional[str]
    """Unique identifier of the last run."""
    run_count: int
    """Number of runs that the schedule has started."""
    failures_count: int
    """Number of those runs that failed."""
    remaining_actions: Optional[int]
    """Number of runs left of `maxRuns`."""
    skipped_trigger_count: int
    """Number of occurrences and triggers that were skipped."""
    last_skip_reason: Optional[str]
    """Reason of the last skip."""
    last_skipped_at: Optional[datetime]
    """Time of the last skip."""
    last_dispatch_status: Optional[Literal["pending", "dispatched", "skipped", "buffered", "failed"]]
    """Outcome of the last occurrence."""
    last_error_at: Optional[datetime]
    """Time at which a run last failed."""
    last_error_message: Optional[str]
    """Error message of the last failed run."""
    last_completed_at: Optional[datetime]
    """Time at which a run last ended."""
    last_rotation_index: Optional[int]
    """Index of the rotation entry that the last run used."""
    breaker_state: Literal["none", "closed", "open"]
    """State of the breaker. `none` means that the schedule has no breaker. An `open` breaker skips runs."""
    breaker_opened_at: Optional[datetime]
    """Time at which the breaker last opened. Null if it is closed."""
    in_flight_count: int
    """Number of runs in flight."""
    buffered_count: int
    """Number of buffered runs that wait for an earlier run to end."""
    paused_at: Optional[datetime]
    """Time at which the schedule was paused."""
    paused_until: Optional[datetime]
    """Time at which the schedule resumes automatically."""
    pause_reason: Optional[str]
    """Reason for the pause."""
    deleted_at: Optional[datetime]
    """Time at which the schedule was deleted."""
    created_by: Optional[str]
    """Principal that created the schedule."""
    created_at: datetime
    """Time at which the schedule was created."""
    updated_at: datetime
    """Time at which the definition last changed."""
    version: int
    """Version of the definition. Also sent as the ETag."""
    last_result: Any = None
    """Result of the last run that ended. Not included in lists."""
    run_key_name: Optional[str] = None
    """Name of which the idempotency keys of its runs are made, instead of `id`. Only on schedules that a client of the
    cron service wrote."""


@dataclass
class ScheduleDraft(Model):
    name: Optional[str] = None
    """Name of the schedule, unique in its tenant, 1 to 255 characters."""
    description: Optional[str] = None
    """Description of the schedule."""
    notes: Optional[str] = None
    """Free-form notes for the people who operate the schedule."""
    labels: Optional[Dict[str, str]] = None
    """Key-value pairs to filter by, for example `?label=team:billing`."""
    memo: Optional[Dict[str, Any]] = None
    """Arbitrary data that Belfry stores and returns, but does not interpret."""
    search_attributes: Optional[Dict[str, Any]] = None
    """Search attributes that Belfry stores and returns with the schedule."""
    spec: Optional[Spec] = None
    """Times at which the schedule fires. Required unless `scheduleType` is set."""
    schedule_type: Optional[ScheduleType] = None
    """Short form of `spec`. Null in responses if the spec cannot be expressed in the short form."""
    target: Optional[TargetRequest] = None
    """The task or workflow that the schedule starts."""
    assignee: Optional[Assignee] = None
    """Agent or team that does the work. If set, runs require approval and one retry is allowed, unless the schedule
    sets other values."""
    overlap_policy: Optional[OverlapPolicy] = None
    """What happens when an occurrence is due while earlier runs are in flight."""
    max_concurrency: Optional[int] = None
    """Maximum number of runs in flight at once."""
    missed_run_policy: Optional[Literal["skip", "fire_once", "fire_all", "spread"]] = None
    """What happens to missed occurrences."""
    max_backfill: Optional[int] = None
    """Maximum number of missed occurrences that `fire_all` runs. The newest ones count."""
    missed_grace: Optional[str] = None
    """How late an occurrence may be before it counts as missed: an ISO 8601 duration, or `auto` for half of the time to
    the next occurrence, at least a minute and at most an hour. Defaults to `auto`."""
    missed_while_paused: Optional[bool] = None
    """Whether occurrences during a pause count as missed when the pause ends. Defaults to false."""
    worker_lost_policy: Optional[Literal["redeliver", "fail"]] = None
    """What happens if the lease of a task ends without a report from its worker. `redeliver` queues the task again, at
    most 3 times in addition to its retries. `fail` ends the attempt as timed out."""
    retry_policy: Optional[RetryPolicy] = None
    """What happens when an attempt fails."""
    failure_policy: Optional[FailurePolicy] = None
    """What happens when a run fails."""
    approval_policy: Optional[ApprovalPolicy] = None
    """Approvals that a run needs before it starts."""
    max_runs: Optional[int] = None
    """Number of runs after which the schedule deletes itself."""
    calendars: Optional[List[str]] = None
    """Names of calendars. All of them must allow the date of an occurrence."""
    pre_dispatch_condition: Any = None
    """Condition on the last result and the last 24 hours. If it does not hold, the occurrence is skipped."""
    inputs_template: Any = None
    """Input of each run if there is no rotation. If null, `target.input` is used."""
    inputs_rotation: Optional[List[Any]] = None
    """Inputs that successive runs use in turn."""
    signal: Optional[Signal] = None
    """Source of `signal_rpc_result` in the condition."""
    breaker: Optional[Breaker] = None
    """Skips occurrences after too many consecutive failures, until the schedule is resumed."""
    workflow_assignment_id: Optional[str] = None
    """Workflow assignment that the schedule belongs to. Omitted members take its values, and its approval requirements
    apply."""
    status: Optional[Literal["active", "paused", "completed", "deleted"]] = None
    """`paused` pauses the schedule and `active` resumes it. Unchanged if omitted."""
    enabled: Optional[bool] = None
    """Alias of `status`: false means `paused`."""


@dataclass
class ScheduleFilter(Model):
    status: Optional[Literal["active", "paused", "completed", "deleted"]] = None
    """Return only schedules with this status. By default, all but deleted ones."""
    name_prefix: Optional[str] = None
    """Return only schedules whose name begins with this text."""
    label: Optional[str] = None
    """Return only schedules with this label, for example `team:billing`."""
    target: Optional[Literal["workflow", "task"]] = None
    """Return only schedules whose target has this type."""
    target_kind: Optional[str] = None
    """Return only schedules whose target has exactly this `workflowKind` or `taskKind`."""
    queue: Optional[str] = None
    """Return only schedules whose target uses this queue."""
    q: Optional[str] = None
    """Return only schedules whose name contains this text. Case-insensitive."""
    next_from: Optional[datetime] = None
    """Return only schedules that fire next at or after this time."""
    next_to: Optional[datetime] = None
    """Return only schedules that fire next at or before this time."""


@dataclass
class ScheduleHealth(Model):
    schedule_id: str
    """Unique identifier of the schedule."""
    verdict: Literal["ok", "warning", "failing", "paused"]
    """Overall health of the schedule."""
    reasons: List[str]
    """Why the verdict is not `ok`. Empty if it is."""
    status: Literal["active", "paused", "completed", "deleted"]
    """Status of the schedule."""
    outcomes: List[RecentOutcome]
    """Outcomes of the most recent occurrences, newest first."""
    consecutive_failures: int
    """Number of consecutive failed runs up to now."""
    breaker: Literal["none", "closed", "open", "half_open"]
    """State of the breaker. An `open` breaker skips runs. In `half_open`, the result of the next run decides whether it
    closes."""
    lateness_median_ms: Optional[int]
    """Median lateness of recent scheduled runs, in milliseconds."""
    lateness_most_ms: Optional[int]
    """Greatest lateness of recent scheduled runs, in milliseconds."""
    overdue_ms: Optional[int]
    """Milliseconds since the schedule became due without a decision. Null if it is not overdue."""
    in_flight: int
    """Number of runs in flight."""
    buffered: int
    """Number of buffered runs that wait for an earlier run to end."""
    missed_last_day: int
    """Number of occurrences missed in the last 24 hours."""
    quarantined: bool
    """Whether this server has quarantined the schedule because it cannot process it."""
    server_time: datetime
    """Current time of the store's clock."""


@dataclass
class ScheduleHistoryEvent(Model):
    sequence: int
    """Position in the history of the schedule: 1, 2, 3… without gaps."""
    type: str
    """Type of the event, for example `ScheduleCreated` or `ScheduleTriggered`."""
    recorded_at: datetime
    """Time at which the server recorded the event."""
    payload: Dict[str, Any]
    """Details of the event: what happened, why, and which principal requested it."""
    hash: str
    """Hash that chains the event to all earlier ones."""


@dataclass
class ScheduleHistoryPage(Model):
    items: List[ScheduleHistoryEvent]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""
    kept_from: int
    """Sequence number of the first event that the store keeps: 1, or more if the operator archives old events
    (`keep_events_days`)."""


@dataclass
class ScheduleOperation(Model):
    operation: Literal["create", "update", "pause", "resume", "delete"]
    """What to do."""
    schedule: Optional[str] = None
    """Name or id of the schedule. Required for everything but `create`."""
    definition: Any = None
    """Of `create`: the schedule. Of `update`: a merge patch (RFC 7386), as for PATCH."""
    version: Optional[int] = None
    """Of `update`: the expected version. If the stored one differs, nothing changes."""
    until: Optional[datetime] = None
    """Of a pause: time at which the schedule resumes automatically."""
    idempotency_key: Optional[str] = None
    """Unique key for this item. If the client sends the item again with the same key, alone or in another request with
    many items, it takes effect once."""


@dataclass
class SchedulePage(Model):
    items: List[Schedule]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class SchedulePatch(Model):
    name: Optional[str] = None
    """Name of the schedule, unique in its tenant, 1 to 255 characters."""
    description: Optional[str] = None
    """Description of the schedule."""
    notes: Optional[str] = None
    """Free-form notes for the people who operate the schedule."""
    labels: Optional[Dict[str, str]] = None
    """Key-value pairs to filter by, for example `?label=team:billing`."""
    memo: Optional[Dict[str, Any]] = None
    """Arbitrary data that Belfry stores and returns, but does not interpret."""
    search_attributes: Optional[Dict[str, Any]] = None
    """Search attributes that Belfry stores and returns with the schedule."""
    spec: Optional[SpecPatch] = None
    """Times at which the schedule fires. Required unless `scheduleType` is set."""
    schedule_type: Optional[ScheduleTypePatch] = None
    """Short form of `spec`. Null in responses if the spec cannot be expressed in the short form."""
    target: Optional[TargetRequestPatch] = None
    """The task or workflow that the schedule starts."""
    assignee: Optional[AssigneePatch] = None
    """Agent or team that does the work. If set, runs require approval and one retry is allowed, unless the schedule
    sets other values."""
    overlap_policy: Optional[OverlapPolicy] = None
    """What happens when an occurrence is due while earlier runs are in flight."""
    max_concurrency: Optional[int] = None
    """Maximum number of runs in flight at once."""
    missed_run_policy: Optional[Literal["skip", "fire_once", "fire_all", "spread"]] = None
    """What happens to missed occurrences."""
    max_backfill: Optional[int] = None
    """Maximum number of missed occurrences that `fire_all` runs. The newest ones count."""
    missed_grace: Optional[str] = None
    """How late an occurrence may be before it counts as missed: an ISO 8601 duration, or `auto` for half of the time to
    the next occurrence, at least a minute and at most an hour. Defaults to `auto`."""
    missed_while_paused: Optional[bool] = None
    """Whether occurrences during a pause count as missed when the pause ends. Defaults to false."""
    worker_lost_policy: Optional[Literal["redeliver", "fail"]] = None
    """What happens if the lease of a task ends without a report from its worker. `redeliver` queues the task again, at
    most 3 times in addition to its retries. `fail` ends the attempt as timed out."""
    retry_policy: Optional[RetryPolicyPatch] = None
    """What happens when an attempt fails."""
    failure_policy: Optional[FailurePolicyPatch] = None
    """What happens when a run fails."""
    approval_policy: Optional[ApprovalPolicyPatch] = None
    """Approvals that a run needs before it starts."""
    max_runs: Optional[int] = None
    """Number of runs after which the schedule deletes itself."""
    calendars: Optional[List[str]] = None
    """Names of calendars. All of them must allow the date of an occurrence."""
    pre_dispatch_condition: Any = None
    """Condition on the last result and the last 24 hours. If it does not hold, the occurrence is skipped."""
    inputs_template: Any = None
    """Input of each run if there is no rotation. If null, `target.input` is used."""
    inputs_rotation: Optional[List[Any]] = None
    """Inputs that successive runs use in turn."""
    signal: Optional[SignalPatch] = None
    """Source of `signal_rpc_result` in the condition."""
    breaker: Optional[BreakerPatch] = None
    """Skips occurrences after too many consecutive failures, until the schedule is resumed."""
    workflow_assignment_id: Optional[str] = None
    """Workflow assignment that the schedule belongs to. Omitted members take its values, and its approval requirements
    apply."""
    status: Optional[Literal["active", "paused", "completed", "deleted"]] = None
    """`paused` pauses the schedule and `active` resumes it. Unchanged if omitted."""
    enabled: Optional[bool] = None
    """Alias of `status`: false means `paused`."""


@dataclass
class ScheduleType(Model):
    type: Literal["once", "recurring"]
    """Whether the schedule fires `once` or is `recurring`."""
    run_at: Optional[str] = None
    """Time of a `once` schedule, in RFC 3339 format."""
    cron: Optional[str] = None
    """Cron expression of a `recurring` schedule: 5 fields, 6 with seconds first, 7 with a year last, or a macro."""
    timezone: Optional[str] = None
    """IANA time zone. Defaults to UTC."""
    end_at: Optional[str] = None
    """Last time of a `recurring` schedule, inclusive."""
    description: Optional[str] = None
    """English description of the times. Set by the server."""


@dataclass
class ScheduleTypePatch(Model):
    type: Optional[Literal["once", "recurring"]] = None
    """Whether the schedule fires `once` or is `recurring`."""
    run_at: Optional[str] = None
    """Time of a `once` schedule, in RFC 3339 format."""
    cron: Optional[str] = None
    """Cron expression of a `recurring` schedule: 5 fields, 6 with seconds first, 7 with a year last, or a macro."""
    timezone: Optional[str] = None
    """IANA time zone. Defaults to UTC."""
    end_at: Optional[str] = None
    """Last time of a `recurring` schedule, inclusive."""
    description: Optional[str] = None
    """English description of the times. Set by the server."""


@dataclass
class ScheduleVersion(Model):
    name: str
    """Name of the schedule, unique in its tenant, 1 to 255 characters."""
    description: str
    """Description of the schedule."""
    notes: str
    """Free-form notes for the people who operate the schedule."""
    labels: Dict[str, str]
    """Key-value pairs to filter by, for example `?label=team:billing`."""
    memo: Dict[str, Any]
    """Arbitrary data that Belfry stores and returns, but does not interpret."""
    search_attributes: Dict[str, Any]
    """Search attributes that Belfry stores and returns with the schedule."""
    spec: Spec
    """Times at which the schedule fires. Required unless `scheduleType` is set."""
    schedule_type: Optional[ScheduleType]
    """Short form of `spec`. Null in responses if the spec cannot be expressed in the short form."""
    target: TargetRequest
    """The task or workflow that the schedule starts."""
    assignee: Optional[Assignee]
    """Agent or team that does the work. If set, runs require approval and one retry is allowed, unless the schedule
    sets other values."""
    overlap_policy: OverlapPolicy
    """What happens when an occurrence is due while earlier runs are in flight."""
    max_concurrency: Optional[int]
    """Maximum number of runs in flight at once."""
    missed_run_policy: Literal["skip", "fire_once", "fire_all", "spread"]
    """What happens to missed occurrences."""
    max_backfill: int
    """Maximum number of missed occurrences that `fire_all` runs. The newest ones count."""
    missed_grace: str
    """How late an occurrence may be before it counts as missed: an ISO 8601 duration, or `auto` for half of the time to
    the next occurrence, at least a minute and at most an hour. Defaults to `auto`."""
    missed_while_paused: bool
    """Whether occurrences during a pause count as missed when the pause ends. Defaults to false."""
    worker_lost_policy: Literal["redeliver", "fail"]
    """What happens if the lease of a task ends without a report from its worker. `redeliver` queues the task again, at
    most 3 times in addition to its retries. `fail` ends the attempt as timed out."""
    retry_policy: RetryPolicy
    """What happens when an attempt fails."""
    failure_policy: FailurePolicy
    """What happens when a run fails."""
    approval_policy: ApprovalPolicy
    """Approvals that a run needs before it starts."""
    max_runs: Optional[int]
    """Number of runs after which the schedule deletes itself."""
    calendars: List[str]
    """Names of calendars. All of them must allow the date of an occurrence."""
    pre_dispatch_condition: Any
    """Condition on the last result and the last 24 hours. If it does not hold, the occurrence is skipped."""
    inputs_template: Any
    """Input of each run if there is no rotation. If null, `target.input` is used."""
    inputs_rotation: List[Any]
    """Inputs that successive runs use in turn."""
    signal: Optional[Signal]
    """Source of `signal_rpc_result` in the condition."""
    breaker: Optional[Breaker]
    """Skips occurrences after too many consecutive failures, until the schedule is resumed."""
    workflow_assignment_id: Optional[str]
    """Workflow assignment that the schedule belongs to. Omitted members take its values, and its approval requirements
    apply."""
    id: str
    """Unique identifier of the schedule. It never changes."""
    tenant: str
    """Tenant that the schedule belongs to."""
    created_by: Optional[str]
    """Principal that created the schedule."""
    created_at: datetime
    """Time at which the schedule was created."""
    updated_at: datetime
    """Time at which the definition last changed."""
    version: int
    """Version of the definition. Also sent as the ETag."""
    run_key_name: Optional[str] = None
    """Name of which the idempotency keys of its runs are made, instead of `id`. Only on schedules that a client of the
    cron service wrote."""


@dataclass
class Signal(Model):
    url: str
    """URL that Belfry calls before it evaluates the condition."""
    timeout_ms: Optional[int] = None
    """Timeout in milliseconds. After it, the signal is null."""


@dataclass
class SignalPatch(Model):
    url: Optional[str] = None
    """URL that Belfry calls before it evaluates the condition."""
    timeout_ms: Optional[int] = None
    """Timeout in milliseconds. After it, the signal is null."""


@dataclass
class SimulatedRun(Model):
    decided_at: datetime
    """Time at which the server would decide the occurrence."""
    scheduled_at: datetime
    """Time of the occurrence."""
    fire_at: datetime
    """Fire time: the occurrence plus its jitter."""
    decision: Literal["pending", "dispatched", "skipped", "buffered", "failed"]
    """Final decision. A buffered run that was released is `dispatched`."""
    reason: Optional[Literal[
        "dispatch_disabled", "status_not_triggerable", "outside_window", "remaining_actions_exhausted",
        "schedule_slot_exists", "missed_run", "budget_exceeded", "validation_failed", "cycle_detected",
        "overlap_in_flight", "max_concurrency_reached", "calendar", "condition_failed", "breaker_open", "buffer_full",
    ]]
    """Skip reason, if the occurrence would be skipped."""
    detail: Optional[str]
    """Explanation of the decision."""
    input: Any
    """Input of the run."""
    rotation_index: Optional[int]
    """Index of the `inputsRotation` entry that the run would use."""
    range: Optional[SkippedRange]
    """Set if the record covers several skipped occurrences."""
    ended_at: Optional[datetime]
    """Time at which the run would end. Null if it ends after the simulation."""
    end: Optional[Literal["succeeded", "failed", "cancelled", "terminated", "timed_out"]]
    """How the run would end."""


@dataclass
class Simulation(Model):
    _json_names: ClassVar[Optional[Dict[str, str]]] = {
        "from_": "from",
    }

    items: List[SimulatedRun]
    """All simulated runs, in the order of their decisions."""
    complete: bool
    """False if there are more rows than the response lists. A simulation returns at most 10,000 rows with 4 MiB of
    inputs."""
    from_: datetime
    """Start of the simulated period."""
    to: datetime
    """End of the simulated period."""
    server_time: datetime
    """Current time of the store's clock."""


@dataclass
class SkippedRange(Model):
    last: datetime
    """Last occurrence that the record covers."""
    count: int
    """Number of occurrences that the record covers."""
    at_least: bool
    """Whether there may be more occurrences, because counting is bounded."""


@dataclass
class Spec(Model):
    cron: Optional[List[str]] = None
    """Cron expressions: 5 fields, 6 with seconds first, 7 with a year last, or a macro."""
    intervals: Optional[List[Interval]] = None
    """Fixed intervals in elapsed time, counted from 1970-01-01T00:00:00Z."""
    at: Optional[List[str]] = None
    """Single points in time, in RFC 3339 format."""
    timezone: Optional[str] = None
    """IANA time zone. Defaults to UTC."""
    start_at: Optional[str] = None
    """Start of the window, inclusive."""
    end_at: Optional[str] = None
    """End of the window, inclusive."""
    dst: Optional[DstRules] = None
    """Behavior at clock changes."""
    jitter: Optional[Jitter] = None
    """Shifts the fire time from the occurrence by a stable amount."""
    events: Optional[List[EventSubscription]] = None
    """Events that also start the schedule, subject to the guards of a trigger. Absent if there are none."""


@dataclass
class SpecPatch(Model):
    cron: Optional[List[str]] = None
    """Cron expressions: 5 fields, 6 with seconds first, 7 with a year last, or a macro."""
    intervals: Optional[List[Interval]] = None
    """Fixed intervals in elapsed time, counted from 1970-01-01T00:00:00Z."""
    at: Optional[List[str]] = None
    """Single points in time, in RFC 3339 format."""
    timezone: Optional[str] = None
    """IANA time zone. Defaults to UTC."""
    start_at: Optional[str] = None
    """Start of the window, inclusive."""
    end_at: Optional[str] = None
    """End of the window, inclusive."""
    dst: Optional[DstRulesPatch] = None
    """Behavior at clock changes."""
    jitter: Optional[JitterPatch] = None
    """Shifts the fire time from the occurrence by a stable amount."""
    events: Optional[List[EventSubscription]] = None
    """Events that also start the schedule, subject to the guards of a trigger. Absent if there are none."""


@dataclass
class StartedTasks(Model):
    items: List[StartedTasksItem]
    """Results of the items, in the order of the request."""


@dataclass
class StartedTasksItem(Model):
    status: int
    """Status code of the item."""
    replayed: bool
    """Whether an earlier request with the same key did it."""
    run: Optional[Run] = None
    """The run, as the single request returns it."""
    problem: Optional[Problem] = None
    """Why the item was rejected."""


@dataclass
class StartedWorkflows(Model):
    items: List[StartedWorkflowsItem]
    """Results of the items, in the order of the request."""


@dataclass
class StartedWorkflowsItem(Model):
    status: int
    """Status code of the item."""
    replayed: bool
    """Whether an earlier request with the same key did it."""
    run: Optional[Run] = None
    """The run, as the single request returns it."""
    problem: Optional[Problem] = None
    """Why the item was rejected."""


@dataclass
class Target(Model):
    type: Optional[Literal["workflow", "task"]] = None
    """Type of the target. Defaults to `task` if `taskKind` is set, otherwise to `workflow`."""
    workflow_kind: Optional[str] = None
    """Kind of the workflow to start."""
    task_kind: Optional[str] = None
    """Kind of the task to start. The server itself runs tasks of the kind `http` and `command`."""
    version: Optional[int] = None
    """Version of the workflow. Defaults to the newest."""
    input: Any = None
    """Input of every run. Defaults to `{}`."""
    metadata: Optional[Dict[str, str]] = None
    """Key-value pairs that Belfry passes to every run."""
    queue: Optional[str] = None
    """Queue that workers claim the tasks from. Defaults to `default`."""
    connection: Optional[str] = None
    """Connection to deliver the tasks to. By default, Belfry uses its own queue."""
    priority: Optional[int] = None
    """Priority of the tasks. Workers claim tasks with a higher priority first."""
    max_retries: Optional[int] = None
    """Alias of `retryPolicy.maxRetries` in requests. Responses do not include it."""


@dataclass
class TargetRequest(Model):
    type: Optional[Literal["workflow", "task", "http", "command"]] = None
    """Type of the target. Defaults to `task`, `http` or `command` if `taskKind`, `url` or `command` is set, otherwise
    to `workflow`. `http` and `command` are short forms of server tasks."""
    workflow_kind: Optional[str] = None
    """Kind of the workflow to start."""
    task_kind: Optional[str] = None
    """Kind of the task to start. The server itself runs tasks of the kind `http` and `command`."""
    version: Optional[int] = None
    """Version of the workflow. Defaults to the newest."""
    input: Any = None
    """Input of every run. Defaults to `{}`."""
    metadata: Optional[Dict[str, str]] = None
    """Key-value pairs that Belfry passes to every run."""
    queue: Optional[str] = None
    """Queue that workers claim the tasks from. Defaults to `default`."""
    connection: Optional[str] = None
    """Connection to deliver the tasks to. By default, Belfry uses its own queue."""
    priority: Optional[int] = None
    """Priority of the tasks. Workers claim tasks with a higher priority first."""
    max_retries: Optional[int] = None
    """Alias of `retryPolicy.maxRetries` in requests. Responses do not include it."""
    url: Optional[str] = None
    """URL that an `http` target calls."""
    method: Optional[str] = None
    """HTTP method of an `http` target. Defaults to `GET`."""
    headers: Optional[Dict[str, str]] = None
    """Request headers of an `http` target."""
    body: Any = None
    """Request body of an `http` target. A string is sent unchanged, any other value as JSON."""
    expected_status: Optional[List[Any]] = None
    """Status codes that count as success of an `http` target, for example `[200, "3xx"]`. Defaults to every 2xx."""
    signed: Optional[bool] = None
    """Whether the server signs the request of an `http` target."""
    timeout_ms: Optional[int] = None
    """Maximum duration of the request of an `http` target, in milliseconds."""
    command: Optional[str] = None
    """Registered command that a `command` target runs. `input` holds its other members."""


@dataclass
class TargetRequestPatch(Model):
    type: Optional[Literal["workflow", "task", "http", "command"]] = None
    """Type of the target. Defaults to `task`, `http` or `command` if `taskKind`, `url` or `command` is set, otherwise
    to `workflow`. `http` and `command` are short forms of server tasks."""
    workflow_kind: Optional[str] = None
    """Kind of the workflow to start."""
    task_kind: Optional[str] = None
    """Kind of the task to start. The server itself runs tasks of the kind `http` and `command`."""
    version: Optional[int] = None
    """Version of the workflow. Defaults to the newest."""
    input: Any = None
    """Input of every run. Defaults to `{}`."""
    metadata: Optional[Dict[str, str]] = None
    """Key-value pairs that Belfry passes to every run."""
    queue: Optional[str] = None
    """Queue that workers claim the tasks from. Defaults to `default`."""
    connection: Optional[str] = None
    """Connection to deliver the tasks to. By default, Belfry uses its own queue."""
    priority: Optional[int] = None
    """Priority of the tasks. Workers claim tasks with a higher priority first."""
    max_retries: Optional[int] = None
    """Alias of `retryPolicy.maxRetries` in requests. Responses do not include it."""
    url: Optional[str] = None
    """URL that an `http` target calls."""
    method: Optional[str] = None
    """HTTP method of an `http` target. Defaults to `GET`."""
    headers: Optional[Dict[str, str]] = None
    """Request headers of an `http` target."""
    body: Any = None
    """Request body of an `http` target. A string is sent unchanged, any other value as JSON."""
    expected_status: Optional[List[Any]] = None
    """Status codes that count as success of an `http` target, for example `[200, "3xx"]`. Defaults to every 2xx."""
    signed: Optional[bool] = None
    """Whether the server signs the request of an `http` target."""
    timeout_ms: Optional[int] = None
    """Maximum duration of the request of an `http` target, in milliseconds."""
    command: Optional[str] = None
    """Registered command that a `command` target runs. `input` holds its other members."""


@dataclass
class Task(Model):
    run_id: str
    """Unique identifier of the run."""
    attempt: int
    """Number of the attempt. Identifies the lease together with `runId`."""
    lease_until: datetime
    """End of the lease. Renew it before this time, or another worker may claim the task."""
    idempotency_key: str
    """Key that is the same for every attempt."""
    instance_id: str
    """Readable name of the run: `schedule:{name}:{time}`."""
    schedule_id: str
    """Unique identifier of the schedule."""
    schedule_name: str
    """Name of the schedule."""
    scheduled_at: datetime
    """Time of the occurrence."""
    cause: Literal["tick", "backfill", "trigger", "event", "start"]
    """What started the run."""
    node: Optional[str]
    """Node of the run's workflow. Null if the run has only this task. Send it back with heartbeats and completions."""
    task_kind: str
    """Kind of the task, which decides what the worker does."""
    action: Optional[str]
    """Action of the task, as the workflow defines it, for example `publish` or `spend`."""
    assignee: Optional[str]
    """Assignee of the task. Null if any worker of the queue may claim it."""
    workflow_version: Optional[int]
    """Version of the workflow that the run uses."""
    target: Target
    """Target of the schedule."""
    input: Any
    """Input of the task."""
    timeout_ms: Optional[int]
    """Maximum duration of the attempt, in milliseconds."""


@dataclass
class TaskCompletion(Model):
    run_id: str
    """Unique identifier of the run."""
    attempt: int
    """Number of the attempt, as returned by the claim."""
    status: Literal["succeeded", "failed", "timed_out", "cancelled", "terminated"]
    """How the attempt ended."""
    node: Optional[str] = None
    """Node, as returned by the claim. Null or omitted if the run has only one task."""
    category: Optional[Literal["timeout", "provider_error", "rate_limit", "contract_violated"]] = None
    """Category of the failure. The retry policy can depend on it."""
    result: Any = None
    """Result of the attempt, at most 1 MiB."""
    error: Optional[str] = None
    """Error message of the attempt. Belfry keeps the first 64 KiB."""
    retry_after_ms: Optional[int] = None
    """Minimum delay before the next attempt, in milliseconds."""
    usage: Optional[UsageReport] = None
    """Total usage of the attempt since it began. A report lower than an earlier one does not reduce the usage."""


@dataclass
class TaskOutcome(Model):
    run_id: str
    """Unique identifier of the run."""
    attempt: int
    """Number of the attempt."""
    node: Optional[str]
    """Node of the run's workflow."""
    ok: bool
    """Whether the completion was accepted. If false, nothing changed."""
    retry_at: Optional[datetime] = None
    """Time at which the next attempt can start. Null if there is none."""
    limit: Optional[TrippedLimit] = None
    """Limit that the reported usage exceeds. The attempt has failed and is not retried."""
    problem: Optional[Problem] = None
    """Why the completion was rejected."""


@dataclass
class TaskOutcomes(Model):
    items: List[TaskOutcome]
    """Items of the response, in the order of the request."""


@dataclass
class TaskStartItem(Model):
    task_kind: str
    """Kind of the task to start. The server itself runs tasks of the kind `http` and `command`."""
    input: Any = None
    """Input of every run. Defaults to `{}`."""
    metadata: Optional[Dict[str, str]] = None
    """Key-value pairs that Belfry passes to every run."""
    queue: Optional[str] = None
    """Queue that workers claim the tasks from. Defaults to `default`."""
    connection: Optional[str] = None
    """Connection to deliver the tasks to. By default, Belfry uses its own queue."""
    priority: Optional[int] = None
    """Priority of the tasks. Workers claim tasks with a higher priority first."""
    max_retries: Optional[int] = None
    """Alias of `retryPolicy.maxRetries` in requests. Responses do not include it."""
    labels: Optional[Dict[str, str]] = None
    """Key-value pairs to filter by, for example `?label=team:billing`."""
    retry_policy: Optional[RetryPolicy] = None
    """What happens when an attempt fails."""
    idempotency_key: Optional[str] = None
    """Unique key for this item. If the client sends the item again with the same key, alone or in another request with
    many items, it takes effect once."""


@dataclass
class Tenant(Model):
    name: str
    """Unique name of the tenant. It never changes."""
    description: str
    """Description of the tenant."""
    dispatch_enabled: bool
    """Whether the tenant's schedules dispatch runs. If false, every occurrence is skipped with the reason
    `dispatch_disabled`."""
    schedules_max: Optional[int]
    """Maximum number of schedules that are not deleted. Null means the server's `schedules_per_tenant`."""
    runs_per_day: Optional[int]
    """Maximum number of runs per UTC day, counted exactly. Null means the server's `runs_per_day_per_tenant`, which is
    counted periodically."""
    stored_bytes_max: Optional[int]
    """Maximum number of bytes of definitions, runs and events, as measured. Null means the server's
    `stored_bytes_per_tenant`."""
    created_at: datetime
    """Time at which the tenant was created."""
    version: int
    """Version of the tenant. Also sent as the ETag."""


@dataclass
class TenantLimits(Model):
    schedules: int
    """Maximum number of schedules that are not deleted."""
    runs_per_day: int
    """Maximum number of dispatched runs per UTC day."""
    stored_bytes: int
    """Maximum number of bytes of definitions, runs and events."""


@dataclass
class TenantPage(Model):
    items: List[Tenant]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class TenantUsage(Model):
    schedules: int
    """Number of schedules that are not deleted."""
    runs_today: int
    """Number of runs dispatched today (UTC). If the tenant has no limit of its own, the latest periodic count."""
    stored_bytes: Optional[int]
    """Number of stored bytes when last measured. Null if not measured yet."""
    stored_bytes_measured_at: Optional[datetime]
    """Time of the last measurement."""


@dataclass
class TenantWithUsage(Model):
    name: str
    """Unique name of the tenant. It never changes."""
    description: str
    """Description of the tenant."""
    dispatch_enabled: bool
    """Whether the tenant's schedules dispatch runs. If false, every occurrence is skipped with the reason
    `dispatch_disabled`."""
    schedules_max: Optional[int]
    """Maximum number of schedules that are not deleted. Null means the server's `schedules_per_tenant`."""
    runs_per_day: Optional[int]
    """Maximum number of runs per UTC day, counted exactly. Null means the server's `runs_per_day_per_tenant`, which is
    counted periodically."""
    stored_bytes_max: Optional[int]
    """Maximum number of bytes of definitions, runs and events, as measured. Null means the server's
    `stored_bytes_per_tenant`."""
    created_at: datetime
    """Time at which the tenant was created."""
    version: int
    """Version of the tenant. Also sent as the ETag."""
    limits: TenantLimits
    """Limits in force: the tenant's own, or the server's."""
    usage: TenantUsage
    """Current usage."""


@dataclass
class Timezone(Model):
    name: str
    """IANA name of the zone."""
    alias_of: Optional[str]
    """Canonical name, if this name is an alias."""
    common: bool
    """Whether this is a commonly used zone."""
    local_time: str
    """Current local time in the zone."""
    offset: str
    """Current offset from UTC, for example `+05:45`."""
    offset_seconds: int
    """Current offset from UTC, in seconds."""
    abbreviation: str
    """Current abbreviation: `EDT`, `CET`, or `+03` if the zone has no letters."""
    dst: bool
    """Whether daylight saving time is in effect."""
    next_transition: Optional[ZoneTransition]
    """Next change of the offset. Null if there is none."""


@dataclass
class TimezoneDetails(Model):
    name: str
    """IANA name of the zone."""
    alias_of: Optional[str]
    """Canonical name, if this name is an alias."""
    common: bool
    """Whether this is a commonly used zone."""
    local_time: str
    """Current local time in the zone."""
    offset: str
    """Current offset from UTC, for example `+05:45`."""
    offset_seconds: int
    """Current offset from UTC, in seconds."""
    abbreviation: str
    """Current abbreviation: `EDT`, `CET`, or `+03` if the zone has no letters."""
    dst: bool
    """Whether daylight saving time is in effect."""
    next_transition: Optional[ZoneTransition]
    """Next change of the offset. Null if there is none."""
    aliases: List[str]
    """Other names of the zone."""
    tzdata: str
    """Version of the time zone data."""
    now: datetime
    """Current time of the server."""


@dataclass
class TimezonePage(Model):
    items: List[Timezone]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""
    tzdata: str
    """Version of the time zone data."""
    now: datetime
    """Current time of the server."""


@dataclass
class TrippedLimit(Model):
    limit: str
    """Name of the policy member or setting."""
    assignee: Optional[str]
    """Assignee that the limit belongs to. Null if it is the server's."""
    allowed: Any
    """Allowed amount, or allowed tools."""
    used: Any
    """Amount that the whole run has used."""
    tool: Optional[str]
    """Tool that is not allowed."""


@dataclass
class TroubledWorker(Model):
    error: str
    """Description of the problem."""
    since: datetime
    """Time since which the problem exists."""
    tries: int
    """Number of attempts."""
    name: str
    """Background job of the server."""


@dataclass
class Usage(Model):
    credits: float
    """Credits, in the unit that the tenant chooses."""
    tokens: int
    """Number of model tokens."""
    tool_calls: int
    """Number of tool calls."""
    tools: List[str]
    """Names of the tools that were called, sorted."""


@dataclass
class UsageReport(Model):
    credits: Optional[float] = None
    """Credits used. Defaults to 0."""
    tokens: Optional[int] = None
    """Model tokens used. Defaults to 0."""
    tool_calls: Optional[int] = None
    """Number of tool calls. Defaults to 0."""
    tools: Optional[List[str]] = None
    """Names of the tools that were called."""


@dataclass
class Version(Model):
    version: str
    """Version of the server."""
    tzdata: str
    """Version of the time zone data."""


@dataclass
class Walk(Model):
    workflow: Optional[str]
    """Name of the workflow. Null if the run is a single task."""
    version: Optional[int]
    """Version of the workflow that the run uses."""
    deadline: Optional[datetime]
    """Time at which Belfry ends the run if it has not ended. Null if it has."""
    nodes: List[WalkNode]
    """Nodes in the order of the definition."""


@dataclass
class WalkNode(Model):
    node: str
    """Identifier of the node in the workflow. Empty if the run has only one task."""
    status: Literal[
        "waiting", "queued", "running", "succeeded", "failed", "timed_out", "cancelled", "skipped", "awaiting_approval",
    ]
    """Status of the node."""
    attempts: int
    """Number of attempts."""
    queue: Optional[str]
    """Queue of the node's task."""
    assignee: Optional[str]
    """The only assignee that may claim the task."""
    ready_at: Optional[datetime]
    """Time from which workers can claim the task."""
    started_at: Optional[datetime]
    """Time at which the newest attempt started."""
    completed_at: Optional[datetime]
    """Time at which the node ended."""
    timeout_ms: Optional[int]
    """Maximum duration of an attempt, in milliseconds."""
    input: Any
    """Input of the node, with its references resolved."""
    result: Any
    """Result of the node."""
    error: Optional[str]
    """Error message of the newest attempt, or why the node was never tried."""
    category: Optional[Literal["timeout", "provider_error", "rate_limit", "contract_violated"]]
    """Category of the failure."""
    approval_status: Literal["pending", "approved", "rejected", "expired", "void", "not_required"]
    """Status of the node's newest approval."""
    cost: Optional[Usage]
    """Usage that the workers of the node reported. Null if they reported none."""
    depends_on: Optional[List[str]] = None
    """Nodes that must succeed before this one starts."""
    kind: Optional[str] = None
    """Who runs the node: a worker (`task`) or the server (`http`, `command`)."""


@dataclass
class Webhook(Model):
    url: str
    """URL to which Belfry sends events as POST requests."""
    description: str
    """Description of the webhook."""
    events: List[str]
    """Event types to send, such as `run.failed` or `run.*`. An empty list means all types."""
    enabled: bool
    """Whether the webhook is enabled. While it is not, events are neither sent nor kept for it."""
    id: str
    """Unique identifier of the webhook."""
    secret_count: int
    """Number of secrets that sign: the newest, and older ones for one day."""
    created_by: Optional[str]
    """Principal that created the webhook."""
    created_at: datetime
    """Time at which the webhook was created."""
    version: int
    """Version of the webhook. Also sent as the ETag."""


@dataclass
class WebhookPage(Model):
    items: List[Webhook]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class WebhookTest(Model):
    succeeded: bool
    """Whether the receiver responded with 2xx."""
    at: datetime
    """Time at which the test was sent."""
    http_status: Optional[int]
    """Status code of the receiver's response. Null if it did not respond."""
    error: Optional[str]
    """Why there was no response."""


@dataclass
class WebhookWithSecret(Model):
    url: str
    """URL to which Belfry sends events as POST requests."""
    description: str
    """Description of the webhook."""
    events: List[str]
    """Event types to send, such as `run.failed` or `run.*`. An empty list means all types."""
    enabled: bool
    """Whether the webhook is enabled. While it is not, events are neither sent nor kept for it."""
    id: str
    """Unique identifier of the webhook."""
    secret_count: int
    """Number of secrets that sign: the newest, and older ones for one day."""
    created_by: Optional[str]
    """Principal that created the webhook."""
    created_at: datetime
    """Time at which the webhook was created."""
    version: int
    """Version of the webhook. Also sent as the ETag."""
    secret: str
    """Secret that signs the deliveries (Standard Webhooks). Store it now: it is shown only once."""


@dataclass
class Why(Model):
    at: datetime
    """Requested time, as a whole second."""
    local: str
    """Requested time in the schedule's time zone."""
    timezone: str
    """Time zone of the schedule."""
    verdict: Literal[
        "dispatched", "skipped", "buffered", "due", "will_dispatch", "will_skip", "paused", "not_an_occurrence",
        "not_created", "completed", "deleted", "forgotten",
    ]
    """Machine-readable outcome: what happened or will happen."""
    answer: str
    """The outcome as an English sentence."""
    reason: Optional[Literal[
        "dispatch_disabled", "status_not_triggerable", "outside_window", "remaining_actions_exhausted",
        "schedule_slot_exists", "missed_run", "budget_exceeded", "validation_failed", "cycle_detected",
        "overlap_in_flight", "max_concurrency_reached", "calendar", "condition_failed", "breaker_open", "buffer_full",
    ]]
    """Skip reason, if the occurrence was or would be skipped."""
    explanation: Optional[str]
    """Evidence for the outcome and, where possible, how to change it."""
    guards: List[GuardStep]
    """Guards that judge the occurrence, in their fixed order. The first that refuses decides. Empty if there is no
    occurrence, no record, or the schedule is paused."""
    run: Optional[Run]
    """Run for the requested time, or the summary record that covers it."""
    other_runs: List[Run]
    """Other runs for the same time, from backfills and triggers."""
    events: List[ScheduleHistoryEvent]
    """Audit events about the requested time."""
    previous_occurrence: Optional[datetime]
    """Nearest occurrence before the requested time."""
    next_occurrence: Optional[datetime]
    """Nearest occurrence after the requested time."""
    server_time: datetime
    """Current time of the store's clock."""


@dataclass
class Workflow(Model):
    name: Optional[str]
    """Name of the workflow. Must match the path."""
    description: Optional[str]
    """Description of the workflow."""
    nodes: List[WorkflowNode]
    """Nodes of the graph."""
    queue: Optional[str]
    """Queue of the tasks."""
    connection: Optional[str]
    """Connection to deliver the tasks to, or `builtin`. Defaults to the server's."""
    timeout_ms: Optional[int]
    """Maximum duration of a run, in milliseconds. Defaults to one week."""
    approval_policy: Optional[ApprovalPolicy]
    """Approvals that every run needs. Schedules and assignments can require more, but not less. Deploying a version
    that requires less takes the permission `approve`."""
    triggers: Optional[List[Dict[str, Any]]]
    """Schedules that the deployment creates or updates. `type` is `schedule_based`, `name` is optional, and the other
    members are those of a schedule. `enabled: false` pauses the schedule and `true` resumes it. Without it, an
    operator's pause stays."""
    version: int
    """Number of the version: 1, 2, 3… A version never changes."""
    created_by: Optional[str]
    """Principal that deployed the version."""
    created_at: datetime
    """Time at which the version was deployed."""


@dataclass
class WorkflowAssignment(Model):
    id: str
    """Unique identifier of the assignment, to which schedules refer."""
    workflow: str
    """Name of the workflow. It never changes."""
    assignee: Assignee
    """Agent or team that does the work."""
    approval_policy: ApprovalPolicy
    """Approvals that a run needs before it starts."""
    retry_policy: RetryPolicy
    """What happens when an attempt fails."""
    failure_policy: FailurePolicy
    """What happens when a run fails."""
    queue_policy: QueuePolicy
    """How runs queue. Members that it omits come from the schedule."""
    created_at: datetime
    """Time at which the assignment was created."""
    version: int
    """Version of the assignment. Also sent as the ETag."""


@dataclass
class WorkflowAssignmentPage(Model):
    items: List[WorkflowAssignment]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class WorkflowHead(Model):
    name: str
    """Name of the workflow."""
    version: int
    """Newest version of the workflow."""


@dataclass
class WorkflowHeadPage(Model):
    items: List[WorkflowHead]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""


@dataclass
class WorkflowNode(Model):
    id: str
    """Identifier of the node, unique in the workflow: letters, digits, `_` and `-`."""
    kind: Optional[Literal["task", "http", "command"]] = None
    """Who runs the node: a worker (`task`) or the server (`http`, `command`). Defaults to `task`."""
    task_kind: Optional[str] = None
    """Kind of the task, which decides what its worker does. Defaults to the id."""
    depends_on: Optional[List[str]] = None
    """Nodes that must succeed before this one starts."""
    input: Any = None
    """Input of the node. It can refer to earlier data: `${nodes.ID.output/path}`, `${input/path}`,
    `${run.scheduledAt}`."""
    action: Optional[str] = None
    """Action of the node: `publish`, `spend`, `delete`, `external_message`, `schedule_change`…"""
    timeout_ms: Optional[int] = None
    """Maximum duration of an attempt, in milliseconds. Defaults to the schedule's."""
    queue: Optional[str] = None
    """Queue of the task. Defaults to the schedule's, then the workflow's."""
    assignee: Optional[str] = None
    """Agent or team that alone can claim the task. Defaults to the schedule's."""
    retry_policy: Optional[RetryPolicy] = None
    """Retry policy of the node. Defaults to the schedule's."""
    connection: Optional[str] = None
    """Connection to deliver the task to, or `builtin`. Defaults to the schedule's."""


@dataclass
class WorkflowScheduleRecord(Model):
    _json_names: ClassVar[Optional[Dict[str, str]]] = None

    id: str
    """Unique identifier of the schedule, as in the native API."""
    workflow_id: str
    """Name of the workflow. For a schedule that starts a task, the kind of the task."""
    workflow_title: str
    """The same name, which is the title of the workflow."""
    description: Optional[str]
    """Description of the schedule."""
    cron_expr: Optional[str]
    """Cron expression. Null if the schedule has other times than one cron expression."""
    timezone: str
    """IANA time zone."""
    is_active: bool
    """Whether the schedule is active: neither paused nor completed."""
    assignee_type: Literal["agent", "team"]
    """Type of the assignee. `agent` if there is none."""
    assignee_id: Optional[str]
    """Assignee that does the work."""
    workflow_assignment_id: Optional[str]
    """Workflow assignment that the schedule belongs to."""
    approval_policy: ApprovalPolicy
    """Approval policy: `requiresApproval`, and what differs from the defaults."""
    retry_policy: RetryPolicy
    """Retry policy: `maxRetries`, and what differs from the defaults."""
    failure_policy: FailurePolicy
    """Failure policy: `mode`, and what differs from the defaults."""
    queue_policy: RpcQueuePolicy
    """Queue policy: `mode`, and what differs from the defaults."""
    inputs_template: Any
    """Input of each run if there is no rotation."""
    global_model_id: Optional[str]
    """Model identifier for every task of the runs."""
    next_run_at: Optional[datetime]
    """Next fire time. Null unless the schedule is active."""
    last_run_at: Optional[datetime]
    """Time at which a run was last dispatched."""
    last_run_id: Optional[str]
    """Unique identifier of the last run."""
    last_dispatch_status: Optional[str]
    """Outcome of the last occurrence: `dispatched`, `skipped_overlap`, `validation_failed`, `dispatch_failed`, or
    `skipped_` with another reason. `paused` while the schedule is paused."""
    last_error_at: Optional[datetime]
    """Time at which a run last failed."""
    last_error_message: Optional[str]
    """Error message of the last failed run."""
    last_completed_at: Optional[datetime]
    """Time at which a run last ended."""
    last_result: Any
    """Result of the run that ended last."""
    calendars: List[str]
    """Names of the calendars that must allow the date."""
    pre_dispatch_condition: Any
    """Condition that must hold. Null if there is none."""
    inputs_rotation: List[Any]
    """Inputs that successive runs use in turn."""
    last_rotation_index: int
    """Counter of the rotation. Modulo the number of inputs, it is the index of the next one."""
    created_at: datetime
    """Time at which the schedule was created."""
    updated_at: datetime
    """Time at which the definition last changed."""


@dataclass
class WorkflowStartItem(Model):
    workflow_kind: str
    """Kind of the workflow to start."""
    version: Optional[int] = None
    """Version of the workflow. Defaults to the newest."""
    input: Any = None
    """Input of every run. Defaults to `{}`."""
    metadata: Optional[Dict[str, str]] = None
    """Key-value pairs that Belfry passes to every run."""
    queue: Optional[str] = None
    """Queue that workers claim the tasks from. Defaults to `default`."""
    connection: Optional[str] = None
    """Connection to deliver the tasks to. By default, Belfry uses its own queue."""
    priority: Optional[int] = None
    """Priority of the tasks. Workers claim tasks with a higher priority first."""
    max_retries: Optional[int] = None
    """Alias of `retryPolicy.maxRetries` in requests. Responses do not include it."""
    labels: Optional[Dict[str, str]] = None
    """Key-value pairs to filter by, for example `?label=team:billing`."""
    retry_policy: Optional[RetryPolicy] = None
    """What happens when an attempt fails."""
    idempotency_key: Optional[str] = None
    """Unique key for this item. If the client sends the item again with the same key, alone or in another request with
    many items, it takes effect once."""


@dataclass
class WorkflowVersion(Model):
    version: int
    """Number of the version."""
    created_by: Optional[str]
    """Principal that deployed the version."""
    created_at: datetime
    """Time at which the version was deployed."""
    nodes: int
    """Number of nodes in the version."""


@dataclass
class WorkflowVersions(Model):
    items: List[WorkflowVersion]
    """Items of the page, in the order of the list."""
    next_cursor: Optional[str]
    """Cursor for the next page. Null if this is the last page."""
    has_more: bool
    """Whether there is a next page."""


@dataclass
class ZoneTransition(Model):
    at: datetime
    """Time of the change."""
    offset: str
    """UTC offset after the change."""
    abbreviation: str
    """Abbreviation after the change."""


__all__ = [
    "ApiKey", "ApiKeyPage", "Approval", "ApprovalPage", "ApprovalPolicy", "ApprovalPolicyPatch", "Assignee",
    "AssigneePatch", "AssigneePolicies", "AssigneePoliciesRequest", "AssumedRun", "AuditBreak", "AuditCheckpoint",
    "AuditVerification", "Backfill", "BackfillDryRun", "BackfillPage", "Breaker", "BreakerPatch", "BudgetOfToday",
    "Calendar", "CalendarImport", "CalendarSummary", "CalendarSummaryPage", "ChangedSchedules", "ChangedSchedulesItem",
    "ClaimRequest", "ClaimedTasks", "ClauseVerdict", "ConditionNow", "ConditionVerdict", "Connection",
    "ConnectionHealth", "ConnectionPage", "Delivery", "DeliveryPage", "DeployedWorkflow", "DstMark", "DstRules",
    "DstRulesPatch", "EventAnswer", "EventOutcome", "EventSubscription", "ExchangedTasks", "FailurePolicy",
    "FailurePolicyPatch", "Forecast", "GuardStep", "Health", "HeldLease", "IgnoredEvent", "Interval", "Jitter",
    "JitterPatch", "Lease", "Leases", "LeftAlone", "ListedAssignee", "ListedAssigneePage", "Load", "LoadBucket",
    "LostLease", "NewApiKey", "OverlapPolicy", "PlannedRun", "PreviewRow", "Problem", "ProblemPlace",
    "QuarantinedSchedule", "QueuePolicy", "Readiness", "ReadinessCheck", "RecentOutcome", "RegisteredAssignee",
    "RetryPolicy", "RetryPolicyPatch", "Rotation", "RpcQueuePolicy", "Run", "RunEvent", "RunEvents", "RunPage",
    "RunStatus", "Schedule", "ScheduleDraft", "ScheduleFilter", "ScheduleHealth", "ScheduleHistoryEvent",
    "ScheduleHistoryPage", "ScheduleOperation", "SchedulePage", "SchedulePatch", "ScheduleType", "ScheduleTypePatch",
    "ScheduleVersion", "Signal", "SignalPatch", "SimulatedRun", "Simulation", "SkippedRange", "Spec", "SpecPatch",
    "StartedTasks", "StartedTasksItem", "StartedWorkflows", "StartedWorkflowsItem", "Target", "TargetRequest",
    "TargetRequestPatch", "Task", "TaskCompletion", "TaskOutcome", "TaskOutcomes", "TaskStartItem", "Tenant",
    "TenantLimits", "TenantPage", "TenantUsage", "TenantWithUsage", "Timezone", "TimezoneDetails", "TimezonePage",
    "TrippedLimit", "TroubledWorker", "Usage", "UsageReport", "Version", "Walk", "WalkNode", "Webhook", "WebhookPage",
    "WebhookTest", "WebhookWithSecret", "Why", "Workflow", "WorkflowAssignment", "WorkflowAssignmentPage",
    "WorkflowHead", "WorkflowHeadPage", "WorkflowNode", "WorkflowScheduleRecord", "WorkflowStartItem",
    "WorkflowVersion", "WorkflowVersions", "ZoneTransition",
]
