#include "engine/jobs/housekeeping.hpp"

namespace belfry::engine {

Micros Housekeeper::step() {
    if (!leading_()) {
        failures_.on_success();  // failures are the leader's concern now
        rest(false);
        return idle_;
    }
    const auto now = clock_.now();
    const auto wait = now ? work(*now) : Result<Micros>(now.error());
    if (!wait) {
        rest(true);
        return failures_.on_error(wait.error());
    }
    failures_.on_success();
    return *wait;
}

}  // namespace belfry::engine
