#include "base/text/json.hpp"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text/ascii.hpp"
#include "base/text/decimal.hpp"

namespace belfry {

namespace {

namespace bj = boost::json;

// --- Numbers --------------------------------------------------------------------------------------------------------

// An exact number is an object whose only member has this name. No parsed text contains the name, because it is not
// UTF-8.
constexpr std::string_view kExactNumber = "\xFFnumber";

// An exact number lies between about 10^-100000 and 10^100000, far inside the range that Boost.JSON can read.
constexpr std::int64_t kExactPointMax = 100'000;

// The digits of an exact number, or null.
const bj::string* exact_digits(const Json& value) {
    const auto* const object = value.if_object();
    if (object == nullptr || object->size() != 1 || object->begin()->key() != bj::string_view(kExactNumber))
        return nullptr;
    return object->begin()->value().if_string();
}

// The double, if it represents the number exactly, as most do; such numbers are compared without digits.
std::optional<double> as_double(const Json& number) {
    constexpr std::int64_t kExactMax = std::int64_t{1} << 53;
    if (const auto* const real = number.if_double()) return *real;
    const auto* const integer = number.if_int64();
    return integer != nullptr && *integer >= -kExactMax && *integer <= kExactMax
               ? std::optional(static_cast<double>(*integer))
               : std::nullopt;
}

// REQUIRES: kind_of(number) is number.
Decimal decimal_in(const Json& number) {
    if (const auto* const integer = number.if_int64()) return decimal_of(std::to_string(*integer));
    if (const auto* const natural = number.if_uint64()) return decimal_of(std::to_string(*natural));
    if (const auto* const real = number.if_double()) return decimal_of(*real);
    return decimal_of(std::string_view(*exact_digits(number)));
}

template <typename Number>
std::optional<Number> number_from(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<Json> integer_from(std::string_view text) {
    if (const auto integer = number_from<std::int64_t>(text)) return Json(*integer);
    if (const auto natural = number_from<std::uint64_t>(text)) return Json(*natural);
    return std::nullopt;
}

// Empty if the number is out of the rule's range. Does not use Boost.JSON's doubles, because they may be off by an ulp.
std::optional<Json> number_value(std::string_view literal, JsonNumbers rule) {
    if (auto integer = integer_from(literal)) return integer;
    const auto decimal = decimal_of(literal);
    if (auto integer = integer_from(text_of(decimal))) return integer;
    const auto real = number_from<double>(literal);
    const bool held = real && compare(decimal_of(*real), decimal) == 0;
    if (held) return Json(*real);
    if (rule == JsonNumbers::exact) {
        if (std::abs(decimal.point) > kExactPointMax) return std::nullopt;
        return Json(bj::object({{kExactNumber, text_of(decimal)}}));
    }
    if (!real)
        return decimal.point < 0 ? std::optional(Json(0)) : std::nullopt;  // it has one error for 1e-400 and 1e400
    auto integer = integer_from(text_of(decimal_of(*real)));
    return integer ? integer : Json(*real);
}

// --- Reading --------------------------------------------------------------------------------------------------------

// Boost.JSON's parser calls this for every part of the text. A handler that returns false ends the parse.
class JsonBuilder {
public:
    static constexpr std::size_t max_object_size = bj::object::max_size();
    static constexpr std::size_t max_array_size = bj::array::max_size();
    static constexpr std::size_t max_key_size = bj::string::max_size();
    static constexpr std::size_t max_string_size = bj::string::max_size();

    explicit JsonBuilder(JsonNumbers numbers) : numbers_(numbers) {}

    [[nodiscard]] const std::string& refusal() const { return refusal_; }
    [[nodiscard]] Json take() { return std::move(root_); }

    bool on_document_begin(bj::error_code&) { return true; }
    bool on_document_end(bj::error_code&) { return true; }
    bool on_object_begin(bj::error_code&) { return open(Json(bj::object_kind)); }
    bool on_object_end(std::size_t, bj::error_code&) { return close(); }
    bool on_array_begin(bj::error_code&) { return open(Json(bj::array_kind)); }
    bool on_array_end(std::size_t, bj::error_code&) { return close(); }
    bool on_key_part(bj::string_view part, std::size_t, bj::error_code&) { return collect(part); }
    bool on_key(bj::string_view part, std::size_t, bj::error_code& code) {
        collect(part);
        auto& container = open_.back();
        container.key = std::exchange(text_, {});
        if (!container.value.get_object().contains(container.key)) return true;
        return refuse("the key " + in_quotes(container.key) + " appears twice in one object; keep one of them", code);
    }
    bool on_string_part(bj::string_view part, std::size_t, bj::error_code&) { return collect(part); }
    bool on_string(bj::string_view part, std::size_t, bj::error_code&) {
        collect(part);
        return put(Json(std::exchange(text_, {})));
    }
    bool on_number_part(bj::string_view part, bj::error_code&) { return collect(part); }
    bool on_int64(std::int64_t, bj::string_view part, bj::error_code& code) { return put_number(part, code); }
    bool on_uint64(std::uint64_t, bj::string_view part, bj::error_code& code) { return put_number(part, code); }
    bool on_double(double, bj::string_view part, bj::error_code& code) { return put_number(part, code); }
    bool on_bool(bool value, bj::error_code&) { return put(Json(value)); }
    bool on_null(bj::error_code&) { return put(Json(nullptr)); }
    bool on_comment_part(bj::string_view, bj::error_code&) { return true; }
    bool on_comment(bj::string_view, bj::error_code&) { return true; }

private:
    struct Container {
        Json value;
        std::string key = {};  // in an object: the key of the next value
    };

    bool collect(bj::string_view part) {
        text_ += std::string_view(part);
        return true;
    }

    bool open(Json container) {
        open_.push_back({std::move(container)});
        return true;
    }

    bool close() {
        auto value = std::move(open_.back().value);
        open_.pop_back();
        return put(std::move(value));
    }

    bool put(Json value) {
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (auto& container = open_.back(); auto* const object = container.value.if_object()) {
            object->emplace(container.key, std::move(value));
        } else {
            container.value.get_array().push_back(std::move(value));
        }
        return true;
    }

    bool put_number(bj::string_view part, bj::error_code& code) {
        collect(part);
        auto value = number_value(std::exchange(text_, {}), numbers_);
        return value ? put(std::move(*value))
                     : refuse("the number is too large or too small; write it as a string", code);
    }

    bool refuse(std::string reason, bj::error_code& code) {
        refusal_ = std::move(reason);
        code = bj::make_error_code(bj::error::input_error);
        return false;
    }

    JsonNumbers numbers_;
    Json root_ = nullptr;
    std::vector<Container> open_;  // from the outermost to the innermost
    std::string text_;             // of the current key, string or number
    std::string refusal_;
};

// Why the parser stopped at this character. Its own error is vague, so common mistakes are detected here.
std::string syntax_reason(char found) {
    switch (found) {
        case '/': return "comments are not allowed";
        case '"': return "unexpected start or end of a string here";
        case '\'': return "strings use double quotes";
        case '}':
        case ']': return "a value is missing, or there is an extra comma";
        case 'N':
        case 'I': return "NaN and Infinity are not allowed; use null";
        default: break;
    }
    if (is_alpha(found)) return "the only words without quotes are true, false and null";
    if (static_cast<unsigned char>(found) >= 0x80) return "this is not UTF-8, or it is outside a string";
    return "unexpected character " + in_quotes({&found, 1}) + " here";
}

std::string reason_of(bj::error_code code, std::string_view rest, const JsonLimits& limits) {
    if (code == bj::error::too_deep) return "nested more than " + std::to_string(limits.depth_max) + " levels deep";
    if (code == bj::error::exponent_overflow) return "the exponent is too large";
    if (code == bj::error::expected_hex_digit) return "\\u must be followed by four hexadecimal digits";
    if (code == bj::error::illegal_leading_surrogate || code == bj::error::illegal_trailing_surrogate) {
        return "half of a surrogate pair; write both halves, or the character itself";
    }
    if (code == bj::error::incomplete || rest.empty())
        return "the text ends too early; a value, quote or bracket is missing";
    return syntax_reason(rest.front());
}

// The message counts lines if there are several; the place counts bytes from the start of the text.
Error bad_json(std::string_view text, std::size_t offset, const std::string& reason) {
    const auto line = 1 + std::ranges::count(text.substr(0, offset), '\n');
    const auto where = line > 1 ? "JSON, line " + std::to_string(line) + ": " : std::string("JSON: ");
    return invalid(where + reason, {offset + 1, 1});
}

// --- Writing --------------------------------------------------------------------------------------------------------

void write(std::string& out, const Json& value);

// Whole numbers are plain digits, because they are far below the size from which JavaScript uses exponents.
void write_number(std::string& out, const Json& value) {
    if (const auto* const integer = value.if_int64()) {
        out += std::to_string(*integer);
    } else if (const auto* const natural = value.if_uint64()) {
        out += std::to_string(*natural);
    } else {
        out += text_of(decimal_in(value));
    }
}

// Whether none of eight bytes needs an escape. May be wrong only if one of them does.
bool are_plain(const char* bytes) {
    constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
    constexpr std::uint64_t kHighBits = kOnes << 7U;
    const auto below = [](std::uint64_t each, std::uint64_t limit) {
        return (each - kOnes * limit) & ~each & kHighBits;  // the bytes that are less than the limit
    };
    std::uint64_t each = 0;
    std::memcpy(&each, bytes, sizeof each);
    return (below(each, 0x20) | below(each ^ (kOnes * '"'), 1) | below(each ^ (kOnes * '\\'), 1)) == 0;
}

// Copies whole stretches, because most strings need no escapes.
void write_string(std::string& out, std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += '"';
    std::size_t copied = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i + 8 <= text.size() && are_plain(text.data() + i)) {
            i += 7;
            continue;
        }
        const char c = text[i];
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && c != '"' && c != '\\') continue;
        out += text.substr(copied, i - copied);
        copied = i + 1;
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\b': out += "\\b"; break;
            case '\f': out += "\\f"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default: ((out += "\\u00") += kHex[byte >> 4]) += kHex[byte & 0xF];
        }
    }
    out += text.substr(copied);
    out += '"';
}

