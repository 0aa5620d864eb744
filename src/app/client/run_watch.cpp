#include "app/client/run_watch.hpp"

#include <ostream>
#include <sstream>
#include <thread>

#include "api/http/percent.hpp"
#include "app/client/printing.hpp"
#include "base/text/ascii.hpp"
#include "base/time/duration.hpp"

namespace belfry::app {

const Flag kWaitFlag{"--wait", "", "Wait until the run ends; exit code 8 if it did not succeed", Kind::yes};
const Flag kFollowFlag{"-w,--watch", "", "Wait, and print every change of the run's state", Kind::yes};
const Flag kTimeoutFlag{"--timeout", "DURATION", "With --wait or --watch: exit with 7 after this time [forever]"};

namespace {

constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{1'000};

Result<std::optional<Micros>> patience_of(const Session& session) {
    if (!session.values().has("--timeout")) return std::optional<Micros>();
    const auto duration = parse_duration(session.values().one("--timeout"));
    if (!duration) return invalid("--timeout: " + duration.error().message);
    return std::optional(*duration);
}

// What a command printed is more interesting than its JSON.
void print_result(const Session& session, const Json& run) {
    const auto& result = member_at(run, "/result");
    if (const auto error = text_at(run, "/error"); !error.empty())
        session.console().err() << "error: " << visible(error) << '\n';
    for (const auto* const name : {"/stdout", "/output"}) {
        const auto& text = member_at(result, name);
        if (!text.is_string() || text.get_string().empty()) continue;
        std::string line;
        std::istringstream lines{std::string(text.get_string())};
        while (std::getline(lines, line)) session.out() << "  " << visible(line) << '\n';
        return;
    }
}

std::string end_text(const Session& session, const Json& run) {
    auto text = "Run " + text_at(run, "/id") + ": " + coloured(text_at(run, "/status"), session.console().screen());
    const auto started = instant_at(run, "/startedAt");
    const auto completed = instant_at(run, "/completedAt");
    if (started && completed) text += " after " + took_text(*completed - *started);
    if (const auto detail = text_at(run, "/detail"); !detail.empty() && text_at(run, "/status") == "skipped")
        text += ": " + visible(detail);
    return text;
}

ExitCode ended(const Session& session, const Json& run) {
    if (!print_for_programs(session, run)) {
        session.out() << end_text(session, run) << '\n';
        print_result(session, run);
    }
    return text_at(run, "/status") == "succeeded" ? ExitCode::ok : ExitCode::run_failed;
}

}  // namespace

bool should_follow(const Session& session) { return session.values().has("--wait") || session.values().has("--watch"); }

Result<ExitCode> follow_run(Session& session, const Json& first) {
    const auto patience = patience_of(session);
    if (!patience) return patience.error();
    const auto path = session.path("…/runs/") + api::percent_encode(text_at(first, "/id"));
    const bool watches = session.values().has("--watch") && session.for_people();
    const auto begin = session.now();
    std::string status;
    auto pause = kFirstPause;
    for (Json run = first;;) {
        if (text_at(run, "/outcome") != "running") return ended(session, run);
        if (const auto now_is = text_at(run, "/status"); now_is != status) {
            status = now_is;
            pause = kFirstPause;
            if (watches) session.out() << coloured(status, session.console().screen()) << std::endl;
        }
        if (*patience && session.now() - begin >= **patience) {
            session.console().err() << "error: the run " << text_at(run, "/id") << " is still " << status
                                    << "; it continues on the server\n";
            return ExitCode::timed_out;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, kLongestPause);
        auto fresh = session.get(path);
        if (!fresh) return fresh.error();
        run = std::move(*fresh);
    }
}

}  // namespace belfry::app
