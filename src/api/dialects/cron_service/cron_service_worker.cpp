// The cron service's worker is Belfry itself, which always runs. Stopping it switches off the dispatch of the tenant:
// occurrences are skipped, with a reason, until it is started again.
#include <boost/json/object.hpp>

#include "api/dialects/cron_service/cron_service.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_shapes.hpp"

namespace belfry::api::cron_service {

namespace {

using boost::json::object;

constexpr int kTriesMax = 3;  // another request may change the tenant in between

Result<Response> set_running(engine::Tenants& tenants, const Call& call, bool running) {
    const auto done = json_response(object{{"message", running ? "Worker is running" : "Worker is stopped"}});
    for (int tries = 1;; ++tries) {
        auto tenant = tenants.get(call.tenant());
        if (!tenant) return tenant.error();
        if (tenant->dispatch_enabled == running) return done;
        tenant->dispatch_enabled = running;
        const auto version = tenant->version;
        const auto replaced = tenants.replace(std::move(*tenant), version);
        if (replaced) return done;
        if (replaced.error().code != ErrorCode::conflict || tries == kTriesMax) return replaced.error();
    }
}

Result<Response> status_of(engine::Tenants& tenants, const engine::ServerStatus& status, const WorkerSettings& settings,
                           const Call& call) {
    const auto tenant = tenants.get(call.tenant());
    if (!tenant) return tenant.error();
    const bool running = tenant->dispatch_enabled;
    return json_response(object{{"status", running ? "running" : "stopped"},
                                {"worker_status", object{{"running", running},
                                                         {"tick_ms", settings.tick.count()},
                                                         {"lookahead_ms", settings.lookahead.count()},
                                                         {"max_catchup_per_tick", settings.max_catchup_per_tick},
                                                         {"leader_lock", status.member.leading()}}}});
}

ShapePtr status_answer() {
    return answer_record(
        "CronServiceWorkerStatus",
        {{"status", one_of({"running", "stopped"}), "Whether the tenant's schedules dispatch runs."},
         {"worker_status",
          answer_record("CronServiceWorker", {{"running", boolean(), "The same as a boolean."},
                                              {"tick_ms", integer(), "Setting `tick_ms`."},
                                              {"lookahead_ms", integer(), "Setting `lookahead_ms`."},
                                              {"max_catchup_per_tick", integer(), "Setting `max_catchup_per_tick`."},
                                              {"leader_lock", boolean(), "Whether this server leads the cluster."}}),
          "Details and settings."}});
}

ShapePtr message_answer() {
    return answer_record("CronServiceMessage", {{"message", text(), "What happened, in words."}});
}

}  // namespace

void add_worker_routes(const AddRoute& add, engine::Tenants& tenants, const engine::ServerStatus& status,
                       const WorkerSettings& settings) {
    add({.method = "GET",
         .pattern = "/worker/status",
         .operation = "cronServiceWorkerStatus",
         .summary = "Retrieve whether the tenant's schedules dispatch runs, and the settings of the scheduler.",
         .permission = model::Permission::read,
         .answers = {{200, status_answer()}},
         .handler = [&tenants, &status, settings](const Call& call) {
             return status_of(tenants, status, settings, call);
         }});
    add({.method = "POST",
         .pattern = "/worker/start",
         .operation = "cronServiceWorkerStart",
         .summary = "Let the tenant's schedules dispatch runs.",
         .permission = model::Permission::administer,
         .server_wide = true,
         .answers = {{200, message_answer()}},
         .handler = [&tenants](const Call& call) { return set_running(tenants, call, true); }});
    add({.method = "POST",
         .pattern = "/worker/stop",
         .operation = "cronServiceWorkerStop",
         .summary = "Skip every occurrence of the tenant's schedules, with the reason `dispatch_disabled`.",
         .permission = model::Permission::administer,
         .server_wide = true,
         .answers = {{200, message_answer()}},
         .handler = [&tenants](const Call& call) { return set_running(tenants, call, false); }});
}

}  // namespace belfry::api::cron_service
