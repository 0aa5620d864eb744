#include "api/fields.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/percent.hpp"
#include "base/json_words.hpp"
#include "base/nearest.hpp"
#include "base/parse_integer.hpp"

namespace belfry::api {

namespace {

Error out_of(Bounds bounds) { return invalid("must be a whole number from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most)); }

Error unknown(const std::string& what, std::string_view name, const std::vector<std::string>& known) {
    const auto meant = nearest(name, known);
    return invalid("there is no " + what + " " + in_quotes(name) + "; " + (meant ? "did you mean " + in_quotes(*meant) + "?" : "remove it"));
}

bool is_known(const std::vector<std::string>& known, std::string_view name) { return std::ranges::find(known, name) != known.end(); }

}  // namespace

std::optional<Error> check_name(std::string_view name) {
    // Continuation bytes belong to the character before them.
    const auto characters = std::ranges::count_if(name, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    if (characters == 0) return invalid("must not be empty");
    if (static_cast<std::size_t>(characters) > kNameMax) {
        return invalid("has " + std::to_string(characters) + " characters; use at most " + std::to_string(kNameMax));
    }
    if (visible(name) != name) return invalid("must be text without control characters");
    return std::nullopt;
}

Fields::Fields(const Json& json, std::string prefix) : prefix_(std::move(prefix)) {
    if (kind_of(json) == JsonKind::object) {
        object_ = &json.get_object();
    } else {
        wrong_ = Error{ErrorCode::invalid_argument, std::string("must be an object, not ") + words_for(kind_of(json)), prefix_};
    }
}

void Fields::fail(const char* name, Error error) {
    if (!wrong_) wrong_ = in_field(std::move(error), prefix_ + pointer_step(name));
}

void Fields::lack(const char* name) {
    if (!lack_) lack_ = in_field(invalid(in_quotes(name) + " is missing; add it"), prefix_ + pointer_step(name));
}

const Json* Fields::any(const char* name) {
    known_.emplace_back(name);
    return object_ == nullptr ? nullptr : object_->if_contains(name);
}

const Json* Fields::find(const char* name, JsonKind kind) {
    const auto* const value = any(name);
    if (value == nullptr || value->is_null()) return nullptr;
    if (kind_of(*value) == kind) return value;
    fail(name, invalid(std::string("must be ") + words_for(kind) + ", not " + words_for(kind_of(*value))));
    return nullptr;
}

std::optional<std::string> Fields::text(const char* name) {
    const auto* const value = find(name, JsonKind::string);
    if (value == nullptr) return std::nullopt;
    std::string text(std::string_view(value->get_string()));
    if (storable(text) == text) return text;
    fail(name, invalid("must not contain the character U+0000"));
    return std::nullopt;
}

std::optional<std::string> Fields::name(const char* name) {
    auto value = text(name);
    if (!value) return value;
    auto error = check_name(*value);
    if (!error) return value;
    fail(name, std::move(*error));
    return std::nullopt;
}

std::optional<std::int64_t> Fields::integer(const char* name, Bounds bounds) {
    const auto* const value = find(name, JsonKind::number);
    if (value == nullptr) return std::nullopt;
    boost::json::error_code code;
    const auto number = value->to_number<std::int64_t>(code);
    if (!code && number >= bounds.least && number <= bounds.most) return number;
    fail(name, out_of(bounds));
    return std::nullopt;
}

std::optional<bool> Fields::boolean(const char* name) {
    const auto* const value = find(name, JsonKind::boolean);
    return value == nullptr ? std::nullopt : std::optional(value->get_bool());
}

std::optional<Instant> Fields::instant(const char* name) { return parsed(name, &parse_instant); }

const boost::json::array* Fields::array(const char* name, std::size_t most) {
    const auto* const value = find(name, JsonKind::array);
    if (value == nullptr) return nullptr;
    if (value->get_array().size() <= most) return &value->get_array();
    fail(name, invalid("has " + std::to_string(value->get_array().size()) + " elements; send at most " + std::to_string(most)));
    return nullptr;
}

std::optional<Error> Fields::finish() const {
    if (wrong_) return wrong_;
    for (const auto& member : *object_) {
        if (!is_known(known_, member.key())) return in_field(unknown("member", member.key(), known_), prefix_ + pointer_step(member.key()));
    }
    return lack_;
}

Parameters::Parameters(std::string_view query) {
    auto values = parse_query(query);
    if (values) {
        values_ = std::move(*values);
    } else {
        wrong_ = values.error();
    }
}

void Parameters::fail(const char* name, Error error) {
    if (!wrong_) wrong_ = in_field(std::move(error), '?' + std::string(name));
}

std::optional<std::string> Parameters::text(const char* name) {
    known_.emplace_back(name);
    const auto found = std::ranges::find(values_, name, [](const auto& value) { return value.first; });
    return found == values_.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> Parameters::integer(const char* name, Bounds bounds) {
    const auto value = text(name);
    if (!value) return std::nullopt;
    const auto number = parse_integer(*value);
    if (number && *number >= bounds.least && *number <= bounds.most) return number;
    fail(name, out_of(bounds));
    return std::nullopt;
}

std::optional<Instant> Parameters::instant(const char* name) { return parsed(name, &parse_instant); }

std::optional<Error> Parameters::finish() const {
    if (wrong_) return wrong_;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const auto& name = values_[i].first;
        if (!is_known(known_, name)) return in_field(unknown("parameter", name, known_), '?' + name);
        const auto same = std::ranges::count(values_, name, [](const auto& value) { return value.first; });
        if (same > 1) return in_field(invalid("the parameter is given " + std::to_string(same) + " times; give it once"), '?' + name);
    }
    return std::nullopt;
}

}  // namespace belfry::api
