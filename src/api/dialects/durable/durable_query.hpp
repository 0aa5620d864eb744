// Parses the filters of a list in the durable dialect. Pure.
//
//   query     := predicate { "AND" predicate }
//   predicate := field "=" literal
//   literal   := "text" | 'text' | number | true | false
//
// Fields are ScheduleId, Status, WorkflowType, TaskQueue and Note. Any other field is a search attribute.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/dialects/durable/durable.hpp"

namespace belfry::api::durable {

struct Predicate {
    std::string field;
    Json literal;
};

[[nodiscard]] std::variant<std::vector<Predicate>, Refusal> parse_visibility(std::string_view query);

struct ListRequest {
    store::ScheduleFilter filter = {};
    bool impossible = false;  // two predicates contradict each other: the list is empty
    store::Page page = {};
    std::string mark = {};  // identifies the filter; the page tokens of another list have a different one
};
[[nodiscard]] std::variant<ListRequest, Refusal> read_list_request(const Call& call);

// Returns the position of the next page, valid for this tenant and filter only, or null when there is none.
struct ListName {
    std::string tenant;
    std::string mark;
};
[[nodiscard]] Json page_token(const ListName& list, const std::string& next);
// Returns the position in a token of this list.
[[nodiscard]] std::variant<std::string, Refusal> read_token(std::string_view token, const ListName& list);
[[nodiscard]] Response malformed_token();

// The mark of a filter.
[[nodiscard]] std::string mark_of(const Call& call, const std::vector<Predicate>& predicates);
[[nodiscard]] Refusal malformed_query(std::string message);

}  // namespace belfry::api::durable
