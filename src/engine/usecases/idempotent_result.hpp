// Repeated requests with one key have one effect, even when the first response was lost.
//
// The store writes the key in the same transaction as the effect, so either both exist or neither. run_idempotent()
// looks the key up, then makes the change, and after an error looks the key up again: a concurrent request with the
// same key may have been faster, or the change may have been committed although the connection broke.
#pragma once

#include <optional>
#include <string>

#include "store/schedule_store.hpp"

namespace belfry::engine {

// What a request created, or what an earlier request with the same key created, in its current state.
template <typename T>
struct IdempotentResult : T {
    bool repeated = false;
};

// Returns the earlier request with this key; nothing without a key or when the key is new. Returns invalid_argument
// if the key is malformed or was used for a different request.
[[nodiscard]] Result<std::optional<store::RequestRecord>> earlier_request(
    store::ScheduleStore& store, const std::string& tenant, const std::optional<model::RequestKey>& request);

// `make` makes the change; `recall` reads what an earlier request created.
template <typename T, typename Make, typename Recall>
[[nodiscard]] Result<IdempotentResult<T>> run_idempotent(store::ScheduleStore& store, const std::string& tenant,
                                                         const std::optional<model::RequestKey>& request,
                                                         const Make& make, const Recall& recall) {
    const auto recalled = [&recall](const store::RequestRecord& record) -> Result<IdempotentResult<T>> {
        Result<T> found = recall(record);
        if (!found) return found.error();
        return IdempotentResult<T>{std::move(*found), true};
    };
    const auto before = earlier_request(store, tenant, request);
    if (!before) return before.error();
    if (*before) return recalled(**before);
    Result<T> made = make();
    if (made) return IdempotentResult<T>{std::move(*made), false};
    const auto after = earlier_request(store, tenant, request);
    if (after && *after) return recalled(**after);
    const bool misused = !after && after.error().code == ErrorCode::invalid_argument;
    return misused ? after.error() : made.error();
}

}  // namespace belfry::engine
