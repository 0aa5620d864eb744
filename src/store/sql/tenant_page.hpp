// A page of the things of a tenant in the order of one text, which says where the next page begins.
#pragma once

#include <string>
#include <vector>

#include "store/listing.hpp"
#include "store/sql/sql_store.hpp"

namespace belfry::store::sql {

struct TextCursor {
    std::string (*write)(const std::string& tenant, const std::string& last);
    Result<std::string> (*parse)(const std::string& tenant, const std::string& text);
};

// `read` gets what the statement of such a list takes: the tenant, the text to begin after, and how many rows.
template <typename T, typename Read>
[[nodiscard]] Result<Listing<T>> tenant_page(Database& database, const std::string& tenant, const Page& page, const TextCursor& cursor,
                                             std::string T::*place, const Read& read) {
    std::string after;
    if (!page.after.empty()) {
        auto parsed = cursor.parse(tenant, page.after);
        if (!parsed) return parsed.error();
        after = std::move(*parsed);
    }
    const auto limit = page_limit(page);
    Listing<T> listing;
    auto done = database.read([&](Session& session) -> Result<void> {
        if (auto there = need_tenant(session, tenant); !there) return there;
        Result<std::vector<T>> rows = read(session, Batch{model::tenant_key(tenant), after, static_cast<std::int64_t>(limit) + 1});
        if (!rows) return rows.error();
        listing.items = std::move(*rows);
        return {};
    });
    if (!done) return done.error();
    if (listing.items.size() > limit) {
        listing.items.resize(limit);
        listing.next = cursor.write(tenant, listing.items.back().*place);
    }
    return listing;
}

}  // namespace belfry::store::sql
