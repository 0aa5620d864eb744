// Rules of the registry that every store shares. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/registry.hpp"

namespace belfry::store {

// Whether a webhook with this list of events gets events of this type: by name, by `run.*`, or because the list is
// empty.
[[nodiscard]] bool lets_through(const std::vector<std::string>& events, const std::string& type);

// Returns an error for an invalid delivery.
[[nodiscard]] std::optional<Error> check_delivery(const model::Delivery& delivery);

// Errors with the same text in every store.
[[nodiscard]] Error key_not_found(const std::string& id);
[[nodiscard]] Error key_id_taken(const std::string& id);
[[nodiscard]] Error key_name_taken(const std::string& name);
[[nodiscard]] Error webhook_not_found(const std::string& id);
[[nodiscard]] Error webhook_id_taken(const std::string& id);
[[nodiscard]] Error delivery_not_found(const model::Delivery& delivery);

}  // namespace belfry::store
