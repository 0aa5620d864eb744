// Reads for users: runs, events and the cursors of schedules.
#include <algorithm>
#include <limits>

#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/rules/lock_order.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/read/usage_reader.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/run_columns.hpp"
#include "store/sql/statements/statements_audit.hpp"
#include "store/sql/statements/statements_reading.hpp"
#include "store/sql/statements/statements_retention.hpp"
#include "store/sql/statements/statements_targets.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

namespace {

constexpr auto kLatest = std::numeric_limits<std::int64_t>::max();
constexpr auto kEarliest = std::numeric_limits<std::int64_t>::min();

// A completely removed schedule has only its events left.
Result<std::int64_t> find_schedule_or_archive(Session& session, const ScheduleRef& schedule) {
    auto found = find_schedule(session, schedule);
    if (found || found.error().code != ErrorCode::not_found || schedule.id.empty()) return found;
    const auto key = model::key_of(schedule.id);
    auto read = session.run(kArchived, {key, model::tenant_key(schedule.tenant), schedule.id},
                            [&found](std::int64_t archived) { found = archived; });
    if (!read) return read.error();
    return found;
}

// The query that fits the filter, with its parameters.
struct RunsQuery {
    const Query<RunRow>& query;
    Batch parameters;
};
RunsQuery runs_query(const RunFilter& filter, const std::optional<std::int64_t>& schedule, const model::RunKey& before,
                     std::int64_t from, std::int64_t more) {
    const auto tenant = model::tenant_key(filter.tenant);
    const auto& state = filter.state;
    if (!filter.team.empty()) return {kRunsOfTeam, {tenant, filter.team, before.slot, before.schedule, from, more}};
    if (state == RunState::running || state == RunState::queued) {
        const auto& query = state == RunState::running ? kRunsRunning : kRunsQueued;
        return {query, {tenant, before.slot, before.schedule, from, null_or(schedule), more}};
    }
    const bool standing = state && state != RunState::succeeded;
    if (schedule) {
        if (standing)
            return {kRunsOfScheduleStanding, {*schedule, before.slot, from, static_cast<std::int64_t>(*state), more}};
        return {state ? kRunsOfScheduleSucceeded : kRunsOfSchedule, {*schedule, before.slot, from, more}};
    }
    if (standing)
        return {kRunsOfTenantStanding,
                {tenant, before.slot, before.schedule, from, static_cast<std::int64_t>(*state), more}};
    return {state ? kRunsOfTenantSucceeded : kRunsOfTenant, {tenant, before.slot, before.schedule, from, more}};
}

}  // namespace

Result<std::vector<model::DefinitionPtr>> SqlStore::definitions(const std::string& tenant,
                                                                std::span<const DefinitionRef> wanted) {
    const auto asked = wanted.first(std::min(wanted.size(), kPageMax));
    DefinitionVersions versions;
    for (const auto& [id, version] : asked) versions[{model::key_of(id), version}] = nullptr;
    if (!versions.empty()) {
        auto done = database_->read(
            [&](Session& session) { return read_versions(session, versions, memory_.definitions, Sees::committed); });
        if (!done) return done.error();
    }
    std::vector<model::DefinitionPtr> found;
    for (const auto& [id, version] : asked) {
        const auto& definition = versions.at({model::key_of(id), version});
        found.push_back(definition && definition->id == id && definition->tenant == tenant ? definition : nullptr);
    }
    return found;
}

Result<model::Run> SqlStore::run(const std::string& tenant, const std::string& run_id) {
    const auto key = model::parse_run_id(run_id);
    if (!key) return run_not_found(run_id);
    std::vector<model::Run> runs;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = read_runs_with_definitions(session, kRunsByKey, {key->schedule, key->slot}, memory_.definitions,
                                               Sees::committed);
        if (!read) return read.error();
        if (read->empty() || read->front().definition->tenant != tenant) return run_not_found(run_id);
        runs.push_back(std::move(read->front().run));
        return show_usage(session, runs);
    });
    if (!done) return done.error();
    return std::move(runs.front());
}

Result<Listing<model::Run>> SqlStore::runs(const RunFilter& filter, const Page& page) {
    model::RunKey before{kLatest, kLatest};
    if (!page.after.empty()) {
        auto parsed = parse_run_cursor(filter, page.after);
        if (!parsed) return parsed.error();
        before = *parsed;
    } else if (filter.to) {
        before = {kEarliest, epoch_ms(*filter.to) * 4 + 4};
    }
    const auto from = filter.from ? epoch_ms(*filter.from + Micros{999}) * 4 : kEarliest;
    const auto more = static_cast<std::int64_t>(page_limit(page)) + 1;
    RunPage shown;
    auto done = database_->read([&](Session& session) -> Result<void> {
        if (auto known = require_tenant(session, filter.tenant); !known) return known;
        std::optional<std::int64_t> schedule;
        if (!filter.schedule_id.empty()) {
            auto key = find_schedule(session, {filter.tenant, filter.schedule_id});
            if (!key) return key.error();
            schedule = *key;
        }
        const auto [query, parameters] = runs_query(filter, schedule, before, from, more);
        auto found = read_run_page(session, query, parameters, page, memory_.definitions);
        if (!found) return found.error();
        shown = std::move(*found);
        return show_usage(session, shown.runs);
    });
    if (!done) return done.error();
    Listing<model::Run> listing{std::move(shown.runs)};
    if (shown.more) listing.next = run_cursor(filter, *model::parse_run_id(listing.items.back().id));
    return listing;
}

