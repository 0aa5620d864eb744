// The fields of a schedule, as rows of the member table in schedule_json_members.hpp. Pure.
//
// The table names each field once. Storage, responses and the `changed_fields` of audit events follow from it, and a
// test compares the shape of the API with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/json/json_members.hpp"
#include "model/schedule/schedule.hpp"

namespace belfry::model {

struct ScheduleField {
    std::string_view name;  // in storage, requests and responses
    SetBy set_by = SetBy::client;
    std::string_view changes;  // the name under which an audit event lists a change
};

// In the order of the table.
[[nodiscard]] const std::vector<ScheduleField>& schedule_fields();

// The names, as an audit event lists them, of the fields that clients set and that differ. REQUIRES: as to_json().
[[nodiscard]] std::vector<std::string> changed_fields(const Schedule& before, const Schedule& after);

}  // namespace belfry::model
