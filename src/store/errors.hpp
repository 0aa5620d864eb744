// Errors with the same text in every store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/store.hpp"

namespace belfry::store {

[[nodiscard]] Error too_many_keys();
[[nodiscard]] Error schedule_not_found(const ScheduleRef& schedule);
[[nodiscard]] Error run_not_found(const std::string& run_id);
[[nodiscard]] Error tenant_not_found(const std::string& tenant);
[[nodiscard]] Error workflow_not_found(const std::string& name, const std::optional<std::int64_t>& version);
// For a run or a node that must not start.
[[nodiscard]] Error not_approved(const std::string& run_id, const std::string& node);
[[nodiscard]] Error dead_letter_not_found(const std::string& run_id);
[[nodiscard]] Error assignee_not_found(const std::string& id);
[[nodiscard]] Error assignment_not_found(const std::string& id);
[[nodiscard]] Error assignment_not_there(const std::string& id);  // for a schedule that tries to use it
[[nodiscard]] Error assignment_in_use(const std::string& id, const std::string& schedule);
[[nodiscard]] Error calendar_not_found(const std::string& name);
[[nodiscard]] Error backfill_not_found(const std::string& id);
[[nodiscard]] Error name_taken(const std::string& name);
[[nodiscard]] Error id_taken(const std::string& id);
[[nodiscard]] Error tenant_full(const std::string& tenant, std::int64_t most);
[[nodiscard]] Error moved_on(const decide::Plan& plan, std::int64_t revision);
[[nodiscard]] Error version_conflict(const std::string& what, std::int64_t expected);
[[nodiscard]] Error lease_lost(const model::LeaseRef& lease);
[[nodiscard]] Error lease_renewed(const model::LeaseRef& lease);
[[nodiscard]] Error backfill_taken(const std::string& id);
[[nodiscard]] Error backfill_running(const std::string& id);
[[nodiscard]] Error calendar_is_built_in(const std::string& name);
[[nodiscard]] Error calendar_in_use(const std::string& calendar, const std::string& schedule);
[[nodiscard]] Error not_deleted(const ScheduleRef& schedule);
[[nodiscard]] Error bad_cursor();
[[nodiscard]] Error foreign_cursor();
[[nodiscard]] Error request_taken();
[[nodiscard]] Error request_not_found();

}  // namespace belfry::store
