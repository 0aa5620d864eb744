#include "store/sql/statements/statements_backfills.hpp"

namespace belfry::store::sql {

namespace {

const std::string kBackfillColumns =
    "s.id, c.id, s.from_us, s.to_us, s.overlap, s.status, s.next_from_us, s.dispatched, s.skipped, s.error, "
    "s.created_by, s.created_us, "
    "s.updated_us, s.version, s.concurrency, s.rerun";
const std::string kBackfillTables = " FROM backfills s JOIN schedules c ON c.schedule_key = s.schedule_key ";

model::Backfill read_backfill(Columns& row) {
    model::Backfill backfill;
    backfill.id = row.text();
    backfill.schedule_id = row.text();
    backfill.from = row.instant();
    backfill.to = row.instant();
    backfill.overlap = row.optional_as<model::OverlapPolicy>();
    backfill.status = row.as<model::BackfillStatus>();
    backfill.next_from = row.optional_instant();
    backfill.dispatched = row.integer();
    backfill.skipped = row.integer();
    backfill.error = row.text();
    backfill.created_by = row.text();
    backfill.created_at = row.instant();
    backfill.updated_at = row.instant();
    backfill.version = row.integer();
    backfill.concurrency = row.optional_small();
    backfill.rerun = row.as<model::BackfillRerun>();
    return backfill;
}

}  // namespace

const Query<model::Backfill> kBackfill("backfill",
                                       "SELECT " + kBackfillColumns + kBackfillTables +
                                           "WHERE s.backfill_key = :key AND c.tenant_key = :tenant",
                                       read_backfill);
const Query<model::Backfill> kLockBackfill("lock backfill",
                                           "SELECT " + kBackfillColumns + kBackfillTables +
                                               "WHERE s.backfill_key = :key AND c.tenant_key = :tenant {for update}",
                                           read_backfill);
const Query<model::Backfill> kBackfillsOfSchedule("backfills of a schedule",
                                                  "SELECT " + kBackfillColumns + kBackfillTables +
                                                      "WHERE s.schedule_key = :key ORDER BY s.created_us DESC, s.id",
                                                  read_backfill);
const Statement kBackfillExists("backfill exists", "SELECT id FROM backfills WHERE backfill_key = :key");
const Query<std::string> kBackfillNotOver("backfill that is not over",
                                          "SELECT id FROM backfills WHERE schedule_key = :key AND status < 2",
                                          read_text);
const Query<RunningBackfill> kRunningBackfills("running backfills",
                                               "SELECT " + kBackfillColumns + ", t.name" + kBackfillTables +
                                                   "JOIN tenants t ON t.tenant_key = c.tenant_key WHERE s.status = 0 "
                                                   "ORDER BY s.created_us, s.id LIMIT :limit",
                                               [](Columns& row) {
                                                   return RunningBackfill{read_backfill(row), row.text()};
                                               });
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
