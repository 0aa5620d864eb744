// A task of the kind `http`: one call and its result. Thread-safe.
//
// Its input is that of an http node (model/run/http_node.hpp). In addition to the headers of the input, the call has:
//
//   Idempotency-Key        the same for every attempt, so that a receiver can drop repeats
//   belfry-run-id, belfry-schedule, belfry-scheduled-at, belfry-attempt; belfry-node for a node of a workflow
//   traceparent            one trace for every run, unless the input has one
//   webhook-id, webhook-timestamp, webhook-signature    with `signed`, as in Standard Webhooks; the id is the same key
//
// A text body is sent as it is, as text/plain unless the input sets another type; any other body is sent as JSON.
//
// How the attempt ends:
//
//   an expected status             succeeded. Redirects are not followed; they count as expected only if listed
//   429                            failed, rate_limit; the next attempt waits at least for Retry-After
//   408, no response in time       timed_out, timeout
//   5xx, no connection             failed, provider_error
//   400 to 499, forbidden address, failed, contract_violated: the same call would fail again
//     malformed input
//   any other status               failed, without a category
//
// The result is {"status", "headers" (a few of them), "body", "cut"}, even for an unexpected status. The body is JSON
// if it can be parsed, and otherwise a text; after kHttpAnswerMax bytes the rest is cut off.
#pragma once

#include <stop_token>

#include "base/crypto/sealing.hpp"
#include "base/net/http_client.hpp"
#include "decide/run/attempt_end.hpp"
#include "model/run/task.hpp"

namespace belfry::engine {

inline constexpr std::chrono::milliseconds kHttpTaskTimeout{30'000};        // the default
inline constexpr std::chrono::milliseconds kHttpTaskTimeoutMax{3'600'000};  // the setting http_task_timeout
inline constexpr std::size_t kTaskJsonDepthMax = 24;                        // results are stored inside other JSON

// Returns an error if the input of an http task sets too long a timeout. Fields are JSON pointers into the input.
[[nodiscard]] std::optional<Error> check_http_timeout(std::chrono::milliseconds most, const Json& input);

class HttpTask {
public:
    // Without a sealer, signed calls fail. No call takes longer than `timeout_max`. REQUIRES: both outlive it.
    explicit HttpTask(HttpClient& http, Sealer* sealer, std::chrono::milliseconds timeout_max = kHttpTaskTimeoutMax)
        : http_(http), sealer_(sealer), timeout_max_(timeout_max) {}

    // Returns nothing if it was stopped before a response.
    [[nodiscard]] std::optional<decide::AttemptEnd> run(const model::Task& task, Instant now,
                                                        const std::stop_token& stop = {}) const;

private:
    [[nodiscard]] Result<HttpCall> call_of(const model::Task& task, const Json& input, Instant now) const;

    HttpClient& http_;
    Sealer* const sealer_;
    const std::chrono::milliseconds timeout_max_;
};

}  // namespace belfry::engine
