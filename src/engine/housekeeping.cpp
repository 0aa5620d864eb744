#include "engine/housekeeping.hpp"

namespace belfry::engine {

Micros Housekeeper::step() {
    if (!leading_()) {
        trouble_.pass();  // whoever leads has it now, or not
        leave();
        return idle_;
    }
    const auto now = store_.now();
    if (!now) return trouble_.meet(now.error());
    const auto wait = work(*now);
    if (!wait) return trouble_.meet(wait.error());
    trouble_.pass();
    return *wait;
}

}  // namespace belfry::engine
