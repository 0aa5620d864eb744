// Reads `select`, `order`, `limit`, `offset`, Range and Prefer.
#include "api/dialects/rpc/row_query.hpp"

#include <algorithm>

#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry::api::rpc {

namespace {

constexpr std::size_t kColumnsMax = 100;  // of `select` and of `order`

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const auto end = std::min(text.find(separator), text.size());
        parts.push_back(trimmed(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

// The colon of an alias, not those of a cast.
std::size_t alias_end(std::string_view item) {
    const auto colon = item.find(':');
    return colon != std::string_view::npos && item.substr(colon).starts_with("::") ? std::string_view::npos : colon;
}

std::optional<Refusal> refuse_embedding(std::string_view item) {
    if (item.find('(') == std::string_view::npos) return std::nullopt;
    if (item.ends_with("()"))
        return Refusal{400, "PGRST123", "aggregate functions are not supported", {}, "select columns only"};
    return Refusal{400, "PGRST200", "there is no relationship " + in_quotes(item), {}, "select columns only"};
}

std::optional<Refusal> read_select(std::string_view text, const Shape& row, RowQuery& query) {
    const auto items = split(text, ',');
    if (items.size() > kColumnsMax) return Refusal{400, "PGRST100", "select has more than 100 columns"};
    for (const auto item : items) {
        if (auto wrong = refuse_embedding(item)) return wrong;
        if (item == "*") {
            if (items.size() == 1) return std::nullopt;
            for (const auto& member : row.members) {
                auto all = parse_column(member.name, row);
                query.selected.push_back({member.name, std::move(std::get<Column>(all))});
            }
            continue;
        }
        const auto colon = alias_end(item);
        auto column = parse_column(colon == std::string_view::npos ? item : item.substr(colon + 1), row);
        if (const auto* const wrong = std::get_if<Refusal>(&column)) return *wrong;
        auto& found = std::get<Column>(column);
        std::string key(colon == std::string_view::npos ? std::string_view() : item.substr(0, colon));
        if (key.empty()) key = found.path.empty() ? found.name : found.path.back();
        query.selected.push_back({std::move(key), std::move(found)});
    }
    return std::nullopt;
}

std::optional<Refusal> read_order(std::string_view text, const Shape& row, RowQuery& query) {
    const auto items = split(text, ',');
    if (items.size() > kColumnsMax) return Refusal{400, "PGRST100", "order has more than 100 columns"};
    for (const auto item : items) {
        const auto words = split(item, '.');
        if (words.empty()) continue;
        auto column = parse_column(words.front(), row);
        if (const auto* const wrong = std::get_if<Refusal>(&column)) return *wrong;
        Ordering ordering{.column = std::move(std::get<Column>(column))};
        std::optional<bool> nulls_first;
        for (std::size_t i = 1; i < words.size(); ++i) {
            const auto word = words[i];
            if (word == "desc") {
                ordering.descending = true;
            } else if (word == "nullsfirst" || word == "nullslast") {
                nulls_first = word == "nullsfirst";
            } else if (word != "asc") {
                return Refusal{400,
                               "PGRST100",
                               "cannot parse the order " + in_quotes(item),
                               {},
                               "write column.desc.nullslast; the words are asc, desc, nullsfirst and nullslast"};
            }
        }
        ordering.nulls_first = nulls_first.value_or(ordering.descending);
        query.order.push_back(std::move(ordering));
    }
    return std::nullopt;
}

std::optional<Refusal> read_number(std::string_view name, std::string_view text, std::int64_t& into) {
    const auto number = parse_integer(trimmed(text));
    if (!number) return Refusal{400, "PGRST100", std::string(name) + " is not a whole number: " + in_quotes(text)};
    if (*number < 0) return Refusal{416, "PGRST103", std::string(name) + " is less than zero"};
    into = *number;
    return std::nullopt;
}

// `Range: 0-9` or `10-`: a part of what limit and offset leave. Other units, as in `bytes=0-9`, are ignored.
std::optional<Refusal> read_range(std::string_view header, RowQuery& query) {
    const auto dash = header.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto from = parse_integer(trimmed(header.substr(0, dash)));
    const auto end = trimmed(header.substr(dash + 1));
    const auto to = parse_integer(end);
    if (!from || *from < 0 || (!to && !end.empty())) return std::nullopt;
    if (to && *to < *from) return Refusal{416, "PGRST103", "the range ends before it begins", {}, "send Range: 0-9"};
    constexpr std::int64_t kFar = std::int64_t{1} << 40;  // no list is this long, and sums cannot overflow
    const auto begin = std::min(*from, kFar);
    if (query.limit) query.limit = std::max<std::int64_t>(*query.limit - begin, 0);
    query.offset = std::min(query.offset, kFar) + begin;
    if (to) query.limit = std::min(query.limit.value_or(kFar), std::min(*to, kFar) - begin + 1);
    return std::nullopt;
}

std::optional<Refusal> read_parameter(const std::string& name, const std::string& value, const Shape& row,
                                      RowQuery& query) {
    if (name == "select") return read_select(value, row, query);
    if (name == "order") return read_order(value, row, query);
    if (name == "offset") return read_number(name, value, query.offset);
    if (name == "limit") {
        std::int64_t limit = 0;
        auto wrong = read_number(name, value, limit);
        query.limit = limit;
        return wrong;
    }
    auto filter = parse_filter(name, value, row);
    if (const auto* const wrong = std::get_if<Refusal>(&filter)) return *wrong;
    query.filters.push_back(std::move(std::get<Filter>(filter)));
    return std::nullopt;
}

}  // namespace

OrRefusal<RowQuery> parse_row_query(const Call& call, const Shape& arguments, const Shape& row) {
    RowQuery query;
    for (const auto& [name, value] : call.query.pairs()) {
        const bool is_argument = std::ranges::find(arguments.members, name, &Member::name) != arguments.members.end();
        // An empty select or order asks for nothing. A client that describes its columns sends `columns`.
        const bool is_empty = value.empty() && (name == "select" || name == "order");
        if (is_argument || is_empty || name == "columns") continue;
        if (auto wrong = read_parameter(name, value, row, query)) return *wrong;
    }
    if (auto wrong = read_range(call.request.header("Range"), query)) return *wrong;
    for (const auto preference : split(call.request.header("Prefer"), ','))
        query.count = query.count || preference.starts_with("count=");
    return query;
}

}  // namespace belfry::api::rpc
