// Filters of rows: `?is_active=is.true&cron_expr=like.0 *&id=in.(a,b)`.
#include <algorithm>
#include <array>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/row_query.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_size.hpp"

namespace belfry::api::rpc {

namespace {

constexpr std::array<std::string_view, 6> kComparisons{"eq", "neq", "gt", "gte", "lt", "lte"};
constexpr const char* kOperators = "eq, neq, gt, gte, lt, lte, like, ilike, in, is and isdistinct";

Refusal unreadable(std::string_view column, std::string_view condition, std::string hint) {
    return {400,
            "PGRST100",
            "cannot parse the filter " + in_quotes(column) + " = " + in_quotes(condition),
            {},
            std::move(hint)};
}

bool same_character(char a, char b, bool any_case) {
    return a == b || (any_case && same_ignoring_case({&a, 1}, {&b, 1}));
}

// Whether the text matches a pattern with % (any text), _ (one byte) and \ (the next byte as it is). Takes at most
// pattern × text steps: after a mismatch it continues behind the last %.
bool matches_like(std::string_view pattern, std::string_view text, bool any_case) {
    constexpr auto kNone = std::string_view::npos;
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t after_percent = kNone;
    std::size_t resume = 0;
    while (t < text.size()) {
        const bool escaped = p + 1 < pattern.size() && pattern[p] == '\\';
        if (p < pattern.size() && pattern[p] == '%') {
            after_percent = ++p;
            resume = t;
        } else if (p < pattern.size() &&
                   (escaped ? same_character(pattern[p + 1], text[t], any_case)
                            : pattern[p] == '_' || same_character(pattern[p], text[t], any_case))) {
            p += escaped ? 2 : 1;
            ++t;
        } else if (after_percent != kNone) {
            p = after_percent;
            t = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('%', p) == kNone;
}

std::optional<bool> compares(const Filter& filter, const Json& value) {
    if (value.is_null()) return std::nullopt;
    const auto& operand = filter.operands.front();
    if (filter.op == "eq" || filter.op == "neq")
        return is_equal(value, operand, filter.column.type) == (filter.op == "eq");
    const auto order = compare(value, operand, filter.column.type);
    if (filter.op == "gt") return order > 0;
    if (filter.op == "gte") return order >= 0;
    if (filter.op == "lt") return order < 0;
    return order <= 0;
}

std::optional<bool> answer(const Filter& filter, const Json& value) {
    const auto same = [&](const Json& one) { return is_equal(value, one, filter.column.type); };
    switch (filter.kind) {
        case Filter::Kind::compare: return compares(filter, value);
        case Filter::Kind::distinct: return value.is_null() || !same(filter.operands.front());
        case Filter::Kind::in:
            if (value.is_null()) return std::nullopt;
            return std::ranges::any_of(filter.operands, same);
        case Filter::Kind::like:
            if (value.is_null()) return std::nullopt;
            return matches_like(filter.word, std::string_view(value.get_string()), filter.any_case);
        case Filter::Kind::is:
            if (filter.word == "not_null") return !value.is_null();
            if (filter.word == "null" || filter.word == "unknown") return value.is_null();
            return value.is_bool() && value.get_bool() == (filter.word == "true");
    }
    return std::nullopt;
}

// `(a,b,"c,d")`, where a backslash inside quotes keeps the next character.
std::optional<std::vector<std::string>> parse_list(std::string_view text) {
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    std::vector<std::string> values;
    if (text.empty()) return values;
    std::string value;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quoted && text[i] == '\\' && i + 1 < text.size()) {
            value += text[++i];
        } else if (text[i] == '"') {
            quoted = !quoted;
        } else if (text[i] == ',' && !quoted) {
            values.push_back(std::move(value));
            value.clear();
        } else {
            value += text[i];
        }
    }
    if (quoted || values.size() >= kListMax) return std::nullopt;
    values.push_back(std::move(value));
    return values;
}

std::optional<Refusal> read_operands(Filter& filter, const std::vector<std::string>& texts) {
    for (const auto& text : texts) {
        auto literal = parse_literal(text, filter.column.type);
        if (const auto* const wrong = std::get_if<Refusal>(&literal)) return *wrong;
        filter.operands.push_back(std::move(std::get<Json>(literal)));
    }
    return std::nullopt;
}

std::optional<Refusal> read_is(Filter& filter, std::string_view operand) {
    filter.kind = Filter::Kind::is;
    filter.word = lower_case(operand);
    constexpr std::array<std::string_view, 5> kWords{"null", "not_null", "true", "false", "unknown"};
    if (std::ranges::find(kWords, filter.word) == kWords.end())
        return unreadable(filter.column.name, "is." + std::string(operand),
                          "after is, write null, not_null, true, false or unknown");
    const bool any_type = filter.word == "null" || filter.word == "not_null";
    if (any_type || filter.column.type == ColumnType::boolean) return std::nullopt;
    return Refusal{400, "42804", "the argument of IS " + filter.word + " must be boolean",
                   "column " + filter.column.name};
}

std::optional<Refusal> read_like(Filter& filter, std::string_view op, std::string_view operand) {
    filter.kind = Filter::Kind::like;
    filter.any_case = op == "ilike";
    filter.word = operand;
    std::ranges::replace(filter.word, '*', '%');
    if (filter.column.type == ColumnType::text) return std::nullopt;
    return Refusal{400, "42883", "the operator " + std::string(op) + " needs a text", "column " + filter.column.name,
                   "cast the column: " + filter.column.name + "::text"};
}

std::optional<Refusal> read_condition(Filter& filter, std::string_view op, std::string_view operand,
                                      std::string_view whole) {
    if (op == "is") return read_is(filter, operand);
    if (op == "like" || op == "ilike") return read_like(filter, op, operand);
    if (op == "in") {
        filter.kind = Filter::Kind::in;
        const auto values = parse_list(operand);
        if (values) return read_operands(filter, *values);
        return unreadable(filter.column.name, whole,
                          "write at most " + std::to_string(kListMax) + R"( values in parentheses: in.(a,b,"c,d"))");
    }
    if (op == "isdistinct") {
        filter.kind = Filter::Kind::distinct;
        return read_operands(filter, {std::string(operand)});
    }
    if (std::ranges::find(kComparisons, op) == kComparisons.end()) {
        return unreadable(filter.column.name, whole,
                          std::string("write operator.value, for example eq.5; the operators are ") + kOperators);
    }
    filter.op = op;
    return read_operands(filter, {std::string(operand)});
}

}  // namespace

bool Filter::holds(const boost::json::object& row, std::uint64_t& work) const {
    constexpr std::uint64_t kComparison = 16;  // besides the bytes of the value
    const auto value = column.of(row);
    work += std::max<std::uint64_t>({operands.size(), word.size(), 1}) * (kComparison + text_size(value));
    const auto holds = answer(*this, value);
    return holds && *holds != negated;
}

OrRefusal<Filter> parse_filter(std::string_view column, std::string_view condition, const Shape& row) {
    if (column == "or" || column == "and" || column == "not.or" || column == "not.and") {
        return unreadable(column, condition, "groups of filters are not supported; all filters of a request must hold");
    }
    auto parsed = parse_column(column, row);
    if (const auto* const wrong = std::get_if<Refusal>(&parsed)) return *wrong;
    Filter filter{.column = std::move(std::get<Column>(parsed))};
    auto rest = condition;
    if (rest.starts_with("not.")) {
        filter.negated = true;
        rest.remove_prefix(4);
    }
    const auto dot = rest.find('.');
    const auto op = rest.substr(0, dot);
    const auto operand = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    if (dot == std::string_view::npos) {
        return unreadable(column, condition,
                          std::string("write operator.value, for example eq.5; the operators are ") + kOperators);
    }
    if (auto wrong = read_condition(filter, op, operand, condition)) return *wrong;
    return filter;
}

}  // namespace belfry::api::rpc
