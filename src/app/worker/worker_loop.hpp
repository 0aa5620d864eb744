// A worker: claims tasks, runs a command for each, renews their leases and completes them.
//
// The worker sends one heartbeat for all its tasks, three times per lease. The server decides who holds a task. A
// worker that was away for too long learns that it lost a task in one of three ways, and none does harm:
//   - the response to a heartbeat lacks the task: the worker ends the command and reports nothing
//   - the command has ended meanwhile: the server rejects its result, because a newer attempt exists
//   - the server cannot be reached: the command continues, because the lease may still be valid; the worker retries the
//     report until the lease must have expired
// When a worker dies, its commands end with it; the leases expire and other workers get the tasks.
#pragma once

#include <atomic>

#include "app/worker/running_tasks.hpp"
#include "base/log.hpp"
#include "base/process/process.hpp"

namespace belfry::app {

struct WorkerOptions {
    ProcessRequest command;                // program, arguments, folder and the worker's own environment
    bool shell = false;                    // tasks bring their own command (shell_task.hpp)
    std::size_t concurrency = 1;           // parallel commands
    bool once = false;                     // ends when no task is available
    std::optional<std::size_t> most = {};  // ends after this number of tasks
    LogFormat log_format = LogFormat::text;
};

class WorkerLoop {
public:
    WorkerLoop(WorkerApi& api, WorkerOptions options, const Log& log)
        : api_(api), options_(std::move(options)), log_(log) {}

    // Runs until `end` requests a stop; then it claims no more tasks and lets running commands finish. When `abandon`
    // also requests a stop, it ends the commands and reports nothing. Returns an error if it cannot continue; running
    // commands may finish first even then.
    [[nodiscard]] Result<void> run(const std::stop_token& end, const std::stop_token& abandon);

private:
    [[nodiscard]] Result<void> claim_all();
    [[nodiscard]] Result<std::vector<ClaimedTask>> claim(std::size_t room);
    void beat(const std::stop_token& stop);

    void work_on(const ClaimedTask& task, const std::stop_token& stop);
    [[nodiscard]] AttemptReport run_command(const ClaimedTask& task, const std::stop_token& stop, ProcessResult& ended);
    [[nodiscard]] Result<ProcessRequest> request_for(const ClaimedTask& task) const;
    void tell(const ClaimedTask& task, AttemptReport report, const std::stop_token& stop);
    void pass_on(const ClaimedTask& task, std::string_view line, std::string& into) const;

    // Log whether the server can be reached, once per change.
    void reached();
    void missed(const Error& error);

    WorkerApi& api_;
    const WorkerOptions options_;
    const Log& log_;
    const SystemSteadyClock clock_;
    RunningTasks tasks_;
    std::size_t claimed_ = 0;
    std::stop_source enough_;    // claim no more tasks
    std::stop_token abandoned_;  // report no more results
    std::atomic<bool> is_away_{false};
    std::mutex broken_mutex_;
    std::optional<Error> broken_;  // why the command cannot be started
};

}  // namespace belfry::app
