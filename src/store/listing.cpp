#include "store/listing.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/crypto/sha256.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_size.hpp"
#include "base/text/parse_integer.hpp"
#include "model/schedule/schedule_json.hpp"
#include "store/errors.hpp"

namespace belfry::store {

namespace {

constexpr std::size_t kMarkDigits = 12;  // 48 bits: detects mistakes, but is no protection against forged cursors

// Length-prefixed texts, so that no two filters give the same mark.
class Mark {
public:
    Mark& add(const std::string& part) {
        text_ += std::to_string(part.size()) + ":" + part;
        return *this;
    }
    Mark& add(std::int64_t number) { return add(std::to_string(number)); }
    template <typename T>
    Mark& add(const std::optional<T>& part) {
        if (!part) return add(std::string("-"));
        add(std::string("+"));
        return add(*part);
    }
    Mark& add(Instant instant) { return add(epoch_us(instant)); }
    Mark& add(model::ScheduleStatus status) { return add(static_cast<std::int64_t>(status)); }
    Mark& add(model::TargetType type) { return add(static_cast<std::int64_t>(type)); }
    Mark& add(RunState state) { return add(static_cast<std::int64_t>(state)); }
    Mark& add(const std::pair<std::string, std::string>& label) { return add(label.first).add(label.second); }
    Mark& add(const std::vector<std::pair<std::string, Json>>& members) {
        add(static_cast<std::int64_t>(members.size()));
        for (const auto& [name, value] : members) add(name).add(to_text(value));
        return *this;
    }

