// A worker: claims tasks, runs a command for each, keeps their leases and tells how they ended.
//
// Per task: claimed → its command runs → its end is told. A heartbeat for all of them goes out three times a lease. The server
// decides who holds a task; a worker that was away too long finds out in one of three ways, and none of them does harm:
//   - a heartbeat is answered without the task: the command is ended, and nothing is told
//   - the command ended meanwhile: its end is told and refused, because the attempt is not the newest one
//   - the server cannot be reached: the command goes on, as the lease may still be held; its end is told again and again until
//     the lease must have run out
// A worker that dies takes its commands with it; the leases run out and others get the tasks.
#pragma once

#include <atomic>

#include "app/running_tasks.hpp"
#include "base/log.hpp"
#include "base/process.hpp"

namespace belfry::app {

struct WorkerOptions {
    ProcessRequest command;                // program, arguments, folder and the worker's own environment
    std::size_t concurrency = 1;           // commands at a time
    bool once = false;                     // takes what there is, and ends
    std::optional<std::size_t> most = {};  // ends after so many tasks
    LogFormat log_format = LogFormat::text;
};

class WorkerLoop {
public:
    WorkerLoop(WorkerApi& api, WorkerOptions options, const Log& log) : api_(api), options_(std::move(options)), log_(log) {}

    // Until `end` is asked for: then nothing more is claimed, and what runs may finish. With `abandon`, too, it is ended and
    // nothing is told. An error: why it cannot go on; also then what runs may finish first.
    [[nodiscard]] Result<void> run(const std::stop_token& end, const std::stop_token& abandon);

private:
    [[nodiscard]] Result<void> claim_all();
    [[nodiscard]] Result<std::vector<ClaimedTask>> claim(std::size_t room);
    void beat(const std::stop_token& stop);

    void work_on(const ClaimedTask& task, const std::stop_token& stop);
    [[nodiscard]] AttemptReport run_command(const ClaimedTask& task, const std::stop_token& stop, ProcessResult& ended);
    void tell(const ClaimedTask& task, AttemptReport report, const std::stop_token& stop);
    void pass_on(const ClaimedTask& task, std::string_view line, std::string& into) const;

    // What is said about the server, once for each change.
    void reached();
    void missed(const Error& error);

    WorkerApi& api_;
    const WorkerOptions options_;
    const Log& log_;
    const SystemSteadyClock clock_;
    RunningTasks tasks_;
    std::size_t claimed_ = 0;
    std::stop_source enough_;    // nothing more is claimed
    std::stop_token abandoned_;  // nothing more is told
    std::atomic<bool> is_away_{false};
    std::mutex broken_mutex_;
    std::optional<Error> broken_;  // the command cannot be started
};

}  // namespace belfry::app
