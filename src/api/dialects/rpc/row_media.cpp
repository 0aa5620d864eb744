// The formats of responses: an array, one object, or CSV, with the range of the rows.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/row_sink.hpp"
#include "base/text/ascii.hpp"

namespace belfry::api::rpc {

namespace {

constexpr std::string_view kObjectMedia = "application/vnd.pgrst.object";
constexpr std::string_view kArrayMedia = "application/vnd.pgrst.array";
constexpr const char* kCsvMedia = "text/csv";
constexpr const char* kUtf8 = "; charset=utf-8";

std::string_view take_part(std::string_view& text, char separator) {
    const auto end = std::min(text.find(separator), text.size());
    const auto part = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

std::optional<Media> media_called(std::string_view name, bool without_nulls) {
    const auto base = name.ends_with("+json") ? name.substr(0, name.size() - 5) : name;
    if (base == kObjectMedia) return Media{Media::Kind::object, without_nulls};
    if (base == kArrayMedia) return Media{Media::Kind::array, without_nulls};
    if (name == kJsonMedia || name == "*/*" || name == "application/*") return Media{};
    if (name == kCsvMedia || name == "text/*") return Media{Media::Kind::csv};
    return std::nullopt;
}

// PostgREST writes truth as t and f, null as nothing, and JSON as text.
std::string csv_text(const Json& value) {
    if (value.is_null()) return {};
    if (value.is_bool()) return value.get_bool() ? "t" : "f";
    auto text = kind_of(value) == JsonKind::string ? std::string(value.get_string()) : to_text(value);
    if (!text.empty() && text.find_first_of("\",\r\n\\ ") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

std::vector<std::string> keys_of(const RowQuery& query, const Shape& row) {
    std::vector<std::string> keys;
    for (const auto& selected : query.selected) {
        if (std::ranges::find(keys, selected.key) == keys.end()) keys.push_back(selected.key);
    }
    if (!keys.empty()) return keys;
    for (const auto& member : row.members) keys.push_back(member.name);
    return keys;
}

std::string csv_of(const std::vector<Json>& rows, const std::vector<std::string>& keys) {
    std::string out;
    for (const auto& key : keys) out.append(out.empty() ? "" : ",").append(csv_text(Json(key)));
    for (const auto& row : rows) {
        const char* separator = "\n";
        for (const auto& key : keys) {
            const auto* const value = row.get_object().if_contains(key);
            out.append(separator).append(value == nullptr ? std::string() : csv_text(*value));
            separator = ",";
        }
    }
    return out;
}

Json without_nulls(const Json& value) {
    if (value.is_array()) {
        boost::json::array elements;
        for (const auto& element : value.get_array()) elements.push_back(without_nulls(element));
        return elements;
    }
    if (kind_of(value) != JsonKind::object) return value;
    boost::json::object members;
    for (const auto& member : value.get_object()) {
        if (!member.value().is_null()) members[member.key()] = without_nulls(member.value());
    }
    return members;
}

// `0-9/25`; a star stands for no rows, and for an unknown total.
std::string content_range(const RowSink::Result& result) {
    const auto rows = static_cast<std::int64_t>(result.rows.size());
    const auto part =
        rows == 0 ? std::string("*") : std::to_string(result.offset) + "-" + std::to_string(result.offset + rows - 1);
    return part + "/" + (result.total ? std::to_string(*result.total) : "*");
}

Response with_range(Response response, const RowSink::Result& result) {
    response.headers.emplace_back("Content-Range", content_range(result));
    return response;
}

}  // namespace

Refusal not_one_row(std::size_t rows) {
    // Clients look for "0 rows" in the details.
    return {406, "PGRST116", "cannot return the result as a single JSON object",
            "The result contains " + std::to_string(rows) + " rows"};
}

Refusal out_of_range(const RowSink::Result& result) {
    return {416, "PGRST103", "the requested range is not satisfiable",
            "An offset of " + std::to_string(result.offset) + " was requested, but there are only " +
                std::to_string(result.total.value_or(0)) + " rows."};
}

OrRefusal<Media> accepted_media(std::string_view accept) {
    if (trimmed(accept).empty()) return Media{};
    for (auto rest = accept; !rest.empty();) {
        auto parameters = take_part(rest, ',');
        const auto name = lower_case(take_part(parameters, ';'));
        bool stripped = false;
        while (!parameters.empty()) stripped = take_part(parameters, ';') == "nulls=stripped" || stripped;
        if (const auto media = media_called(name, stripped)) return *media;
    }
    return Refusal{406,
                   "PGRST107",
                   "none of these media types is available: " + std::string(accept),
                   {},
                   "accept application/json, application/vnd.pgrst.object+json or text/csv"};
}

Response rows_response(const RowSink::Result& result, const RowQuery& query, const Media& media, const Shape& row) {
    const auto rows = static_cast<std::int64_t>(result.rows.size());
    if (result.total && result.offset > *result.total) return with_range(response_of(out_of_range(result)), result);
    if (media.kind == Media::Kind::object && rows != 1) return response_of(not_one_row(result.rows.size()));
    Response response{.status = result.total && rows < *result.total ? 206 : 200};
    response.selected = !query.selected.empty() || media.without_nulls || media.kind != Media::Kind::array;
    std::string type = kJsonMedia;
    if (media.kind == Media::Kind::csv) {
        type = std::string(kCsvMedia) + kUtf8;
        response.body = csv_of(result.rows, keys_of(query, row));
    } else {
        Json body = media.kind == Media::Kind::object
                        ? result.rows.front()
                        : Json(boost::json::array(result.rows.begin(), result.rows.end()));
        if (media.without_nulls) body = without_nulls(body);
        if (media.kind == Media::Kind::object) type = std::string(kObjectMedia) + "+json" + kUtf8;
        response.body = to_text(body);
    }
    response.headers.emplace_back("Content-Type", std::move(type));
    return with_range(std::move(response), result);
}

}  // namespace belfry::api::rpc
