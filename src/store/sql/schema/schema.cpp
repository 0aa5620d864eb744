#include <array>

#include "store/sql/schema/migrations.hpp"
#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

std::span<const Migration> migrations() {
    static const std::array kMigrations{
        Migration{1, "schedules, runs, events, tasks, calendars, tenants, backfills", kSchemaStep1},
        Migration{2, "servers, leadership", kSchemaStep2},
        Migration{3, "requests, targets", kSchemaStep3},
        Migration{4, "API keys, feed, webhooks, deliveries", kSchemaStep4},
        Migration{5, "workflows, nodes, dead letters", kSchemaStep5},
        Migration{6, "approvals", kSchemaStep6},
        Migration{7, "assignees, budgets, usage", kSchemaStep7},
        Migration{8, "schedules by age, workflow assignments", kSchemaStep8},
        Migration{9,
                  "retention, positions of the feed, deliveries by webhook, steps of the clock, keys of tenants, ends "
                  "by target, events, teams",
                  kSchemaStep9},
        Migration{10, "measured limits", kSchemaStep10},
        Migration{11, "a cheaper check of event numbers", kSchemaStep11},
        Migration{12, "archived events", kSchemaStep12}};
    return kMigrations;
}

}  // namespace belfry::store::sql
