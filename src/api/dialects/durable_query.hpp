// Which schedules a list of the durable dialect asks for. Pure.
//
//   query     := predicate { "AND" predicate }
//   predicate := field "=" literal
//   literal   := "text" | 'text' | number | true | false
//
// Fields are ScheduleId, Status, WorkflowType, TaskQueue, Note, and anything else is a search attribute.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/dialects/durable.hpp"

namespace belfry::api::durable {

struct Predicate {
    std::string field;
    Json literal;
};

[[nodiscard]] std::variant<std::vector<Predicate>, Refusal> parse_visibility(std::string_view query);

struct ListRequest {
    store::ScheduleFilter filter = {};
    bool impossible = false;  // two predicates contradict each other: nothing is found
    store::Page page = {};
    std::string mark = {};  // of the filter; a page token of another list has another
};
[[nodiscard]] std::variant<ListRequest, Refusal> read_list_request(const Call& call);

// Where the next page begins, for this tenant and this filter only; null when there is none.
[[nodiscard]] Json page_token(const ListRequest& request, const std::string& next);
[[nodiscard]] Response malformed_token();

}  // namespace belfry::api::durable
