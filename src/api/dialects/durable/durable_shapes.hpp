// The shapes of requests and responses in the durable dialect. Pure.
#pragma once

#include "api/dialects/durable/durable.hpp"

namespace belfry::api::durable {

[[nodiscard]] ShapePtr creation_shape();
[[nodiscard]] ShapePtr update_shape();
[[nodiscard]] ShapePtr note_shape();  // of a pause and of a resumption
[[nodiscard]] ShapePtr trigger_shape();
[[nodiscard]] ShapePtr backfill_shape();

[[nodiscard]] ShapePtr outcome_shape();
[[nodiscard]] ShapePtr trigger_outcome_shape();
[[nodiscard]] ShapePtr backfill_outcome_shape();
[[nodiscard]] ShapePtr list_shape();
[[nodiscard]] ShapePtr description_shape();
[[nodiscard]] std::vector<Member> description_members();
[[nodiscard]] std::vector<Member> item_members();
[[nodiscard]] std::vector<Member> both(std::vector<Member> first, std::vector<Member> second);
[[nodiscard]] std::vector<Member> all_required(std::vector<Member> members);
[[nodiscard]] ShapePtr moment();    // an instant, in one of the forms of parse_moment
[[nodiscard]] ShapePtr policies();  // of overlap
[[nodiscard]] ShapePtr history_shape();

// The parameters of a list, whose schedules may have these states, and of a history.
[[nodiscard]] std::vector<Member> list_parameters(std::vector<std::string> states);
[[nodiscard]] std::vector<Member> history_parameters();

}  // namespace belfry::api::durable
