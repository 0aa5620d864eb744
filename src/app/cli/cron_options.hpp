// Options that the cron commands share, and the spec that they describe.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "app/cli/console.hpp"
#include "spec/explain/explain.hpp"
#include "spec/spec.hpp"

namespace belfry::app {

// Joins the words of an expression that the shell has split.
[[nodiscard]] std::string joined_words(const std::vector<std::string>& words);

struct CronOptions {
    std::vector<std::string> words;  // the expression; without quotes, the shell splits it into words
    std::string timezone = "UTC";
    std::string dst_gap = "shift";
    std::string dst_repeat = "auto";
    int clock = 12;

    [[nodiscard]] std::string expression() const;
    [[nodiscard]] Result<spec::SpecText> spec_text() const;
    [[nodiscard]] spec::ExplainOptions explain_options() const;
};

void add_expression(CLI::App& command, CronOptions& options);
void add_zone(CLI::App& command, CronOptions& options);
void add_dst(CLI::App& command, CronOptions& options);
void add_clock(CLI::App& command, CronOptions& options);

// Prints a note when the expression names its own zone, which makes --tz meaningless.
void warn_of_two_zones(const CronOptions& options, const Console& console);

// The default of the setting min_interval.
inline constexpr Seconds kMinInterval{60};

}  // namespace belfry::app
