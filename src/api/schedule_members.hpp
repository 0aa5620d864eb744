// The members of a schedule's answer in the order in which they stand: those that its definition has, which are the same for
// all answers of one version, and those of its state. Both writers of answers are made of them. Pure.
//
//   identity, standing, rules, progress, origin
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <string_view>

#include "base/json.hpp"
#include "spec/zone_database.hpp"
#include "store/store.hpp"

namespace belfry::api {

void add_identity(boost::json::object& out, const model::Schedule& schedule);
void add_rules(boost::json::object& out, const model::Schedule& schedule, const spec::ZoneDatabase& zones);
void add_origin(boost::json::object& out, const model::Schedule& schedule);

// What becomes of a member of the state.
using AddMember = std::function<void(std::string_view name, Json value)>;

void add_standing(const AddMember& add, const store::ScheduleRecord& record);
// `last_result` is left out when it was not looked up.
void add_progress(const AddMember& add, const store::ScheduleRecord& record, const spec::ZoneDatabase& zones, const std::optional<Json>& last_result);

}  // namespace belfry::api
