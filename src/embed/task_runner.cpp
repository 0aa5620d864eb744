#include "embed/task_runner.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "base/crypto/uuid.hpp"
#include "base/time/backoff.hpp"

namespace belfry::embed {

namespace {

using boost::json::array;
using boost::json::object;

constexpr int kWaitMs = 60'000;       // of one claim; the scheduler's stop ends it
constexpr int kRenewalsPerLease = 3;  // two may fail before the lease ends
constexpr int kCompletionsMax = 10;   // tries, while the store is unavailable

// Sleeps, at most until the stop.
void wait(const std::stop_token& stop, std::chrono::nanoseconds time) {
    std::mutex mutex;
    std::condition_variable_any never_rung;
    std::unique_lock lock(mutex);
    never_rung.wait_for(lock, stop, time, [] { return false; });
}

std::string text_of(const object& task, std::string_view member) {
    const auto* const value = task.if_contains(member);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Json lease_of(const object& task) {
    return object{{"runId", task.at("runId")}, {"attempt", task.at("attempt")}, {"node", task.at("node")}};
}

Task task_of(const object& json, std::stop_token stop) {
    return {.kind = text_of(json, "taskKind"),
            .input = to_text(json.at("input")),
            .schedule = text_of(json, "scheduleName"),
            .run_id = text_of(json, "runId"),
            .node = text_of(json, "node"),
            .idempotency_key = text_of(json, "idempotencyKey"),
            .scheduled_at = text_of(json, "scheduledAt"),
            .attempt = static_cast<int>(json.at("attempt").as_int64()),
            .stop = std::move(stop)};
}

Json completion_of(const Json& lease, const TaskResult& result) {
    auto item = lease.get_object();
    item["status"] = result.succeeded ? "succeeded" : "failed";
    if (result.succeeded) {
        auto json = parse_json(result.result);
        if (!json) return completion_of(lease, fail("the function returned no JSON: " + json.error().message));
        item["result"] = std::move(*json);
    } else {
        item["error"] = result.error;
        if (!result.category.empty()) item["category"] = result.category;
        if (result.retry_after) item["retryAfterMs"] = result.retry_after->count();
    }
    return object{{"items", array{std::move(item)}}};
}

}  // namespace

TaskRunner::TaskRunner(const LocalApi& api, TaskFunctions functions, Options options)
    : api_(api), functions_(std::move(functions)), options_(std::move(options)) {}

TaskRunner::~TaskRunner() { stop(); }

void TaskRunner::start() {
    renewing_ = std::jthread([this](const std::stop_token& stop) { renew(stop); });
    for (int i = 0; i < options_.concurrency; ++i)
        threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

void TaskRunner::stop() {
    for (auto& thread : threads_) thread.request_stop();
    threads_.clear();  // waits for them
    renewing_ = {};
}

void TaskRunner::work(const std::stop_token& stop) {
    Backoff backoff(&system_random);
    const Json claim = object{{"queue", options_.queue},
                              {"worker", options_.worker},
                              {"leaseMs", options_.lease.count()},
                              {"waitMs", kWaitMs}};
    while (!stop.stop_requested()) {
        const auto claimed = api_.post("/tasks/claim", claim, stop);
        if (!claimed) {
            wait(stop, backoff.next());
            continue;
        }
        backoff.reset();
        for (const auto& task : claimed->get_object().at("items").get_array()) do_task(task.get_object(), stop);
    }
}

void TaskRunner::do_task(const object& task, const std::stop_token& stop) {
    const auto lease = lease_of(task);
    const auto key = to_text(lease);
    std::stop_source ending;
    {
        const MutexLock lock(mutex_);
        held_.emplace(key, Held{lease, ending});
    }
    const std::stop_callback on_stop(stop, [&ending] { ending.request_stop(); });
    complete(lease, run_function(task_of(task, ending.get_token())));
    const MutexLock lock(mutex_);
    held_.erase(key);
}

TaskResult TaskRunner::run_function(const Task& task) const {
    const auto found = functions_.find(task.kind);
    if (found == functions_.end())
        return fail("this program has no function for tasks of the kind " + task.kind, "contract_violated");
    try {
        return found->second(task);
    } catch (const std::exception& exception) {
        return fail(exception.what());
    } catch (...) {
        return fail("the function threw something that is not a std::exception");
    }
}

// A completion that arrives twice changes nothing: the second finds no lease.
void TaskRunner::complete(const Json& lease, const TaskResult& result) {
    auto body = completion_of(lease, result);
    Backoff backoff(&system_random);
    for (int tries = 1; tries <= kCompletionsMax; ++tries) {
        const auto response = api_.call("POST", "/tasks/complete", to_text(body));
        if (response.ok()) return;
        // The body is at fault, such as a result that is too long: the attempt fails with the reason.
        if (response.status < 500) body = completion_of(lease, fail("the result was rejected: " + response.body));
        wait({}, backoff.next());
    }
}

void TaskRunner::renew(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        renew_once();
        wait(stop, options_.lease / kRenewalsPerLease);
    }
}

void TaskRunner::renew_once() {
    array leases;
    {
        const MutexLock lock(mutex_);
        for (const auto& [key, held] : held_) leases.push_back(held.lease);
    }
    if (leases.empty()) return;
    const auto renewed =
        api_.post("/tasks/heartbeat", object{{"leases", std::move(leases)}, {"leaseMs", options_.lease.count()}});
    if (!renewed) return;  // the next round is in time
    const MutexLock lock(mutex_);
    for (const auto& lost : renewed->get_object().at("lost").get_array()) {
        if (const auto held = held_.find(to_text(lease_of(lost.get_object()))); held != held_.end())
            held->second.stop.request_stop();
    }
}

}  // namespace belfry::embed
