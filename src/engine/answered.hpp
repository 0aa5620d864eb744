// Requests that are repeated under one key have one effect, even when the first answer was lost.
//
// The key is written in the transaction of its effect, so either both are there or neither. What is asked for is therefore
// looked up by the key first, then tried, and when that fails looked up once more: somebody with the same key may have been
// quicker, or it may have happened although the connection broke.
#pragma once

#include <optional>
#include <string>

#include "store/store.hpp"

namespace belfry::engine {

// What a request made, or what an earlier one with the same key had made, as it is now.
template <typename T>
struct Answered : T {
    bool repeated = false;
};

// What was made under the key; nothing when there is no key, or nobody has used it. invalid_argument when it was used for
// something else, or is no key at all.
[[nodiscard]] Result<std::optional<store::RequestRecord>> earlier_request(store::Store& store, const std::string& tenant,
                                                                          const std::optional<model::RequestKey>& request);

// `make` does it, `recall` reads what an earlier request made.
template <typename T, typename Make, typename Recall>
[[nodiscard]] Result<Answered<T>> answer_once(store::Store& store, const std::string& tenant, const std::optional<model::RequestKey>& request,
                                              const Make& make, const Recall& recall) {
    const auto recalled = [&recall](const store::RequestRecord& record) -> Result<Answered<T>> {
        Result<T> found = recall(record);
        if (!found) return found.error();
        return Answered<T>{std::move(*found), true};
    };
    const auto before = earlier_request(store, tenant, request);
    if (!before) return before.error();
    if (*before) return recalled(**before);
    Result<T> made = make();
    if (made) return Answered<T>{std::move(*made), false};
    const auto after = earlier_request(store, tenant, request);
    if (after && *after) return recalled(**after);
    const bool misused = !after && after.error().code == ErrorCode::invalid_argument;
    return misused ? after.error() : made.error();
}

}  // namespace belfry::engine
