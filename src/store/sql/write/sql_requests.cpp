// Request keys. PlanWriter and create_backfill write them in the transaction of the request.
#include "store/errors.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_requests.hpp"

namespace belfry::store::sql {

Result<RequestRecord> SqlStore::request(const std::string& tenant, const std::string& key) {
    std::optional<RequestRecord> found;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = read_one(session, kRequest, {model::tenant_key(tenant), key});
        if (!read) return read.error();
        found = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    if (!found) return request_not_found();
    return *found;
}

Result<std::int64_t> SqlStore::prune_requests(Instant before, std::size_t limit) {
    std::int64_t removed = 0;
    // If the outcome of the first attempt is unknown, its removals are not counted.
    auto done = commit_repeatable([&](Session& session) -> Result<void> {
        Batch old;
        auto read = session.run(kOldRequests, {epoch_us(before), static_cast<std::int64_t>(limit)},
                                [&old](RequestPlace place) { old.add_row(place.tenant, std::move(place.key)); });
        if (!read) return read.error();
        auto deleted = session.run(kDeleteRequests, old);
        if (!deleted) return deleted.error();
        removed = *deleted;
        return {};
    });
    if (!done) return done.error();
    return removed;
}

}  // namespace belfry::store::sql
