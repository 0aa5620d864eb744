#include <algorithm>
#include <array>
#include <boost/json/array.hpp>

#include "api/dialects/durable/durable.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::object;

// Native members and their names in this dialect. The first match counts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kMemberNames{{
    {"/spec/cron", "/spec/cron_expressions"},
    {"/spec/jitter", "/jitter_seconds"},
    {"/target/workflowKind", "/action/workflow_type"},
    {"/target/taskKind", "/action/workflow_type"},
    {"/target/metadata", "/action"},
    {"/target/queue", "/action/task_queue"},
    {"/target/connection", "/connection"},
    {"/target/input", "/action/input"},
    {"/target", "/action"},
    {"/name", "/schedule_id"},
    {"/notes", "/note"},
    {"/searchAttributes", "/search_attributes"},
    {"/overlapPolicy", "/overlap_policy"},
    {"/maxRuns", "/max_runs"},
    {"/retryPolicy/timeoutMs", "/action/run_timeout_seconds"},
    {"/from", "/start_time"},
    {"/to", "/end_time"},
    {"/labels", "/labels"},
}};

std::string to_durable_field(const std::string& field) {
    for (const auto& [native, ours] : kMemberNames) {
        const bool fits = field.starts_with(native) && (field.size() == native.size() || field[native.size()] == '/');
        if (fits)
            return ours == "/jitter_seconds" ? std::string(ours) : std::string(ours) + field.substr(native.size());
    }
    return field;
}

// `/spec/cron_expressions/0` becomes `spec.cron_expressions.0`, `?page_size` becomes `page_size`.
std::string dotted(std::string field) {
    if (field.starts_with('/') || field.starts_with('?')) field.erase(0, 1);
    std::ranges::replace(field, '/', '.');
    return field;
}

void add_error(object& errors, const std::string& field, const std::string& message) {
    if (field.empty()) return;
    auto& texts = errors[dotted(field)];
    if (!texts.is_array()) texts = boost::json::array();
    texts.get_array().push_back(Json(message));
}

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
    problem.field = to_durable_field(problem.field);
    for (auto& other : problem.more) other.field = to_durable_field(other.field);
    return problem;
}

}  // namespace

Response refused(const Refusal& refusal) {
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
    return error_response(problem, body);
}

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
                       {"limit", integer(), "Limit that was exceeded."}});
    }();
    return shape;
}

}  // namespace belfry::api::durable
