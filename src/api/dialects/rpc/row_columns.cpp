// Columns, and the values in them.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/row_query.hpp"
#include "base/crypto/uuid.hpp"
#include "base/text/ascii.hpp"
#include "base/text/nearest.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry::api::rpc {

namespace {

constexpr std::size_t kPathMax = 16;  // steps into the JSON of a column

ColumnType type_of(const Shape& shape) {
    switch (shape.kind) {
        case Shape::Kind::boolean: return ColumnType::boolean;
        case Shape::Kind::integer:
        case Shape::Kind::decimal: return ColumnType::number;
        case Shape::Kind::text:
            if (shape.format == "date-time") return ColumnType::instant;
            return shape.format == "uuid" ? ColumnType::uuid : ColumnType::text;
        default: return ColumnType::json;
    }
}

std::string_view sql_name(ColumnType type) {
    switch (type) {
        case ColumnType::boolean: return "boolean";
        case ColumnType::number: return "numeric";
        case ColumnType::text: return "text";
        case ColumnType::instant: return "timestamp with time zone";
        case ColumnType::uuid: return "uuid";
        case ColumnType::json: return "jsonb";
    }
    return "";
}

Refusal no_column(std::string_view name, const Shape& row) {
    std::vector<std::string> names;
    for (const auto& member : row.members) names.push_back(member.name);
    const auto meant = nearest(std::string(name), names);
    return {400,
            "42703",
            "column " + in_quotes(name) + " does not exist",
            {},
            meant ? "use the column " + *meant : "the rows have the columns that the API description lists"};
}

Json step_into(const Json& value, const std::string& key) {
    if (kind_of(value) == JsonKind::object) {
        const auto* const found = value.get_object().if_contains(key);
        return found == nullptr ? Json(nullptr) : *found;
    }
    const auto index = parse_integer(key);
    if (!value.is_array() || !index) return nullptr;
    const auto& array = value.get_array();
    const auto size = static_cast<std::int64_t>(array.size());
    const auto place = *index < 0 ? size + *index : *index;
    return place >= 0 && place < size ? array[static_cast<std::size_t>(place)] : Json(nullptr);
}

// The next step of a path: `->key` or `->>key`. `text` begins with the arrow.
std::string take_step(std::string_view& text, bool& as_text) {
    text.remove_prefix(2);
    as_text = text.starts_with('>');
    if (as_text) text.remove_prefix(1);
    const auto end = std::min(text.find("->"), text.size());
    std::string key(text.substr(0, end));
    text.remove_prefix(end);
    if (key.size() > 1 && key.front() == '"' && key.back() == '"') key = key.substr(1, key.size() - 2);
    return key;
}

}  // namespace

Json Column::of(const boost::json::object& row) const {
    const auto* const found = row.if_contains(name);
    Json value = found == nullptr ? Json(nullptr) : *found;
    for (const auto& key : path) value = step_into(value, key);
    if (!as_text || value.is_null() || kind_of(value) == JsonKind::string) return value;
    return Json(to_text(value));
}

OrRefusal<Column> parse_column(std::string_view text, const Shape& row) {
    Column column;
    bool is_text = false;
    if (const auto cast = text.find("::"); cast != std::string_view::npos) {
        if (text.substr(cast + 2) != "text") {
            return Refusal{400,
                           "PGRST100",
                           "a cast to " + in_quotes(text.substr(cast + 2)) + " is not supported",
                           {},
                           "cast to ::text, or leave the cast out"};
        }
        is_text = true;
        text = text.substr(0, cast);
    }
    const auto end = std::min(text.find("->"), text.size());
    column.name = text.substr(0, end);
    const auto member = std::ranges::find(row.members, column.name, &Member::name);
    if (member == row.members.end()) return no_column(column.name, row);
    column.type = type_of(*member->shape);
    for (text.remove_prefix(end); !text.empty();) {
        if (column.type != ColumnType::json || column.as_text)
            return Refusal{400, "42883", "the operator -> needs JSON on its left", "column " + column.name};
        if (column.path.size() == kPathMax) return Refusal{400, "PGRST100", "a path has at most 16 steps"};
        column.path.push_back(take_step(text, column.as_text));
        if (column.path.back().empty() || column.path.back().starts_with('>'))
            return Refusal{400, "PGRST100", "an arrow needs a key on its right", "column " + column.name};
    }
    column.as_text = column.as_text || is_text;
    if (column.as_text) column.type = ColumnType::text;
    return column;
}

