// Reads the members of a validated request, so reading cannot fail. Null counts as absent. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json.hpp"
#include "base/text/parse_integer.hpp"
#include "base/time/instant.hpp"

namespace belfry::api {

// REQUIRES: the shape of the text uses this parser as its check.
template <typename T>
[[nodiscard]] std::optional<T> parsed_text(const std::optional<std::string>& text,
                                           Result<T> (*parse)(std::string_view)) {
    if (!text) return std::nullopt;
    auto result = parse(*text);
    assert(result);
    return result ? std::optional(std::move(*result)) : std::nullopt;
}

// Reads a JSON object, which must outlive it.
class Values {
public:
    explicit Values(const Json& json) : object_(json.get_object()) {}

    [[nodiscard]] const Json* any(std::string_view name) const { return object_.if_contains(name); }  // may be null
    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const {
        const auto* const value = find(name);
        return value == nullptr ? std::nullopt : std::optional(std::string(std::string_view(value->get_string())));
    }
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const {
        const auto* const value = find(name);
        return value == nullptr ? std::nullopt : std::optional(value->to_number<std::int64_t>());
    }
    [[nodiscard]] std::optional<bool> boolean(std::string_view name) const {
        const auto* const value = find(name);
        return value == nullptr ? std::nullopt : std::optional(value->get_bool());
    }
    [[nodiscard]] std::optional<Instant> instant(std::string_view name) const { return parsed(name, &parse_instant); }
    template <typename T>
    [[nodiscard]] std::optional<T> parsed(std::string_view name, Result<T> (*parse)(std::string_view)) const {
        return parsed_text(text(name), parse);
    }
    // Empty when the member is absent.
    [[nodiscard]] const boost::json::array& array(std::string_view name) const {
        static const boost::json::array kNone;
        const auto* const value = find(name);
        return value == nullptr ? kNone : value->get_array();
    }

private:
    [[nodiscard]] const Json* find(std::string_view name) const {
        const auto* const value = object_.if_contains(name);
        return value == nullptr || value->is_null() ? nullptr : value;
    }

    const boost::json::object& object_;
};

// Reads a query string.
class Parameters {
public:
    using Pairs = std::vector<std::pair<std::string, std::string>>;

    Parameters() = default;
    explicit Parameters(Pairs pairs) : pairs_(std::move(pairs)) {}

    [[nodiscard]] const Pairs& pairs() const { return pairs_; }
    // An empty value counts as absent.
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const {
        for (const auto& pair : pairs_) {
            if (pair.first == name && !pair.second.empty()) return pair.second;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const {
        const auto value = text(name);
        return value ? parse_integer(*value) : std::nullopt;
    }
    [[nodiscard]] bool flag(std::string_view name) const { return text(name) == "true"; }
    [[nodiscard]] std::optional<Instant> instant(std::string_view name) const { return parsed(name, &parse_instant); }
    template <typename T>
    [[nodiscard]] std::optional<T> parsed(std::string_view name, Result<T> (*parse)(std::string_view)) const {
        return parsed_text(text(name), parse);
    }

private:
    Pairs pairs_ = {};
};

}  // namespace belfry::api
