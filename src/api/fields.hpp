// Reads a JSON object or a query string member by member, strictly: a wrong type, a wrong value, an unknown name and the lack
// of what is required are errors that name the place and the fix. Pure.
//
//   Fields fields(call.body);
//   const auto reason = fields.text("reason").value_or("");
//   const auto until = fields.instant("until");
//   if (auto error = fields.finish()) return *error;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/instant.hpp"
#include "base/json.hpp"
#include "base/json_pointer.hpp"

namespace belfry::api {

struct Bounds {
    std::int64_t least = 0;
    std::int64_t most = 0;
};

inline constexpr std::size_t kNameMax = 255;  // characters of a name

// The error when it is not 1 to kNameMax characters of storable UTF-8 without control characters.
[[nodiscard]] std::optional<Error> check_name(std::string_view name);

class Fields {
public:
    // `prefix` is the pointer to the object. REQUIRES: the JSON outlives it.
    explicit Fields(const Json& json, std::string prefix = {});

    // Nothing when it is absent, null, or wrong: then finish() tells.
    [[nodiscard]] std::optional<std::string> text(const char* name);
    [[nodiscard]] std::optional<std::string> name(const char* name);  // a text that check_name accepts
    [[nodiscard]] std::optional<std::int64_t> integer(const char* name, Bounds bounds);
    [[nodiscard]] std::optional<bool> boolean(const char* name);
    [[nodiscard]] std::optional<Instant> instant(const char* name);
    [[nodiscard]] const Json* any(const char* name);  // null when absent; a JSON null is a value
    [[nodiscard]] const boost::json::array* array(const char* name, std::size_t most);

    // What `parse` makes of a text: Result<T>(std::string_view).
    template <typename T>
    [[nodiscard]] std::optional<T> parsed(const char* name, Result<T> (*parse)(std::string_view)) {
        const auto value = text(name);
        if (!value) return std::nullopt;
        auto result = parse(*value);
        if (result) return *result;
        fail(name, result.error());
        return std::nullopt;
    }

    // Makes its absence an error. REQUIRES: it was asked for before.
    template <typename T>
    T required(const char* name, std::optional<T> value) {
        if (!value) lack(name);
        return value ? std::move(*value) : T{};
    }
    void lack(const char* name);

    // The first error, once all members were asked for.
    [[nodiscard]] std::optional<Error> finish() const;

private:
    [[nodiscard]] const Json* find(const char* name, JsonKind kind);
    void fail(const char* name, Error error);

    const boost::json::object* object_ = nullptr;
    std::string prefix_;
    std::vector<std::string> known_ = {};
    std::optional<Error> wrong_ = {};
    std::optional<Error> lack_ = {};
};

// The same for a query string; errors name the parameter as `?limit`.
class Parameters {
public:
    explicit Parameters(std::string_view query);

    [[nodiscard]] std::optional<std::string> text(const char* name);
    [[nodiscard]] std::optional<std::int64_t> integer(const char* name, Bounds bounds);
    [[nodiscard]] std::optional<Instant> instant(const char* name);
    template <typename T>
    [[nodiscard]] std::optional<T> parsed(const char* name, Result<T> (*parse)(std::string_view)) {
        const auto value = text(name);
        if (!value) return std::nullopt;
        auto result = parse(*value);
        if (result) return *result;
        fail(name, result.error());
        return std::nullopt;
    }
    void fail(const char* name, Error error);
    [[nodiscard]] std::optional<Error> finish() const;

private:
    std::vector<std::pair<std::string, std::string>> values_;
    std::vector<std::string> known_ = {};
    std::optional<Error> wrong_ = {};
};

}  // namespace belfry::api
