// Routes for workers: claim tasks, renew their leases, and complete them.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/contract/names.hpp"
#include "api/contract/problem.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "api/resources/tasks/long_poll_claim.hpp"
#include "api/resources/tenants/usage_dto.hpp"
#include "engine/usecases/long_poll_queue.hpp"
#include "engine/usecases/runs.hpp"

namespace belfry::api {

namespace {

using model::Permission;

constexpr std::int64_t kLeasesMax = 1'000;  // in one heartbeat or completion
constexpr std::int64_t kLeaseMsLeast = 100;
constexpr std::int64_t kLeaseMsMost = 24LL * 60 * 60 * 1000;
constexpr std::int64_t kLeaseMsUsual = 30'000;
constexpr std::int64_t kWaitMsMost = 60'000;

Micros read_lease(const Values& values) {
    return std::chrono::milliseconds{values.integer("leaseMs").value_or(kLeaseMsUsual)};
}

model::LeaseRef read_lease_ref(const Values& values) {
    model::LeaseRef ref;
    ref.run_id = *values.text("runId");
    ref.attempt = static_cast<int>(*values.integer("attempt"));
    ref.node = values.text("node").value_or("");
    return ref;
}

// `place` is that of the members in the request's body.
Result<engine::Runs::Claim> read_claim(const Call& call, const Values& values, const std::string& place = {}) {
    engine::Runs::Claim request{.tenant = call.tenant()};
    request.queue = values.text("queue").value_or(request.queue);
    if (request.queue.starts_with(model::kOwnQueueMark)) {
        return in_field(invalid("queues that begin with @ are reserved for the server; claim from another queue"),
                        place + "/queue");
    }
    request.assignee = values.text("assignee").value_or("");
    request.worker = *values.text("worker");
    if (request.worker.starts_with(model::kOwnQueueMark)) {
        return in_field(invalid("worker names that begin with @ are reserved for the server; choose another name"),
                        place + "/worker");
    }
    request.limit = static_cast<std::size_t>(values.integer("limit").value_or(1));
    request.lease = read_lease(values);
    request.bytes = store::kPageBytesMax;
    return request;
}

Micros read_wait(const Values& values) { return std::chrono::milliseconds{values.integer("waitMs").value_or(0)}; }

Result<Response> claim(engine::Runs& runs, engine::LongPollQueue& long_polls, const Call& call) {
    const Values values(call.body);
    const auto request = read_claim(call, values);
    if (!request) return request.error();
    return claim_or_wait(runs, long_polls, *request, read_wait(values),
                         [](const Result<std::vector<model::Task>>& tasks) -> Result<Response> {
                             if (!tasks) return tasks.error();
                             return json_response(boost::json::object{{"items", tasks_json(*tasks)}});
                         });
}

// Explains why the worker lost the lease: the run ended, another worker holds the task, or the task exceeded a limit.
Json lost_json(store::StoreReader& reader, const std::string& tenant, const model::LeaseRef& ref, Json limit) {
    const auto run = reader.run(tenant, ref.run_id);
    auto lease = to_json(ref);
    lease.get_object()["runStatus"] = run ? Json(name_of(store::state_of(*run))) : Json(nullptr);
    lease.get_object()["reason"] = run && is_terminal(run->execution) ? or_null(run->error) : Json(nullptr);
    lease.get_object()["limit"] = std::move(limit);
    return lease;
}

// Reports the usage of running attempts. Returns the limits that they exceeded, in the order of the leases.
Result<std::vector<Json>> report(engine::Runs& runs, const Call& call, const boost::json::array& leases) {
    std::vector<engine::Runs::UsageReport> reports;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < leases.size(); ++i) {
        const Values values(leases[i]);
        auto usage = read_usage(values);
        if (!usage) continue;
        reports.push_back({read_lease_ref(values), std::move(*usage)});
        places.push_back(i);
    }
    std::vector<Json> limits(leases.size());
    if (reports.empty()) return limits;
    const auto taken = runs.report_usage(call.tenant(), reports);
    if (!taken) return taken.error();
    for (std::size_t i = 0; i < places.size(); ++i) {
        if ((*taken)[i]) limits[places[i]] = limit_of(*(*taken)[i]);
    }
    return limits;
}

Result<Response> heartbeat(engine::Runs& runs, store::StoreReader& reader, const Call& call) {
    const Values values(call.body);
    auto limits = report(runs, call, values.array("leases"));
    if (!limits) return limits.error();
    std::vector<model::LeaseRef> leases;
    for (const auto& lease : values.array("leases")) leases.push_back(read_lease_ref(Values(lease)));
    const auto held = runs.heartbeat(leases, read_lease(values), call.tenant());
    if (!held) return held.error();
    boost::json::array items;
    boost::json::array lost;
    for (std::size_t i = 0; i < leases.size(); ++i) {
        if (std::ranges::find(*held, leases[i]) != held->end()) {
            items.push_back(to_json(leases[i]));
        } else {
            lost.push_back(lost_json(reader, call.tenant(), leases[i], std::move((*limits)[i])));
        }
    }
    return json_response(boost::json::object{{"items", std::move(items)}, {"lost", std::move(lost)}});
}

std::optional<Instant> retried_at(const model::LeaseRef& lease, const decide::AttemptPlan& outcome) {
    if (const auto* const retry = std::get_if<decide::Retry>(&outcome)) return retry->ready_at;
    for (const auto& change : std::get<decide::Plan>(outcome).nodes) {
        const bool again = change.run_id == lease.run_id && change.node.node == lease.node &&
                           change.node.status == model::NodeStatus::queued;
        if (again) return change.node.ready_at;
    }
    return std::nullopt;
}

// A failed attempt may be followed by a retry. The task has ended only if `retryAt` is null.
Json outcome_json(const model::LeaseRef& lease, const Result<decide::AttemptPlan>& outcome) {
    boost::json::object item{{"runId", lease.run_id},
                             {"attempt", lease.attempt},
                             {"node", or_null(lease.node)},
                             {"ok", outcome.has_value()}};
    if (!outcome) {
        item["problem"] = to_json(problem_of(outcome.error()));
        return item;
    }
    item["retryAt"] = or_null(retried_at(lease, *outcome));
    item["limit"] = limit_of(*outcome);
    return item;
}

// Completes the attempts. Returns the outcomes, in their order.
Result<boost::json::array> end_attempts(engine::Runs& runs, const Call& call, const boost::json::array& completions) {
    boost::json::array items;
    if (completions.empty()) return items;
    std::vector<engine::Runs::AttemptReport> reports;
    for (const auto& item : completions) {
        const Values values(item);
        reports.push_back({read_lease_ref(values), read_attempt_end(values)});
    }
    const auto outcomes = runs.complete(call.tenant(), reports, call.context());
    if (!outcomes) return outcomes.error();
    for (std::size_t i = 0; i < outcomes->size(); ++i) items.push_back(outcome_json(reports[i].lease, (*outcomes)[i]));
    return items;
}

Result<Response> complete(engine::Runs& runs, const Call& call) {
    auto items = end_attempts(runs, call, Values(call.body).array("items"));
    if (!items) return items.error();
    return json_response(boost::json::object{{"items", std::move(*items)}});
}

// The completions are committed before the claim. So if the claim fails, the response says so beside their outcomes.
Result<Response> exchange(engine::Runs& runs, engine::LongPollQueue& long_polls, const Call& call) {
    const Values values(call.body);
    const Values wanted(call.body.at("claim"));
    const auto request = read_claim(call, wanted, "/claim");
    if (!request) return request.error();
    const auto outcomes = end_attempts(runs, call, values.array("completions"));
    if (!outcomes) return outcomes.error();
    return claim_or_wait(runs, long_polls, *request, read_wait(wanted),
                         [outcomes = *outcomes](const Result<std::vector<model::Task>>& tasks) -> Result<Response> {
                             boost::json::object answer{{"outcomes", outcomes},
                                                        {"tasks", tasks ? tasks_json(*tasks) : boost::json::array()}};
                             if (!tasks) answer["problem"] = to_json(problem_of(tasks.error()));
                             return json_response(std::move(answer));
                         });
}

const Member kLeaseMs{"leaseMs", integer(kLeaseMsLeast, kLeaseMsMost),
                      "Length of the lease from now, in milliseconds. Defaults to 30,000."};

ShapePtr claim_shape() {
    return record(
        "ClaimRequest",
        {{"queue", name_text(), "Queue to claim from. Defaults to `default`."},
         {"worker", name_text(), "Name of the worker. Shown with the run.", Presence::required},
         {"assignee", name_text(), "Claim tasks of this agent or team. If omitted, claims tasks without an assignee."},
         {"limit", integer(1, static_cast<std::int64_t>(store::kClaimMax)),
          "Maximum number of tasks to claim. Defaults to 1."},
         kLeaseMs,
         {"waitMs", integer(0, kWaitMsMost),
          "How long to wait for a task if there is none, in milliseconds. Defaults to 0."}});
}
ShapePtr heartbeat_shape() {
    auto members = lease_shape()->members;
    members.push_back(usage_member());
    return record("HeartbeatRequest", {{"leases", list_of(record("HeldLease", std::move(members)), kLeasesMax),
                                        "Leases to renew.", Presence::required},
                                       kLeaseMs});
}
ShapePtr heartbeat_answer_shape() {
    auto members = lease_shape()->members;
    members.push_back({"runStatus", or_null(run_state_names()),
                       "State of the run. `queued` or `running` means that another worker has the task.",
                       Presence::required});
    members.push_back({"reason", or_null(text()), "Why the run ended.", Presence::required});
    members.push_back(limit_member());
    return record("Leases",
                  {{"items", list_of(lease_shape()), "Leases that the worker still holds.", Presence::required},
                   {"lost", list_of(record("LostLease", std::move(members))),
                    "Leases that the worker has lost. Stop working on their tasks.", Presence::required}});
}
Member completions_member(const std::string& name, Presence presence) {
    auto members = attempt_end_members();
    members.insert(members.begin(), lease_shape()->members.begin(), lease_shape()->members.end());
    return {name, list_of(record("TaskCompletion", std::move(members)), kLeasesMax),
            "Attempts that ended. Each is processed independently.", presence};
}
ShapePtr completions_shape() { return record("CompletionRequest", {completions_member("items", Presence::required)}); }
ShapePtr outcome_shape() {
    return record(
        "TaskOutcome",
        {{"runId", text(), "Unique identifier of the run.", Presence::required},
         {"attempt", integer(1), "Number of the attempt.", Presence::required},
         {"node", or_null(text()), "Node of the run's workflow.", Presence::required},
         {"ok", boolean(), "Whether the completion was accepted. If false, nothing changed.", Presence::required},
         {"retryAt", or_null(instant()), "Time at which the next attempt can start. Null if there is none."},
         limit_member(),
         {"problem", problem_shape(), "Why the completion was rejected."}});
}
ShapePtr exchange_shape() {
    return record("ExchangeRequest", {completions_member("completions", Presence::optional),
                                      {"claim", claim_shape(), "Tasks to claim next.", Presence::required}});
}
ShapePtr exchange_answer_shape() {
    return record("ExchangedTasks",
                  {{"outcomes", list_of(outcome_shape()), "Outcomes of the completions, in the order of the request.",
                    Presence::required},
                   {"tasks", list_of(task_shape()), "Claimed tasks.", Presence::required},
                   {"problem", problem_shape(),
                    "Why no tasks could be claimed. The outcomes are valid; claim again without the completions."}});
}
ShapePtr items_of(const std::string& name, ShapePtr element) {
    return record(name, {{"items", list_of(std::move(element)), "Items of the response, in the order of the request.",
                          Presence::required}});
}

}  // namespace