std::optional<bool> parse_boolean(std::string_view text) {
    const auto word = lower_case(trimmed(text));
    if (word == "1" || word == "on") return true;
    if (word == "0" || word == "of" || word == "off") return false;
    if (word.empty()) return std::nullopt;
    for (const auto* const yes : {"true", "yes"}) {
        if (std::string_view(yes).starts_with(word)) return true;
    }
    for (const auto* const no : {"false", "no"}) {
        if (std::string_view(no).starts_with(word)) return false;
    }
    return std::nullopt;
}

Result<Instant> parse_timestamp(std::string_view text) {
    constexpr std::size_t kDate = 10;     // YYYY-MM-DD
    constexpr std::size_t kMinutes = 16;  // YYYY-MM-DDTHH:MM
    std::string full(trimmed(text));
    if (full.size() == kDate) full += "T00:00";
    if (full.size() > kDate && full[kDate] == ' ') full[kDate] = 'T';
    const auto sign = full.find_first_of("+-", std::min(full.size(), kDate));
    const bool has_zone = sign != std::string::npos || full.ends_with('Z') || full.ends_with('z');
    if (sign != std::string::npos && full.size() == sign + 3) full += ":00";  // the offset has hours only
    if (!has_zone) full += 'Z';
    if (full.size() > kMinutes && full[kMinutes] != ':') full.insert(kMinutes, ":00");
    return parse_instant(full);
}

OrRefusal<Json> parse_literal(std::string_view text, ColumnType type) {
    const Refusal wrong{400, "22P02",
                        "invalid input syntax for type " + std::string(sql_name(type)) + ": " + in_quotes(text)};
    switch (type) {
        case ColumnType::boolean:
            if (const auto value = parse_boolean(text)) return Json(*value);
            return wrong;
        case ColumnType::number: {
            auto value = parse_json(trimmed(text));
            if (value && kind_of(*value) == JsonKind::number) return std::move(*value);
            return wrong;
        }
        case ColumnType::instant:
            if (const auto value = parse_timestamp(text)) return Json(format_instant(*value));
            return wrong;
        case ColumnType::uuid:
            if (const auto value = parse_uuid(trimmed(text))) return Json(format_uuid(*value));
            return wrong;
        case ColumnType::json: {
            auto value = parse_json(text);
            if (value) return std::move(*value);
            return wrong;
        }
        case ColumnType::text: return Json(text);
    }
    return wrong;
}

bool is_equal(const Json& a, const Json& b, ColumnType type) {
    return type == ColumnType::json ? same_json(a, b) : compare(a, b, type) == 0;
}

std::weak_ordering compare(const Json& a, const Json& b, ColumnType type) {
    if (type == ColumnType::boolean && a.is_bool() && b.is_bool()) return a.get_bool() <=> b.get_bool();
    if (type == ColumnType::number) {
        const auto order = compare_numbers(a, b);
        if (order == std::partial_ordering::less) return std::weak_ordering::less;
        return order == std::partial_ordering::greater ? std::weak_ordering::greater : std::weak_ordering::equivalent;
    }
    if (type == ColumnType::json && same_json(a, b)) return std::weak_ordering::equivalent;
    if (kind_of(a) != JsonKind::string || kind_of(b) != JsonKind::string) return to_text(a) <=> to_text(b);
    const std::string_view left(a.get_string());
    const std::string_view right(b.get_string());
    if (type == ColumnType::instant) {
        const auto first = parse_instant(left);
        const auto second = parse_instant(right);
        if (first && second) return *first <=> *second;
    }
    return left <=> right;
}

}  // namespace belfry::api::rpc
