// JSON: the reader against a second one that follows RFC 8259 to the letter, the writer against the reader.
#include <array>

#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "fuzz_target.hpp"
#include "require.hpp"

using namespace belfry;

namespace {

// Says whether a text is JSON, by recursive descent; it builds nothing, and knows no limit but that of depth.
class Recognizer {
public:
    explicit Recognizer(std::string_view text) : rest_(text) {}

    bool accepts() { return value(0) && rest_.empty(); }

private:
    bool take(std::string_view token) {
        if (!rest_.starts_with(token)) return false;
        rest_.remove_prefix(token.size());
        return true;
    }
    bool take_any(std::string_view characters) {
        if (rest_.empty() || characters.find(rest_[0]) == std::string_view::npos) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void blanks() {
        while (take_any(" \t\n\r")) {
        }
    }
    bool digits() {
        if (rest_.empty() || !is_digit(rest_[0])) return false;
        while (take_any("0123456789")) {
        }
        return true;
    }

    bool value(std::size_t depth) {
        if (depth > kJsonDepthMax) return false;
        blanks();
        const bool found = take("null") || take("true") || take("false") || part(depth);
        blanks();
        return found;
    }
    bool part(std::size_t depth) {
        if (rest_.starts_with('"')) return string();
        if (take("[")) return empty_until(']') || elements(depth);
        if (take("{")) return empty_until('}') || members(depth);
        return number();
    }
    bool empty_until(char bracket) {
        blanks();
        return take({&bracket, 1});
    }
    bool elements(std::size_t depth) {
        while (value(depth + 1)) {
            if (take("]")) return true;
            if (!take(",")) return false;
        }
        return false;
    }
    bool members(std::size_t depth) {
        for (;;) {
            blanks();
            if (!string()) return false;
            blanks();
            if (!take(":") || !value(depth + 1)) return false;
            if (take("}")) return true;
            if (!take(",")) return false;
        }
    }
    bool number() {
        take("-");
        if (!take("0") && !digits()) return false;
        if (take(".") && !digits()) return false;
        if (!take_any("eE")) return true;
        take_any("+-");
        return digits();
    }

    bool string() {
        if (!take("\"")) return false;
        while (!take("\"")) {
            if (rest_.empty()) return false;
            if (take("\\u") ? !utf16() : take("\\") ? !take_any("\"\\/bfnrt") : !character()) return false;
        }
        return true;
    }
    bool hex(unsigned& unit) {
        unit = 0;
        for (int i = 0; i < 4; ++i) {
            if (rest_.empty()) return false;
            const auto digit = std::string_view("0123456789abcdef").find(to_lower(rest_[0]));
            if (digit == std::string_view::npos) return false;
            unit = unit * 16 + static_cast<unsigned>(digit);
            rest_.remove_prefix(1);
        }
        return true;
    }
    bool utf16() {
        unsigned unit = 0;
        if (!hex(unit) || (unit >= 0xDC00 && unit <= 0xDFFF)) return false;
        if (unit < 0xD800 || unit > 0xDBFF) return true;
        return take("\\u") && hex(unit) && unit >= 0xDC00 && unit <= 0xDFFF;
    }
    bool character() {
        const auto first = static_cast<unsigned char>(rest_[0]);
        rest_.remove_prefix(1);
        if (first < 0x80) return first >= 0x20;
        const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        unsigned code = first & (0x3FU >> more);
        if (first < 0xC0 || first > 0xF7) return false;
        for (int i = 0; i < more; ++i) {
            if (rest_.empty() || (static_cast<unsigned char>(rest_[0]) & 0xC0) != 0x80) return false;
            code = code << 6 | (static_cast<unsigned char>(rest_[0]) & 0x3FU);
            rest_.remove_prefix(1);
        }
        constexpr std::array kLeast{0x80U, 0x800U, 0x10000U};
        return code >= kLeast[static_cast<std::size_t>(more - 1)] && code <= 0x10FFFF &&
               (code < 0xD800 || code > 0xDFFF);
    }

    std::string_view rest_;
};

// What is JSON but no good to us: these are refused with their own words.
bool refused_for_a_limit(const std::string& message) {
    return message.find("twice") != std::string::npos || message.find("too large") != std::string::npos ||
           message.find("deep") != std::string::npos || message.find("too many") != std::string::npos;
}

// A pointer put together from the names on the way leads to the value that stands there.
void check_pointers(const Json& root, const Json& value, const std::string& path) {
    if (path.size() > kJsonPointerMax) return;
    const auto pointer = JsonPointer::parse(path);
    fuzz::require(pointer.has_value(), "a pointer made of names parses", path);
    fuzz::require(pointer->find(root) == &value, "a pointer finds the value it was made for", path);
    if (kind_of(value) == JsonKind::array) {
        std::size_t index = 0;
        for (const auto& element : value.get_array())
            check_pointers(root, element, path + "/" + std::to_string(index++));
    } else if (kind_of(value) == JsonKind::object) {
        for (const auto& member : value.get_object())
            check_pointers(root, member.value(), path + pointer_step(member.key()));
    }
}

void check_text(std::string_view text, JsonNumbers numbers) {
    const std::string about(text);
    const auto parsed = parse_json(text, {.numbers = numbers});
    const bool json = Recognizer(text).accepts();
    if (!parsed) {
        const auto& message = parsed.error().message;
        const auto& place = parsed.error().place;
        fuzz::require(!message.empty(), "a refusal has a reason", about);
        fuzz::require(place.column <= text.size() + 1, "the place is inside the text", about);
        return fuzz::require(!json || refused_for_a_limit(message), "what is JSON is read", about + " -> " + message);
    }
    fuzz::require(json, "what is read is JSON", about);
    // Writing `1e20` plainly makes it longer, so the second reading has no limit of size.
    const auto written = to_text(*parsed);
    const auto again = parse_json(written, {.bytes_max = written.size(), .numbers = numbers});
    fuzz::require(again.has_value(), "the written text parses", about + " -> " + written);
    fuzz::require(*again == *parsed && same_json(*again, *parsed), "the written text means the same",
                  about + " -> " + written);
    fuzz::require(to_text(*again) == written, "there is one written text", about + " -> " + written);
    fuzz::require(Recognizer(written).accepts(), "what is written is JSON", about + " -> " + written);
    check_pointers(*parsed, *parsed, "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    check_text(text, JsonNumbers::nearest);
    check_text(text, JsonNumbers::exact);
    if (const auto pointer = JsonPointer::parse(text))
        fuzz::require(pointer->text() == text, "a pointer keeps its text", std::string(text));
    return 0;
}
