// Handles items as one batch, else one by one.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"

namespace belfry::store::sql {

// `together` handles a batch in one transaction and returns one outcome per item, or an error for all. If `is_own` says
// that the error is about one of the items, each is handled in its own transaction, because one must not affect the
// others. REQUIRES: an outcome can be made of an error.
template <typename Item, typename Together, typename IsOwn>
[[nodiscard]] auto batch_else_one_by_one(std::span<const Item> items, const Together& together, const IsOwn& is_own)
    -> decltype(together(items)) {
    auto all = together(items);
    if (all || !is_own(all.error())) return all;
    typename decltype(all)::value_type outcomes;
    if (items.size() == 1) {
        outcomes.emplace_back(all.error());
        return outcomes;
    }
    for (const auto& item : items) {
        auto one = batch_else_one_by_one(std::span(&item, 1), together, is_own);
        if (one) {
            outcomes.push_back(std::move(one->front()));
        } else {
            outcomes.emplace_back(one.error());
        }
    }
    return outcomes;
}

}  // namespace belfry::store::sql
