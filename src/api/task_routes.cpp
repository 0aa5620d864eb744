// Tasks, for workers: claim some, keep their leases, tell how they ended.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/patient_claim.hpp"
#include "api/problem.hpp"
#include "api/run_dto.hpp"
#include "api/run_shapes.hpp"

namespace belfry::api {

namespace {

using model::Permission;

constexpr std::int64_t kLeasesMax = 1'000;  // in one heartbeat or completion
constexpr std::int64_t kLeaseMsLeast = 100;
constexpr std::int64_t kLeaseMsMost = 24LL * 60 * 60 * 1000;
constexpr std::int64_t kLeaseMsUsual = 30'000;
constexpr std::int64_t kWaitMsMost = 60'000;

Micros read_lease(const Values& values) { return std::chrono::milliseconds{values.integer("leaseMs").value_or(kLeaseMsUsual)}; }

model::LeaseRef read_lease_ref(const Values& values) {
    model::LeaseRef ref;
    ref.run_id = *values.text("runId");
    ref.attempt = static_cast<int>(*values.integer("attempt"));
    return ref;
}

Result<Response> claim(engine::Engine& engine, const Call& call) {
    const Values values(call.body);
    engine::Runs::Claim request{.tenant = call.tenant()};
    request.queue = values.text("queue").value_or(request.queue);
    request.worker = *values.text("worker");
    request.limit = static_cast<std::size_t>(values.integer("limit").value_or(1));
    request.lease = read_lease(values);
    return claim_or_wait(engine, request, std::chrono::milliseconds{values.integer("waitMs").value_or(0)});
}

Result<Response> heartbeat(engine::Engine& engine, const Call& call) {
    const Values values(call.body);
    std::vector<model::LeaseRef> leases;
    for (const auto& lease : values.array("leases")) leases.push_back(read_lease_ref(Values(lease)));
    const auto held = engine.runs().heartbeat(std::move(leases), read_lease(values), call.tenant());
    if (!held) return held.error();
    boost::json::array items;
    for (const auto& ref : *held) items.push_back(to_json(ref));
    return json_response(boost::json::object{{"items", std::move(items)}});
}

// An attempt that failed may be followed by another one; the run is over only when no retry is said.
Json outcome_json(const model::LeaseRef& lease, const Result<decide::AttemptPlan>& outcome) {
    boost::json::object item{{"runId", lease.run_id}, {"attempt", lease.attempt}, {"ok", outcome.has_value()}};
    if (!outcome) {
        item["problem"] = to_json(problem_of(outcome.error()));
        return item;
    }
    const auto* const retry = std::get_if<decide::Retry>(&*outcome);
    item["retryAt"] = retry != nullptr ? Json(format_instant(retry->ready_at)) : Json(nullptr);
    return item;
}

Result<Response> complete(engine::Engine& engine, const Call& call) {
    std::vector<engine::Runs::Ending> endings;
    for (const auto& item : Values(call.body).array("items")) {
        const Values values(item);
        endings.push_back({read_lease_ref(values), read_attempt_end(values)});
    }
    const auto outcomes = engine.runs().complete(call.tenant(), endings);
    if (!outcomes) return outcomes.error();
    boost::json::array items;
    for (std::size_t i = 0; i < outcomes->size(); ++i) items.push_back(outcome_json(endings[i].lease, (*outcomes)[i]));
    return json_response(boost::json::object{{"items", std::move(items)}});
}

const Member kLeaseMs{"leaseMs", integer(kLeaseMsLeast, kLeaseMsMost), "How long from now; 30,000 when absent."};

ShapePtr claim_shape() {
    return record("ClaimRequest", {{"queue", name_text(), "Which queue; `default` when absent."},
                                   {"worker", name_text(), "Who claims; shown with the run.", Presence::required},
                                   {"limit", integer(1, static_cast<std::int64_t>(store::kClaimMax)), "How many at most; 1 when absent."},
                                   kLeaseMs,
                                   {"waitMs", integer(0, kWaitMsMost), "How long to wait while there is none; 0 when absent."}});
}
ShapePtr heartbeat_shape() {
    return record("HeartbeatRequest", {{"leases", list_of(lease_shape(), kLeasesMax), "Those to prolong.", Presence::required}, kLeaseMs});
}
ShapePtr completions_shape() {
    auto members = attempt_end_members();
    members.insert(members.begin(), lease_shape()->members.begin(), lease_shape()->members.end());
    return record("CompletionRequest",
                  {{"items", list_of(record("TaskCompletion", std::move(members)), kLeasesMax), "Each is taken on its own.", Presence::required}});
}
ShapePtr outcome_shape() {
    return record("TaskOutcome", {{"runId", text(), "The run.", Presence::required},
                                  {"attempt", integer(1), "The attempt.", Presence::required},
                                  {"ok", boolean(), "Whether it was taken; if not, nothing was changed.", Presence::required},
                                  {"retryAt", or_null(instant()), "When the next attempt may begin; null: the run is over."},
                                  {"problem", problem_shape(), "Why it was refused."}});
}
ShapePtr items_of(const std::string& name, ShapePtr element) {
    return record(name, {{"items", list_of(std::move(element)), "In the order of the request.", Presence::required}});
}

}  // namespace

void add_task_routes(Routes& routes, engine::Engine& engine) {
    const auto add = [&](const std::string& verb, const std::string& operation, const std::string& summary, ShapePtr body, ShapePtr answer,
                         std::function<Result<Response>(const Call&)> handler) {
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
    add("claim", "claimTasks", "Claim tasks of a queue under a lease.", claim_shape(), items_of("Tasks", task_shape()),
        [&](const Call& call) { return claim(engine, call); });
    add("heartbeat", "heartbeatTasks", "Prolong leases; answers those that are still held.", heartbeat_shape(), items_of("Leases", lease_shape()),
        [&](const Call& call) { return heartbeat(engine, call); });
    add("complete", "completeTasks", "Tell how attempts ended, each on its own.", completions_shape(), items_of("TaskOutcomes", outcome_shape()),
        [&](const Call& call) { return complete(engine, call); });
}

}  // namespace belfry::api
