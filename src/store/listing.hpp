// The common parts of lists in every store: cursors, page sizes and filters. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/tenant/webhook.hpp"
#include "store/store.hpp"

namespace belfry::store {

// A position in a list of schedules: after this one.
using SchedulePlace = std::pair<std::string, std::int64_t>;  // name and key

// A cursor has a hash of the tenant and the filter, and the sort key of the last row. Cursors of another list are
// rejected.
[[nodiscard]] std::string schedule_cursor(const ScheduleFilter& filter, const SchedulePlace& place);
[[nodiscard]] Result<SchedulePlace> parse_schedule_cursor(const ScheduleFilter& filter, const std::string& text);
[[nodiscard]] std::string run_cursor(const RunFilter& filter, const model::RunKey& key);
[[nodiscard]] Result<model::RunKey> parse_run_cursor(const RunFilter& filter, const std::string& text);

// Lists of workflows, calendars, assignees and assignments, by name; dead letters, by the time of their failure.
[[nodiscard]] std::string workflow_cursor(const std::string& tenant, const std::string& name);
[[nodiscard]] Result<std::string> parse_workflow_cursor(const std::string& tenant, const std::string& text);
[[nodiscard]] std::string calendar_cursor(const std::string& tenant, const std::string& name);
[[nodiscard]] Result<std::string> parse_calendar_cursor(const std::string& tenant, const std::string& text);
[[nodiscard]] std::string assignee_cursor(const std::string& tenant, const std::string& id);
[[nodiscard]] Result<std::string> parse_assignee_cursor(const std::string& tenant, const std::string& text);
[[nodiscard]] std::string assignment_cursor(const std::string& tenant, const std::string& id);
[[nodiscard]] Result<std::string> parse_assignment_cursor(const std::string& tenant, const std::string& text);
// Subscribers of an event, by age. The cursor has the id of the last schedule.
[[nodiscard]] std::string subscriber_cursor(const std::string& tenant, const std::string& event, const std::string& id);
// Returns the key of the last schedule.
[[nodiscard]] Result<std::int64_t> parse_subscriber_cursor(const std::string& tenant, const std::string& event,
                                                           const std::string& text);
using DeadPlace = std::pair<std::int64_t, model::RunKey>;
[[nodiscard]] std::string dead_cursor(const std::string& tenant, const DeadPlace& place);
[[nodiscard]] Result<DeadPlace> parse_dead_cursor(const std::string& tenant, const std::string& text);

// A position in a list of approvals, sorted by the time of the request.
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
// By run, then by age.
void sort_by_run(std::vector<model::Approval>& approvals);

// A text that sorts after every name with this prefix.
[[nodiscard]] std::string end_of_prefix(std::string prefix);

[[nodiscard]] std::size_t page_limit(const Page& page);

// How much room a page has left, in items and approximate bytes. Every store counts the size of the values, not of
// their stored form. The first item always fits; the page ends with the item that fills it.
class PageBudget {
public:
    explicit PageBudget(const Page& page) : items_left_(page_limit(page)), bytes_left_(page.bytes) {}
    PageBudget(std::size_t limit, std::size_t bytes) : items_left_(limit), bytes_left_(bytes) {}

    [[nodiscard]] bool is_full() const { return items_left_ == 0 || bytes_left_ == 0; }
    void add(std::size_t bytes) {
        items_left_ -= 1;
        bytes_left_ -= std::min(bytes_left_, bytes);
    }

private:
    std::size_t items_left_;
    std::size_t bytes_left_;
};

[[nodiscard]] std::size_t bytes_of(const model::Schedule& definition);
[[nodiscard]] std::size_t bytes_of(const ScheduleRecord& record);
[[nodiscard]] std::size_t bytes_of(const model::Run& run);
[[nodiscard]] std::size_t bytes_of(const EventRecord& record);
[[nodiscard]] std::size_t bytes_of(const model::ChainedEvent& event);
[[nodiscard]] std::size_t bytes_of(const model::RunEvent& event);
[[nodiscard]] std::size_t bytes_of(const model::Approval& approval);
[[nodiscard]] std::size_t bytes_of(const model::AssigneeRecord& record);
[[nodiscard]] std::size_t bytes_of(const model::WorkflowAssignment& record);
[[nodiscard]] std::size_t bytes_of(const CalendarRecord& record);
[[nodiscard]] std::size_t bytes_of(const WorkflowHead& head);
[[nodiscard]] std::size_t bytes_of(const std::string& id);
[[nodiscard]] std::size_t bytes_of(const model::FeedItem& item);
[[nodiscard]] std::size_t bytes_of(const model::Delivery& delivery);

// Whether a list without a cursor ended because of its size, so that there may be more items.
template <typename T>
[[nodiscard]] bool fills_page(const std::vector<T>& items, std::size_t bytes = kPageBytesMax) {
    PageBudget budget(items.size() + 1, bytes);
    for (const auto& item : items) budget.add(bytes_of(item));
    return budget.is_full();
}

// The budget of a page of runs. A response with a run also shows part of its definition, so the whole definition must
// be read. A definition counts once per page; the part that every run repeats counts with every run.
class RunPageBudget {
public:
    explicit RunPageBudget(const Page& page) : budget_(page) {}
    [[nodiscard]] bool is_full() const { return budget_.is_full(); }
    void add(const model::Run& run, const model::Schedule& definition);

private:
    PageBudget budget_;
    std::set<std::pair<std::string, std::int64_t>> definitions_ = {};  // by id and version
};
[[nodiscard]] std::size_t scan_limit(const Page& page);

// The columns of a schedule that a list reads first.
struct ListedSchedule {
    SchedulePlace place;
    model::ScheduleStatus status = model::ScheduleStatus::active;
    model::TargetType target_type = model::TargetType::workflow;
    std::string target_kind = {};
};
// Checks everything in the filter that these columns can decide: not the label, the next fire time and values of the
// definition.
[[nodiscard]] bool matches(const ScheduleFilter& filter, const ListedSchedule& schedule);

// A list by age follows the keys. Schedules with the same name are already sorted by age.
[[nodiscard]] inline bool walks_by_age(const ScheduleFilter& filter) {
    return filter.newest_first && filter.name.empty();
}
[[nodiscard]] inline bool walks_backward(const ScheduleFilter& filter) {
    return filter.newest_first || filter.descending;
}

// The range of names that a list may contain: first inclusive, second exclusive.
[[nodiscard]] std::pair<std::string, std::string> names_of(const ScheduleFilter& filter);

// Whether the filter needs the definitions.
[[nodiscard]] bool asks_for_definition(const ScheduleFilter& filter);
[[nodiscard]] bool matches_definition(const ScheduleFilter& filter, const model::Schedule& definition);

[[nodiscard]] inline bool asks_for_next_fire(const ScheduleFilter& filter) {
    return filter.next_from || filter.next_to;
}
[[nodiscard]] bool fires_in_range(const ScheduleFilter& filter, const std::optional<Instant>& next_fire);

}  // namespace belfry::store
