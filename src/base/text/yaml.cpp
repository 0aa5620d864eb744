#include "base/text/yaml.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/text/ascii.hpp"

namespace belfry {

namespace {

constexpr std::string_view kPlainTag = "?";   // yaml-cpp's tag for a scalar without quotes
constexpr std::string_view kQuotedTag = "!";  // and for one in quotes
constexpr std::string_view kTextTag = "tag:yaml.org,2002:str";

Error error_at(const YAML::Mark& mark, const std::string& message) {
    if (mark.is_null()) return invalid(message);
    return invalid(
        "line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1) + ": " + message,
        {static_cast<std::size_t>(mark.pos) + 1, 1});
}

bool is_one_of(std::string_view text, const std::array<std::string_view, 3>& spellings) {
    return std::ranges::find(spellings, text) != spellings.end();
}

std::string_view without_sign(std::string_view text) {
    return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

bool is_number_in_yaml(std::string_view text) {
    auto rest = without_sign(text);
    if (is_one_of(rest, {".inf", ".Inf", ".INF"}) || is_one_of(rest, {".nan", ".NaN", ".NAN"})) return true;
    const auto all_in = [](std::string_view digits, std::string_view allowed) {
        return !digits.empty() && digits.find_first_not_of(allowed) == std::string_view::npos;
    };
    if (text.starts_with("0x")) return all_in(text.substr(2), "0123456789abcdefABCDEF");
    if (text.starts_with("0o")) return all_in(text.substr(2), "01234567");
    // [0-9]* ( \. [0-9]* )? ( [eE] [-+]? [0-9]+ )?, with a digit before the exponent
    const auto skip_digits = [&rest] {
        const auto count = std::min(rest.find_first_not_of("0123456789"), rest.size());
        rest.remove_prefix(count);
        return count;
    };
    auto digits = skip_digits();
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        digits += skip_digits();
    }
    if (digits == 0) return false;
    if (rest.empty()) return true;
    if (to_lower(rest.front()) != 'e') return false;
    rest = without_sign(rest.substr(1));
    return skip_digits() > 0 && rest.empty();
}

// yaml-cpp calls this for every part of the text. It cannot be stopped, so after an error the rest is ignored.
class YamlBuilder : public YAML::EventHandler {
public:
    explicit YamlBuilder(JsonLimits limits) : limits_(limits) {}

    [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }
    [[nodiscard]] Json take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
        if (awaits_key()) return refuse(mark, "a key is missing, or is null; write it in quotes");
        put(Json(nullptr));
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
        refuse(mark, "aliases are not supported; replace *name with its value");
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  const std::string& value) override {
        if (!tag.empty() && tag != kPlainTag && tag != kQuotedTag && tag != kTextTag) return refuse_tag(mark, tag);
        // yaml-cpp turns \N and \_ into single bytes, which are not UTF-8.
        if (storable(value) != value)
            return refuse(mark,
                          R"(the text contains \0, \N or \_; remove \0, and write \u0085 and \u00a0 for the others)");
        if (awaits_key()) return take_key(mark, value);
        if (tag != kPlainTag && !tag.empty()) return put(Json(value));
        if (is_one_of(value, {"true", "True", "TRUE"})) return put(Json(true));
        if (is_one_of(value, {"false", "False", "FALSE"})) return put(Json(false));
        if (!is_number_in_yaml(value)) return put(Json(value));
        auto number = parse_json(value, limits_);
        if (!number) return refuse(mark, in_quotes(value) + " is not a JSON number; write it as one, or in quotes");
        put(std::move(*number));
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                         YAML::EmitterStyle::value /*style*/) override {
        open(mark, tag, Json(boost::json::array_kind));
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                    YAML::EmitterStyle::value /*style*/) override {
        open(mark, tag, Json(boost::json::object_kind));
    }
    void OnMapEnd() override { close(); }

private:
    struct Container {
        Json value;
        std::optional<std::string> key = {};  // in an object: the key of the next value
    };

    [[nodiscard]] bool awaits_key() const {
        return !refusal_ && !open_.empty() && open_.back().value.is_object() && !open_.back().key;
    }

    void refuse(const YAML::Mark& mark, const std::string& message) {
        if (!refusal_) refusal_ = error_at(mark, message);
    }
    void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
        refuse(mark, "the tag " + in_quotes(tag) + " is not supported; remove it");
    }

    void take_key(const YAML::Mark& mark, const std::string& key) {
        if (open_.back().value.get_object().contains(key)) {
            return refuse(mark, "the key " + in_quotes(key) + " appears twice in one mapping; keep one of them");
        }
        open_.back().key = key;
    }

    void open(const YAML::Mark& mark, const std::string& tag, Json container) {
        if (refusal_) return;
        if (!tag.empty() && tag != kPlainTag && tag != kQuotedTag) return refuse_tag(mark, tag);
        if (awaits_key()) return refuse(mark, "a key must be a text");
        if (open_.size() == limits_.depth_max)
            return refuse(mark, "more than " + std::to_string(limits_.depth_max) + " levels deep");
        open_.push_back({std::move(container)});
    }

    void close() {
        if (refusal_) return;
        auto value = std::move(open_.back().value);
        open_.pop_back();
        put(std::move(value));
    }

    void put(Json value) {
        if (refusal_) return;
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (auto& container = open_.back(); auto* const array = container.value.if_array()) {
            array->push_back(std::move(value));
        } else {
            container.value.get_object()[*std::exchange(container.key, std::nullopt)] = std::move(value);
        }
    }

    JsonLimits limits_;
    std::vector<Container> open_;
    Json root_;
    std::optional<Error> refusal_;
};

// yaml-cpp throws its errors; this function catches them.
Result<Json> read_document(std::istream& text, JsonLimits limits) {
    YamlBuilder first(limits);
    YamlBuilder second(limits);
    try {
        YAML::Parser parser(text);
        if (!parser.HandleNextDocument(first)) return invalid("the text is empty");
        if (first.refusal()) return *first.refusal();
        if (parser.HandleNextDocument(second)) return invalid("there is more than one document; send one at a time");
    } catch (const YAML::DeepRecursion& error) {
        return first.refusal() ? *first.refusal() : error_at(error.mark, error.msg);
    } catch (const YAML::Exception& error) {
        // Takes precedence over our own errors: after a missing bracket, yaml-cpp misreads the text that follows.
        return error_at(error.mark, error.msg);
    }
    return first.take();
}

// yaml-cpp allocates memory for every open bracket before it reports the first event. Brackets inside strings count,
// too, so the bound is far above the allowed depth.
constexpr std::size_t kOpenBracketsMax = 1'000;

bool is_nested_beyond_reason(std::string_view text) {
    std::size_t open = 0;
    for (const char c : text) {
        if (c == '[' || c == '{') ++open;
        if ((c == ']' || c == '}') && open > 0) --open;
        if (open > kOpenBracketsMax) return true;
    }
    return false;
}

}  // namespace

Result<Json> parse_yaml(std::string_view text, JsonLimits limits) {
    if (text.size() > limits.bytes_max)
        return invalid("the text has more than " + std::to_string(limits.bytes_max) + " bytes");
    if (storable(text) != text) return invalid("the text is not UTF-8, or contains a NUL character");
    if (is_nested_beyond_reason(text)) return invalid("more than " + std::to_string(limits.depth_max) + " levels deep");
    std::istringstream stream{std::string(text)};
    return read_document(stream, limits);
}

}  // namespace belfry
