#include "base/concurrency/call_coalescer.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "base/result.hpp"

namespace belfry {
namespace {

using Answer = Result<int>;
using Sums = CallCoalescer<int, int, Answer>;

std::vector<Answer> doubled(const std::vector<int>& numbers) {
    std::vector<Answer> answers;
    for (const auto number : numbers) answers.emplace_back(2 * number);
    return answers;
}

// Rounds that begin when they are told to, and remember what they were given.
class Rounds {
public:
    std::vector<Answer> work(const std::vector<int>& requests) {
        std::unique_lock lock(mutex_);
        seen_.push_back(requests);
        changed_.notify_all();
        changed_.wait(lock, [this] { return open_ || seen_.size() > 1; });
        return doubled(requests);
    }
    void wait_for_first() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !seen_.empty(); });
    }
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    [[nodiscard]] std::vector<std::vector<int>> seen() {
        const std::lock_guard lock(mutex_);
        return seen_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
    std::vector<std::vector<int>> seen_;
};

TEST(CallCoalescer, ALoneCallWorksAtOnce) {
    Sums sums(10, [](int, const std::vector<int>& numbers) { return doubled(numbers); });
    EXPECT_EQ(sums.ask(0, 1, 21).value(), 42);
}

TEST(CallCoalescer, EveryoneGetsTheirOwnAnswer) {
    Sums sums(5, [](int, const std::vector<int>& numbers) { return doubled(numbers); });
    std::vector<std::jthread> threads;
    std::atomic<int> wrong = 0;
    for (int thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 500; ++i) {
                const int number = thread * 1000 + i;
                if (sums.ask(i % 2, 1 + static_cast<std::size_t>(i % 3), number).value() != 2 * number) ++wrong;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0);
}

// The first round is under way until another one has begun beside it, so whoever waits is not held up by it.
TEST(CallCoalescer, ARoundThatTakesLongDoesNotHoldUpTheOthers) {
    Rounds rounds;
    Sums sums(10, [&rounds](int, const std::vector<int>& numbers) { return rounds.work(numbers); });
    auto first = std::async(std::launch::async, [&] { return sums.ask(0, 1, 1); });
    rounds.wait_for_first();
    EXPECT_EQ(sums.ask(0, 1, 2).value(), 4);
    EXPECT_EQ(first.get().value(), 2);
    EXPECT_EQ(rounds.seen(), (std::vector<std::vector<int>>{{1}, {2}}));
}

// While a round lasts, all callers come back to the coalescer. The next round waits for most of them.
TEST(CallCoalescer, CallersThatComeBackShareEveryRound) {
    constexpr int kThreads = 4;
    constexpr int kCalls = 50;
    std::mutex mutex;
    std::condition_variable changed;
    int inside = 0;
    int rounds = 0;
    Sums sums(
        100,
        [&](int, const std::vector<int>& numbers) {
            std::unique_lock lock(mutex);
            ++rounds;
            changed.wait_for(lock, std::chrono::seconds{5}, [&] { return inside == kThreads; });
            return doubled(numbers);
        },
        [](Sums::Clock::duration) -> Sums::Clock::duration { return std::chrono::milliseconds{500}; });
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&] {
            for (int i = 0; i < kCalls; ++i) {
                {
                    const std::lock_guard lock(mutex);
                    ++inside;
                    changed.notify_all();
                }
                EXPECT_EQ(sums.ask(0, 1, i).value(), 2 * i);
                const std::lock_guard lock(mutex);
                if (i + 1 < kCalls) --inside;  // a thread that has ended holds up no round
            }
        });
    }
    threads.clear();
    EXPECT_LT(rounds, kCalls * 5 / 3) << "without waiting there would be two rounds for each call of a thread";
}

TEST(CallCoalescer, ARoundIsOfOneKeyAndNoHeavierThanAllowed) {
    std::mutex mutex;
    std::vector<std::pair<int, std::size_t>> rounds;
    CallCoalescer<int, std::size_t, Result<std::size_t>> weights(
        10, [&](int key, const std::vector<std::size_t>& each) {
            const std::lock_guard lock(mutex);
            rounds.emplace_back(key, std::accumulate(each.begin(), each.end(), std::size_t{0}));
            return std::vector<Result<std::size_t>>(each.begin(), each.end());
        });
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 200; ++i)
                (void)weights.ask(static_cast<int>(thread % 2), 4, thread % 2 == 0 ? 4 : 4000);
        });
    }
    threads.clear();
    for (const auto& [key, weight] : rounds) {
        EXPECT_LE(weight, key == 0 ? 8U : 8000U);
        EXPECT_EQ(weight % 4000, key == 0 ? weight : 0U) << "of another key";
    }
}

TEST(CallCoalescer, ARequestThatIsHeavierThanARoundGoesAlone) {
    Sums sums(2, [](int, const std::vector<int>& numbers) { return doubled(numbers); });
    EXPECT_EQ(sums.ask(0, 5, 3).value(), 6);
}

TEST(CallCoalescer, ARoundThatThrowsAnswersEverybodyWithAnErrorAndTheNextOnesWork) {
    std::atomic<int> left = 40;  // requests that throw
    Sums sums(10, [&](int, const std::vector<int>& numbers) {
        if (left.fetch_sub(static_cast<int>(numbers.size())) > 0) throw std::runtime_error("the disk is gone");
        return doubled(numbers);
    });
    std::vector<std::jthread> threads;
    std::atomic<int> errors = 0;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int i = 0; i < 25; ++i) {
                const auto answer = sums.ask(0, 1, i);
                if (answer) {
                    EXPECT_EQ(*answer, 2 * i);
                } else {
                    EXPECT_EQ(answer.error().code, ErrorCode::unknown);
                    EXPECT_NE(answer.error().message.find("the disk is gone"), std::string::npos);
                    ++errors;
                }
            }
        });
    }
    threads.clear();
    EXPECT_GE(errors, 40);
    EXPECT_LT(errors, 50) << "no more than the round in which the last of them was";
    EXPECT_EQ(sums.ask(0, 1, 21).value(), 42);
}

TEST(CallCoalescer, ARoundThatAnswersTooFewIsAnErrorForEverybody) {
    Sums sums(10, [](int, const std::vector<int>&) { return std::vector<Answer>(); });
    const auto answer = sums.ask(0, 1, 1);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::unknown);
}

}  // namespace
}  // namespace belfry
