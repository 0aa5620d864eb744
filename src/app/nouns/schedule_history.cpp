// belfry schedule history: the audit events of a schedule.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <ostream>

#include "api/http/percent.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

std::string recorded_at(const Session&, const Json& event) { return text_at(event, "/recordedAt"); }

// The workflow or task that the event started.
std::string workflow_refs(const Session&, const Json& event) {
    auto text = text_at(event, "/payload/workflow_instance_id");
    if (const auto run = text_at(event, "/payload/workflow_run_id"); !run.empty())
        text += (text.empty() ? "" : " ") + std::string("run ") + run;
    return text;
}

const Columns kEvents{{"Seq", "/sequence"},
                      {"Event", "/type"},
                      {"Recorded At", "", recorded_at},
                      {"Workflow Refs", "", workflow_refs},
                      {"Details", "/payload", nullptr, true}};

std::string history_path(const Session& session, const std::string& cursor) {
    const auto& values = session.values();
    auto path = session.path("…/schedules/{NAME}/history") +
                "?limit=" + api::percent_encode(values.has("--limit") ? values.one("--limit") : "100");
    if (!cursor.empty()) return path + "&cursor=" + api::percent_encode(cursor);
    if (values.has("--after-sequence"))
        path += "&after_sequence=" + api::percent_encode(values.one("--after-sequence"));
    return path;
}

}  // namespace

Result<ExitCode> show_history(Session& session) {
    Json page = boost::json::object();
    boost::json::array events;
    std::string cursor;
    do {
        auto answer = session.get(history_path(session, cursor));
        if (!answer) return answer.error();
        for (const auto& event : list_at(*answer, "/items")) events.push_back(event);
        page = std::move(*answer);
        cursor = text_at(page, "/nextCursor");
    } while (session.values().has("--all") && !cursor.empty());
    page.get_object()["items"] = events;
    if (session.format() == Format::jsonl) {
        for (const auto& event : events) session.out() << visible(to_text(event)) << '\n';
    } else if (!print_for_programs(session, page)) {
        print_table(session, kEvents, events);
    }
    if (!cursor.empty() && session.for_people()) {
        session.console().err() << "More events available: add --after-sequence " << text_at(events.back(), "/sequence")
                                << ", or --all\n";
    }
    return ExitCode::ok;
}

}  // namespace belfry::app
