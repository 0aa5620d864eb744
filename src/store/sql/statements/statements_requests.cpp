#include "store/sql/statements/statements_requests.hpp"

namespace belfry::store::sql {

namespace {

RequestRecord read_request(Columns& row) {
    RequestRecord record{.fingerprint = row.text(), .schedule_id = row.text()};
    const auto schedule = row.integer();
    const auto slot = row.optional_integer();
    if (slot) record.run_id = model::run_id(schedule, *slot);
    record.backfill_id = row.text();
    record.at = row.instant();
    return record;
}

RequestPlace read_place(Columns& row) { return {row.integer(), row.text()}; }

}  // namespace

const Query<RequestRecord> kRequest(
    "request",
    "SELECT q.fingerprint, c.id, q.schedule_key, q.slot, b.id, q.created_us FROM requests q "
    "JOIN schedules c ON c.schedule_key = q.schedule_key LEFT JOIN backfills b ON b.backfill_key = q.backfill_key "
    "WHERE q.tenant_key = :tenant AND q.key = :request::text",
    read_request);
const Query<RequestPlace> kTakenRequests(
    "taken requests",
    "SELECT q.tenant_key, q.key FROM requests q {, rows} WHERE q.tenant_key = :tenant AND q.key = :request::text "
    "{any q.key = :request}",
    read_place);
const Query<RequestPlace> kOldRequests(
    "old requests",
    "SELECT tenant_key, key FROM requests WHERE created_us < :before ORDER BY created_us, "
    "tenant_key, key LIMIT :limit",
    read_place);
const Statement kDeleteRequests(
    "delete requests",
    "DELETE FROM requests {using rows} WHERE requests.tenant_key = :tenant AND requests.key = :request::text");

}  // namespace belfry::store::sql