void write_array(std::string& out, const bj::array& array) {
    out += '[';
    const char* separator = "";
    for (const auto& element : array) {
        out += std::exchange(separator, ",");
        write(out, element);
    }
    out += ']';
}

void write_object(std::string& out, const bj::object& object) {
    out += '{';
    const char* separator = "";
    for (const auto& [key, value] : object) {
        out += std::exchange(separator, ",");
        write_string(out, key);
        out += ':';
        write(out, value);
    }
    out += '}';
}

void write(std::string& out, const Json& value) {
    switch (kind_of(value)) {
        case JsonKind::null: out += "null"; break;
        case JsonKind::boolean: out += value.get_bool() ? "true" : "false"; break;
        case JsonKind::number: write_number(out, value); break;
        case JsonKind::string: write_string(out, value.get_string()); break;
        case JsonKind::array: write_array(out, value.get_array()); break;
        case JsonKind::object: write_object(out, value.get_object()); break;
    }
}

bool same_members(const bj::object& a, const bj::object& b) {
    return a.size() == b.size() && std::ranges::all_of(a, [&b](const auto& member) {
               const auto* const other = b.if_contains(member.key());
               return other != nullptr && same_json(member.value(), *other);
           });
}

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
    if (text.size() > limits.bytes_max) {
        return invalid("JSON: " + std::to_string(text.size()) + " bytes are too many; the limit is " +
                       std::to_string(limits.bytes_max));
    }
    bj::parse_options options;
    options.max_depth = limits.depth_max;
    bj::basic_parser<JsonBuilder> parser(options, limits.numbers);
    bj::error_code code;
    const auto offset = parser.write_some(false, text.data(), text.size(), code);
    auto& builder = parser.handler();
    if (!builder.refusal().empty()) return bad_json(text, offset, builder.refusal());
    if (code) return bad_json(text, offset, reason_of(code, text.substr(offset), limits));
    if (offset < text.size()) return bad_json(text, offset, "there is more text after the value");
    return builder.take();
}

