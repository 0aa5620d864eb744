#include "model/schedule/schedule_fields.hpp"

#include "model/schedule/schedule_json.hpp"
#include "model/schedule/schedule_json_members.hpp"

namespace belfry::model {

const std::vector<ScheduleField>& schedule_fields() {
    static const auto fields = [] {
        std::vector<ScheduleField> rows;
        const Schedule any;
        visit_members(any, [&](const char* name, const auto&, MemberRow row = {}) {
            rows.push_back({name, row.set_by, row.changes != nullptr ? row.changes : name});
        });
        return rows;
    }();
    return fields;
}

// Fields with the same name in events are neighbours in the table, so each name is listed once.
std::vector<std::string> changed_fields(const Schedule& before, const Schedule& after) {
    const auto old_json = complete_json(before);
    const auto new_json = complete_json(after);
    std::vector<std::string> names;
    for (const auto& field : schedule_fields()) {
        if (field.set_by == SetBy::server || old_json.at(field.name) == new_json.at(field.name)) continue;
        if (names.empty() || names.back() != field.changes) names.emplace_back(field.changes);
    }
    return names;
}

}  // namespace belfry::model
