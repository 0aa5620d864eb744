// Errors in the codes of PostgreSQL and PostgREST.
#include <algorithm>
#include <array>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/dialects/dialects.hpp"
#include "api/dialects/rpc/refusal.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "model/workflow/workflow_check.hpp"

namespace belfry::api::rpc {

namespace {

constexpr const char* kNotYours = "not in this workspace, or not yours";

struct Translation {
    std::string_view problem;  // its code
    int status;
    const char* code;
};
// A problem without a row is translated by its status.
constexpr std::array kTranslations{
    Translation{"malformed_json", 400, "PGRST102"},  Translation{"unsupported_media_type", 415, "PGRST107"},
    Translation{"unauthenticated", 401, "42501"},    Translation{"forbidden", 403, "42501"},
    Translation{"not_found", 403, "42501"},          Translation{"already_exists", 409, "23505"},
    Translation{"conflict", 409, "40001"},           Translation{"exhausted", 429, "53400"},
    Translation{"unavailable", 503, "08006"},        Translation{"outcome_unknown", 503, "08007"},
    Translation{"route_not_found", 404, "PGRST125"}, Translation{"method_not_allowed", 405, "PGRST117"},
};

Translation translation_of(const Problem& problem) {
    const auto found = std::ranges::find(kTranslations, problem.code, &Translation::problem);
    if (found != kTranslations.end()) return *found;
    if (problem.status >= 500) return {problem.code, problem.status, "XX000"};
    if (problem.status == 403) return {problem.code, problem.status, "42501"};
    if (problem.status == 413 || problem.status == 431) return {problem.code, problem.status, "54000"};
    return {problem.code, problem.status == 422 ? 400 : problem.status, "22023"};
}

std::string told_at(const std::string& field, const std::string& message) {
    const auto name = dotted(field);
    // Programs expect this code at the beginning of the message.
    if (name.empty() || message.starts_with(model::kCycleDetected)) return message;
    return name + ": " + message;
}

}  // namespace

Response response_of(const Refusal& refusal) {
    const boost::json::object body{{"code", refusal.code},
                                   {"details", or_null(refusal.details)},
                                   {"hint", or_null(refusal.hint)},
                                   {"message", refusal.message}};
    return error_response({.status = refusal.status, .retry_after_s = refusal.retry_after_s}, body);
}

Response refused(const Problem& problem) {
    const auto translation = translation_of(problem);
    Refusal refusal{translation.status, translation.code, told_at(problem.field, problem.detail)};
    refusal.retry_after_s = problem.retry_after_s;
    if (problem.code == "not_found") refusal.message = kNotYours;
    if (problem.code == "route_not_found")
        refusal.hint = "call functions at /rpc/ or /rest/v1/rpc/; there are no tables";
    for (const auto& other : problem.more)
        refusal.details += (refusal.details.empty() ? "" : "; ") + told_at(other.field, other.message);
    return response_of(refusal);
}

ShapePtr refusal_shape() {
    static const auto shape = answer_record(
        "RpcError", {{"code", text(), "Error code of PostgreSQL, or `PGRST…` of PostgREST."},
                     {"details", or_null(text()), "Further errors."},
                     {"hint", or_null(text()), "Suggestion for a fix."},
                     {"message", text(), "What went wrong. It begins with the argument that the error is about."}});
    return shape;
}

}  // namespace belfry::api::rpc

namespace belfry::api {

void write_problem_in_dialect(std::string_view path, Response& response) {
    constexpr std::array<std::string_view, 2> kPrefixes{"/rpc", "/rest/v1"};
    const bool is_ours = std::ranges::any_of(kPrefixes, [path](std::string_view prefix) {
        return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
    });
    const auto problem = is_ours ? parse_json(response.body) : Result<Json>(invalid("another API"));
    if (!problem) return;
    const auto& members = problem->get_object();
    auto translated = rpc::refused({.status = response.status,
                                    .code = std::string(members.at("code").get_string()),
                                    .detail = std::string(members.at("detail").get_string())});
    std::erase_if(response.headers,
                  [](const Header& header) { return same_ignoring_case(header.first, "Content-Type"); });
    response.headers.emplace_back("Content-Type", kJsonMedia);
    response.status = translated.status;
    response.body = std::move(translated.body);
}

}  // namespace belfry::api
