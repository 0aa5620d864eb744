#include "store/rules/fact_rules.hpp"

namespace belfry::store {

bool wants_in_flight(const model::Schedule& definition, const FactsRequest& needs) {
    using model::OverlapPolicy;
    const auto policy = definition.overlap.policy;
    return needs.in_flight || policy == OverlapPolicy::cancel_other || policy == OverlapPolicy::terminate_other;
}

}  // namespace belfry::store
