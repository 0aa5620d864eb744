#include "store/sql/statements/statements_targets.hpp"

#include "store/rules/fact_rules.hpp"

namespace belfry::store::sql {

namespace {

const std::string kEndColumns =
    "INSERT INTO target_ends (tenant_key, target_kind, target_type, ended_us, slot, schedule_key, execution) ";
const std::string kOfTarget = "w.tenant_key = :tenant AND w.target_kind = :kind::text AND w.target_type = :type";
// Results are recorded only from the first condition on a target on; earlier ones are in the ledger.
const std::string kUnlessWatched =
    " AND NOT EXISTS (SELECT 1 FROM watched_targets w WHERE " + kOfTarget + ") LIMIT :most ON CONFLICT DO NOTHING";
const std::string kEndsOfTarget = kEndColumns +
                                  "SELECT c.tenant_key, c.target_kind, c.target_type, h.completed_us, h.slot, "
                                  "h.schedule_key, h.execution FROM schedules c ";
const std::string kWhereTarget =
    "WHERE c.tenant_key = :tenant AND c.target_kind = :kind::text AND c.target_type = :type AND h.completed_us IS NOT "
    "NULL AND h.execution >= 4 ";
const std::string kSameTarget =
    "e.tenant_key = w.tenant_key AND e.target_kind = w.target_kind AND e.target_type = w.target_type ";
const std::string kLastFirst = "ORDER BY e.ended_us DESC, e.slot DESC, e.schedule_key DESC ";

// From the right: the total in 20 bits, successes in 20 bits, then failures.
decide::RunStats unpacked(std::int64_t packed) {
    constexpr std::int64_t kMask = (1 << 20) - 1;
    static_assert(kStatsRunsMax <= kMask);
    return {.succeeded = packed >> 20 & kMask, .failed = packed >> 40, .total = packed & kMask};
}

}  // namespace

const Statement kDeleteWatch("delete watch",
                             "DELETE FROM watched_targets {using rows} WHERE watched_targets.schedule_key = :key");
const Statement kInsertWatch("insert watch",
                             "INSERT INTO watched_targets (schedule_key, tenant_key, target_kind, target_type) "
                             "{values} :key, :tenant, :kind::text, :type {end values, rows}");
const Statement kFillEnds("fill ends of a target", kEndsOfTarget + "JOIN runs h ON h.schedule_key = c.schedule_key " +
                                                       kWhereTarget + "AND h.slot >= :from" + kUnlessWatched);
const Statement kFillLastEnds("fill last ends of a target",
                              kEndsOfTarget +
                                  "JOIN schedule_state s ON s.schedule_key = c.schedule_key "
                                  "JOIN runs h ON h.schedule_key = c.schedule_key AND h.slot = s.last_completed_slot " +
                                  kWhereTarget + kUnlessWatched);
// Writes nothing for a target without conditions.
const Statement kInsertEnd("insert end",
                           kEndColumns +
                               "SELECT :tenant, :kind::text, :type, :ended, :slot, :key, :execution {rows} "
                               "WHERE EXISTS (SELECT 1 FROM watched_targets w WHERE " +
                               kOfTarget + ") ON CONFLICT DO NOTHING");
// The latest result, and counts of the newest results packed into one number: see unpacked(). The
// index covers both, and the count is bounded.
const Query<TargetContext> kContextOfTarget(
    "context of a target",
    "SELECT w.schedule_key, (SELECT h.result FROM target_ends e JOIN runs h ON h.schedule_key = e.schedule_key "
    "AND h.slot = e.slot WHERE " +
        kSameTarget + kLastFirst +
        "LIMIT 1), CAST(COALESCE((SELECT sum(n.one) FROM (SELECT CASE e.execution WHEN 4 THEN 1048577 "
        "WHEN 5 THEN 1099511627777 WHEN 8 THEN 1099511627777 ELSE 1 END AS one FROM target_ends e WHERE " +
        kSameTarget + "AND e.ended_us > :after " + kLastFirst + "LIMIT " + std::to_string(kStatsRunsMax) +
        ") n), 0) AS BIGINT) FROM watched_targets w {, rows} WHERE w.schedule_key = :key",
    [](Columns& row) {
        return TargetContext{row.integer(), row.optional_view(), unpacked(row.integer())};
    });
// Keeps the last result of each target, because conditions use it however old it is.
const Statement kPruneEnds(
    "prune ends",
    "DELETE FROM target_ends WHERE (tenant_key, target_kind, target_type, ended_us, slot, schedule_key) IN "
    "(SELECT e.tenant_key, e.target_kind, e.target_type, e.ended_us, e.slot, e.schedule_key FROM target_ends e "
    "WHERE e.ended_us < :before AND EXISTS (SELECT 1 FROM target_ends w WHERE w.ended_us > e.ended_us AND " +
        kSameTarget + ") ORDER BY e.ended_us LIMIT :limit)");

const Statement kDeleteSubscriptions(
    "delete subscriptions",
    "DELETE FROM event_subscriptions {using rows} WHERE event_subscriptions.schedule_key = :key");
const Statement kInsertSubscription("insert subscription",
                                    "INSERT INTO event_subscriptions (tenant_key, event, schedule_key) "
                                    "{values} :tenant, :event::text, :key {end values, rows} ON CONFLICT DO NOTHING");
const Query<std::string> kSubscribers(
    "subscribers",
    "SELECT c.id FROM event_subscriptions e JOIN schedules c ON c.schedule_key = e.schedule_key "
    "WHERE e.tenant_key = :tenant AND e.event = :event::text AND e.schedule_key > :after ORDER BY e.schedule_key LIMIT "
    ":limit",
    read_text);

const Statement kInsertTeamRun(
    "insert run of a team",
    "INSERT INTO team_runs (tenant_key, team, slot, schedule_key) {values} :tenant, :team::text, :slot, :key "
    "{end values, rows}");
const Statement kForgetTeamRuns(
    "forget runs of a team",
    "DELETE FROM team_runs {using rows} WHERE team_runs.schedule_key = :key AND team_runs.slot = :slot");
const Query<RunRow> kRunsOfTeam(
    "runs of a team",
    "SELECT " + kRunColumns +
        " FROM team_runs t JOIN runs r_ ON r_.schedule_key = t.schedule_key AND r_.slot = t.slot" + kLeaseOfRun +
        "WHERE t.tenant_key = :tenant AND t.team = :team::text AND (t.slot, t.schedule_key) < "
        "(:before, :before_key) AND t.slot >= :from ORDER BY t.slot DESC, t.schedule_key DESC LIMIT :limit",
    read_run);

}  // namespace belfry::store::sql
