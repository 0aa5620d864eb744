#include "model/workflow/workflow_json.hpp"

#include "model/json/json_reader.hpp"
#include "model/json/json_writer.hpp"
#include "model/workflow/workflow_json_members.hpp"

namespace belfry::model {

Json to_json(const Workflow& workflow) { return JsonWriter(JsonShape::compact).write(workflow); }
Json to_whole_json(const Workflow& workflow) { return JsonWriter(JsonShape::whole).write(workflow); }

Result<Workflow> workflow_from_json(const Json& json) {
    auto workflow = JsonReader(JsonNulls::absent).read_whole<Workflow>(json);
    if (workflow) return workflow;
    auto error = workflow.error();
    if (error.more.size() >= kWorkflowErrorsMax) error.more.resize(kWorkflowErrorsMax - 1);
    return error;
}

}  // namespace belfry::model
