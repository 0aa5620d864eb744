// The rules of the registry that every store shares. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/registry.hpp"

namespace belfry::store {

// Whether a webhook that asked for these events gets one of this type: by its name, by `run.*`, or because it asked for none
// in particular.
[[nodiscard]] bool lets_through(const std::vector<std::string>& events, const std::string& type);

// What nobody could make sense of.
[[nodiscard]] std::optional<Error> check_delivery(const model::Delivery& delivery);

// Errors that read the same from every store.
[[nodiscard]] Error key_not_found(const std::string& id);
[[nodiscard]] Error key_id_taken(const std::string& id);
[[nodiscard]] Error key_name_taken(const std::string& name);
[[nodiscard]] Error webhook_not_found(const std::string& id);
[[nodiscard]] Error webhook_id_taken(const std::string& id);
[[nodiscard]] Error delivery_not_found(const model::Delivery& delivery);

}  // namespace belfry::store
