// Schedules in a store: created all or none, found by id or name inside their tenant, changed by plans, deleted softly.
#include "store_contract.hpp"

namespace belfry::store {
namespace {

class ScheduleContract : public StoreContract {};
INSTANTIATE_TEST_SUITE_P(Every, ScheduleContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

// With a value of its own in every member.
void fill(model::Schedule& schedule) {
    schedule.name = "nächtlich \"%_'\\";
    schedule.description = "line one\nline two";
    schedule.notes = "\t‰ and 日本";
    schedule.labels = {{"team", "billing"}, {"", "empty key"}, {"quote\"", "it's"}};
    schedule.memo = test::json(R"({"z":1,"a":[true,null,1.5,"x"],"big":9007199254740993})");
    schedule.search_attributes = test::json(R"({"tenant_id":"42"})");
    schedule.spec = {.cron = {"0 2 * * *", "CRON_TZ=Asia/Tokyo 5 4 * * sun"},
                     .intervals = {{"PT6H", "PT5M"}},
                     .at = {"2026-12-31T23:59:00Z"},
                     .timezone = "America/New_York",
                     .start_at = "2026-01-01T00:00:00Z",
                     .end_at = "2027-01-01T00:00:00+01:00",
                     .dst = {spec::GapRule::skip, spec::RepeatRule::both},
                     .jitter = {"PT1M", "PT5M"}};
    schedule.target = {.type = model::TargetType::workflow,
                       .kind = "invoice-sync",
                       .version = 3,
                       .input = test::json(R"({"deep":{"er":[{}]}})"),
                       .metadata = {{"trace", "on"}},
                       .queue = "high",
                       .connection = "redis",
                       .priority = -5};
    schedule.assignee = model::Assignee{"team", "t-1"};
    schedule.overlap = {model::OverlapPolicy::buffer_all, 3};
    schedule.missed = {model::MissedPolicy::spread, 90s, 7};
    schedule.retry = {4, 250ms, {model::FailureCategory::timeout, model::FailureCategory::rate_limit}, 60'000ms};
    schedule.failure = {model::FailureMode::fallback, "t-2"};
    schedule.approval = {true, model::ApprovalMode::sensitive_actions, {"publish", "spend"}};
    schedule.max_runs = 12;
    schedule.calendars = {"weekends-only", "mine"};
    schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":3}})");
    schedule.inputs_template = test::json(R"({"t":0.1})");
    schedule.inputs_rotation = {test::json("null"), test::json(R"({"audience":"tech"})"), test::json("[]")};
    schedule.signal = model::Signal{"https://kpi.internal/health", 250ms};
    schedule.breaker_failures = 5;
    schedule.created_by = "ann";
    schedule.created_at = kNine - Micros{1};
    schedule.updated_at = kNine + Micros{1};
}

TEST_P(ScheduleContract, KeepsADefinitionAsItWasWritten) {
    const auto schedule = task_schedule(fill);
    const auto plan = decide::plan_create(test::compiled(schedule), kNine).value();
    ASSERT_TRUE(store->create(std::vector{plan}));
    const auto expect_found = [&] {
        const auto by_id = record(schedule);
        EXPECT_EQ(by_id.definition, schedule);
        EXPECT_EQ(by_id.state, plan.state);
        const auto by_name = store->schedule({.tenant = "default", .name = schedule.name});
        ASSERT_TRUE(by_name) << by_name.error().message;
        EXPECT_EQ(*by_name, by_id);
    };
    expect_found();
    reopen();
    expect_found();
}

TEST_P(ScheduleContract, WhatBeginsPausedIsPausedWithBothEvents) {
    const auto schedule = task_schedule(fill);
    const auto plan =
        decide::plan_create(test::compiled(schedule), kNine, {}, decide::PauseRequest{.reason = "not yet"}).value();
    ASSERT_TRUE(store->create(std::vector{plan}));
    EXPECT_EQ(record(schedule).state, plan.state);
    const auto paused = store->schedules({.tenant = "default", .status = model::ScheduleStatus::paused}, {});
    ASSERT_TRUE(paused) << paused.error().message;
    EXPECT_EQ(paused->items.size(), 1);
    const auto events = store->events({.tenant = "default", .id = schedule.id}, 0, 10);
    ASSERT_TRUE(events) << events.error().message;
    ASSERT_EQ(events->size(), 2);
    EXPECT_EQ(events->back().event.type, model::EventType::schedule_paused);
}

TEST_P(ScheduleContract, WhatWasRefusedTakesNoNameAndCountsForNoLimit) {
    ASSERT_TRUE(store->put_tenant({.name = "small", .schedules_max = 1}));
    const auto refuse = [&](const std::string& key) {
        const auto schedule = task_schedule([](auto& s) {
            s.tenant = "small";
            s.name = "wanted";
        });
        auto plan = decide::plan_refused_create(test::compiled(schedule), {.how = "activated_unsupervised"}, kNine,
                                                {.principal = "ada"})
                        .value();
        plan.request = model::RequestKey{.key = key, .fingerprint = "f"};
        EXPECT_TRUE(store->create(std::vector{plan}));
        EXPECT_EQ(record(schedule).state, plan.state);
        return schedule;
    };
    refuse("bypass 1");
    const auto kept = task_schedule([](auto& s) {
        s.tenant = "small";
        s.name = "wanted";
    });
    const auto created = store->create(std::vector{decide::plan_create(test::compiled(kept), kNine).value()});
    ASSERT_TRUE(created) << created.error().message;
    const auto again = refuse("bypass 2");
    const auto events = store->events({.tenant = "small", .id = again.id}, 0, 10);
    ASSERT_TRUE(events) << events.error().message;
    EXPECT_EQ(events->size(), 3);
    EXPECT_EQ(store->request("small", "bypass 2")->schedule_id, again.id);
    EXPECT_EQ(store->schedule({.tenant = "small", .name = "wanted"})->definition.id, kept.id);
}

TEST_P(ScheduleContract, CreatesAllOrNone) {
    create_named("b");
    const std::vector new_ones{task_schedule([](auto& s) { s.name = "a"; }),
                               task_schedule([](auto& s) { s.name = "b"; }),
                               task_schedule([](auto& s) { s.name = "c"; })};
    const auto created = test::create(*store, new_ones, kNine);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code, ErrorCode::already_exists);
    EXPECT_NE(created.error().message.find('b'), std::string::npos) << created.error().message;
    for (const auto& schedule : new_ones) EXPECT_EQ(code_of(store->schedule(ref_of(schedule))), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->schedule({.tenant = "default", .name = "a"})), ErrorCode::not_found);
    EXPECT_EQ(test::all_upcoming(*store).size(), 1U);
    EXPECT_TRUE(tick(kTen).plans.size() == 1) << "nothing of the others may be due";
}

TEST_P(ScheduleContract, RefusesANameThatOneBatchUsesTwice) {
    const std::vector twins{task_schedule(), task_schedule()};
    EXPECT_EQ(code_of(test::create(*store, twins, kNine)), ErrorCode::already_exists);
    EXPECT_EQ(code_of(store->schedule(ref_of(twins[0]))), ErrorCode::not_found);
}

TEST_P(ScheduleContract, NeverTakesAnIdTwice) {
    const auto first = create_named("first");
    const auto again = task_schedule([&](auto& s) { s.id = first.id, s.name = "second"; });
    EXPECT_EQ(code_of(test::create(*store, {again}, kNine)), ErrorCode::already_exists);
    ASSERT_TRUE(test::remove(*store, ref_of(first), kNine));
    EXPECT_EQ(code_of(test::create(*store, {again}, kNine)), ErrorCode::already_exists)
        << "a deleted schedule keeps its id";
    EXPECT_EQ(record(first).definition.name, "first");
}

TEST_P(ScheduleContract, NeedsATenantThatExists) {
    EXPECT_EQ(code_of(test::create(*store, {task_schedule([](auto& s) { s.tenant = "nobody"; })}, kNine)),
              ErrorCode::not_found);
}

TEST_P(ScheduleContract, ANameIsTakenInsideItsTenantOnly) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto ours = create();
    const auto theirs = create([](auto& s) { s.tenant = "acme"; });
    EXPECT_EQ(store->schedule({.tenant = "default", .name = "report"}).value().definition.id, ours.id);
    EXPECT_EQ(store->schedule({.tenant = "acme", .name = "report"}).value().definition.id, theirs.id);
}

