#include "api/schedule_dto.hpp"
#include "api/schedule_members.hpp"

namespace belfry::api {

boost::json::object to_json(const store::ScheduleRecord& record, const spec::ZoneDatabase& zones, const std::optional<Json>& last_result) {
    boost::json::object out;
    const AddMember add = [&out](std::string_view name, Json value) { out[name] = std::move(value); };
    add_identity(out, record.definition);
    add_standing(add, record);
    add_rules(out, record.definition, zones);
    add_progress(add, record, zones, last_result);
    add_origin(out, record.definition);
    return out;
}

}  // namespace belfry::api
