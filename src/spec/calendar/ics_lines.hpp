// The lines of an iCalendar file: unfolded, split into names, parameters and values, and grouped by event. Does not
// interpret them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace belfry::spec {

inline constexpr std::size_t kIcsDepthMax = 8;           // nested components; real files have three levels
inline constexpr std::size_t kIcsPropertiesMax = 2'000;  // of one event
inline constexpr std::size_t kIcsEventsMax = 20'000;

struct IcsProperty {
    std::string name;  // upper case
    std::vector<std::pair<std::string, std::string>> parameters = {};
    std::string value = {};

    // Empty if there is no such parameter.
    [[nodiscard]] std::string parameter(std::string_view wanted) const;
};

struct IcsComponent {
    std::vector<IcsProperty> properties = {};  // its own, without those of nested components
    [[nodiscard]] const IcsProperty* find(std::string_view name) const;
};

struct IcsFile {
    IcsComponent calendar;
    std::vector<IcsComponent> events;
};

// Rejects a file that is not text, is too large or truncated, or is nested too deeply.
[[nodiscard]] Result<IcsFile> read_ics_lines(std::string_view text);

// Splits `a,b` at the commas.
[[nodiscard]] std::vector<std::string> split_values(std::string_view value);

}  // namespace belfry::spec
