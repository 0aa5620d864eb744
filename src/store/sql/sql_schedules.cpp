// Schedules as people read them: one, a page of a list, those with given keys; and how much there is.
//
// A list walks along one index in the order of names, from its cursor on, looks at narrow rows, and reads whole schedules only
// of what it answers. However rare the matches are, a call looks at no more than its share of names and says where to go on.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "base/parse_integer.hpp"
#include "store/listing.hpp"
#include "store/plan_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements.hpp"

namespace belfry::store::sql {

namespace {

constexpr std::size_t kScanChunk = 1'000;  // names that are read at once when a filter has sorted some of them out
constexpr auto kFirstKey = std::numeric_limits<std::int64_t>::min();

struct Reading {
    std::int64_t version = 0;
    model::ScheduleState state;
    DefinitionPtr definition;
};
using Readings = std::map<std::int64_t, Reading>;  // by key

// A definition never changes, so it is read only when it is not in memory.
Result<void> read_missing_definitions(Session& session, Readings& readings, DefinitionCache& definitions) {
    Batch missing;
    for (const auto& [key, reading] : readings) {
        if (!reading.definition) missing.add_row(key);
    }
    std::optional<Error> failed;
    auto read = session.run(kDefinitions, missing, [&](const Row& row) {
        auto& reading = readings[row.integer(0)];
        auto definition = definitions.keep(row.integer(0), reading.version, row.text(2));
        if (definition) {
            reading.definition = std::move(*definition);
        } else {
            failed = Error{ErrorCode::corrupt, "schedule " + text_at(row, 1) + ": " + definition.error().message};
        }
    });
    if (!read) return read.error();
    if (failed) return *failed;
    return {};
}

// Of a statement that answers the version and then the state, whose first column is the key. REQUIRES: a session that sees only what is
// committed.
Result<Readings> read_schedules(Session& session, const Statement& statement, const Batch& batch, DefinitionCache& definitions) {
    Readings readings;
    auto read = session.run(statement, batch, [&](const Row& row) {
        auto state = read_state(row, 1);
        auto& reading = readings[state.key];
        reading.version = row.integer(0);
        reading.state = std::move(state.state);
        reading.definition = definitions.find(state.key, reading.version);
    });
    if (!read) return read.error();
    if (auto completed = read_missing_definitions(session, readings, definitions); !completed) return completed.error();
    std::erase_if(readings, [](const auto& each) { return !each.second.definition; });
    return readings;
}

// In the order of the keys, of which none is there twice; what is not there is left out.
Result<std::vector<ScheduleRecord>> read_in_order(Session& session, std::int64_t tenant, std::span<const std::int64_t> keys,
                                                  DefinitionCache& definitions) {
    Batch rows;
    rows.reserve(keys.size());
    for (const auto key : ascending(keys)) rows.add_row(key, tenant);
    std::vector<ScheduleRecord> ordered;
    if (rows.empty()) return ordered;
    auto readings = read_schedules(session, kSchedulesByKey, rows, definitions);
    if (!readings) return readings.error();
    ordered.reserve(readings->size());
    for (const auto key : keys) {
        const auto found = readings->find(key);
        if (found != readings->end()) ordered.push_back({*found->second.definition, std::move(found->second.state)});
    }
    return ordered;
}

// The walk of one call along the index that fits its filter best.
class NameWalk {
public:
    NameWalk(Session& session, const ScheduleFilter& filter, const Page& page, std::optional<SchedulePlace> after)
        : session_(session), filter_(filter), limit_(page_limit(page)), scan_(scan_limit(page)), after_(std::move(after)) {}

    [[nodiscard]] Result<void> run() {
        // Mostly every name belongs to the list, and one more than asked for tells whether there is a next page.
        std::size_t chunk_size = limit_ + 1;
        while (!over_) {
            const auto size = std::min(scan_ + 1, chunk_size);
            auto chunk = read_chunk(size);
            if (!chunk) return chunk.error();
            if (auto taken = take(*chunk); !taken) return taken;
            if (chunk->size() < size) over_ = true;
            chunk_size = kScanChunk;
        }
        return {};
    }

