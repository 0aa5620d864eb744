#include "app/client/json_view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/text/json_pointer.hpp"

namespace belfry::app {

const Json& member_at(const Json& json, std::string_view pointer) {
    static const Json kNothing;
    const auto parsed = JsonPointer::parse(pointer);
    const auto* const found = parsed ? parsed->find(json) : nullptr;
    return found == nullptr ? kNothing : *found;
}

std::string text_at(const Json& json, std::string_view pointer) {
    const auto& found = member_at(json, pointer);
    if (found.is_null()) return {};
    return found.is_string() ? std::string(found.get_string()) : to_text(found);
}

std::int64_t number_at(const Json& json, std::string_view pointer) {
    const auto& found = member_at(json, pointer);
    return found.is_int64() ? found.get_int64() : 0;
}

bool is_true(const Json& json, std::string_view pointer) {
    const auto& found = member_at(json, pointer);
    return found.is_bool() && found.get_bool();
}

std::optional<Instant> instant_at(const Json& json, std::string_view pointer) {
    const auto instant = parse_instant(text_at(json, pointer));
    return instant ? std::optional(*instant) : std::nullopt;
}

const boost::json::array& list_at(const Json& json, std::string_view pointer) {
    static const boost::json::array kNone;
    const auto& found = member_at(json, pointer);
    return found.is_array() ? found.get_array() : kNone;
}

std::string joined_at(const Json& json, std::string_view pointer) {
    std::string text;
    for (const auto& each : list_at(json, pointer)) text += (text.empty() ? "" : ", ") + text_at(each, "");
    return text;
}

std::string pairs_at(const Json& json, std::string_view pointer) {
    const auto& found = member_at(json, pointer);
    if (kind_of(found) != JsonKind::object) return {};
    std::string text;
    for (const auto& [key, value] : found.get_object())
        text += (text.empty() ? "" : ",") + std::string(key) + "=" + text_at(value, "");
    return text;
}

void set_at(Json& json, std::string_view pointer, Json value) {
    auto* place = &json;
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const auto name = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(name.size());
        if (!place->is_object()) *place = boost::json::object();
        place = &place->get_object()[name];
    }
    *place = std::move(value);
}

}  // namespace belfry::app
