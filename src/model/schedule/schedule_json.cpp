#include "model/schedule/schedule_json.hpp"

#include "model/json/json_writer.hpp"
#include "model/schedule/schedule_json_members.hpp"

namespace belfry::model {

Json to_json(const spec::SpecText& spec) { return JsonWriter(JsonShape::whole).write(spec); }
Json to_json(const Target& target) { return JsonWriter(JsonShape::whole).write(target); }
Json complete_json(const Schedule& schedule) { return JsonWriter(JsonShape::whole).write(schedule); }
Json complete_json(const WorkflowAssignment& record) { return JsonWriter(JsonShape::whole).write(record); }
Json to_json(const Schedule& schedule) { return JsonWriter(JsonShape::compact).write(schedule); }
Json to_json(const WorkflowAssignment& record) { return JsonWriter(JsonShape::compact).write(record); }
Json to_json(const spec::CalendarText& calendar) { return JsonWriter(JsonShape::compact).write(calendar); }

}  // namespace belfry::model