    [[nodiscard]] const std::vector<std::int64_t>& keys() const { return keys_; }
    // Where the next page begins; nothing when there is none.
    [[nodiscard]] const std::optional<SchedulePlace>& next() const { return next_; }

private:
    [[nodiscard]] Result<std::vector<ListedSchedule>> read_chunk(std::size_t size) {
        const bool down = filter_.descending;
        Batch row;
        row.begin_row();
        row.push(model::key_of(filter_.tenant));
        const Statement* statement = down ? &kNamesBackward : &kNames;
        if (filter_.label) {
            statement = down ? &kNamesByLabelBackward : &kNamesByLabel;
            row.push(filter_.label->first);
            row.push(filter_.label->second);
        } else if (!filter_.target_kind.empty()) {
            statement = down ? &kNamesByTargetBackward : &kNamesByTarget;
            row.push(filter_.target_kind);
        } else if (filter_.status) {
            statement = down ? &kNamesByStatusBackward : &kNamesByStatus;
            row.push(static_cast<std::int64_t>(*filter_.status));
        }
        const auto beyond = end_of_prefix(filter_.name_prefix);
        const auto begin = after_.value_or(SchedulePlace{down ? beyond : filter_.name_prefix, kFirstKey});
        row.push(begin.first);
        row.push(begin.second);
        row.push(down ? filter_.name_prefix : beyond);
        row.push(static_cast<std::int64_t>(size));
        std::vector<ListedSchedule> chunk;
        auto read = session_.run(*statement, row, [&chunk](const Row& each) {
            chunk.push_back({{text_at(each, 0), each.integer(1)},
                             static_cast<model::ScheduleStatus>(each.integer(2)),
                             static_cast<model::TargetType>(each.integer(3)),
                             text_at(each, 4)});
        });
        if (!read) return read.error();
        return chunk;
    }

    // The keys among those that match otherwise whose next fire time is in the range.
    [[nodiscard]] Result<std::vector<std::int64_t>> firing(const std::vector<ListedSchedule>& chunk) {
        Batch rows;
        for (const auto& each : chunk) {
            if (matches(filter_, each)) rows.add_row(each.place.second);
        }
        std::vector<std::int64_t> keys;
        auto read = session_.run(kLook, rows, [&](const Row& row) {
            if (fires_in_range(filter_, optional_instant(row, 1))) keys.push_back(row.integer(0));
        });
        if (!read) return read.error();
        std::ranges::sort(keys);
        return keys;
    }

    [[nodiscard]] Result<void> take(const std::vector<ListedSchedule>& chunk) {
        std::vector<std::int64_t> in_range;
        if (asks_for_next_fire(filter_)) {
            auto found = firing(chunk);
            if (!found) return found.error();
            in_range = std::move(*found);
        }
        for (const auto& each : chunk) {
            const bool fires = !asks_for_next_fire(filter_) || std::ranges::binary_search(in_range, each.place.second);
            const bool listed = fires && matches(filter_, each);
            if (scan_ == 0 || (listed && keys_.size() == limit_)) {
                next_ = after_;
                over_ = true;
                return {};
            }
            scan_ -= 1;
            after_ = each.place;
            if (listed) keys_.push_back(each.place.second);
        }
        return {};
    }

    Session& session_;
    const ScheduleFilter& filter_;
    const std::size_t limit_;
    std::size_t scan_;
    std::optional<SchedulePlace> after_;
    std::optional<SchedulePlace> next_ = {};
    std::vector<std::int64_t> keys_ = {};
    bool over_ = false;
};

}  // namespace

Result<ScheduleRecord> SqlStore::schedule(const ScheduleRef& schedule) {
    std::optional<ScheduleRecord> record;
    const auto tenant = model::key_of(schedule.tenant);
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = schedule.id.empty()
                        ? read_schedules(session, kScheduleByName, {tenant, schedule.name}, memory_.definitions)
                        : read_schedules(session, kScheduleById, {model::key_of(schedule.id), tenant, schedule.id}, memory_.definitions);
        if (!read) return read.error();
        if (!read->empty()) {
            auto& reading = read->begin()->second;
            record = ScheduleRecord{*reading.definition, std::move(reading.state)};
        }
        return {};
    });
    if (!done) return done.error();
    if (!record) return schedule_not_found(schedule);
    return std::move(*record);
}

Result<std::vector<ScheduleRecord>> SqlStore::schedules_by_keys(const std::string& tenant, std::span<const std::int64_t> keys) {
    if (keys.size() > kPageMax) return too_many_keys();
    std::vector<ScheduleRecord> records;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = read_in_order(session, model::key_of(tenant), keys, memory_.definitions);
        if (!read) return read.error();
        records = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    return records;
}

