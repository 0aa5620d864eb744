#include "engine/housekeeping.hpp"

namespace belfry::engine {

Micros Housekeeper::step() {
    if (!leading_()) {
        trouble_.pass();  // whoever leads has it now, or not
        rest(false);
        return idle_;
    }
    const auto now = store_.now();
    const auto wait = now ? work(*now) : Result<Micros>(now.error());
    if (!wait) {
        rest(true);
        return trouble_.meet(wait.error());
    }
    trouble_.pass();
    return *wait;
}

}  // namespace belfry::engine
