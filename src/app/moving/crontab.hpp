// Reads crontabs: the form of users, and the form of /etc/crontab with a column for the user. Pure.
//
// The rules are those of Vixie cron and its successors: settings apply to the lines after them, the first `%` of a
// command ends it and begins its standard input, every further `%` is a line end, and `\%` is a percent sign. Nothing
// is lost: a line that cannot become a schedule is an entry with a problem.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace belfry::app {

enum class CrontabForm : std::uint8_t { automatic, user, system };

struct CrontabEntry {
    std::size_t line = 0;  // counts from 1
    std::string text;      // the whole line
    std::string cron = {};
    std::string user = {};  // of the system form
    std::string command = {};
    std::string input = {};                       // for the standard input
    std::map<std::string, std::string> env = {};  // without the settings of cron itself
    std::string timezone = {};                    // of CRON_TZ; empty: none
    std::string mail_to = {};                     // of MAILTO
    std::string random_delay = {};                // of RANDOM_DELAY, in minutes
    std::string comment = {};                     // the lines above it
    std::string problem = {};                     // why it cannot become a schedule
};

struct Crontab {
    CrontabForm form = CrontabForm::user;
    std::vector<CrontabEntry> entries;
};

[[nodiscard]] Crontab parse_crontab(std::string_view text, CrontabForm form);

}  // namespace belfry::app