Result<Listing<std::string>> SqlStore::subscribers(const std::string& tenant, const std::string& event,
                                                   const Page& page) {
    const auto after = parse_subscriber_cursor(tenant, event, page.after);
    if (!after) return after.error();
    PageRows<std::string> ids;
    auto done = database_->read([&](Session& session) -> Result<void> {
        if (auto known = require_tenant(session, tenant); !known) return known;
        const Batch parameters{model::tenant_key(tenant), event, *after,
                               static_cast<std::int64_t>(page_limit(page)) + 1};
        auto read = read_page<std::string>(session, kSubscribers, parameters, PageBudget(page));
        if (!read) return read.error();
        ids = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    Listing<std::string> listing{std::move(ids.items)};
    if (ids.more) listing.next = subscriber_cursor(tenant, event, listing.items.back());
    return listing;
}

Result<AuditChain> SqlStore::audit_chain(const ScheduleRef& schedule, std::int64_t after_sequence, std::size_t limit) {
    AuditChain shown;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto key = find_schedule_or_archive(session, schedule);
        if (!key) return key.error();
        auto chain = read_one(session, kChain, {*key});
        if (!chain) return chain.error();
        // Not the same as a schedule that is gone: a verification must not pass over it.
        if (!*chain) return Error{ErrorCode::corrupt, "a schedule has events and no state"};
        shown = {std::move((*chain)->schedule_id), std::move((*chain)->archived), std::move((*chain)->end)};
        const auto most = std::min(limit, kPageMax);
        const auto after = std::max(after_sequence, shown.archived.sequence);
        auto page = read_page<model::ChainedEvent>(session, kChainedEvents,
                                                   {*key, after, kLatest, static_cast<std::int64_t>(most)},
                                                   PageBudget(most, kPageBytesMax));
        if (!page) return page.error();
        shown.events = std::move(page->items);
        return {};
    });
    if (!done) return done.error();
    return shown;
}

Result<std::vector<std::string>> SqlStore::audited_schedules(const std::string& tenant, const std::string& after_id,
                                                             std::size_t limit) {
    std::vector<std::string> ids;
    auto done = database_->read([&](Session& session) -> Result<void> {
        if (auto known = require_tenant(session, tenant); !known) return known;
        const auto after = after_id.empty() ? kEarliest : model::key_of(after_id);
        auto read = read_all(session, kAuditedSchedules,
                             {model::tenant_key(tenant), after, static_cast<std::int64_t>(std::min(limit, kPageMax))});
        if (!read) return read.error();
        ids = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    return ids;
}

Result<std::vector<EventRecord>> SqlStore::events(const ScheduleRef& schedule, std::int64_t after_sequence,
                                                  std::size_t limit) {
    std::vector<EventRecord> records;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto key = find_schedule_or_archive(session, schedule);
        if (!key) return key.error();
        const auto most = std::min(limit, kPageMax);
        auto page = read_page<EventRecord>(session, kEvents, {*key, after_sequence, static_cast<std::int64_t>(most)},
                                           PageBudget(most, kPageBytesMax));
        if (!page) return page.error();
        records = std::move(page->items);
        return {};
    });
    if (!done) return done.error();
    return records;
}

Result<std::vector<Upcoming>> SqlStore::upcoming(std::int64_t after_key, std::size_t limit) {
    std::vector<Upcoming> all;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = read_all(session, kUpcoming, {after_key, static_cast<std::int64_t>(limit)});
        if (!read) return read.error();
        all = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    return all;
}

Result<std::vector<Upcoming>> SqlStore::peek_next_fires(std::span<const std::int64_t> keys) {
    if (keys.size() > kTickBatchMax) return too_many_keys();
    std::vector<Upcoming> found;
    if (keys.empty()) return found;
    Batch rows;
    rows.reserve(keys.size());
    for (const auto key : ascending(keys)) rows.add_row(key);
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = read_all(session, kLook, rows);
        if (!read) return read.error();
        found = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    std::ranges::sort(found, {}, &Upcoming::key);
    return found;
}

void SqlStore::listen(Listener listener) {
    if (!listener) return database_->listen({});
    database_->listen([listener = std::move(listener)](std::string_view text) { listener(parse_notification(text)); });
}

}  // namespace belfry::store::sql
