// Workflow runs in the format of the durable dialect, and the contract that `dw` expects in each of their responses.
#pragma once

#include "api/dialects/durable/durable.hpp"

namespace belfry::api::durable {

// A run and the definition that decided it.
struct RunView {
    model::Run run;
    model::DefinitionPtr definition;
};

// Finds the run of a workflow id, `schedule:{name}:{slot}`, or of a run id. With a run id as well, both must belong
// together. An occurrence that started no run is not found.
[[nodiscard]] Result<RunView> find_run(store::StoreReader& reader, const std::string& tenant,
                                       const std::string& workflow_id, const std::optional<std::string>& run_id = {});

[[nodiscard]] std::string workflow_id_of(const RunView& view);
// `pending`, `waiting`, `running`, `completed`, `failed`, `timed_out`, `cancelled`, `terminated`.
[[nodiscard]] std::string_view status_of(const model::Run& run);
// `running`, `completed`, `failed`.
[[nodiscard]] std::string_view bucket_of(const model::Run& run);

[[nodiscard]] boost::json::object run_item(const RunView& view);
[[nodiscard]] boost::json::object run_description(const RunView& view);

// Adds `control_plane`: `dw` refuses a response of a workflow route without it, errors included.
[[nodiscard]] boost::json::object with_contract(boost::json::object body, const char* operation);

[[nodiscard]] ShapePtr run_list_shape();
[[nodiscard]] ShapePtr run_description_shape();
[[nodiscard]] ShapePtr runs_of_workflow_shape();
[[nodiscard]] ShapePtr run_history_shape();
[[nodiscard]] ShapePtr run_outcome_shape();

}  // namespace belfry::api::durable