TEST_P(ScheduleContract, AFullTenantTakesNoMore) {
    ASSERT_TRUE(store->put_tenant({.name = "small", .schedules_max = 2}));
    const auto named = [](const std::string& name) {
        return task_schedule([&](auto& s) { s.tenant = "small", s.name = name; });
    };
    const auto a = named("a");
    ASSERT_TRUE(test::create(*store, {a}, kNine));
    EXPECT_EQ(code_of(test::create(*store, {named("b"), named("c")}, kNine)), ErrorCode::exhausted) << "both or none";
    EXPECT_EQ(test::all_schedules(*store, {.tenant = "small"}).size(), 1U);
    ASSERT_TRUE(test::create(*store, {named("b")}, kNine));
    EXPECT_EQ(code_of(test::create(*store, {named("c")}, kNine)), ErrorCode::exhausted);
    ASSERT_TRUE(test::remove(*store, ref_of(a), kNine));
    EXPECT_TRUE(test::create(*store, {named("c")}, kNine)) << "a deleted schedule takes no place";
    create_named("elsewhere");
}

TEST_P(ScheduleContract, WhatBelongsToAnotherTenantIsNotFound) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto schedule = create();
    ASSERT_EQ(tick(kTen).plans.size(), 1U);
    const auto run_id = runs(schedule).at(0).id;
    const auto backfill = test::new_backfill(schedule, kNine - 5h, kNine - 2h, kTen);
    ASSERT_TRUE(store->create_backfill("default", backfill));
    const auto before = everything(schedule);

    const ScheduleRef foreign{.tenant = "acme", .id = schedule.id};
    const auto planner = [](const Facts&) -> Result<Plan> {
        ADD_FAILURE() << "nobody may decide on another tenant's schedule";
        return Error{ErrorCode::unavailable, ""};
    };
    EXPECT_EQ(code_of(store->schedule(foreign)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->schedule({.tenant = "acme", .name = "report"})), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->change(foreign, {.now = kTen}, planner)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->events(foreign, 0, 10)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->purge(foreign, 10)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->prune(foreign, {.keep_newest = 0}, 10)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->backfills(foreign)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->run("acme", run_id)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->backfill("acme", backfill.id)), ErrorCode::not_found);
    EXPECT_EQ(code_of(test::set_status(*store, "acme", backfill.id, model::BackfillStatus::cancelled, kTen)),
              ErrorCode::not_found);
    EXPECT_EQ(code_of(store->create_backfill("acme", test::new_backfill(schedule, kNine - 5h, kNine, kTen))),
              ErrorCode::not_found);
    const auto listed = store->runs({.tenant = "acme", .schedule_id = schedule.id}, {});
    EXPECT_TRUE(code_of(listed) == ErrorCode::not_found || listed.value().items.empty());
    EXPECT_TRUE(test::all_runs(*store, {.tenant = "acme"}).empty());
    EXPECT_TRUE(test::all_schedules(*store, {.tenant = "acme"}).empty());
    EXPECT_TRUE(store->claim({.tenant = "acme", .worker = "w", .limit = 10, .now = kTen}).value().empty());
    EXPECT_EQ(everything(schedule), before);
    EXPECT_EQ(store->backfill("default", backfill.id).value(), backfill);
}

