// Whatever a crontab holds, reading it ends and loses no line: every line that is neither a comment nor a setting is an
// entry, with a command or with a problem.
#include "app/moving/command_name.hpp"
#include "app/moving/crontab.hpp"
#include "base/text/ascii.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;

namespace {

void check(const app::Crontab& crontab, const std::string& text) {
    std::size_t line = 0;
    for (const auto& entry : crontab.entries) {
        fuzz::require(entry.line > line, "lines are in order and have one entry at most", text);
        line = entry.line;
        fuzz::require(storable(entry.text) == entry.text, "a line can be stored and shown", text);
        if (!entry.problem.empty()) continue;
        fuzz::require(!entry.command.empty() && !entry.cron.empty(), "a job has times and a command", text);
        fuzz::require(entry.user.empty() == (crontab.form == app::CrontabForm::user), "only one form has users", text);
        fuzz::require(entry.input.empty() || entry.input.ends_with('\n'), "input ends with a line end", text);
        const auto name = app::name_of_command(entry.command);
        fuzz::require(name.find_first_of(" \t\n/%") == std::string::npos, "a name needs no quotes", text);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    const auto found = app::parse_crontab(text, app::CrontabForm::automatic);
    fuzz::require(found.form != app::CrontabForm::automatic, "the form is decided", text);
    check(found, text);
    check(app::parse_crontab(text, app::CrontabForm::user), text);
    check(app::parse_crontab(text, app::CrontabForm::system), text);
    // What follows a line changes nothing before it.
    const auto longer = app::parse_crontab(text + "\n1 2 3 4 5 true\n", app::CrontabForm::user);
    const auto alone = app::parse_crontab(text, app::CrontabForm::user);
    fuzz::require(longer.entries.size() == alone.entries.size() + 1, "a further line is a further entry", text);
    fuzz::require(longer.entries.back().cron == "1 2 3 4 5", "its times are its own", text);
    return 0;
}
