#include "app/worker/worker_command.hpp"

#include <sysexits.h>

#include <boost/json/object.hpp>
#include <csignal>
#include <cstring>

#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

constexpr std::size_t kEscapeMax = 6;       // bytes of JSON per byte of text: \u001b
constexpr std::size_t kLevelsAroundIt = 3;  // in the request: an object, its items, one item

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

Json as_text(std::string_view text, bool cut) {
    const auto object = [&] {
        boost::json::object made{{"output", storable(text)}};
        if (cut) made["cut"] = true;
        return Json(std::move(made));
    };
    auto result = object();
    if (to_text(result).size() <= kResultBytesMax) return result;
    // JSON escapes make the text longer; this much fits in any case.
    text = whole_characters(text, kResultBytesMax / kEscapeMax - 64);
    cut = true;
    return object();
}

std::string how_it_ended(const ProcessResult& ended, const ClaimedTask& task) {
    if (ended.exit == ProcessResult::Exit::timed_out) {
        return "took longer than " + short_time(task.timeout.value_or(std::chrono::milliseconds{0}));
    }
    if (ended.signal)
        return "ended by signal " + std::to_string(*ended.signal) + " (" + ::strsignal(*ended.signal) + ")";
    return "exit code " + std::to_string(ended.exit_code.value_or(0));
}

std::string category_of(int exit_code) {
    if (exit_code == EX_TEMPFAIL) return "provider_error";
    if (exit_code == EX_USAGE || exit_code == EX_DATAERR) return "contract_violated";
    return "";
}

}  // namespace

Environment command_environment(Environment own, const ClaimedTask& task, const std::string& tenant) {
    own.erase("BELFRY_TOKEN");  // the token may permit more than this task
    const Environment about{{"BELFRY_RUN_ID", task.lease.run_id},
                            {"BELFRY_NODE", task.lease.node},
                            {"BELFRY_TASK_KIND", task.kind},
                            {"BELFRY_IDEMPOTENCY_KEY", task.idempotency_key},
                            {"BELFRY_ATTEMPT", std::to_string(task.lease.attempt)},
                            {"BELFRY_SCHEDULE", task.schedule},
                            {"BELFRY_TENANT", tenant},
                            {"BELFRY_SCHEDULED_AT", task.scheduled_at}};
    for (const auto& [name, value] : about) {
        own.erase(name);
        if (value.find('\0') == std::string::npos) own.emplace(name, value);
    }
    return own;
}

Json result_of(const ProcessOutput& output) {
    const auto text = trimmed(output.text, is_space);
    if (text.empty() && !output.cut) return nullptr;
    if (output.cut) return as_text(output.text, true);
    constexpr JsonLimits kLimits{
        .depth_max = kJsonDepthMax - kLevelsAroundIt, .bytes_max = kResultBytesMax, .numbers = JsonNumbers::exact};
    if (auto json = parse_json(text, kLimits)) return std::move(*json);
    return as_text(output.text, false);
}

AttemptReport report_of(const ProcessResult& ended, const ClaimedTask& task, std::string_view errors) {
    const bool timed_out = ended.exit == ProcessResult::Exit::timed_out;
    AttemptReport report{.status = timed_out ? "timed_out" : "failed"};
    if (!timed_out && ended.exit_code == 0) {
        report.status = "succeeded";
        report.result = result_of(ended.output);
        return report;
    }
    if (!timed_out && ended.exit_code) report.category = category_of(*ended.exit_code);
    report.error = how_it_ended(ended, task);
    if (const auto said = trimmed(errors, is_space); !said.empty()) report.error += ": " + storable(said);
    return report;
}

std::string short_time(std::chrono::microseconds time) {
    const auto ms = time.count() / 1000;
    if (ms < 1000) return std::to_string(ms) + " ms";
    return std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + " s";
}

}  // namespace belfry::app