TEST_P(ScheduleContract, AChangeAboutARunNeedsOneOfTheSchedulesOwn) {
    const auto waiting = create_named("waiting", [](auto& s) { s.approval.requires_approval = true; });
    const auto other = create_named("other");
    tick(kTen);
    const auto run_id = runs(waiting).at(0).id;
    EXPECT_EQ(code_of(test::judge(*store, ref_of(other), run_id, {true}, kTen)), ErrorCode::not_found);
    EXPECT_EQ(code_of(test::judge(*store, ref_of(waiting), "no run at all", {true}, kTen)), ErrorCode::not_found);
    const auto never = model::run_id(waiting.id, {model::RunCause::tick, kTen + 5h});
    EXPECT_EQ(code_of(test::judge(*store, ref_of(waiting), never, {true}, kTen)), ErrorCode::not_found);
    EXPECT_EQ(run(run_id).execution, ExecutionStatus::awaiting_approval);
}

TEST_P(ScheduleContract, DeletingFreesTheNameAndKeepsTheHistory) {
    const auto old = create();
    tick(kTen);
    const auto old_runs = runs(old);
    ASSERT_TRUE(test::remove(*store, ref_of(old), kTen));
    EXPECT_EQ(code_of(store->schedule({.tenant = "default", .name = "report"})), ErrorCode::not_found);
    EXPECT_EQ(state(old).status, ScheduleStatus::deleted);

    const auto young = create();
    EXPECT_EQ(store->schedule({.tenant = "default", .name = "report"}).value().definition.id, young.id);
    EXPECT_EQ(runs(old), old_runs);
    EXPECT_EQ(run(old_runs.at(0).id), old_runs.at(0));
    test::expect_chain(record(old), events(old));
    EXPECT_TRUE(runs(young).empty());
    EXPECT_TRUE(tick(kTen + 1h, {key_of(old)}).plans.empty()) << "6: nothing fires once it is deleted";
}

