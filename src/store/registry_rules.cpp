#include "store/registry_rules.hpp"

#include <algorithm>

namespace belfry::store {

bool lets_through(const std::vector<std::string>& events, const std::string& type) {
    return events.empty() || std::ranges::any_of(events, [&type](const std::string& event) {
               return event.ends_with(".*") ? type.starts_with(event.substr(0, event.size() - 1)) : event == type;
           });
}

std::optional<Error> check_delivery(const model::Delivery& delivery) {
    const bool pending = delivery.status == model::DeliveryStatus::pending;
    if (pending && !delivery.next_try) return invalid("a pending delivery needs the time of its next attempt");
    return std::nullopt;
}

Error key_not_found(const std::string& id) { return {ErrorCode::not_found, "there is no API key " + id}; }
Error key_id_taken(const std::string& id) {
    return {ErrorCode::already_exists, "an API key with the id " + id + " already exists", "/id"};
}
Error key_name_taken(const std::string& name) {
    return {ErrorCode::already_exists, "an API key named " + name + " already exists: revoke it or choose another name",
            "/name"};
}
Error webhook_not_found(const std::string& id) { return {ErrorCode::not_found, "there is no webhook " + id}; }
Error webhook_id_taken(const std::string& id) {
    return {ErrorCode::already_exists, "a webhook with the id " + id + " already exists", "/id"};
}
Error delivery_not_found(const model::Delivery& delivery) {
    return {ErrorCode::not_found,
            "there is no delivery " + std::to_string(delivery.item.position) + " of webhook " + delivery.webhook_id};
}

}  // namespace belfry::store
