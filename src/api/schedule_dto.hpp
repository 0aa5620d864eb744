// Schedules as the API reads and answers them: docs/reference/http.md shows one whole. Pure.
#pragma once

#include "base/json.hpp"
#include "model/schedule.hpp"
#include "model/schedule_defaults.hpp"
#include "spec/zone_database.hpp"
#include "store/store.hpp"

namespace belfry::api {

inline constexpr std::size_t kInputMax = std::size_t{256} << 10U;  // bytes of one input

// What the operator says about definitions.
struct ScheduleLimits {
    model::ScheduleDefaults defaults = {};
    std::size_t input_max = kInputMax;
};

// Bodies have the shapes of schedule_shape.hpp: whoever reads one has checked that.

// The definition in the body of a POST. What the server owns (`id`, `createdAt`, `runCount`…) is accepted and ignored, so that
// an answer can be sent back; a member that nobody knows is refused by name. null means the default.
[[nodiscard]] Result<model::Schedule> read_new_schedule(const Json& body, const std::string& tenant, const ScheduleLimits& limits = {});

// Puts `target.maxRetries` where it belongs, `retryPolicy.maxRetries`; the error when both are there and differ.
[[nodiscard]] std::optional<Error> settle_target_retries(boost::json::object& definition);

// The definition in the body of a PUT, which replaces `stored`: what is left out has its default again, except the name and
// the zone, which stay. When both `spec` and `scheduleType` are there, the one that differs from what is stored counts.
[[nodiscard]] Result<model::Schedule> read_changed_schedule(const Json& body, const model::Schedule& stored);

// The body of a PUT that a PATCH stands for (RFC 7386): the definition as it is answered, with the patch merged into it.
[[nodiscard]] Result<Json> patched(Json patch, const store::ScheduleRecord& record, const spec::ZoneDatabase& zones);

// Active or paused, when the body asks for it by `status` or `enabled` and the schedule is `present` instead; the error when it asks for
// what nobody can give.
[[nodiscard]] Result<std::optional<model::ScheduleStatus>> wanted_status(const Json& body, model::ScheduleStatus present);

// The error when a replacement says another status than the schedule has. It may be an answer from before a pause, which nobody meant to end.
[[nodiscard]] std::optional<Error> check_same_status(const Json& body, model::ScheduleStatus present);

// Whether the body has anything of the definition, and not only what is the server's.
[[nodiscard]] bool changes_definition(const Json& body);

// An error of the engine about a definition, in the words of this body.
[[nodiscard]] Error in_words_of(const Json& body, Error error);
// An error about a zone that the body does not name: it is the stored one, which stays.
[[nodiscard]] Error about_kept_zone(const Json& body, const model::Schedule& stored, Error error);

// What is wrong beyond the shape. What only the compiler of a spec or a condition knows is not looked at.
[[nodiscard]] std::vector<Error> check_schedule(const model::Schedule& schedule, std::size_t input_max);

// Of a schedule or of an assignment: a fallback needs somebody to fall back to.
[[nodiscard]] std::optional<Error> check_failure(const model::FailurePolicy& failure);

// One version of what people wrote.
[[nodiscard]] boost::json::object to_json(const model::Schedule& definition, const spec::ZoneDatabase& zones);

// Every member, with its default or null where there is nothing. `last_result` is left out when it was not looked up.
[[nodiscard]] boost::json::object to_json(const store::ScheduleRecord& record, const spec::ZoneDatabase& zones,
                                          const std::optional<Json>& last_result);

}  // namespace belfry::api
