// What the receivers of tasks that were handed over tell about them: that they have begun, and how they ended. Thread-safe.
//
// Nobody but Belfry knows its attempts, so a status counts for the attempt that goes on, also when the acknowledgement has not been noted
// yet. A status that is told again changes nothing; one that contradicts what is known is a conflict.
#pragma once

#include "engine/connection.hpp"
#include "engine/runs.hpp"

namespace belfry::engine {

struct Callback {
    enum class Status : std::uint8_t { started, success, failed };
    std::string run_id;
    std::string node = {};            // empty: the run's only task
    std::optional<int> attempt = {};  // as the message had it; a failure of an earlier one is a conflict
    Status status = Status::started;
    decide::AttemptEnd end = {};  // unless it has only started
};

class Callbacks {
public:
    // REQUIRES: all outlive it.
    Callbacks(store::Store& store, Runs& runs, const Connections& connections, const std::string& default_connection)
        : store_(store), runs_(runs), connections_(connections), default_connection_(default_connection) {}

    // The run as it is afterwards. unavailable while the task waits to be handed over (again): the same may be told a little later.
    [[nodiscard]] Result<model::Run> tell(const std::string& tenant, const Callback& callback);

private:
    // The task as it stands.
    struct Standing {
        model::Run run;
        bool walks = false;
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
