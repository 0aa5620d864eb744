// The usage of tenants: measures their data, page by page, and counts their daily runs
// (docs/adr/0023-measured-limits.md).
#include <array>

#include "model/tenant/assignee.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_usage.hpp"

namespace belfry::store::sql {

namespace {

// The tables with data that tenants send, and with the data of their runs.
const std::array<const Query<MeasuredRow>*, 7> kMeasured{&kMeasureDefinitions, &kMeasureRuns,      &kMeasureEvents,
                                                         &kMeasureNodes,       &kMeasureRunEvents, &kMeasureWorkflows,
                                                         &kMeasureCalendars};

std::int64_t day_number(Instant now) { return model::day_of(now).time_since_epoch().count(); }

}  // namespace

Result<TenantUsage> SqlStore::usage(const std::string& tenant, Instant now) {
    const auto key = model::tenant_key(tenant);
    const auto day = day_number(now);
    TenantUsage usage;
    auto done = database_->read([&](Session& session) -> Result<void> {
        if (auto there = require_tenant(session, tenant); !there) return there;
        auto read = session.run(kTenantUsage, {day, key}, [&usage](const TenantUsage& row) { usage = row; });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    usage.runs_today += memory_.usage.waiting({key, day});
    return usage;
}

Result<Measured> SqlStore::measure(const MeasuredPlace& place, std::size_t rows) {
    Measured measured;
    if (place.table >= kMeasured.size()) return measured;
    auto next = place;
    std::size_t seen = 0;
    auto done = database_->read([&](Session& session) -> Result<void> {
        const Batch parameters{place.after.first, place.after.second, static_cast<std::int64_t>(rows)};
        auto read = session.run(*kMeasured[place.table], parameters, [&](const MeasuredRow& row) {
            ++seen;
            next.after = row.place;
            measured.bytes[row.tenant] += row.bytes;
        });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    if (seen < rows) next = {.table = place.table + 1};
    if (next.table < kMeasured.size()) measured.next = next;
    return measured;
}

Result<void> SqlStore::put_measured(const std::map<std::int64_t, std::int64_t>& bytes, Instant at) {
    return commit_repeatable([&](Session& session) -> Result<void> {
        Batch rows;
        for (const auto& [tenant, count] : bytes) rows.add_row(tenant, count, epoch_us(at));
        if (auto done = session.run(kPutMeasured, rows); !done) return done.error();
        if (auto done = session.run(kClearMeasured, {epoch_us(at)}); !done) return done.error();
        return {};
    });
}

// A count that was taken but could not be written is lost. The limit is so high that this does not matter.
Result<std::vector<TenantOverLimit>> SqlStore::settle_usage(Instant now) {
    const auto day = day_number(now);
    if (const auto runs = memory_.usage.take(); !runs.empty()) {
        auto done = database_->write([&](Session& session) -> Result<void> {
            Batch rows;
            for (const auto& [of, count] : runs) rows.add_row(of.first, of.second, count);
            if (auto added = session.run(kAddTenantDay, rows); !added) return added.error();
            return {};
        });
        if (!done) {
            // After an unknown commit the counts may be stored already. Counting runs twice could stop a tenant.
            if (done.error().code != ErrorCode::unknown) memory_.usage.add(runs);
            return done.error();
        }
    }
    UsageMemory::ExhaustedDays exhausted;
    std::vector<TenantOverLimit> over;
    Batch seen;
    for (const auto tenant : memory_.usage.seen(day)) seen.add_row(tenant, day);
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = session.run(kTenantDays, seen, [&](const TenantRuns& row) {
            const UsageMemory::Exhausted reached{row.runs, limits_.runs_per_day_per_tenant};
            if (reached.used >= reached.most) exhausted.emplace(UsageMemory::TenantDay{row.tenant, day}, reached);
        });
        if (!read) return read.error();
        auto tenants = read_all(session, kTenantsOverBytes, {limits_.stored_bytes_per_tenant});
        if (!tenants) return tenants.error();
        over = std::move(*tenants);
        return {};
    });
    if (!done) return done.error();
    memory_.usage.put_exhausted(std::move(exhausted));
    return over;
}

}  // namespace belfry::store::sql