TEST_P(ScheduleContract, APlannerThatFailsChangesNothing) {
    const auto schedule = create();
    const auto before = everything(schedule);
    const auto changed = store->change(ref_of(schedule), {.now = kTen}, [](const Facts&) -> Result<Plan> {
        return Error{ErrorCode::invalid_argument, "I do not want to", "/here"};
    });
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error(), (Error{ErrorCode::invalid_argument, "I do not want to", "/here"}));
    EXPECT_EQ(everything(schedule), before);
}

TEST_P(ScheduleContract, AnEmptyPlanChangesNothing) {
    const auto schedule = create();
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kTen));
    const auto before = everything(schedule);
    const auto again = test::pause(*store, ref_of(schedule), kTen + 1s);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->empty());
    EXPECT_EQ(everything(schedule), before);
}

TEST_P(ScheduleContract, DecidesOnTheSchedulesOwnFactsAndReturnsWhatWasApplied) {
    const auto schedule = create([](auto& s) { s.max_runs = 5; });
    const auto before = record(schedule);
    std::optional<Facts> seen;
    const auto plan = store->change({.tenant = "default", .name = "report"}, {.now = kTen}, [&](const Facts& facts) {
        seen = facts;
        return decide::plan_trigger(facts, {}, kTen);
    });
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(seen->schedule->definition, schedule);
    EXPECT_EQ(seen->state, before.state);
    EXPECT_TRUE(seen->switches.all());
    EXPECT_FALSE(seen->budget.runs_left_today);
    EXPECT_EQ(plan->runs.size(), 1U);
    EXPECT_EQ(state(schedule), plan->state);
    const auto row = run(plan->runs[0].id);
    EXPECT_EQ(row.slot, (model::RunSlot{model::RunCause::trigger, kTen}));
    EXPECT_EQ(row.execution, ExecutionStatus::queued);
}

TEST_P(ScheduleContract, TakenSlotsAreThoseOfTheRangeThatWasAskedFor) {
    const auto schedule = create([](auto& s) { s.overlap.policy = model::OverlapPolicy::skip; });
    for (int hour = 0; hour < 4; ++hour) tick(kTen + hour * 1h);
    const auto taken_in = [&](Instant from, Instant to) {
        Facts seen;
        const auto asked = store->change(ref_of(schedule), {.now = kTen + 4h, .slots = std::pair{from, to}},
                                         [&](const Facts& facts) -> Result<Plan> {
                                             seen = facts;
                                             return Error{ErrorCode::conflict, "only looking"};
                                         });
        EXPECT_FALSE(asked);
        std::pair<std::vector<Instant>, std::vector<Instant>> found;
        for (const auto& slot : seen.taken) found.first.push_back(slot.occurrence);
        for (const auto& slot : seen.skipped) found.second.push_back(slot.occurrence);
        std::ranges::sort(found.first);
        std::ranges::sort(found.second);
        return found;
    };
    using Both = std::pair<std::vector<Instant>, std::vector<Instant>>;
    EXPECT_EQ(taken_in(kTen, kTen + 2h), (Both{{kTen, kTen + 1h, kTen + 2h}, {kTen + 1h, kTen + 2h}}));
    EXPECT_EQ(taken_in(kTen + 1s, kTen + 1h), (Both{{kTen + 1h}, {kTen + 1h}}));
    EXPECT_EQ(taken_in(kNine - 5h, kTen - 1s), (Both{{}, {}}));
}

TEST_P(ScheduleContract, ATriggerInAMillisecondThatIsTakenIsRefused) {
    const auto schedule = create([](auto& s) { s.overlap.policy = model::OverlapPolicy::allow_all; });
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + Micros{100}));
    const auto before = everything(schedule);
    EXPECT_EQ(code_of(test::trigger(*store, ref_of(schedule), kTen + Micros{900})), ErrorCode::conflict);
    EXPECT_EQ(everything(schedule), before);
    EXPECT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 1ms));
}

TEST_P(ScheduleContract, AppliesAPlanOnceAndRefusesItsTwin) {
    const auto schedule = create();
    auto facts = test::facts_at("2026-06-01T09:00:00Z", [&](auto& s) { s = schedule; });
    const auto plan = decide::plan_trigger(facts, {}, kTen).value();
    const auto first = store->apply(std::vector{plan});
    ASSERT_TRUE(first) << first.error().message;
    ASSERT_EQ(first->size(), 1U);
    EXPECT_FALSE(first->at(0)) << first->at(0)->message;

    const auto after = everything(schedule);
    const auto second = store->apply(std::vector{plan});
    ASSERT_TRUE(second);
    EXPECT_EQ(code_of(second->at(0)), ErrorCode::conflict);
    EXPECT_EQ(everything(schedule), after);
}

