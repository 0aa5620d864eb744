// The routes of a function: a call by POST with the arguments as the body, and, if it only reads, by GET with the
// arguments in the query.
#include <algorithm>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/rpc.hpp"

namespace belfry::api::rpc {

namespace {

// Everything else in the query is about the rows.
Json arguments_in_query(const Call& call, const Shape& arguments) {
    boost::json::object body;
    for (const auto& [name, value] : call.query.pairs()) {
        if (std::ranges::find(arguments.members, name, &Member::name) != arguments.members.end()) body[name] = value;
    }
    return body;
}

// REQUIRES: the arguments are cast.
Result<Response> value_response(const Function& function, const Call& call, const Media& media) {
    if (media.kind == Media::Kind::csv) {
        return response_of({406,
                            "PGRST107",
                            "the value of this function is not available as text/csv",
                            {},
                            "accept application/json"});
    }
    auto value = function.value(call);
    if (!value) return value.error();
    return json_response(*value);
}

Result<Response> call_for_rows(const Function& function, const Call& call, const Media& media, const RowQuery& query) {
    RowSink sink(query);
    if (auto offered = function.rows(call, sink); !offered) return offered.error();
    auto result = sink.take();
    if (const auto* const refusal = std::get_if<Refusal>(&result)) return response_of(*refusal);
    return rows_response(std::get<RowSink::Result>(result), query, media, *function.answer);
}

// A change returns exactly one row. A request that would drop this row and then fail is rejected before the change.
std::optional<Refusal> refuse_change(const RowQuery& query, const Media& media) {
    if (!query.filters.empty()) {
        return Refusal{400, "0A000", "a function that changes data takes no filters",
                       "column " + query.filters.front().column.name,
                       "call it without filters; it returns the row that it changed"};
    }
    const bool is_dropped = query.offset > 0 || query.limit == 0;
    RowSink::Result nothing{.rows = {}, .offset = query.offset};
    if (query.count) nothing.total = 1;
    if (query.count && query.offset > 1) return out_of_range(nothing);
    if (is_dropped && media.kind == Media::Kind::object) return not_one_row(0);
    return std::nullopt;
}

// Checks everything before the function runs, so that a call that changes something is not rejected afterwards.
Result<Response> answer_call(const Function& function, Call call) {
    if (call.request.method != "POST") call.body = arguments_in_query(call, *function.arguments);
    const auto media = accepted_media(call.request.header("Accept"));
    if (const auto* const refusal = std::get_if<Refusal>(&media)) return response_of(*refusal);
    static const Shape kNoColumns{.kind = Shape::Kind::object};
    const auto query = parse_row_query(call, *function.arguments, function.value ? kNoColumns : *function.answer);
    if (const auto* const refusal = std::get_if<Refusal>(&query)) return response_of(*refusal);
    const bool changes = function.permission != model::Permission::read && !function.value;
    if (const auto refusal = changes ? refuse_change(std::get<RowQuery>(query), std::get<Media>(media)) : std::nullopt)
        return response_of(*refusal);
    if (const auto refusal = read_arguments(function.name, *function.arguments, call.body))
        return response_of(*refusal);
    auto null_allowed = *function.arguments;  // the function decides what a null means
    for (auto& member : null_allowed.members) member.presence = Presence::optional;
    null_allowed.needed.clear();
    if (auto errors = check(call.body, null_allowed); !errors.empty()) return combine_errors(std::move(errors));
    return function.value ? value_response(function, call, std::get<Media>(media))
                          : call_for_rows(function, call, std::get<Media>(media), std::get<RowQuery>(query));
}

std::vector<Member> row_parameters() {
    return {{"select", text(), "Columns to return, separated by commas: `id,mode:queue_policy->>mode`."},
            {"order", text(), "Columns to sort by: `created_at.desc.nullslast,id`."},
            {"limit", integer(0), "Maximum number of rows to return."},
            {"offset", integer(0), "Number of rows to skip."}};
}

std::vector<Answer> answers_of(const Function& function) {
    std::vector<Answer> answers{{400, refusal_shape(), "An argument or a filter is invalid."},
                                {404, refusal_shape(), "There is no function with these arguments."},
                                {406, refusal_shape(), "The client accepts none of the formats, or asked for one row."},
                                {416, refusal_shape(), "There are no rows in the requested range."}};
    const auto rows = function.value ? function.answer : list_of(function.answer);
    answers.insert(answers.begin(), {200, rows, function.says});
    if (!function.value)
        answers.insert(answers.begin() + 1, {206, rows, "A part of the rows. The client asked for their count."});
    return answers;
}

}  // namespace

void add_routes(Routes& routes, const Function& function, const std::shared_ptr<const Dialect>& dialect) {
    Route route{.method = "POST",
                .pattern = "/rpc/" + function.name,
                .operation = function.name,
                .summary = function.summary,
                .details = function.details,
                .permission = function.permission,
                .query = function.value ? std::vector<Member>() : row_parameters(),
                .handler_checks_query = true,
                .body = function.arguments,
                .body_presence = Presence::optional,
                .handler_checks_body = true,
                .answers = answers_of(function),
                .handler = [function](const Call& call) { return answer_call(function, call); },
                .dialect = dialect,
                .alias = "/rest/v1/rpc/" + function.name};
    routes.push_back(route);
    if (function.permission != model::Permission::read) return;
    route.method = "GET";
    route.operation = function.name + "_by_get";
    route.body = {};
    route.handler_checks_body = false;
    route.query.insert(route.query.begin(), function.arguments->members.begin(), function.arguments->members.end());
    routes.push_back(std::move(route));
}

}  // namespace belfry::api::rpc
