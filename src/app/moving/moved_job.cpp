#include "app/moving/moved_job.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdlib>
#include <filesystem>

#include "app/cli/text_file.hpp"
#include "app/client/json_view.hpp"
#include "app/moving/command_name.hpp"
#include "app/worker/shell_task.hpp"
#include "base/text/ascii.hpp"
#include "spec/spec.hpp"

namespace belfry::app {

namespace moved_job {

using boost::json::array;
using boost::json::object;

bool is_number(std::string_view text) {
    constexpr std::size_t kDigitsMax = 6;
    return !text.empty() && text.size() <= kDigitsMax && std::ranges::all_of(text, is_digit);
}

Json spec_of(const CrontabEntry& entry, const std::string& timezone) {
    object spec{{"cron", array{Json(entry.cron)}}, {"timezone", entry.timezone.empty() ? timezone : entry.timezone}};
    if (is_number(entry.random_delay) && entry.random_delay != "0")
        spec["jitter"] = object{{"after", "PT" + entry.random_delay + "M"}};
    return spec;
}

std::vector<std::string> notes_of(const CrontabEntry& entry) {
    std::vector<std::string> notes;
    if (!entry.mail_to.empty())
        notes.push_back("not mailed to " + entry.mail_to + ": the output is kept with each run");
    if (entry.env.contains("TZ") && entry.timezone.empty())
        notes.emplace_back("TZ is for the command only, as in cron; --tz or CRON_TZ sets the zone of the times");
    return notes;
}

MovedJob job_of(const CrontabEntry& entry, const std::string& timezone, const std::string& queue) {
    MovedJob job{.place = "line " + std::to_string(entry.line), .text = entry.text, .problem = entry.problem};
    if (!job.problem.empty()) return job;
    const auto name = name_of_command(entry.command);
    job.name = name.empty() ? "cron-line-" + std::to_string(entry.line) : name;
    job.notes = notes_of(entry);
    object definition{{"name", job.name}};
    if (!entry.comment.empty()) definition["description"] = entry.comment;
    definition["labels"] = object{{"imported", "crontab"}};
    definition["spec"] = spec_of(entry, timezone);
    definition["target"] = shell_target({.command = entry.command, .env = entry.env, .input = entry.input},
                                        entry.user.empty() ? queue : queue + "-" + entry.user);
    definition["overlapPolicy"] = "allow_all";  // cron starts a command even while the last one still runs
    job.definition = std::move(definition);
    return job;
}

}  // namespace moved_job

std::vector<MovedJob> jobs_of_crontab(const Crontab& crontab, const std::string& timezone, const std::string& queue) {
    std::vector<MovedJob> jobs;
    for (const auto& entry : crontab.entries) jobs.push_back(moved_job::job_of(entry, timezone, queue));
    return jobs;
}

void name_jobs(std::vector<MovedJob>& jobs) {
    UniqueNames names;
    for (auto& job : jobs) {
        if (!job.problem.empty()) continue;
        job.name = names.take(job.name);
        set_at(job.definition, "/name", Json(job.name));
    }
}

void check_times(MovedJob& job, const spec::ZoneDatabase& zones, Instant now) {
    if (!job.problem.empty()) return;
    spec::SpecText text{.timezone = text_at(job.definition, "/spec/timezone")};
    for (const auto& each : list_at(job.definition, "/spec/cron")) text.cron.push_back(text_at(each, ""));
    for (const auto& each : list_at(job.definition, "/spec/intervals"))
        text.intervals.push_back({.every = text_at(each, "/every")});
    const auto spec = spec::Spec::compile(text, zones);
    if (spec) {
        job.next = spec->next(now);
    } else {
        job.problem = spec.error().message;
    }
}

std::string machine_timezone(const spec::ZoneDatabase& zones) {
    std::vector<std::string> names;
    if (const char* const set = std::getenv("TZ"); set != nullptr && *set != '\0')
        names.emplace_back(*set == ':' ? set + 1 : set);
    if (const auto file = read_text_file("/etc/timezone"); file) names.push_back(file->substr(0, file->find('\n')));
    std::error_code failed;
    const auto link = std::filesystem::read_symlink("/etc/localtime", failed).string();
    constexpr std::string_view kFolder = "/zoneinfo/";
    if (const auto at = link.find(kFolder); !failed && at != std::string::npos)
        names.push_back(link.substr(at + kFolder.size()));
    for (const auto& name : names) {
        if (zones.find(name)) return name;
    }
    return "UTC";
}

}  // namespace belfry::app
