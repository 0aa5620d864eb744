// A run that belongs to no schedule of anybody: started once, now (docs/adr/0015-immediate-starts.md). Thread-safe.
//
// It is a schedule of one instant, the second that it was asked in, which deletes itself with its only run. Creating it is
// the whole promise: when the process dies right after, the ticker fires it like any other that is due.
#pragma once

#include <map>
#include <string>

#include "engine/schedules.hpp"

namespace belfry::engine {

struct StartRequest {
    std::string tenant;
    model::Target target;
    std::map<std::string, std::string> labels = {};
    model::RetryPolicy retry = {};
};

struct Started {
    model::Run run;
    model::Schedule schedule;
    bool repeated = false;  // an earlier request with the same key had started it
};

// The run: dispatched, or skipped with its reason (dispatch is off, the budget is used up).
[[nodiscard]] Result<Started> start_now(store::Store& store, Schedules& schedules, const StartRequest& request, const model::CommandContext& context);

}  // namespace belfry::engine
