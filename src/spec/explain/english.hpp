// Parts of English sentences: lists, ordinals, counts, names, dates and durations. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time/instant.hpp"
#include "spec/explain/explain.hpp"

namespace belfry::spec {

// Longer lists are hard to read; beyond this, a sentence gives the count or the ends instead.
inline constexpr std::size_t kListMax = 8;

// "a", "a and b", "a, b and c"; `last` is the word before the last item.
[[nodiscard]] std::string join(const std::vector<std::string>& items, std::string_view last = "and");

[[nodiscard]] std::string ordinal(int number);                                 // "1st", "22nd", "13th"
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);  // "1 hour", "2 hours"

[[nodiscard]] std::string capitalized(std::string text);
[[nodiscard]] std::string uncapitalized(std::string text);

[[nodiscard]] std::string month_name(int month);      // 1 is January
[[nodiscard]] std::string weekday_name(int weekday);  // 0 is Sunday

[[nodiscard]] std::string in_words(Micros duration);  // "1 hour 30 minutes"
[[nodiscard]] std::string every(Seconds period);      // "Every hour", "Every 1 hour 30 minutes"

[[nodiscard]] std::string time_in_words(Seconds time_of_day, ClockStyle style, bool with_seconds);  // "5:45 PM"
[[nodiscard]] std::string time_in_words(LocalSeconds local, ClockStyle style);  // with seconds if not zero
[[nodiscard]] std::string date_in_words(LocalSeconds local);                    // "31 December 2026"

}  // namespace belfry::spec
