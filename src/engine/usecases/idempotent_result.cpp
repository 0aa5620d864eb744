#include "engine/usecases/idempotent_result.hpp"

namespace belfry::engine {

Result<std::optional<store::RequestRecord>> earlier_request(store::ScheduleStore& store, const std::string& tenant,
                                                            const std::optional<model::RequestKey>& request) {
    using Found = std::optional<store::RequestRecord>;
    if (!request) return Found();
    if (request->key.empty() || request->key.size() > model::kRequestKeyMax) {
        return Error{ErrorCode::invalid_argument,
                     "an idempotency key has 1 to " + std::to_string(model::kRequestKeyMax) + " bytes",
                     model::kRequestKeyField};
    }
    auto record = store.request(tenant, request->key);
    if (!record) {
        if (record.error().code == ErrorCode::not_found) return Found();
        return record.error();
    }
    if (record->fingerprint != request->fingerprint) {
        return Error{ErrorCode::invalid_argument, "this key was used for another request; use a new one",
                     model::kRequestKeyField};
    }
    return Found(std::move(*record));
}

}  // namespace belfry::engine
