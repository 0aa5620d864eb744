#include "base/process/process_supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace belfry {

namespace {

constexpr int kKillRoundsMax = 10'000;
constexpr int kRoundMillis = 1;  // between two rounds, unless a child ends earlier

// Signals the child alone if it has not created its group yet.
void signal_group(pid_t child, int number) {
    if (::kill(-child, number) != 0) ::kill(child, number);
}

// Kills the processes in the list of children, "12 34 ". A number at the end of a read may be incomplete; a later round
// sees it.
void kill_children() {
    const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    std::array<char, 4096> piece{};
    const auto size = ::read(file, piece.data(), piece.size());
    ::close(file);
    pid_t id = 0;
    for (ssize_t i = 0; i < size; ++i) {
        const char each = piece[static_cast<std::size_t>(i)];
        if (each >= '0' && each <= '9') {
            id = id * 10 + (each - '0');
        } else {
            if (id > 0) ::kill(id, SIGKILL);
            id = 0;
        }
    }
}

// Runs in its own process. It holds only the two pipes and allocates no memory.
class Supervisor {
public:
    explicit Supervisor(const Supervised& supervised) : supervised_(supervised) {
        sigset_t children;
        sigemptyset(&children);
        sigaddset(&children, SIGCHLD);
        signals_ = ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    }

    void run() {
        while (!reap()) {
            std::array<pollfd, 2> watched{pollfd{signals_, POLLIN, 0},
                                          pollfd{is_abandoned_ ? -1 : supervised_.control, POLLIN, 0}};
            ::poll(watched.data(), watched.size(), signals_ < 0 ? kRoundMillis : -1);
            drain_signals();
            if (watched[1].revents != 0) read_control();
        }
        if (supervised_.isolation == Isolation::subreaper) end_descendants();
    }

private:
    // Reaps all processes that have ended; returns whether the child was among them.
    bool reap() {
        SupervisorReport report;
        while (true) {
            const pid_t ended = ::wait4(-1, &report.status, WNOHANG, &report.used);
            if (ended < 0 && errno == EINTR) continue;
            if (ended == 0) return false;
            if (ended < 0) return true;
            if (ended != supervised_.child) continue;
            [[maybe_unused]] const auto written = ::write(supervised_.report, &report, sizeof report);
            return true;
        }
    }

    void read_control() {
        char order = 0;
        const auto count = ::read(supervised_.control, &order, 1);
        if (count < 0) return;
        if (count == 0) {
            is_abandoned_ = true;
            return signal_group(supervised_.child, SIGKILL);
        }
        signal_group(supervised_.child, SIGTERM);
        signal_group(supervised_.child, SIGCONT);  // a stopped child cannot handle the signal otherwise
    }

    void drain_signals() const {
        signalfd_siginfo seen{};
        while (::read(signals_, &seen, sizeof seen) > 0) {
        }
    }

    void end_descendants() const {
        for (int round = 0; round < kKillRoundsMax; ++round) {
            kill_children();
            pid_t ended = 0;
            do ended = ::waitpid(-1, nullptr, WNOHANG);
            while (ended > 0 || (ended < 0 && errno == EINTR));
            if (ended < 0) return;
            pollfd watched{signals_, POLLIN, 0};
            ::poll(&watched, 1, kRoundMillis);
            drain_signals();
        }
    }

    const Supervised supervised_;
    int signals_ = -1;
    bool is_abandoned_ = false;
};

}  // namespace

void supervise(const Supervised& supervised) {
    Supervisor(supervised).run();
    ::_exit(EXIT_SUCCESS);
}

}  // namespace belfry
