// Schedules and forecasts in words and tables.
#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "app/cli/moment_text.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "spec/explain/explain.hpp"

namespace belfry::app {

namespace {

std::optional<spec::DstMark> mark_in(const Json& row) {
    struct Name {
        std::string_view text;
        spec::DstMark::Kind kind;
    };
    using Kind = spec::DstMark::Kind;
    constexpr std::array kNames{Name{"shifted", Kind::shifted}, Name{"first_pass", Kind::first_pass},
                                Name{"last_pass", Kind::last_pass}, Name{"both_first", Kind::both_first},
                                Name{"both_second", Kind::both_second}};
    const auto kind = text_at(row, "/dst/kind");
    const auto* const found = std::ranges::find(kNames, kind, &Name::text);
    const auto nominal = parse_instant(text_at(row, "/dst/nominal") + "Z");
    if (found == kNames.end() || !nominal) return std::nullopt;
    return spec::DstMark{found->kind, LocalSeconds{std::chrono::floor<Seconds>(*nominal).time_since_epoch()}};
}

// What a clock change or a guard does to an occurrence.
std::string note_of(const Json& row, Instant occurrence, const spec::Zone& zone) {
    std::string note;
    if (const auto mark = mark_in(row)) note = spec::describe(*mark, occurrence, zone);
    const auto decision = text_at(row, "/decision");
    if (decision == "skipped" || decision == "failed") {
        const auto detail = text_at(row, "/detail");
        note += (note.empty() ? "" : "; ") + decision + " – " + (detail.empty() ? text_at(row, "/reason") : detail);
    }
    return note;
}

}  // namespace

void print_forecast(const Session& session, const Json& forecast) {
    const auto zone = session.zone(text_at(forecast, "/timezone"));
    Table table({"NEXT", "FROM NOW", "NOTE"});
    for (const auto& row : list_at(forecast, "/items")) {
        const auto occurrence = instant_at(row, "/occurrence");
        if (!occurrence) continue;
        table.add({local_text(*occurrence, *zone), relative_text(*occurrence - session.now()),
                   note_of(row, *occurrence, *zone)});
    }
    table.print(session.out(), session.console().screen());
    for (const auto& warning : list_at(forecast, "/warnings")) session.console().note(text_at(warning, ""));
}

spec::ZonePtr zone_of_schedule(const Session& session, const Json& schedule) {
    const auto name = text_at(schedule, "/spec/timezone");
    return session.zone(name.empty() ? "UTC" : name);
}

std::string timing_text(const Json& schedule) {
    if (const auto sentence = text_at(schedule, "/scheduleType/description"); !sentence.empty()) return sentence;
    std::string text = joined_at(schedule, "/spec/cron");
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    for (const auto& interval : list_at(schedule, "/spec/intervals")) add("every " + text_at(interval, "/every"));
    for (const auto& at : list_at(schedule, "/spec/at")) add("at " + text_at(at, ""));
    for (const auto& event : list_at(schedule, "/spec/events")) add("on " + text_at(event, "/name"));
    return text;
}

std::string target_text(const Json& schedule) {
    const auto& target = member_at(schedule, "/target");
    const auto kind = text_at(target, "/taskKind");
    const auto type = text_at(target, "/type");
    if (kind == "http" || type == "http") {
        const auto in = [&](const char* name) {
            const auto direct = text_at(target, name);
            return direct.empty() ? text_at(target, std::string("/input") + name) : direct;
        };
        const auto method = in("/method");
        return (method.empty() ? "GET" : method) + " " + in("/url");
    }
    if (kind == "command" || type == "command") {
        const auto name = text_at(target, "/command");
        return "command " + (name.empty() ? text_at(target, "/input/command") : name);
    }
    if (type == "workflow") {
        const auto version = text_at(target, "/version");
        return "workflow " + text_at(target, "/workflowKind") + (version.empty() ? "" : ", version " + version);
    }
    const auto command = text_at(target, "/metadata/command");
    return (command.empty() ? "task " + kind : command) + " in queue " + text_at(target, "/queue");
}

}  // namespace belfry::app
