// What lists have in common, whatever keeps the rows: cursors that belong to their filter, and what a filter asks of one
// schedule. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "store/store.hpp"

namespace belfry::store {

// Where a list of schedules stands: after this one.
using SchedulePlace = std::pair<std::string, std::int64_t>;  // name and key

// Cursors: a mark of the tenant and the filter, and the last row's sort key. What another list answered is refused.
[[nodiscard]] std::string schedule_cursor(const ScheduleFilter& filter, const SchedulePlace& place);
[[nodiscard]] Result<SchedulePlace> parse_schedule_cursor(const ScheduleFilter& filter, const std::string& text);
[[nodiscard]] std::string run_cursor(const RunFilter& filter, const model::RunKey& key);
[[nodiscard]] Result<model::RunKey> parse_run_cursor(const RunFilter& filter, const std::string& text);

// Lists of workflows, of assignees and of assignments, by name, and of dead letters, by when they became some.
[[nodiscard]] std::string workflow_cursor(const std::string& tenant, const std::string& name);
[[nodiscard]] Result<std::string> parse_workflow_cursor(const std::string& tenant, const std::string& text);
[[nodiscard]] std::string assignee_cursor(const std::string& tenant, const std::string& id);
[[nodiscard]] Result<std::string> parse_assignee_cursor(const std::string& tenant, const std::string& text);
[[nodiscard]] std::string assignment_cursor(const std::string& tenant, const std::string& id);
[[nodiscard]] Result<std::string> parse_assignment_cursor(const std::string& tenant, const std::string& text);
// Of the schedules that wait for an event, by age: by the id of the last one.
[[nodiscard]] std::string subscriber_cursor(const std::string& tenant, const std::string& event, const std::string& id);
// The key to go on after.
[[nodiscard]] Result<std::int64_t> parse_subscriber_cursor(const std::string& tenant, const std::string& event, const std::string& text);
using DeadPlace = std::pair<std::int64_t, model::RunKey>;
[[nodiscard]] std::string dead_cursor(const std::string& tenant, const DeadPlace& place);
[[nodiscard]] Result<DeadPlace> parse_dead_cursor(const std::string& tenant, const std::string& text);

// A list of approvals, by when they were asked for.
struct ApprovalPlace {
    std::int64_t requested_us = 0;
    model::RunKey run = {};
    std::string node = {};
    std::int64_t attempts = 0;
    friend auto operator<=>(const ApprovalPlace&, const ApprovalPlace&) = default;
};
[[nodiscard]] ApprovalPlace place_of(const model::Approval& approval);
[[nodiscard]] std::string approval_cursor(const ApprovalFilter& filter, const ApprovalPlace& place);
[[nodiscard]] Result<ApprovalPlace> parse_approval_cursor(const ApprovalFilter& filter, const std::string& text);

// After every name that begins with the prefix.
[[nodiscard]] std::string end_of_prefix(std::string prefix);

[[nodiscard]] std::size_t page_limit(const Page& page);
[[nodiscard]] std::size_t scan_limit(const Page& page);

// A schedule as a list meets it, before anything else of it is read.
struct ListedSchedule {
    SchedulePlace place;
    model::ScheduleStatus status = model::ScheduleStatus::active;
    model::TargetType target_type = model::TargetType::workflow;
    std::string target_kind = {};
};
// All that such a row tells: not the label, the next fire time, and what stands in the definition alone.
[[nodiscard]] bool matches(const ScheduleFilter& filter, const ListedSchedule& schedule);

// A list by age walks along the keys, whatever the names are. Those of one name stand in the order of their age already.
[[nodiscard]] inline bool walks_by_age(const ScheduleFilter& filter) { return filter.newest_first && filter.name.empty(); }
[[nodiscard]] inline bool walks_backward(const ScheduleFilter& filter) { return filter.newest_first || filter.descending; }

// The names that a list may show: from the first up to, not including, the second.
[[nodiscard]] std::pair<std::string, std::string> names_of(const ScheduleFilter& filter);

// Whether the definitions have to be read to tell what belongs to the list.
[[nodiscard]] bool asks_for_definition(const ScheduleFilter& filter);
[[nodiscard]] bool matches_definition(const ScheduleFilter& filter, const model::Schedule& definition);

[[nodiscard]] inline bool asks_for_next_fire(const ScheduleFilter& filter) { return filter.next_from || filter.next_to; }
[[nodiscard]] bool fires_in_range(const ScheduleFilter& filter, const std::optional<Instant>& next_fire);

}  // namespace belfry::store
