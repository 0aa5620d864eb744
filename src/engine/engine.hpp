// The engine as a whole: its workers, each on a thread of its own, and what can be asked of it. Composes; decides nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/assignees.hpp"
#include "engine/assignments.hpp"
#include "engine/attendant.hpp"
#include "engine/backfill_bell.hpp"
#include "engine/backfills.hpp"
#include "engine/calendars.hpp"
#include "engine/callbacks.hpp"
#include "engine/command_task.hpp"
#include "engine/connection_book.hpp"
#include "engine/deliverer.hpp"
#include "engine/executor_options.hpp"
#include "engine/housekeeping.hpp"
#include "engine/next_up.hpp"
#include "engine/observers.hpp"
#include "engine/runs.hpp"
#include "engine/schedules.hpp"
#include "engine/service.hpp"
#include "engine/supervision.hpp"
#include "engine/task_bell.hpp"
#include "engine/tenants.hpp"
#include "engine/ticker.hpp"
#include "engine/webhooks.hpp"
#include "engine/workflows.hpp"

namespace belfry::engine {

class Courier;
class Executor;
class Launcher;

struct EngineOptions {
    TickerOptions ticker = {};
    AttendantOptions attendant = {};  // without a server id one is made
    Backfiller::Options backfiller = {};
    Reaper::Options reaper = {};
    Janitor::Options janitor = {};
    Deliverer::Options deliverer = {};
    ExecutorOptions executor = {};
    Commands commands = {};               // that tasks may run; none: command tasks fail
    Connections connections = {};         // that tasks are handed over to
    std::string default_connection = {};  // as the store has it
    Seconds min_interval{60};
    bool strict_targets = false;
    // What leaves the server; both or none. Without them there are no webhooks, and nobody does http tasks.
    HttpClient* http = nullptr;
    Sealer* sealer = nullptr;
    std::function<void()> feed_grown = {};  // somebody who follows a feed should look; called on the store's thread
};

class Engine {
public:
    // REQUIRES: the store, the zones, the observer and what the options point to outlive it.
    Engine(store::Store& store, const spec::ZoneDatabase& zones, Observer& observer, EngineOptions options);
    ~Engine();

    void start();
    // Ends the loops; the step that goes on is finished first. What can be asked still works. Again is fine.
    void stop();

    [[nodiscard]] Schedules& schedules() { return schedules_; }
    [[nodiscard]] Runs& runs() { return runs_; }
    [[nodiscard]] Supervision& supervision() { return supervision_; }
    [[nodiscard]] Backfills& backfills() { return backfills_; }
    [[nodiscard]] TaskWaiters& task_waiters() { return task_waiters_; }
    [[nodiscard]] const NextUp& next_up() const { return next_up_; }
    [[nodiscard]] Webhooks* webhooks() { return webhooks_.get(); }  // null without outgoing calls
    [[nodiscard]] Callbacks& callbacks() { return callbacks_; }
    [[nodiscard]] const Connections& connections() const { return connections_; }
    [[nodiscard]] std::vector<ConnectionReading> connection_readings() const { return book_.read(); }
    // Whether the token is of this task. Without a key to sign with, none is.
    [[nodiscard]] bool is_callback_token(std::string_view token, const std::string& tenant, const std::string& run_id, const std::string& node);
    // What the signed calls of the tenant's http tasks are checked with.
    [[nodiscard]] Result<std::string> task_signing_secret(const std::string& tenant);
    [[nodiscard]] Calendars& calendars() { return calendars_; }
    [[nodiscard]] Tenants& tenants() { return tenants_; }
    [[nodiscard]] Assignees& assignees() { return assignees_; }
    [[nodiscard]] Assignments& assignments() { return assignments_; }
    [[nodiscard]] Workflows& workflows() { return workflows_; }
    [[nodiscard]] store::Store& store() { return store_; }
    [[nodiscard]] const spec::ZoneDatabase& zones() const { return zones_; }

    [[nodiscard]] const std::string& server() const { return server_; }
    [[nodiscard]] const Ticker& ticker() const { return ticker_; }
    [[nodiscard]] const Attendant& attendant() const { return attendant_; }
    // What this server cannot decide or do: schedules, then runs and backfills. From any thread.
    [[nodiscard]] std::vector<Quarantined> quarantined() const;

private:
    [[nodiscard]] std::unique_ptr<Executor> make_executor(const EngineOptions& options, Observer& observer);
    void make_couriers(const EngineOptions& options, Observer& observer);
    void hear(const store::Announcement& announcement);
    void hear_own(const store::TasksReady& ready);

    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    SystemSteadyClock steady_;
    UuidMaker ids_;
    std::string server_;
    const Connections connections_;
    const Commands commands_;
    ConnectionBook book_{connections_};
    BackfillBell backfill_bell_;
    Observers observers_;
    Schedules schedules_;
    Runs runs_;
    Supervision supervision_{store_, schedules_, runs_};
    Callbacks callbacks_;
    Backfills backfills_;
    Calendars calendars_;
    Tenants tenants_;
    Assignees assignees_;
    Assignments assignments_;
    Workflows workflows_;
    Ticker ticker_;
    NextUp next_up_;
    Attendant attendant_;
    Backfiller backfiller_;
    Reaper reaper_;
    Janitor janitor_;
    TaskWaiters task_waiters_{steady_};
    TaskBell task_bell_{task_waiters_};
    std::unique_ptr<Webhooks> webhooks_;
    std::unique_ptr<Deliverer> deliverer_;
    Sealer* sealer_ = nullptr;
    std::unique_ptr<Executor> executor_;
    std::vector<std::unique_ptr<Launcher>> launchers_;
    std::unique_ptr<Executor> launching_;  // hands over to HTTP launchers
    std::vector<std::unique_ptr<Courier>> couriers_;
    Service ticking_;
    std::vector<std::unique_ptr<Service>> others_;
    std::unique_ptr<Signals> signals_;  // goes first: its threads use the ticker and its service
    Service* delivering_ = nullptr;     // three of the others
    Service* ringing_ = nullptr;
    Service* executing_ = nullptr;
    Service* launching_service_ = nullptr;
    std::vector<Service*> carrying_;  // one for each courier
    std::function<void()> feed_grown_;
    bool running_ = false;
};

}  // namespace belfry::engine
