// Delivers a task to an HTTP launcher: one POST with the message of engine/outgoing/handover_message.hpp, retried for
// as long as the connection allows. Thread-safe.
//
// The call has the Idempotency-Key and the other headers of a task, and with a secret the three headers of Standard
// Webhooks, with the Idempotency-Key as id. Results:
//
//   200 to 299                  delivered; with the body `false` or {"started": false}, failed: the launcher declined
//   408, 425, 429, 5xx,         retried after a pause, not before Retry-After, until the retries are used up or the
//     no response               task has waited for retry_for; then failed, provider_error
//   of kinds with a preset, as launcher_presets.hpp says; they also count a workflow that exists as delivered
//   anything else               failed at once: the same call would fail again
//
// The retry policy repeats none of these failures, because it is about the task's own work, which has not started.
#pragma once

#include <stop_token>

#include "base/crypto/sealing.hpp"
#include "base/time/clock.hpp"
#include "engine/jobs/executor.hpp"
#include "engine/outgoing/connection_stats.hpp"
#include "engine/outgoing/launcher_presets.hpp"

namespace belfry::engine {

class HttpLauncher {
public:
    // REQUIRES: the connection has a launcher; all of them outlive it.
    HttpLauncher(const Connection& connection, Sealer* sealer, const SteadyClock& steady, ConnectionStats& stats)
        : connection_(connection), sealer_(sealer), steady_(steady), connection_stats_(stats) {}

    // Returns nothing if it was stopped before a response.
    [[nodiscard]] std::optional<Executor::Done> run(const model::Task& task, Instant now,
                                                    const std::stop_token& stop) const;

private:
    [[nodiscard]] std::optional<Executor::Done> carry(const model::Task& task, Instant now,
                                                      const std::stop_token& stop) const;
    struct Try {
        std::optional<Executor::Done> done = {};
        std::string error = {};  // why it is not done yet
        Micros wait_least{0};
    };
    [[nodiscard]] Result<PresetCall> content_of(const model::Task& task) const;
    [[nodiscard]] Result<HttpCall> call_of(const model::Task& task, Instant now) const;
    [[nodiscard]] Try judge(const model::Task& task, const Result<HttpAnswer>& answer, Instant now) const;
    [[nodiscard]] Executor::Done judge_preset(const model::Task& task, const HttpAnswer& answer, Instant now) const;
    [[nodiscard]] decide::AttemptEnd refused(std::string error) const;

    const Connection& connection_;
    Sealer* const sealer_;
    const SteadyClock& steady_;
    ConnectionStats& connection_stats_;
};

// What an acknowledgement means for the task: its end, or the transfer of its lease to the receiver.
[[nodiscard]] Executor::Done acknowledged(const Connection& connection, const model::Task& task,
                                          boost::json::object receipt, Instant now);

}  // namespace belfry::engine
