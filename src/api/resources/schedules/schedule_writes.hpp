// What requests about schedules have in common, whether they are about one schedule or about many.
#pragma once

#include "api/handlers.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "engine/usecases/assignments.hpp"
#include "engine/usecases/schedules.hpp"

namespace belfry::api {

struct ScheduleWriter {
    engine::Schedules& schedules;
    engine::Assignments& assignments;
    ScheduleView view;
    ScheduleLimits limits;
};

// Returns the definition, or all its errors at once.
[[nodiscard]] Result<model::Schedule> check_definition(const ScheduleWriter& writer,
                                                       Result<model::Schedule> definition);

// These functions require bodies that match the shapes of schedule_shape.hpp.
[[nodiscard]] Result<engine::Schedules::Wanted> read_new(const ScheduleWriter& writer, const std::string& tenant,
                                                         const Json& body, const model::CommandContext& context);
// Merges the body into the definition, and pauses or resumes the schedule if the body says so. A version other than
// the stored one is a conflict.
[[nodiscard]] Result<store::ScheduleRecord> patch_schedule(const ScheduleWriter& writer, const store::ScheduleRef& ref,
                                                           std::optional<std::int64_t> version, const Json& body,
                                                           const model::CommandContext& context);

// The filters of schedules.
[[nodiscard]] std::vector<Member> schedule_filter_members();
[[nodiscard]] store::ScheduleFilter read_schedule_filter(const Parameters& values, const std::string& tenant);

}  // namespace belfry::api
