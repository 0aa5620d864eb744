// Lists: every page of every filter together is what a look at each item would find, also while rows come in between.
#include <functional>
#include <set>

#include "store/listing.hpp"
#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::OverlapPolicy;

class ListingContract : public StoreContract {
protected:
    // Schedules in many states, names that sort and match treacherously, two of them used by more than one.
    void create_many() {
        const std::vector<std::string> names{"a",  "A",   "a_b", "a-b", "a%b", "axb", "ab",   "B",   "b",  "ä",
                                             "\\", "a\\", "Z",   "z",   "日",  "a b", "a\"b", "a'b", "aé", "0"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto schedule = create_named(names[i], [&](auto& s) {
                if (i % 2 == 0) s.labels["team"] = "billing";
                if (i % 3 == 0) s.labels["team\""] = "it's";
                if (i % 5 == 0) s.labels["tier"] = "billing";
                if (i % 7 == 3) s.spec = {.at = {"2026-06-01T09:00:00Z"}};
            });
            if (i % 4 == 1) {
                ASSERT_TRUE(test::pause(*store, ref_of(schedule), kNine));
            }
            if (i % 4 == 2) {
                ASSERT_TRUE(test::remove(*store, ref_of(schedule), kNine));
            }
            if (i % 4 == 2) create_named(names[i]);
        }
        tick(kNine);  // those with a single instant are completed now
        ASSERT_TRUE(store->put_tenant({.name = "acme"}));
        create([](auto& s) { s.tenant = "acme", s.name = "a"; });
    }

    std::vector<ScheduleRecord> list(const ScheduleFilter& filter, std::size_t page = 1000) {
        return test::all_schedules(*store, filter, page);
    }

    // All of the tenant, deleted or not, in the order of lists.
    std::vector<ScheduleRecord> everybody() {
        auto all = list({.tenant = "default"});
        const auto deleted = list({.tenant = "default", .status = ScheduleStatus::deleted});
        all.insert(all.end(), deleted.begin(), deleted.end());
        std::ranges::sort(all, {}, [](const auto& each) {
            return std::pair{each.definition.name, key_of(each.definition)};
        });
        return all;
    }

    // Several schedules with runs in every state.
    std::vector<model::Schedule> create_history() {
        std::vector<model::Schedule> all;
        for (const auto policy : {OverlapPolicy::skip, OverlapPolicy::buffer_all, OverlapPolicy::allow_all,
                                  OverlapPolicy::cancel_other, OverlapPolicy::terminate_other}) {
            all.push_back(create_named(std::string(name_of(policy)), [&](auto& s) { s.overlap.policy = policy; }));
        }
        all.push_back(create_named("asks", [](auto& s) { s.approval.requires_approval = true; }));
        for (int hour = 0; hour < 8; ++hour) {
            const auto now = kTen + hour * 1h;
            tick(now);
            for (const auto& schedule : all) {
                if (hour == 3) {
                    EXPECT_TRUE(test::trigger(*store, ref_of(schedule), now));  // in the same millisecond as the tick's
                }
            }
            const auto tasks = claim(now, 100);
            for (std::size_t i = 0; i < tasks.size(); i += 2) {
                const auto end = i % 4 == 0      ? test::succeeded()
                                 : hour % 2 == 0 ? test::failed()
                                                 : test::reaped(lease_of(tasks[i]), now).end;
                EXPECT_TRUE(test::complete(*store, {lease_of(tasks[i]), end}, now));
            }
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto backfill = test::new_backfill(all[i], kNine - 5h, kNine, kTen);
            EXPECT_TRUE(store->create_backfill("default", backfill));
            if (i < 3) {
                EXPECT_TRUE(test::step(*store, "default", backfill, kTen + 8h - 1s, 10));
            }
        }
        return all;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, ListingContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

std::vector<std::string> run_ids(const std::vector<model::Run>& runs) {
    std::vector<std::string> ids;
    for (const auto& run : runs) ids.push_back(run.id);
    return ids;
}

TEST_P(ListingContract, SchedulesComeByNameThenByAgeAndWithoutTheDeleted) {
    create_many();
    const auto all = list({.tenant = "default"});
    EXPECT_EQ(all.size(), 20U);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_NE(all[i].state.status, ScheduleStatus::deleted);
        if (i == 0) continue;
        EXPECT_LT(all[i - 1].definition.name, all[i].definition.name) << "bytes, not a language's order";
    }
    create_named("again");
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(test::remove(*store, {.tenant = "default", .name = "again"}, kNine));
        create_named("again");
    }
    const auto deleted = list({.tenant = "default", .status = ScheduleStatus::deleted, .name_prefix = "again"});
    ASSERT_EQ(deleted.size(), 3U);
    EXPECT_LT(deleted[0].definition.id, deleted[1].definition.id) << "the older one first";
    EXPECT_LT(deleted[1].definition.id, deleted[2].definition.id);
}

