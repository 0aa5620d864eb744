// Reads schedules from request bodies and writes them as JSON. docs/reference/http.md shows a complete schedule. Pure.
#pragma once

#include "base/text/json.hpp"
#include "model/schedule/schedule.hpp"
#include "model/schedule/schedule_defaults.hpp"
#include "spec/zone/zone_database.hpp"
#include "store/store.hpp"

namespace belfry::api {

inline constexpr std::size_t kInputMax = std::size_t{256} << 10U;       // bytes of one input
inline constexpr std::size_t kDefinitionMax = std::size_t{256} << 10U;  // bytes of a definition with all its members

// The operator's defaults and limits for definitions.
struct ScheduleLimits {
    model::ScheduleDefaults defaults = {};
    std::size_t input_max = kInputMax;
    std::size_t definition_max = kDefinitionMax;
};

// Returns an error when the input of a run, or the payload of an event, is larger than input_max.
[[nodiscard]] std::optional<Error> check_input_size(const Json& input, const std::string& field, std::size_t input_max);
// Returns an error when the text of a definition, as the store keeps it, is larger than definition_max.
[[nodiscard]] std::optional<Error> check_definition_size(const Json& definition, std::size_t definition_max);

// These functions require bodies that the caller has validated against the shapes of schedule_shape.hpp.

// Reads the definition from the body of a POST. Server-owned members (`id`, `createdAt`, `runCount`…) are accepted and
// ignored, so that a client can send a response back. An unknown member is rejected by name. null means the default.
[[nodiscard]] Result<model::Schedule> read_new_schedule(const Json& body, const std::string& tenant,
                                                        const ScheduleLimits& limits = {});

// Moves `target.maxRetries` to `retryPolicy.maxRetries`. Returns an error when both are present and differ.
[[nodiscard]] std::optional<Error> settle_target_retries(boost::json::object& definition);

// Reads the definition from the body of a PUT, which replaces `stored`. An omitted member returns to its default,
// except the name and the time zone, which stay. When both `spec` and `scheduleType` are present, the one that differs
// from the stored value counts.
[[nodiscard]] Result<model::Schedule> read_changed_schedule(const Json& body, const model::Schedule& stored);

// Turns a PATCH (RFC 7386) into the body of the equivalent PUT: the current definition with the patch merged into it.
[[nodiscard]] Result<Json> patched(Json patch, const store::ScheduleRecord& record, const spec::ZoneDatabase& zones);

// Returns the status that the body requests by `status` or `enabled`, if it differs from `present`. Returns an error
// when a client cannot set the requested status.
[[nodiscard]] Result<std::optional<model::ScheduleStatus>> wanted_status(const Json& body,
                                                                         model::ScheduleStatus present);

// Returns an error when a replacement has a different status than the schedule. The body may be a response from before
// a pause, and its sender did not mean to end the pause.
[[nodiscard]] std::optional<Error> check_same_status(const Json& body, model::ScheduleStatus present);

// Whether the body has any member of the definition, and not only server-owned members.
[[nodiscard]] bool changes_definition(const Json& body);

// Rewrites an error of the engine about a definition to use the members of this body.
[[nodiscard]] Error in_words_of(const Json& body, Error error);
// Rewrites an error about a time zone that the body does not name: the stored zone stays and is the invalid one.
[[nodiscard]] Error about_kept_zone(const Json& body, const model::Schedule& stored, Error error);

// Validates a definition beyond its shape. Errors that only the compiler of a spec or a condition detects are not
// included.
[[nodiscard]] std::vector<Error> check_schedule(const model::Schedule& schedule, const ScheduleLimits& limits);
// Returns the schedule, or all its errors at once.
[[nodiscard]] Result<model::Schedule> checked_schedule(Result<model::Schedule> schedule, const ScheduleLimits& limits);

// Validates the failure policy of a schedule or an assignment: the mode `fallback` needs a fallback assignee.
[[nodiscard]] std::optional<Error> check_failure(const model::FailurePolicy& failure);

// Writes one version of a definition.
[[nodiscard]] boost::json::object to_json(const model::Schedule& definition, const spec::ZoneDatabase& zones);

// Writes every member, with its default or null where there is no value. Omits `lastResult` if `last_result` is not
// set.
[[nodiscard]] boost::json::object to_json(const store::ScheduleRecord& record, const spec::ZoneDatabase& zones,
                                          const std::optional<Json>& last_result);

}  // namespace belfry::api
