// belfry doctor: checks everything between this command and a working server.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <ostream>

#include "app/cli/table.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/nouns.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

using boost::json::array;
using boost::json::object;

constexpr std::chrono::seconds kClockOffsetMax{2};

struct Finding {
    std::string part;
    bool good;
    std::string text;
};

Finding check_clock(const Session& session) {
    const object draft{{"spec", object{{"cron", array{"0 0 * * *"}}}}, {"target", object{{"taskKind", "x"}}}};
    const auto before = session.now();
    const auto forecast =
        session.change("POST", session.path("…/schedules/preview"), object{{"schedule", draft}, {"limit", 1}});
    if (!forecast) return {"clock", false, forecast.error().message};
    const auto server = instant_at(*forecast, "/serverTime");
    if (!server) return {"clock", false, "the server did not report its time"};
    const auto middle = before + (session.now() - before) / 2;
    const auto offset = *server - middle;
    const auto text = "differs by " + took_text(std::chrono::abs(offset)) + " from this machine";
    return {"clock", std::chrono::abs(offset) <= kClockOffsetMax, text};
}

Finding check_tenant(const Session& session) {
    const auto listed = session.get(session.path("…/schedules?limit=1&fields=name"));
    const auto tenant = "tenant " + session.server().tenant;
    return {"access", bool(listed), listed ? "may read the " + tenant : tenant + ": " + listed.error().message};
}

void add_ready(const Session& session, std::vector<Finding>& findings) {
    const auto ready = session.server().client.call("GET", {.path = "/readyz", .any_status = true});
    if (!ready) return findings.push_back({"ready", false, ready.error().message});
    for (const auto& check : list_at(*ready, "/checks")) {
        const bool good = is_true(check, "/ok");
        findings.push_back({text_at(check, "/name"), good, good ? "" : text_at(check, "/detail")});
    }
}

Finding check_zones(const Session& session, const Json& version) {
    const auto theirs = text_at(version, "/tzdata");
    const auto ours = session.console().zones().version();
    return {"time zones", ours == theirs, "server " + theirs + ", this machine " + ours};
}

Result<ExitCode> examine(Session& session) {
    const auto version = session.get("/api/version");
    if (!version) return version.error();
    std::vector<Finding> findings{
        {"server", true, format_url(session.server().url) + ", version " + text_at(*version, "/version")},
        check_tenant(session),
        check_clock(session),
        check_zones(session, *version)};
    add_ready(session, findings);
    const auto health = session.server().client.call("GET", {.path = "/health", .any_status = true});
    const auto status = health ? text_at(*health, "/status") : health.error().message;
    findings.push_back({"health", status == "ok", status});
    bool all = true;
    array list;
    Table table({"CHECK", "STATE", "DETAIL"});
    for (const auto& finding : findings) {
        all = all && finding.good;
        list.push_back(object{{"check", finding.part}, {"ok", finding.good}, {"detail", finding.text}});
        table.add({finding.part, finding.good ? "ok" : "PROBLEM", finding.text});
    }
    if (!print_for_programs(session, list)) table.print(session.out(), session.console().screen());
    return all ? ExitCode::ok : ExitCode::differs;
}

}  // namespace

const Noun& doctor_noun() {
    static const Noun kNoun{"",
                            "",
                            "",
                            {{.name = "doctor",
                              .help = "Check connection, clock, zones and server; exit code 3 if one is wrong",
                              .examples = "  belfry doctor\n  belfry doctor --url https://belfry.example",
                              .method = "",
                              .path = "",
                              .handler = examine}}};
    return kNoun;
}

}  // namespace belfry::app