TEST_P(ListingContract, EveryFilterOfSchedulesFindsWhatALookAtEachWouldFind) {
    create_many();
    const auto all = everybody();
    ASSERT_EQ(all.size(), 25U);
    std::vector<std::optional<ScheduleStatus>> statuses{std::nullopt};
    for (const auto status :
         {ScheduleStatus::active, ScheduleStatus::paused, ScheduleStatus::completed, ScheduleStatus::deleted})
        statuses.push_back(status);
    const std::vector<std::optional<std::pair<std::string, std::string>>> labels{
        std::nullopt,       {{"team", "billing"}}, {{"tier", "billing"}}, {{"team\"", "it's"}},
        {{"team", "it's"}}, {{"nobody", "x"}},     {{"team", ""}}};
    for (const auto& status : statuses) {
        for (const char* const prefix : {"", "a", "a_", "a%", "a\\", "A", "ä", "b", "zz", "日"}) {
            for (const auto& label : labels) {
                const ScheduleFilter filter{"default", status, prefix, label};
                auto expected = all;
                std::erase_if(expected, [&](const ScheduleRecord& each) {
                    const auto& definition = each.definition;
                    const bool right_status =
                        status ? each.state.status == *status : each.state.status != ScheduleStatus::deleted;
                    const auto found = label ? definition.labels.find(label->first) : definition.labels.end();
                    const bool right_label =
                        !label || (found != definition.labels.end() && found->second == label->second);
                    return !right_status || !right_label || !definition.name.starts_with(prefix);
                });
                for (const std::size_t page : {1U, 3U, 1000U}) {
                    ASSERT_EQ(list(filter, page), expected)
                        << "prefix " << prefix << ", pages of " << page << ", label " << (label ? label->first : "none")
                        << ", status " << (status ? name_of(*status) : "any");
                }
            }
        }
    }
}

TEST_P(ListingContract, SchedulesThatComeAndGoBetweenPagesDisturbNobodyElse) {
    for (int i = 10; i < 30; ++i) create_named("s" + std::to_string(i));
    std::vector<std::string> seen;
    std::string after;
    int number = 0;
    do {
        const auto page = store->schedules({.tenant = "default"}, {after, 3});
        ASSERT_TRUE(page) << page.error().message;
        for (const auto& each : page->items) seen.push_back(each.definition.name);
        after = page->next;
        create_named("r" + std::to_string(++number));  // before all of them
        create_named(seen.back() + "-after");          // just behind the page
        ASSERT_TRUE(
            test::remove(*store, {.tenant = "default", .name = seen.back()}, kNine));  // where the cursor stands
    } while (!after.empty() && number < 100);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), seen.size()) << "nothing twice";
    for (int i = 10; i < 30; ++i) EXPECT_TRUE(std::ranges::count(seen, "s" + std::to_string(i)) == 1) << i;
}

TEST_P(ListingContract, RunsComeNewestOccurrenceFirst) {
    create_history();
    const auto all = test::all_runs(*store, {.tenant = "default"});
    EXPECT_GT(all.size(), 50U);
    EXPECT_TRUE(
        std::ranges::is_sorted(all, std::ranges::greater{}, [](const auto& run) { return run.slot.occurrence; }));
    const auto ids = run_ids(all);
    EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size());
    for (const auto& each : all) EXPECT_EQ(run(each.id), each) << "a list tells the same as the run itself";
}

