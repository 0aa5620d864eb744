// Reads definitions from requests of the durable dialect. Pure, except for the id that a schedule without one gets.
#pragma once

#include "api/dialects/durable/durable.hpp"

namespace belfry::api::durable {

// REQUIRES: the body has the shape of a creation. Omitted members have the defaults of this dialect, not the
// operator's: missed runs fire once, overlapping ones are skipped, and no run waits for approval.
[[nodiscard]] model::Schedule new_schedule(const Json& body, const std::string& tenant);

// REQUIRES: the body has the shape of an update. Replaces the spec as a whole, but keeps the time zone if the new spec
// names none, and the jitter, which is a separate member here. Other omitted members stay, also those of the action.
[[nodiscard]] model::Schedule updated(model::Schedule stored, const Json& body);

// Returns the error response when the memo is too large.
[[nodiscard]] std::optional<Response> refuse_memo(const Json& body);

// Parses an instant in RFC 3339, also with a blank instead of the T. Defaults to UTC without an offset, and to midnight
// without a time.
[[nodiscard]] Result<Instant> parse_moment(std::string_view text);

}  // namespace belfry::api::durable
