// Member tables of schedules, workflow assignments and calendars (json_members.hpp).
#pragma once

#include "model/json/json_members.hpp"
#include "model/tenant/assignment.hpp"
#include "spec/calendar/calendar.hpp"

namespace belfry::model {

void visit_members(MaybeConst<spec::IntervalText> auto& interval, auto&& visit) {
    auto& [every, offset] = interval;
    visit("every", every, {Presence::required});
    visit("offset", EmptyIsNull{offset});
}

void visit_members(MaybeConst<spec::DstRules> auto& dst, auto&& visit) {
    auto& [gap, repeat] = dst;
    visit("gap", gap);
    visit("repeat", repeat);
}

void visit_members(MaybeConst<spec::JitterText> auto& jitter, auto&& visit) {
    auto& [before, after] = jitter;
    visit("before", EmptyIsNull{before});
    visit("after", EmptyIsNull{after});
}

void visit_members(MaybeConst<spec::EventText> auto& event, auto&& visit) {
    auto& [name, filter] = event;
    visit("name", name, {Presence::required});
    visit("filter", filter);
}

void visit_members(MaybeConst<spec::SpecText> auto& spec, auto&& visit) {
    auto& [cron, intervals, at, timezone, start_at, end_at, dst, jitter, events] = spec;
    visit("cron", cron);
    visit("intervals", intervals);
    visit("at", at);
    visit("timezone", timezone);
    visit("startAt", start_at);
    visit("endAt", end_at);
    visit("dst", dst);
    visit("jitter", jitter);
    visit("events", LeftOutIfEmpty{events});
}

void visit_members(MaybeConst<Target> auto& target, auto&& visit) {
    auto& [type, kind, version, input, metadata, queue, connection, priority] = target;
    visit("type", type);  // first, because it decides the name of the next member
    visit(type == TargetType::workflow ? "workflowKind" : "taskKind", kind, {Presence::required});
    visit("version", version);
    visit("input", input);
    visit("metadata", metadata);
    visit("queue", queue);
    visit("connection", connection);
    visit("priority", priority);
}

void visit_members(MaybeConst<Assignee> auto& assignee, auto&& visit) {
    auto& [type, id] = assignee;
    visit("type", type, {Presence::required});
    visit("id", id, {Presence::required});
}

void visit_members(MaybeConst<Signal> auto& signal, auto&& visit) {
    auto& [url, timeout] = signal;
    visit("url", url, {Presence::required});
    visit("timeoutMs", timeout);
}

void visit_members(MaybeConst<RetryPolicy> auto& retry, auto&& visit) {
    auto& [max_retries, backoff, retry_on, timeout] = retry;
    visit("maxRetries", max_retries);
    visit("backoffMs", backoff);
    visit("retryOn", retry_on);
    visit("timeoutMs", timeout);
}

void visit_members(MaybeConst<FailurePolicy> auto& failure, auto&& visit) {
    auto& [mode, fallback_assignee_id] = failure;
    visit("mode", mode);
    visit("fallbackAssigneeId", fallback_assignee_id);
}

void visit_members(MaybeConst<ApprovalPolicy> auto& approval, auto&& visit) {
    auto& [requires_approval, mode, gates, expires_after, also_on_block] = approval;
    static_cast<void>(also_on_block);  // set only in the union of two policies, which is not stored
    visit("requiresApproval", requires_approval);
    visit("mode", mode);
    visit("gates", gates);
    visit("expiresAfterMs", expires_after);
}

// The fields of a schedule, in the order of storage and of responses. schedule_fields.hpp lists them for other layers.
void visit_members(MaybeConst<Schedule> auto& schedule, auto&& visit) {
    auto& [id, tenant, name, description, notes, labels, memo, search_attributes, spec, target, assignee, overlap,
           missed, worker_lost, retry, failure, approval, max_runs, calendars, condition, inputs_template,
           inputs_rotation, signal, breaker_failures, breaker_retry_after, assignment, created_by, created_at,
           updated_at, version, run_key_name] = schedule;
    auto& [overlap_policy, max_concurrency] = overlap;
    auto& [missed_policy, grace, max_backfill, while_paused] = missed;
    visit("id", id, {Presence::required, SetBy::server});
    visit("tenant", tenant, {Presence::required, SetBy::server});
    visit("name", name, {Presence::required});
    visit("description", description);
    visit("notes", notes);
    visit("labels", labels);
    visit("memo", AnyObject{memo});
    visit("searchAttributes", AnyObject{search_attributes});
    visit("spec", spec, {Presence::required});
    visit("target", target, {Presence::required});
    visit("assignee", assignee);
    visit("overlapPolicy", overlap_policy);
    visit("maxConcurrency", max_concurrency, {.changes = "overlapPolicy"});
    visit("missedRunPolicy", missed_policy);
    visit("maxBackfill", max_backfill, {.changes = "missedRunPolicy"});
    visit("missedGrace", OrAuto{grace}, {.changes = "missedRunPolicy"});
    visit("missedWhilePaused", while_paused, {.changes = "missedRunPolicy"});
    visit("workerLostPolicy", worker_lost);
    visit("retryPolicy", retry);
    visit("failurePolicy", failure);
    visit("approvalPolicy", approval);
    visit("maxRuns", max_runs);
    visit("calendars", calendars);
    visit("preDispatchCondition", condition);
    visit("inputsTemplate", inputs_template);
    visit("inputsRotation", inputs_rotation);
    visit("signal", signal);
    visit("breaker", BreakerBox{breaker_failures, breaker_retry_after});
    visit("workflowAssignmentId", EmptyIsNull{assignment});
    visit("createdBy", EmptyIsNull{created_by}, {.set_by = SetBy::server});
    visit("createdAt", created_at, {.set_by = SetBy::server});
    visit("updatedAt", updated_at, {.set_by = SetBy::server});
    visit("version", version, {.set_by = SetBy::server});
    visit("runKeyName", LeftOutIfEmpty{run_key_name}, {.set_by = SetBy::server});
}

void visit_members(MaybeConst<QueuePolicy> auto& queue, auto&& visit) {
    auto& [mode, max_concurrency, priority] = queue;
    visit("mode", mode);
    visit("maxConcurrency", max_concurrency);
    visit("priority", priority);
}

void visit_members(MaybeConst<WorkflowAssignment> auto& record, auto&& visit) {
    auto& [id, workflow, assignee, approval, retry, failure, queue, created_at, version] = record;
    visit("id", id, {Presence::required});
    visit("workflow", workflow, {Presence::required});
    visit("assignee", assignee, {Presence::required});
    visit("approvalPolicy", approval);
    visit("retryPolicy", retry);
    visit("failurePolicy", failure);
    visit("queuePolicy", queue);
    visit("createdAt", created_at);
    visit("version", version);
}

void visit_members(MaybeConst<spec::CalendarText> auto& calendar, auto&& visit) {
    auto& [name, kind, timezone, dates, built_in] = calendar;
    visit("name", name, {Presence::required});
    visit("kind", kind);
    visit("timezone", timezone);
    visit("dates", dates);
    visit("builtIn", built_in);
}

}  // namespace belfry::model
