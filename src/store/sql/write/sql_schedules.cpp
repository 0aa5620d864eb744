// Reads schedules for users: one, a page of a list, those with given keys.
//
// A list scans one index in name or age order, from its cursor on, and reads narrow rows. It reads whole schedules
// only for results, or if the narrow rows cannot decide. A call scans a limited number of names, however rare matches
// are, and returns where to continue.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/rules/lock_order.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/read/unreadable.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_lists.hpp"
#include "store/sql/statements/statements_reading.hpp"

namespace belfry::store::sql {

namespace {

constexpr std::size_t kScanChunk = 1'000;  // names per read once a filter has excluded some
constexpr auto kFirstKey = std::numeric_limits<std::int64_t>::min();
constexpr auto kBeyondKeys = std::numeric_limits<std::int64_t>::max();

struct Reading {
    std::int64_t version = 0;
    model::ScheduleState state;
    DefinitionPtr definition;
    std::string unreadable = {};

    [[nodiscard]] ScheduleRecord record() && { return {*definition, std::move(state), std::move(unreadable)}; }
};
using Readings = std::map<std::int64_t, Reading>;  // by key

// A definition never changes, so it is read only if it is not cached.
Result<void> read_missing_definitions(Session& session, Readings& readings, DefinitionCache& definitions) {
    Batch missing;
    for (const auto& [key, reading] : readings) {
        if (!reading.definition) missing.add_row(key);
    }
    auto read = session.run(kDefinitions, missing, [&](const DefinitionRow& row) {
        auto& reading = readings[row.key];
        auto definition = definitions.keep(row.key, reading.version, row.body);
        if (!definition) reading.unreadable = definition.error().message;
        if (definition) reading.definition = std::move(*definition);
    });
    if (!read) return read.error();
    return {};
}

// An unreadable schedule must not hide the others or itself: users see that it exists, and why it does not run.
Result<void> add_unreadable(Session& session, Readings& readings) {
    Batch keys;
    for (const auto& [key, reading] : readings) {
        if (!reading.definition) keys.add_row(key);
    }
    auto known = read_known(session, keys);
    if (!known) return known.error();
    for (auto& [key, definition] : *known) {
        auto& reading = readings[key];
        reading.definition = std::move(definition);
        if (reading.unreadable.empty()) reading.unreadable = "its definition is missing";
    }
    return {};
}

// The state of a schedule, and its definition if it is cached.
std::pair<std::int64_t, Reading> reading_of(VersionedState row, DefinitionCache& definitions) {
    const auto key = row.state.key;
    return {key, {row.version, std::move(row.state.state), definitions.find(key, row.version)}};
}

// REQUIRES: a session that sees only committed data.
Result<Readings> read_schedules(Session& session, const Query<VersionedState>& query, const Batch& batch,
                                DefinitionCache& definitions) {
    Readings readings;
    auto read = session.run(query, batch,
                            [&](VersionedState row) { readings.insert(reading_of(std::move(row), definitions)); });
    if (!read) return read.error();
    if (auto completed = read_missing_definitions(session, readings, definitions); !completed) return completed.error();
    if (auto completed = add_unreadable(session, readings); !completed) return completed.error();
    std::erase_if(readings, [](const auto& each) { return !each.second.definition; });
    return readings;
}

// In the order of `keys`, which are unique. Omits schedules that do not exist.
Result<std::vector<ScheduleRecord>> read_in_order(Session& session, std::int64_t tenant,
                                                  std::span<const std::int64_t> keys, DefinitionCache& definitions) {
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
        if (found != readings->end()) ordered.push_back(std::move(found->second).record());
    }
    return ordered;
}

// The next group of definitions to read together.
std::span<const std::int64_t> some_of(const std::vector<std::int64_t>& keys, std::size_t begin) {
    return std::span(keys).subspan(begin, std::min(kDefinitionsAtOnce, keys.size() - begin));
}

// The scan of one call, along the index that fits its filter best.
class NameWalk {
public:
    NameWalk(Session& session, DefinitionCache& definitions, const ScheduleFilter& filter, const Page& page,
             std::optional<SchedulePlace> after)
        : session_(session),
          definitions_(definitions),
          filter_(filter),
          limit_(page_limit(page)),
          scan_(scan_limit(page)),
          after_(std::move(after)) {}