TEST_P(ListingContract, EveryFilterOfRunsFindsWhatALookAtEachWouldFind) {
    const auto schedules = create_history();
    const auto all = test::all_runs(*store, {.tenant = "default"}, 1000);
    std::set<RunState> there;
    for (const auto& each : all) there.insert(state_of(each));
    EXPECT_EQ(there.size(), 10U) << "the history should have runs in every state";

    std::vector<std::string> ids{"", task_schedule().id};
    for (const auto& schedule : schedules) ids.push_back(schedule.id);
    std::vector<std::optional<RunState>> states{std::nullopt};
    for (int state = 0; state < 10; ++state) states.emplace_back(static_cast<RunState>(state));
    using Range = std::pair<std::optional<Instant>, std::optional<Instant>>;
    const std::vector<Range> ranges{{},
                                    {kTen + 3h, {}},
                                    {{}, kTen + 2h},
                                    {kTen + 2h, kTen + 4h},
                                    {kTen + 3h, kTen + 3h},
                                    {kTen + 1s, kTen + 59min}};
    for (const auto& id : ids) {
        for (const auto& state : states) {
            for (const auto& range : ranges) {
                auto expected = all;
                std::erase_if(expected, [&](const model::Run& each) {
                    const auto at = each.slot.occurrence;
                    return (!id.empty() && each.schedule_id != id) || (state && state_of(each) != *state) ||
                           (range.first && at < *range.first) || (range.second && at > *range.second);
                });
                const RunFilter filter{"default", id, state, range.first, range.second};
                for (const std::size_t page : {1U, 4U, 1000U}) {
                    if (page == 1 && expected.size() > 12) continue;
                    if (!id.empty() && id == ids[1] && !store->runs(filter, {}).has_value())
                        continue;  // nobody's: may be not_found
                    ASSERT_EQ(run_ids(test::all_runs(*store, filter, page)), run_ids(expected)) << "pages of " << page;
                }
            }
        }
    }
}

TEST_P(ListingContract, RunsThatComeAndChangeBetweenPagesDisturbNobodyElse) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    for (int hour = 0; hour < 20; ++hour) tick(kTen + hour * 1h);
    const auto before = run_ids(runs(schedule));
    const auto backfill = test::new_backfill(schedule, kNine - 24h, kNine, kTen);
    ASSERT_TRUE(store->create_backfill("default", backfill));
    std::vector<std::string> seen;
    std::string after;
    for (int number = 0; number == 0 || (!after.empty() && number < 100); ++number) {
        const auto page = store->runs({.tenant = "default", .schedule_id = schedule.id}, {after, 3});
        ASSERT_TRUE(page) << page.error().message;
        for (const auto& each : page->items) seen.push_back(each.id);
        after = page->next;
        tick(kTen + 20h + number * 1h);  // newer ones
        if (number < 8) {
            ASSERT_TRUE(test::step(*store, "default", backfill, kTen + 20h, 2));  // older ones
        }
        const auto tasks = claim(kTen + 48h, 1);
        ASSERT_EQ(tasks.size(), 1U);
        ASSERT_TRUE(test::complete(*store, {lease_of(tasks[0]), test::succeeded()}, kTen + 48h));
    }
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), seen.size()) << "nothing twice";
    for (const auto& id : before) EXPECT_EQ(std::ranges::count(seen, id), 1) << "nothing lost";
}

TEST_P(ListingContract, AFullLastPageIsFollowedByNothing) {
    for (const char* const name : {"a", "b", "c", "d"}) create_named(name);
    tick(kTen);
    const auto first = store->schedules({.tenant = "default"}, {"", 2}).value();
    EXPECT_EQ(first.items.size(), 2U);
    ASSERT_FALSE(first.next.empty());
    const auto second = store->schedules({.tenant = "default"}, {first.next, 2}).value();
    EXPECT_EQ(second.items.size(), 2U);
    if (!second.next.empty()) {
        EXPECT_TRUE(store->schedules({.tenant = "default"}, {second.next, 2}).value().items.empty());
    }
    EXPECT_EQ(store->schedules({.tenant = "default"}, {"", 10}).value().next, "") << "none is left";
    EXPECT_EQ(store->runs({.tenant = "default"}, {"", 10}).value().next, "");
}

