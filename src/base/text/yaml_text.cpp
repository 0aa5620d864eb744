#include "base/text/yaml_text.hpp"

#include "base/text/ascii.hpp"
#include "base/text/yaml.hpp"

namespace belfry {

namespace {

// Whether YAML reads the text, without quotes, as itself. The reader decides, so the two cannot disagree.
bool is_plain(std::string_view text) {
    if (text.empty() || text.size() > 200 || trimmed(text) != text || visible(text) != text) return false;
    const auto read = parse_yaml("k: " + std::string(text));
    return read && read->is_object() && read->get_object().size() == 1 &&
           same_json(read->get_object().begin()->value(), Json(text));
}

std::string scalar(const Json& value) {
    if (value.is_string() && is_plain(value.get_string())) return std::string(value.get_string());
    return to_text(value);
}

std::string key_text(std::string_view key) {
    const bool simple = !key.empty() && key.find_first_of(":#,[]{}&*!|>'\"%@`?- ") == std::string_view::npos;
    return simple && is_plain(key) ? std::string(key) : to_text(Json(key));
}

bool is_block(const Json& value) {
    if (kind_of(value) == JsonKind::array) return !value.get_array().empty();
    return kind_of(value) == JsonKind::object && !value.get_object().empty();
}

// The JSON writer bounds the depth: values come from parsed texts.
void write(const Json& value, std::size_t indent, std::string& out) {
    const std::string margin(indent, ' ');
    const char* first = "";  // a block inside a list starts on the line of its dash
    if (!is_block(value)) {
        out += scalar(value) + "\n";
    } else if (value.is_array()) {
        for (const auto& element : value.get_array()) {
            out += std::string(*first == '\0' && !out.empty() && out.back() != '\n' ? "" : margin) + "- ";
            write(element, indent + 2, out);
            first = " ";
        }
    } else {
        for (const auto& [key, member] : value.get_object()) {
            out +=
                std::string(*first == '\0' && !out.empty() && out.back() != '\n' ? "" : margin) + key_text(key) + ":";
            const bool block = is_block(member);
            out += block ? "\n" : " ";
            write(member, indent + 2, out);
            first = " ";
        }
    }
}

}  // namespace

std::string to_yaml(const Json& value) {
    std::string out;
    write(value, 0, out);
    return out;
}

}  // namespace belfry
