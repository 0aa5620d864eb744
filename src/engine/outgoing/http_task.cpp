#include "engine/outgoing/http_task.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/errors.hpp"
#include "base/net/http_errors.hpp"
#include "base/text/ascii.hpp"
#include "engine/outgoing/task_headers.hpp"
#include "engine/outgoing/task_input.hpp"
#include "engine/outgoing/task_signing.hpp"
#include "engine/outgoing/webhook_signature.hpp"
#include "model/run/http_node.hpp"

namespace belfry::engine {

namespace {

using decide::AttemptEnd;
using model::ExecutionStatus;
using model::FailureCategory;
using Millis = std::chrono::milliseconds;

constexpr std::array<std::string_view, 5> kKeptHeaders{"content-type", "location", "etag", "retry-after", "date"};
constexpr std::size_t kKeptHeaderMax = 1'024;  // bytes of a value
constexpr int kRequestTimeout = 408;
constexpr int kTooManyRequests = 429;

const Json* given(const boost::json::object& object, const char* name) {
    const auto* const value = object.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

std::string text_at(const Json& value) { return std::string(std::string_view(value.get_string())); }

bool has(const std::vector<HttpHeader>& headers, std::string_view name) {
    return std::ranges::any_of(headers,
                               [name](const HttpHeader& each) { return same_ignoring_case(each.first, name); });
}

Millis timeout_of(const model::Task& task, const boost::json::object& input, Millis most) {
    auto timeout = task.timeout.value_or(kHttpTaskTimeout);
    if (const auto* const own = given(input, "timeoutMs"))
        timeout = task.timeout ? std::min(timeout, Millis(own->get_int64())) : Millis(own->get_int64());
    return std::min(timeout, most);
}

AttemptEnd timed_out(std::string error) {
    return {.status = ExecutionStatus::timed_out, .category = FailureCategory::timeout, .error = std::move(error)};
}

std::string words_of(const Error& error) {
    return error.field.empty() ? error.message : error.field + ": " + error.message;
}

AttemptEnd end_of(const Error& error) {
    if (is_timeout(error)) return timed_out(error.message);
    const bool same_again = error.code == ErrorCode::invalid_argument || error.code == ErrorCode::forbidden;
    return decide::failed_attempt(same_again ? FailureCategory::contract_violated : FailureCategory::provider_error,
                                  words_of(error));
}

Json body_of(const HttpAnswer& answer) {
    if (answer.body.empty()) return nullptr;
    if (!answer.cut) {
        if (auto json = parse_json(answer.body, {.depth_max = kTaskJsonDepthMax})) return std::move(*json);
    }
    return Json(storable(answer.body));
}

Json result_of(const HttpAnswer& answer) {
    boost::json::object headers;
    for (const auto name : kKeptHeaders) {
        if (const auto value = answer.header(name); !value.empty())
            headers[name] = storable(whole_characters(value, kKeptHeaderMax));
    }
    return boost::json::object{
        {"status", answer.status}, {"headers", std::move(headers)}, {"body", body_of(answer)}, {"cut", answer.cut}};
}

AttemptEnd unexpected(const HttpAnswer& answer, Instant now) {
    const auto words = "the call was answered with " + std::to_string(answer.status);
    if (answer.status == kTooManyRequests) {
        auto end = decide::failed_attempt(FailureCategory::rate_limit, words);
        end.retry_after = retry_after(answer, now);
        return end;
    }
    if (answer.status == kRequestTimeout) return timed_out(words);
    switch (answer.status / 100) {
        case 4: return decide::failed_attempt(FailureCategory::contract_violated, words);
        case 5: {
            auto end = decide::failed_attempt(FailureCategory::provider_error, words);
            end.retry_after = retry_after(answer, now);
            return end;
        }
        default: return decide::failed_attempt(std::nullopt, words);
    }
}

AttemptEnd end_of(const HttpAnswer& answer, const Json* expected, Instant now) {
    auto end = model::is_expected_status(expected, answer.status) ? AttemptEnd{} : unexpected(answer, now);
    end.result = result_of(answer);
    return end;
}

}  // namespace

Result<HttpCall> HttpTask::call_of(const model::Task& task, const Json& input, Instant now) const {
    const auto& object = input.get_object();
    auto url = parse_url(text_at(object.at("url")));
    if (!url) return in_field(invalid(url.error().message), "/url");
    HttpCall call{.method = text_at(object.at("method")),
                  .url = std::move(*url),
                  .own_headers = task_headers(task),
                  .timeout = timeout_of(task, object, timeout_max_),
                  .long_answer = LongAnswer::cut};
    if (const auto* const headers = given(object, "headers")) {
        for (const auto& header : headers->get_object())
            call.headers.emplace_back(header.key(), text_at(header.value()));
    }
    if (!has(call.headers, "traceparent")) call.own_headers.emplace_back("traceparent", traceparent(task));
    if (const auto* const body = given(object, "body")) {
        const bool is_text = body->is_string();
        call.body = is_text ? text_at(*body) : to_text(*body);
        if (!has(call.headers, "content-type")) {
            call.own_headers.emplace_back("Content-Type", is_text ? "text/plain; charset=utf-8" : "application/json");
        }
    }
    const auto* const is_signed = given(object, "signed");
    if (is_signed == nullptr || !is_signed->get_bool()) return call;
    if (sealer_ == nullptr) return in_field(invalid("this server has no key to sign with"), "/signed");
    const auto keys = task_signing_keys(*sealer_, task.tenant);
    if (!keys) return keys.error();
    std::ranges::move(signature_headers({task.idempotency_key, epoch_s(now), call.body}, *keys),
                      std::back_inserter(call.own_headers));
    return call;
}

std::optional<Error> check_http_timeout(std::chrono::milliseconds most, const Json& input) {
    const auto* const object = input.if_object();
    const auto* const asked = object == nullptr ? nullptr : object->if_contains("timeoutMs");
    if (asked == nullptr || !asked->is_int64() || asked->get_int64() <= most.count()) return std::nullopt;
    return in_field(invalid("must be at most " + std::to_string(most.count()) +
                            ", the setting http_task_timeout; use a smaller value or omit it"),
                    "/timeoutMs");
}

std::optional<AttemptEnd> HttpTask::run(const model::Task& task, Instant now, const std::stop_token& stop) const {
    const auto input = task_input(task);
    if (!input) return decide::failed_attempt(FailureCategory::contract_violated, words_of(input.error()));
    if (auto errors = model::check_http_input(*input); !errors.empty()) {
        return decide::failed_attempt(FailureCategory::contract_violated, words_of(errors.front()));
    }
    auto call = call_of(task, *input, now);
    if (!call) return end_of(call.error());
    call->stop = stop;
    const auto answer = http_.send(*call);
    if (answer) return end_of(*answer, given(input->get_object(), "expectedStatus"), now);
    if (stop.stop_requested()) return std::nullopt;
    return end_of(answer.error());
}

}  // namespace belfry::engine
