#include <algorithm>

#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::store {

Result<Listing<model::Approval>> MemoryStore::approvals(const ApprovalFilter& filter, const Page& page) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(filter.tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(filter.tenant);
    std::optional<ApprovalPlace> after;
    if (!page.after.empty()) {
        auto parsed = parse_approval_cursor(filter, page.after);
        if (!parsed) return parsed.error();
        after = std::move(*parsed);
    }
    std::vector<std::pair<ApprovalPlace, const model::Approval*>> all;
    for (const auto& [name, key] : owner->second.schedules) {
        for (const auto& [slot, row] : tables_.schedules.at(key).runs) {
            for (const auto& approval : row.approvals) {
                auto place = place_of(approval);
                if (approval.status == filter.status && (!after || place > *after))
                    all.emplace_back(std::move(place), &approval);
            }
        }
    }
    std::ranges::sort(all, {}, [](const auto& each) { return each.first; });
    Listing<model::Approval> listing;
    PageBudget budget(page);
    for (const auto& [place, approval] : all) {
        if (budget.is_full()) {
            listing.next = approval_cursor(filter, place_of(listing.items.back()));
            break;
        }
        listing.items.push_back(*approval);
        budget.add(bytes_of(*approval));
    }
    return listing;
}

Result<std::vector<model::Approval>> MemoryStore::approvals_of(const std::string& tenant,
                                                               std::span<const std::string> run_ids) {
    const MutexLock lock(mutex_);
    std::vector<model::Approval> found;
    for (const auto& run_id : run_ids.first(std::min(run_ids.size(), kPageMax))) {
        if (const auto* const row = tables_.find_run(tenant, run_id))
            found.insert(found.end(), row->approvals.begin(), row->approvals.end());
    }
    sort_by_run(found);
    return found;
}

Result<std::vector<OverdueApproval>> MemoryStore::overdue_approvals(Instant now, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<OverdueApproval> found;
    for (const auto& [expires_at, key] : tables_.pending_approvals) {
        if (expires_at > now || found.size() >= limit) break;
        const auto& schedule = tables_.schedules.at(key.run.schedule);
        for (const auto& approval : schedule.runs.at(key.run.slot).approvals) {
            if (approval.node != key.node || approval.status != model::ApprovalStatus::pending) continue;
            found.push_back({schedule.definition().tenant, approval});
        }
    }
    return found;
}

}  // namespace belfry::store
