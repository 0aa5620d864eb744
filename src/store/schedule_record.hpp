// A stored schedule, and how callers refer to one.
#pragma once

#include <cstdint>
#include <string>

#include "model/schedule/schedule.hpp"

namespace belfry::store {

struct ScheduleRef {
    std::string tenant;
    std::string id = {};    // exactly one of id and name
    std::string name = {};  // the current owner of the name: a deleted schedule is found only by id
    friend bool operator==(const ScheduleRef&, const ScheduleRef&) = default;
};

struct ScheduleRecord {
    model::Schedule definition;
    model::ScheduleState state;
    std::string unreadable = {};  // why `definition` has only its ids and tenant; empty: it is readable
    friend bool operator==(const ScheduleRecord&, const ScheduleRecord&) = default;
};

// One version of a definition.
struct DefinitionRef {
    std::string schedule_id;
    std::int64_t version = 0;
    friend bool operator==(const DefinitionRef&, const DefinitionRef&) = default;
};

}  // namespace belfry::store
