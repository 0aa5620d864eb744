#include "base/process/process.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/process/process_start.hpp"

namespace belfry {

namespace {

using Moment = std::chrono::steady_clock::time_point;
using Millis = std::chrono::milliseconds;

constexpr Millis kLookInterval{10};            // between checks of a child without a pidfd
constexpr std::size_t kPieceBytes = 64 << 10;  // the capacity of a pipe

// Writing to a child that has stopped reading must not end our program. Removes a SIGPIPE that our own write caused.
class WithoutSigpipe {
public:
    WithoutSigpipe() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~WithoutSigpipe() {
        constexpr timespec kAtOnce{0, 0};
        if (!was_pending_) {
            while (sigtimedwait(&pipe_, nullptr, &kAtOnce) < 0 && errno == EINTR) {
            }
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool was_pending_ = false;
};

// Communicates with one child until it has ended and its pipes are closed. One thread.
class ProcessWatch {
public:
    ProcessWatch(const ProcessRequest& request, StartedProcess child, const Descriptor& cancelled)
        : request_(request), child_(std::move(child)), cancelled_(cancelled), started_(now()), piece_(kPieceBytes) {
        if (request.timeout) next_step_ = after(*request.timeout);
    }

    // Does something only after an exception.
    ~ProcessWatch() {
        if (stage_ != Stage::ended) end();
    }
    ProcessWatch(const ProcessWatch&) = delete;
    ProcessWatch& operator=(const ProcessWatch&) = delete;

    Result<ProcessResult> run() {
        if (request_.input.empty()) child_.input.close();
        while (!is_over()) {
            wait();
            if (is_ready(child_.failure)) read_failure();
            if (is_ready(child_.input)) write_input();
            if (is_ready(child_.output)) read(child_.output, result_.output);
            if (is_ready(child_.errors)) read(child_.errors, result_.errors, request_.on_errors);
            if (stage_ == Stage::running && is_ready(cancelled_)) ask_to_end(ProcessResult::Exit::cancelled);
            if (stage_ != Stage::ended && has_ended()) end();
            if (next_step_ && now() >= *next_step_) take_next_step();
        }
        if (child_.failure.is_open()) read_failure();
        if (failure_) return start_error(*failure_, request_, child_.program);
        return std::move(result_);
    }

private:
    enum class Stage : std::uint8_t { running, asked, killed, ended };

    static Moment now() { return std::chrono::steady_clock::now(); }
    // Clamped against overflow, because "no limit" is often written as a very large duration.
    static Moment after(Millis wanted) {
        return now() + std::clamp<Millis>(wanted, Millis(0), std::chrono::hours(24 * 366 * 100));
    }

    [[nodiscard]] bool is_over() const {
        if (stage_ != Stage::ended) return false;
        return (!child_.output.is_open() && !child_.errors.is_open()) || now() >= *next_step_;
    }

    // --- Waiting: one poll for everything
    // -------------------------------------------------------------------------------

    void wait() {
        watched_.clear();
        watch(child_.ended, POLLIN, stage_ != Stage::ended);
        watch(cancelled_, POLLIN, stage_ == Stage::running);
        watch(child_.failure, POLLIN, true);
        watch(child_.input, POLLOUT, true);
        watch(child_.output, POLLIN, true);
        watch(child_.errors, POLLIN, true);
        // After an interruption, the next round sees everything that is ready.
        if (::poll(watched_.data(), watched_.size(), patience()) < 0) watched_.clear();
    }

    void watch(const Descriptor& end, short events, bool wanted) {
        if (wanted && end.is_open()) watched_.push_back({end.number(), events, 0});
    }

    [[nodiscard]] bool is_ready(const Descriptor& end) const {
        return end.is_open() && std::ranges::any_of(watched_, [&](const pollfd& each) {
                   return each.fd == end.number() && each.revents != 0;
               });
    }

    [[nodiscard]] int patience() const {
        constexpr Millis kLongest{60'000};
        auto longest = next_step_ ? std::chrono::ceil<Millis>(*next_step_ - now()) : kLongest;
        if (stage_ != Stage::ended && !child_.ended.is_open()) longest = std::min(longest, kLookInterval);
        return static_cast<int>(std::clamp(longest, Millis(0), kLongest).count());
    }

    // --- Its streams
    // ----------------------------------------------------------------------------------------------------

    void write_input() {
        const std::string_view rest = std::string_view(request_.input).substr(written_);
        const auto count = ::write(child_.input.number(), rest.data(), rest.size());
        if (count > 0) written_ += static_cast<std::size_t>(count);
        // A child may close its input early; that is not an error.
        const bool refused = count < 0 && errno != EAGAIN && errno != EINTR;
        if (refused || written_ == request_.input.size()) child_.input.close();
    }

    void read(Descriptor& from, ProcessOutput& into, const std::function<void(std::string_view)>& tell = {}) {
        const auto count = ::read(from.number(), piece_.data(), piece_.size());
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count <= 0) return from.close();
        const std::string_view piece(piece_.data(), static_cast<std::size_t>(count));
        const auto kept = std::min(piece.size(), request_.output_max - std::min(request_.output_max, into.text.size()));
        into.text.append(piece.substr(0, kept));
        into.cut = into.cut || kept < piece.size();
        if (tell) tell(piece);
    }

    void read_failure() {
        ChildFailure failure;
        const auto count = ::read(child_.failure.number(), &failure, sizeof failure);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count == sizeof failure) failure_ = failure;
        child_.failure.close();
    }

    // --- Its end
    // --------------------------------------------------------------------------------------------------------

    // The child is not reaped yet, so its process id and group id are still valid. Before it has created the group,
    // signal only the child itself.
    void signal(int number) const {
        if (::kill(-child_.id, number) != 0) ::kill(child_.id, number);
    }

    void ask() const {
        if (child_.control.is_open()) {
            [[maybe_unused]] const auto written = ::write(child_.control.number(), &kAskToEnd, sizeof kAskToEnd);
            return;
        }
        signal(SIGTERM);
        signal(SIGCONT);  // a stopped child cannot handle the signal otherwise
    }

    // Kills its group or, with a supervisor, all of its descendants. The supervisor is not killed: it kills them.
    void kill_all() {
        if (!child_.report.is_open()) return signal(SIGKILL);
        child_.control.close();
        ::kill(child_.id, SIGCONT);  // a child of the same user may have stopped the supervisor
    }

    void ask_to_end(ProcessResult::Exit why) {
        result_.exit = why;
        stage_ = Stage::asked;
        next_step_ = after(request_.grace);
        ask();
    }

    void take_next_step() {
        if (stage_ == Stage::running) return ask_to_end(ProcessResult::Exit::timed_out);
        if (stage_ != Stage::asked) return;
        stage_ = Stage::killed;
        next_step_.reset();
        kill_all();
    }

    // Does not reap it.
    [[nodiscard]] bool has_ended() const {
        if (child_.ended.is_open() && !is_ready(child_.ended)) return false;
        siginfo_t seen{};
        return ::waitid(P_PID, static_cast<id_t>(child_.id), &seen, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               seen.si_pid == child_.id;
    }

    void end() {
        stage_ = Stage::ended;
        result_.wall_time = std::chrono::duration_cast<std::chrono::microseconds>(now() - started_);
        next_step_ = after(kLinger);
        child_.input.close();
        kill_all();  // the rest of its group
        SupervisorReport ended;
        while (::wait4(child_.id, &ended.status, 0, &ended.used) < 0 && errno == EINTR) {
        }
        // Without a report, the supervisor was killed, and the child with it.
        if (SupervisorReport report;
            child_.report.is_open() && ::read(child_.report.number(), &report, sizeof report) == sizeof report)
            ended = report;
        const auto& [status, used] = ended;
        if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
        const auto micros = [](const timeval& time) {
            return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
        };
        result_.cpu_time = micros(used.ru_utime) + micros(used.ru_stime);
    }

    const ProcessRequest& request_;
    StartedProcess child_;
    const Descriptor& cancelled_;
    const Moment started_;

    Stage stage_ = Stage::running;
    std::optional<Moment> next_step_;  // the next deadline: timeout, grace period or linger
    std::vector<pollfd> watched_;
    std::vector<char> piece_;
    std::size_t written_ = 0;
    std::optional<ChildFailure> failure_;
    ProcessResult result_;
};

}  // namespace

Environment environment_from(const std::vector<std::string>& names, const Environment& more) {
    auto environment = more;
    for (const auto& name : names) {
        if (const char* const value = std::getenv(name.c_str())) environment.emplace(name, value);
    }
    return environment;
}

Result<ProcessResult> run_process(const ProcessRequest& request, const std::stop_token& cancelled) {
    if (cancelled.stop_requested()) return ProcessResult{.exit = ProcessResult::Exit::cancelled};
    const Descriptor told(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!told.is_open())
        return Error{ErrorCode::unavailable, "cannot start a process: no descriptor for its cancellation"};
    auto child = start_process(request);
    if (!child) return child.error();
    // This thread stays here until the end, because a sandboxed child dies with the thread that forked it.
    const WithoutSigpipe quiet;
    const std::stop_callback tell(cancelled, [&] { ::eventfd_write(told.number(), 1); });
    return ProcessWatch(request, std::move(*child), told).run();
}

}  // namespace belfry
