// The answers of schedules' signals. A condition may read `/signal_rpc_result`: the response of a URL that the
// schedule names, requested anew for every decision, outside of any transaction.
//
// A planner inside a transaction only checks whether the answer has arrived. If not, a pool thread requests it, the
// schedule stays due, and `ready` reports when to look again. Other schedules are decided meanwhile. If the request
// fails, takes too long or returns no JSON, the answer is null.
//
// Fairness: tenants share the concurrent calls and the waiting requests (base/concurrency/grouped_share.hpp). They
// take turns, and within a tenant its receivers do, so a receiver that does not respond delays only its own
// schedules.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>

#include "base/concurrency/grouped_share.hpp"
#include "base/concurrency/listeners.hpp"
#include "base/concurrency/pending.hpp"
#include "base/net/http_client.hpp"
#include "base/time/clock.hpp"
#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "decide/schedule/guards.hpp"
#include "engine/jobs/task_pool.hpp"
#include "model/limits.hpp"

namespace belfry::engine {

// What was stored with more, before it was refused, has so much.
inline constexpr std::chrono::milliseconds kSignalTimeoutMax{model::kSignalTimeoutMsMax};

// Whether a decision needs the answer of the schedule's signal.
using decide::asks_signal;

// The same for a decision now: while dispatch is off, no decision reaches the condition.
[[nodiscard]] bool needs_signal(const decide::Facts& facts);

// Identifies the decision that the answer is for: the due fire time or, for a release from the buffer before that,
// the time since which it is possible.
[[nodiscard]] Instant signal_due(const decide::Facts& facts, Instant now);

// Plans a tick. `answer` returns nothing while the request is under way. Then there is no plan, and the schedule stays
// due.
using SignalAnswer = std::function<std::optional<Json>(const decide::Facts& facts)>;
[[nodiscard]] std::optional<decide::Plan> plan_tick_with_signal(const decide::Facts& facts, Instant now,
                                                                const decide::Limits& limits,
                                                                const SignalAnswer& answer);

// The longest time for an answer, including a moment to fetch it.
[[nodiscard]] Micros signal_wait_max(const model::Signal& signal);

// Requests the signal now. Returns null unless a 2xx response with JSON arrives in time.
[[nodiscard]] Json ask_signal(HttpClient& http, const model::Signal& signal, const std::stop_token& stop = {});

// Thread-safe.
class Signals {
public:
    struct Options {
        std::size_t calls = 16;              // concurrent: the setting signal_calls
        std::size_t questions_max = 10'000;  // a tenant beyond its share gets null at once, to bound memory
        Micros fresh = Seconds{60};          // an answer that was not used for this long is requested again
    };
    // Called on the pool's threads, once for every answer.
    using Ready = std::function<void(const std::string& schedule_id, Instant due)>;

    // REQUIRES: the client, the clock and everything that `ready` uses outlive it.
    Signals(HttpClient& http, const SteadyClock& steady, Options options, Ready ready);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    // Returns the answer for the decision that is due then; nothing while the request is under way. Never blocks.
    [[nodiscard]] std::optional<Json> find(const model::Schedule& schedule, Instant due);
    // The decision is made: the next one sends a new request.
    void forget(const std::string& schedule_id);

    // For a caller that found nothing: when to look again. REQUIRES: this object outlives the result.
    [[nodiscard]] Pending pending(const model::Schedule& schedule);

private:
    struct Question {
        std::string tenant = {};
        Instant due = {};
        model::Signal signal = {};
        bool called = false;
        std::optional<Json> answer = {};
        Micros answered_at = {};
    };
    struct Tenant {
        std::map<std::string, std::deque<std::string>> queues = {};  // ids of schedules, by receiver
        std::string served = {};                                     // the receiver that had the last turn
    };
    using Questions = std::map<std::string, Question>;

    // Under the lock.
    [[nodiscard]] bool make_room(const std::string& tenant);
    Questions::iterator erase(Questions::iterator question);
    void start_calls();
    [[nodiscard]] bool start_next();

    void call(const std::string& schedule_id, const Question& question, const std::string& receiver);
    [[nodiscard]] Listeners::Handle listen(const std::string& schedule_id, Listeners::Ring ring);

    HttpClient& http_;
    const SteadyClock& steady_;
    const Options options_;
    const Ready ready_;
    std::stop_source stop_;
    Listeners listeners_;  // by schedule

    std::mutex mutex_;
    Questions questions_;  // by schedule
    FairShare asked_;      // the questions, by tenant
    GroupedShare calls_;
    std::map<std::string, Tenant> tenants_;  // with a schedule in a queue
    std::string served_;                     // the tenant that had the last turn

    TaskPool pool_;  // last member: its threads use the others
};

}  // namespace belfry::engine
