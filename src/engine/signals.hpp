// What the signals of schedules say. A condition may look at `/signal_rpc_result`: the answer of a URL that the schedule
// names, asked anew for every decision, outside of any transaction.
//
// A planner inside a transaction only looks whether the answer is there. If it is not, it is asked for on one of a few
// threads, the schedule stays as due as it was, and `ready` says when to look again: a moment later, and never later than the
// signal's timeout. Others are decided meanwhile. What fails, takes too long or is no JSON is null, as if nobody had asked.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/http_client.hpp"
#include "decide/guards.hpp"

namespace belfry::engine {

inline constexpr std::chrono::milliseconds kSignalTimeoutMax{30'000};

// Whether a decision needs the answer of the schedule's signal.
using decide::asks_signal;

// Asks now; null when there is no answer of the kind 2xx with JSON in time.
[[nodiscard]] Json ask_signal(HttpClient& http, const model::Signal& signal, const std::stop_token& stop = {});

// Thread-safe.
class Signals {
public:
    struct Options {
        std::size_t threads = 4;
        std::size_t questions_max = 10'000;  // beyond it the answer is null at once: nothing may grow without end
        Micros fresh = Seconds{60};          // an answer that nobody fetched for so long is asked for again
    };
    // Called on the threads here, once for every answer.
    using Ready = std::function<void(const std::string& schedule_id, Instant due)>;

    // REQUIRES: the client and the clock outlive it, and so does whatever `ready` uses.
    Signals(HttpClient& http, const SteadyClock& steady, Options options, Ready ready);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    // The answer for the decision that is due then; nothing while it is being asked for. Never waits.
    [[nodiscard]] std::optional<Json> find(const model::Schedule& schedule, Instant due);
    // The decision is made: the next one asks anew.
    void forget(const std::string& schedule_id);

private:
    struct Question {
        Instant due = {};
        model::Signal signal = {};
        std::optional<Json> answer = {};
        Micros answered_at = {};
    };
    void work(const std::stop_token& stop);
    void drop_stale();  // with the lock

    HttpClient& http_;
    const SteadyClock& steady_;
    const Options options_;
    const Ready ready_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::map<std::string, Question> questions_;  // by schedule
    std::deque<std::string> queue_;
    std::vector<std::jthread> threads_;  // last: they end before what they use; made when first needed
};

}  // namespace belfry::engine
