// Translates between the cron service's requests and responses and the native ones. Pure.
#pragma once

#include "api/dialects/dialects.hpp"
#include "base/text/json.hpp"
#include "model/run/run.hpp"
#include "store/schedule_record.hpp"

namespace belfry::api::cron_service {

// The members of an upsert.
[[nodiscard]] std::vector<Member> upsert_members();

// Returns an upsert as a patch of the native definition (RFC 7386). It replaces every member that an upsert can
// express. REQUIRES: the upsert has the members above.
[[nodiscard]] Json definition_of(const Json& upsert);

[[nodiscard]] Json schedule_json(const store::ScheduleRecord& record, const std::vector<Instant>& next);
[[nodiscard]] ShapePtr schedule_answer();

[[nodiscard]] Json run_json(const model::Run& run, const model::Schedule& schedule);
[[nodiscard]] ShapePtr run_answer();

// {"error": code, "message": …, "field": …}
[[nodiscard]] Response refusal(const Problem& problem);
[[nodiscard]] ShapePtr refusal_answer();
// Maps an error of the engine from native fields to those of the cron service.
[[nodiscard]] Error in_their_words(Error error);

}  // namespace belfry::api::cron_service
