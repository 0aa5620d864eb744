// The options that the cron commands share, and the spec they stand for.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "spec/explain.hpp"
#include "spec/spec.hpp"

namespace belfry::app {

// The words of an expression that the shell split, with blanks between them again.
[[nodiscard]] std::string joined_words(const std::vector<std::string>& words);

struct CronOptions {
    std::vector<std::string> words;  // the expression; unquoted, a shell hands it over in pieces
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

// A note when the expression's own zone makes --tz meaningless.
void warn_of_two_zones(const CronOptions& options, const Console& console);

// The least time between two runs that a server allows unless it is told otherwise.
inline constexpr Seconds kMinInterval{60};

}  // namespace belfry::app
