// Statements for backfills.
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

namespace {

const std::string kBackfillColumns =
    "s.id, c.id, s.from_us, s.to_us, s.overlap, s.status, s.next_from_us, s.dispatched, s.skipped, s.error, "
    "s.created_by, s.created_us, "
    "s.updated_us, s.version, s.concurrency, s.rerun, s.schedule_key";
const std::string kBackfillTables = " FROM backfills s JOIN schedules c ON c.schedule_key = s.schedule_key ";

}  // namespace

const Statement kBackfill("backfill", "SELECT " + kBackfillColumns + kBackfillTables +
                                          "WHERE s.backfill_key = :key AND c.tenant_key = :tenant");
const Statement kLockBackfill("lock backfill",
                              "SELECT " + kBackfillColumns + kBackfillTables +
                                  "WHERE s.backfill_key = :key AND c.tenant_key = :tenant {for update}");
const Statement kBackfillsOfSchedule("backfills of a schedule",
                                     "SELECT " + kBackfillColumns + kBackfillTables +
                                         "WHERE s.schedule_key = :key ORDER BY s.created_us DESC, s.id");
const Statement kBackfillExists("backfill exists", "SELECT id FROM backfills WHERE backfill_key = :key");
const Statement kBackfillNotOver("backfill that is not over",
                                 "SELECT id FROM backfills WHERE schedule_key = :key AND status < 2");
const Statement kRunningBackfills("running backfills",
                                  "SELECT " + kBackfillColumns + ", t.name" + kBackfillTables +
                                      "JOIN tenants t ON t.tenant_key = c.tenant_key WHERE s.status = 0 "
                                      "ORDER BY s.created_us, s.id LIMIT :limit");
const Statement kInsertBackfill(
    "insert backfill",
    "INSERT INTO backfills (backfill_key, id, schedule_key, from_us, to_us, overlap, status, next_from_us, dispatched, "
    "skipped, "
    "error, created_by, created_us, updated_us, version, concurrency, rerun) VALUES (:key, :id::text, :schedule, "
    ":from, :to, :overlap, :status, "
    ":next, :dispatched, :skipped, :error::text, :by::text, :created, :updated, :version, :concurrency, :rerun)");
const Statement kUpdateBackfill(
    "update backfill",
    "UPDATE backfills SET status = :status, next_from_us = :next, dispatched = :dispatched, skipped = :skipped, "
    "error = :error::text, updated_us = :updated, version = :version WHERE backfill_key = :key AND version = :version "
    "- 1");

}  // namespace belfry::store::sql
