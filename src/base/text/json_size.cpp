#include "base/text/json_size.hpp"

namespace belfry {

std::size_t text_size(const Json& value) {
    if (const auto* const text = value.if_string()) return text->size() + 2;
    std::size_t size = 2;
    if (const auto* const array = value.if_array()) {
        for (const auto& element : *array) size += text_size(element) + 1;
        return size;
    }
    if (const auto* const object = value.if_object()) {
        for (const auto& member : *object) size += member.key().size() + 4 + text_size(member.value());
        return size;
    }
    return kJsonScalarBytes;
}

}  // namespace belfry
