// Puts the calls of several threads together. Whoever calls while nothing is under way works at once, and alone; those who come
// meanwhile wait, and then one of them works for all. So a lone call waits for nobody, and the more come, the less each costs. Thread-safe.
//
// A round that takes longer than usual (somebody holds a lock that it needs) must not hold up the others for as long: after a
// while one of those who wait begins a round beside it.
//
// A round that throws, or answers too few, has no answer for its callers: each of them gets an error that leaves the outcome open, and the
// next round begins as if nothing had been.
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

#include "base/result.hpp"

namespace belfry {

// An Answer is a Result.
template <typename Key, typename Request, typename Answer>
class Together {
public:
    // Answers each, in order. The requests of a round have the same key.
    using Work = std::function<std::vector<Answer>(const Key& key, std::vector<Request> requests)>;

    // A round is of at most this weight, unless a single request is heavier.
    Together(std::size_t most, Work work) : most_(most), work_(std::move(work)) {}

    Answer ask(const Key& key, std::size_t weight, Request request) {
        const auto call = std::make_shared<Call>(Call{key, weight, std::move(request), std::nullopt});
        std::unique_lock lock(mutex_);
        waiting_.push_back(call);
        while (!call->answer) {
            const bool may_begin = !call->taken && (rounds_ == 0 || std::chrono::steady_clock::now() >= patience_ends_);
            if (may_begin) {
                work_for(call, lock);
            } else if (call->taken) {
                changed_.wait(lock);
            } else {
                changed_.wait_until(lock, patience_ends_);
            }
        }
        return std::move(*call->answer);
    }

private:
    struct Call {
        Key key;
        std::size_t weight;
        Request request;
        std::optional<Answer> answer;
        bool taken = false;
    };
    using CallPtr = std::shared_ptr<Call>;

    // A few commits' time: rounds that take longer wait for somebody.
    static constexpr std::chrono::milliseconds kPatience{20};

    // With the lock, which is let go meanwhile. The caller's own request is among those that are worked for.
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
        for (std::size_t i = 0; i < round.size(); ++i) round[i]->answer = std::move(answers[i]);
        changed_.notify_all();
    }

    // One for each, whatever becomes of the work: those who wait cannot know that it ended otherwise.
    std::vector<Answer> answers_for(const Key& key, std::vector<Request> requests) {
        const auto wanted = requests.size();
        std::string reason = "it answered too few";
        try {
            auto answers = work_(key, std::move(requests));
            if (answers.size() == wanted) return answers;
        } catch (const std::exception& error) {
            reason = error.what();
        } catch (...) {
            reason = "something that is no exception was thrown";
        }
        // It may have happened before the throw.
        return std::vector<Answer>(wanted, Answer(Error{ErrorCode::unknown, "the work for several callers broke off: " + reason}));
    }

    const std::size_t most_;
    const Work work_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<CallPtr> waiting_ = {};
    int rounds_ = 0;  // under way
    std::chrono::steady_clock::time_point patience_ends_ = {};
};

}  // namespace belfry
