// Request keys. PlanWriter and create_backfill write them in the transaction of the request.
#include "store/errors.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

Result<RequestRecord> SqlStore::request(const std::string& tenant, const std::string& key) {
    std::optional<RequestRecord> found;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = session.run(kRequest, {model::tenant_key(tenant), key}, [&found](const Row& row) {
            const auto slot = optional_integer(row, 3);
            found = RequestRecord{.fingerprint = text_at(row, 0),
                                  .schedule_id = text_at(row, 1),
                                  .run_id = slot ? model::run_id(row.integer(2), *slot) : std::string(),
                                  .backfill_id = text_at(row, 4),
                                  .at = instant_at(row, 5)};
        });
        if (!read) return read.error();
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
                                [&old](const Row& row) { old.add_row(row.integer(0), text_at(row, 1)); });
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
