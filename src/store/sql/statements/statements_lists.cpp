#include "store/sql/statements/statements_lists.hpp"

#include "store/sql/statements/statements_tenants.hpp"

namespace belfry::store::sql {

namespace {

// Without the definition: it is mostly cached, and reading a kilobyte of text for nothing is waste.
const std::string kSchedules = "SELECT c.version, " + kStateColumns +
                               " FROM schedules c JOIN schedule_state s ON s.schedule_key = c.schedule_key ";

// A range of an index in name order. `names` is the table of the index, `order` its sort columns and no others,
// because otherwise a plan that was made for few rows would sort many. There is one bound on each side, so that no
// database starts at the wrong one.
struct Stretch {
    std::string names;
    std::string tables_and_where;
    std::vector<std::string> order;
};

std::string workflow_run(const Stretch& stretch, bool backward) {
    const auto& names = stretch.names;
    std::string order;
    for (const auto& column : stretch.order) order += (order.empty() ? "" : ", ") + column + (backward ? " DESC" : "");
    return "SELECT " + names + ".name, " + names + ".schedule_key, c.status, c.target_type, c.target_kind FROM " +
           stretch.tables_and_where + " AND (" + names + ".name, " + names + ".schedule_key) " +
           (backward ? "<" : ">") + " (:after::text, :after_key) AND " + names + ".name " + (backward ? ">=" : "<") +
           " :end::text ORDER BY " + order + " LIMIT :limit";
}
std::string forward(const Stretch& stretch) { return workflow_run(stretch, false); }
std::string backward(const Stretch& stretch) { return workflow_run(stretch, true); }

// Among schedules that are not deleted, names are unique, so the name alone is the order.
const Stretch kByName{"c", "schedules c WHERE c.tenant_key = :tenant AND c.status <> 3", {"c.name"}};
const Stretch kByStatus{
    "c", "schedules c WHERE c.tenant_key = :tenant AND c.status = :status", {"c.name", "c.schedule_key"}};
const Stretch kByTarget{
    "c", "schedules c WHERE c.tenant_key = :tenant AND c.target_kind = :kind::text", {"c.name", "c.schedule_key"}};
const Stretch kByLabel{"b",
                       "schedule_labels b JOIN schedules c ON c.schedule_key = b.schedule_key "
                       "WHERE b.tenant_key = :tenant AND b.label = :label::text AND b.value = :value::text",
                       {"b.name", "b.schedule_key"}};

// A sample task that gives the queue's name: its run refers to the definition that decided it.
const std::string kSample = "min(CAST(schedule_key AS TEXT) || ':' || CAST(slot AS TEXT) || ':' || node) AS sample";
const std::string kReady = "SELECT queue_key, count(*) AS ready, 0 AS delayed, 0 AS leased, " + kSample +
                           " FROM ready_tasks GROUP BY queue_key";
const std::string kDelayed =
    "SELECT queue_key, sum(CASE WHEN ready_us <= :now THEN 1 ELSE 0 END), sum(CASE WHEN ready_us > :now THEN 1 ELSE 0 "
    "END), 0, " +
    kSample + " FROM delayed_tasks GROUP BY queue_key";

ListedSchedule read_listed(Columns& row) {
    return {{row.text(), row.integer()}, row.as<model::ScheduleStatus>(), row.as<model::TargetType>(), row.text()};
}

}  // namespace

const Query<VersionedState> kScheduleByName(
    "schedule by name",
    kSchedules + "WHERE c.tenant_key = :tenant AND c.name = :name::text AND c.status <> 3 " + of_tenant_named("c"),
    [](Columns& row) {
        return VersionedState{row.integer(), read_state(row)};
    });
const Query<VersionedState> kScheduleById(
    "schedule by id",
    kSchedules + "WHERE c.schedule_key = :key AND c.tenant_key = :tenant AND c.id = :id::text " + of_tenant_named("c"),
    [](Columns& row) {
        return VersionedState{row.integer(), read_state(row)};
    });
const Query<VersionedState> kSchedulesByKey("schedules by key",
                                            kSchedules +
                                                "{, rows} WHERE c.schedule_key = :key AND c.tenant_key = :tenant",
                                            [](Columns& row) {
                                                return VersionedState{row.integer(), read_state(row)};
                                            });

const Query<ListedSchedule> kNames("names", forward(kByName), read_listed);
const Query<ListedSchedule> kNamesBackward("names, backward", backward(kByName), read_listed);
const Query<ListedSchedule> kNamesByStatus("names by status", forward(kByStatus), read_listed);
const Query<ListedSchedule> kNamesByStatusBackward("names by status, backward", backward(kByStatus), read_listed);
const Query<ListedSchedule> kNamesByTarget("names by target", forward(kByTarget), read_listed);
const Query<ListedSchedule> kNamesByTargetBackward("names by target, backward", backward(kByTarget), read_listed);
const Query<ListedSchedule> kNamesByLabel("names by label", forward(kByLabel), read_listed);
const Query<ListedSchedule> kNamesByLabelBackward("names by label, backward", backward(kByLabel), read_listed);

// Includes deleted schedules: any number of them can lie between two others, and the scan has a limit.
const Query<ListedSchedule> kNewest(
    "schedules, newest first",
    "SELECT c.name, c.schedule_key, c.status, c.target_type, c.target_kind FROM schedules c WHERE "
    "c.tenant_key = :tenant AND "
    "c.schedule_key < :before ORDER BY c.schedule_key DESC LIMIT :limit",
    read_listed);

const Query<ScheduleCount> kScheduleCounts(
    "count schedules",
    "SELECT t.name, n.status, n.schedules FROM (SELECT tenant_key, status, count(*) AS schedules FROM schedules "
    "GROUP BY tenant_key, status) n JOIN tenants t ON t.tenant_key = n.tenant_key "
    "ORDER BY n.schedules DESC, t.name, n.status LIMIT :limit",
    [](Columns& row) {
        return ScheduleCount{row.text(), row.as<model::ScheduleStatus>(), row.integer()};
    });
const Query<QueueSample> kQueueDepths(
    "queue depths",
    "SELECT CAST(sum(ready) AS BIGINT), CAST(sum(delayed) AS BIGINT), CAST(sum(leased) AS BIGINT), "
    "min(sample) "
    "FROM (" +
        kReady + " UNION ALL " + kDelayed + " UNION ALL SELECT queue_key, 0, 0, count(*), " + kSample +
        " FROM leases WHERE queue_key <> 0 GROUP BY queue_key) q "
        "GROUP BY queue_key ORDER BY sum(ready + delayed + leased) DESC, queue_key LIMIT :limit",
    [](Columns& row) {
        return QueueSample{row.integer(), row.integer(), row.integer(), row.view()};
    });

}  // namespace belfry::store::sql
