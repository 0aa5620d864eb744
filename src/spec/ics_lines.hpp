// The lines of an iCalendar file: unfolded, split into names, parameters and values, and sorted into their events. Knows
// nothing of what they mean. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace belfry::spec {

inline constexpr std::size_t kIcsDepthMax = 8;           // components inside each other; files have three
inline constexpr std::size_t kIcsPropertiesMax = 2'000;  // of one event
inline constexpr std::size_t kIcsEventsMax = 20'000;

struct IcsProperty {
    std::string name;  // upper case
    std::vector<std::pair<std::string, std::string>> parameters = {};
    std::string value = {};

    // Empty when there is none.
    [[nodiscard]] std::string parameter(std::string_view wanted) const;
};

struct IcsComponent {
    std::vector<IcsProperty> properties = {};  // its own, not those of what is inside it
    [[nodiscard]] const IcsProperty* find(std::string_view name) const;
};

struct IcsFile {
    IcsComponent calendar;
    std::vector<IcsComponent> events;
};

// Refuses what is no text, too large, cut short or nested without end.
[[nodiscard]] Result<IcsFile> read_ics_lines(std::string_view text);

// `a,b` without the commas.
[[nodiscard]] std::vector<std::string> split_values(std::string_view value);

}  // namespace belfry::spec
