// Archives of audit events: finds events that are old enough, and removes those that are in an archive.
//
// The archiver reads events, writes them to a file, and removes them after the file is on disk. If it dies in between,
// it writes the same events again. The checkpoint and the removal are one transaction, and a trigger rejects the
// removal of an event that no checkpoint covers.
#include <algorithm>

#include "model/identity.hpp"
#include "store/listing.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_audit.hpp"

namespace belfry::store::sql {

namespace {

// Reads the events of one page.
class ArchivableReader {
public:
    ArchivableReader(Session& session, const ArchiveRequest& request)
        : session_(session),
          request_(request),
          budget_(std::clamp(request.limit, std::size_t{1}, kPageMax), kPageBytesMax) {}

    // Sets `page.next` if the page is full before the last event of this chain.
    Result<void> read(const ArchivableRow& row) {
        if (!row.oldest) return {};
        const bool begun = row.key == request_.from.key && request_.from.after.sequence > row.archived.sequence;
        ArchivablePart part{row.tenant, row.schedule_id, begun ? request_.from.after : row.archived};
        auto last = part.after;
        const auto take = [&](model::ChainedEvent event) {
            if (event.recorded_at >= request_.before) {
                page.oldest_left = std::min(event.recorded_at, page.oldest_left.value_or(event.recorded_at));
                return false;
            }
            if (budget_.is_full()) {
                page.next = ArchivePlace{row.key, last};
                return false;
            }
            budget_.add(bytes_of(event));
            last = {event.sequence, event.hash};
            part.events.push_back(std::move(event));
            return true;
        };
        constexpr auto kOneMore = static_cast<std::int64_t>(kPageMax) + 1;
        auto done = session_.scan(kChainedEvents, {row.key, part.after.sequence, row.below, kOneMore}, take);
        if (!done) return done;
        if (!part.events.empty()) page.parts.push_back(std::move(part));
        return {};
    }

    ArchivablePage page = {};

private:
    Session& session_;
    const ArchiveRequest& request_;
    PageBudget budget_;
};

}  // namespace

Result<ArchivablePage> SqlStore::archivable(const ArchiveRequest& request) {
    ArchivablePage page;
    const auto most = static_cast<std::int64_t>(std::clamp(request.schedules, std::size_t{1}, kPageMax));
    auto done = database_->read([&](Session& session) -> Result<void> {
        const auto rows = read_all(session, kArchivable, {request.from.key, most});
        if (!rows) return rows.error();
        ArchivableReader reader(session, request);
        for (const auto& row : *rows) {
            if (auto read = reader.read(row); !read) return read;
            if (reader.page.next) break;
        }
        page = std::move(reader.page);
        if (!page.next && std::cmp_equal(rows->size(), most)) page.next = ArchivePlace{rows->back().key + 1};
        return {};
    });
    if (!done) return done.error();
    return page;
}

Result<std::int64_t> SqlStore::remove_archived(std::span<const ArchivedUpTo> chains) {
    Batch points;
    Batch rows;
    for (const auto& [schedule_id, point] : chains.first(std::min(chains.size(), kPageMax))) {
        const auto key = model::key_of(schedule_id);
        points.add_row(key, point.sequence, Bytes{point.hash});
        rows.add_row(key, point.sequence);
    }
    std::int64_t removed = 0;
    if (rows.empty()) return removed;
    auto done = commit_repeatable([&](Session& session) -> Result<void> {
        if (auto put = session.run(kPutCheckpoint, points); !put) return put.error();
        auto deleted = session.run(kRemoveArchived, rows);
        if (!deleted) return deleted.error();
        removed = *deleted;
        return {};
    });
    if (!done) return done.error();
    return removed;
}

}  // namespace belfry::store::sql
