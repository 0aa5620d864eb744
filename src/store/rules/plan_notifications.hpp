// The notifications about an applied plan. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/plan.hpp"
#include "model/tenant/tenant.hpp"
#include "store/notification.hpp"
#include "store/rules/new_task.hpp"

namespace belfry::store {

// What the notifications about an applied plan depend on.
struct NewsOf {
    bool moved = false;     // its schedule's next fire time has changed
    bool followed = false;  // it wrote to the tenant's feed
    std::string default_connection = {};
    model::DefinitionPtr run_definition = {};  // the definition of a run that it starts; null: the current one
};
// Whether a tick must visit the schedule at another time than `fired_at`: the next fire time has changed, or buffered
// runs that the plan did not release wait for a tick.
[[nodiscard]] bool is_moved(const decide::Plan& plan, const std::optional<Instant>& fired_at);
[[nodiscard]] std::vector<Notification> notifications_of(const decide::Plan& plan, const model::Schedule& definition,
                                                         const NewsOf& news);

// Whether buffered runs of the tenant may be released from now on.
[[nodiscard]] inline bool switches_on(const std::optional<model::Tenant>& before, const model::Tenant& after) {
    return before && !before->dispatch_enabled && after.dispatch_enabled;
}

// The notification for waiting workers. It does not name the receiver of an `http` task.
[[nodiscard]] TasksReady news_of(const NewTask& task, const std::string& tenant, Instant now);

}  // namespace belfry::store
