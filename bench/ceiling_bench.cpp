#include <algorithm>
#include <chrono>

#include "bench/store_bench.hpp"
#include "model/schedule/schedule.hpp"
#include "store/sql/schema/migrations.hpp"
#include "store/sql/statements/state_columns.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/sql/statements/statements_tenants.hpp"

namespace belfry::bench {

using store::sql::Batch;
using store::sql::Bytes;
using store::sql::Session;
using store::sql::Statement;

namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

// The same SQL on the benchmark's own tables.
std::string on_ceiling(std::string text) {
    for (const std::string name : {"schedule_state", "ready_tasks", "leases"})
        replace_all(text, name, "ceiling_" + name);
    // These are also names of columns, so the word before them decides.
    for (const std::string name : {"runs", "events"}) {
        for (const std::string before : {"TABLE ", "INTO ", "INDEX ", "ON ", "UPDATE "})
            replace_all(text, before + name, before + "ceiling_" + name);
    }
    replace_all(text, " runs.", " ceiling_runs.");
    return text;
}

// The parts of the schema that create this table, its indexes and its added columns.
std::string schema_of(std::string_view table) {
    std::string schema;
    for (const auto& migration : store::sql::migrations()) {
        const auto text = std::string_view(migration.text);
        if (const auto begin = text.find("CREATE TABLE " + std::string(table) + " (");
            begin != std::string_view::npos) {
            auto end = text.find(';', begin) + 1;
            while (text.substr(end).starts_with("\nCREATE INDEX") ||
                   text.substr(end).starts_with("\nCREATE UNIQUE INDEX")) {
                end = text.find(';', end) + 1;
            }
            schema = text.substr(begin, end - begin);
        }
        const auto gains = "ALTER TABLE " + std::string(table) + " ADD COLUMN ";
        for (auto at = text.find(gains); at != std::string_view::npos; at = text.find(gains, at + 1)) {
            schema += text.substr(at, text.find(';', at) + 1 - at);
        }
    }
    return schema;
}

// Created on first use, because they derive from constants of another file, whose initialization order is undefined.
struct Statements {
    Statement state{"ceiling: update state", on_ceiling(store::sql::kUpdateState.text)};
    Statement new_state{"ceiling: insert state", on_ceiling(store::sql::kInsertState.text)};
    Statement run{"ceiling: insert run", on_ceiling(store::sql::kInsertRun.text)};
    Statement event{"ceiling: insert event", on_ceiling(store::sql::kInsertEvent.text)};
    Statement ready{"ceiling: insert ready task", on_ceiling(store::sql::kInsertReady.text)};
    store::sql::Query<store::sql::QueuedTask> pick{"ceiling: pick ready tasks", on_ceiling(store::sql::kPickReady.text),
                                                   store::sql::kPickReady.read};
    Statement lease{"ceiling: insert lease", on_ceiling(store::sql::kInsertLease.text)};
    Statement left{"ceiling: delete leases", on_ceiling(store::sql::kDeleteLeasesOfRun.text)};
    Statement end{"ceiling: end run", on_ceiling(store::sql::kEndRun.text)};
};
const Statements& statements() {
    static const Statements all;
    return all;
}

constexpr std::int64_t kFirstKey = 1'893'456'000'000LL << 20U;
constexpr std::int64_t kQueue = 7;
constexpr std::int64_t kTenant = 4'000'000'000'000'000'000;
constexpr std::int64_t kHourUs = 3'600'000'000;

// As long as the payload that a real fire records.
const std::string kPayload =
    R"({"workflow_instance_id":"schedule:bench-123456:1893456000",)"
    R"("workflow_run_id":"01b8da6e-7000-8000-8000-000000000000","outcome":"queued",)"
    R"("effective_overlap_policy":"allow_all","trigger_number":1,"occurrence_time":"2030-01-01T01:00:00Z",)"
    R"("cause":"tick"})";
const std::string kHash(32, '\x5a');

model::ScheduleState state_at(int hour) {
    model::ScheduleState state;
    state.revision = hour + 1;
    state.next_fire = state.next_occurrence = Instant{Micros{1'893'456'000'000'000 + hour * kHourUs}};
    state.newest_decided = state.last_fired_at = state.next_fire;
    state.runs = state.in_flight = hour;
    state.events = hour + 1;
    return state;
}

}  // namespace

Result<void> CeilingBench::create(std::size_t count) {
    auto made = database_.write([this](Session& session) -> Result<void> {
        for (const auto* table : {"schedule_state", "runs", "events", "ready_tasks", "leases"}) {
            if (auto dropped = session.script("DROP TABLE IF EXISTS ceiling_" + std::string(table)); !dropped)
                return dropped;
            if (auto created =
                    session.script(store::sql::render(on_ceiling(schema_of(table)), database_.dialect()).text);
                !created)
                return created;
        }
        return {};
    });
    if (!made) return made;
    for (std::size_t at = 0; at < count; at += kBenchBatch) {
        Batch states;
        for (auto i = at; i < std::min(count, at + kBenchBatch); ++i) {
            add_state(states, state_at(0), kHash, {kFirstKey + static_cast<std::int64_t>(i), 1}, {});
        }
        auto written = database_.write([&](Session& session) -> Result<void> {
            auto done = session.run(statements().new_state, states);
            if (!done) return done.error();
            return {};
        });
        if (!written) return written;
    }
    return {};
}

Result<double> CeilingBench::fire(std::size_t count) {
    const auto begin = std::chrono::steady_clock::now();
    const auto before = state_at(hour_);
    const auto after = state_at(++hour_);
    const auto due_us = epoch_us(*before.next_fire);
    for (std::size_t at = 0; at < count; at += kBenchBatch) {
        Batch states;
        Batch runs;
        Batch events;
        Batch ready;
        for (auto* const batch : {&states, &runs, &events, &ready}) batch->reserve(kBenchBatch);
        const auto none = std::monostate();
        for (auto i = at; i < std::min(count, at + kBenchBatch); ++i) {
            const auto key = kFirstKey + static_cast<std::int64_t>(i);
            const auto slot = due_us / 1'000 * 4;
            const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
            add_state(states, after, kHash, {}, {key, before.revision, 1});
            runs.add_row(key, slot, kTenant, number(1), due_us, due_us, number(1), number(2), none, none, none, none,
                         before.runs, none, number(3), none, none, none, none);
            events.add_row(key, after.events, number(4), due_us, kPayload, Bytes{kHash});
            ready.add_row(kQueue, number(0), due_us, key, slot, std::string(), number(0), none);
        }
        auto written = database_.write([&](Session& session) -> Result<void> {
            const auto& all = statements();
            for (const auto& [statement, batch] :
                 {std::pair{&all.state, &states}, {&all.run, &runs}, {&all.event, &events}, {&all.ready, &ready}}) {
                auto done = session.run(*statement, *batch);
                if (!done) return done.error();
                if (statement == &all.state && *done != static_cast<std::int64_t>(batch->rows()))
                    return Error{ErrorCode::conflict, "not all schedules were due"};
            }
            return {};
        });
        if (!written) return written.error();
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Result<double> CeilingBench::work_off(std::size_t count, std::size_t batch) {
    struct Task {
        std::int64_t key;
        std::int64_t slot;
    };
    const auto& all = statements();
    const auto begin = std::chrono::steady_clock::now();
    const auto state = state_at(hour_);
    const auto now = epoch_us(*state.next_fire) + kHourUs;
    const auto none = std::monostate();
    for (std::size_t done = 0; done < count;) {
        std::vector<Task> tasks;
        auto claimed = database_.write([&](Session& session) -> Result<void> {
            tasks.clear();
            auto read = session.run(all.pick, {kQueue, static_cast<std::int64_t>(batch)},
                                    [&tasks](const store::sql::QueuedTask& task) {
                                        tasks.push_back({task.run.schedule, task.run.slot});
                                    });
            if (!read) return read.error();
            Batch leases;
            for (const auto& task : tasks) {
                leases.add_row(task.key, task.slot, std::string(), std::int64_t{1}, std::string("bench"), now,
                               now + kHourUs, none, kQueue);
            }
            return session.later(all.lease, leases);
        });
        if (!claimed) return claimed.error();
        if (tasks.empty()) return Error{ErrorCode::corrupt, "there are fewer tasks than were created"};
        auto ended = database_.write([&](Session& session) -> Result<void> {
            Batch left;
            Batch ends;
            Batch states;
            for (const auto& task : tasks) {
                left.add_row(task.key, task.slot);
                ends.add_row(std::int64_t{4}, none, std::string(R"({"ok":true})"), none, now, task.key, task.slot);
                add_state(states, state, kHash, {}, {task.key, state.revision, 1});
            }
            for (const auto& [statement, rows] :
                 {std::pair{&all.state, &states}, {&all.end, &ends}, {&all.left, &left}}) {
                if (auto written = session.later(*statement, *rows); !written) return written;
            }
            return {};
        });
        if (!ended) return ended.error();
        done += tasks.size();
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace belfry::bench
