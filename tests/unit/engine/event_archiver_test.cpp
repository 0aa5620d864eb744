#include "engine/audit/event_archiver.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "engine/audit/archive_verifier.hpp"
#include "engine/audit/audit_verifier.hpp"
#include "store/memory/memory_store.hpp"
#include "store/observed_store.hpp"
#include "support/worlds/engine_world.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry::test {
namespace {

using namespace std::chrono_literals;

std::string unpacked(const std::string& path) {
    auto* const file = ::gzopen(path.c_str(), "rb");
    std::string text(1 << 20, '\0');
    text.resize(static_cast<std::size_t>(::gzread(file, text.data(), static_cast<unsigned>(text.size()))));
    ::gzclose(file);
    return text;
}

class EventArchiverTest : public ::testing::Test {
protected:
    EventArchiverTest() {
        options.keep_for = std::chrono::days{7};
        options.folder = folder.path();
        options.batch = 3;
    }

    // An event every day at ten, from the first to the tenth of June.
    void live(const std::string& name) {
        world.clock.set(instant("2026-06-01T10:00:00Z"));
        world.create([&](auto& schedule) { schedule.name = name; });
        for (int day = 1; day <= 9; ++day) {
            world.clock.set(instant("2026-06-01T10:00:00Z") + day * 24h);
            ASSERT_TRUE(world.schedules.trigger({.tenant = "default", .name = name}, {}, {}));
        }
    }
    engine::EventArchiver make() {
        return engine::EventArchiver(
            *world.store, world.journal, [this] { return leading; }, options, [] { return std::uint64_t{0}; });
    }
    // Steps until it rests. Returns the number of steps.
    int sweep(engine::EventArchiver& archiver) {
        for (int i = 1; i < 1'000; ++i) {
            if (archiver.step() == options.every) return i;
        }
        ADD_FAILURE() << "it does not come to an end";
        return 0;
    }
    Lines files() const {
        Lines names;
        for (const auto& each : std::filesystem::directory_iterator(folder.path()))
            names.push_back(each.path().filename().string());
        std::ranges::sort(names);
        return names;
    }
    // All files together with the store. Returns how many different events are in the files.
    std::size_t verify() {
        engine::ArchiveVerifier archive;
        for (const auto& name : files()) {
            std::istringstream lines(unpacked(folder.file(name)));
            for (std::string line; std::getline(lines, line);) {
                const auto archived = model::parse_archive_line(line);
                EXPECT_TRUE(archived) << archived.error().message;
                const auto broken = archive.add(*archived);
                EXPECT_FALSE(broken) << broken->problem;
            }
        }
        EXPECT_FALSE(archive.find_gap());
        const auto stored = engine::verify_audit(*world.store, {.tenant = "default"}).value();
        EXPECT_FALSE(stored.broken);
        for (const auto& [id, point] : stored.checkpoints) {
            const auto loose = archive.check_join(id, point);
            EXPECT_FALSE(loose) << loose->problem;
        }
        return archive.events();
    }
    std::int64_t kept_from(const std::string& name) {
        return world.store->audit_chain({.tenant = "default", .name = name}, 0, 0).value().archived.sequence + 1;
    }

