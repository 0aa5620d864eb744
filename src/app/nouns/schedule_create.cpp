// belfry schedule create and update: a definition from flags or a file.
#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <filesystem>
#include <ostream>

#include "api/http/percent.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "app/worker/shell_task.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_merge.hpp"

namespace belfry::app {

namespace {

using boost::json::array;
using boost::json::object;

constexpr int kTimesShown = 5;

bool is_method(const std::string& word) {
    constexpr std::array<std::string_view, 7> kMethods{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"};
    return std::ranges::find(kMethods, word) != kMethods.end();
}

// --http URL, or --http METHOD URL.
Result<void> add_http(const Values& values, Json& definition) {
    const auto words = values.all("--http");
    if (words.empty()) return {};
    const auto& url = words.back();
    if (words.size() == 2 && !is_method(words.front()))
        return invalid("--http " + in_quotes(words.front()) +
                       ": use --http URL or --http METHOD URL, and put the name before it");
    if (words.size() == 1 && is_method(url)) return invalid("--http " + url + ": add the URL");
    set_at(definition, "/target/url", Json(url));
    if (words.size() == 2) set_at(definition, "/target/method", Json(words.front()));
    return {};
}

Json status_of(const std::string& text) {
    const bool number = text.size() == 3 && std::ranges::all_of(text, is_digit);
    return number ? Json(std::stoi(text)) : Json(text);
}

Result<void> add_times(const Session& session, Json& definition) {
    const auto& values = session.values();
    if (values.has("--offset") && !values.has("--every")) return invalid("--offset belongs to --every: add it");
    if (values.has("--every")) {
        object interval{{"every", values.one("--every")}};
        if (values.has("--offset")) interval["offset"] = values.one("--offset");
        set_at(definition, "/spec/intervals", array{std::move(interval)});
    }
    if (values.has("--at")) {
        const auto zone = session.zone_flag();
        if (!zone) return zone.error();
        array times;
        for (const auto& text : values.all("--at")) {
            const auto moment = parse_moment(text, **zone, session.now(), Direction::ahead);
            if (!moment) return invalid("--at: " + moment.error().message);
            times.emplace_back(format_instant(*moment));
        }
        set_at(definition, "/spec/at", std::move(times));
    }
    array events;
    for (const auto& name : values.all("--on-event")) events.push_back(object{{"name", name}});
    if (!events.empty()) set_at(definition, "/spec/events", std::move(events));
    return {};
}

Result<void> add_target(const Session& session, Json& definition) {
    const auto& values = session.values();
    if (auto added = add_http(values, definition); !added) return added;
    array statuses;
    for (const auto& text : values.all("--expect-status")) statuses.push_back(status_of(text));
    if (!statuses.empty()) set_at(definition, "/target/expectedStatus", std::move(statuses));
    if (const auto body = values.one("--body"); body.starts_with('@') || body.starts_with('{')) {
        auto value = read_value(body);
        if (!value) return invalid("--body: " + value.error().message);
        set_at(definition, "/target/body", std::move(*value));
    }
    if (const auto assignee = values.one("--assignee"); !assignee.empty()) {
        const auto colon = assignee.find(':');
        if (colon == std::string::npos)
            return invalid("--assignee " + in_quotes(assignee) + ": use agent:ID or team:ID");
        definition.get_object()["assignee"] =
            object{{"type", assignee.substr(0, colon)}, {"id", assignee.substr(colon + 1)}};
    }
    return {};
}

// `-- ./backup.sh`: a command for a worker with --shell, in the folder where the schedule was created.
void add_program(const Session& session, Json& definition) {
    const auto& program = session.values().program;
    if (program.empty()) return;
    std::error_code failed;
    auto folder = std::filesystem::current_path(failed).string();
    const auto queue = session.values().has("--queue") ? session.values().one("--queue") : std::string(kShellQueue);
    const auto target = shell_target({.command = shell_line(program), .cwd = failed ? "" : std::move(folder)}, queue);
    for (const auto& [name, value] : target.get_object()) set_at(definition, "/target/" + std::string(name), value);
}

// The file, if one is given, with the flags on top.
Result<Json> read_definition(const Session& session) {
    auto flags = session.body();
    if (!flags) return flags.error();
    if (auto added = add_times(session, *flags); !added) return added.error();
    if (auto added = add_target(session, *flags); !added) return added.error();
    if (!session.values().has("--file")) return flags;
    const auto path = session.values().one("--file");
    auto file = read_document(path);
    if (!file) return file.error();
    if (!file->is_object()) return invalid(path + ": use one schedule, as an object");
    merge_patch(*file, *flags);
    return file;
}

Result<void> check_has_target(const Session& session, const Json& definition) {
    if (!member_at(definition, "/target").is_null() || session.values().has("--file")) return {};
    return invalid(
        "say what the schedule starts: --http URL, --command NAME, --task KIND, --workflow NAME, or "
        "-- PROGRAM");
}

Result<void> check_has_times(const Session& session, const Json& definition) {
    if (!member_at(definition, "/spec").is_null() || session.values().has("--file")) return {};
    return invalid("say when it runs: --cron EXPR, --every DURATION, --at TIME or --on-event NAME");
}

std::string quoted_name(const std::string& name) { return shell_line({name}); }

void print_hints(const Session& session, const Json& schedule) {
    const auto name = quoted_name(text_at(schedule, "/name"));
    auto& out = session.out();
    if (const auto& program = session.values().program; !program.empty()) {
        const auto queue = text_at(schedule, "/target/queue");
        out << "\nStart a worker on the machine where the command should run:\n  belfry worker run --shell"
            << (queue == kShellQueue ? "" : " --queue " + visible(quoted_name(queue))) << '\n';
    }
    out << "\nTry it now:\n  belfry schedule trigger " << visible(name) << " --wait\n";
}

Result<ExitCode> print_saved(Session& session, const std::string& verb, const Json& schedule) {
    if (print_for_programs(session, schedule)) return ExitCode::ok;
    const auto name = text_at(schedule, "/name");
    const auto forecast = session.get(session.path("…/schedules/{NAME}/preview?limit=", text_at(schedule, "/id")) +
                                      std::to_string(kTimesShown));
    session.out() << verb << " " << visible(name) << ".";
    if (forecast) session.out() << " " << visible(text_at(*forecast, "/description"));
    session.out() << "\n";
    if (text_at(schedule, "/status") == "paused")
        session.out() << "It is paused: belfry schedule resume " << visible(quoted_name(name)) << '\n';
    if (forecast && !list_at(*forecast, "/items").empty()) {
        session.out() << '\n';
        print_forecast(session, *forecast);
    }
    print_hints(session, schedule);
    return ExitCode::ok;
}

Result<ExitCode> print_draft(Session& session, const Json& definition) {
    const auto forecast = session.change("POST", session.path("…/schedules/preview"),
                                         object{{"schedule", definition}, {"limit", kTimesShown}});
    if (!forecast) return forecast.error();
    if (print_for_programs(session, *forecast)) return ExitCode::ok;
    session.out() << visible(text_at(*forecast, "/description")) << "\n\n";
    print_forecast(session, *forecast);
    session.console().note("nothing was created");
    return ExitCode::ok;
}

}  // namespace

Result<ExitCode> create_schedule(Session& session) {
    auto definition = read_definition(session);
    if (!definition) return definition.error();
    auto& members = definition->get_object();
    if (session.values().has("NAME")) members["name"] = session.values().one("NAME");
    const auto name = text_at(*definition, "/name");
    if (name.empty()) return invalid("name the schedule: belfry schedule create NAME …");
    add_program(session, *definition);
    if (session.values().has("--paused")) members["status"] = "paused";
    if (auto checked = check_has_times(session, *definition); !checked) return checked.error();
    if (auto checked = check_has_target(session, *definition); !checked) return checked.error();
    if (session.values().has("--dry-run")) return print_draft(session, *definition);
    const auto created = session.change("POST", session.path("…/schedules"), *definition);
    if (!created) return created.error();
    return print_saved(session, "Created", *created);
}

Result<ExitCode> update_schedule(Session& session) {
    auto patch = read_definition(session);
    if (!patch) return patch.error();
    add_program(session, *patch);
    if (session.values().has("--rename")) patch->get_object()["name"] = session.values().one("--rename");
    if (patch->get_object().empty()) return invalid("nothing to change: add flags, or -f FILE");
    const auto changed = session.change("PATCH", session.path("…/schedules/{NAME}"), *patch);
    if (!changed) return changed.error();
    return print_saved(session, "Updated", *changed);
}

}  // namespace belfry::app
