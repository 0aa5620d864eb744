#include "app/worker/worker_api.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/http/percent.hpp"

namespace belfry::app {

namespace {

constexpr std::chrono::milliseconds kAnswerTime{10'000};  // on top of the requested waiting time

const Json* find(const Json& json, std::string_view name) {
    const auto* const object = json.if_object();
    return object == nullptr ? nullptr : object->if_contains(name);
}
std::string text_of(const Json& json, std::string_view name) {
    const auto* const found = find(json, name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}
std::optional<std::int64_t> integer_of(const Json& json, std::string_view name) {
    const auto* const found = find(json, name);
    return found != nullptr && found->is_int64() ? std::optional(found->get_int64()) : std::nullopt;
}
// The items of a response; empty if it has none.
boost::json::array items_of(const Json& answer) {
    const auto* const items = find(answer, "items");
    return items != nullptr && items->is_array() ? items->get_array() : boost::json::array();
}

TaskLease read_lease(const Json& json) {
    return {text_of(json, "runId"), text_of(json, "node"), integer_of(json, "attempt").value_or(0)};
}

// Omits an empty node, because a server without workflows rejects the member.
boost::json::object to_object(const TaskLease& lease) {
    boost::json::object object{{"runId", lease.run_id}, {"attempt", lease.attempt}};
    if (!lease.node.empty()) object["node"] = lease.node;
    return object;
}

std::string kind_of_task(const Json& json) {
    if (auto kind = text_of(json, "taskKind"); !kind.empty()) return kind;
    const auto* const target = find(json, "target");
    if (target == nullptr) return "";
    auto kind = text_of(*target, "taskKind");
    return kind.empty() ? text_of(*target, "workflowKind") : kind;
}

ClaimedTask read_task(const Json& json) {
    ClaimedTask task;
    task.lease = read_lease(json);
    task.kind = kind_of_task(json);
    task.idempotency_key = text_of(json, "idempotencyKey");
    task.schedule = text_of(json, "scheduleName");
    task.scheduled_at = text_of(json, "scheduledAt");
    if (const auto* const input = find(json, "input")) task.input = *input;
    if (const auto timeout = integer_of(json, "timeoutMs")) task.timeout = std::chrono::milliseconds{*timeout};
    return task;
}

}  // namespace

std::string WorkerApi::path(const std::string& verb) const {
    return "/api/tenants/" + api::percent_encode(identity_.tenant) + "/tasks/" + verb;
}

Result<std::vector<ClaimedTask>> WorkerApi::claim(std::size_t limit, std::chrono::milliseconds wait,
                                                  const std::stop_token& stop) {
    boost::json::object body{
        {"queue", identity_.queue}, {"worker", identity_.name}, {"limit", limit}, {"leaseMs", identity_.lease.count()}};
    if (!identity_.assignee.empty()) body["assignee"] = identity_.assignee;
    const bool waits = can_wait_ && wait.count() > 0;
    if (waits) body["waitMs"] = wait.count();
    const auto answer = client_.post({path("claim"), std::move(body), waits ? wait + kAnswerTime : kAnswerTime, stop});
    if (!answer && waits && answer.error().code == ErrorCode::invalid_argument && answer.error().field == "/waitMs") {
        can_wait_ = false;
        return claim(limit, wait, stop);
    }
    if (!answer) return answer.error();
    std::vector<ClaimedTask> tasks;
    for (const auto& item : items_of(*answer)) tasks.push_back(read_task(item));
    return tasks;
}

Result<std::vector<TaskLease>> WorkerApi::heartbeat(const std::vector<TaskLease>& leases,
                                                    std::chrono::milliseconds timeout, const std::stop_token& stop) {
    boost::json::array items;
    for (const auto& lease : leases) items.push_back(to_object(lease));
    const auto answer = client_.post(
        {path("heartbeat"), boost::json::object{{"leases", std::move(items)}, {"leaseMs", identity_.lease.count()}},
         timeout, stop});
    if (!answer) return answer.error();
    std::vector<TaskLease> held;
    for (const auto& item : items_of(*answer)) held.push_back(read_lease(item));
    return held;
}

Result<WorkerApi::Taken> WorkerApi::complete(const TaskLease& lease, const AttemptReport& report,
                                             const std::stop_token& stop) {
    auto item = to_object(lease);
    item["status"] = report.status;
    if (!report.category.empty()) item["category"] = report.category;
    item["result"] = report.result;
    if (!report.error.empty()) item["error"] = report.error;
    const auto answer = client_.post(
        {path("complete"), boost::json::object{{"items", boost::json::array{std::move(item)}}}, kAnswerTime, stop});
    if (!answer) return answer.error();
    const auto outcomes = items_of(*answer);
    if (outcomes.empty()) return Error{ErrorCode::corrupt, "the server's response lacks the outcome of the report"};
    const auto& outcome = outcomes.front();
    if (const auto* const problem = find(outcome, "problem")) {
        const auto status = integer_of(*problem, "status").value_or(409);
        return Error{status == 409   ? ErrorCode::conflict
                     : status >= 500 ? ErrorCode::unavailable
                                     : ErrorCode::invalid_argument,
                     text_of(*problem, "detail")};
    }
    auto retry_at = text_of(outcome, "retryAt");
    return Taken{retry_at.empty() ? std::nullopt : std::optional(std::move(retry_at))};
}

}  // namespace belfry::app
