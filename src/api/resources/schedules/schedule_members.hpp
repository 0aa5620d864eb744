// The members of a schedule in a response, in order: those of its definition, which are the same for all responses of
// one version, and those of its state. ScheduleTexts and to_json() both use them. Pure.
//
//   identity, standing, rules, progress, origin
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string_view>

#include "base/text/json.hpp"
#include "base/time/instant.hpp"
#include "spec/zone/zone_database.hpp"
#include "store/store.hpp"

namespace belfry::api {

// The members of a definition, in the parts between which the state stands.
struct DefinitionMembers {
    boost::json::object identity = {};
    boost::json::object rules = {};
    boost::json::object origin = {};
};
[[nodiscard]] DefinitionMembers definition_members(const model::Schedule& schedule, const spec::ZoneDatabase& zones);

// Receives the members of the state, one after the other. It does not create a Json for each, because a page of
// schedules has a thousand of them.
class StateMembers {
public:
    virtual ~StateMembers() = default;
    virtual void null(std::string_view name) = 0;
    virtual void flag(std::string_view name, bool value) = 0;
    virtual void number(std::string_view name, std::int64_t value) = 0;
    virtual void text(std::string_view name, std::string_view value) = 0;
    // A text that needs no escaping.
    virtual void word(std::string_view name, std::string_view value) = 0;
    virtual void json(std::string_view name, const Json& value) = 0;

    // Optional values. An empty text is written as null.
    void instant(std::string_view name, const std::optional<Instant>& value) {
        value ? word(name, format_instant(*value)) : null(name);
    }
    void number_or_null(std::string_view name, const std::optional<std::int64_t>& value) {
        value ? number(name, *value) : null(name);
    }
    void text_or_null(std::string_view name, std::string_view value) { value.empty() ? null(name) : text(name, value); }
};

void add_standing(StateMembers& out, const store::ScheduleRecord& record);
// Omits `lastResult` if `last_result` is not set.
void add_progress(StateMembers& out, const store::ScheduleRecord& record, const spec::ZoneDatabase& zones,
                  const std::optional<Json>& last_result);

}  // namespace belfry::api
