#include "engine/jobs/next_up.hpp"

#include <algorithm>

#include "base/crypto/sha256.hpp"
#include "base/text/parse_integer.hpp"
#include "model/identity.hpp"
#include "store/errors.hpp"
#include "store/listing.hpp"

namespace belfry::engine {

namespace {

constexpr std::size_t kMarkDigits = 12;
constexpr std::size_t kRecordsAtOnce = 32;  // few, because a page may fill up early

// A cursor is valid for its tenant and its `until` only.
std::string mark_of(const std::string& tenant, std::optional<Instant> until) {
    return sha256_hex("next up:" + (until ? std::to_string(epoch_us(*until)) : "-") + ":" + tenant)
        .substr(0, kMarkDigits);
}

std::string cursor_of(const std::string& mark, const store::Upcoming& last) {
    return mark + "." + std::to_string(epoch_us(*last.next_fire)) + "." + std::to_string(last.key);
}

Result<store::Upcoming> parse_cursor(const std::string& mark, std::string_view text) {
    if (text.size() <= kMarkDigits || text[kMarkDigits] != '.') return store::bad_cursor();
    if (text.substr(0, kMarkDigits) != mark) return store::foreign_cursor();
    const auto rest = text.substr(kMarkDigits + 1);
    const auto dot = rest.find('.');
    const auto at = parse_integer(rest.substr(0, dot));
    const auto key = dot == std::string_view::npos ? std::nullopt : parse_integer(rest.substr(dot + 1));
    if (!at || !key) return store::bad_cursor();
    return store::Upcoming{*key, Instant{Micros{*at}}};
}

}  // namespace

Result<store::Listing<store::ScheduleRecord>> NextUp::page(const std::string& tenant, std::optional<Instant> until,
                                                           const store::Page& page) const {
    const auto mark = mark_of(tenant, until);
    std::optional<store::Upcoming> after;
    if (!page.after.empty()) {
        auto parsed = parse_cursor(mark, page.after);
        if (!parsed) return parsed.error();
        after = *parsed;
    }
    if (auto known = tenants_.tenant(tenant); !known) return known.error();
    if (!ticker_.standing().complete) {
        return Error{ErrorCode::unavailable,
                     "this server has just started and is still reading when every schedule fires; retry in a moment"};
    }
    const auto limit = store::page_limit(page);
    auto order = ticker_.upcoming(model::tenant_key(tenant), after, until, limit + 1);
    const auto found = order.size();
    if (found > limit) order.resize(limit);
    store::Listing<store::ScheduleRecord> listing;
    store::PageBudget budget(page);
    std::size_t read = 0;
    while (read < order.size() && !budget.is_full()) {
        std::vector<std::int64_t> keys;
        for (std::size_t i = read; i < std::min(read + kRecordsAtOnce, order.size()); ++i) keys.push_back(order[i].key);
        auto records = schedules_.schedules_by_keys(tenant, keys);
        if (!records) return records.error();
        auto record = records->begin();
        for (const auto end = read + keys.size(); read < end && !budget.is_full(); ++read) {
            // The schedule was deleted.
            if (record == records->end() || model::key_of(record->definition.id) != order[read].key) continue;
            budget.add(store::bytes_of(*record));
            listing.items.push_back(std::move(*record++));
        }
    }
    if (read < order.size()) order.resize(read);
    // Memory may be slightly behind; the records from the store are current.
    std::erase_if(listing.items, [&until](const store::ScheduleRecord& record) {
        const auto& next = record.state.next_fire;
        return !next || (until && *next > *until);
    });
    std::ranges::stable_sort(listing.items, {},
                             [](const store::ScheduleRecord& record) { return *record.state.next_fire; });
    if (order.size() < found) listing.next = cursor_of(mark, order.back());
    return listing;
}

}  // namespace belfry::engine
