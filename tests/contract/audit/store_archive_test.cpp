// Archives of audit events: what is old is read, and what is in an archive goes, so that the rest still proves itself.
#include "contract/store_contract.hpp"

namespace belfry::store {
namespace {

using model::ChainPoint;

class ArchiveContract : public StoreContract {
protected:
    // Created at nine, and changed every hour from ten on: event 2 at ten, event 3 at eleven.
    model::Schedule live(int hours, const std::string& name = "s") {
        auto schedule = create_named(name);
        for (int hour = 0; hour < hours; ++hour) {
            EXPECT_TRUE(test::update(*store, ref_of(schedule), kTen + hour * 1h,
                                     [&](auto& s) { s.description = std::to_string(hour); }));
        }
        return schedule;
    }
    model::Schedule live_and_go(const std::string& name) {
        auto schedule = live(1, name);
        EXPECT_TRUE(test::remove(*store, ref_of(schedule), kTen + 1h));
        EXPECT_EQ(store->remove_ended({.ended_before = kTen + 24h}).value().schedules, 1);
        return schedule;
    }

    ArchivablePage read(Instant before, ArchivePlace from = {}, std::size_t limit = 1'000,
                        std::size_t schedules = 1'000) {
        auto page =
            store->archivable({.before = before, .from = std::move(from), .schedules = schedules, .limit = limit});
        EXPECT_TRUE(page) << page.error().message;
        return page ? *page : ArchivablePage{};
    }
    static ArchivedUpTo end_of(const ArchivablePart& part) {
        return {part.schedule_id, {part.events.back().sequence, part.events.back().hash}};
    }
    // Everything that was recorded before. Returns the number of removed events.
    std::int64_t archive(Instant before) {
        std::vector<ArchivedUpTo> ends;
        for (const auto& part : read(before).parts) ends.push_back(end_of(part));
        return store->remove_archived(ends).value();
    }
    AuditChain chain(const model::Schedule& schedule) {
        auto found = store->audit_chain(ref_of(schedule), 0, kPageMax);
        EXPECT_TRUE(found) << found.error().message;
        return found ? *found : AuditChain{};
    }
    static std::vector<std::int64_t> sequences(const std::vector<model::ChainedEvent>& events) {
        std::vector<std::int64_t> all;
        for (const auto& event : events) all.push_back(event.sequence);
        return all;
    }
    // The chain from where it is kept to its end.
    static void expect_sound(const AuditChain& chain) {
        auto point = chain.archived;
        for (const auto& event : chain.events) {
            const auto broken = model::follow(point, chain.schedule_id, event);
            EXPECT_FALSE(broken) << broken->problem;
        }
        ASSERT_TRUE(chain.end);
        EXPECT_EQ(point, *chain.end);
    }
};
INSTANTIATE_TEST_SUITE_P(Every, ArchiveContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(ArchiveContract, AChainIsReadAsItIsStored) {
    const auto schedule = live(2);
    const auto read = chain(schedule);
    EXPECT_EQ(read.schedule_id, schedule.id);
    EXPECT_EQ(read.archived, ChainPoint{});
    EXPECT_EQ(sequences(read.events), (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(read.events.at(1).recorded_at, kTen);
    EXPECT_EQ(test::json(read.events.at(0).payload), events(schedule).at(0).event.payload);
    expect_sound(read);
    EXPECT_EQ(sequences(store->audit_chain(ref_of(schedule), 1, 1).value().events), (std::vector<std::int64_t>{2}));
    EXPECT_TRUE(store->audit_chain(ref_of(schedule), 0, 0).value().events.empty());
    EXPECT_EQ(code_of(store->audit_chain({.tenant = "another", .id = schedule.id}, 0, 1)), ErrorCode::not_found);
}

TEST_P(ArchiveContract, TheOldestEventsAreReadUpToAMomentAndNeverTheNewest) {
    const auto schedule = live(3);
    const auto all = chain(schedule);
    auto page = read(kTen + 1h);
    ASSERT_EQ(page.parts.size(), 1U);
    EXPECT_EQ(page.parts[0], (ArchivablePart{"default", schedule.id, {}, {all.events[0], all.events[1]}}));
    EXPECT_EQ(page.oldest_left, kTen + 1h);
    EXPECT_FALSE(page.next);
    page = read(kTen + 24h);
    EXPECT_EQ(sequences(page.parts.at(0).events), (std::vector<std::int64_t>{1, 2, 3})) << "the fourth stays";
    EXPECT_FALSE(page.oldest_left);
    EXPECT_TRUE(read(kNine).parts.empty());
    EXPECT_EQ(read(kNine).oldest_left, kNine);
}

TEST_P(ArchiveContract, ALongChainIsReadInParts) {
    const auto schedule = live(4);
    const auto other = live(1, "t");
    std::vector<std::int64_t> read_events;
    std::optional<ArchivePlace> place = ArchivePlace{};
    ChainPoint after;
    int pages = 0;
    for (; place && pages < 20; ++pages) {
        const auto page = read(kTen + 24h, *place, 2, 1);
        for (const auto& part : page.parts) {
            EXPECT_EQ(part.after, part.schedule_id == schedule.id ? after : ChainPoint{});
            for (const auto& event : part.events) read_events.push_back(event.sequence);
            after = end_of(part).point;
        }
        place = page.next;
    }
    EXPECT_EQ(read_events, (std::vector<std::int64_t>{1, 2, 3, 4, 1}));
    EXPECT_LE(pages, 5);
}

TEST_P(ArchiveContract, APageOfSchedulesContinuesBehindItsLastOne) {
    live(1, "a");
    live(1, "b");
    const auto all = read(kTen + 24h);
    ASSERT_EQ(all.parts.size(), 2U);
    EXPECT_FALSE(all.next) << "the page had room for a third";
    const auto first = read(kTen + 24h, {}, 1'000, 1);
    ASSERT_TRUE(first.next);
    EXPECT_EQ(first.next->key, model::key_of(first.parts.at(0).schedule_id) + 1);
    EXPECT_EQ(read(kTen + 24h, *first.next, 1'000, 1).parts.at(0).schedule_id, all.parts.at(1).schedule_id);
}

TEST_P(ArchiveContract, WhatRemainsProvesItselfAndContinues) {
    const auto schedule = live(3);
    const auto before = chain(schedule);
    EXPECT_EQ(archive(kTen + 1h), 2);
    reopen();
    auto after = chain(schedule);
    EXPECT_EQ(after.archived, (ChainPoint{2, before.events[1].hash}));
    EXPECT_EQ(sequences(after.events), (std::vector<std::int64_t>{3, 4}));
    expect_sound(after);
    EXPECT_EQ(store->events(ref_of(schedule), 0, 10).value().front().event.sequence, 3);
    EXPECT_EQ(store->events(ref_of(schedule), 3, 10).value().front().event.sequence, 4);

    EXPECT_EQ(archive(kTen + 24h), 1) << "the newest event stays, however old it is";
    EXPECT_EQ(archive(kTen + 24h), 0);
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kTen + 5h, {}));
    after = chain(schedule);
    EXPECT_EQ(sequences(after.events), (std::vector<std::int64_t>{4, 5}));
    expect_sound(after);
}

TEST_P(ArchiveContract, OnlyThatWhichIsInTheArchiveGoes) {
    const auto schedule = live(3);
    const auto all = chain(schedule);
    const auto remove = [&](const ChainPoint& point) {
        return store->remove_archived(std::vector{ArchivedUpTo{schedule.id, point}}).value();
    };
    EXPECT_EQ(remove({2, all.events[2].hash}), 0) << "the archive has another event there";
    EXPECT_EQ(remove({9, all.events[1].hash}), 0) << "there is no such event";
    EXPECT_EQ(remove({4, all.events[3].hash}), 0) << "the newest one must stay";
    EXPECT_EQ(store->remove_archived(std::vector{ArchivedUpTo{task_schedule().id, {1, all.events[0].hash}}}).value(),
              0);
    EXPECT_EQ(chain(schedule), all);
    EXPECT_EQ(remove({2, all.events[1].hash}), 2);
    EXPECT_EQ(remove({2, all.events[1].hash}), 0) << "twice is once";
    EXPECT_EQ(remove({1, all.events[0].hash}), 0) << "a second leader may come late";
    EXPECT_EQ(chain(schedule).archived.sequence, 2);
}

TEST_P(ArchiveContract, ARemovedScheduleIsArchivedInFull) {
    const auto schedule = live_and_go("gone");
    const auto all = chain(schedule);
    EXPECT_EQ(all.events.size(), 3U);
    expect_sound(all);
    EXPECT_EQ(archive(kTen + 24h), 3);
    const auto after = chain(schedule);
    EXPECT_EQ(after.archived, *all.end);
    EXPECT_TRUE(after.events.empty());
    expect_sound(after);
    EXPECT_TRUE(store->events(ref_of(schedule), 0, 10).value().empty());
    EXPECT_EQ(store->prune_archive(kTen + 24h, 10).value(), 1) << "whose events they were";
    EXPECT_EQ(code_of(store->audit_chain(ref_of(schedule), 0, 1)), ErrorCode::not_found);
}

TEST_P(ArchiveContract, AScheduleThatIsRemovedLaterKeepsItsCheckpoint) {
    const auto schedule = live(2);
    ASSERT_EQ(archive(kTen + 1h), 2);
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen + 2h));
    ASSERT_EQ(store->remove_ended({.ended_before = kTen + 24h}).value().schedules, 1);
    expect_sound(chain(schedule));
    EXPECT_EQ(chain(schedule).archived.sequence, 2);
}

TEST_P(ArchiveContract, WhatIsForgottenInPartsProvesItselfMeanwhile) {
    const auto schedule = live_and_go("gone");
    EXPECT_EQ(store->prune_archive(kTen + 24h, 2).value(), 2);
    EXPECT_EQ(chain(schedule).archived.sequence, 2);
    expect_sound(chain(schedule));
    EXPECT_EQ(store->prune_archive(kTen + 24h, 10).value(), 2);
}

TEST_P(ArchiveContract, AllSchedulesWithAChainAreListedByAge) {
    const auto gone = live_and_go("gone");
    const auto deleted = create_named("deleted");
    ASSERT_TRUE(test::remove(*store, ref_of(deleted), kTen));
    const auto active = create_named("active");
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto foreign = create([](auto& s) { s.tenant = "acme"; });
    const auto all = store->audited_schedules("default", "", 10).value();
    EXPECT_EQ(all, (std::vector{gone.id, deleted.id, active.id}));
    EXPECT_EQ(store->audited_schedules("default", all[0], 1).value(), (std::vector{all[1]}));
    EXPECT_EQ(store->audited_schedules("acme", "", 10).value(), (std::vector{foreign.id}));
    EXPECT_EQ(code_of(store->audited_schedules("nobody", "", 10)), ErrorCode::not_found);
}

}  // namespace
}  // namespace belfry::store
