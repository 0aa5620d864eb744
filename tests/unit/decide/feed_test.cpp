// What a plan means to those who follow its tenant.
#include "decide/explain/feed.hpp"

#include <gtest/gtest.h>

#include "decide/run/completion.hpp"
#include "decide/schedule/tick.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide::feed_test {
namespace {

using test::instant;
using test::Lines;

Lines types_of(const std::vector<model::FeedItem>& items) {
    Lines lines;
    for (const auto& item : items) lines.push_back(item.type + " " + std::string(item.body.at("status").as_string()));
    return lines;
}

Facts hourly(const test::Edit& edit = {}) { return test::facts_at("2026-06-01T09:00:00Z", edit); }
const Instant kTen = instant("2026-06-01T10:00:00Z");

std::vector<model::FeedItem> items_of(const Facts& facts, const Result<Plan>& plan) {
    EXPECT_TRUE(plan) << plan.error().message;
    return plan ? feed_items(*plan, plan->definition ? *plan->definition : facts.schedule->definition)
                : std::vector<model::FeedItem>{};
}

TEST(FeedItems, OfADispatchNameTheRunAndItsSchedule) {
    const auto facts = hourly();
    const auto items = items_of(facts, plan_tick(facts, kTen));
    ASSERT_EQ(types_of(items), (Lines{"run.dispatched queued"}));
    const auto run = run_id(facts.schedule->definition.id, {model::RunCause::tick, kTen});
    EXPECT_EQ(items[0].run_id, run);
    EXPECT_EQ(items[0].schedule_id, facts.schedule->definition.id);
    EXPECT_EQ(items[0].at, kTen);
    EXPECT_EQ(to_text(items[0].body),
              R"({"tenant":"default","scheduleId":")" + facts.schedule->definition.id +
                  R"(","scheduleName":"report","runId":")" + run +
                  R"(","scheduledAt":"2026-06-01T10:00:00Z","cause":"tick","status":"queued","triggerNumber":1})");
}

TEST(FeedItems, OfASkipSayWhyAndHowFarItReaches) {
    const auto busy = test::with_in_flight(hourly(), 1);
    const auto refused = items_of(busy, plan_tick(busy, kTen));
    ASSERT_EQ(types_of(refused), (Lines{"run.skipped skipped"}));
    EXPECT_EQ(refused[0].body.at("reason"), "overlap_in_flight");

    const auto facts = hourly();
    const auto missed = items_of(facts, plan_tick(facts, kTen + std::chrono::hours{5}));
    ASSERT_FALSE(missed.empty());
    EXPECT_EQ(missed[0].body.at("reason"), "missed_run");
    EXPECT_EQ(missed[0].body.at("range").at("count"), 5);
}

TEST(FeedItems, OfTheLastRunEndWithTheSchedule) {
    const auto facts = hourly([](auto& s) { s.max_runs = 1; });
    const auto items = items_of(facts, plan_tick(facts, kTen));
    ASSERT_EQ(types_of(items), (Lines{"run.dispatched queued", "schedule.deleted deleted"}));
    EXPECT_EQ(items[1].body.at("reason"), "max_runs_exhausted");
    EXPECT_EQ(items[1].run_id, "");
}

TEST(FeedItems, OfAReplacedRunEndItBeforeTheNewOneBegins) {
    const auto facts =
        test::with_in_flight(hourly([](auto& s) { s.overlap.policy = model::OverlapPolicy::terminate_other; }), 1);
    const auto items = items_of(facts, plan_tick(facts, kTen));
    ASSERT_EQ(types_of(items), (Lines{"run.terminated terminated", "run.dispatched queued"}));
    EXPECT_EQ(items[0].body.at("error"), "replaced by a newer run");
}