    [[nodiscard]] std::string digits() const { return sha256_hex(text_).substr(0, kMarkDigits); }

private:
    std::string text_;
};

std::string mark_of(const ScheduleFilter& filter) {
    return Mark()
        .add(filter.tenant)
        .add(filter.status)
        .add(filter.name_prefix)
        .add(filter.label)
        .add(filter.target_type)
        .add(filter.target_kind)
        .add(lower_case(filter.contains))
        .add(filter.next_from)
        .add(filter.next_to)
        .add(std::int64_t{filter.descending})
        .add(std::int64_t{filter.newest_first})
        .add(filter.name)
        .add(filter.notes)
        .add(filter.queue)
        .add(filter.search_attributes)
        .digits();
}

std::string mark_of(const RunFilter& filter) {
    Mark mark;
    mark.add(filter.tenant).add(filter.schedule_id).add(filter.state).add(filter.from).add(filter.to);
    return (filter.team.empty() ? mark : mark.add(filter.team)).digits();
}

std::string mark_of(const std::string& list) { return Mark().add(list).digits(); }

// `slot.schedule`, as in the cursors of runs.
std::optional<model::RunKey> parse_place(std::string_view text) {
    const auto dot = text.find('.');
    const auto slot = parse_integer(text.substr(0, dot));
    const auto schedule = dot == std::string_view::npos ? std::nullopt : parse_integer(text.substr(dot + 1));
    if (!slot || !schedule) return std::nullopt;
    return model::RunKey{*schedule, *slot};
}

// Returns the part after the mark.
Result<std::string_view> without_mark(std::string_view cursor, const std::string& mark) {
    if (cursor.size() <= kMarkDigits || cursor[kMarkDigits] != '.') return bad_cursor();
    if (cursor.substr(0, kMarkDigits) != mark) return foreign_cursor();
    return cursor.substr(kMarkDigits + 1);
}

Result<std::string> name_after_mark(const std::string& text, const std::string& list) {
    const auto rest = without_mark(text, mark_of(list));
    if (!rest) return rest.error();
    return std::string(*rest);
}

// Not std::ranges::search: clang 14 fails to compile the subrange of libstdc++ 12.
bool contains_ignoring_case(std::string_view text, std::string_view part) {
    const auto same = [](char a, char b) { return to_lower(a) == to_lower(b); };
    return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

std::string schedule_cursor(const ScheduleFilter& filter, const SchedulePlace& place) {
    return mark_of(filter) + "." + std::to_string(place.second) + "." + place.first;
}

Result<SchedulePlace> parse_schedule_cursor(const ScheduleFilter& filter, const std::string& text) {
    const auto rest = without_mark(text, mark_of(filter));
    if (!rest) return rest.error();
    const auto dot = rest->find('.');
    const auto key = parse_integer(rest->substr(0, dot));
    if (dot == std::string_view::npos || !key) return bad_cursor();
    return SchedulePlace{std::string(rest->substr(dot + 1)), *key};
}

std::string run_cursor(const RunFilter& filter, const model::RunKey& key) {
    return mark_of(filter) + "." + std::to_string(key.slot) + "." + std::to_string(key.schedule);
}

Result<model::RunKey> parse_run_cursor(const RunFilter& filter, const std::string& text) {
    const auto rest = without_mark(text, mark_of(filter));
    if (!rest) return rest.error();
    const auto key = parse_place(*rest);
    if (!key) return bad_cursor();
    return *key;
}

std::string workflow_cursor(const std::string& tenant, const std::string& name) {
    return mark_of("workflows " + tenant) + "." + name;
}

Result<std::string> parse_workflow_cursor(const std::string& tenant, const std::string& text) {
    return name_after_mark(text, "workflows " + tenant);
}

std::string calendar_cursor(const std::string& tenant, const std::string& name) {
    return mark_of("calendars " + tenant) + "." + name;
}

Result<std::string> parse_calendar_cursor(const std::string& tenant, const std::string& text) {
    return name_after_mark(text, "calendars " + tenant);
}

std::string subscriber_cursor(const std::string& tenant, const std::string& event, const std::string& id) {
    return mark_of("subscribers " + tenant + " " + event) + "." + id;
}

Result<std::int64_t> parse_subscriber_cursor(const std::string& tenant, const std::string& event,
                                             const std::string& text) {
    if (text.empty()) return std::numeric_limits<std::int64_t>::min();
    const auto id = name_after_mark(text, "subscribers " + tenant + " " + event);
    if (!id) return id.error();
    return model::key_of(*id);
}

std::string assignee_cursor(const std::string& tenant, const std::string& id) {
    return mark_of("assignees " + tenant) + "." + id;
}

Result<std::string> parse_assignee_cursor(const std::string& tenant, const std::string& text) {
    return name_after_mark(text, "assignees " + tenant);
}

std::string assignment_cursor(const std::string& tenant, const std::string& id) {
    return mark_of("assignments " + tenant) + "." + id;
}

Result<std::string> parse_assignment_cursor(const std::string& tenant, const std::string& text) {
    return name_after_mark(text, "assignments " + tenant);
}

std::string dead_cursor(const std::string& tenant, const DeadPlace& place) {
    return mark_of("dead " + tenant) + "." + std::to_string(place.first) + "." + std::to_string(place.second.slot) +
           "." + std::to_string(place.second.schedule);
}

Result<DeadPlace> parse_dead_cursor(const std::string& tenant, const std::string& text) {
    const auto rest = without_mark(text, mark_of("dead " + tenant));
    if (!rest) return rest.error();
    const auto dot = rest->find('.');
    const auto at = parse_integer(rest->substr(0, dot));
    const auto key = dot == std::string_view::npos ? std::nullopt : parse_place(rest->substr(dot + 1));
    if (!at || !key) return bad_cursor();
    return DeadPlace{*at, *key};
}

namespace {

std::string approval_mark(const ApprovalFilter& filter) {
    return mark_of("approvals " + std::string(name_of(filter.status)) + " " + filter.tenant);
}

}  // namespace

ApprovalPlace place_of(const model::Approval& approval) {
    return {epoch_us(approval.requested_at), model::parse_run_id(approval.run_id).value_or(model::RunKey{}),
            approval.node, approval.attempts};
}

std::string approval_cursor(const ApprovalFilter& filter, const ApprovalPlace& place) {
    return approval_mark(filter) + "." + std::to_string(place.requested_us) + "." + std::to_string(place.attempts) +
           "." + std::to_string(place.run.slot) + "." + std::to_string(place.run.schedule) + "." + place.node;
}

void sort_by_run(std::vector<model::Approval>& approvals) {
    std::ranges::sort(approvals, {}, [](const model::Approval& approval) {
        return std::tuple(approval.run_id, approval.requested_at, approval.node, approval.attempts);
    });
}

Result<ApprovalPlace> parse_approval_cursor(const ApprovalFilter& filter, const std::string& text) {
    auto rest = without_mark(text, approval_mark(filter));
    if (!rest) return rest.error();
    ApprovalPlace place;
    for (auto* const number : {&place.requested_us, &place.attempts, &place.run.slot, &place.run.schedule}) {
        const auto dot = rest->find('.');
        const auto parsed = parse_integer(rest->substr(0, dot));
        if (!parsed || dot == std::string_view::npos) return bad_cursor();
        *number = *parsed;
        *rest = rest->substr(dot + 1);
    }
    place.node = std::string(*rest);
    return place;
}

// U+10FFFF is the last character, so a text of it sorts as late as a name can.
std::string end_of_prefix(std::string prefix) {
    for (int i = 0; i < 64; ++i) prefix += "\xf4\x8f\xbf\xbf";
    return prefix;
}

std::size_t page_limit(const Page& page) { return std::clamp(page.limit, std::size_t{1}, kPageMax); }
namespace {

constexpr std::size_t kItemBytes = 256;  // names and numbers, which every item has
constexpr std::size_t kEntryBytes = 16;  // quotes and separators around a text

std::size_t text_sizes(const std::vector<std::string>& texts) {
    std::size_t size = 0;
    for (const auto& text : texts) size += text.size() + kEntryBytes;
    return size;
}

std::size_t text_sizes(const std::map<std::string, std::string>& texts) {
    std::size_t size = 0;
    for (const auto& [key, value] : texts) size += key.size() + value.size() + kEntryBytes;
    return size;
}

// The part of the definition that every run repeats.
std::size_t bytes_beside_a_run(const model::Schedule& definition) {
    return definition.name.size() + text_sizes(definition.labels) + text_size(definition.memo) +
           text_size(definition.search_attributes);
}

}  // namespace

std::size_t bytes_of(const model::Schedule& definition) {
    const auto& target = definition.target;
    auto size = kItemBytes + bytes_beside_a_run(definition) + definition.description.size() + definition.notes.size();
    size += text_sizes(definition.calendars) + text_size(definition.condition) + text_size(definition.inputs_template);
    for (const auto& input : definition.inputs_rotation) size += text_size(input) + kEntryBytes;
    size += text_size(target.input) + text_sizes(target.metadata) + text_sizes(definition.approval.gates);
    const auto& spec = definition.spec;
    size += text_sizes(spec.cron) + text_sizes(spec.at) + (spec.intervals.size() + spec.events.size()) * kItemBytes;
    return size;
}

std::size_t bytes_of(const ScheduleRecord& record) {
    return bytes_of(record.definition) + record.state.last_error.size();
}

std::size_t bytes_of(const model::Run& run) {
    return kItemBytes + run.detail.size() + text_size(run.input) + text_size(run.result) + run.error.size();
}

std::size_t bytes_of(const EventRecord& record) { return kItemBytes + text_size(record.event.payload); }
std::size_t bytes_of(const model::ChainedEvent& event) { return kItemBytes + event.payload.size(); }
std::size_t bytes_of(const model::RunEvent& event) { return kItemBytes + event.node.size() + text_size(event.payload); }
std::size_t bytes_of(const model::Approval& approval) {
    return kItemBytes + approval.node.size() + approval.action.size() + approval.comment.size();
}

std::size_t bytes_of(const model::AssigneeRecord& record) {
    const auto& tools = record.policies.allow_tools;
    return kItemBytes + record.display_name.size() + (tools ? text_sizes(*tools) : 0);
}

std::size_t bytes_of(const model::WorkflowAssignment& record) { return text_size(model::to_json(record)); }
std::size_t bytes_of(const CalendarRecord& record) {
    return kItemBytes + record.calendar.name.size() + text_sizes(record.calendar.dates);
}
std::size_t bytes_of(const WorkflowHead& head) { return head.name.size() + kEntryBytes; }
std::size_t bytes_of(const std::string& id) { return id.size() + kEntryBytes; }
std::size_t bytes_of(const model::FeedItem& item) { return kItemBytes + text_size(item.body); }
std::size_t bytes_of(const model::Delivery& delivery) { return bytes_of(delivery.item) + delivery.last_error.size(); }

void RunPageBudget::add(const model::Run& run, const model::Schedule& definition) {
    auto bytes = bytes_of(run) + bytes_beside_a_run(definition);
    if (definitions_.emplace(definition.id, definition.version).second) bytes += bytes_of(definition);
    budget_.add(bytes);
}

std::size_t scan_limit(const Page& page) { return std::clamp(page.scan, std::size_t{1}, kScanMax); }

bool matches(const ScheduleFilter& filter, const ListedSchedule& schedule) {
    if (filter.status ? schedule.status != *filter.status : schedule.status == model::ScheduleStatus::deleted)
        return false;
    if (filter.target_type && schedule.target_type != *filter.target_type) return false;
    if (!filter.target_kind.empty() && schedule.target_kind != filter.target_kind) return false;
    const auto& name = schedule.place.first;
    if (!filter.name.empty() && name != filter.name) return false;
    if (!name.starts_with(filter.name_prefix)) return false;
    return filter.contains.empty() || contains_ignoring_case(name, filter.contains);
}

// No name contains a character before U+0001, so only the name itself lies in this range.
std::pair<std::string, std::string> names_of(const ScheduleFilter& filter) {
    if (!filter.name.empty()) return {filter.name, filter.name + '\x01'};
    return {filter.name_prefix, end_of_prefix(filter.name_prefix)};
}

bool asks_for_definition(const ScheduleFilter& filter) {
    const bool label_alone = filter.label && walks_by_age(filter);  // the index of labels is sorted by name
    return label_alone || filter.notes || filter.queue || !filter.search_attributes.empty();
}

bool matches_definition(const ScheduleFilter& filter, const model::Schedule& definition) {
    if (filter.label) {
        const auto label = definition.labels.find(filter.label->first);
        if (label == definition.labels.end() || label->second != filter.label->second) return false;
    }
    if (filter.notes && definition.notes != *filter.notes) return false;
    if (filter.queue && definition.target.queue != *filter.queue) return false;
    return std::ranges::all_of(filter.search_attributes, [&definition](const auto& wanted) {
        const auto* const members = definition.search_attributes.if_object();
        const auto* const found = members == nullptr ? nullptr : members->if_contains(wanted.first);
        return found != nullptr && same_json(*found, wanted.second);
    });
}

bool fires_in_range(const ScheduleFilter& filter, const std::optional<Instant>& next_fire) {
    if (!asks_for_next_fire(filter)) return true;
    if (!next_fire) return false;
    return (!filter.next_from || *next_fire >= *filter.next_from) && (!filter.next_to || *next_fire <= *filter.next_to);
}

}  // namespace belfry::store
