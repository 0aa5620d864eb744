#include <algorithm>

#include "api/fields.hpp"
#include "api/schedule_dto.hpp"
#include "decide/facts.hpp"

namespace belfry::api {

namespace {

using Failure = std::optional<Error>;

constexpr std::size_t kTextMax = 10'000;           // bytes of a description or of notes
constexpr std::size_t kLabelsMax = 100;            // labels, and keys of a target's metadata
constexpr std::size_t kCalendarsMax = 100;         // attached to one schedule
constexpr std::size_t kRotationMax = 1'000;        // entries of inputsRotation
constexpr std::size_t kGatesMax = 100;             // of an approval policy
constexpr std::size_t kUrlMax = 2'000;             // bytes, what browsers and proxies agree on
constexpr std::int64_t kCountMax = 1'000'000'000;  // of maxRuns, maxConcurrency…: fits every counter
constexpr int kRetriesMax = 1'000;
constexpr int kPriorityMax = 1'000'000;

Failure at(const char* field, Failure failure) { return failure ? in_field(*failure, field) : failure; }

Failure check_bounds(const char* field, std::int64_t value, Bounds bounds) {
    if (value >= bounds.least && value <= bounds.most) return std::nullopt;
    return in_field(invalid("must be a whole number from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most)), field);
}

Failure check_size(const char* field, std::size_t size, std::size_t most, const char* what) {
    if (size <= most) return std::nullopt;
    return in_field(invalid("has " + std::to_string(size) + " " + what + "; use at most " + std::to_string(most)), field);
}

Failure check_texts(const std::string& field, const std::map<std::string, std::string>& texts) {
    if (auto failure = check_size(field.c_str(), texts.size(), kLabelsMax, "entries")) return failure;
    for (const auto& [key, value] : texts) {
        const auto place = field + pointer_step(key);
        if (auto failure = at(place.c_str(), check_name(key))) return failure;
        if (storable(value) != value) return in_field(invalid("must not contain the character U+0000"), place);
        if (auto failure = check_size(place.c_str(), value.size(), kTextMax, "bytes")) return failure;
    }
    return std::nullopt;
}

Failure check_identity(const model::Schedule& schedule) {
    if (auto failure = at("/name", check_name(schedule.name))) return failure;
    if (auto failure = check_size("/description", schedule.description.size(), kTextMax, "bytes")) return failure;
    if (auto failure = check_size("/notes", schedule.notes.size(), kTextMax, "bytes")) return failure;
    return check_texts("/labels", schedule.labels);
}

Failure check_target(const model::Target& target) {
    const auto* const kind = target.type == model::TargetType::workflow ? "/target/workflowKind" : "/target/taskKind";
    if (auto failure = at(kind, check_name(target.kind))) return failure;
    if (auto failure = at("/target/queue", check_name(target.queue))) return failure;
    if (target.connection) {
        if (auto failure = at("/target/connection", check_name(*target.connection))) return failure;
    }
    if (target.version) {
        if (auto failure = check_bounds("/target/version", *target.version, {1, kCountMax})) return failure;
    }
    if (auto failure = check_bounds("/target/priority", target.priority, {-kPriorityMax, kPriorityMax})) return failure;
    return check_texts("/target/metadata", target.metadata);
}

Failure check_assignee(const model::Assignee& assignee) {
    if (assignee.type != "agent" && assignee.type != "team") {
        return in_field(invalid("assignee type " + in_quotes(assignee.type) + ": use one of agent, team"), "/assignee/type");
    }
    return at("/assignee/id", check_name(assignee.id));
}

Failure check_policies(const model::Schedule& schedule) {
    if (schedule.overlap.max_concurrency) {
        if (auto failure = check_bounds("/maxConcurrency", *schedule.overlap.max_concurrency, {1, kCountMax})) return failure;
    }
    if (auto failure = check_bounds("/maxBackfill", schedule.missed.max_backfill, {1, decide::kMaxBackfillMax})) return failure;
    if (auto failure = check_bounds("/retryPolicy/maxRetries", schedule.retry.max_retries, {0, kRetriesMax})) return failure;
    if (schedule.failure.mode == model::FailureMode::fallback && !schedule.failure.fallback_assignee_id) {
        return in_field(invalid("mode fallback needs to know whom to fall back to; add it"), "/failurePolicy/fallbackAssigneeId");
    }
    if (schedule.max_runs) {
        if (auto failure = check_bounds("/maxRuns", *schedule.max_runs, {1, kCountMax})) return failure;
    }
    if (schedule.breaker_failures) {
        if (auto failure = check_bounds("/breaker/maxConsecutiveFailures", *schedule.breaker_failures, {1, kCountMax})) return failure;
    }
    return check_size("/approvalPolicy/gates", schedule.approval.gates.size(), kGatesMax, "entries");
}

Failure check_signal(const model::Signal& signal) {
    if (!signal.url.starts_with("http://") && !signal.url.starts_with("https://")) {
        return in_field(invalid("must be a URL that begins with http:// or https://"), "/signal/url");
    }
    return check_size("/signal/url", signal.url.size(), kUrlMax, "bytes");
}

}  // namespace

std::optional<Error> check_schedule(const model::Schedule& schedule) {
    if (auto failure = check_identity(schedule)) return failure;
    if (auto failure = check_target(schedule.target)) return failure;
    if (schedule.assignee) {
        if (auto failure = check_assignee(*schedule.assignee)) return failure;
    }
    if (auto failure = check_policies(schedule)) return failure;
    if (schedule.signal) {
        if (auto failure = check_signal(*schedule.signal)) return failure;
    }
    if (auto failure = check_size("/calendars", schedule.calendars.size(), kCalendarsMax, "entries")) return failure;
    return check_size("/inputsRotation", schedule.inputs_rotation.size(), kRotationMax, "entries");
}

}  // namespace belfry::api
