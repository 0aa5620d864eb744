// Hands a task over to an HTTP launcher: one POST with the message of engine/handover_message.hpp, tried again for as long as the
// connection allows. Thread-safe.
//
// The call carries Idempotency-Key and the other headers of a task, and with a secret the three of Standard Webhooks, the id being the
// Idempotency-Key. What comes of it:
//
//   200 to 299                         handed over; with the body `false` or {"started": false}, failed: the launcher would not
//   408, 425, 429, 5xx, no answer      tried again after a pause, at least as late as Retry-After says, until the retries are used up or
//                                      the task has waited for retry_for; then failed, provider_error
//   anything else                      failed at once: the same call would fail again
//
// None of these failures is tried again by the retry policy: it is about what the task does, and that has not begun.
#pragma once

#include <stop_token>

#include "base/clock.hpp"
#include "base/sealing.hpp"
#include "engine/connection_book.hpp"
#include "engine/executor.hpp"

namespace belfry::engine {

class Launcher {
public:
    // REQUIRES: the connection has a launcher; all outlive it.
    Launcher(const Connection& connection, Sealer* sealer, const SteadyClock& steady, ConnectionBook& book)
        : connection_(connection), sealer_(sealer), steady_(steady), book_(book) {}

    // Nothing when it was stopped before there was an answer.
    [[nodiscard]] std::optional<Executor::Done> run(const model::Task& task, Instant now, const std::stop_token& stop) const;

private:
    [[nodiscard]] std::optional<Executor::Done> carry(const model::Task& task, Instant now, const std::stop_token& stop) const;
    struct Try {
        std::optional<Executor::Done> done = {};
        std::string error = {};  // why not yet
        Micros wait_least{0};
    };
    [[nodiscard]] Result<HttpCall> call_of(const model::Task& task, Instant now) const;
    [[nodiscard]] Try judge(const model::Task& task, const Result<HttpAnswer>& answer, Instant now) const;
    [[nodiscard]] decide::AttemptEnd refused(std::string error) const;

    const Connection& connection_;
    Sealer* const sealer_;
    const SteadyClock& steady_;
    ConnectionBook& book_;
};

// What an acknowledgement is for the task.
[[nodiscard]] Executor::Done acknowledged(const Connection& connection, const model::Task& task, boost::json::object receipt, Instant now);

}  // namespace belfry::engine
