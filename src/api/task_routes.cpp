// Tasks, for workers: claim some, keep their leases, tell how they ended.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/problem.hpp"
#include "api/run_dto.hpp"

namespace belfry::api {

namespace {

constexpr std::size_t kLeasesMax = 1'000;  // in one heartbeat or completion
constexpr Bounds kLeaseMs{100, 24LL * 60 * 60 * 1000};
constexpr std::int64_t kLeaseMsUsual = 30'000;
constexpr Bounds kAttempts{1, std::numeric_limits<int>::max()};

Micros read_lease(Fields& fields) { return std::chrono::milliseconds{fields.integer("leaseMs", kLeaseMs).value_or(kLeaseMsUsual)}; }

model::LeaseRef read_lease_ref(Fields& fields) {
    model::LeaseRef ref;
    ref.run_id = fields.required("runId", fields.text("runId"));
    ref.attempt = static_cast<int>(fields.required("attempt", fields.integer("attempt", kAttempts)));
    return ref;
}

Result<Response> claim(engine::Engine& engine, const Call& call) {
    Fields fields(call.body);
    engine::Runs::Claim request{.tenant = call.at("tenant")};
    request.queue = fields.name("queue").value_or(request.queue);
    request.worker = fields.required("worker", fields.name("worker"));
    request.limit = static_cast<std::size_t>(fields.integer("limit", {1, static_cast<std::int64_t>(store::kClaimMax)}).value_or(1));
    request.lease = read_lease(fields);
    if (auto error = fields.finish()) return *error;
    const auto tasks = engine.runs().claim(request);
    if (!tasks) return tasks.error();
    boost::json::array items;
    for (const auto& task : *tasks) items.push_back(to_json(task));
    return json_response(boost::json::object{{"items", std::move(items)}});
}

Result<Response> heartbeat(engine::Engine& engine, const Call& call) {
    Fields fields(call.body);
    std::vector<model::LeaseRef> leases;
    std::optional<Error> wrong;
    const auto* const given = fields.array("leases", kLeasesMax);
    if (given == nullptr) fields.lack("leases");
    for (std::size_t i = 0; given != nullptr && i < given->size() && !wrong; ++i) {
        Fields element((*given)[i], "/leases/" + std::to_string(i));
        leases.push_back(read_lease_ref(element));
        wrong = element.finish();
    }
    const auto lease = read_lease(fields);
    if (auto error = fields.finish()) return *error;
    if (wrong) return *wrong;
    const auto held = engine.runs().heartbeat(std::move(leases), lease, call.at("tenant"));
    if (!held) return held.error();
    boost::json::array items;
    for (const auto& ref : *held) items.push_back(to_json(ref));
    return json_response(boost::json::object{{"items", std::move(items)}});
}

Result<std::vector<engine::Runs::Ending>> read_endings(const Json& body) {
    Fields fields(body);
    std::vector<engine::Runs::Ending> endings;
    std::optional<Error> wrong;
    const auto* const given = fields.array("items", kLeasesMax);
    if (given == nullptr) fields.lack("items");
    for (std::size_t i = 0; given != nullptr && i < given->size() && !wrong; ++i) {
        Fields element((*given)[i], "/items/" + std::to_string(i));
        auto& ending = endings.emplace_back();
        ending.lease = read_lease_ref(element);
        ending.end = read_attempt_end(element);
        wrong = element.finish();
    }
    if (auto error = fields.finish()) return *error;
    if (wrong) return *wrong;
    return endings;
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
    const auto endings = read_endings(call.body);
    if (!endings) return endings.error();
    const auto outcomes = engine.runs().complete(call.at("tenant"), *endings);
    if (!outcomes) return outcomes.error();
    boost::json::array items;
    for (std::size_t i = 0; i < outcomes->size(); ++i) items.push_back(outcome_json((*endings)[i].lease, (*outcomes)[i]));
    return json_response(boost::json::object{{"items", std::move(items)}});
}

}  // namespace

void add_task_routes(Routes& routes, engine::Engine& engine) {
    const std::string tasks = "/api/tenants/{tenant}/tasks";
    routes.push_back({"POST", tasks + "/claim", "claimTasks", "Claim tasks of a queue under a lease.", Body::required,
                      [&](const Call& call) { return claim(engine, call); }});
    routes.push_back({"POST", tasks + "/heartbeat", "heartbeatTasks", "Prolong leases; answers those that are still held.", Body::required,
                      [&](const Call& call) { return heartbeat(engine, call); }});
    routes.push_back({"POST", tasks + "/complete", "completeTasks", "Tell how attempts ended, each on its own.", Body::required,
                      [&](const Call& call) { return complete(engine, call); }});
}

}  // namespace belfry::api
