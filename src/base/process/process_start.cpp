#include "base/process/process_start.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/text/json_pointer.hpp"

namespace belfry {

namespace {

constexpr int kFailureDescriptor = 3;  // in the child, after the three standard streams
constexpr int kControlDescriptor = 4;  // in its supervisor
constexpr int kReportDescriptor = 5;
constexpr int kLastDescriptor = kReportDescriptor;
constexpr int kExitNotStarted = 127;  // as in shells; never visible to callers

std::string errno_text(int error) { return std::generic_category().message(error); }

Error cannot_start(const std::string& program, const std::string& why, int error) {
    // These errors may go away when memory, processes or descriptors are free again.
    const bool later = error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE || error == ETXTBSY;
    return {later ? ErrorCode::unavailable : ErrorCode::invalid_argument,
            "cannot start " + program + ": " + why + errno_text(error)};
}

// --- Validation -----------------------------------------------------------------------------------------------------

std::optional<Error> check_process_request(const ProcessRequest& request) {
    const auto has_zero = [](const std::string& text) { return text.find('\0') != std::string::npos; };
    if (request.argv.empty() || request.argv.front().empty())
        return in_field(invalid("name the program to start"), "/argv");
    for (std::size_t i = 0; i < request.argv.size(); ++i) {
        if (has_zero(request.argv[i]))
            return in_field(invalid("an argument must not contain a zero byte"), "/argv/" + std::to_string(i));
    }
    for (const auto& [name, value] : request.environment) {
        if (name.empty() || name.find('=') != std::string::npos || has_zero(name) || has_zero(value)) {
            return in_field(invalid("an environment name must not be empty or contain =, and neither name nor value "
                                    "may contain a zero byte"),
                            "/environment" + pointer_step(name));
        }
    }
    if (request.working_directory.empty() || has_zero(request.working_directory)) {
        return in_field(invalid("name the folder to start in"), "/working_directory");
    }
    return std::nullopt;
}

bool is_program(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// Runs before the child changes its folder, so that a relative path refers to ours.
Result<std::string> find_program(const ProcessRequest& request) {
    const auto& name = request.argv.front();
    if (name.starts_with('/')) return name;
    if (!request.look_in_path)
        return in_field(invalid("use the absolute path of the program, from /: " + name), "/argv/0");
    std::error_code failed;
    if (name.find('/') != std::string::npos) {
        const auto path = std::filesystem::absolute(name, failed).string();
        return failed ? Result<std::string>(cannot_start(name, "", failed.value())) : Result<std::string>(path);
    }
    const char* const searched = std::getenv("PATH");
    std::string_view rest = searched == nullptr ? "/usr/local/bin:/usr/bin:/bin" : searched;
    while (!rest.empty()) {
        const auto end = std::min(rest.find(':'), rest.size());
        const auto path = std::filesystem::absolute(std::filesystem::path(rest.substr(0, end)) / name, failed).string();
        // Skip empty entries: shells take them for the current folder, which may start the wrong program.
        if (end > 0 && !failed && is_program(path)) return path;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return Error{ErrorCode::not_found, "cannot start " + name + ": no folder in PATH has a program of that name",
                 "/argv/0"};
}

// --- Data for the child, prepared before the fork because the child must not allocate memory
// --------------------------

class Pointers {
public:
    explicit Pointers(std::vector<std::string> texts) : texts_(std::move(texts)) {
        for (auto& text : texts_) pointers_.push_back(text.data());
        pointers_.push_back(nullptr);
    }
    [[nodiscard]] char* const* get() const { return pointers_.data(); }

private:
    std::vector<std::string> texts_;
    std::vector<char*> pointers_;
};

std::vector<std::string> as_assignments(const Environment& environment) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : environment) texts.push_back(name + "=" + value);
    return texts;
}

struct Pipe {
    Descriptor read;
    Descriptor write;
};

// Moves a descriptor above those with a fixed meaning in the child, so that none is overwritten before it is in place.
bool keep_clear(Descriptor& end) {
    if (end.number() > kLastDescriptor) return true;
    end = Descriptor(::fcntl(end.number(), F_DUPFD_CLOEXEC, kLastDescriptor + 1));
    return end.is_open();
}

bool open_pipe(Pipe& pipe) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    pipe = {Descriptor(ends[0]), Descriptor(ends[1])};
    return keep_clear(pipe.read) && keep_clear(pipe.write);
}

// Only for our ends: the child's program does not expect non-blocking streams.
void never_wait_for(const Descriptor& end) {
    ::fcntl(end.number(), F_SETFL, ::fcntl(end.number(), F_GETFL) | O_NONBLOCK);
}

struct Plumbing {
    Pipe input;
    Pipe output;
    Pipe errors;
    Pipe failure;
    Pipe control;  // only with a supervisor
    Pipe report;
};

bool open_pipes(Plumbing& pipes, bool supervised) {
    if (!open_pipe(pipes.input) || !open_pipe(pipes.output) || !open_pipe(pipes.errors) || !open_pipe(pipes.failure))
        return false;
    return !supervised || (open_pipe(pipes.control) && open_pipe(pipes.report));
}

// Blocks all signals during the fork, because our signal handlers must not run in the child.
class SignalsHeldBack {
public:
    SignalsHeldBack() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsHeldBack(const SignalsHeldBack&) = delete;
    SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

private:
    sigset_t before_{};
};

// --- In the child: between fork and exec, locks of other threads stay locked forever, so only async-signal-safe calls
// --

struct ChildPlan {
    const char* program;
    char* const* argv;
    char* const* environment;
    const char* folder;
    const ProcessSandbox* sandbox;
    const IsolationPlan* isolation;  // with a sandbox
    const Plumbing& pipes;
    pid_t parent;
    bool dies_with_us;
};

bool put_streams_in_place(const Plumbing& pipes) {
    const bool placed = ::dup2(pipes.input.read.number(), STDIN_FILENO) >= 0 &&
                        ::dup2(pipes.output.write.number(), STDOUT_FILENO) >= 0 &&
                        ::dup2(pipes.errors.write.number(), STDERR_FILENO) >= 0;
    if (!placed || ::dup3(pipes.failure.write.number(), kFailureDescriptor, O_CLOEXEC) < 0) return false;
    if (!pipes.control.read.is_open()) {
        ::closefrom(kFailureDescriptor + 1);
        return true;
    }
    if (::dup3(pipes.control.read.number(), kControlDescriptor, O_CLOEXEC) < 0) return false;
    if (::dup3(pipes.report.write.number(), kReportDescriptor, O_CLOEXEC) < 0) return false;
    ::closefrom(kLastDescriptor + 1);
    return true;
}

void reset_signals() {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &usual, nullptr);  // ignores SIGKILL, SIGSTOP
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

ChildFailure become_program(const ChildPlan& plan, pid_t parent) {
    using Step = ChildFailure::Step;
    ::setsid();  // succeeds, because a newly forked child leads no group
    reset_signals();
    if (plan.sandbox != nullptr) {
        if (const auto failed = enter_sandbox(*plan.sandbox, parent)) return *failed;
    } else if (plan.dies_with_us && !die_with(parent)) {
        return {Step::confinement, errno};
    }
    // After the change of user, so that this user's permissions apply.
    if (::chdir(plan.folder) != 0) return {Step::folder, errno};
    ::execve(plan.program, plan.argv, plan.environment);
    return {Step::program, errno};
}

[[noreturn]] void give_up(const ChildFailure& failure, int to = kFailureDescriptor) {
    [[maybe_unused]] const auto written = ::write(to, &failure, sizeof failure);
    ::_exit(kExitNotStarted);
}

// Forks the child and supervises it. Our memory is a copy of the server's, with its secrets, so no other process may
// read it.
[[noreturn]] void run_supervisor(const ChildPlan& plan) {
    ::setsid();  // a signal to our parent's group must not end the supervisor early
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (!plan.isolation->enter()) give_up({ChildFailure::Step::isolation, errno});
    const pid_t self = ::getpid();
    const pid_t child = fork_bare();
    if (child < 0) give_up({ChildFailure::Step::isolation, errno});
    if (child == 0) give_up(become_program(plan, self));
    for (int stream = STDIN_FILENO; stream <= kFailureDescriptor; ++stream) ::close(stream);
    supervise({.child = child,
               .control = kControlDescriptor,
               .report = kReportDescriptor,
               .isolation = plan.isolation->isolation()});
}

[[noreturn]] void run_child(const ChildPlan& plan) {
    if (!put_streams_in_place(plan.pipes))
        give_up({ChildFailure::Step::streams, errno}, plan.pipes.failure.write.number());
    if (plan.isolation != nullptr) run_supervisor(plan);
    give_up(become_program(plan, plan.parent));
}

}  // namespace

