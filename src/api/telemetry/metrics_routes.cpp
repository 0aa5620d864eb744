// The route for the server's metrics in the format of Prometheus, or as a short JSON object for clients of the cron
// service, which accept nothing else. Does not query the store.
#include <algorithm>
#include <boost/json/object.hpp>
#include <map>
#include <set>

#include "api/contract/problem.hpp"
#include "api/handlers.hpp"
#include "api/telemetry/metric_families.hpp"
#include "base/process/process_reading.hpp"
#include "engine/telemetry/server_status.hpp"

namespace belfry::api {

namespace {

constexpr std::size_t kQueuesMax = 200;  // with metrics of their own
constexpr const char* kMetricsMedia = "text/plain; version=0.0.4; charset=utf-8";

void add_engine(MetricFamilies& families, const engine::EngineReading& reading) {
    families.counter("belfry_schedules_due_total", "Due schedules that ticks examined.").add(reading.schedules_due);
    families.counter("belfry_schedules_decided_total", "Schedules that a tick decided.").add(reading.decided);
    families
        .counter("belfry_schedules_passed_over_total",
                 "Due schedules that another server was deciding, or that were gone.")
        .add(reading.passed_over);
    families.counter("belfry_ticks_total", "Transactions that examined due schedules.").add(reading.ticks);
    families.counter("belfry_runs_emitted_total", "Runs dispatched, by any cause.").add(reading.runs_emitted);
    families.counter("belfry_backfill_runs_emitted_total", "Runs dispatched by backfills.").add(reading.backfill_runs);
    families.counter("belfry_runs_buffered_total", "Runs buffered until an earlier run ended.")
        .add(reading.runs_buffered);
    families.counter("belfry_runs_skipped_overlap_total", "Occurrences skipped because of runs in flight.")
        .add(reading.runs_skipped_overlap);
    auto skipped = families.counter("belfry_runs_skipped_total", "Occurrences skipped, by reason.");
    for (const auto& [reason, count] : reading.skipped_by_reason)
        skipped.add(count, {{"reason", std::string(name_of(reason))}});
    families.counter("belfry_runs_failed_launch_total", "Runs that could not be delivered.")
        .add(reading.runs_failed_launch);
    families.counter("belfry_runs_ended_total", "Runs that ended.").add(reading.runs_ended);
    families.counter("belfry_leases_expired_total", "Attempts whose worker's lease expired.").add(reading.reaped);
    families.counter("belfry_tasks_redelivered_total", "Tasks redelivered because their worker was lost.")
        .add(reading.redelivered);
    families.counter("belfry_runs_pruned_total", "Old runs deleted by retention.").add(reading.pruned);
    families.counter("belfry_schedules_removed_total", "Completed or deleted schedules removed in full.")
        .add(reading.removed);
    families.counter("belfry_worker_failures_total", "Failed steps of background jobs, which were retried.")
        .add(reading.store_failures);
    families
        .histogram("belfry_scheduling_drift_seconds",
                   "Time from the planned time of a run to the commit that dispatched it.")
        .add(reading.lateness);
    families.histogram("belfry_tick_duration_seconds", "Duration of a tick, including its commit.")
        .add(reading.tick_time);
}

void add_tenants(MetricFamilies& families, const std::map<std::string, engine::TenantReading>& tenants) {
    auto runs = families.counter("belfry_schedule_runs_total",
                                 "Runs by status. A run counts once in every status that it reaches.");
    auto latency = families.histogram("belfry_schedule_run_latency_seconds",
                                      "Time from the planned time of a run to the start of its first attempt.");
    for (const auto& [tenant, reading] : tenants) {
        for (const auto& [what, count] : reading.runs) {
            runs.add(count, {{"tenant", tenant},
                             {"status", std::string(name_of(what.first))},
                             {"target_type", std::string(name_of(what.second))}});
        }
        if (reading.start_latency.count > 0) latency.add(reading.start_latency, {{"tenant", tenant}});
    }
}

void add_connections(MetricFamilies& families, const std::vector<engine::ConnectionReading>& connections,
                     const std::optional<store::Counts>& counts) {
    if (connections.empty()) return;
    auto messages = families.counter("belfry_handover_messages_total",
                                     "Deliveries to connections, by outcome: acknowledged, refused, given up "
                                     "(expired), or to be retried (unavailable).");
    auto up = families.gauge("belfry_connection_up", "Whether the connection accepted the last task from this server.");
    for (const auto& connection : connections) {
        for (const auto outcome : engine::kHandOvers) {
            const auto found = connection.outcomes.find(outcome);
            messages.add(found == connection.outcomes.end() ? 0 : found->second,
                         {{"connection", connection.name}, {"outcome", std::string(name_of(outcome))}});
        }
        up.add(connection.unavailable_since ? 0 : 1, {{"connection", connection.name}});
    }
    if (!counts) return;
    std::map<std::string, std::int64_t> waiting;
    for (const auto& connection : connections) waiting[connection.name] = 0;
    for (const auto& depth : counts->queues) {
        if (const auto name = model::connection_of(depth.queue); !name.empty())
            waiting[name] += depth.ready + depth.delayed;
    }
    auto gauge = families.gauge("belfry_handover_waiting", "Tasks of all tenants that wait for delivery.");
    for (const auto& [name, tasks] : waiting) gauge.add(tasks, {{"connection", name}});
}

// Sums names beyond the bound under "other". The largest come first, so they keep their names.
class Bounded {
public:
    explicit Bounded(std::size_t most) : most_(most) {}
    std::string operator()(const std::string& name) {
        if (names_.contains(name)) return name;
        if (names_.size() >= most_) return kOtherNames;
        names_.insert(name);
        return name;
    }

private:
    std::size_t most_;
    std::set<std::string> names_;
};

void add_counts(MetricFamilies& families, const store::Counts& counts) {
    Bounded tenant(engine::kTenantsMax);
    std::map<std::pair<std::string, std::string>, std::int64_t> schedules;
    for (const auto& each : counts.schedules)
        schedules[{tenant(each.tenant), std::string(name_of(each.status))}] += each.count;
    auto total = families.gauge("belfry_schedules", "Schedules by status.");
    for (const auto& [what, count] : schedules) total.add(count, {{"tenant", what.first}, {"state", what.second}});

    std::map<std::string, store::ApprovalCount> approvals;
    for (const auto& each : counts.approvals) {
        auto& sum = approvals[tenant(each.tenant)];
        sum.oldest = sum.pending == 0 ? each.oldest : std::min(sum.oldest, each.oldest);
        sum.pending += each.pending;
    }
    auto pending = families.gauge("belfry_approvals_pending", "Runs and nodes that wait for approval.");
    auto oldest = families.gauge("belfry_approvals_oldest_seconds", "Age of the oldest pending approval.");
    for (const auto& [name, sum] : approvals) {
        pending.add(sum.pending, {{"tenant", name}});
        oldest.add(std::max(0.0, std::chrono::duration<double>(counts.at - sum.oldest).count()), {{"tenant", name}});
    }

    Bounded queue(kQueuesMax);
    std::map<std::pair<std::string, std::string>, store::QueueDepth> queues;
    for (const auto& each : counts.queues) {
        const bool named = queue(each.tenant + '\n' + each.queue) != kOtherNames;
        auto& sum = queues[named ? std::pair(each.tenant, each.queue)
                                 : std::pair<std::string, std::string>(kOtherNames, kOtherNames)];
        sum.ready += each.ready;
        sum.delayed += each.delayed;
        sum.leased += each.leased;
    }
    auto depth = families.gauge("belfry_queue_tasks", "Tasks that are ready, delayed or leased.");
    for (const auto& [what, sum] : queues) {
        depth.add(sum.ready, {{"tenant", what.first}, {"queue", what.second}, {"state", "ready"}});
        depth.add(sum.delayed, {{"tenant", what.first}, {"queue", what.second}, {"state", "delayed"}});
        depth.add(sum.leased, {{"tenant", what.first}, {"queue", what.second}, {"state", "leased"}});
    }
}

void add_store(MetricFamilies& families, const std::map<std::string, store::VerbReading>& verbs) {
    auto took = families.histogram("belfry_store_duration_seconds", "Duration of store operations, by verb.");
    auto errors = families.counter("belfry_store_errors_total", "Failed store operations, by verb and error.");
    for (const auto& [verb, reading] : verbs) {
        took.add(reading.took, {{"verb", verb}});
        for (const auto& [code, count] : reading.errors)
            errors.add(count, {{"verb", verb}, {"code", problem_of({code, {}}).code}});
    }
}

void add_http(MetricFamilies& families, const HttpMetrics& metrics) {
    families
        .counter("belfry_http_unread_responses_closed_total",
                 "Connections closed because clients did not read their responses (answer_memory_mib).")
        .add(metrics.unread_closed());
    auto requests = families.counter("belfry_http_requests_total", "Requests answered.");
    auto took = families.histogram("belfry_http_request_duration_seconds", "Time to produce the response.");
    for (const auto& [operation, reading] : metrics.read()) {
        for (std::size_t digit = 1; digit < kStatusClasses; ++digit) {
            const auto count = reading.answers.at(digit);
            if (count > 0)
                requests.add(
                    count,
                    {{"operation", operation}, {"method", reading.method}, {"status", std::to_string(digit) + "xx"}});
        }
        took.add(reading.took, {{"operation", operation}});
    }
}

void add_standing(MetricFamilies& families, const engine::ServerStatus& status, const spec::ZoneDatabase& zones) {
    const auto standing = status.ticker.standing();
    if (standing.last_step) {
        families.gauge("belfry_ticker_silence_seconds", "Time since the ticker last reached the store.")
            .add(std::chrono::duration<double>(standing.silent_for).count());
    }
    families.gauge("belfry_timer_schedules", "Schedules that this server's timer has loaded.").add(standing.schedules);
    const auto decided = status.ticker.quarantined().size();
    families.gauge("belfry_schedules_quarantined", "Schedules that cannot be decided.").add(decided);
    families.gauge("belfry_work_quarantined", "Runs and backfills that cannot be processed.")
        .add(status.quarantined().size() - decided);
    families.gauge("belfry_leader", "1 on the leader of the cluster, 0 on other servers.")
        .add(status.member.leading() ? 1 : 0);
    const auto clock = status.member.clock();
    families
        .gauge("belfry_clock_trusted",
               "1 while the store's clock advances together with the monotonic clock and is not behind the stored "
               "decisions.")
        .add(clock.ok() ? 1 : 0);
    auto steps = families.counter("belfry_clock_steps_total",
                                  "Steps of the store's clock that this server detected, by outcome.");
    steps.add(clock.steps.forward, {{"step", "forward"}});
    steps.add(clock.steps.back, {{"step", "back"}});
    steps.add(clock.steps.withdrawn, {{"step", "withdrawn"}});
    families.gauge("belfry_leader_term", "Term of the leader, as this server knows it.").add(status.member.term());
    families.gauge("belfry_servers", "Servers that share the store.").add(status.member.servers());
    families.gauge("belfry_build_info", "Always 1. The labels identify the build.")
        .add(1, {{"version", BELFRY_VERSION}, {"tzdata", zones.version()}});
}

void add_process(MetricFamilies& families, const ProcessReading& reading) {
    families.counter("process_cpu_seconds_total", "User and system CPU time.").add(reading.cpu_seconds);
    families.gauge("process_resident_memory_bytes", "Resident memory.").add(reading.resident_bytes);
    families.gauge("process_virtual_memory_bytes", "Virtual memory.").add(reading.virtual_bytes);
    families.gauge("process_open_fds", "Open files and sockets.").add(reading.open_files);
    if (reading.open_files_max > 0)
        families.gauge("process_max_fds", "Maximum number of open files and sockets.").add(reading.open_files_max);
    families.gauge("process_threads", "Number of threads.").add(reading.threads);
    families.gauge("process_start_time_seconds", "Start time of the process, in seconds since the Unix epoch.")
        .add(reading.started_at_s);
}

std::string metrics_text(const engine::ServerStatus& status, const spec::ZoneDatabase& zones,
                         const MetricsSources& sources) {
    MetricFamilies families;
    if (sources.engine != nullptr) {
        const auto reading = sources.engine->read();
        add_engine(families, reading);
        add_tenants(families, reading.tenants);
    }
    const auto counts = sources.counts ? sources.counts() : std::nullopt;
    if (counts) add_counts(families, *counts);
    add_connections(families, status.connections.read(), counts);
    if (sources.store != nullptr) add_store(families, sources.store->read());
    if (sources.http != nullptr) add_http(families, *sources.http);
    add_standing(families, status, zones);
    if (const auto process = read_process()) add_process(families, *process);
    return families.text();
}

// A client that accepts both gets the text of Prometheus.
bool wants_json(const Request& request) {
    const auto accept = request.header("Accept");
    return accept.find("application/json") != std::string_view::npos &&
           accept.find("text/plain") == std::string_view::npos && accept.find("*/*") == std::string_view::npos;
}

std::uint64_t runs_marked(const engine::EngineReading& reading, std::initializer_list<engine::RunMark> marks) {
    std::uint64_t sum = 0;
    for (const auto& [name, tenant] : reading.tenants) {
        for (const auto& [what, count] : tenant.runs) {
            if (std::ranges::find(marks, what.first) != marks.end()) sum += count;
        }
    }
    return sum;
}

// Schedules are those of all tenants, as last counted. Runs are those that this server has seen since it started.
Json metrics_json(const MetricsSources& sources) {
    using engine::RunMark;
    using model::ScheduleStatus;
    const auto reading = sources.engine != nullptr ? sources.engine->read() : engine::EngineReading{};
    const auto counts = sources.counts ? sources.counts() : std::nullopt;
    std::map<ScheduleStatus, std::int64_t> schedules;
    for (const auto& each : counts.value_or(store::Counts{}).schedules) schedules[each.status] += each.count;
    const auto total =
        schedules[ScheduleStatus::active] + schedules[ScheduleStatus::paused] + schedules[ScheduleStatus::completed];
    return boost::json::object{{"total_schedules", total},
                               {"active_schedules", schedules[ScheduleStatus::active]},
                               {"paused_schedules", schedules[ScheduleStatus::paused]},
                               {"total_runs", reading.runs_emitted},
                               {"successful_runs", runs_marked(reading, {RunMark::succeeded})},
                               {"failed_runs", runs_marked(reading, {RunMark::failed, RunMark::timed_out})},
                               {"schedules_due", reading.schedules_due},
                               {"runs_emitted", reading.runs_emitted},
                               {"runs_skipped_overlap", reading.runs_skipped_overlap},
                               {"runs_failed_launch", reading.runs_failed_launch}};
}

ShapePtr metrics_shape() {
    std::vector<Member> members;
    for (const auto& [name, says] : std::initializer_list<std::pair<const char*, const char*>>{
             {"total_schedules", "Schedules of all tenants that are not deleted, as last counted."},
             {"active_schedules", "Those that are active."},
             {"paused_schedules", "Those that are paused."},
             {"total_runs", "Runs dispatched since this server started."},
             {"successful_runs", "Runs that this server saw succeed."},
             {"failed_runs", "Runs that this server saw fail or time out."},
             {"schedules_due", "Due schedules that ticks examined."},
             {"runs_emitted", "The same as `total_runs`."},
             {"runs_skipped_overlap", "Occurrences skipped because of runs in flight."},
             {"runs_failed_launch", "Runs that could not be delivered."}})
        members.push_back({name, integer(), says, Presence::required});
    return record("MetricsSummary", std::move(members));
}

}  // namespace

void add_metrics_routes(Routes& routes, const engine::ServerStatus& status, const spec::ZoneDatabase& zones,
                        const MetricsSources& sources) {
    routes.push_back({.method = "GET",
                      .pattern = "/metrics",
                      .operation = "getMetrics",
                      .summary = "Retrieve the metrics of the server in the text format of Prometheus.",
                      .details = "If authentication is required, the scraper needs a key that may read every tenant. "
                                 "With `Accept: application/json`, the response is a JSON object with a few counts.",
                      .group = "Server",
                      .permission = model::Permission::read,
                      .answers = {{200, {}, "The metrics.", "text/plain"}, {200, metrics_shape()}},
                      .handler = [&status, &zones, sources](const Call& call) -> Result<Response> {
                          if (wants_json(call.request)) {
                              auto response = json_response(metrics_json(sources));
                              response.headers.push_back({"Cache-Control", "no-store"});
                              return response;
                          }
                          return Response{200,
                                          {{"Content-Type", kMetricsMedia}, {"Cache-Control", "no-store"}},
                                          metrics_text(status, zones, sources)};
                      }});
}

}  // namespace belfry::api