Result<Listing<ScheduleRecord>> SqlStore::schedules(const ScheduleFilter& filter, const Page& page) {
    std::optional<SchedulePlace> after;
    if (!page.after.empty()) {
        auto parsed = parse_schedule_cursor(filter, page.after);
        if (!parsed) return parsed.error();
        after = std::move(*parsed);
    }
    Listing<ScheduleRecord> listing;
    auto done = database_->read([&](Session& session) -> Result<void> {
        if (auto known = need_tenant(session, filter.tenant); !known) return known;
        NameWalk walk(session, filter, page, after);
        if (auto walked = walk.run(); !walked) return walked;
        auto read = read_in_order(session, model::key_of(filter.tenant), walk.keys(), memory_.definitions);
        if (!read) return read.error();
        listing.items = std::move(*read);
        if (walk.next()) listing.next = schedule_cursor(filter, *walk.next());
        return {};
    });
    if (!done) return done.error();
    return listing;
}

namespace {

struct Sample {
    model::RunKey run;
    std::string node = {};
    QueueDepth depth = {};
};

// `schedule:slot:node`, as kQueueDepths gives one task of each queue.
std::optional<Sample> parse_sample(std::string_view text) {
    const auto colon = text.find(':');
    const auto second = colon == std::string_view::npos ? colon : text.find(':', colon + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const auto schedule = parse_integer(text.substr(0, colon));
    const auto slot = parse_integer(text.substr(colon + 1, second - colon - 1));
    if (!schedule || !slot) return std::nullopt;
    return Sample{{*schedule, *slot}, std::string(text.substr(second + 1))};
}

std::int64_t tasks_in(const QueueDepth& depth) { return depth.ready + depth.delayed + depth.leased; }

// A queue is a number to the tables of tasks; what it is called is in the definition that one of its runs was decided by, or
// with the node. Those of several assignees are one queue here.
Result<std::vector<QueueDepth>> read_depths(Session& session, Instant now, StoreMemory& memory) {
    std::vector<Sample> samples;
    auto read = session.run(kQueueDepths, {epoch_us(now), static_cast<std::int64_t>(kCountsMax)}, [&](const Row& row) {
        if (auto sample = parse_sample(row.text(4))) {
            sample->depth = {"", "", row.integer(1), row.integer(2), row.integer(3)};
            samples.push_back(std::move(*sample));
        }
    });
    if (!read) return read.error();
    if (samples.empty()) return std::vector<QueueDepth>();
    Batch keys;
    Batch walking;
    for (const auto& sample : samples) {
        keys.add_row(sample.run.schedule, sample.run.slot);
        if (!sample.node.empty()) walking.add_row(sample.run.schedule, sample.run.slot);
    }
    auto runs = read_runs_with_definitions(session, kRunsByKey, keys, memory.definitions, Sees::committed);
    if (!runs) return runs.error();
    std::map<model::RunKey, DefinitionPtr> definitions;
    for (const auto& each : *runs) definitions[*model::parse_run_id(each.run.id)] = each.definition;
    auto walks = read_walks(session, walking, memory.workflows, Sees::committed);
    if (!walks) return walks.error();
    std::map<std::pair<std::string, std::string>, QueueDepth> by_name;
    for (const auto& [run, node, depth] : samples) {
        const auto definition = definitions.find(run);
        if (definition == definitions.end()) continue;
        auto queue = model::queue_for({.target = definition->second->target}, memory.default_connection);
        if (const auto walk = walks->find(run); walk != walks->end()) {
            if (const auto* const row = walk->second.walk.find(node)) queue = row->queue;
        }
        auto& sum = by_name[{definition->second->tenant, queue}];
        sum.tenant = definition->second->tenant;
        sum.queue = queue;
        sum.ready += depth.ready;
        sum.delayed += depth.delayed;
        sum.leased += depth.leased;
    }
    std::vector<QueueDepth> depths;
    for (auto& [name, depth] : by_name) depths.push_back(std::move(depth));
    std::ranges::stable_sort(depths, std::ranges::greater{}, tasks_in);
    return depths;
}

}  // namespace

Result<Counts> SqlStore::counts(Instant now) {
    Counts counts{.at = now};
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = session.run(kScheduleCounts, {static_cast<std::int64_t>(kCountsMax)}, [&counts](const Row& row) {
            counts.schedules.push_back({text_at(row, 0), static_cast<model::ScheduleStatus>(row.integer(1)), row.integer(2)});
        });
        if (!read) return read.error();
        read = session.run(kApprovalCounts, {static_cast<std::int64_t>(kCountsMax)}, [&counts](const Row& row) {
            counts.approvals.push_back({text_at(row, 0), row.integer(1), instant_at(row, 2)});
        });
        if (!read) return read.error();
        auto depths = read_depths(session, now, memory_);
        if (!depths) return depths.error();
        counts.queues = std::move(*depths);
        return {};
    });
    if (!done) return done.error();
    return counts;
}

}  // namespace belfry::store::sql
