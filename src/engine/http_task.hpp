// A task of the kind `http`: one call, and what came of it. Thread-safe.
//
// Its input is that of an http node (model/http_node.hpp). The call carries, beside the headers of the input:
//
//   Idempotency-Key        the same at every attempt: a receiver drops what it has done already
//   belfry-run-id, belfry-schedule, belfry-scheduled-at, belfry-attempt; belfry-node for a node of a workflow
//   traceparent            one trace for every run, unless the input has one
//   webhook-id, webhook-timestamp, webhook-signature    with `signed`, as Standard Webhooks has them; the id is the Idempotency-Key
//
// A body that is a text goes out as it is, as text/plain unless the input says otherwise; any other as JSON.
//
// How it ends:
//
//   an expected status             succeeded. Redirects are not followed: they are answers, and not expected unless the input says so
//   429                            failed, rate_limit; the next attempt waits at least as long as Retry-After says
//   408, no answer in time         timed_out, timeout
//   5xx, no connection             failed, provider_error
//   400 to 499, forbidden address, failed, contract_violated: the same call would fail again
//     malformed input
//   any other status               failed, without a category
//
// The result is {"status", "headers" (a few of them), "body", "cut"}, also of an answer that was not expected. The body is JSON when
// it is JSON, and else a text; of more than kHttpAnswerMax bytes the rest is cut off.
#pragma once

#include <stop_token>

#include "base/http_client.hpp"
#include "base/sealing.hpp"
#include "decide/attempt_end.hpp"
#include "model/task.hpp"

namespace belfry::engine {

inline constexpr std::chrono::milliseconds kHttpTaskTimeout{30'000};               // when neither the input nor the task says
inline constexpr std::chrono::milliseconds kHttpTaskTimeoutMax{24 * 3'600'000LL};  // whatever they say
inline constexpr std::size_t kTaskJsonDepthMax = 24;                               // of an answer: results are kept inside of other JSON

class HttpTask {
public:
    // Without a sealer, signed calls fail. REQUIRES: both outlive it.
    explicit HttpTask(HttpClient& http, Sealer* sealer) : http_(http), sealer_(sealer) {}

    // Nothing when it was stopped before there was an answer.
    [[nodiscard]] std::optional<decide::AttemptEnd> run(const model::Task& task, Instant now, const std::stop_token& stop = {}) const;

private:
    [[nodiscard]] Result<HttpCall> call_of(const model::Task& task, const Json& input, Instant now) const;

    HttpClient& http_;
    Sealer* const sealer_;
};

}  // namespace belfry::engine
