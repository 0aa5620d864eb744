// Lists of schedules under every filter at once, cursors that belong to their list, schedules by key, and how much
// there is.
#include <random>

#include "base/text/ascii.hpp"
#include "store_contract.hpp"
#include "support/worlds/seed.hpp"

namespace belfry::store {
namespace {

class FilterContract : public StoreContract {
protected:
    // Schedules in many states, of few kinds, whose names are alike.
    void create_many(std::mt19937_64& random) {
        const auto any = [&random](std::size_t most) { return static_cast<std::size_t>(random() % most); };
        const std::vector<std::string> parts{"a", "A", "b", "ab", "Ba", "ä", "Ä", "_", "%", "日", "report", "RePort"};
        std::vector<model::Schedule> all;
        for (int i = 0; i < 60; ++i) {
            all.push_back(task_schedule([&](auto& s) {
                s.name = parts[any(parts.size())] + parts[any(parts.size())] + std::to_string(any(1'000'000));
                if (any(2) == 0) s.target.type = model::TargetType::workflow;
                s.target.kind = any(2) == 0 ? "invoice" : "Invoice";
                if (any(3) > 0) s.labels["team"] = any(2) == 0 ? "billing" : "it";
                if (any(3) > 0) s.spec.cron = {"0 " + std::to_string(any(24)) + " * * *"};
                if (any(2) == 0) s.notes = any(2) == 0 ? "nightly" : "Nightly";
                if (any(2) == 0) s.target.queue = any(2) == 0 ? "slow" : "fast";
                auto& attributes = s.search_attributes.as_object();
                if (any(2) == 0) attributes["user_id"] = any(2) == 0 ? Json(42) : Json("42");
                if (any(2) == 0) attributes["plan"] = any(2) == 0 ? Json("gold") : Json(nullptr);
                if (any(8) == 0) s.spec = {.at = {"2026-06-01T09:00:00Z"}};
            }));
        }
        ASSERT_TRUE(test::create(*store, all, kNine));
        for (const auto& schedule : all) {
            const auto fate = any(6);
            bool done = true;
            if (fate == 0) done = test::pause(*store, ref_of(schedule), kNine).has_value();
            if (fate == 1) done = test::remove(*store, ref_of(schedule), kNine).has_value();
            if (fate == 2)
                done = test::update(*store, ref_of(schedule), kNine, [](auto& s) {
                           s.target.kind = "changed";
                       }).has_value();
            if (fate == 3)
                done = test::update(*store, ref_of(schedule), kNine, [](auto& s) { s.name += "-renamed"; }).has_value();
            ASSERT_TRUE(done) << schedule.name;
        }
        tick(kNine);
    }

