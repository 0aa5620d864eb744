// What the functions share: their usual arguments, and the error for one that does not exist.
#include <algorithm>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/rpc.hpp"
#include "base/crypto/uuid.hpp"

namespace belfry::api::rpc {

namespace {

constexpr auto kAny = std::numeric_limits<std::int64_t>::min();

}  // namespace

std::string signature(const std::string& name, std::vector<std::string> arguments) {
    std::ranges::sort(arguments);
    std::string all;
    for (const auto& argument : arguments) all += (all.empty() ? "" : ", ") + argument;
    return "public." + name + "(" + all + ")";
}

Refusal no_such_function(const std::string& name, const Json& body, const std::string& meant) {
    std::vector<std::string> given;
    for (const auto& member : body.get_object()) given.emplace_back(member.key());
    return {404, "PGRST202", "there is no function " + signature(name, std::move(given)),
            "A function is known by its name and by the names of its arguments.",
            meant.empty() ? meant : "call " + meant};
}

Member schedule_argument() {
    return {"p_schedule_id", uuid(), "Unique identifier of the schedule.", Presence::required};
}

Member limit_argument(std::int64_t usual, std::int64_t most) {
    return {"p_limit", integer(kAny),
            "Maximum number of rows to return. Defaults to " + std::to_string(usual) + ". Values outside 1 to " +
                std::to_string(most) + " are clamped."};
}

std::size_t read_limit(const Values& arguments, std::int64_t usual, std::int64_t most) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(arguments.integer("p_limit").value_or(usual), 1, most));
}

store::ScheduleRef ref_of(const store::ScheduleRecord& record) {
    return {.tenant = record.definition.tenant, .id = record.definition.id};
}

Result<store::ScheduleRecord> schedule_of(store::StoreReader& reader, const Call& call, Deleted deleted) {
    const Error not_there{ErrorCode::not_found, "there is no such schedule"};
    const auto uuid = parse_uuid(Values(call.body).text("p_schedule_id").value_or(""));
    if (!uuid) return not_there;
    auto record = reader.schedule({.tenant = call.tenant(), .id = format_uuid(*uuid)});
    if (record && record->state.status == model::ScheduleStatus::deleted && deleted == Deleted::hidden)
        return not_there;
    return record;
}

}  // namespace belfry::api::rpc