void add_task_routes(Routes& routes, engine::Runs& runs, engine::LongPollQueue& long_polls,
                     store::StoreReader& reader) {
    const auto add = [&](const std::string& verb, const std::string& operation, const std::string& summary,
                         ShapePtr body, ShapePtr answer, std::function<Result<Response>(const Call&)> handler) {
        routes.push_back({.method = "POST",
                          .pattern = "/api/tenants/{tenant}/tasks/" + verb,
                          .operation = operation,
                          .summary = summary,
                          .group = "Tasks",
                          .permission = Permission::work,
                          .body = std::move(body),
                          .answers = {{200, std::move(answer)}},
                          .handler = std::move(handler)});
    };
    add("claim", "claimTasks", "Claim tasks from a queue under a lease.", claim_shape(),
        items_of("Tasks", task_shape()), [&](const Call& call) { return claim(runs, long_polls, call); });
    add("heartbeat", "heartbeatTasks", "Renew leases. Returns those that are still held.", heartbeat_shape(),
        heartbeat_answer_shape(), [&](const Call& call) { return heartbeat(runs, reader, call); });
    add("complete", "completeTasks", "Complete attempts: report how each of them ended.", completions_shape(),
        items_of("TaskOutcomes", outcome_shape()), [&](const Call& call) { return complete(runs, call); });
    add("exchange", "exchangeTasks", "Complete attempts, then claim the next tasks, in one request.", exchange_shape(),
        exchange_answer_shape(), [&](const Call& call) { return exchange(runs, long_polls, call); });
}

}  // namespace belfry::api
