#include "store/errors.hpp"

#include "base/text/ascii.hpp"

namespace belfry::store {

Error schedule_not_found(const ScheduleRef& schedule) {
    return {ErrorCode::not_found, "there is no schedule " + (schedule.id.empty() ? schedule.name : schedule.id)};
}
Error too_many_keys() { return invalid("a call may name at most " + std::to_string(kTickBatchMax) + " schedules"); }
Error run_not_found(const std::string& run_id) { return {ErrorCode::not_found, "there is no run " + run_id}; }
Error tenant_not_found(const std::string& tenant) { return {ErrorCode::not_found, "there is no tenant " + tenant}; }
Error workflow_not_found(const std::string& name, const std::optional<std::int64_t>& version) {
    return {ErrorCode::not_found,
            "there is no workflow " + name + (version ? " of version " + std::to_string(*version) : std::string())};
}
Error not_approved(const std::string& run_id, const std::string& node) {
    return {ErrorCode::conflict, (node.empty() ? std::string() : "node " + node + " of ") + "run " + run_id +
                                     " must not start: it is not approved"};
}
Error dead_letter_not_found(const std::string& run_id) {
    return {ErrorCode::not_found, "run " + run_id + " is not a dead letter"};
}
Error assignee_not_found(const std::string& id) { return {ErrorCode::not_found, "there is no assignee " + id}; }
Error assignment_not_found(const std::string& id) {
    return {ErrorCode::not_found, "there is no workflow assignment " + id};
}
Error assignment_not_there(const std::string& id) {
    return {ErrorCode::invalid_argument,
            "there is no workflow assignment " + in_quotes(id) + ": create it first, or omit it",
            "/workflowAssignmentId"};
}
Error assignment_in_use(const std::string& id, const std::string& schedule) {
    return {ErrorCode::conflict, "workflow assignment " + id + " is used by schedule " + schedule};
}
Error calendar_not_found(const std::string& name) { return {ErrorCode::not_found, "there is no calendar " + name}; }
Error backfill_not_found(const std::string& id) { return {ErrorCode::not_found, "there is no backfill " + id}; }
Error name_taken(const std::string& name) {
    return {ErrorCode::already_exists, "a schedule named " + name + " already exists", "/name"};
}
Error id_taken(const std::string& id) {
    return {ErrorCode::already_exists, "a schedule with the id " + id + " already exists", "/id"};
}

Error tenant_full(const std::string& tenant, std::int64_t most) {
    Error full{
        ErrorCode::exhausted,
        "tenant " + tenant + " may have " + std::to_string(most) +
            " schedules and this would be more: delete some, or let the operator raise schedulesMax of the tenant"};
    full.retry_after_s = 0;
    return full;
}

Error moved_on(const decide::Plan& plan, std::int64_t revision) {
    return {ErrorCode::conflict, "schedule " + plan.schedule_id + " is at revision " + std::to_string(revision) +
                                     ", but the plan was made for " + std::to_string(plan.revision)};
}

Error version_conflict(const std::string& what, std::int64_t expected) {
    return {ErrorCode::conflict,
            what + " was changed by another request: its next version is " + std::to_string(expected)};
}

Error lease_lost(const model::LeaseRef& lease) {
    return {ErrorCode::conflict,
            "attempt " + std::to_string(lease.attempt) + " of run " + lease.run_id + " no longer holds its lease"};
}

Error lease_renewed(const model::LeaseRef& lease) {
    return {ErrorCode::conflict, "the lease on run " + lease.run_id + " has been renewed"};
}
Error backfill_taken(const std::string& id) {
    return {ErrorCode::already_exists, "a backfill with the id " + id + " already exists", "/id"};
}
Error backfill_running(const std::string& id) {
    return {ErrorCode::conflict, "backfill " + id + " of this schedule has not ended yet"};
}

Error calendar_is_built_in(const std::string& name) {
    return {ErrorCode::invalid_argument,
            "calendar " + name + " ships with the program and cannot be changed: choose another name", "/name"};
}

Error calendar_in_use(const std::string& calendar, const std::string& schedule) {
    return {ErrorCode::conflict, "calendar " + calendar + " is used by schedule " + schedule};
}

Error not_deleted(const ScheduleRef& schedule) {
    return {ErrorCode::invalid_argument, "schedule " + (schedule.id.empty() ? schedule.name : schedule.id) +
                                             " must be deleted before its runs can be purged"};
}

Error bad_cursor() {
    return {ErrorCode::invalid_argument, "the cursor is not valid: send one that a list returned", "/cursor"};
}

Error foreign_cursor() {
    return {ErrorCode::invalid_argument,
            "the cursor belongs to a list with another filter: send the same filter again, or start without a cursor",
            "/cursor"};
}

Error request_taken() { return {ErrorCode::already_exists, "this key has already been used", model::kRequestKeyField}; }
Error request_not_found() {
    return {ErrorCode::not_found, "there is no request with this key", model::kRequestKeyField};
}

}  // namespace belfry::store
