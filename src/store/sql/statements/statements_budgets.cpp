// Statements for assignees, usage and budgets.
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

namespace {

const std::string kAssigneeColumns =
    "s.tenant_key, s.id, s.type, s.display_name, s.spending_limit, s.credits_per_day, s.runs_per_day, s.tokens_max, "
    "s.tool_calls_max, "
    "s.allow_tools, s.created_us, s.version";

}  // namespace

const Statement kAssigneesById("assignees",
                               "SELECT " + kAssigneeColumns +
                                   " FROM assignees s {, rows} WHERE s.tenant_key = :tenant AND s.id = :id::text");
const Statement kAssigneesOfTenant("assignees of a tenant",
                                   "SELECT " + kAssigneeColumns +
                                       " FROM assignees s WHERE s.tenant_key = :tenant AND s.id > :after::text "
                                       "ORDER BY s.id LIMIT :limit");
const Statement kInsertAssignee("insert assignee",
                                "INSERT INTO assignees (tenant_key, id, type, display_name, spending_limit, "
                                "credits_per_day, runs_per_day, tokens_max, tool_calls_max, "
                                "allow_tools, created_us, version) VALUES (:tenant, :id::text, :type, :name::text, "
                                ":spending, :credits, :runs, :tokens, :tool_calls, "
                                ":tools::text, :created, :version)");
const Statement kUpdateAssignee("update assignee",
                                "UPDATE assignees SET type = :type, display_name = :name::text, spending_limit = "
                                ":spending, credits_per_day = :credits, "
                                "runs_per_day = :runs, tokens_max = :tokens, tool_calls_max = :tool_calls, allow_tools "
                                "= :tools::text, version = :version "
                                "WHERE tenant_key = :tenant AND id = :id::text AND version = :version - 1");
const Statement kDeleteAssignee("delete assignee",
                                "DELETE FROM assignees WHERE tenant_key = :tenant AND id = :id::text");

// Adding zero locks the day: two servers must not both take the rest of it.
const Statement kAddToBudget(
    "add to budgets",
    "INSERT INTO budget_days (tenant_key, assignee, day, runs, reserved, spent) "
    "{values} :tenant, :assignee::text, :day, :runs, :reserved, :spent {end values, rows} "
    "ON CONFLICT (tenant_key, assignee, day) DO UPDATE SET runs = budget_days.runs + excluded.runs, "
    "reserved = budget_days.reserved + excluded.reserved, spent = budget_days.spent + excluded.spent "
    "RETURNING tenant_key, assignee, day, runs, reserved, spent");
const Statement kBudgetDay("budget of a day",
                           "SELECT runs, reserved, spent FROM budget_days WHERE tenant_key = :tenant AND assignee = "
                           ":assignee::text AND day = :day");
const Statement kOldBudgetDays("old days of budgets",
                               "SELECT tenant_key, assignee, day FROM budget_days WHERE day < :before AND reserved = 0 "
                               "ORDER BY day, tenant_key, assignee LIMIT :limit");
const Statement kDeleteBudgetDays(
    "delete days of budgets",
    "DELETE FROM budget_days {using rows} WHERE budget_days.tenant_key = :tenant "
    "AND budget_days.assignee = :assignee::text AND budget_days.day = :day AND budget_days.reserved = 0");

const Statement kReservations("reservations",
                              "SELECT s.schedule_key, s.slot, s.assignee, s.day, s.cap FROM reservations s {, rows} "
                              "WHERE s.schedule_key = :key AND s.slot = :slot");
const Statement kInsertReservation("insert reservation",
                                   "INSERT INTO reservations (schedule_key, slot, assignee, day, cap) "
                                   "{values} :key, :slot, :assignee::text, :day, :cap {end values, rows}");
const Statement kDeleteReservation(
    "delete reservation",
    "DELETE FROM reservations {using rows} WHERE reservations.schedule_key = :key AND reservations.slot = :slot");

const Statement kPutUsage(
    "put usage",
    "INSERT INTO run_usage (schedule_key, slot, node, attempt, credits, tokens, tool_calls, tools) "
    "{values} :key, :slot, :node::text, :attempt, :credits, :tokens, :tool_calls, :tools::text {end values, rows} "
    "ON CONFLICT (schedule_key, slot, node, attempt) DO UPDATE SET credits = excluded.credits, tokens = "
    "excluded.tokens, "
    "tool_calls = excluded.tool_calls, tools = excluded.tools");
const Statement kUsageOfRuns(
    "usage of runs",
    "SELECT s.schedule_key, s.slot, s.node, s.attempt, s.credits, s.tokens, s.tool_calls, s.tools FROM run_usage s "
    "{, rows} WHERE s.schedule_key = :key AND s.slot = :slot");
const Statement kForgetUsage(
    "forget usage",
    "DELETE FROM run_usage {using rows} WHERE run_usage.schedule_key = :key AND run_usage.slot = :slot");

}  // namespace belfry::store::sql
