// Status reports from the receivers of delivered tasks: started, succeeded, failed. Thread-safe.
//
// Only Belfry knows its attempts, so a report counts for the current attempt, even if the server has not yet recorded
// the acknowledgement. A repeated report changes nothing; one that contradicts the recorded status is a conflict.
#pragma once

#include "engine/outgoing/connection.hpp"
#include "engine/usecases/runs.hpp"

namespace belfry::engine {

struct Callback {
    enum class Status : std::uint8_t { started, success, failed };
    std::string run_id;
    std::string node = {};            // empty: the run's only task
    std::optional<int> attempt = {};  // from the message; a failure of an earlier attempt is a conflict
    Status status = Status::started;
    decide::AttemptEnd end = {};  // unless it has only started
};

class Callbacks {
public:
    // REQUIRES: all of them outlive it.
    Callbacks(store::Store& store, Runs& runs, const Connections& connections, const std::string& default_connection)
        : store_(store), runs_(runs), connections_(connections), default_connection_(default_connection) {}

    // Returns the run after the report. Returns `unavailable` while the task waits for its (next) delivery: the
    // receiver should retry a little later.
    [[nodiscard]] Result<model::Run> tell(const std::string& tenant, const Callback& callback);

private:
    // The current state of the task.
    struct Standing {
        model::Run run;
        bool has_workflow = false;
        std::string connection = {};
        bool queued = false;
        bool running = false;
        int attempt = 0;
        std::optional<model::ExecutionStatus> over = {};
    };
    [[nodiscard]] Result<Standing> look(const std::string& tenant, const Callback& callback);
    [[nodiscard]] Result<model::Run> start(const Standing& standing, const Callback& callback);

    store::Store& store_;
    Runs& runs_;
    const Connections& connections_;
    const std::string default_connection_;
};

}  // namespace belfry::engine
