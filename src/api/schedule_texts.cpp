#include "api/schedule_texts.hpp"

#include "api/cursor.hpp"
#include "api/json_values.hpp"
#include "api/schedule_members.hpp"

namespace belfry::api {

namespace {

// Members to stand among others: without the braces.
std::string members_text(const boost::json::object& members) {
    auto text = to_text(members);
    return text.substr(1, text.size() - 2);
}

}  // namespace

std::shared_ptr<const ScheduleTexts::Lasting> ScheduleTexts::lasting(const model::Schedule& schedule) {
    const auto key = schedule.id + ' ' + std::to_string(schedule.version);
    if (auto found = lasting_.find(key)) return found;
    boost::json::object identity;
    boost::json::object rules;
    boost::json::object origin;
    add_identity(identity, schedule);
    add_rules(rules, schedule, zones_);
    add_origin(origin, schedule);
    auto made = std::make_shared<const Lasting>(Lasting{members_text(identity), members_text(rules), members_text(origin)});
    lasting_.keep(key, made, made->bytes());
    return made;
}

void ScheduleTexts::write(std::string& out, const store::ScheduleRecord& record, const std::optional<Json>& last_result) {
    const auto definition = lasting(record.definition);
    // Between two stretches of the definition: each member of the state has a comma before it and one behind the last.
    const AddMember add = [&out](std::string_view name, const Json& value) { ((((out += ",\"") += name) += "\":") += to_text(value)); };
    (out += '{') += definition->identity;
    add_standing(add, record);
    (out += ',') += definition->rules;
    add_progress(add, record, zones_, last_result);
    ((out += ',') += definition->origin) += '}';
}

std::string ScheduleTexts::text(const store::ScheduleRecord& record, const std::optional<Json>& last_result) {
    std::string out;
    write(out, record, last_result);
    return out;
}

std::string ScheduleTexts::page(const store::Listing<store::ScheduleRecord>& listing) {
    std::string out = R"({"items":[)";
    const char* separator = "";
    for (const auto& record : listing.items) {
        out += std::exchange(separator, ",");
        write(out, record, std::nullopt);
    }
    ((out += R"(],"nextCursor":)") += to_text(or_null(cursor_text(listing.next)))) += '}';
    return out;
}

}  // namespace belfry::api