TEST_P(ListingContract, ACursorThatNobodyGaveIsRefused) {
    create();
    for (const char* const cursor : {"garbage", "x.y", ".", "1", "99999999999999999999.1"}) {
        EXPECT_EQ(code_of(store->schedules({.tenant = "default"}, {cursor, 10})), ErrorCode::invalid_argument)
            << cursor;
        EXPECT_EQ(code_of(store->runs({.tenant = "default"}, {cursor, 10})), ErrorCode::invalid_argument) << cursor;
    }
}

TEST_P(ListingContract, UpcomingIsPagedByKeyAndNamesOnlyThoseWithACursor) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    std::vector<Upcoming> expected;
    for (int i = 0; i < 12; ++i) {
        const auto schedule =
            create_named("s" + std::to_string(i), [&](auto& s) { s.tenant = i % 3 == 0 ? "acme" : "default"; });
        if (i % 4 == 1) {
            ASSERT_TRUE(test::pause(*store, ref_of(schedule), kNine));
        }
        if (i % 4 == 2) {
            ASSERT_TRUE(test::remove(*store, ref_of(schedule), kNine));
        }
        if (i % 4 == 1 || i % 4 == 2) continue;
        expected.push_back({key_of(schedule), kTen, tenant_key_of(schedule)});
    }
    std::ranges::sort(expected, {}, &Upcoming::key);
    for (const std::size_t page : {1U, 4U, 6U, 100U}) EXPECT_EQ(test::all_upcoming(*store, page), expected) << page;
    EXPECT_EQ(store->upcoming(0, 4).value().size(), 4U);
    tick(kTen, {expected[0].key});
    expected[0].next_fire = kTen + 1h;
    EXPECT_EQ(test::all_upcoming(*store), expected);
}

TEST_P(ListingContract, QueuesInWhichTasksWaitAreFoundTenantByTenant) {
    const std::vector<std::string> asked{"mail", "other"};
    for (const char* const tenant : {"a", "b", "c"}) {
        ASSERT_TRUE(store->put_tenant({.name = tenant}));
        create([tenant](auto& s) {
            s.tenant = tenant, s.target.queue = tenant == std::string("b") ? "elsewhere" : "mail";
        });
    }
    EXPECT_TRUE(store->waiting_lines(asked, {.limit = 100}).value().items.empty());
    tick(kTen);
    EXPECT_EQ(store->waiting_lines(asked, {.limit = 100}).value(),
              (Listing<QueueLine>{{{"a", "mail"}, {"c", "mail"}}, ""}));
    std::vector<QueueLine> paged;
    Page page{.limit = 1};
    do {
        const auto lines = store->waiting_lines(asked, page).value();
        ASSERT_LE(lines.items.size(), 1U);
        paged.insert(paged.end(), lines.items.begin(), lines.items.end());
        page.after = lines.next;
    } while (!page.after.empty());
    EXPECT_EQ(paged, (std::vector<QueueLine>{{"a", "mail"}, {"c", "mail"}}));
    const auto task =
        store->claim({.tenant = "a", .queue = "mail", .worker = "w", .limit = 1, .now = kTen, .lease = 30s})
            .value()
            .at(0);
    EXPECT_EQ(store->waiting_lines(asked, {.limit = 100}).value().items, (std::vector<QueueLine>{{"c", "mail"}}))
        << "a worker has it";
    ASSERT_TRUE(
        test::complete(*store, {lease_of(task), {.status = ExecutionStatus::failed, .put_back = true}}, kTen + 1s));
    EXPECT_EQ(store->waiting_lines(asked, {.limit = 100}).value().items.size(), 2U);
}

