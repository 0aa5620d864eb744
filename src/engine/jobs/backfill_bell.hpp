// Wakes the backfiller when a run of a backfill has ended, so that the next run starts before the backfiller's own
// tick.
#pragma once

#include <algorithm>
#include <functional>

#include "engine/telemetry/observer.hpp"
#include "model/identity.hpp"

namespace belfry::engine {

class BackfillBell final : public Observer {
public:
    void decided(const model::Schedule& /*schedule*/, const decide::Plan& plan, Instant /*at*/) override {
        if (ring && std::ranges::any_of(plan.ends, &is_of_backfill)) ring();
    }

    std::function<void()> ring;  // REQUIRES: set before the first decision

private:
    [[nodiscard]] static bool is_of_backfill(const decide::RunEnd& end) {
        const auto key = model::parse_run_id(end.run_id);
        return key && model::slot_from_number(key->slot).cause == model::RunCause::backfill;
    }
};

}  // namespace belfry::engine
