// Starts one run now, without a schedule of the client's (docs/adr/0015-immediate-starts.md). Thread-safe.
//
// Internally it is a schedule with one instant, the second of the request, that deletes itself with its only run. It is
// created and decided in one transaction. If it cannot be decided there, the ticker fires it like any other due
// schedule.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/usecases/schedules.hpp"

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
    bool repeated = false;  // an earlier request with the same key started it
};

// A start and its caller, perhaps with a request key.
struct StartCall {
    StartRequest request;
    model::CommandContext context;
};
// Starts each on its own, in order. They share transactions.
[[nodiscard]] std::vector<Result<Started>> start_each(store::StoreReader& store, Schedules& schedules,
                                                      std::vector<StartCall> calls);

// Returns the run: dispatched, or skipped with its reason (dispatch is off, the budget is used up).
[[nodiscard]] Result<Started> start_now(store::StoreReader& store, Schedules& schedules, const StartRequest& request,
                                        const model::CommandContext& context);

}  // namespace belfry::engine
