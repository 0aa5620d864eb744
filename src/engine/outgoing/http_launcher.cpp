#include "engine/outgoing/http_launcher.hpp"

#include <condition_variable>
#include <mutex>

#include "base/crypto/uuid.hpp"
#include "base/net/http_errors.hpp"
#include "base/time/duration.hpp"
#include "engine/outgoing/handover_message.hpp"
#include "engine/outgoing/launcher_presets.hpp"
#include "engine/outgoing/task_headers.hpp"
#include "engine/outgoing/webhook_signature.hpp"

namespace belfry::engine {

namespace {

using model::ExecutionStatus;
using model::FailureCategory;

bool is_transient(int status) { return status == 408 || status == 425 || status == 429 || status / 100 == 5; }

// The launcher declines with `false` or {"started": false}.
bool says_no(const HttpAnswer& answer) {
    const auto body = parse_json(answer.body);
    if (!body) return false;
    if (body->is_bool()) return !body->get_bool();
    const auto* const started = body->is_object() ? body->get_object().if_contains("started") : nullptr;
    return started != nullptr && started->is_bool() && !started->get_bool();
}

// The launcher's own id of what it started, if it names one of a sensible size.
std::optional<std::string> launched_run(const HttpAnswer& answer) {
    constexpr std::size_t kRunIdMax = 255;
    const auto body = parse_json(answer.body);
    const auto* const id = body && body->is_object() ? body->get_object().if_contains("run_id") : nullptr;
    if (id == nullptr || !id->is_string() || id->get_string().empty() || id->get_string().size() > kRunIdMax)
        return std::nullopt;
    return std::string(std::string_view(id->get_string()));
}

// Returns whether the time passed without a stop.
bool wait_for(Micros time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
}

}  // namespace

Executor::Done acknowledged(const Connection& connection, const model::Task& task, boost::json::object receipt,
                            Instant now) {
    if (!connection.callbacks)
        return decide::AttemptEnd{.status = ExecutionStatus::succeeded, .result = std::move(receipt)};
    const Micros timeout = task.timeout ? Micros{*task.timeout} : connection.callback_timeout;
    return store::LeaseTransfer{.lease = {task.run_id, task.attempt, task.node},
                                .worker = std::string(model::kConnectionMark) + connection.name,
                                .until = now + timeout,
                                .event = "node.handed_over",
                                .payload = std::move(receipt)};
}

decide::AttemptEnd HttpLauncher::refused(std::string error) const {
    return {.status = ExecutionStatus::failed,
            .category = FailureCategory::contract_violated,
            .error = connection_mark(connection_.name) + ": " + std::move(error),
            .final = true};
}

// What the receiver gets: the message, or the request of the preset.
Result<PresetCall> HttpLauncher::content_of(const model::Task& task) const {
    auto body = handover_json(task, connection_, sealer_);  // also checks that the tenant may use the connection
    if (!body) return body.error();
    const auto& place = *connection_.launcher;
    if (has_preset(connection_.kind)) return preset_call(task, connection_);
    PresetCall call{.url = place.url, .body = std::move(*body)};
    if (!place.token.empty()) call.headers.emplace_back("Authorization", "Bearer " + place.token);
    return call;
}

Result<HttpCall> HttpLauncher::call_of(const model::Task& task, Instant now) const {
    auto content = content_of(task);
    if (!content) return content.error();
    const auto& place = *connection_.launcher;
    HttpCall call{.method = "POST",
                  .url = std::move(content->url),
                  .own_headers = task_headers(task),
                  .body = to_text(content->body),
                  .timeout = place.timeout,
                  .long_answer = LongAnswer::cut};
    std::ranges::move(content->headers, std::back_inserter(call.own_headers));
    call.own_headers.emplace_back("Content-Type", "application/json");
    call.own_headers.emplace_back("traceparent", traceparent(task));
    if (place.signing_key.empty()) return call;
    const std::vector<std::string> keys{place.signing_key};
    std::ranges::move(signature_headers({task.idempotency_key, epoch_s(now), call.body}, keys),
                      std::back_inserter(call.own_headers));
    return call;
}

HttpLauncher::Try HttpLauncher::judge(const model::Task& task, const Result<HttpAnswer>& answer, Instant now) const {
    if (!answer) {
        const auto& error = answer.error();
        if (error.code == ErrorCode::invalid_argument || error.code == ErrorCode::forbidden)
            return {.done = refused(error.message)};
        return {.error = error.message};
    }
    const auto words = "the call was answered with " + std::to_string(answer->status);
    if (is_transient(answer->status))
        return {.error = words, .wait_least = retry_after(*answer, now).value_or(Micros{0})};
    if (has_preset(connection_.kind)) return {.done = judge_preset(task, *answer, now)};
    if (answer->status / 100 != 2) return {.done = refused(words)};
    if (says_no(*answer)) return {.done = refused("the launcher responded that it did not start the task")};
    auto receipt = receipt_json(connection_, task.idempotency_key);
    if (const auto id = launched_run(*answer)) receipt["launchedRunId"] = *id;
    return {.done = acknowledged(connection_, task, std::move(receipt), now)};
}

Executor::Done HttpLauncher::judge_preset(const model::Task& task, const HttpAnswer& answer, Instant now) const {
    const auto read = read_preset_answer(answer, connection_.kind);
    if (!read.started) {
        return refused("the call was answered with " + std::to_string(answer.status) +
                       (read.error.empty() ? "" : ": " + read.error));
    }
    auto receipt = receipt_json(connection_, task.idempotency_key);
    receipt["workflowId"] = workflow_id_of(task, connection_.kind);
    receipt["runId"] = read.run_id.empty() ? Json(nullptr) : Json(read.run_id);
    return acknowledged(connection_, task, std::move(receipt), now);
}

std::optional<Executor::Done> HttpLauncher::run(const model::Task& task, Instant now,
                                                const std::stop_token& stop) const {
    connection_stats_.add_in_flight(connection_.name, 1);
    auto done = carry(task, now, stop);
    connection_stats_.add_in_flight(connection_.name, -1);
    return done;
}

std::optional<Executor::Done> HttpLauncher::carry(const model::Task& task, Instant now,
                                                  const std::stop_token& stop) const {
    const auto began = steady_.now();
    for (int tries = 1;; ++tries) {
        const auto at = now + (steady_.now() - began);
        auto call = call_of(task, at);
        if (!call) return refused(call.error().message);
        call->stop = stop;
        const auto answer = connection_.launcher->http->send(*call);
        if (!answer && stop.stop_requested()) return std::nullopt;
        auto tried = judge(task, answer, at);
        if (tried.done) {
            const auto* const end = std::get_if<decide::AttemptEnd>(&*tried.done);
            if (end == nullptr || end->status == ExecutionStatus::succeeded) {
                connection_stats_.handed_over(connection_.name, at);
            } else {
                connection_stats_.count(connection_.name, HandOver::refused);
                if (answer) connection_stats_.works(connection_.name);  // it responds, even if it rejects this task
            }
            return tried.done;
        }
        connection_stats_.fails(connection_.name, tried.error, at);
        const auto wait = std::max<Micros>(connection_.launcher->retry_pause, tried.wait_least);
        const bool too_late = at + wait - task.ready_at >= connection_.retry_for;
        if (too_late || tries > connection_.launcher->retries) {
            connection_stats_.count(connection_.name, HandOver::expired);
            const auto limit = too_late ? "within " + format_duration(connection_.retry_for)
                                        : "in " + std::to_string(tries) + " calls";
            return decide::AttemptEnd{
                .status = ExecutionStatus::failed,
                .category = FailureCategory::provider_error,
                .error = connection_mark(connection_.name) + " did not take it " + limit + ": " + tried.error,
                .final = true};
        }
        connection_stats_.count(connection_.name, HandOver::unavailable);
        if (!wait_for(wait, stop)) return std::nullopt;
    }
}

}  // namespace belfry::engine
