// Translates between the cron service's requests and responses and the native ones. Pure.
#pragma once

#include <functional>

#include "api/dialects/dialects.hpp"
#include "base/text/json.hpp"
#include "model/run/run.hpp"
#include "store/schedule_record.hpp"

namespace belfry::api::cron_service {

// RFC 3339, or the same without an offset, which means UTC.
[[nodiscard]] Result<Instant> parse_their_instant(std::string_view text);
[[nodiscard]] ShapePtr their_instant();

// The members of an upsert.
[[nodiscard]] std::vector<Member> upsert_members();

// Returns an upsert as a patch of the native definition (RFC 7386). It replaces every member that an upsert can
// express. REQUIRES: the upsert has the members above.
[[nodiscard]] Json definition_of(const Json& upsert);

// The user on whose behalf the schedule runs, or who created it.
[[nodiscard]] std::optional<std::string> user_of(const model::Schedule& definition);

// A schedule in a list, and one with its next fire times.
[[nodiscard]] boost::json::object schedule_json(const store::ScheduleRecord& record);
[[nodiscard]] Json schedule_json(const store::ScheduleRecord& record, const std::vector<Instant>& next);
[[nodiscard]] ShapePtr schedule_row_answer();
[[nodiscard]] ShapePtr schedule_answer();

// The id in the receipt of a launcher (engine/outgoing/http_launcher.hpp), if it gave one.
[[nodiscard]] std::optional<std::string> launched_run(const boost::json::object& receipt);

// REQUIRES: the schedule is the definition that decided the run.
[[nodiscard]] Json run_json(const model::Run& run, const model::Schedule& schedule,
                            const std::optional<std::string>& launched);
[[nodiscard]] ShapePtr run_answer();

// {"detail": …, "error": code, "message": …, "field": …}
[[nodiscard]] Response refusal(const Problem& problem);
[[nodiscard]] ShapePtr refusal_answer();
// Maps an error of the engine from native fields to those of the cron service.
[[nodiscard]] Error in_their_words(Error error);

// Adds a route with the dialect's conventions.
using AddRoute = std::function<void(Route)>;
// The routes of the launcher, and those of the worker, which is Belfry itself.
void add_launcher_routes(const AddRoute& add, engine::Schedules& schedules, engine::Workflows& workflows,
                         store::StoreReader& reader);
void add_worker_routes(const AddRoute& add, engine::Tenants& tenants, const engine::ServerStatus& status,
                       const WorkerSettings& settings);

}  // namespace belfry::api::cron_service