TEST(FeedItems, OfAnUpdateCarryTheNewNameWhatChangedAndWho) {
    const auto facts = hourly();
    auto changed = facts.schedule->definition;
    changed.name = "renamed";
    const auto items = items_of(facts, plan_update(facts, test::compiled(changed), kTen, {.principal = "user:ann"}));
    ASSERT_EQ(types_of(items), (Lines{"schedule.updated active"}));
    EXPECT_EQ(items[0].body.at("scheduleName"), "renamed");
    EXPECT_EQ(items[0].body.at("changedFields"), test::json(R"(["name"])"));
    EXPECT_EQ(items[0].body.at("by"), "user:ann");
    EXPECT_EQ(items[0].body.at("version"), 2);
}

TEST(FeedItems, OfAPauseSayUntilWhenAndOfAResumptionWhatComesNext) {
    const auto facts = hourly();
    const auto pause = plan_pause(facts, {"lunch", kTen}, kTen - std::chrono::minutes{5}, {});
    const auto paused = items_of(facts, pause);
    ASSERT_EQ(types_of(paused), (Lines{"schedule.paused paused"}));
    EXPECT_EQ(paused[0].body.at("reason"), "lunch");
    EXPECT_EQ(paused[0].body.at("pausedUntil"), "2026-06-01T10:00:00Z");
    EXPECT_FALSE(paused[0].body.as_object().contains("nextFireAt"));
    const auto after = test::after(facts, *pause);
    const auto resumed = items_of(after, plan_resume(after, kTen, {}));
    ASSERT_EQ(types_of(resumed), (Lines{"schedule.resumed active"}));
    EXPECT_EQ(resumed[0].body.at("nextFireAt"), "2026-06-01T10:00:00Z");
}

TEST(FeedItems, OfAnEndCarryTheResultUpToABound) {
    const auto facts = test::with_in_flight(hourly(), 1);
    const auto end = [&](Json result, const std::string& error = {}) {
        const auto& run = facts.in_flight.front().id;
        return items_of(facts, plan_completion(facts,
                                               {run, model::ExecutionStatus::running, model::ExecutionStatus::failed,
                                                std::move(result), error},
                                               kTen))[0];
    };
    EXPECT_EQ(end(test::json(R"({"rows":3})"), "no luck").body.at("result"), test::json(R"({"rows":3})"));
    EXPECT_EQ(end(nullptr, "no luck").body.at("error"), "no luck");
    EXPECT_FALSE(end(nullptr).body.as_object().contains("result"));
    const auto fits = end(Json(std::string(kFeedResultBytesMax - 2, 'x')));  // two quotes
    EXPECT_TRUE(fits.body.as_object().contains("result"));
    const auto large = end(Json(std::string(kFeedResultBytesMax - 1, 'x')));
    EXPECT_FALSE(large.body.as_object().contains("result"));
    EXPECT_EQ(large.body.at("resultOmitted"), true);
    EXPECT_EQ(end(nullptr, std::string(100'000, 'x')).body.at("error").as_string().size(), kFeedErrorBytesMax);
}

TEST(FeedItems, OfARetrySayWhenTheNextAttemptIs) {
    const auto facts = hourly();
    model::Run run;
    run.id = run_id(facts.schedule->definition.id, {model::RunCause::tick, kTen});
    run.slot = {model::RunCause::tick, kTen};
    run.attempts = 2;
    const AttemptEnd end{.status = model::ExecutionStatus::failed, .error = "no luck"};
    const auto item = retrying_item(run, facts.schedule->definition, end, {kTen + std::chrono::minutes{1}}, kTen);
    EXPECT_EQ(item.type, "run.retrying");
    EXPECT_EQ(item.run_id, run.id);
    EXPECT_EQ(item.at, kTen);
    EXPECT_EQ(item.body.at("attempt"), 2);
    EXPECT_EQ(item.body.at("retryAt"), "2026-06-01T10:01:00Z");
    EXPECT_EQ(item.body.at("error"), "no luck");
}

}  // namespace
}  // namespace belfry::decide::feed_test
