// Writes optional values as JSON. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text/json.hpp"
#include "base/time/instant.hpp"

namespace belfry::api {

[[nodiscard]] inline Json or_null(const std::optional<Instant>& instant) {
    return instant ? Json(format_instant(*instant)) : Json(nullptr);
}
[[nodiscard]] inline Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
// An empty text is written as null.
[[nodiscard]] inline Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
template <std::integral Number>
[[nodiscard]] Json or_null(const std::optional<Number>& number) {
    return number ? Json(*number) : Json(nullptr);
}

template <typename T>
[[nodiscard]] boost::json::array array_of(const std::vector<T>& values) {
    boost::json::array array;
    for (const auto& value : values) array.push_back(Json(value));
    return array;
}
[[nodiscard]] inline boost::json::object object_of(const std::map<std::string, std::string>& texts) {
    boost::json::object object;
    for (const auto& [key, text] : texts) object[key] = text;
    return object;
}

}  // namespace belfry::api
