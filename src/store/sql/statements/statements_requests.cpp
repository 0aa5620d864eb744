// Statements for request keys.
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

const Statement kRequest(
    "request",
    "SELECT q.fingerprint, c.id, q.schedule_key, q.slot, b.id, q.created_us FROM requests q "
    "JOIN schedules c ON c.schedule_key = q.schedule_key LEFT JOIN backfills b ON b.backfill_key = q.backfill_key "
    "WHERE q.tenant_key = :tenant AND q.key = :request::text");
const Statement kOldRequests("old requests",
                             "SELECT tenant_key, key FROM requests WHERE created_us < :before ORDER BY created_us, "
                             "tenant_key, key LIMIT :limit");
const Statement kDeleteRequests(
    "delete requests",
    "DELETE FROM requests {using rows} WHERE requests.tenant_key = :tenant AND requests.key = :request::text");

}  // namespace belfry::store::sql
