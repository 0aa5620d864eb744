// Runs that an event starts.
#include <gtest/gtest.h>

#include "decide/schedule/tick.hpp"
#include "decide/schedule/trigger.hpp"
#include "support/worlds/schedules.hpp"

namespace belfry::decide {
namespace {

using test::facts_at;
using test::instant;
using test::Lines;
using test::lines_of;

const ReceivedEvent kOrder{.name = "order.created", .id = "o-1", .payload = test::json(R"({"amount":120})")};

test::Edit waiting(const std::string& filter = "null", const test::Edit& edit = {}) {
    return [filter, edit](model::Schedule& schedule) {
        schedule.spec.cron.clear();
        schedule.spec.events = {{"order.created", test::json(filter)}};
        if (edit) edit(schedule);
    };
}

Plan plan_of(const Facts& facts, const ReceivedEvent& event = kOrder) {
    const auto plan = plan_event(facts, event, {}, instant("2026-06-01T10:10:00.5Z"));
    EXPECT_TRUE(plan) << plan.error().message;
    if (!plan) return {};
    test::expect_sound(facts, *plan);
    return *plan;
}

TEST(PlanEvent, AScheduleWithEventsOnlyStaysActiveWithoutANextOccurrence) {
    const auto facts = facts_at("2026-06-01T09:30:00Z", waiting());
    EXPECT_EQ(facts.state.status, model::ScheduleStatus::active);
    EXPECT_EQ(facts.state.next_fire, std::nullopt);
    EXPECT_TRUE(plan_tick(facts, instant("2026-06-01T11:00:00Z"), {}).empty());
}

TEST(PlanEvent, AScheduleWithEventsStaysActiveAfterItsLastInstant) {
    test::Life life("2026-06-01T09:30:00Z",
                    waiting("null", [](auto& schedule) { schedule.spec.at = {"2026-06-01T10:00:00Z"}; }));
    life.tick("2026-06-01T10:00:00Z");
    EXPECT_EQ(life.state().status, model::ScheduleStatus::active);
    EXPECT_EQ(life.state().next_fire, std::nullopt);
}

TEST(PlanEvent, StartsARunOfItsOwnCauseWithThePayloadBesideTheInput) {
    const auto facts = facts_at("2026-06-01T09:30:00Z",
                                waiting("null", [](auto& s) { s.target.input = test::json(R"({"region":"us"})"); }));
    const auto plan = plan_of(facts);
    ASSERT_EQ(plan.runs.size(), 1U);
    EXPECT_EQ(plan.runs[0].slot, (model::RunSlot{model::RunCause::event, instant("2026-06-01T10:10:00.5Z")}));
    EXPECT_EQ(plan.runs[0].input,
              test::json(R"({"region":"us","event":{"name":"order.created","id":"o-1","payload":{"amount":120}}})"));
    EXPECT_EQ(plan.events.at(0).payload.at("cause"), Json("event"));
    EXPECT_EQ(plan.events.at(0).payload.at("workflow_instance_id"), Json("schedule:report:event:1780308600500"));
}

TEST(PlanEvent, TheInputOfAnHttpCallIsTheCallAlone) {
    const auto call = test::json(R"({"method":"GET","url":"https://example.com/"})");
    const auto facts = facts_at("2026-06-01T09:30:00Z", waiting("null", [&](auto& s) {
                                    s.target = {.type = model::TargetType::task, .kind = "http", .input = call};
                                }));
    EXPECT_EQ(plan_of(facts).runs.at(0).input, call);
}

TEST(PlanEvent, AnInputThatIsNoObjectBecomesAMember) {
    const auto facts =
        facts_at("2026-06-01T09:30:00Z", waiting("null", [](auto& s) { s.target.input = test::json("[1,2]"); }));
    EXPECT_EQ(plan_of(facts).runs.at(0).input.at("input"), test::json("[1,2]"));
}

TEST(PlanEvent, ABufferedOneGetsItsInputWhenItIsReleased) {
    auto facts = test::with_in_flight(
        facts_at("2026-06-01T09:30:00Z", waiting(R"({"/amount":{"gt":100}})",
                                                 [](auto& s) {
                                                     s.overlap.policy = model::OverlapPolicy::buffer_one;
                                                     s.inputs_rotation = {test::json(R"({"n":1})")};
                                                 })),
        1);
    const auto plan = plan_of(facts);
    ASSERT_EQ(plan.runs.at(0).dispatch, model::DispatchStatus::buffered);
    facts = test::after(facts, plan);
    facts.state.in_flight = 0;
    const auto released = plan_tick(facts, instant("2026-06-01T10:20:00Z"), {});
    ASSERT_EQ(released.releases.size(), 1U);
    EXPECT_EQ(released.releases[0].input,
              test::json(R"({"n":1,"event":{"name":"order.created","id":"o-1","payload":{"amount":120}}})"));
}

struct Row {
    const char* why;
    test::Edit edit;
    Lines lines;
};

TEST(PlanEvent, FiltersAndGuards) {
    const std::string at = "event 2026-06-01T10:10:00.500000Z ";
    const std::vector<Row> rows{
        {"no filter", waiting(), {at + "dispatched #1"}},
        {"the filter holds", waiting(R"({"/amount":{"gt":100}})"), {at + "dispatched #1"}},
        {"the filter does not hold: nothing is recorded", waiting(R"({"/amount":{"gt":120}})"), {}},
        {"one of two filters holds",
         waiting(R"({"/amount":{"gt":500}})",
                 [](auto& s) {
                     s.spec.events.push_back({"order.created", test::json(R"({"/amount":{"lt":500}})")});
                 }),
         {at + "dispatched #1"}},
        {"another event", [](auto& s) { s.spec.events = {{"order.paid"}}; }, {}},
        {"a broken filter fails closed", waiting(R"({"/amount":{"near":100}})"), {}},
        {"window, calendar and condition are the schedule's own times'",
         waiting("null",
                 [](auto& s) {
                     s.spec.start_at = "2026-07-01T00:00:00Z";
                     s.calendars = {"gone"};
                     s.condition = test::json(R"({"/last_24h_stats/total":{"gt":99}})");
                 }),
         {at + "dispatched #1"}},
        {"approval",
         waiting("null", [](auto& s) { s.approval.requires_approval = true; }),
         {at + "dispatched #1 awaiting_approval"}},
    };
    for (const auto& row : rows) {
        const auto facts = facts_at("2026-06-01T09:30:00Z", row.edit);
        const auto plan = plan_of(facts);
        auto lines = lines_of(facts, plan);
        if (!lines.empty()) lines.pop_back();  // what comes next
        for (auto& line : lines)
            line.erase(line.find(" {"), line.rfind('}') + 1 - line.find(" {"));  // without its input
        EXPECT_EQ(lines, row.lines) << row.why;
        EXPECT_EQ(plan.empty(), row.lines.empty()) << row.why;
    }
    auto overlapping = test::with_in_flight(facts_at("2026-06-01T09:30:00Z", waiting()), 1);
    EXPECT_EQ(plan_of(overlapping).runs.at(0).reason, model::SkipReason::overlap_in_flight);
    auto paused = facts_at("2026-06-01T09:30:00Z", waiting());
    paused.state.status = model::ScheduleStatus::paused;
    EXPECT_EQ(plan_of(paused).runs.at(0).reason, model::SkipReason::status_not_triggerable);
}

}  // namespace
}  // namespace belfry::decide
