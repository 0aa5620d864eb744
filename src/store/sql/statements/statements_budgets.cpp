#include "store/sql/statements/statements_budgets.hpp"

#include "store/sql/values.hpp"

namespace belfry::store::sql {

namespace {

const std::string kAssigneeColumns =
    "s.id, s.type, s.display_name, s.spending_limit, s.credits_per_day, s.runs_per_day, s.tokens_max, "
    "s.tool_calls_max, "
    "s.allow_tools, s.created_us, s.version";

Result<model::AssigneeRecord> read_assignee(Columns& row) {
    model::AssigneeRecord record;
    record.id = row.text();
    record.type = row.as<model::AssigneeType>();
    record.display_name = row.text();
    auto& policies = record.policies;
    policies.spending_limit = row.optional_credits();
    policies.credits_per_day = row.optional_credits();
    policies.max_runs_per_day = row.optional_integer();
    policies.max_tokens = row.optional_integer();
    policies.max_tool_calls = row.optional_integer();
    if (const auto stored = row.optional_view()) {
        const auto tools = parse_stored(*stored);
        if (!tools || !tools->is_array())
            return Error{ErrorCode::corrupt, "the tools of assignee " + record.id + " cannot be read"};
        auto& allowed = policies.allow_tools.emplace();
        for (const auto& tool : tools->get_array()) {
            if (tool.is_string()) allowed.emplace_back(std::string_view(tool.get_string()));
        }
    }
    record.created_at = row.instant();
    record.version = row.integer();
    return record;
}
Result<AssigneeRow> read_assignee_row(Columns& row) {
    const auto tenant = row.integer();
    auto record = read_assignee(row);
    if (!record) return record.error();
    return AssigneeRow{tenant, std::move(*record)};
}

model::BudgetDay read_budget(Columns& row) { return {row.integer(), row.credits(), row.credits()}; }

Result<UsageRow> read_usage_row(Columns& row) {
    UsageRow read{row.run_key(), row.text(), row.small(), {row.credits(), row.integer(), row.integer()}};
    const auto tools = parse_stored(row.view());
    if (!tools) return tools.error();
    if (!tools->is_array()) return Error{ErrorCode::corrupt, "the tools of a run cannot be read"};
    for (const auto& tool : tools->get_array()) {
        if (tool.is_string()) read.usage.tools.emplace(std::string_view(tool.get_string()));
    }
    return read;
}

}  // namespace

const Query<Result<AssigneeRow>> kAssigneesById(
    "assignees",
    "SELECT s.tenant_key, " + kAssigneeColumns +
        " FROM assignees s {, rows} WHERE s.tenant_key = :tenant AND s.id = :id::text",
    read_assignee_row);
const Query<Result<model::AssigneeRecord>> kAssigneesOfTenant(
    "assignees of a tenant",
    "SELECT " + kAssigneeColumns +
        " FROM assignees s WHERE s.tenant_key = :tenant AND s.id > :after::text "
        "ORDER BY s.id LIMIT :limit",
    read_assignee);
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
const Query<BudgetRow> kAddToBudget(
    "add to budgets",
    "INSERT INTO budget_days (tenant_key, assignee, day, runs, reserved, spent) "
    "{values} :tenant, :assignee::text, :day, :runs, :reserved, :spent {end values, rows} "
    "ON CONFLICT (tenant_key, assignee, day) DO UPDATE SET runs = budget_days.runs + excluded.runs, "
    "reserved = budget_days.reserved + excluded.reserved, spent = budget_days.spent + excluded.spent "
    "RETURNING tenant_key, assignee, day, runs, reserved, spent",
    [](Columns& row) {
        return BudgetRow{row.integer(), row.text(), row.integer(), read_budget(row)};
    });
const Query<model::BudgetDay> kBudgetDay(
    "budget of a day",
    "SELECT runs, reserved, spent FROM budget_days WHERE tenant_key = :tenant AND assignee = "
    ":assignee::text AND day = :day",
    read_budget);
const Query<BudgetPlace> kOldBudgetDays(
    "old days of budgets",
    "SELECT tenant_key, assignee, day FROM budget_days WHERE day < :before AND reserved = 0 "
    "ORDER BY day, tenant_key, assignee LIMIT :limit",
    [](Columns& row) {
        return BudgetPlace{row.integer(), row.text(), row.integer()};
    });
const Statement kDeleteBudgetDays(
    "delete days of budgets",
    "DELETE FROM budget_days {using rows} WHERE budget_days.tenant_key = :tenant "
    "AND budget_days.assignee = :assignee::text AND budget_days.day = :day AND budget_days.reserved = 0");

const Query<ReservationRow> kReservations(
    "reservations",
    "SELECT s.schedule_key, s.slot, s.assignee, s.day, s.cap FROM reservations s {, rows} "
    "WHERE s.schedule_key = :key AND s.slot = :slot",
    [](Columns& row) {
        return ReservationRow{row.run_key(),
                              {row.text(), model::Day{std::chrono::days{row.integer()}}, row.optional_credits()}};
    });
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
const Query<Result<UsageRow>> kUsageOfRuns(
    "usage of runs",
    "SELECT s.schedule_key, s.slot, s.node, s.attempt, s.credits, s.tokens, s.tool_calls, s.tools FROM run_usage s "
    "{, rows} WHERE s.schedule_key = :key AND s.slot = :slot",
    read_usage_row);
const Statement kForgetUsage(
    "forget usage",
    "DELETE FROM run_usage {using rows} WHERE run_usage.schedule_key = :key AND run_usage.slot = :slot");

}  // namespace belfry::store::sql
