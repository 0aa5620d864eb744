#include "model/json/json_reader.hpp"
#include "model/schedule/schedule_json.hpp"
#include "model/schedule/schedule_json_members.hpp"

namespace belfry::model {

namespace {

// Stored data was valid when it was written, so one error is enough to diagnose damage.
template <typename T>
Result<T> read_first(const Json& json) {
    auto value = JsonReader(JsonNulls::refused).read_whole<T>(json);
    if (value) return value;
    auto error = value.error();
    error.more.clear();
    return error;
}

}  // namespace

Result<Schedule> schedule_from_json(const Json& json) { return read_first<Schedule>(json); }
Result<spec::SpecText> spec_from_json(const Json& json) { return read_first<spec::SpecText>(json); }
Result<WorkflowAssignment> assignment_from_json(const Json& json) { return read_first<WorkflowAssignment>(json); }
Result<spec::CalendarText> calendar_from_json(const Json& json) { return read_first<spec::CalendarText>(json); }

}  // namespace belfry::model
