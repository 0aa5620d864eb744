// Reads approvals. Plans write them (plan_writer.cpp).
#include <algorithm>
#include <limits>

#include "store/listing.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_approvals.hpp"

namespace belfry::store::sql {

Result<Listing<model::Approval>> SqlStore::approvals(const ApprovalFilter& filter, const Page& page) {
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    ApprovalPlace after{kLeast, {kLeast, kLeast}, {}, kLeast};
    if (!page.after.empty()) {
        auto parsed = parse_approval_cursor(filter, page.after);
        if (!parsed) return parsed.error();
        after = std::move(*parsed);
    }
    PageRows<model::Approval> rows;
    auto done = database_->read([&](Session& session) -> Result<void> {
        if (auto there = require_tenant(session, filter.tenant); !there) return there;
        const Batch parameters{model::tenant_key(filter.tenant),
                               static_cast<std::int64_t>(filter.status),
                               after.requested_us,
                               after.run.schedule,
                               after.run.slot,
                               after.node,
                               after.attempts,
                               static_cast<std::int64_t>(page_limit(page)) + 1};
        auto read = read_page<model::Approval>(session, kApprovalsByStatus, parameters, PageBudget(page));
        if (!read) return read.error();
        rows = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    Listing<model::Approval> listing{std::move(rows.items)};
    if (rows.more) listing.next = approval_cursor(filter, place_of(listing.items.back()));
    return listing;
}

Result<std::vector<model::Approval>> SqlStore::approvals_of(const std::string& tenant,
                                                            std::span<const std::string> run_ids) {
    Batch runs;
    for (const auto& run_id : run_ids.first(std::min(run_ids.size(), kPageMax))) {
        if (const auto key = model::parse_run_id(run_id))
            runs.add_row(key->schedule, key->slot, model::tenant_key(tenant));
    }
    std::vector<model::Approval> found;
    if (runs.empty()) return found;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = read_approvals(session, runs);
        if (!read) return read.error();
        found = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    return found;
}

Result<std::vector<OverdueApproval>> SqlStore::overdue_approvals(Instant now, std::size_t limit) {
    std::vector<OverdueApproval> found;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = read_all(session, kOverdueApprovals, {epoch_us(now), static_cast<std::int64_t>(limit)});
        if (!read) return read.error();
        found = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    return found;
}

}  // namespace belfry::store::sql