TEST_P(ScheduleContract, AppliesEachPlanOfABatchOnItsOwn) {
    const auto a = create_named("a");
    const auto b = create_named("b");
    const auto unknown = task_schedule();
    const auto planned = [](const model::Schedule& schedule) {
        return decide::plan_trigger(test::facts_at("2026-06-01T09:00:00Z", [&](auto& s) { s = schedule; }), {}, kTen)
            .value();
    };
    const auto applied = store->apply(std::vector{planned(a), planned(a), planned(unknown), planned(b)});
    ASSERT_TRUE(applied) << applied.error().message;
    ASSERT_EQ(applied->size(), 4U);
    EXPECT_FALSE(applied->at(0));
    EXPECT_EQ(code_of(applied->at(1)), ErrorCode::conflict);
    EXPECT_TRUE(applied->at(2)) << "a schedule that nobody created";
    EXPECT_FALSE(applied->at(3));
    EXPECT_EQ(runs(a).size(), 1U);
    EXPECT_EQ(runs(b).size(), 1U);
}

TEST_P(ScheduleContract, RenamingFreesTheOldNameAndRespectsTheOthers) {
    const auto a = create_named("a");
    create_named("b");
    const auto before = everything(a);
    EXPECT_EQ(code_of(test::update(*store, ref_of(a), kTen, [](auto& s) { s.name = "b"; })), ErrorCode::already_exists);
    EXPECT_EQ(everything(a), before);
    ASSERT_TRUE(test::update(*store, ref_of(a), kTen, [](auto& s) { s.name = "c"; }));
    EXPECT_EQ(code_of(store->schedule({.tenant = "default", .name = "a"})), ErrorCode::not_found);
    EXPECT_EQ(store->schedule({.tenant = "default", .name = "c"}).value().definition.version, 2);
    create_named("a");
}

TEST_P(ScheduleContract, ARunKeepsTheDefinitionThatItWasDecidedBy) {
    const auto schedule = create([](auto& s) {
        s.target.input = test::json(R"({"v":1})");
        s.overlap.policy = model::OverlapPolicy::allow_all;
    });
    tick(kTen);
    ASSERT_TRUE(test::update(*store, ref_of(schedule), kTen, [](auto& s) {
        s.target.input = test::json(R"({"v":2})");
        s.target.kind = "report-2";
        s.target.priority = -1;
    }));
    tick(kTen + 1h);
    reopen();
    const auto both = runs(schedule);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[1].version, 1);
    EXPECT_EQ(both[1].input, test::json(R"({"v":1})"));
    EXPECT_EQ(both[0].version, 2);
    EXPECT_EQ(both[0].input, test::json(R"({"v":2})"));
    const auto tasks = claim(kTen + 1h);
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_EQ(tasks[0].target, schedule.target) << "as it was when the run was decided";
    EXPECT_EQ(tasks[0].input, test::json(R"({"v":1})"));
    EXPECT_EQ(tasks[1].target.kind, "report-2");
    EXPECT_EQ(tasks[1].input, test::json(R"({"v":2})"));
}

TEST_P(ScheduleContract, ARunKeepsTheInputThatItsCallerGave) {
    const auto schedule = create([](auto& s) {
        s.target.input = test::json(R"({"usual":true})");
        s.overlap.policy = model::OverlapPolicy::allow_all;
    });
    const auto input_of = [&](Instant now, std::optional<Json> input) {
        const auto plan = test::trigger(*store, ref_of(schedule), now, {.input = std::move(input)});
        EXPECT_TRUE(plan) << plan.error().message;
        return run(plan->runs.at(0).id).input;
    };
    EXPECT_EQ(input_of(kTen, {}), test::json(R"({"usual":true})"));
    EXPECT_EQ(input_of(kTen + 1s, test::json(R"({"mine":[]})")), test::json(R"({"mine":[]})"));
    EXPECT_EQ(input_of(kTen + 2s, Json(nullptr)), Json(nullptr)) << "nothing is an input, too";
    std::vector<Json> claimed;
    for (const auto& task : claim(kTen + 3s)) claimed.push_back(task.input);
    EXPECT_EQ(claimed, (std::vector{test::json(R"({"usual":true})"), test::json(R"({"mine":[]})"), Json(nullptr)}));
}

}  // namespace
}  // namespace belfry::store