    EngineWorld world{"2026-06-01T10:00:00Z"};
    TempFolder folder;
    engine::EventArchiverOptions options;
    bool leading = true;
};

TEST_F(EventArchiverTest, WritesAFileForEachDayAndKeepsTheRest) {
    live("a");
    live("b");
    auto archiver = make();
    world.clock.set(instant("2026-06-10T09:00:00Z"));
    sweep(archiver);
    const auto names = files();
    ASSERT_EQ(names.size(), 2U) << "the first and the second of June; seven whole days stay";
    EXPECT_TRUE(names[0].starts_with("events-2026-06-01-") && names[0].ends_with(".jsonl.gz")) << names[0];
    EXPECT_TRUE(names[1].starts_with("events-2026-06-02-")) << names[1];
    EXPECT_EQ(kept_from("a"), 3);
    EXPECT_EQ(verify(), 4U);
    world.clock.set(instant("2026-06-10T23:00:00Z"));
    sweep(archiver);
    EXPECT_EQ(files(), names) << "a day is archived when it is old enough as a whole";
    world.clock.set(instant("2026-06-11T00:00:00Z"));
    sweep(archiver);
    EXPECT_EQ(files().size(), 3U);
    EXPECT_EQ(verify(), 6U);
}

TEST_F(EventArchiverTest, TheNewestEventOfAScheduleStaysHoweverOldItIs) {
    live("a");
    auto archiver = make();
    world.clock.set(instant("2027-06-10T09:00:00Z"));
    sweep(archiver);
    EXPECT_EQ(kept_from("a"), 10);
    EXPECT_EQ(verify(), 9U);
    EXPECT_EQ(files().size(), 9U);
}

TEST_F(EventArchiverTest, WhatItCannotWriteStaysInTheStore) {
    live("a");
    options.folder = folder.file("missing");
    auto archiver = make();
    world.clock.set(instant("2026-06-20T09:00:00Z"));
    for (int i = 0; i < 20; ++i) archiver.step();
    EXPECT_EQ(kept_from("a"), 1);
    ASSERT_FALSE(world.journal.lines.empty());
    EXPECT_NE(world.journal.lines.back().find("cannot write the archive"), std::string::npos)
        << world.journal.lines.back();
    std::filesystem::create_directory(options.folder);
    for (int i = 0; i < 200; ++i) archiver.step();
    EXPECT_EQ(kept_from("a"), 10);
}

// Wherever it stops, another one continues: nothing is lost, and what is archived twice is equal.
TEST_F(EventArchiverTest, WhateverItHasDoneWhenItDiesAnotherOneFinishes) {
    live("a");
    live("b");
    world.clock.set(instant("2026-06-14T09:00:00Z"));
    for (int dies_after = 1; dies_after < 40; ++dies_after) {
        auto archiver = make();
        for (int i = 0; i < dies_after; ++i) archiver.step();
        verify();
    }
    auto archiver = make();
    sweep(archiver);
    EXPECT_EQ(verify(), 12U) << "six days of two schedules";
    EXPECT_EQ(kept_from("a"), 7);
}

TEST_F(EventArchiverTest, DoesNothingWithoutLeadershipOrALimit) {
    live("a");
    world.clock.set(instant("2026-06-20T09:00:00Z"));
    leading = false;
    auto follower = make();
    for (int i = 0; i < 20; ++i) follower.step();
    leading = true;
    options.keep_for.reset();
    auto archiver = make();
    for (int i = 0; i < 20; ++i) archiver.step();
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(kept_from("a"), 1);
}

TEST_F(EventArchiverTest, AVerificationContinuesWhereAPageEnded) {
    live("a");
    live("b");
    engine::AuditRequest request{.tenant = "default", .events = 3};
    std::int64_t events = 0;
    std::int64_t schedules = 0;
    for (int pages = 0; pages < 20; ++pages) {
        const auto answer = engine::verify_audit(*world.store, request).value();
        EXPECT_LE(answer.events, 3);
        EXPECT_FALSE(answer.broken);
        events += answer.events;
        schedules += answer.schedules;
        if (!answer.next) break;
        request.from = engine::parse_audit_place(engine::format_audit_place(*answer.next)).value();
        EXPECT_EQ(request.from, *answer.next);
    }
    EXPECT_EQ(events, 20);
    EXPECT_EQ(schedules, 2);
    EXPECT_FALSE(engine::parse_audit_place("x 1 "));
    EXPECT_FALSE(engine::parse_audit_place(""));
}

// The janitor may have looked for unused space before there was any.
TEST(EventArchiverSpace, IsReturnedWhenASweepHasEnded) {
    class Calls : public store::StoreObserver {
    public:
        void observe(std::string_view verb, std::chrono::nanoseconds, const std::optional<Error>&) override {
            verbs.emplace_back(verb);
        }
        Lines verbs;
    };
    Calls calls;
    EngineWorld world("2026-06-01T10:00:00Z", [&calls](const Clock& clock) {
        return std::make_shared<store::ObservedStore>(std::make_unique<store::MemoryStore>(zones(), &clock), calls);
    });
    world.create({});
    ASSERT_TRUE(world.schedules.trigger({.tenant = "default", .name = "report"}, {}, {}));
    world.clock.set(instant("2026-07-01T10:00:00Z"));
    const TempFolder folder;
    const engine::EventArchiverOptions options{.keep_for = std::chrono::days{7}, .folder = folder.path()};
    engine::EventArchiver archiver(
        *world.store, world.journal, [] { return true; }, options, [] { return std::uint64_t{0}; });
    for (int i = 0; i < 100 && archiver.step() != options.every; ++i) {
    }
    const auto removed = std::ranges::find(calls.verbs, "remove_archived");
    EXPECT_NE(std::find(removed, calls.verbs.end(), "shrink"), calls.verbs.end());
}

}  // namespace
}  // namespace belfry::test
