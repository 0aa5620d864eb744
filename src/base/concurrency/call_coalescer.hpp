// Combines calls of several threads into rounds. A call that finds no round in progress starts one at once, alone.
// Calls that arrive meanwhile wait; then one of their threads does the work for all of them. So a lone call does not
// wait, and the cost per call falls as the load rises. Thread-safe.
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

    // The weight of a round is at most `most`, unless a single request is heavier.
    CallCoalescer(std::size_t most, Work work) : most_(most), work_(std::move(work)) {}

    Answer ask(const Key& key, std::size_t weight, Request request) {
        const auto call = std::make_shared<Call>(key, weight, std::move(request));
        std::unique_lock lock(mutex_);
        waiting_.push_back(call);
        while (!call->answer) {
            const bool may_begin = !call->taken && (rounds_ == 0 || std::chrono::steady_clock::now() >= patience_ends_);
            if (may_begin) {
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

    // A scheduler may use the thread's core meanwhile: the more calls wait together, the more share the next round.
    void wait_for(Call& call, std::unique_lock<std::mutex>& lock) {
        const BlockingScope waiting;
        if (call.taken) {
            call.woken.wait(lock);
        } else {
            call.woken.wait_until(lock, patience_ends_);
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
        patience_ends_ = std::chrono::steady_clock::now() + kPatience;
        lock.unlock();
        auto answers = answers_for(own->key, std::move(requests));
        lock.lock();
        --rounds_;
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
    std::mutex mutex_;
    std::deque<CallPtr> waiting_ = {};
    int rounds_ = 0;  // in progress
    std::chrono::steady_clock::time_point patience_ends_ = {};
};

}  // namespace belfry
