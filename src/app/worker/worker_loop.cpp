#include "app/worker/worker_loop.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <random>

#include "app/worker/error_lines.hpp"
#include "app/worker/shell_task.hpp"
#include "app/worker/worker_command.hpp"
#include "base/time/backoff.hpp"

namespace belfry::app {

namespace {

constexpr std::chrono::milliseconds kWait{20'000};     // per claim; shorter than the idle timeout of common proxies
constexpr Micros kBetweenEmptyClaims = Seconds{1};     // for a server that does not support waiting
constexpr std::size_t kClaimedAtOnce = 16;             // bounds the response, because inputs may be long
constexpr Micros kHeartbeatAgain = Seconds{1};         // after a failed heartbeat
constexpr std::chrono::milliseconds kShortest{1'000};  // shortest timeout of a call, even if the lease is shorter

Backoff new_backoff() {
    return Backoff([source = std::make_shared<std::random_device>()] { return std::uint64_t{(*source)()}; });
}

// Returns true when the time has passed, false if a stop was requested.
bool pause(Micros time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
}

std::string name_of(const TaskLease& lease) {
    return lease.node.empty() ? lease.run_id : lease.run_id + "/" + lease.node;
}

// Writes several lines at once for speed, but no more than a pipe takes in one piece, so that lines of commands do not
// mix.
void write_out(std::string& text) {
    if (text.empty()) return;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    text.clear();
}

}  // namespace

Result<void> WorkerLoop::run(const std::stop_token& end, const std::stop_token& abandon) {
    abandoned_ = abandon;
    const std::stop_callback on_end(end, [this] { enough_.request_stop(); });
    const std::stop_callback on_abandon(abandon, [this] { tasks_.stop_all(); });
    const std::jthread heart([this](const std::stop_token& stop) { beat(stop); });
    auto claimed = claim_all();
    if (const auto left = tasks_.leases().size(); left > 0) {
        if (end.stop_requested())
            log_.info("shutting down: running commands may finish; a second signal ends them", {{"running", left}});
        if (!claimed)
            log_.error("cannot claim tasks; running commands may finish",
                       {{"error", claimed.error().message}, {"running", left}});
    }
    tasks_.wait_for_all();
    const std::unique_lock lock(broken_mutex_);
    if (claimed && broken_) return *broken_;
    return claimed;
}

Result<void> WorkerLoop::claim_all() {
    auto backoff = new_backoff();
    const auto stop = enough_.get_token();
    while (!options_.most || claimed_ < *options_.most) {
        const auto room = tasks_.wait_for_room(options_.concurrency, stop);
        if (room == 0) return {};
        const auto begun = clock_.now();
        auto claimed = claim(room);
        if (!claimed) {
            if (stop.stop_requested()) return {};
            if (options_.once || !is_transient(claimed.error())) return claimed.error();
            missed(claimed.error());
            pause(backoff.next(), stop);
            continue;
        }
        reached();
        backoff.reset();
        for (auto& task : *claimed) {
            log_.info("claimed run " + name_of(task.lease) + " (attempt " + std::to_string(task.lease.attempt) + ")",
                      {{"kind", task.kind}, {"schedule", task.schedule}});
            // The server granted the lease after the call started, so it lasts at least this long.
            tasks_.start(std::move(task), begun + api_.identity().lease,
                         [this](const ClaimedTask& mine, const std::stop_token& lost) { work_on(mine, lost); });
        }
        claimed_ += claimed->size();
        if (options_.once) return {};
        if (claimed->empty() && clock_.now() - begun < kBetweenEmptyClaims) pause(kBetweenEmptyClaims, stop);
    }
    return {};
}

Result<std::vector<ClaimedTask>> WorkerLoop::claim(std::size_t room) {
    auto limit = std::min(room, kClaimedAtOnce);
    if (options_.most) limit = std::min(limit, *options_.most - claimed_);
    return api_.claim(limit, options_.once ? std::chrono::milliseconds{0} : kWait, enough_.get_token());
}

void WorkerLoop::beat(const std::stop_token& stop) {
    const Micros usual = api_.identity().lease / 3;
    auto wait = usual;
    while (pause(wait, stop)) {
        wait = usual;
        const auto asked = tasks_.leases();
        if (asked.empty()) continue;
        const auto begun = clock_.now();
        auto held = api_.heartbeat(
            asked, std::max(kShortest, std::chrono::duration_cast<std::chrono::milliseconds>(usual)), stop);
        if (!held) {
            if (stop.stop_requested()) return;
            missed(held.error());
            wait = std::min(usual, kHeartbeatAgain);
            continue;
        }
        reached();
        for (const auto& lost : tasks_.keep(asked, std::move(*held), begun + api_.identity().lease)) {
            log_.warn("lost run " + name_of(lost) + ": it was cancelled or its lease expired; ending its command");
        }
    }
}

void WorkerLoop::work_on(const ClaimedTask& task, const std::stop_token& stop) {
    if (abandoned_.stop_requested()) return;  // the stop was requested during the claim
    ProcessResult ended;
    auto report = run_command(task, stop, ended);
    const auto run = "run " + name_of(task.lease) + " ";
    if (ended.exit == ProcessResult::Exit::cancelled)
        return log_.info(run + "was ended after " + short_time(ended.wall_time) + "; reporting no result");
    if (report.status == "succeeded") {
        log_.info(run + "succeeded in " + short_time(ended.wall_time));
    } else {
        log_.warn(run + (report.status == "failed" ? "failed" : "timed out") + " after " + short_time(ended.wall_time),
                  {{"error", report.error}});
    }
    tell(task, std::move(report), stop);
}

Result<ProcessRequest> WorkerLoop::request_for(const ClaimedTask& task) const {
    auto environment = command_environment(options_.command.environment, task, api_.identity().tenant);
    if (options_.shell) return shell_request(task, std::move(environment));
    auto request = options_.command;
    request.environment = std::move(environment);
    request.input = to_text(task.input) + "\n";
    request.output_max = kResultBytesMax;
    return request;
}

AttemptReport WorkerLoop::run_command(const ClaimedTask& task, const std::stop_token& stop, ProcessResult& ended) {
    std::string passed_on;  // whole lines for this worker's standard error
    ErrorLines lines([&](std::string_view line) { pass_on(task, line, passed_on); });
    auto request = request_for(task);
    if (!request) return {.status = "failed", .category = "contract_violated", .error = request.error().message};
    request->on_errors = [&](std::string_view piece) {
        lines.take(piece);
        write_out(passed_on);
    };
    request->timeout = task.timeout;
    request->dies_with_us = true;
    auto result = run_process(*request, stop);
    lines.finish();
    write_out(passed_on);
    if (result) {
        ended = std::move(*result);
        if (ended.exit == ProcessResult::Exit::cancelled) return {};
        return options_.shell ? shell_report(ended, task) : report_of(ended, task, lines.end());
    }
    // The program cannot be started, so every further task would fail; leave them to other workers. With --shell each
    // task has its own shell and folder.
    if (!options_.shell && !is_transient(result.error())) {
        const std::unique_lock lock(broken_mutex_);
        broken_ = result.error();
        enough_.request_stop();
    }
    return {.status = "failed", .category = "provider_error", .error = result.error().message};
}

void WorkerLoop::tell(const ClaimedTask& task, AttemptReport report, const std::stop_token& stop) {
    auto backoff = new_backoff();
    const auto run = "run " + name_of(task.lease) + ": ";
    while (true) {
        const auto taken = api_.complete(task.lease, report, abandoned_);
        if (taken) {
            reached();
            if (taken->retry_at) log_.info(run + "the server will retry it", {{"at", *taken->retry_at}});
            return;
        }
        const auto& error = taken.error();
        if (error.code == ErrorCode::conflict)
            return log_.warn(run + "the lease was lost; the server rejected the result", {{"error", error.message}});
        if (is_transient(error)) {
            missed(error);
            if (tasks_.may_be_held(task.lease, clock_.now()) && pause(backoff.next(), stop)) continue;
            return log_.error(run + "cannot report the result; the task is redelivered when its lease expires",
                              {{"error", error.message}});
        }
        // The server will never accept this result. Fail the task with a reason instead of letting it be redelivered
        // forever.
        if (error.code == ErrorCode::invalid_argument && report.status == "succeeded") {
            log_.error(run + "the server rejected the result", {{"error", error.message}});
            report = {.status = "failed",
                      .category = "contract_violated",
                      .error = "the server rejected the result: " + error.message};
            continue;
        }
        return log_.error(run + "the server rejected the report", {{"error", error.message}});
    }
}

void WorkerLoop::pass_on(const ClaimedTask& task, std::string_view line, std::string& into) const {
    if (options_.log_format == LogFormat::json)
        return log_.info(line, {{"run", name_of(task.lease)}, {"stream", "stderr"}});
    const auto text = "[" + name_of(task.lease) + "] " + std::string(line) + "\n";
    if (into.size() + text.size() > PIPE_BUF) write_out(into);
    into += text;
}

void WorkerLoop::reached() {
    if (is_away_.exchange(false)) log_.info("the server is reachable again");
}

void WorkerLoop::missed(const Error& error) {
    if (!is_away_.exchange(true)) log_.warn("the server is unavailable; retrying", {{"error", error.message}});
}

}  // namespace belfry::app
