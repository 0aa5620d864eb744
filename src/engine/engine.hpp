// The engine as a whole: its background jobs, each on its own thread, and its use cases. It composes the parts and
// decides nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/audit/event_archiver.hpp"
#include "engine/explain/explainer.hpp"
#include "engine/explain/forecaster.hpp"
#include "engine/jobs/backfill_bell.hpp"
#include "engine/jobs/cluster_member.hpp"
#include "engine/jobs/deliverer.hpp"
#include "engine/jobs/executor_options.hpp"
#include "engine/jobs/housekeeping.hpp"
#include "engine/jobs/long_poll_timer.hpp"
#include "engine/jobs/next_up.hpp"
#include "engine/jobs/service.hpp"
#include "engine/jobs/ticker.hpp"
#include "engine/jobs/usage_meter.hpp"
#include "engine/outgoing/command_task.hpp"
#include "engine/outgoing/connection_stats.hpp"
#include "engine/telemetry/observers.hpp"
#include "engine/telemetry/server_status.hpp"
#include "engine/usecases/approval_requirement.hpp"
#include "engine/usecases/assignees.hpp"
#include "engine/usecases/assignments.hpp"
#include "engine/usecases/backfills.hpp"
#include "engine/usecases/calendars.hpp"
#include "engine/usecases/callbacks.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"
#include "engine/usecases/tenants.hpp"
#include "engine/usecases/webhooks.hpp"
#include "engine/usecases/workflows.hpp"

namespace belfry::engine {

class BrokerPublisher;
class Executor;
class HttpLauncher;

struct EngineOptions {
    TickerOptions ticker = {};
    ClusterMemberOptions member = {};  // generates a server id when it is empty
    Backfiller::Options backfiller = {};
    Reaper::Options reaper = {};
    Janitor::Options janitor = {};
    EventArchiverOptions archiver = {};
    UsageMeter::Options usage = {};
    Deliverer::Options deliverer = {};
    Signals::Options signals = {};
    ExecutorOptions executor = {};
    Commands commands = {};               // commands that tasks may run; empty: command tasks fail
    Connections connections = {};         // connections that deliver tasks
    std::string default_connection = {};  // the name in the store
    std::size_t forecasts = 8;            // concurrent long previews and simulations
    Seconds min_interval{60};
    bool strict_targets = false;
    // For outgoing calls; both or none. Without them there are no webhooks, and no server does http tasks.
    HttpClient* http = nullptr;
    Sealer* sealer = nullptr;
    std::function<void()> feed_grown = {};  // wakes the followers of feeds; called on the store's thread
};

class Engine {
public:
    // REQUIRES: the store, the zones, the observer and everything that the options point to outlive it.
    Engine(store::Store& store, const spec::ZoneDatabase& zones, Observer& observer, EngineOptions options);
    ~Engine();

    void start();
    // Ends the background jobs after their current step. The use cases still work. May be called again.
    void stop();

    [[nodiscard]] Schedules& schedules() { return schedules_; }
    [[nodiscard]] Runs& runs() { return runs_; }
    [[nodiscard]] ApprovalRequirement& approval_requirement() { return approval_requirement_; }
    [[nodiscard]] Backfills& backfills() { return backfills_; }
    [[nodiscard]] Forecaster& forecaster() { return forecaster_; }
    [[nodiscard]] Explainer& explainer() { return explainer_; }
    [[nodiscard]] LongPollQueue& long_polls() { return long_polls_; }
    [[nodiscard]] const NextUp& next_up() const { return next_up_; }
    [[nodiscard]] Webhooks* webhooks() { return webhooks_.get(); }  // null without outgoing calls
    [[nodiscard]] Callbacks& callbacks() { return callbacks_; }
    [[nodiscard]] const Connections& connections() const { return connections_; }
    // The secret that verifies the signed calls of the tenant's http tasks.
    [[nodiscard]] Result<std::string> task_signing_secret(const std::string& tenant);
    [[nodiscard]] Calendars& calendars() { return calendars_; }
    [[nodiscard]] Tenants& tenants() { return tenants_; }
    [[nodiscard]] UsageMeter& usage() { return usage_; }
    [[nodiscard]] Assignees& assignees() { return assignees_; }
    [[nodiscard]] Assignments& assignments() { return assignments_; }
    [[nodiscard]] Workflows& workflows() { return workflows_; }
    [[nodiscard]] store::StoreReader& reader() { return store_; }
    [[nodiscard]] store::Registry& registry() { return store_.registry(); }
    [[nodiscard]] const spec::ZoneDatabase& zones() const { return zones_; }
    [[nodiscard]] const ServerStatus& status() const { return status_; }

private:
    [[nodiscard]] std::unique_ptr<Executor> make_executor(const EngineOptions& options, Observer& observer);
    void make_publishers(const EngineOptions& options, Observer& observer);
    void on_notification(const store::Notification& notification);
    void notify_own_jobs(const store::TasksReady& ready);

    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    SystemSteadyClock steady_;
    UuidMaker ids_;
    std::string server_;
    const Connections connections_;
    const Commands commands_;
    ConnectionStats connection_stats_{connections_};
    BackfillBell backfill_bell_;
    Observers observers_;
    Schedules schedules_;
    Runs runs_;
    ApprovalRequirement approval_requirement_{store_, schedules_, runs_};
    Forecaster forecaster_;
    Callbacks callbacks_;
    Backfills backfills_;
    Calendars calendars_;
    Tenants tenants_;
    Assignees assignees_;
    Assignments assignments_;
    Workflows workflows_;
    Ticker ticker_;
    NextUp next_up_;
    ClusterMember member_;
    Backfiller backfiller_;
    Reaper reaper_;
    const ServerStatus status_{server_, ticker_, member_, backfiller_, reaper_, connection_stats_};
    Explainer explainer_{store_, zones_, status_};
    Janitor janitor_;
    EventArchiver archiver_;
    UsageMeter usage_;
    LongPollQueue long_polls_{steady_};
    LongPollTimer long_poll_timer_{long_polls_};
    std::unique_ptr<Webhooks> webhooks_;
    std::unique_ptr<Deliverer> deliverer_;
    Sealer* sealer_ = nullptr;
    std::unique_ptr<Executor> executor_;
    std::vector<std::unique_ptr<HttpLauncher>> launchers_;
    std::unique_ptr<Executor> launching_;  // delivers tasks to HTTP launchers
    std::vector<std::unique_ptr<BrokerPublisher>> publishers_;
    Service ticking_;
    std::vector<std::unique_ptr<Service>> others_;
    std::unique_ptr<Signals> signals_;  // destroyed first: its threads use the ticker and its service
    Service* delivering_ = nullptr;     // this and the next three are elements of `others_`
    Service* ringing_ = nullptr;
    Service* executing_ = nullptr;
    Service* launching_service_ = nullptr;
    std::vector<Service*> publishing_;  // one for each publisher
    std::function<void()> feed_grown_;
    bool running_ = false;
};

}  // namespace belfry::engine
