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

Error renamed(Error error, Places places) {
    const auto place =
        std::ranges::find_if(places, [&](const auto& each) { return error.field.starts_with(each.first); });
    if (place != places.end()) error.field = place->second;
    for (auto& other : error.more) other = renamed(std::move(other), places);
    return error;
}

}  // namespace belfry::api
