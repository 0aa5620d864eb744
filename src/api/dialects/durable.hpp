// The dialect of the durable-workflow server: `/api/schedules`, snake_case, the tenant in X-Namespace. What its files share.
//
//   durable_shapes    what requests and answers look like
//   durable_reading   a request as a definition
//   durable_writing   a schedule, its events and its runs as answers
//   durable_query     which schedules a list asks for, and its page tokens
//   durable_errors    what went wrong, in this dialect's words
//   durable_routes    schedules as things; durable_actions: what is asked of them; durable_waterline: the console's readers
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/dialects/dialects.hpp"

namespace belfry::api::durable {

inline constexpr const char* kVersionHeader = "X-Durable-Workflow-Control-Plane-Version";
inline constexpr std::int64_t kScheduleIdMax = 128;  // characters
inline constexpr std::int64_t kNoteMax = 1'000;      // characters
inline constexpr std::int64_t kJitterSecondsMax = 3'600;
inline constexpr std::size_t kMemoMax = std::size_t{256} << 10U;  // bytes of its JSON
inline constexpr std::int64_t kPageRows = 50;
inline constexpr std::int64_t kPageRowsMax = 200;
inline constexpr std::int64_t kHistoryRows = 100;
inline constexpr std::int64_t kHistoryRowsMax = 500;

// -- What went wrong.

// Another answer than what was asked for. The reason is for programs.
struct Refusal {
    Problem problem;  // its fields are JSON pointers into the request, or `?name` of a parameter
    std::string reason;
    boost::json::object details = {};  // further members of the answer
};
[[nodiscard]] Response refused(const Refusal& refusal);
[[nodiscard]] Response refused(const Problem& problem);          // by its status
[[nodiscard]] Response refused_by_list(const Problem& problem);  // the same where a parameter is a filter
[[nodiscard]] ShapePtr refusal_shape();

// An error of the engine about a definition, whose fields are the native ones, or about a range of time. What is no matter of the request
// is left as it is.
[[nodiscard]] Result<Response> refused_definition(const Error& error, const std::string& schedule_id);
[[nodiscard]] Result<Response> refused_range(const Error& error);

// -- Routes.

using DialectPtr = std::shared_ptr<const Dialect>;
[[nodiscard]] DialectPtr make_dialect(const DialectOptions& options, Response (*refusal)(const Problem&) = &refused);
[[nodiscard]] Member version_header();

void add_thing_routes(Routes& routes, engine::Engine& engine, const DialectOptions& options);
void add_action_routes(Routes& routes, engine::Engine& engine, const DialectOptions& options);
void add_waterline_routes(Routes& routes, engine::Engine& engine, const DialectOptions& options);

// -- Handlers that the console shares.

// `{schedule_id}` of the call, whatever became of it; or the same, when it is not deleted.
[[nodiscard]] Result<store::ScheduleRecord> schedule_asked_for(engine::Engine& engine, const Call& call);
[[nodiscard]] Result<store::ScheduleRecord> live_schedule(engine::Engine& engine, const Call& call);

[[nodiscard]] Result<Response> list_schedules(engine::Engine& engine, const Call& call);
[[nodiscard]] Result<Response> schedule_history(engine::Engine& engine, const Call& call);

}  // namespace belfry::api::durable
