// belfry import: turns the jobs of other schedulers into schedules.
#include <algorithm>
#include <boost/json/object.hpp>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>

#include "app/cli/text_file.hpp"
#include "app/client/printing.hpp"
#include "app/moving/moved_job.hpp"
#include "app/nouns/nouns.hpp"
#include "app/worker/shell_task.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_merge.hpp"
#include "base/text/yaml_text.hpp"

namespace belfry::app {

namespace import {

using boost::json::array;
using boost::json::object;
using Jobs = std::vector<MovedJob>;

Result<std::string> read_input(const std::string& path) {
    if (path != "-") return read_text_file(path);
    std::string text(kTextFileMax + 1, '\0');
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > kTextFileMax) return invalid("the standard input is longer than a megabyte");
    return text;
}

std::size_t count_problems(const Jobs& jobs) {
    return static_cast<std::size_t>(std::ranges::count_if(jobs, [](const auto& job) { return !job.problem.empty(); }));
}

void print_problems(std::ostream& out, const Jobs& jobs, const char* margin) {
    for (const auto& job : jobs) {
        if (job.problem.empty()) continue;
        out << margin << job.place << ": " << visible(job.text) << '\n'
            << margin << "  " << visible(job.problem) << '\n';
    }
}

// One document per schedule, as `belfry apply` reads them. What needs attention stays visible as comments.
void print_documents(const Session& session, const Jobs& jobs) {
    auto& out = session.out();
    if (count_problems(jobs) > 0) out << "# Needs attention:\n";
    print_problems(out, jobs, "# ");
    for (const auto& job : jobs) {
        if (!job.problem.empty()) continue;
        object document{{"kind", "schedule"}};
        for (const auto& [name, value] : job.definition.get_object()) document[name] = value;
        out << "---\n" << to_yaml(Json(std::move(document)));
    }
}

Json row_of(const MovedJob& job) {
    object row{{"place", job.place},
               {"text", job.text},
               {"name", job.name},
               {"imported", job.problem.empty()},
               {"problem", job.problem}};
    array notes;
    for (const auto& note : job.notes) notes.emplace_back(note);
    row["notes"] = std::move(notes);
    if (job.problem.empty()) row["schedule"] = job.definition;
    return row;
}

std::string times_of(const Json& definition) {
    const auto cron = joined_at(definition, "/spec/cron");
    return cron.empty() ? "every " + text_at(definition, "/spec/intervals/0/every") : cron;
}

void print_imported(const Session& session, const Jobs& jobs) {
    Table table({"FROM", "NAME", "TIMES", "NEXT"}, Fit::cut);
    std::set<std::string> notes;
    for (const auto& job : jobs) {
        if (!job.problem.empty()) continue;
        const auto zone = session.zone(text_at(job.definition, "/spec/timezone"));
        table.add({job.place, job.name, times_of(job.definition),
                   job.next ? relative_and_local(*job.next, *zone, session.now()) : "never"});
        for (const auto& note : job.notes) notes.insert(note);
    }
    table.print(session.out(), session.console().screen());
    for (const auto& note : notes) session.console().note(note);
}

void print_workers(const Session& session, const Jobs& jobs, const std::string& base) {
    std::set<std::string> queues;
    for (const auto& job : jobs) {
        if (job.problem.empty()) queues.insert(text_at(job.definition, "/target/queue"));
    }
    if (queues.empty()) return;
    session.out() << "\nStart a worker on the machine where the commands should run:\n";
    for (const auto& queue : queues) {
        const bool of_user = queue.starts_with(base + "-");
        const auto user = of_user ? queue.substr(base.size() + 1) : "";
        session.out() << "  " << (of_user ? "sudo -u " + visible(shell_line({user})) + " " : "")
                      << "belfry worker run --shell"
                      << (queue == kShellQueue ? "" : " --queue " + visible(shell_line({queue}))) << '\n';
    }
}

// The locations are more precise than the summary, and often repeat it.
std::string reason_of(const Error& error) {
    if (error.more.empty()) return error.message;
    std::string reason;
    for (const auto& each : error.more) reason += (reason.empty() ? "" : "; ") + each.field + ": " + each.message;
    return reason;
}

// Stops at an error that every other job would meet, too. It is the result if nothing was created before; otherwise
// the report lists what was, and the others as not imported.
Result<void> create_all(const Session& session, Jobs& jobs) {
    bool any = false;
    std::optional<Error> stopped;
    for (auto& job : jobs) {
        if (!job.problem.empty()) continue;
        if (stopped) {
            job.problem = "was not tried, because the import stopped before it";
            continue;
        }
        const auto created = session.change("POST", session.path("…/schedules"), job.definition);
        any = any || created;
        if (created) continue;
        const auto code = exit_code_of(created.error());
        if (code == ExitCode::unreachable || code == ExitCode::not_allowed) stopped = created.error();
        if (stopped && !any) return *stopped;
        job.problem = reason_of(created.error());
    }
    return {};
}

void print_report(const Session& session, const Jobs& jobs, const std::string& queue) {
    const auto failed = count_problems(jobs);
    const bool dry = session.values().has("--dry-run");
    print_imported(session, jobs);
    session.out() << (failed < jobs.size() ? "\n" : "") << (dry ? "Would import " : "Imported ") << jobs.size() - failed
                  << " of " << jobs.size() << ".\n";
    if (failed > 0) {
        print_heading(session, "Needs attention");
        print_problems(session.out(), jobs, "  ");
    }
    print_workers(session, jobs, queue);
    if (dry) session.console().note("nothing was created");
}

Result<ExitCode> finish(Session& session, Jobs jobs, const std::string& queue) {
    const auto flags = session.body();
    if (!flags) return flags.error();
    for (auto& job : jobs) {
        if (job.problem.empty()) merge_patch(job.definition, *flags);
        check_times(job, session.console().zones(), session.now());
    }
    name_jobs(jobs);
    const auto code = [&] { return count_problems(jobs) > 0 ? ExitCode::partly_failed : ExitCode::ok; };
    if (session.format() == Format::yaml) {
        print_documents(session, jobs);
        print_problems(session.console().err(), jobs, "");
        return code();
    }
    if (!session.values().has("--dry-run")) {
        if (auto created = create_all(session, jobs); !created) return created.error();
    }
    if (session.for_people()) {
        print_report(session, jobs, queue);
        return code();
    }
    array rows;
    for (const auto& job : jobs) rows.push_back(row_of(job));
    print_items(session, rows, Heading::shown);
    return code();
}

Result<CrontabForm> form_of(const Session& session, const std::string& path) {
    const auto& values = session.values();
    if (values.has("--system") && values.has("--user")) return invalid("use --system or --user, not both");
    if (values.has("--user")) return CrontabForm::user;
    if (values.has("--system") || path.starts_with("/etc/cron")) return CrontabForm::system;
    return CrontabForm::automatic;
}

Result<ExitCode> import_crontab(Session& session) {
    const auto path = session.values().one("FILE");
    if (auto zone = session.zone_flag(); !zone) return zone.error();
    const auto form = form_of(session, path);
    if (!form) return form.error();
    const auto text = read_input(path);
    if (!text) return text.error();
    const auto crontab = parse_crontab(*text, *form);
    if (crontab.entries.empty()) return invalid((path == "-" ? "the standard input" : path) + " has no jobs");
    const auto given = session.values().one("--tz");
    const auto timezone = given.empty() ? machine_timezone(session.console().zones()) : given;
    if (session.for_people())
        session.console().note("times without CRON_TZ are in " + timezone +
                               (given.empty() ? ", the zone of this machine; --tz changes it" : ""));
    const auto queue = session.values().has("--queue") ? session.values().one("--queue") : std::string(kShellQueue);
    return finish(session, jobs_of_crontab(crontab, timezone, queue), queue);
}

}  // namespace import

