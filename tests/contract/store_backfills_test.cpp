// Backfills: one at a time per schedule, page by page, and a page and its progress are one commit.
#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::BackfillStatus;
using model::OverlapPolicy;

class BackfillContract : public StoreContract {
protected:
    // Its backfill covers 3:00 to 8:00, six occurrences.
    model::Schedule schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    model::Backfill backfill = test::new_backfill(schedule, kNine - 6h, kNine - 1h, kNine);

    BackfillStep step(Instant now, int page) {
        auto stepped = test::step(*store, "default", backfill, now, page);
        EXPECT_TRUE(stepped) << stepped.error().message;
        return stepped ? *stepped : BackfillStep{};
    }
    model::Backfill current() { return store->backfill("default", backfill.id).value(); }
};
INSTANTIATE_TEST_SUITE_P(Every, BackfillContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(BackfillContract, KeepsWhatWasAsked) {
    backfill.overlap = OverlapPolicy::cancel_other;
    backfill.from += Micros{1};
    backfill.error = "\"none\"";
    ASSERT_TRUE(store->create_backfill("default", backfill));
    reopen();
    EXPECT_EQ(current(), backfill);
    EXPECT_EQ(store->backfills(ref_of(schedule)).value(), (std::vector{backfill}));
    EXPECT_EQ(store->backfills({.tenant = "default", .name = "report"}).value(), (std::vector{backfill}));
    EXPECT_EQ(store->running_backfills(10).value(),
              (std::vector<std::pair<std::string, model::Backfill>>{{"default", backfill}}));
    EXPECT_EQ(code_of(store->backfill("default", "another")), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->create_backfill("default", test::new_backfill(task_schedule(), kNine - 1h, kNine, kNine))),
              ErrorCode::not_found);
}

TEST_P(BackfillContract, GoesPageByPageAndSurvivesRestarts) {
    ASSERT_TRUE(store->create_backfill("default", backfill));
    const auto first = step(kNine, 4);
    EXPECT_EQ(first.plan.runs.size(), 4U);
    EXPECT_EQ(current(), first.backfill);
    EXPECT_EQ(current().next_from, kNine - 2h);
    EXPECT_EQ(current().dispatched, 4);
    reopen();
    const auto last = step(kNine + 1s, 4);
    EXPECT_EQ(last.backfill.status, BackfillStatus::completed);
    EXPECT_EQ(current(), last.backfill);
    EXPECT_EQ(current().dispatched, 6);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"03:00 queued", "04:00 queued", "05:00 queued", "06:00 queued",
                                                "07:00 queued", "08:00 queued"}));
    for (const auto& row : runs(schedule)) EXPECT_EQ(row.slot.cause, model::RunCause::backfill);
    EXPECT_EQ(state(schedule), last.plan.state);
    EXPECT_EQ(state(schedule).next_occurrence, kTen) << "the ticks go on where they were";
    EXPECT_TRUE(store->running_backfills(10).value().empty());
    EXPECT_EQ(claim(kNine + 1s).size(), 6U);
    test::expect_chain(record(schedule), events(schedule));
}

TEST_P(BackfillContract, OnlyOneIsUnderWayPerSchedule) {
    ASSERT_TRUE(store->create_backfill("default", backfill));
    const auto second = test::new_backfill(schedule, kNine - 20h, kNine - 10h, kNine);
    EXPECT_EQ(code_of(store->create_backfill("default", second)), ErrorCode::conflict);
    ASSERT_TRUE(test::set_status(*store, "default", backfill.id, BackfillStatus::paused, kNine));
    EXPECT_EQ(code_of(store->create_backfill("default", second)), ErrorCode::conflict) << "a paused one is not over";
    EXPECT_EQ(code_of(store->backfill("default", second.id)), ErrorCode::not_found);
    const auto other = create_named("other");
    EXPECT_TRUE(store->create_backfill("default", test::new_backfill(other, kNine - 2h, kNine - 1h, kNine)));
    ASSERT_TRUE(test::set_status(*store, "default", backfill.id, BackfillStatus::cancelled, kNine));
    EXPECT_TRUE(store->create_backfill("default", second));
    EXPECT_EQ(store->backfills(ref_of(schedule)).value().size(), 2U);
}

TEST_P(BackfillContract, APausedOneWaitsAndACancelledOneIsOver) {
    ASSERT_TRUE(store->create_backfill("default", backfill));
    step(kNine, 2);
    ASSERT_TRUE(test::set_status(*store, "default", backfill.id, BackfillStatus::paused, kNine + 1s));
    EXPECT_TRUE(store->running_backfills(10).value().empty());
    EXPECT_EQ(code_of(test::step(*store, "default", backfill, kNine + 2s, 2)), ErrorCode::conflict);
    EXPECT_EQ(runs(schedule).size(), 2U);
    ASSERT_TRUE(test::set_status(*store, "default", backfill.id, BackfillStatus::running, kNine + 3s));
    EXPECT_EQ(store->running_backfills(10).value().size(), 1U);
    step(kNine + 4s, 2);
    ASSERT_TRUE(test::set_status(*store, "default", backfill.id, BackfillStatus::cancelled, kNine + 5s));
    EXPECT_EQ(code_of(test::step(*store, "default", backfill, kNine + 6s, 2)), ErrorCode::conflict);
    EXPECT_EQ(runs(schedule).size(), 4U);
    EXPECT_EQ(current().status, BackfillStatus::cancelled);
    EXPECT_EQ(current().next_from, kNine - 2h);
    EXPECT_EQ(current().version, 6);
}