// A task that has no receiver waits where earlier versions put all of them.
TEST_P(ListingContract, HttpTasksWaitApartByReceiver) {
    std::vector<std::string> queues;
    for (const char* const host : {"a.example", "b.example:8080", "c.example"}) {
        const auto url = std::string("https://") + host;
        create_named(host, [&](auto& s) {
            s.target.kind = "http";
            s.target.input = boost::json::object{{"method", "GET"}, {"url", url + "/${run.id}"}};
            s.retry.max_retries = 1;
        });
        queues.push_back(model::receiver_queue(boost::json::object{{"url", url}}));
    }
    tick(kTen);
    std::ranges::sort(queues, {}, [](const std::string& queue) { return *model::receiver_in(queue); });
    EXPECT_EQ(store->receiver_queues({.tenant = "default", .now = kTen}).value(), queues);
    EXPECT_EQ(store->receiver_queues({.tenant = "default", .after = queues[0], .limit = 3, .now = kTen}).value(),
              (std::vector{queues[1], queues[2], queues[0]}));
    EXPECT_EQ(store->receiver_queues({.tenant = "default", .after = queues[1], .limit = 2, .now = kTen}).value(),
              (std::vector{queues[2], queues[0]}));
    const auto claim = [&](const std::string& queue) {
        return store->claim({.tenant = "default", .queue = queue, .worker = "w", .limit = 9, .now = kTen, .lease = 30s})
            .value();
    };
    const auto tasks = claim(queues[0]);
    ASSERT_EQ(tasks.size(), 1U);
    ASSERT_TRUE(test::complete(
        *store, {lease_of(tasks[0]), {.status = ExecutionStatus::failed, .retry_after = Seconds{3600}}}, kTen));
    EXPECT_EQ(store->receiver_queues({.tenant = "default", .now = kTen}).value(), (std::vector{queues[1], queues[2]}))
        << "its retry is not due";
    EXPECT_EQ(store->receiver_queues({.tenant = "default", .now = kTen + 48h}).value(), queues);
    EXPECT_EQ(store->counts(kTen).value().queues,
              (std::vector<QueueDepth>{
                  {.tenant = "default", .queue = model::kHttpQueue, .ready = 2, .delayed = 1, .leased = 0}}));
    for (const auto& queue : queues) claim(queue);
    create_named("no receiver", [](auto& s) { s.target.kind = "http"; });
    tick(kTen + 1h);
    const auto found = store->receiver_queues({.tenant = "default", .limit = 9, .now = kTen}).value();
    ASSERT_TRUE(std::ranges::any_of(found, [&](const auto& queue) {
        const auto got = claim(queue);
        return !got.empty() && got[0].schedule_name == "no receiver";
    }));
}

// -- Pages that end by their bytes.

