// What the cron service's words mean here, and how our answers read there. Pure.
#pragma once

#include "api/dialects/dialects.hpp"
#include "base/json.hpp"
#include "model/run.hpp"
#include "store/store.hpp"

namespace belfry::api::cron_service {

// The members of an upsert.
[[nodiscard]] std::vector<Member> upsert_members();

// What an upsert says, as a patch of the native definition (RFC 7386): it replaces all that it has a word for.
// REQUIRES: it has the members of an upsert.
[[nodiscard]] Json definition_of(const Json& upsert);

[[nodiscard]] Json schedule_json(const store::ScheduleRecord& record, const std::vector<Instant>& next);
[[nodiscard]] ShapePtr schedule_answer();

[[nodiscard]] Json run_json(const model::Run& run, const model::Schedule& schedule);
[[nodiscard]] ShapePtr run_answer();

// {"error": code, "message": …, "field": …}
[[nodiscard]] Response refusal(const Problem& problem);
[[nodiscard]] ShapePtr refusal_answer();
// An error of the engine, whose fields are those of a native definition.
[[nodiscard]] Error in_their_words(Error error);

}  // namespace belfry::api::cron_service