TEST_P(BackfillContract, APlannerThatFailsChangesNeitherScheduleNorBackfill) {
    ASSERT_TRUE(store->create_backfill("default", backfill));
    step(kNine, 2);
    const auto before = everything(schedule);
    const auto was = current();
    const auto refused = store->step_backfill("default", backfill.id, {.now = kNine},
                                              [](const Facts&, const model::Backfill&) -> Result<BackfillStep> {
                                                  return Error{ErrorCode::unavailable, "later"};
                                              });
    EXPECT_EQ(code_of(refused), ErrorCode::unavailable);
    const auto unsound = store->step_backfill(
        "default", backfill.id, {.now = kNine, .slots = std::pair{backfill.from, backfill.to}},
        [](const Facts& facts, const model::Backfill& each) -> Result<BackfillStep> {
            auto page = decide::plan_backfill(facts, {*each.next_from, each.to, {}}, kNine, 2).value();
            page.plan.events.at(0).sequence += 1;
            auto changed = each;
            changed.version += 1;
            changed.status = BackfillStatus::completed;
            return BackfillStep{page.plan, changed};
        });
    EXPECT_FALSE(unsound);
    EXPECT_EQ(everything(schedule), before);
    EXPECT_EQ(current(), was);
}

TEST_P(BackfillContract, LeavesAloneWhatHasRunAndRunsWhatWasSkipped) {
    const auto serial = create_named("serial");
    tick(kTen, {key_of(serial)});
    tick(kTen + 1h, {key_of(serial)});
    finish(kTen + 1h);
    const auto again = test::new_backfill(serial, kTen, kTen + 1h, kTen + 90min);
    ASSERT_TRUE(store->create_backfill("default", again));
    ASSERT_TRUE(test::step(*store, "default", again, kTen + 90min, 10));
    EXPECT_EQ(run_lines(serial), (test::Lines{"10:00 succeeded", "11:00 skipped overlap_in_flight", "11:00 queued"}));
}

TEST_P(BackfillContract, DecidesAnewWhatWasForgotten) {
    const auto closed = create_named("closed", [](auto& s) { s.calendars = {"weekends-only"}; });
    const auto fill = [&](Instant now) {
        const auto filling = test::new_backfill(closed, kNine - 2h, kNine - 2h, now);
        ASSERT_TRUE(store->create_backfill("default", filling));
        ASSERT_TRUE(test::step(*store, "default", filling, now, 10));
    };
    fill(kTen + 1h);
    const auto before = runs(closed);
    ASSERT_EQ(before.size(), 1U);
    EXPECT_EQ(before.front().reason, model::SkipReason::calendar);
    ASSERT_EQ(store->prune(ref_of(closed), {.keep_newest = 0}, 10).value(), 1);
    fill(kTen + 2h);
    const auto after = runs(closed);
    ASSERT_EQ(after.size(), 1U);
    EXPECT_EQ(after.front().id, before.front().id) << "it is the same occurrence";
    EXPECT_EQ(after.front().decided_at, kTen + 2h);
}

TEST_P(BackfillContract, OneOfADeletedScheduleEnds) {
    ASSERT_TRUE(store->create_backfill("default", backfill));
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kNine));
    const auto ended = step(kNine + 1s, 2);
    EXPECT_EQ(ended.backfill.status, BackfillStatus::failed);
    EXPECT_EQ(current(), ended.backfill);
    EXPECT_FALSE(current().error.empty());
    EXPECT_TRUE(runs(schedule).empty());
}

TEST_P(BackfillContract, ThoseUnderWayAreListedUpToALimit) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    for (const char* const name : {"a", "b", "c"}) {
        const auto other = create([&](auto& s) { s.tenant = "acme", s.name = name; });
        ASSERT_TRUE(store->create_backfill("acme", test::new_backfill(other, kNine - 2h, kNine, kNine)));
    }
    ASSERT_TRUE(store->create_backfill("default", backfill));
    EXPECT_EQ(store->running_backfills(3).value().size(), 3U);
    const auto all = store->running_backfills(10).value();
    EXPECT_EQ(all.size(), 4U);
    for (const auto& [tenant, each] : all) EXPECT_EQ(tenant, each.id == backfill.id ? "default" : "acme");
}

}  // namespace
}  // namespace belfry::store