const Noun& import_noun() {
    static const Noun kNoun{
        "import",
        "Turn the jobs of other schedulers into schedules",
        "  crontab -l | belfry import crontab - --dry-run\n  belfry import crontab /etc/crontab",
        {{.name = "crontab",
          .help =
              "Import a crontab. Lines that cannot be imported are listed with the reason; exit code 9 if there are "
              "some. -o yaml writes documents and creates nothing",
          .examples = "  crontab -l | belfry import crontab - --dry-run\n"
                      "  belfry import crontab /etc/crontab --tz Europe/Berlin -l team=ops\n"
                      "  crontab -l | belfry import crontab - -o yaml > schedules.yaml",
          .method = "",
          .path = "",
          .arguments = {{"FILE", "The crontab; - is the standard input"}},
          .flags = {{"--dry-run", "", "Only show what would be imported; needs no server", Kind::yes},
                    {"--tz", "ZONE", "Time zone of lines without CRON_TZ [that of this machine]"},
                    {"-l,--label", "KEY=VALUE", "Label of every schedule; may be repeated", Kind::pairs, "/labels"},
                    {"--system", "", "The lines have a column for the user, as in /etc/crontab", Kind::yes},
                    {"--user", "", "The lines have no such column [both are detected]", Kind::yes},
                    {"--queue", "NAME", "Queue of the worker; a system crontab adds -USER [shell]"}},
          .handler = import::import_crontab,
          .role = "operator"}}};
    return kNoun;
}

}  // namespace belfry::app
