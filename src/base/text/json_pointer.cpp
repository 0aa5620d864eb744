#include "base/text/json_pointer.hpp"

#include <charconv>

#include "base/text/ascii.hpp"

namespace belfry {

namespace {

// index = "0" / (%x31-39 *DIGIT)
const Json* element_at(const boost::json::array& array, std::string_view name) {
    if (name.size() > 1 && name.starts_with('0')) return nullptr;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool whole = error == std::errc{} && end == name.data() + name.size();
    return whole && index < array.size() ? &array[index] : nullptr;
}

}  // namespace

// json-pointer = *( "/" *( unescaped / "~0" / "~1" ) )
Result<JsonPointer> JsonPointer::parse(std::string_view text) {
    const auto bad_pointer = [text](const std::string& reason, Place place) {
        return invalid("JSON pointer " + in_quotes(text) + ": " + reason, place);
    };
    if (text.size() > kJsonPointerMax)
        return bad_pointer("too long; use at most " + std::to_string(kJsonPointerMax) + " bytes", {1, text.size()});
    if (!text.empty() && text[0] != '/')
        return bad_pointer("use \"/\" at the start, for example " + in_quotes("/" + std::string(text)), {1, 1});
    JsonPointer pointer;
    pointer.text_ = text;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '/') {
            pointer.names_.emplace_back();
        } else if (text[i] != '~') {
            pointer.names_.back() += text[i];
        } else if (const auto escape = text.substr(i, 2); escape == "~0" || escape == "~1") {
            pointer.names_.back() += escape == "~0" ? '~' : '/';
            ++i;
        } else {
            return bad_pointer("inside a name use \"~0\" for \"~\" and \"~1\" for \"/\"", {i + 1, escape.size()});
        }
    }
    return pointer;
}

const Json* JsonPointer::find(const Json& root) const {
    const auto* found = &root;
    for (const auto& name : names_) {
        switch (kind_of(*found)) {
            case JsonKind::object: found = found->get_object().if_contains(name); break;
            case JsonKind::array: found = element_at(found->get_array(), name); break;
            default: return nullptr;
        }
        if (found == nullptr) return nullptr;
    }
    return found;
}

std::string pointer_step(std::string_view name) {
    std::string step = "/";
    for (const char c : name) {
        if (c == '~') {
            step += "~0";
        } else if (c == '/') {
            step += "~1";
        } else {
            step += c;
        }
    }
    return step;
}

}  // namespace belfry