const Json kLongMemo{{"text", std::string(1'000, 'x')}};

// Every page ends with the item that fills it, and all of them together are all.
template <typename T, typename Read>
std::vector<T> pages_of_bytes(std::size_t bytes, const Read& read) {
    std::vector<T> all;
    Page page{.limit = kPageMax, .bytes = bytes};
    do {
        const Result<Listing<T>> listing = read(page);
        EXPECT_TRUE(listing);
        if (!listing || listing->items.empty()) break;
        EXPECT_TRUE(listing->next.empty() || fills_page(listing->items, bytes));
        EXPECT_FALSE(fills_page(std::vector<T>(listing->items.begin(), listing->items.end() - 1), bytes));
        all.insert(all.end(), listing->items.begin(), listing->items.end());
        page.after = listing->next;
    } while (!page.after.empty());
    return all;
}

TEST_P(ListingContract, APageOfSchedulesEndsWithTheOneThatFillsIt) {
    for (int i = 0; i < 40; ++i) create_named("n" + std::to_string(100 + i), [](auto& s) { s.memo = kLongMemo; });
    for (const auto& filter :
         {ScheduleFilter{.tenant = "default"}, ScheduleFilter{.tenant = "default", .descending = true},
          ScheduleFilter{.tenant = "default", .newest_first = true},
          ScheduleFilter{.tenant = "default", .notes = ""}}) {
        const auto whole = list(filter);
        ASSERT_EQ(whole.size(), 40U);
        for (const std::size_t bytes : {1U, 3'000U, 20'000U, 1'000'000U}) {
            EXPECT_EQ(
                pages_of_bytes<ScheduleRecord>(bytes, [&](const Page& page) { return store->schedules(filter, page); }),
                whole)
                << bytes;
        }
    }
}

TEST_P(ListingContract, APageOfRunsCountsTheInputOfEachAndTheirDefinitionOnce) {
    const auto schedule = create([](auto& s) {
        s.overlap.policy = OverlapPolicy::allow_all;
        s.target.input = Json{{"text", std::string(10'000, 'x')}};
    });
    for (int hour = 0; hour < 7; ++hour) tick(kTen + hour * 1h);
    for (const auto& filter :
         {RunFilter{.tenant = "default"}, RunFilter{.tenant = "default", .schedule_id = schedule.id},
          RunFilter{.tenant = "default", .state = RunState::queued}}) {
        const auto whole = run_ids(test::all_runs(*store, filter));
        ASSERT_EQ(whole.size(), 7U);
        std::vector<std::string> found;
        std::vector<std::size_t> sizes;
        Page page{.limit = kPageMax, .bytes = 35'000};
        do {
            const auto listing = store->runs(filter, page);
            ASSERT_TRUE(listing) << listing.error().message;
            sizes.push_back(listing->items.size());
            for (const auto& run : listing->items) found.push_back(run.id);
            page.after = listing->next;
        } while (!page.after.empty());
        EXPECT_EQ(found, whole);
        EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 3, 1})) << "the definition, and an input with each of three runs";
    }
}

TEST_P(ListingContract, AnItemThatIsLargerThanAPageIsAPage) {
    create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all, s.memo = kLongMemo; });
    for (int hour = 0; hour < 3; ++hour) tick(kTen + hour * 1h);
    for (const auto& task : claim(kTen + 3h)) {
        ASSERT_TRUE(test::complete(*store, {lease_of(task), test::failed()}, kTen + 3h));
    }
    const auto sizes = [](const auto& read) {
        std::vector<std::size_t> found;
        Page page{.limit = kPageMax, .bytes = 1};
        do {
            const auto listing = read(page);
            EXPECT_TRUE(listing);
            found.push_back(listing->items.size());
            page.after = listing->next;
        } while (!page.after.empty());
        return found;
    };
    const std::vector<std::size_t> one_by_one{1, 1, 1};
    EXPECT_EQ(sizes([&](const Page& page) { return store->runs({.tenant = "default"}, page); }), one_by_one);
    EXPECT_EQ(sizes([&](const Page& page) { return store->dead_letters("default", page); }), one_by_one);
    for (const char* const name : {"a", "b", "c"}) {
        ASSERT_TRUE(store->put_calendar("default", {{.name = name, .dates = {"2026-01-01"}}, 1}));
        ASSERT_TRUE(store->put_assignee("default", {.id = name, .created_at = kNine}));
        ASSERT_TRUE(store->put_workflow({.tenant = "default", .name = name, .nodes = {{.id = "n"}}}));
    }
    EXPECT_EQ(sizes([&](const Page& page) { return store->calendars("default", page); }), one_by_one);
    EXPECT_EQ(sizes([&](const Page& page) { return store->assignees("default", page); }), one_by_one);
    EXPECT_EQ(sizes([&](const Page& page) { return store->workflows("default", page); }), one_by_one);
}

TEST_P(ListingContract, EventsEndWithThePageThatTheyFill) {
    const auto schedule = create();
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(test::pause(*store, ref_of(schedule), kNine + i * 1s, {std::string(300'000, 'x'), {}}));
        ASSERT_TRUE(test::resume(*store, ref_of(schedule), kNine + i * 1s));
    }
    std::int64_t after = 0;
    std::int64_t last = 0;
    int pages = 0;
    while (true) {
        const auto events = store->events(ref_of(schedule), after, kPageMax);
        ASSERT_TRUE(events) << events.error().message;
        for (const auto& record : *events) EXPECT_EQ(record.event.sequence, ++last);
        if (events->empty()) break;
        ++pages;
        after = last;
        if (!fills_page(*events)) break;
    }
    EXPECT_EQ(pages, 3) << "9 MB";
    EXPECT_EQ(last, 61);
}

}  // namespace
}  // namespace belfry::store
