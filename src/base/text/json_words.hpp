// The kinds of JSON in words, for error messages. Pure.
#pragma once

#include "base/text/json.hpp"

namespace belfry {

[[nodiscard]] inline const char* words_for(JsonKind kind) {
    switch (kind) {
        case JsonKind::null: return "null";
        case JsonKind::boolean: return "true or false";
        case JsonKind::number: return "a number";
        case JsonKind::string: return "a text";
        case JsonKind::array: return "an array";
        case JsonKind::object: return "an object";
    }
    return "";
}

}  // namespace belfry