    [[nodiscard]] Result<void> run() {
        // Mostly every name matches, and one name more than requested shows whether there is a next page.
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
    // Where the next page starts; empty if there is none.
    [[nodiscard]] const std::optional<SchedulePlace>& next() const { return next_; }

private:
    [[nodiscard]] Result<std::vector<ListedSchedule>> read_chunk(std::size_t size) {
        Batch row;
        row.begin_row();
        row.push(model::tenant_key(filter_.tenant));
        const auto& query = walks_by_age(filter_) ? begin_by_age(row) : begin_by_name(row);
        row.push(static_cast<std::int64_t>(size));
        return read_all(session_, query, row);
    }

    // The query, and the parameters to start with.
    [[nodiscard]] const Query<ListedSchedule>& begin_by_age(Batch& row) const {
        row.push(after_ ? after_->second : kBeyondKeys);
        return kNewest;
    }
    [[nodiscard]] const Query<ListedSchedule>& begin_by_name(Batch& row) const {
        const bool down = walks_backward(filter_);
        const auto* query = down ? &kNamesBackward : &kNames;
        if (filter_.label) {
            query = down ? &kNamesByLabelBackward : &kNamesByLabel;
            row.push(filter_.label->first);
            row.push(filter_.label->second);
        } else if (!filter_.target_kind.empty()) {
            query = down ? &kNamesByTargetBackward : &kNamesByTarget;
            row.push(filter_.target_kind);
        } else if (filter_.status) {
            query = down ? &kNamesByStatusBackward : &kNamesByStatus;
            row.push(static_cast<std::int64_t>(*filter_.status));
        }
        const auto [first, beyond] = names_of(filter_);
        const auto begin = after_.value_or(SchedulePlace{down ? beyond : first, kFirstKey});
        row.push(begin.first);
        row.push(begin.second);
        row.push(down ? first : beyond);
        return *query;
    }

    // Checks the candidates more closely; reads only what the filter needs.
    [[nodiscard]] Result<std::vector<std::int64_t>> matching(const std::vector<ListedSchedule>& chunk) {
        std::vector<std::int64_t> keys;
        for (const auto& each : chunk) {
            if (matches(filter_, each)) keys.push_back(each.place.second);
        }
        std::ranges::sort(keys);
        if (asks_for_next_fire(filter_)) {
            if (auto kept = keep_firing(keys); !kept) return kept.error();
        }
        if (asks_for_definition(filter_)) {
            if (auto kept = keep_defined(keys); !kept) return kept.error();
        }
        return keys;
    }

    [[nodiscard]] Result<void> keep_firing(std::vector<std::int64_t>& keys) {
        Batch rows;
        for (const auto key : keys) rows.add_row(key);
        keys.clear();
        auto read = session_.run(kLook, rows, [&](const Upcoming& row) {
            if (fires_in_range(filter_, row.next_fire)) keys.push_back(row.key);
        });
        if (!read) return read.error();
        std::ranges::sort(keys);
        return {};
    }

    [[nodiscard]] Result<void> keep_defined(std::vector<std::int64_t>& keys) {
        std::vector<std::int64_t> kept;
        for (std::size_t begin = 0; begin < keys.size(); begin += kDefinitionsAtOnce) {
            Batch rows;
            for (const auto key : some_of(keys, begin)) rows.add_row(key, model::tenant_key(filter_.tenant));
            auto readings = read_schedules(session_, kSchedulesByKey, rows, definitions_);
            if (!readings) return readings.error();
            for (const auto& [key, reading] : *readings) {
                if (matches_definition(filter_, *reading.definition)) kept.push_back(key);
            }
        }
        keys = std::move(kept);
        return {};
    }

    [[nodiscard]] Result<void> take(const std::vector<ListedSchedule>& chunk) {
        const auto found = matching(chunk);
        if (!found) return found.error();
        for (const auto& each : chunk) {
            const bool listed = std::ranges::binary_search(*found, each.place.second);
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
    DefinitionCache& definitions_;
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
    const auto tenant = model::tenant_key(schedule.tenant);
    const bool by_name = schedule.id.empty();
    const auto& query = by_name ? kScheduleByName : kScheduleById;
    const Batch asked = by_name ? Batch{tenant, schedule.name, schedule.tenant}
                                : Batch{model::key_of(schedule.id), tenant, schedule.id, schedule.tenant};
    std::optional<Reading> found;
    auto state = database_->query(
        query, asked, [&](VersionedState row) { found = reading_of(std::move(row), memory_.definitions).second; });
    if (!state) return state.error();
    if (!found) return schedule_not_found(schedule);
    if (found->definition) return std::move(*found).record();
    // The definition is read on the snapshot of its state, because an old version may be removed.
    std::optional<ScheduleRecord> record;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = read_schedules(session, query, asked, memory_.definitions);
        if (!read) return read.error();
        if (!read->empty()) record = std::move(read->begin()->second).record();
        return {};
    });
    if (!done) return done.error();
    if (!record) return schedule_not_found(schedule);
    return std::move(*record);
}

Result<std::vector<ScheduleRecord>> SqlStore::schedules_by_keys(const std::string& tenant,
                                                                std::span<const std::int64_t> keys) {
    if (keys.size() > kPageMax) return too_many_keys();
    std::vector<ScheduleRecord> records;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = read_in_order(session, model::tenant_key(tenant), keys, memory_.definitions);
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
        if (auto known = require_tenant(session, filter.tenant); !known) return known;
        NameWalk workflow_run(session, memory_.definitions, filter, page, after);
        if (auto walked = workflow_run.run(); !walked) return walked;
        if (workflow_run.next()) listing.next = schedule_cursor(filter, *workflow_run.next());
        PageBudget budget(page);
        for (std::size_t begin = 0; begin < workflow_run.keys().size(); begin += kDefinitionsAtOnce) {
            auto read = read_in_order(session, model::tenant_key(filter.tenant), some_of(workflow_run.keys(), begin),
                                      memory_.definitions);
            if (!read) return read.error();
            for (auto& record : *read) {
                if (budget.is_full()) {
                    const auto& last = listing.items.back().definition;
                    listing.next = schedule_cursor(filter, {last.name, model::key_of(last.id)});
                    return {};
                }
                budget.add(bytes_of(record));
                listing.items.push_back(std::move(record));
            }
        }
        return {};
    });
    if (!done) return done.error();
    return listing;
}

}  // namespace belfry::store::sql
