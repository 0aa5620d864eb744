#include "app/server/process_signals.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

namespace belfry::app {

namespace {

constexpr int kExitBySignal = 128;  // shells add it to a signal's number

sigset_t ours() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
    return set;
}

}  // namespace

Result<std::unique_ptr<ProcessSignals>> ProcessSignals::take(std::function<void()> on_hangup,
                                                             std::function<void()> on_second) {
    const auto set = ours();
    std::signal(SIGPIPE, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    const int signals = signalfd(-1, &set, SFD_CLOEXEC);
    const int done = eventfd(0, EFD_CLOEXEC);
    if (signals < 0 || done < 0)
        return Error{ErrorCode::unavailable, std::string("cannot receive signals: ") + std::strerror(errno)};
    return std::unique_ptr<ProcessSignals>(
        new ProcessSignals(signals, done, std::move(on_hangup), std::move(on_second)));
}

ProcessSignals::ProcessSignals(int signals, int done, std::function<void()> on_hangup, std::function<void()> on_second)
    : signals_(signals),
      done_(done),
      on_hangup_(std::move(on_hangup)),
      on_second_(std::move(on_second)),
      thread_([this] { run(); }) {}

ProcessSignals::~ProcessSignals() {
    eventfd_write(done_, 1);
    thread_.join();
    ::close(signals_);
    ::close(done_);
}

void ProcessSignals::run() {
    pthread_setname_np(pthread_self(), "signals");
    std::array<pollfd, 2> wanted{pollfd{signals_, POLLIN, 0}, pollfd{done_, POLLIN, 0}};
    while (true) {
        if (::poll(wanted.data(), wanted.size(), -1) < 0) continue;  // interrupted
        if (wanted[1].revents != 0) return;
        signalfd_siginfo signal{};
        if (::read(signals_, &signal, sizeof signal) == sizeof signal) receive(static_cast<int>(signal.ssi_signo));
    }
}

void ProcessSignals::receive(int number) {
    if (number == SIGHUP) return on_hangup_();
    if (ending_.request_stop()) return;
    if (const auto second = std::exchange(on_second_, {})) return second();
    // The operator does not want to wait. Committed work is safe, and uncommitted work has not happened.
    ::_exit(kExitBySignal + number);
}

void ProcessSignals::wait() const {
    std::mutex mutex;
    std::condition_variable_any asked;
    std::unique_lock lock(mutex);
    const auto ending = ending_.get_token();
    asked.wait(lock, ending, [&] { return ending.stop_requested(); });
}

}  // namespace belfry::app
