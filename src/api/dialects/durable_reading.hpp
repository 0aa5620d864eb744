// Requests of the durable dialect as definitions. Pure, but for the id that a schedule without one is given.
#pragma once

#include "api/dialects/durable.hpp"

namespace belfry::api::durable {

// REQUIRES: the body has the shape of a creation. What is missing has the defaults of this dialect, not those of the operator:
// missed runs fire once, overlapping ones are skipped, nothing waits for approval.
[[nodiscard]] model::Schedule new_schedule(const Json& body, const std::string& tenant);

// REQUIRES: the body has the shape of an update. The spec is replaced as a whole, but a zone that the new one does not name stays, and
// so does the jitter, which is a member of its own here; members that are absent stay, and so do those of the action.
[[nodiscard]] model::Schedule updated(model::Schedule stored, const Json& body);

// The answer when the memo is too large.
[[nodiscard]] std::optional<Response> refuse_memo(const Json& body);

// An instant as people write it to this server: RFC 3339, also with a blank for the T; UTC when there is no offset, midnight when there is
// no time.
[[nodiscard]] Result<Instant> parse_moment(std::string_view text);

}  // namespace belfry::api::durable