Result<void> check_program(const ProcessRequest& request) {
    if (auto error = check_process_request(request)) return std::move(*error);
    const auto program = find_program(request);
    if (!program) return program.error();
    if (is_program(*program)) return {};
    return Error{ErrorCode::not_found, "cannot start " + *program + ": the program does not exist or is not executable",
                 "/argv/0"};
}

Result<StartedProcess> start_process(const ProcessRequest& request) {
    if (auto error = check_process_request(request)) return std::move(*error);
    auto program = find_program(request);
    if (!program) return program.error();
    // The kernel would discard the exit status, and the id could belong to another process when we wait for it.
    struct sigaction child {};
    ::sigaction(SIGCHLD, nullptr, &child);
    if (child.sa_handler == SIG_IGN || (child.sa_flags & SA_NOCLDWAIT) != 0) {
        return Error{ErrorCode::unavailable,
                     "cannot start " + *program + ": SIGCHLD is ignored; start this program with its default action"};
    }

    Plumbing pipes;
    if (!open_pipes(pipes, request.sandbox.has_value())) return cannot_start(*program, "no pipe: ", errno);
    std::optional<IsolationPlan> isolation;
    if (request.sandbox) {
        isolation.emplace(request.sandbox->isolation ? *request.sandbox->isolation : strongest_isolation(),
                          request.sandbox->hidden);
    }
    const Pointers argv(request.argv);
    const Pointers environment(as_assignments(request.environment));
    const ChildPlan plan{program->c_str(),
                         argv.get(),
                         environment.get(),
                         request.working_directory.c_str(),
                         request.sandbox ? &*request.sandbox : nullptr,
                         isolation ? &*isolation : nullptr,
                         pipes,
                         ::getpid(),
                         request.dies_with_us};
    StartedProcess started;
    {
        const SignalsHeldBack held_back;
        started.id = isolation ? isolation->fork() : ::fork();
        if (started.id == 0) run_child(plan);
    }
    if (started.id < 0) return cannot_start(*program, "", errno);
    // It stays a zombie until we wait for it, so the id is still valid. Linux before 5.3 and some containers have no
    // pidfd.
    started.ended = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, started.id, 0)));
    started.program = std::move(*program);
    started.input = std::move(pipes.input.write);
    started.output = std::move(pipes.output.read);
    started.errors = std::move(pipes.errors.read);
    started.failure = std::move(pipes.failure.read);
    started.control = std::move(pipes.control.write);
    started.report = std::move(pipes.report.read);
    for (const auto* const end : {&started.input, &started.output, &started.errors, &started.failure})
        never_wait_for(*end);
    if (isolation) never_wait_for(started.report);
    return started;
}

Error start_error(const ChildFailure& failure, const ProcessRequest& request, const std::string& program) {
    switch (failure.step) {
        case ChildFailure::Step::streams: return cannot_start(program, "its streams: ", failure.error);
        case ChildFailure::Step::isolation: return cannot_start(program, "its namespaces: ", failure.error);
        case ChildFailure::Step::limits: return cannot_start(program, "its limits: ", failure.error);
        case ChildFailure::Step::user:
            return cannot_start(program, "only root can start it as another user: ", failure.error);
        case ChildFailure::Step::confinement: return cannot_start(program, "its sandbox: ", failure.error);
        case ChildFailure::Step::folder:
            return cannot_start(program, "its folder " + request.working_directory + ": ", failure.error);
        case ChildFailure::Step::program: break;
    }
    return cannot_start(program, "", failure.error);
}

}  // namespace belfry
