// Combines calls of several threads into rounds. A call that finds no round in progress starts one at once, alone.
// Calls that arrive meanwhile wait; then one of their threads does the work for all of them. So a lone call does not
// wait, and the cost per call falls as the load rises. Thread-safe.
//
// Callers that share rounds mostly come back after each of them, a moment apart. So a round waits for as many callers
// as there were around the last one, but at most for a part of the time that the last one took: fewer and fuller rounds
// are worth more than an early start. A lone caller never waits.
//
// A slow round, such as one that waits for a database lock, must not delay the others for as long: after kPatience one
// of the waiting threads starts another round in parallel.
//
// When a round throws or returns too few answers, each of its callers gets an error with an unknown outcome. The next
// round starts normally.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/concurrency/blocking_scope.hpp"
#include "base/result.hpp"

namespace belfry {

// An Answer is a Result.
template <typename Key, typename Request, typename Answer>
class CallCoalescer {
public:
    // Returns one answer per request, in order. All requests of a round have the same key.
    using Work = std::function<std::vector<Answer>(const Key& key, std::vector<Request> requests)>;

    using Clock = std::chrono::steady_clock;
    // How long a round waits for more callers, if the last one took so long.
    using GatherTime = Clock::duration (*)(Clock::duration last_round);

    // The weight of a round is at most `most`, unless a single request is heavier.
    CallCoalescer(std::size_t most, Work work, GatherTime gather_time = &gather_time_after)
        : most_(most), work_(std::move(work)), gather_time_(gather_time) {}

    Answer ask(const Key& key, std::size_t weight, Request request) {
        const auto call = std::make_shared<Call>(key, weight, std::move(request));
        std::unique_lock lock(mutex_);
        waiting_.push_back(call);
        if (gathering_ && are_gathered(*gathering_)) gathering_->woken.notify_one();
        while (!call->answer) {
            const bool is_free = rounds_ == 0 || Clock::now() >= patience_ends_;
            if (!call->taken && !gathering_ && is_free) {
                gather(call, lock);
                work_for(call, lock);
            } else {
                wait_for(*call, lock);
            }
        }
        return std::move(*call->answer);
    }

private:
    struct Call {
        Call(const Key& its_key, std::size_t its_weight, Request its_request)
            : key(its_key), weight(its_weight), request(std::move(its_request)) {}

        Key key;
        std::size_t weight;
        Request request;
        std::optional<Answer> answer = {};
        bool taken = false;
        std::condition_variable woken = {};  // it has an answer, or may begin a round
    };
    using CallPtr = std::shared_ptr<Call>;

    // A few commits' time: a round that takes longer probably waits for a lock.
    static constexpr std::chrono::milliseconds kPatience{20};

    static Clock::duration gather_time_after(Clock::duration last_round) {
        return std::min<Clock::duration>(std::chrono::milliseconds{1}, last_round / 4);
    }

    [[nodiscard]] bool are_gathered(const Call& own) const {
        std::size_t callers = 0;
        std::size_t weight = 0;
        for (const auto& call : waiting_) {
            if (call->key != own.key) continue;
            ++callers;
            weight += call->weight;
        }
        return callers >= callers_ || weight >= most_;
    }

    // No other call begins a round meanwhile, so this one is not taken.
    void gather(const CallPtr& own, std::unique_lock<std::mutex>& lock) {
        if (are_gathered(*own)) return;
        const BlockingScope waiting;
        gathering_ = own;
        own->woken.wait_for(lock, gather_time_(took_), [&] { return are_gathered(*own); });
        gathering_ = nullptr;
    }

    // A scheduler may use the thread's core meanwhile: the more calls wait together, the more share the next round.
    void wait_for(Call& call, std::unique_lock<std::mutex>& lock) {
        const BlockingScope waiting;
        if (call.taken) {
            call.woken.wait(lock);
        } else {
            // What gathers begins a round at once, and its end wakes the next.
            call.woken.wait_until(lock, gathering_ ? Clock::now() + kPatience : patience_ends_);
        }
    }

    // Works for the caller's own request and others. Called with the lock, which it releases during the work.
    void work_for(const CallPtr& own, std::unique_lock<std::mutex>& lock) {
        std::vector<CallPtr> round{own};
        std::size_t weight = own->weight;
        for (const auto& call : waiting_) {
            if (call == own || call->key != own->key || weight + call->weight > most_) continue;
            weight += call->weight;
            round.push_back(call);
        }
        std::vector<Request> requests;
        for (const auto& call : round) {
            call->taken = true;
            requests.push_back(std::move(call->request));
        }
        std::erase_if(waiting_, [](const CallPtr& call) { return call->taken; });
        ++rounds_;
        const auto began = Clock::now();
        patience_ends_ = began + kPatience;
        lock.unlock();
        auto answers = answers_for(own->key, std::move(requests));
        lock.lock();
        --rounds_;
        took_ = Clock::now() - began;
        callers_ = round.size();
        for (std::size_t i = 0; i < round.size(); ++i) {
            round[i]->answer = std::move(answers[i]);
            round[i]->woken.notify_one();
        }
        if (!waiting_.empty()) waiting_.front()->woken.notify_one();
    }

    // Always returns one answer per request, because the waiting threads have no other way to learn that the round
    // ended.
    std::vector<Answer> answers_for(const Key& key, std::vector<Request> requests) {
        const auto wanted = requests.size();
        std::string reason = "too few answers";
        try {
            auto answers = work_(key, std::move(requests));
            if (answers.size() == wanted) return answers;
        } catch (const std::exception& error) {
            reason = error.what();
        } catch (...) {
            reason = "unknown exception";
        }
        // The work may have been done before the exception.
        return std::vector<Answer>(
            wanted, Answer(Error{ErrorCode::unknown, "a combined call failed with unknown outcome: " + reason}));
    }

    const std::size_t most_;
    const Work work_;
    const GatherTime gather_time_;
    std::mutex mutex_;
    std::deque<CallPtr> waiting_ = {};
    int rounds_ = 0;  // in progress
    Clock::time_point patience_ends_ = {};
    CallPtr gathering_ = {};     // waits for more callers before it begins a round
    Clock::duration took_ = {};  // of the last round
    std::size_t callers_ = 1;    // of the last round
};

}  // namespace belfry
