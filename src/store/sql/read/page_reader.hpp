// Reads pages row by row until they are full, by items or by bytes (PageBudget).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/listing.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/sql_store.hpp"

namespace belfry::store::sql {

template <typename T>
struct PageRows {
    std::vector<T> items = {};
    bool more = false;  // there was a row that did not fit
};

// `convert` makes an item of what the query reads, or returns the error.
template <typename T, typename Stored, typename Convert = std::identity>
[[nodiscard]] Result<PageRows<T>> read_page(Session& session, const Query<Stored>& query, const Batch& batch,
                                            PageBudget budget, const Convert& convert = {}) {
    PageRows<T> page;
    std::optional<Error> failed;
    auto done = session.scan(query, batch, [&](Stored stored) {
        page.more = budget.is_full();
        if (page.more) return false;
        Result<T> item = convert(std::move(stored));
        if (!item) {
            failed = item.error();
            return false;
        }
        budget.add(bytes_of(*item));
        page.items.push_back(std::move(*item));
        return true;
    });
    if (!done) return done.error();
    if (failed) return *failed;
    return page;
}

// Cursors of a tenant's list that is sorted by one text.
struct TextCursor {
    std::string (*write)(const std::string& tenant, const std::string& last);
    Result<std::string> (*parse)(const std::string& tenant, const std::string& text);
};

// The query of such a list takes the tenant, the text to start after, and the number of rows. `place` returns an item's
// text.
template <typename T, typename Place, typename Stored>
[[nodiscard]] Result<Listing<T>> tenant_page(Database& database, const std::string& tenant, const Page& page,
                                             const TextCursor& cursor, const Place& place, const Query<Stored>& query) {
    std::string after;
    if (!page.after.empty()) {
        auto parsed = cursor.parse(tenant, page.after);
        if (!parsed) return parsed.error();
        after = std::move(*parsed);
    }
    PageRows<T> rows;
    auto done = database.read([&](Session& session) -> Result<void> {
        if (auto there = require_tenant(session, tenant); !there) return there;
        const Batch parameters{model::tenant_key(tenant), after, static_cast<std::int64_t>(page_limit(page)) + 1};
        auto found = read_page<T>(session, query, parameters, PageBudget(page));
        if (!found) return found.error();
        rows = std::move(*found);
        return {};
    });
    if (!done) return done.error();
    Listing<T> listing{std::move(rows.items)};
    if (rows.more) listing.next = cursor.write(tenant, std::invoke(place, listing.items.back()));
    return listing;
}

}  // namespace belfry::store::sql
