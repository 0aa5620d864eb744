// What every store must do, whatever keeps its rows: the fixture of the tests in store_*_test.cpp. Each theme has a
// suite of its own, and every test of it runs on a fresh store of each kind.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "support/oracles/store_verbs.hpp"
#include "support/oracles/stores.hpp"

namespace belfry::store {

using namespace std::chrono_literals;
using decide::Facts;
using decide::Plan;
using model::DispatchStatus;
using model::ExecutionStatus;
using model::ScheduleStatus;
using test::instant;
using test::lease_of;
using test::ref_of;
using test::task_schedule;

// Schedules of these tests are created at nine, and the first hour that they fire at is ten.
inline const Instant kNine = test::instant("2026-06-01T09:00:00Z");
inline const Instant kTen = kNine + 1h;

class StoreContract : public ::testing::TestWithParam<test::StoreUnderTest> {
protected:
    // Everything is closed and opened again, as after a crash of the only server.
    void reopen() {
        store.reset();
        store = world->open();
    }

    // A schedule that was created at nine. A failure ends the test.
    model::Schedule create(const test::Edit& edit = {}) {
        auto schedule = task_schedule(edit);
        const auto created = test::create(*store, {schedule}, kNine);
        EXPECT_TRUE(created) << created.error().message;
        return schedule;
    }

    // The same under another name.
    model::Schedule create_named(const std::string& name, const test::Edit& edit = {}) {
        return create([&](model::Schedule& schedule) {
            schedule.name = name;
            if (edit) edit(schedule);
        });
    }

    TickOutcome tick(Instant now, std::vector<std::int64_t> keys = {}) {
        auto outcome = test::tick(*store, now, std::move(keys));
        EXPECT_TRUE(outcome) << outcome.error().message;
        return outcome ? *outcome : TickOutcome{};
    }

    std::vector<model::Task> claim(Instant now, std::size_t limit = 10, const std::string& worker = "w1") {
        auto tasks = store->claim({.tenant = "default", .worker = worker, .limit = limit, .now = now, .lease = 30s});
        EXPECT_TRUE(tasks) << tasks.error().message;
        return tasks ? *tasks : std::vector<model::Task>{};
    }

    // The task of the only run that is ready. REQUIRES: there is one.
    model::Task claim_one(Instant now, const std::string& worker = "w1") {
        auto tasks = claim(now, 10, worker);
        EXPECT_EQ(tasks.size(), 1U);
        return tasks.empty() ? model::Task{} : tasks.front();
    }

    // Runs the only ready task to its end.
    void finish(Instant now, const decide::AttemptEnd& end = test::succeeded()) {
        const auto task = claim_one(now);
        const auto done = test::complete(*store, {lease_of(task), end}, now);
        EXPECT_TRUE(done) << done.error().message;
    }

    ScheduleRecord record(const model::Schedule& schedule) {
        auto found = store->schedule(ref_of(schedule));
        EXPECT_TRUE(found) << found.error().message;
        return found ? *found : ScheduleRecord{};
    }
    model::ScheduleState state(const model::Schedule& schedule) { return record(schedule).state; }

    model::Run run(const std::string& id) {
        auto found = store->run("default", id);
        EXPECT_TRUE(found) << found.error().message;
        return found ? *found : model::Run{};
    }

    // Newest first.
    std::vector<model::Run> runs(const model::Schedule& schedule) {
        return test::all_runs(*store, {.tenant = schedule.tenant, .schedule_id = schedule.id});
    }
    // `10:00 succeeded`, `11:00 skipped calendar`: oldest first.
    test::Lines run_lines(const model::Schedule& schedule);

    std::vector<EventRecord> events(const model::Schedule& schedule) {
        return test::all_events(*store, ref_of(schedule));
    }

    // Nothing about the schedule is different from before.
    struct Everything {
        ScheduleRecord record;
        std::vector<model::Run> runs;
        std::vector<EventRecord> events;
        friend bool operator==(const Everything&, const Everything&) = default;
    };
    Everything everything(const model::Schedule& schedule) {
        return {record(schedule), runs(schedule), events(schedule)};
    }

    std::unique_ptr<test::StoreWorld> world = GetParam().make();
    test::StorePtr store = world->open();
};

inline test::Lines StoreContract::run_lines(const model::Schedule& schedule) {
    test::Lines lines;
    for (const auto& run : runs(schedule)) {
        constexpr std::array kStates{"awaiting_approval", "queued",     "running",   "succeeded", "failed",
                                     "cancelled",         "terminated", "timed_out", "skipped",   "buffered"};
        auto line =
            format_instant(run.slot.occurrence).substr(11, 5) + " " + kStates[static_cast<std::size_t>(state_of(run))];
        if (run.reason) line += " " + std::string(name_of(*run.reason));
        lines.insert(lines.begin(), line);
    }
    return lines;
}

// What a verb that was refused says. `no error` reads well in a failure.
template <typename T>
std::optional<ErrorCode> code_of(const Result<T>& result) {
    return result ? std::nullopt : std::optional{result.error().code};
}
inline std::optional<ErrorCode> code_of(const std::optional<Error>& error) {
    return error ? std::optional{error->code} : std::nullopt;
}

inline std::int64_t key_of(const model::Schedule& schedule) { return model::key_of(schedule.id); }
inline std::int64_t tenant_key_of(const model::Schedule& schedule) { return model::tenant_key(schedule.tenant); }

inline std::string store_name(const ::testing::TestParamInfo<test::StoreUnderTest>& tested) {
    return tested.param.name;
}

}  // namespace belfry::store