    std::vector<ScheduleRecord> everybody() {
        auto all = test::all_schedules(*store, {.tenant = "default"});
        const auto deleted = test::all_schedules(*store, {.tenant = "default", .status = ScheduleStatus::deleted});
        all.insert(all.end(), deleted.begin(), deleted.end());
        std::ranges::sort(all, {}, [](const auto& each) {
            return std::pair{each.definition.name, key_of(each.definition)};
        });
        return all;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, FilterContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

bool belongs(const ScheduleRecord& record, const ScheduleFilter& filter) {
    const auto& definition = record.definition;
    const auto& state = record.state;
    if (filter.status ? state.status != *filter.status : state.status == ScheduleStatus::deleted) return false;
    if (!definition.name.starts_with(filter.name_prefix)) return false;
    if (lower_case(definition.name).find(lower_case(filter.contains)) == std::string::npos) return false;
    if (filter.label && (!definition.labels.contains(filter.label->first) ||
                         definition.labels.at(filter.label->first) != filter.label->second)) {
        return false;
    }
    if (filter.target_type && definition.target.type != *filter.target_type) return false;
    if (!filter.target_kind.empty() && definition.target.kind != filter.target_kind) return false;
    if (!filter.name.empty() && definition.name != filter.name) return false;
    if (filter.notes && definition.notes != *filter.notes) return false;
    if (filter.queue && definition.target.queue != *filter.queue) return false;
    for (const auto& [name, value] : filter.search_attributes) {
        const auto* const found = definition.search_attributes.as_object().if_contains(name);
        if (found == nullptr || !same_json(*found, value)) return false;
    }
    if (filter.next_from && (!state.next_fire || *state.next_fire < *filter.next_from)) return false;
    return !filter.next_to || (state.next_fire && *state.next_fire <= *filter.next_to);
}

// Among the names are some of these, some of which begin as others do.
ScheduleFilter any_filter(std::mt19937_64& random, const std::vector<ScheduleRecord>& all) {
    const auto any = [&random](std::size_t most) { return static_cast<std::size_t>(random() % most); };
    ScheduleFilter filter{.tenant = "default"};
    if (any(3) == 0) filter.status = static_cast<ScheduleStatus>(any(4));
    if (any(3) == 0) filter.name_prefix = std::array{"a", "A", "r", "ä", "zz", "_"}[any(6)];
    if (any(3) == 0) filter.label = std::pair{"team", any(2) == 0 ? "billing" : "it"};
    if (any(3) == 0) filter.target_type = static_cast<model::TargetType>(any(2));
    if (any(3) == 0) filter.target_kind = std::array{"invoice", "Invoice", "changed", "none"}[any(4)];
    if (any(3) == 0) filter.contains = std::array{"A", "bA", "port", "ä", "%", "7", "renamed"}[any(7)];
    if (any(4) == 0) filter.next_from = kNine + static_cast<int>(any(24)) * 1h;
    if (any(4) == 0) filter.next_to = kNine + static_cast<int>(any(24)) * 1h;
    filter.descending = any(2) == 0;
    filter.newest_first = any(3) == 0;
    if (any(8) == 0) filter.name = all[any(all.size())].definition.name;
    if (any(6) == 0) filter.notes = std::array{"", "nightly", "Nightly", "never"}[any(4)];
    if (any(6) == 0) filter.queue = std::array{"default", "slow", "fast", "none"}[any(4)];
    if (any(6) == 0) filter.search_attributes.emplace_back("user_id", any(2) == 0 ? Json(42) : Json("42"));
    if (any(6) == 0) filter.search_attributes.emplace_back("plan", any(2) == 0 ? Json("gold") : Json(nullptr));
    return filter;
}

TEST_P(FilterContract, EveryFilterFindsWhatALookAtEachWouldFind) {
    const auto seed = test::seed();
    SCOPED_TRACE("SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    create_many(random);
    const auto all = everybody();
    ASSERT_EQ(all.size(), 60U);
    auto by_age = all;
    std::ranges::sort(by_age, {}, [](const auto& each) { return key_of(each.definition); });
    std::size_t found = 0;
    for (int walk = 0; walk < 300; ++walk) {
        const auto filter = any_filter(random, all);
        const auto& ordered = filter.newest_first ? by_age : all;
        std::vector<std::string> expected;
        for (const auto& each : ordered) {
            if (belongs(each, filter)) expected.push_back(each.definition.id);
        }
        if (filter.newest_first || filter.descending) std::ranges::reverse(expected);
        const Page size{.limit = 1 + random() % 7, .scan = std::array<std::size_t, 4>{1, 2, 7, kScanMax}[random() % 4]};
        std::vector<std::string> listed;
        auto page = size;
        for (int pages = 0; pages == 0 || !page.after.empty(); ++pages) {
            ASSERT_LT(pages, 200) << "a list without an end";
            const auto answer = store->schedules(filter, page);
            ASSERT_TRUE(answer) << answer.error().message;
            ASSERT_LE(answer->items.size(), size.limit);
            ASSERT_NE(answer->next, page.after.empty() ? "-" : page.after) << "it goes on";
            for (const auto& each : answer->items) listed.push_back(each.definition.id);
            page.after = answer->next;
        }
        ASSERT_EQ(listed, expected) << "walk " << walk << ", pages of " << size.limit << ", looking at " << size.scan;
        found += expected.size();
    }
    EXPECT_GT(found, 300U) << "the filters should find something";
}

// Names are free again: a list by age shows all that ever had one, and between them nobody whose name only begins so.
TEST_P(FilterContract, ThoseOfOneNameComeNewestFirst) {
    std::vector<std::string> made;
    for (int i = 0; i < 3; ++i) {
        create_named("same-" + std::to_string(i));
        const auto schedule = create_named("same");
        made.insert(made.begin(), schedule.id);
        ASSERT_TRUE(test::remove(*store, ref_of(schedule), kNine));
    }
    std::ranges::sort(made, std::ranges::greater{}, [](const auto& id) { return model::key_of(id); });
    const ScheduleFilter filter{
        .tenant = "default", .status = ScheduleStatus::deleted, .newest_first = true, .name = "same"};
    std::vector<std::string> listed;
    for (const auto& each : test::all_schedules(*store, filter, 1)) listed.push_back(each.definition.id);
    EXPECT_EQ(listed, made);
    EXPECT_TRUE(test::all_schedules(*store, {.tenant = "default", .newest_first = true, .name = "same"}).empty())
        << "none has it now";
    EXPECT_EQ(test::all_schedules(*store, {.tenant = "default", .newest_first = true}).size(), 3U);
}

TEST_P(FilterContract, AnEmptyPageSaysWhereToGoOn) {
    for (int i = 10; i < 40; ++i) create_named("s" + std::to_string(i));
    create_named("t-needle");
    const ScheduleFilter filter{.tenant = "default", .contains = "NEEDLE"};
    const auto first = store->schedules(filter, {.limit = 10, .scan = 20});
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_TRUE(first->items.empty());
    ASSERT_FALSE(first->next.empty());
    const auto second = store->schedules(filter, {.after = first->next, .limit = 10, .scan = 20});
    ASSERT_TRUE(second) << second.error().message;
    ASSERT_EQ(second->items.size(), 1U);
    EXPECT_EQ(second->items.front().definition.name, "t-needle");
    EXPECT_EQ(second->next, "");
}

TEST_P(FilterContract, ACursorBelongsToItsTenantAndItsFilter) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    for (const char* const name : {"a", "b", "c"}) {
        create_named(name);
        create_named(name, [](auto& s) { s.tenant = "acme"; });
    }
    tick(kTen);
    const ScheduleFilter filter{.tenant = "default", .contains = "A"};
    const ScheduleFilter all{.tenant = "default"};
    const auto next = store->schedules(all, {"", 1}).value().next;
    ASSERT_FALSE(next.empty());
    EXPECT_TRUE(store->schedules(all, {next, 2})) << "pages may change their size";
    std::vector<ScheduleFilter> others(15, all);
    others[0].tenant = "acme";
    others[1].status = ScheduleStatus::active;
    others[2].name_prefix = "a";
    others[3].label = std::pair{"", ""};
    others[4].target_type = model::TargetType::task;
    others[5].target_kind = "x";
    others[6].contains = "a";
    others[7].next_to = kTen;
    others[8].descending = true;
    others[9].newest_first = true;
    others[10].name = "a";
    others[11].notes = "";
    others[12].queue = "default";
    others[13].search_attributes = {{"a", 1}};
    others[14].search_attributes = {{"a", nullptr}};
    for (std::size_t i = 0; i < others.size(); ++i) {
        const auto refused = store->schedules(others[i], {next, 1});
        ASSERT_EQ(code_of(refused), ErrorCode::invalid_argument) << i;
        EXPECT_EQ(refused.error().field, "/cursor");
    }
    const auto runs_next = store->runs({.tenant = "default"}, {"", 1}).value().next;
    ASSERT_FALSE(runs_next.empty());
    EXPECT_TRUE(store->runs({.tenant = "default"}, {runs_next, 1}));
    for (const RunFilter& other :
         {RunFilter{.tenant = "acme"}, RunFilter{.tenant = "default", .state = RunState::queued},
          RunFilter{.tenant = "default", .from = kNine}, RunFilter{.tenant = "default", .to = kTen}}) {
        const auto refused = store->runs(other, {runs_next, 1});
        ASSERT_EQ(code_of(refused), ErrorCode::invalid_argument);
        EXPECT_EQ(refused.error().field, "/cursor");
    }
    EXPECT_EQ(code_of(store->runs({.tenant = "default"}, {next, 1})), ErrorCode::invalid_argument);
}

TEST_P(FilterContract, SchedulesByKeyComeInTheOrderOfTheKeysAndOfOneTenantOnly) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto a = create_named("a");
    const auto b = create_named("b");
    const auto theirs = create_named("c", [](auto& s) { s.tenant = "acme"; });
    const std::vector keys{key_of(b), key_of(theirs), std::int64_t{1}, key_of(a)};
    EXPECT_EQ(store->schedules_by_keys("default", keys).value(), (std::vector{record(b), record(a)}));
    EXPECT_EQ(store->schedules_by_keys("acme", keys).value().size(), 1U);
    EXPECT_TRUE(store->schedules_by_keys("default", {}).value().empty());
    EXPECT_EQ(code_of(store->schedules_by_keys("default", std::vector<std::int64_t>(kPageMax + 1))),
              ErrorCode::invalid_argument);
}

TEST_P(FilterContract, CountsAreWhatALookAtEachWouldCount) {
    EXPECT_EQ(store->counts(kTen).value(), (Counts{.at = kTen}));
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    for (const char* const name : {"a", "b", "c", "d", "e"})
        create_named(name, [](auto& s) { s.target.queue = "slow"; });
    create_named("f");
    create_named("g", [](auto& s) { s.tenant = "acme"; });
    create_named("late", [](auto& s) {
        s.tenant = "acme";
        s.retry = {2, 600'000ms, {}, {}};
    });
    ASSERT_TRUE(test::pause(*store, {.tenant = "default", .name = "d"}, kNine));
    ASSERT_TRUE(test::remove(*store, {.tenant = "default", .name = "e"}, kNine));
    tick(kTen);
    const auto leased =
        store->claim({.tenant = "default", .queue = "slow", .worker = "w", .limit = 2, .now = kTen, .lease = 30s});
    ASSERT_EQ(leased.value().size(), 2U);
    // One of acme's two waits for another try.
    for (const auto& task :
         store->claim({.tenant = "acme", .worker = "w", .limit = 2, .now = kTen, .lease = 30s}).value()) {
        ASSERT_TRUE(test::complete(
            *store, {lease_of(task), task.schedule_name == "late" ? test::failed() : test::succeeded()}, kTen));
    }
    const auto counts = store->counts(kTen).value();
    using Status = ScheduleStatus;
    EXPECT_EQ(counts.schedules, (std::vector<ScheduleCount>{{"default", Status::active, 4},
                                                            {"acme", Status::active, 2},
                                                            {"default", Status::paused, 1},
                                                            {"default", Status::deleted, 1}}));
    EXPECT_EQ(counts.queues,
              (std::vector<QueueDepth>{
                  {"default", "slow", 1, 0, 2}, {"acme", "default", 0, 1, 0}, {"default", "default", 1, 0, 0}}));
    EXPECT_EQ(store->counts(kTen + 24h).value().queues.at(1), (QueueDepth{"acme", "default", 1, 0, 0}))
        << "what is late is ready";
}

TEST_P(FilterContract, ATenantWithoutALimitHasTheServersAndOneWithALimitItsOwn) {
    std::vector<model::Schedule> many;
    const auto all = static_cast<int>(StoreLimits().schedules_per_tenant);
    for (int i = 0; i < all; ++i) many.push_back(task_schedule([i](auto& s) { s.name = "s" + std::to_string(i); }));
    ASSERT_TRUE(test::create(*store, many, kNine));
    const auto refused = test::create(*store, {task_schedule()}, kNine);
    ASSERT_EQ(code_of(refused), ErrorCode::exhausted);
    EXPECT_NE(refused.error().message.find("10000"), std::string::npos) << refused.error().message;
    ASSERT_TRUE(test::remove(*store, ref_of(many.front()), kNine));
    ASSERT_TRUE(test::create(*store, {task_schedule()}, kNine)) << "a deleted one makes room";
    EXPECT_EQ(code_of(test::create(*store, {task_schedule([](auto& s) { s.name = "more"; })}, kNine)),
              ErrorCode::exhausted);
    ASSERT_TRUE(store->put_tenant({.name = "default", .schedules_max = all + 1, .version = 2}));
    EXPECT_TRUE(test::create(*store, {task_schedule([](auto& s) { s.name = "more"; })}, kNine));
    EXPECT_EQ(code_of(test::create(*store, {task_schedule([](auto& s) { s.name = "most"; })}, kNine)),
              ErrorCode::exhausted);
}

}  // namespace
}  // namespace belfry::store
