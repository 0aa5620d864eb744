#include "api/dialects/dialects.hpp"

#include <algorithm>

#include "base/crypto/uuid.hpp"
#include "base/text/ascii.hpp"

namespace belfry::api {

namespace {

// Deleted schedules may share a name. Lists have the oldest first.
Result<std::optional<store::ScheduleRecord>> newest_deleted(store::StoreReader& reader, const std::string& tenant,
                                                            const std::string& name) {
    const store::ScheduleFilter filter{.tenant = tenant, .status = model::ScheduleStatus::deleted, .name_prefix = name};
    std::optional<store::ScheduleRecord> newest;
    for (store::Page page{.limit = store::kPageMax};;) {
        auto listing = reader.schedules(filter, page);
        if (!listing) return listing.error();
        for (auto& record : listing->items) {
            if (record.definition.name != name) return newest;
            newest = std::move(record);
        }
        if (listing->next.empty()) return newest;
        page.after = std::move(listing->next);
    }
}

}  // namespace

Result<store::ScheduleRecord> schedule_called(store::StoreReader& reader, const std::string& tenant,
                                              const std::string& text) {
    auto found = reader.schedule({.tenant = tenant, .name = text});
    if (found || found.error().code != ErrorCode::not_found) return found;
    if (const auto uuid = parse_uuid(text)) {
        auto by_id = reader.schedule({.tenant = tenant, .id = format_uuid(*uuid)});
        if (by_id || by_id.error().code != ErrorCode::not_found) return by_id;
    }
    auto deleted = newest_deleted(reader, tenant, text);
    if (!deleted) return deleted.error();
    if (*deleted) return std::move(**deleted);
    return found;
}

Result<store::ScheduleRecord> living_schedule_called(store::StoreReader& reader, const std::string& tenant,
                                                     const std::string& text) {
    auto found = schedule_called(reader, tenant, text);
    if (!found || found->state.status != model::ScheduleStatus::deleted) return found;
    return Error{ErrorCode::not_found, "schedule " + in_quotes(text) + " was deleted"};
}

std::string made_up_name(const std::string& workflow) {
    constexpr std::size_t kWorkflowShown = 100;  // bytes: a name has 255 characters at most
    constexpr std::size_t kDigits = 8;
    const auto bits = format_uuid(stamp_uuid({system_random(), system_random()}, 4));
    return std::string(whole_characters(workflow, kWorkflowShown)) + "-" + bits.substr(0, kDigits);
}

std::string renamed(const std::string& field, std::span<const FieldName> names) {
    const auto found = std::ranges::find_if(names, [&field](const FieldName& each) {
        const auto size = each.native.size();
        return field.starts_with(each.native) && (field.size() == size || field[size] == '/');
    });
    if (found == names.end()) return field;
    return std::string(found->name) + (found->has_members ? field.substr(found->native.size()) : std::string());
}

Error renamed(Error error, std::span<const FieldName> names) {
    error.field = renamed(error.field, names);
    for (auto& other : error.more) other = renamed(std::move(other), names);
    return error;
}

std::string dotted(std::string field) {
    if (field.starts_with('/') || field.starts_with('?')) field.erase(0, 1);
    std::ranges::replace(field, '/', '.');
    return field;
}

}  // namespace belfry::api
