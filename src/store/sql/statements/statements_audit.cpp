#include "store/sql/statements/statements_audit.hpp"

namespace belfry::store::sql {

namespace {

model::ChainPoint read_point(Columns& row) { return {row.integer(), row.text()}; }

const std::string kCheckpointOf = "LEFT JOIN event_checkpoints k ON k.schedule_key = ";

}  // namespace

// A removed schedule has the end of its chain if a program that knows step 14 removed it.
const Query<ChainRow> kChain(
    "audit chain",
    "SELECT c.id, s.events, s.chain, k.sequence, k.hash FROM schedules c JOIN schedule_state s "
    "ON s.schedule_key = c.schedule_key " +
        kCheckpointOf +
        "c.schedule_key WHERE c.schedule_key = :key UNION ALL "
        "SELECT x.id, x.events, x.chain, k.sequence, k.hash FROM removed_schedules x " +
        kCheckpointOf + "x.schedule_key WHERE x.schedule_key = :key",
    [](Columns& row) {
        ChainRow chain{row.text()};
        const bool has_end = !row.is_null();
        auto end = read_point(row);
        if (has_end) chain.end = std::move(end);
        chain.archived = read_point(row);
        return chain;
    });
const Query<model::ChainedEvent> kChainedEvents(
    "chained events",
    "SELECT sequence, type, recorded_us, payload, hash FROM events WHERE schedule_key = :key AND sequence > :after AND "
    "sequence < :below ORDER BY sequence LIMIT :limit",
    [](Columns& row) {
        return model::ChainedEvent{row.integer(), row.as<model::EventType>(), row.instant(), row.text(), row.text()};
    });
// Each part has its own limit: PostgreSQL would sort all rows of a union. Only the index by tenant has this order.
const std::string kOfTenantAfter =
    "WHERE (tenant_key, schedule_key) > (:tenant, :after) AND tenant_key <= :tenant "
    "ORDER BY tenant_key, schedule_key LIMIT :limit";
const Query<std::string> kAuditedSchedules(
    "audited schedules",
    "SELECT q.id, q.schedule_key FROM (SELECT id, schedule_key FROM schedules " + kOfTenantAfter +
        ") q UNION ALL SELECT y.id, y.schedule_key FROM (SELECT id, schedule_key FROM removed_schedules " +
        kOfTenantAfter + ") y ORDER BY schedule_key LIMIT :limit",
    read_text);
// The newest event of a schedule that exists stays.
const Query<ArchivableRow> kArchivable(
    "archivable events",
    "SELECT q.schedule_key, q.id, t.name, q.below, k.sequence, k.hash, (SELECT e.recorded_us FROM events e "
    "WHERE e.schedule_key = q.schedule_key AND e.sequence < q.below ORDER BY e.sequence LIMIT 1) FROM "
    "(SELECT * FROM (SELECT c.schedule_key, c.id, c.tenant_key, s.events AS below FROM schedules c "
    "JOIN schedule_state s ON s.schedule_key = c.schedule_key WHERE c.schedule_key >= :from "
    "ORDER BY c.schedule_key LIMIT :limit) z UNION ALL "
    "SELECT * FROM (SELECT x.schedule_key, x.id, x.tenant_key, 9223372036854775807 AS below FROM removed_schedules x "
    "WHERE x.schedule_key >= :from ORDER BY x.schedule_key LIMIT :limit) y ORDER BY schedule_key LIMIT :limit) q "
    "JOIN tenants t ON t.tenant_key = q.tenant_key " +
        kCheckpointOf + "q.schedule_key ORDER BY q.schedule_key",
    [](Columns& row) {
        ArchivableRow chain{row.integer(), row.text(), row.text(), row.integer()};
        chain.archived = read_point(row);
        chain.oldest = row.optional_instant();
        return chain;
    });
// Does nothing if the event is gone or has another hash, or if it is the newest of a schedule that exists.
const std::string kAdvance =
    "ON CONFLICT (schedule_key) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash "
    "WHERE event_checkpoints.sequence < excluded.sequence";
const Statement kPutCheckpoint(
    "put checkpoint",
    "INSERT INTO event_checkpoints (schedule_key, sequence, hash) SELECT e.schedule_key, e.sequence, e.hash "
    "FROM events e {, rows} WHERE e.schedule_key = :key AND e.sequence = :sequence AND e.hash = :hash::bytea "
    "AND NOT EXISTS (SELECT 1 FROM schedule_state s WHERE s.schedule_key = e.schedule_key AND s.events <= "
    "e.sequence) " +
        kAdvance);
const Statement kRemoveArchived(
    "remove archived events",
    "DELETE FROM events {using rows} WHERE events.schedule_key = :key AND events.sequence <= :sequence "
    "AND events.sequence <= (SELECT k.sequence FROM event_checkpoints k WHERE k.schedule_key = events.schedule_key) "
    "{any events.schedule_key = :key}");
// For the removal of the next events of a removed schedule, if it does not remove the last one.
const Statement kPutCheckpointBeyond(
    "put checkpoint beyond",
    "INSERT INTO event_checkpoints (schedule_key, sequence, hash) SELECT q.schedule_key, q.sequence, q.hash FROM "
    "(SELECT schedule_key, sequence, hash FROM events WHERE schedule_key = :key ORDER BY sequence LIMIT 1 "
    "OFFSET :more) q WHERE q.sequence > 0 " +
        kAdvance);
const Statement kDeleteCheckpoint("delete checkpoint", "DELETE FROM event_checkpoints WHERE schedule_key = :key");
const Query<std::int64_t> kCheckpointSequence("sequence of a checkpoint",
                                              "SELECT sequence FROM event_checkpoints WHERE schedule_key = :key",
                                              read_integer);

}  // namespace belfry::store::sql