std::string to_text(const Json& value) {
    std::string out;
    if (value.is_object()) out.reserve(256);  // the size of most event payloads
    write(out, value);
    return out;
}

JsonKind kind_of(const Json& value) {
    switch (value.kind()) {
        case bj::kind::null: return JsonKind::null;
        case bj::kind::bool_: return JsonKind::boolean;
        case bj::kind::int64:
        case bj::kind::uint64: return JsonKind::number;
        case bj::kind::double_: return std::isfinite(value.get_double()) ? JsonKind::number : JsonKind::null;
        case bj::kind::string: return JsonKind::string;
        case bj::kind::array: return JsonKind::array;
        case bj::kind::object: break;
    }
    return exact_digits(value) != nullptr ? JsonKind::number : JsonKind::object;
}

std::partial_ordering compare_numbers(const Json& a, const Json& b) {
    if (kind_of(a) != JsonKind::number || kind_of(b) != JsonKind::number) return std::partial_ordering::unordered;
    const auto double_a = as_double(a);
    const auto double_b = as_double(b);
    if (double_a && double_b) return *double_a <=> *double_b;
    return compare(decimal_in(a), decimal_in(b));
}

bool same_json(const Json& a, const Json& b) {
    if (kind_of(a) != kind_of(b)) return false;
    switch (kind_of(a)) {
        case JsonKind::null: return true;
        case JsonKind::boolean: return a.get_bool() == b.get_bool();
        case JsonKind::number: return compare_numbers(a, b) == 0;
        case JsonKind::string: return a.get_string() == b.get_string();
        case JsonKind::array: return std::ranges::equal(a.get_array(), b.get_array(), same_json);
        case JsonKind::object: break;
    }
    return same_members(a.get_object(), b.get_object());
}

}  // namespace belfry
