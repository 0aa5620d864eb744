#include <algorithm>
#include <array>
#include <boost/json/array.hpp>

#include "api/dialects/durable/durable.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::object;

constexpr std::array kMemberNames{
    FieldName{"/spec/cron", "/spec/cron_expressions", true},
    FieldName{"/spec/jitter", "/jitter_seconds"},
    FieldName{"/target/workflowKind", "/action/workflow_type", true},
    FieldName{"/target/taskKind", "/action/workflow_type", true},
    FieldName{"/target/metadata", "/action", true},
    FieldName{"/target/queue", "/action/task_queue", true},
    FieldName{"/target/connection", "/connection", true},
    FieldName{"/target/input", "/action/input", true},
    FieldName{"/target", "/action", true},
    FieldName{"/name", "/schedule_id", true},
    FieldName{"/notes", "/note", true},
    FieldName{"/searchAttributes", "/search_attributes", true},
    FieldName{"/overlapPolicy", "/overlap_policy", true},
    FieldName{"/maxRuns", "/max_runs", true},
    FieldName{"/retryPolicy/timeoutMs", "/action/run_timeout_seconds", true},
    FieldName{"/from", "/start_time", true},
    FieldName{"/to", "/end_time", true},
    FieldName{"/labels", "/labels", true},
};

void add_error(object& errors, const std::string& field, const std::string& message) {
    if (field.empty()) return;
    auto& texts = errors[dotted(field)];
    if (!texts.is_array()) texts = boost::json::array();
    texts.get_array().push_back(Json(message));
}

}  // namespace

std::string reason_of(const Problem& problem) {
    switch (problem.status) {
        case 401: return "unauthorized";
        case 403: return "forbidden";
        case 404: return problem.field == kTenantHeader ? "namespace_not_found" : "schedule_not_found";
        case 409: return problem.code == "already_exists" ? "schedule_already_exists" : "conflict";
        case 422: return problem.field == "?after_sequence" ? "invalid_after_sequence" : "validation_failed";
        case 429: return "resource_exhausted";
        case 503: return problem.code == "unavailable" ? "backend_unavailable" : problem.code;
        case 500: return "server_error";
        default: return problem.code;  // malformed_json, unsupported_media_type
    }
}

namespace {

// The reason depends on the location of the error: an expression, another part of the spec, or anything else.
std::string reason_of_definition(const Problem& problem) {
    const auto somewhere_in = [&](std::string_view part) {
        const auto is_there = [&](const std::string& field) { return field.starts_with(part); };
        return is_there(problem.field) || std::ranges::any_of(problem.more, is_there, &Error::field);
    };
    if (somewhere_in("/spec/cron_expressions")) return "invalid_cron_expression";
    // An error without a location is about the times.
    return somewhere_in("/spec") || problem.field.empty() ? "invalid_schedule_spec" : "validation_failed";
}

Problem in_members(const Error& error) {
    auto problem = problem_of(error);
    problem.field = renamed(problem.field, kMemberNames);
    for (auto& other : problem.more) other.field = renamed(other.field, kMemberNames);
    return problem;
}

}  // namespace

std::string member_name(const std::string& native) { return dotted(renamed(native, kMemberNames)); }

object refusal_body(const Refusal& refusal) {
    const auto& problem = refusal.problem;
    object body{{"message", problem.detail}, {"reason", refusal.reason}};
    object errors;
    add_error(errors, problem.field, problem.detail);
    for (const auto& other : problem.more) add_error(errors, other.field, other.message);
    if (problem.status < 500 && !errors.empty()) {
        body["errors"] = errors;
        body["validation_errors"] = std::move(errors);
    }
    for (const auto& member : refusal.details) body[member.key()] = member.value();
    return body;
}

Response refused(const Refusal& refusal) { return error_response(refusal.problem, refusal_body(refusal)); }

Response refused(const Problem& problem) { return refused(Refusal{problem, reason_of(problem)}); }

Response refused_by_list(const Problem& problem) {
    constexpr std::array<std::string_view, 5> kFilters{"?status", "?workflow_type", "?query", "?page_size",
                                                       "?next_page_token"};
    const bool unknown = problem.status == 422 && problem.field.starts_with('?') &&
                         std::ranges::find(kFilters, problem.field) == kFilters.end();
    return refused(Refusal{problem, unknown ? "unsupported_schedule_list_filter" : reason_of(problem)});
}

Result<Response> refused_definition(const Error& error, const std::string& schedule_id) {
    const object details{{"schedule_id", schedule_id}};
    const auto problem = in_members(error);
    if (error.code == ErrorCode::already_exists) return refused({problem, "schedule_already_exists", details});
    if (error.code != ErrorCode::invalid_argument) return error;
    return refused({problem, reason_of_definition(problem), details});
}

Result<Response> refused_range(const Error& error) {
    if (error.code != ErrorCode::invalid_argument) return error;
    const auto problem = in_members(error);
    return refused({problem, problem.field.empty() ? "status_not_triggerable" : "invalid_time_range"});
}

ShapePtr refusal_shape() {
    static const auto shape = [] {
        const auto texts = map_of(list_of(text()));
        return record("DurableRefusal",
                      {{"message", text(), "What went wrong, and how to fix it.", Presence::required},
                       {"reason", text(), "Machine-readable reason. Reasons never change.", Presence::required},
                       {"errors", texts, "Errors by member, for example `spec.cron_expressions.0`."},
                       {"validation_errors", texts, "Alias of `errors`."},
                       {"schedule_id", text(), "Identifier of the schedule that the error is about."},
                       {"limit", integer(), "Limit that was exceeded."},
                       {"error", text(), "Alias of `message`, for the console."},
                       {"control_plane", map_of(anything()), "Contract of the response, for runs."}});
    }();
    return shape;
}

}  // namespace belfry::api::durable
