#include "engine/telemetry/decision_log.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "engine/telemetry/observers.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::engine {
namespace {

class DecisionLogTest : public testing::Test {
protected:
    // The lines without their times.
    std::vector<std::string> lines() {
        constexpr std::size_t kTimeLength = std::string_view("2026-11-15T09:00:00.123Z ").size();
        std::vector<std::string> result;
        std::istringstream read(stream.str());
        for (std::string line; std::getline(read, line);) result.push_back(line.substr(kTimeLength));
        stream.str("");
        return result;
    }
    decide::PlannedRun run(model::DispatchStatus dispatch) const {
        return {.id = "r1", .slot = {model::RunCause::tick, noon}, .fire_at = noon, .dispatch = dispatch};
    }

    const Instant noon = parse_instant("2026-06-01T12:00:00Z").value();
    std::ostringstream stream;
    Log log{stream, LogLevel::debug, LogFormat::text};
    DecisionLog decisions{log};
    model::Schedule schedule = test::definition([](model::Schedule& each) {
        each.id = "s1";
        each.name = "nightly report";
    });
};

TEST_F(DecisionLogTest, S4_102_ADispatchedRunNamesItsScheduleTenantAndTarget) {
    decisions.decided(schedule, {.schedule_id = "s1", .runs = {run(model::DispatchStatus::dispatched)}},
                      noon + std::chrono::milliseconds{12});
    EXPECT_EQ(lines(),
              (std::vector<std::string>{
                  "info  Executing scheduled run schedule_id=s1 schedule_name=\"nightly report\" tenant_id=default "
                  "target_type=workflow run_id=r1 cause=tick occurrence=2026-06-01T12:00:00Z decision=dispatched "
                  "lag_ms=12"}));
}

TEST_F(DecisionLogTest, S2_81_ASkippedRunSaysWhy) {
    auto skipped = run(model::DispatchStatus::skipped);
    skipped.reason = model::SkipReason::calendar;
    skipped.detail = "us-federal-holidays-2026";
    decisions.decided(schedule, {.schedule_id = "s1", .runs = {skipped}}, noon);
    const auto line = lines().at(0);
    EXPECT_TRUE(line.starts_with("info  Skipping scheduled run schedule_id=s1")) << line;
    EXPECT_NE(line.find("decision=skipped reason=calendar detail=us-federal-holidays-2026 lag_ms=0"), std::string::npos)
        << line;
}

TEST_F(DecisionLogTest, ADeliverySaysHowItStandsAndNeverWhereItGoes) {
    model::Delivery delivery{
        .webhook_id = "w1", .item = {.position = 7, .type = "run.failed"}, .attempts = 2, .next_try = noon};
    delivery.last_error = "nobody accepts connections there";
    decisions.delivered("default", delivery);
    delivery.status = model::DeliveryStatus::failed;
    delivery.next_try.reset();
    delivery.last_http_status = 410;
    decisions.delivered("default", delivery);
    delivery.status = model::DeliveryStatus::delivered;
    delivery.last_error = "";
    decisions.delivered("default", delivery);
    EXPECT_EQ(lines(), (std::vector<std::string>{
                           "info  Webhook delivery failed and will be retried webhook_id=w1 tenant_id=default "
                           "position=7 type=run.failed attempts=2 "
                           "http_status=0 next_try=2026-06-01T12:00:00Z error=\"nobody accepts connections there\"",
                           "warn  Webhook delivery failed for good webhook_id=w1 tenant_id=default position=7 "
                           "type=run.failed attempts=2 http_status=410 "
                           "error=\"nobody accepts connections there\"",
                           "debug Webhook delivered webhook_id=w1 tenant_id=default position=7 type=run.failed "
                           "attempts=2 http_status=410"}));
}

TEST_F(DecisionLogTest, ARecordOfManySkippedOccurrencesSaysHowManyAndUpToWhen) {
    auto skipped = run(model::DispatchStatus::skipped);
    skipped.reason = model::SkipReason::missed_run;
    skipped.range = model::SkippedRange{.last = noon + std::chrono::hours{5}, .count = 6};
    decisions.decided(schedule, {.schedule_id = "s1", .runs = {skipped}}, noon);
    EXPECT_NE(lines().at(0).find("reason=missed_run last_occurrence=2026-06-01T17:00:00Z occurrences=6"),
              std::string::npos);
}

TEST_F(DecisionLogTest, BufferedAndReleasedRunsAreDecisionsToo) {
    decisions.decided(schedule,
                      {.schedule_id = "s1",
                       .runs = {run(model::DispatchStatus::buffered)},
                       .releases = {run(model::DispatchStatus::dispatched)}},
                      noon);
    const auto written = lines();
    ASSERT_EQ(written.size(), 2U);
    EXPECT_TRUE(written[0].starts_with("info  Buffering scheduled run"));
    EXPECT_TRUE(written[1].starts_with("info  Executing scheduled run"));
}

TEST_F(DecisionLogTest, S2_81_AFailedRunIsAWarningWithItsError) {
    decisions.decided(schedule,
                      {.schedule_id = "s1", .ends = {{"r1", model::ExecutionStatus::failed, nullptr, "exit code 7"}}},
                      noon);
    EXPECT_EQ(lines(),
              (std::vector<std::string>{
                  "warn  Run ended schedule_id=s1 schedule_name=\"nightly report\" tenant_id=default run_id=r1 "
                  "status=failed error=\"exit code 7\""}));
}

TEST_F(DecisionLogTest, ChangesOfAScheduleAreToldOnceAndRunsNotTwice) {
    decisions.decided(
        schedule,
        {.schedule_id = "s1",
         .events = {{1, model::EventType::schedule_paused, noon}, {2, model::EventType::schedule_triggered, noon}}},
        noon);
    EXPECT_EQ(lines(), (std::vector<std::string>{"info  Schedule changed schedule_id=s1 schedule_name=\"nightly "
                                                 "report\" tenant_id=default event=SchedulePaused"}));
}

TEST_F(DecisionLogTest, S4_149_AChangeThatSomebodyAskedForSaysWhoByWhichRequestAndWhy) {
    const model::CommandContext context{
        .principal = "user:jo", .request_id = "r-1", .source = "api", .reason = "maintenance"};
    const Json payload{{"command_context", to_json(context)}};
    decisions.decided(schedule,
                      {.schedule_id = "s1", .events = {{1, model::EventType::schedule_paused, noon, payload}}}, noon);
    EXPECT_EQ(lines(), (std::vector<std::string>{
                           "info  Schedule changed schedule_id=s1 schedule_name=\"nightly report\" tenant_id=default "
                           "event=SchedulePaused principal=user:jo request_id=r-1 source=api why=maintenance"}));
    decisions.decided(schedule,
                      {.schedule_id = "s1",
                       .runs = {run(model::DispatchStatus::dispatched)},
                       .events = {{1, model::EventType::schedule_triggered, noon, payload}}},
                      noon);
    EXPECT_NE(lines().at(0).find("principal=user:jo request_id=r-1"), std::string::npos);
}

TEST_F(DecisionLogTest, WorkThatCannotBeDoneIsToldWithWhoTriesIt) {
    const Quarantined bad{7, {}, {ErrorCode::corrupt, "no JSON"}, noon, 2, noon + Seconds{120}, "reaper", "run r1"};
    decisions.quarantined(bad);
    decisions.released(bad);
    const auto told = lines();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_TRUE(
        told[0].starts_with("error Work cannot be done worker=reaper subject=\"run r1\" schedule_key=7 error=\"no "
                            "JSON\" tries=2 next_try="))
        << told[0];
    EXPECT_EQ(told[1], "info  Work can be done again, or no longer exists worker=reaper subject=\"run r1\" tries=2");
}

TEST_F(DecisionLogTest, WhatHappensToTheEngineIsToldWithItsWeight) {
    const Quarantined bad{7, "s1", {ErrorCode::corrupt, "no JSON"}, noon, 2, noon + Seconds{120}};
    decisions.failed("ticker", {ErrorCode::unavailable, "the database is away"}, std::chrono::milliseconds{150});
    decisions.recovered("ticker");
    decisions.quarantined(bad);
    decisions.released(bad);
    decisions.leads(true, 3);
    decisions.leads(false, 3);
    decisions.shares(2);
    decisions.reaped("r1", "worker-9");
    decisions.pruned(40);
    decisions.ticked({3, 2, 1, std::chrono::milliseconds{4}});
    decisions.backfilled("default", {.id = "b1", .schedule_id = "s1", .dispatched = 5, .skipped = 1});
    EXPECT_EQ(lines(),
              (std::vector<std::string>{
                  "warn  Background job failed and will retry worker=ticker error=\"the database is away\" wait_ms=150",
                  "info  Background job recovered worker=ticker",
                  "error Schedule cannot be decided schedule_id=s1 schedule_key=7 error=\"no JSON\" tries=2 "
                  "since=2026-06-01T12:00:00Z "
                  "next_try=2026-06-01T12:02:00Z",
                  "info  Schedule can be decided again schedule_id=s1 schedule_key=7 tries=2",
                  "info  This server leads term=3",
                  "info  This server no longer leads term=3",
                  "info  Cluster membership changed servers=2",
                  "warn  A worker's lease ran out run_id=r1 worker=worker-9",
                  "info  Removed old runs runs=40",
                  "debug Ticked looked_at=3 decided=2 passed_over=1 took_ms=4",
                  "info  Backfill progressed backfill_id=b1 schedule_id=s1 tenant_id=default status=running "
                  "dispatched=5 skipped=1",
              }));
}

TEST_F(DecisionLogTest, AnOutageIsOneLineForEveryWorkerUntilTheErrorChangesOrItIsOver) {
    log.set(LogLevel::info);
    const auto fail = [this](std::string_view worker, const char* message) {
        decisions.failed(worker, {ErrorCode::unavailable, message}, std::chrono::milliseconds{1});
    };
    fail("ticker", "away");
    fail("ticker", "away");
    fail("reaper", "away");
    fail("ticker", "starting");
    decisions.recovered("ticker");
    fail("ticker", "starting");
    EXPECT_EQ(lines(), (std::vector<std::string>{
                           "warn  Background job failed and will retry worker=ticker error=away wait_ms=1",
                           "warn  Background job failed and will retry worker=reaper error=away wait_ms=1",
                           "warn  Background job failed and will retry worker=ticker error=starting wait_ms=1",
                           "info  Background job recovered worker=ticker",
                           "warn  Background job failed and will retry worker=ticker error=starting wait_ms=1",
                       }));
}

TEST_F(DecisionLogTest, AQuietLogStillTellsOfFailedRuns) {
    log.set(LogLevel::warn);
    decisions.decided(schedule,
                      {.schedule_id = "s1",
                       .runs = {run(model::DispatchStatus::dispatched)},
                       .ends = {{"r0", model::ExecutionStatus::succeeded}, {"r1", model::ExecutionStatus::timed_out}}},
                      noon);
    const auto written = lines();
    ASSERT_EQ(written.size(), 1U);
    EXPECT_NE(written[0].find("run_id=r1 status=timed_out"), std::string::npos);
}

TEST_F(DecisionLogTest, SeveralObserversAreToldTheSame) {
    DecisionLog second{log};
    Observers both{decisions, second};
    both.recovered("ticker");
    both.shares(3);
    EXPECT_EQ(lines(),
              (std::vector<std::string>{
                  "info  Background job recovered worker=ticker", "info  Background job recovered worker=ticker",
                  "info  Cluster membership changed servers=3", "info  Cluster membership changed servers=3"}));
}

}  // namespace
}  // namespace belfry::engine
